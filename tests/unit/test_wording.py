"""Words that hang on a number, and how a sentence begins."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.cli.answer import result_lines
from ddax.cli.backend import Output
from ddax.cli.patch import print_repair
from ddax.evolution.records import RepairResult
from ddax.wording import amount, sentence


@pytest.mark.parametrize(
    ("count", "words", "said"),
    [
        (0, ("page",), "0 pages"),
        (1, ("page",), "1 page"),
        (1, ("reply", "replies"), "1 reply"),
        (2, ("reply", "replies"), "2 replies"),
        (12_000, ("token",), "12,000 tokens"),
    ],
)
def test_a_noun_goes_with_its_count(count: int, words: tuple[str, ...], said: str) -> None:
    assert amount(count, *words) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the cap is reached.", "The cap is reached."),
        ("openai:m failed.", "openai:m failed."),
        ("'x' is none.", "'x' is none."),
        ("ddax runs lists them.", "ddax runs lists them."),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_but_for_a_name(text: str, said: str) -> None:
    assert sentence(text) == said


def test_what_happened_once_is_said_in_the_singular(capsys: Any) -> None:
    result = {
        "thread_id": "t", "status": "done", "stop_reason": "", "answer": "So.", "citations": [],
        "ideas": 1, "steps": 1, "rigidity": 0.0, "mood": "EXPLORE", "failures": [],
        "protect": {"conservative": 1}, "usage": {"model_calls": 0, "tokens": 0, "usd": 0.0, "seconds": 0.5},
    }  # fmt: skip
    told = "\n".join(result_lines(result, details=True))
    assert "nobody was there to be asked 1 time:" in told and "1 idea in 1 step" in told
    assert "nobody" not in "\n".join(result_lines(result)).lower(), "under a good answer it says nothing"
    print_repair(
        RepairResult("none", 0.0, "", {}, "", "out of time", 1, 0.1, 0.0, (0, 2), (0, 2), (0, 0), "none"),
        None,
        Output(json=False),
        seconds=20.0,
    )
    said = capsys.readouterr().out
    assert "Before:   0 of 2 tests pass\n" in said and "Tried:    1 candidate in 0.1 s" in said
    print_repair(
        RepairResult("fixed", 100.0, "", {}, "", "so", 1, 0.1, 0.1, (0, 1), (1, 1), (0, 0), "separate"),
        None,
        Output(json=False),
        seconds=20.0,
    )
    said = capsys.readouterr().out
    assert "Before:   0 of 1 test passes\n" in said and "After:    1 of 1 test passes\n" in said
