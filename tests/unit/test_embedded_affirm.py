"""Yes or no: only where a sentence says a question's own words as a statement, or clearly denies them."""

from __future__ import annotations

import time

import pytest

from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.embedded.affirm import affirmed
from ddax.reasoning.embedded.compare import compared
from ddax.reasoning.embedded.evidence import weigh
from ddax.text.question import analyse
from ddax.types import Passage


@pytest.mark.parametrize(
    ("task", "text", "said"),
    [
        ("May the Badger be used outdoors?", "The Badger must not be used outdoors. The Wren may be.", "no"),
        (
            "May the Wren be used outdoors?",
            "The Badger must not. The Wren may be used outdoors.",
            "yes",
        ),
        ("May the Heron be used outdoors?", "The Heron may be used outdoors only by staff.", ""),
        (
            "May the Heron be used outdoors?",
            "The Heron may be used outdoors. It must not in rain.",
            "",
        ),
        ("Is the museum open on Mondays?", "The museum is closed on Mondays.", "no"),
        ("Is the museum open on Mondays?", "The museum is open on Mondays.", "yes"),
        ("Is the museum open on Mondays?", "The museum isn't open on Mondays.", "no"),
        ("Is the museum open on Mondays?", "The museum is no longer open on Mondays.", "no"),
        ("Is the museum open on Mondays?", "The museum is open on Mondays in summer.", ""),
        ("Is the museum open on Mondays?", "In summer the museum is open on Mondays.", ""),
        ("Is the museum open on Mondays?", "The museum is open on Mondays and Tuesdays.", "yes"),
        (
            "Is the museum open on Mondays?",
            "The museum is open on Sundays. It is closed on Mondays.",
            "",
        ),
        (
            "Is the museum open on Mondays?",
            "The museum is open on Mondays. It is not.",
            "",
        ),
        ("Is the museum open on Mondays?", "The museum was open on Mondays.", ""),
        ("Is the museum open on Mondays?", "```\nThe museum is open on Mondays.\n```\n", ""),
        ("Is the museum open on Mondays?", "A museum is open on Mondays.", ""),
        ("Is the museum open on Mondays?", "The museum is open on Tuesdays.", ""),
        ("Is the museum open on Mondays?", "Ann said the museum is open on Mondays.", ""),
        ("Is the museum open on Mondays?", "The museum is open on Mondays, Ann claims.", ""),
        ("Is the museum open on Mondays?", "The museum is not open on Mondays but on Sundays.", ""),
        ("Does the museum open on Mondays?", "The museum opens on Mondays.", "yes"),
        ("Does the museum open on Mondays?", "The museum does not open on Mondays.", "no"),
        ("Does the museum open on Mondays?", "The museum opened on Mondays.", ""),
        ("Did Ann Lee found Nordvik?", "Ann Lee founded Nordvik in 1902.", "yes"),
        ("Did Ann Lee found Nordvik?", "Ann Lee did not found Nordvik.", "no"),
        ("Did Ann Lee found Nordvik?", "Nordvik was founded by Bo Roth and sold to Ann Lee.", ""),
        ("Was the pier built before 1900?", "The pier was built in 1902.", "no"),
        ("Was the pier built before 1900?", "The pier was built in 1882.", "yes"),
        ("Was the pier built after 1900?", "The pier was built in 1882.", "no"),
        ("Was the pier built before 1900?", "The pier was rebuilt in 1882.", ""),
        ("Was the pier painted before 1900?", "The pier was painted in 1902.", ""),
        ("Was the pier built before 1900?", "The pier was built about 1880.", ""),
        ("Was the pier built before 1900?", "The pier was built between 1882 and 1902.", ""),
        ("Was the pier built in 1902?", "The pier was built in 1902.", "yes"),
        ("Was the pier built by Jan Orr?", "The pier was built by Jan Orr in 1902.", "yes"),
        ("Was the pier built by Jan Orr?", "The pier was not built by Jan Orr in 1902.", ""),
        ("Was the pier built by Jan Orr?", "The pier was built by Carl Moss.", ""),
        ("Is there a lift in the museum?", "There is a lift in the museum.", "yes"),
        ("Is there a lift in the museum?", "There is no lift in the museum.", "no"),
        ("Must the door be locked?", "The door need not be locked.", "no"),
        ("Must the door be locked?", "The door must be locked.", "yes"),
        ("Can guests borrow books?", "Guests cannot borrow books.", "no"),
        ("Can guests borrow books?", "Guests can borrow books.", "yes"),
        ("Can guests borrow books?", "Some guests can borrow books.", ""),
        (
            "Is there a free trial?",
            "## Is there a free trial?\n\nYes, for 21 days.",
            "yes",
        ),
        ("Is the museum not open?", "The museum is not open.", ""),
        ("Did Nordvik close before 1990?", "Nordvik closed in 1985.", "yes"),
        ("Has the pier been rebuilt?", "The pier has been rebuilt.", "yes"),
        ("Has the pier been rebuilt?", "The pier has never been rebuilt.", "no"),
        ("Is Oslo the capital of Norway?", "Oslo is the capital of Norway.", "yes"),
        ("Is Bergen the capital of Norway?", "Oslo is the capital of Norway.", ""),
        ("Is Oslo the capital of Norway?", "Oslo is the capital of Norway's football.", ""),
        ("Is the Wren heavier than the Badger?", "The Wren is heavier than the Badger.", ""),
        ("Are dogs allowed in the garden?", "Dogs are not allowed in the garden.", "no"),
        ("Are dogs allowed in the garden?", "Dogs are forbidden in the garden.", "no"),
        (
            "Are dogs allowed in the garden?",
            "Dogs are allowed in the garden. But not near the pond.",
            "",
        ),
        ("Is smoking allowed?", "Smoking is allowed on the terrace.", ""),
        ("Was Ann Lee born in Oslo?", "Ann Lee was born in Oslo.", "yes"),
        ("Was Ann Lee born in Oslo?", "Ann Lee was born in Oslo County.", ""),
        ("Is the bridge closed to cars?", "The bridge is closed to cars and lorries.", "yes"),
        ("Do the ferries run on Sundays?", "The ferries run on Sundays.", "yes"),
        ("Do the ferries run on Sundays?", "The ferries do not run on Sundays.", "no"),
        ("May the Wren be used outdoors?", "The Wren may be used outdoors by staff.", ""),
        ("Is the museum near the east gate?", "The museum is near the west gate.", ""),
        (
            "Is there a free trial?",
            "## Is there a free trial?\n\nIt lasts 21 days. No card is needed.",
            "",
        ),
        ("Is there a free trial?", "## Is there a free trial?\n\nIt is short. Yes.", ""),
        ("Are dogs allowed?", "## Are dogs allowed?\n\nNo problem!", ""),
        ("Are dogs allowed?", "## Are dogs allowed?\n\nYes and no.", ""),
        ("Are dogs allowed?", "## Are dogs allowed?\n\nYes, no cats though.", ""),
        ("Are dogs allowed?", "## Are dogs allowed?\n\nNo. 5 is for dogs.", ""),
        ("Are dogs allowed?", "## Are dogs allowed?\n\nNo.", "no"),
        ("Are dogs allowed?", "## Are dogs allowed?\n\nYes. Only on a lead.", ""),
        ("Must guests pay?", "## May guests pay?\n\nYes.", ""),
        ("Was the church built before 1900?", "The church was built by monks and restored in 1902.", ""),
        ("Was the church built before 1900?", "The church was built by monks, restored in 1902.", ""),
        ("Was the church built in 1882?", "The church was built by Jan Orr in 1882.", ""),
        ("Was the church built?", "The church was built by Jan Orr according to legend.", ""),
        ("Was the pier built before 1900?", "The pier was built in circa 1901.", ""),
        ("Was the pier built before 1900?", "The pier was built on 5 May 1902.", "no"),
        (
            "Is the wall visible from space?",
            "## Widespread errors\n\nThe wall is visible from space.",
            "",
        ),
        ("Is the wall visible from space?", "The wall is visible from space. This is a myth.", ""),
        ("Is the wall visible from space?", "Myths follow.\n\nThe wall is visible from space.", ""),
        (
            "Is the wall visible from space?",
            "## The wall\n\nThe wall is visible from space.",
            "yes",
        ),
        ("Is the museum open on Mondays?", "## Winter\n\nThe museum is closed on Mondays.", ""),
        ("Is the museum open on Mondays?", "In winter:\n\nThe museum is closed on Mondays.", ""),
        ("Is the museum open on Mondays?", "The museum is open on Mondays. In winter it is closed.", ""),
        ("Is the museum open on Mondays?", "The museum is open on Mondays. Closed in winter.", ""),
        ("Is the museum open on Mondays?", "The museum is open on Mondays and closed.", ""),
        ("Did Lee build ships before 1900?", "Lee built ships in 1902.", ""),
        ("Did Lee build ships before 1900?", "Lee built ships in 1882.", "yes"),
        ("Were ships built before 1900?", "Ships were built in 1902.", ""),
        ("Was a church built before 1900?", "A church was built in 1902.", ""),
        ("Was gold discovered before 1900?", "Gold was discovered in 1902.", ""),
        ("Was Ann Lee born before 1900?", "Ann Lee was born in 1902.", "no"),
        ("May guests claim a refund?", "Guests may claim a refund.", "yes"),
        ("Was the museum open on Mondays?", "The museum was closed on Mondays in 1902.", ""),
        ("Was the museum open on Mondays?", "The museum was open on Mondays in 1902.", ""),
        ("Was the museum open on Mondays?", "The museum was no longer open on Mondays.", ""),
        ("Can editors read drafts?", "Editors can write drafts.", ""),
        ("Is Ann Lee a founder of Nordvik?", "Ann Lee is not the founder of Nordvik.", ""),
        ("Are dogs allowed?", "Dogs are allowed and welcome outdoors.", ""),
        ("Are dogs allowed?", "Dogs are allowed and leashed.", ""),
        ("Are dogs allowed in the garden?", "Dogs are allowed in the garden:\n\n- on a lead", ""),
        ("Is the museum open?", '"The museum is open." Ann lied.', ""),
        ("Is the museum open?", "> The museum is open.", ""),
        ("Is the museum open?", "~~The museum is open.~~", ""),
        ("Is the museum open?", "The museum is **open**.", "yes"),
        ("Is the museum open?", "…", ""),
    ],
)
def test_what_is_not_clear_is_neither_yes_nor_no(task: str, text: str, said: str) -> None:
    question = analyse(task)
    found = affirmed(question, weigh(question, [Passage("p", "p.md", "Page", text)], Vectors(HashEmbedder())))
    assert (found[1] if found else "") == said


