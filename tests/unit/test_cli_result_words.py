"""A result in the terminal: the answer first, how it ended in plain words, whole words at any width."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from ddax.cli import text
from ddax.cli.answer import result_lines
from ddax.cli.text import fold, folded
from tests.cases import cases

QUOTE = "The climate station Orfjord Reef opened in 1961 on the eastern shore, and two keepers look after it."
RESULT: dict[str, Any] = {
    "thread_id": "t", "status": "done", "stop_reason": "", "answer": "So.", "citations": [], "doubts": [],
    "ideas": 3, "steps": 4, "rigidity": 0.12, "mood": "EXPLORE", "failures": [], "metrics": {},
    "protect": {"conservative": 0}, "usage": {"model_calls": 0, "tokens": 0, "usd": 0.0, "seconds": 0.5},
}  # fmt: skip
NUMBERS = re.compile(r"rigidity|mood|EXPLORE|\bideas? in\b|0\.12")


@pytest.fixture(autouse=True)
def no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DDAX_HOME", raising=False)


@cases("status", "reason", "said")
def test_how_a_run_ended_is_said_in_plain_words(status: str, reason: str, said: str) -> None:
    lines = list(result_lines({**RESULT, "status": status, "stop_reason": reason}))
    assert lines[1] == "So." and any(line.startswith(said) for line in lines)
    assert not NUMBERS.search("\n".join(lines)) and "Details: ddax show t" in lines


def test_the_numbers_are_in_the_details() -> None:
    told = "\n".join(result_lines(RESULT, details=True))
    assert "done, 3 ideas in 4 steps, 0.5 s, no model, rigidity 0.12, mood EXPLORE, thread t" in told


def test_a_question_shows_its_candidates_without_numbers() -> None:
    question = {
        "text": "May I read these two documents: “a” and “b”?", "options": ["go on", "stop"],
        "candidates": [{"id": "0.1", "title": "a", "expected_change": 0.5}],
        "details": {"rigidity": 0.7, "unexpected": 2},
    }  # fmt: skip
    waits = {**RESULT, "status": "waiting", "question": question}
    assert "0.5" not in "\n".join(result_lines(waits)).replace("0.5 s", "")
    details = "\n".join(result_lines(waits, details=True))
    assert "an answer changes 0.50" in details and "rigidity = 0.7" in details


def test_what_was_left_out_is_told_apart_from_what_failed() -> None:
    failures = [
        {"idea": "0.1", "title": "send", "cause": "nobody there to ask: an action that writes outside"},
        {"idea": "0.2", "title": "read", "cause": "it is not there"},
    ]
    lines = list(result_lines({**RESULT, "failures": failures}))
    assert lines[lines.index("What failed:") + 1] == "  read: it is not there"
    left = next(k for k, line in enumerate(lines) if line.startswith("Left out"))
    assert lines[left + 1] == "  send: an action that writes outside"


@pytest.mark.parametrize("width", [40, 80, 100])
@pytest.mark.parametrize(
    "line",
    [
        QUOTE,
        f"      “{QUOTE}”",
        f"- {QUOTE} {QUOTE}",
        "Smørrebrød og ærlighed over fjorden, " * 6,
        "  [12] A title that is rather long and goes on for a while <a/path/to/some/file.txt>, remembered",
    ],
)
def test_words_are_whole_at_any_width(line: str, width: int) -> None:
    rows = fold(line, width)
    assert all(len(row) <= width for row in rows) and " ".join(" ".join(rows).split()) == " ".join(
        line.split()
    )
    assert len({len(row) - len(row.lstrip()) for row in rows[1:]}) <= 1, "what follows is indented alike"


def test_wide_signs_are_counted_and_addresses_stay_whole() -> None:
    from rich.cells import cell_len

    assert all(cell_len(row) <= 40 for row in fold("东京塔建于一九五八年，高三百三十三米。" * 5, 40))
    address = "https://example.org/" + "x" * 90
    assert address in fold(f"See {address} for more", 40)


def test_code_tables_and_pipes_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    block = f"{QUOTE}\n```\n{QUOTE}\n```\n| {QUOTE} |\n{QUOTE}"
    assert list(folded([block])) == [block], "nobody looks"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(text, "columns", lambda: 60)
    rows = list(folded([block]))
    assert rows.count(QUOTE) == 1 and f"| {QUOTE} |" in rows
    assert all(len(row) <= 60 for row in rows if row not in (QUOTE, f"| {QUOTE} |"))
