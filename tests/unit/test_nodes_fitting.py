"""What is held back where it would change nothing: long reading, empty merges, lessons of a short run."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.nodes.reflect import POLICY_LESSONS, VALUE_LESSONS, affordable
from ddax.reasoning.protocol import Finding
from ddax.steps.findings.long_reading import NOTES, fitted
from ddax.steps.findings.unmerged import EMPTY, of_nothing
from ddax.types import Citation, Idea, Passage

QUESTION = "When was the lighthouse of Ostrel built?"
SAYS = "The lighthouse of Ostrel was built in 1832."


def pages(at: int, *, count: int = 8) -> list[Passage]:
    """Return passages about cheese; the one at a place says what is asked."""
    filler = "The cheese of the valley is made of milk and of patience. " * 12
    return [
        Passage(f"m{n}", "a.txt", "Ostrel", f"{SAYS} {filler}" if n == at else filler, n * 800, n * 800 + 700)
        for n in range(count)
    ]


@pytest.mark.parametrize("at", [0, 4, 7])
async def test_long_reading_is_cut_by_what_bears_on_the_question_and_it_is_noted(kit: Any, at: int) -> None:
    session = kit.session(models={"passages": 1600})
    kept = await fitted(pages(at), QUESTION, session, task="t", what="the merge")
    assert any(SAYS in passage.text for passage in kept)
    assert sum(len(passage.text) for passage in kept) <= 1600
    assert [passage.start for passage in kept] == sorted(passage.start for passage in kept)
    (note,) = await session.memory.rows(NOTES, task="t")
    assert "of 5," in note["note"] and note["note"].startswith("the merge: the model was given")


async def test_what_fits_is_given_whole_without_a_note(kit: Any) -> None:
    session = kit.session(models={"passages": 9000})
    assert await fitted(pages(2), QUESTION, session, task="t", what="the merge") == tuple(pages(2))
    assert await session.memory.rows(NOTES, task="t") == []


def finding(result: str, *citations: Citation, status: str = "done") -> Finding:
    return Finding("0.1", "a gate", status, result, citations)


CITED = Citation("m1", "a.txt", "A", "in 1815")


@pytest.mark.parametrize(
    ("said", "nothing"),
    [
        ([finding(EMPTY), finding(EMPTY)], True),
        ([finding(EMPTY), finding("It is old.", CITED)], False),
        ([finding(EMPTY), finding("It failed.", status="failed")], False),
        ([], False),
    ],
)
def test_findings_that_found_nothing_are_put_together_without_a_call(
    kit: Any, said: list[Finding], nothing: bool
) -> None:
    reply = of_nothing(kit.session(), Idea(title="the gate"), said)
    assert (reply is not None) is nothing
    assert reply is None or (reply.found, reply.usage.model_calls) == (False, 0)


@pytest.mark.parametrize(("calls", "lessons"), [(0, POLICY_LESSONS + VALUE_LESSONS), (1, 1), (9, 1), (40, 4)])
def test_a_run_pays_for_lessons_by_the_calls_it_has_made(calls: int, lessons: int) -> None:
    assert affordable({"usage": {"model_calls": calls}}) == lessons