def test_two_pages_that_disagree_decide_nothing() -> None:
    question = analyse("Is the museum open on Mondays?")
    texts = ["The museum is open on Mondays.", "The museum is closed on Mondays."]
    pages = [Passage(text, f"{text}.md", "Museum", text) for text in texts]
    assert affirmed(question, weigh(question, pages, Vectors(HashEmbedder()))) is None


def test_what_is_asked_of_one_thing_is_no_comparison_of_two() -> None:
    question = analyse("Did Ann Lee found Nordvik?")
    text = "Nordvik was founded by Bo Roth and sold to Ann Lee."
    weighed = weigh(question, [Passage("p", "p.md", "Nordvik", text)], Vectors(HashEmbedder()))
    assert compared(question, weighed) == ("", [])


def test_a_long_word_costs_no_time() -> None:
    question = analyse("Was the pier built before 1900?")
    text = f"The pier was built by {'a' * 300} 7."
    weighed = weigh(question, [Passage("p", "p.md", "Pier", text)], Vectors(HashEmbedder()))
    begun = time.perf_counter()
    assert affirmed(question, weighed) is None
    assert time.perf_counter() - begun < 1


def test_what_stands_above_or_behind_and_was_not_read_decides_nothing() -> None:
    question = analyse("Is the museum open on Mondays?")
    said, rest = "The museum is open on Mondays.", "Bread is sold in the yard. " * 30
    pages = {
        "whole": Passage("p", "p.md", "Museum", said),
        "cut off": Passage("p", "p.md", "Museum", rest + said),
        "torn out": Passage("p", "p.md", "Museum", said, start=2000),
    }
    read = {name: weigh(question, [page], Vectors(HashEmbedder())) for name, page in pages.items()}
    assert {name for name, weighed in read.items() if affirmed(question, weighed)} == {"whole"}


def test_the_next_sentence_counts_where_too_many_were_read_to_weigh_it() -> None:
    question = analyse("Is the museum open on Mondays?")
    first = Passage("p", "p.md", "Museum", "The museum is open on Mondays. Never in winter.")
    other = Passage("q", "q.md", "Museum", "A museum is a house. " * 70)
    weighed = weigh(question, [other, first], Vectors(HashEmbedder()))
    assert all("winter" not in item.sentence.text for item in weighed)
    assert affirmed(question, weighed) is None


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("is closed", "is open", ""),
        ("is open", "isn't open", ""),
        ("is open", "is never open", ""),
        ("is open", "is open", "yes"),
        ("is not open", "is not open", "no"),
    ],
)
def test_a_sentence_that_says_more_and_disagrees_leaves_it_open(one: str, other: str, said: str) -> None:
    task = "Is the museum open on Mondays?"
    text = f"The museum {one} on Mondays.\n\nTickets cost 5.\n\nIn July the museum {other} on Mondays."
    question = analyse(task)
    found = affirmed(
        question, weigh(question, [Passage("m", "m.md", "Museum", text)], Vectors(HashEmbedder()))
    )
    assert (found[1] if found else "") == said
