"""What one call cites is read once more: where it carries less than what was read before, that follows."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from ddax.reasoning import protocol as p
from ddax.steps.merge.carried_answer import settled
from ddax.types import Citation, Passage

pytestmark = pytest.mark.asyncio

TOWER = Citation("m1", "a.md", "Tower", "The tower was designed by Ida Moen.", 0, 35)
MOEN = Citation("m2", "b.md", "Ida Moen", "Ida Moen was born in Trondby.", 0, 29)
BARN = Citation("m3", "c.md", "Barn", "The barn is red.", 0, 16)
READ = p.Synthesis("Tower: The tower was …", (TOWER, MOEN), True, 0.9)
ASKED = p.MergeRequest(
    "Where was the designer of the tower born?", "i",
    (), (Passage("m1", "a.md", "Tower", "The tower was designed by Ida Moen."),), final=True, settling=True,
)  # fmt: skip


class Free:
    """A reading that finds an answer where both sentences are at hand, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[p.MergeRequest] = []

    async def merge(self, request: p.MergeRequest) -> p.Synthesis:
        self.asked.append(request)
        said = " ".join(passage.text for passage in request.evidence)
        return replace(READ, found=TOWER.quote in said and MOEN.quote in said)


async def after(
    reply: p.Synthesis, read: p.Synthesis = READ, *, effort: str = "normal", **changes: Any
) -> tuple[p.Synthesis, Free]:
    free = Free()
    asked = replace(ASKED, **changes)
    session: Any = SimpleNamespace(free=free, settings=SimpleNamespace(effort=effort))
    return await settled(reply, read, asked, asked, session), free


async def test_an_answer_whose_sentences_carry_it_stands_alone() -> None:
    reply = p.Synthesis("In Trondby.", (TOWER, MOEN), True, 1.0, "Trondby")
    got, free = await after(reply)
    assert got is reply
    assert [passage.title for passage in free.asked[0].evidence] == ["Tower", "Ida Moen"]


async def test_one_whose_sentences_do_not_is_followed_by_what_was_read_before() -> None:
    reply = p.Synthesis("A red barn.", (BARN,), True, 1.0, stated=(p.Stated("A red barn.", (1,)),))
    got, _ = await after(reply)
    assert got.text == f"A red barn.\n\n> {TOWER.quote}\n\n> {MOEN.quote}"
    assert got.citations == (BARN, TOWER, MOEN)
    assert [(one.text, one.citations) for one in got.stated[1:]] == [(TOWER.quote, (2,)), (MOEN.quote, (3,))]


async def test_what_the_answer_says_already_is_not_said_again() -> None:
    got, _ = await after(p.Synthesis(MOEN.quote, (MOEN,), True, 1.0))
    assert got.text == f"{MOEN.quote}\n\n> {TOWER.quote}" and got.citations == (MOEN, TOWER)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("- a red barn\n- a tower", {}), ('{"town": "Trondby"}', {}), ("word " * 58, {}),
        ("A red barn.", {"form": {"type": "object"}}),
        ("A red barn.", {"task": "Where was she born? Answer in one word."}),
    ],
)  # fmt: skip
async def test_nothing_follows_an_answer_with_a_form_of_its_own(text: str, changes: dict[str, Any]) -> None:
    reply = p.Synthesis(text, (BARN,), True, 1.0)
    for effort in ("quick", "normal"):
        assert (await after(reply, effort=effort, **changes))[0] == reply


async def test_nothing_follows_where_nothing_was_read_before_or_nothing_is_answered() -> None:
    reply = p.Synthesis("A red barn.", (BARN,), True, 1.0)
    assert (await after(reply, replace(READ, found=False)))[0] is reply
    nothing = replace(reply, found=False)
    assert (await after(nothing))[0] is nothing


async def test_where_nothing_else_checks_it_an_answer_is_followed_by_what_it_rests_on() -> None:
    reply = p.Synthesis("In Trondby.", (TOWER, MOEN), True, 1.0, "Trondby")
    got, _ = await after(reply, effort="quick")
    assert got.text == f"In Trondby.\n\n> {TOWER.quote}\n\n> {MOEN.quote}"
    assert got.short == "Trondby" and got.citations == reply.citations
    alone = replace(READ, found=False)
    red = p.Synthesis("A red barn.", (BARN,), True, 1.0)
    assert (await after(red, alone, effort="quick"))[0].text == f"A red barn.\n\n> {BARN.quote}"


async def test_with_one_call_alone_both_readings_are_seen_and_the_last_sentence_is_cut() -> None:
    long = replace(MOEN, quote=" ".join(f"word{n}" for n in range(60)), end=500)
    reply = p.Synthesis("In Trondby.", (TOWER, MOEN), True, 1.0)
    got, _ = await after(reply, replace(READ, citations=(TOWER, long)), effort="quick")
    *_, last = got.text.split("\n\n> ")
    assert len(got.text.split()) == 60 and last == " ".join(f"word{n}" for n in range(len(last.split())))
    cut = got.citations[-1]
    assert cut.quote == last == long.quote[: cut.end - cut.start]
    full = p.Synthesis("word " * 57 + "end.", (BARN,), True, 1.0)
    assert (await after(full, effort="quick"))[0] == full
