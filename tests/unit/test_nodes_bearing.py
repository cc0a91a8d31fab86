"""What is recalled bears on a task where it is about what the task names, or what that leads to."""

from __future__ import annotations

from typing import Any

from ddax.steps.findings.bearing import bearing
from ddax.steps.findings.gather import evidence
from ddax.types import Passage, Record

TASK = "In which city was the architect of the Corvane Tower born?"


def page(title: str, text: str, source: str = "") -> Passage:
    return Passage(f"{title}{text}", source or f"{title}.md", title, text, 0, len(text), 1.0)


TOWER = page("Corvane Tower", "The tower stands on a hill. It was designed by Ilse Maran.")
MARAN = page("Ilse Maran", "Ilse Maran was born in the city of Trondby.")
TRONDBY = page("Trondby", "Trondby is a port.")
VELL = page("Otto Vell", "Otto Vell was an architect, born in the city of Skarn.")
SKARN = page("Skarn", "Skarn is a town.")


def test_what_is_about_something_else_is_left_out_and_the_order_stays() -> None:
    assert bearing(TASK, [TOWER], [VELL, TRONDBY, MARAN, SKARN]) == (TRONDBY, MARAN)
    assert bearing(TASK, [], [VELL, MARAN, TOWER]) == (MARAN, TOWER)
    assert bearing(TASK, [page("Ilse Maran", "She built the corvane TOWER.")], [VELL, TRONDBY]) == ()


def test_the_rest_of_a_document_stays_with_it() -> None:
    later = page("Ilse Maran", "She died in 1970.", MARAN.source)
    assert bearing(TASK, [TOWER, MARAN], [later, VELL]) == (later,)
    assert bearing(TASK, [TOWER, VELL], [SKARN]) == (SKARN,)


def test_a_name_is_whole_words_and_a_bracket_of_a_title_is_none() -> None:
    near = page("Corvane Towers", "The Corvane Towers were a band.")
    song = page("Ilse Maran (architect)", "She was born in Trondby.")
    assert bearing(TASK, [TOWER], [near, song]) == (song,)


def test_all_stay_where_no_name_can_tell() -> None:
    some = (VELL, SKARN)
    assert bearing("what is the highest bridge?", [TOWER], some) == some
    assert bearing("Who designed the Lantern Bridge?", [TOWER], some) == some
    assert bearing(TASK, [TOWER], ()) == ()


async def test_what_other_tasks_read_of_other_things_is_no_evidence(kit: Any) -> None:
    session = kit.session()
    known = [
        Record("observation", p.text, source=p.source, title=p.title, task="other", meta={"kind": "page"})
        for p in (VELL, TOWER, SKARN, MARAN)
    ]
    await session.memory.put(known)
    kit.now += 1
    for text, wanted in ((TASK, {"Corvane Tower", "Ilse Maran"}), ("where was an architect born?", None)):
        state = await kit.opened(session, text, step=1)
        found = {
            p.title for p in await evidence(state, session, "a tower designed by an architect born in a city")
        }
        assert found == wanted or (wanted is None and "Otto Vell" in found)
