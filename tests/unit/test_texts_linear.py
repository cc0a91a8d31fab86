"""What reads outside text takes time that grows as the text does, whatever the text is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ddax.actions.sources.formats.extract import NotText, extract
from ddax.actions.sources.tokens import tokens
from ddax.configs.secrets import Redactor
from ddax.debate.carried import carriers
from ddax.debate.quotes import Carrying, is_verbatim
from ddax.debate.task_rubric import task_rubric
from ddax.environments.pilot.orders.grammar import read_task
from ddax.ideas.requirements import parse
from ddax.memory.gate.instructions import instruction_spans
from ddax.reasoning.embedded import sentences
from ddax.reasoning.entailment import check_by_rules
from ddax.text.chunks import chunks
from ddax.text.question import analyse
from ddax.types import Citation, Passage
from tests.unit.growth_judged import grows_too_fast

pytestmark = pytest.mark.timeout(3000)
LARGE, LARGER = 10_000, 40_000
RUNS = (
    " ", "\t", "\n", " \n", "[", "(", "<", '"', "“", "`", "0", "a", "A", "|", "| ", ",", ", ", "-",
    "- ", ". ", "* ",
    "#", ":", "=", "Aa ", "ab, ", "1. a\n", "- a\n", "| a ", "---|", "<!--", "~~a",
    "a: [", '{"a":', "<script", "](",
    "Is it A? ", "Click a, ", "It is not “a ", "at least ", "/a", "a@b", "ignore ", "a.b", "the a of ",
    "é\u200b", "'",
)  # fmt: skip
PLAIN = "The heron of Vellin weighs 2 kg. "
KINDS = ("text", "markdown", "table", "json", "html")


def read(kind: str) -> Callable[[str], Any]:
    def reads(text: str) -> object:
        try:
            return extract(text.encode(), kind, fallback="f")
        except NotText:
            return None

    return reads


def passage(text: str) -> Passage:
    return Passage("p", "s", "T", text, 0, len(text))


READERS: dict[str, Callable[[str], Any]] = {
    **{f"a file of {kind}": read(kind) for kind in KINDS},
    "passages": chunks,
    "words": tokens,
    "sentences": lambda text: sentences._cut(passage(text)),
    "orders in a page": instruction_spans,
    "secrets": lambda text: Redactor().text(text),
    "demands of a task": lambda text: parse(text, origin="task"),
    "the rubric of a task": task_rubric.__wrapped__,
    "a question": getattr(analyse, "__wrapped__", analyse),
    "orders of a task": read_task,
    "a quote": lambda text: is_verbatim(Citation("p", "s", "T", text, 0, len(text)), [passage(text)]),
    "marks": lambda text: carriers(text, [PLAIN], check_by_rules()),
    "an argument": lambda text: Carrying(check_by_rules(), PLAIN).carries("opponent", PLAIN, text),
    "a premise": lambda text: check_by_rules()(text, PLAIN),
    "a claim": lambda text: check_by_rules()(PLAIN, text),
}


def worst(reader: Callable[[str], Any], runs: tuple[str, ...], largest: int) -> dict[str, float]:
    """Return the runs of which four times as much takes far more than four times as long."""
    found = {}
    for run in runs:
        for front in ("", PLAIN, f"{PLAIN}\n"):
            ratio = grows_too_fast(
                reader, lambda n, f=front, r=run: f + r * (n // len(r)), largest, floor=0.02
            )
            if ratio:
                found[front[-2:] + run] = round(ratio, 1)
    return found


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_time_as_the_text_is_long(name: str) -> None:
    assert worst(READERS[name], RUNS[::2], LARGE) == {}


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("a file of text", " "),
        ("a file of markdown", "\t"),
        ("a file of text", " \t"),
    ],
)
def test_a_line_of_one_sign_is_read_at_once(name: str, run: str) -> None:
    assert worst(READERS[name], (run,), 2 * LARGER) == {}


@pytest.mark.parametrize("run", ["\n", " \n", "\t\n"])
def test_a_task_of_empty_lines_has_its_rubric_at_once(run: str) -> None:
    assert worst(READERS["the rubric of a task"], (run,), LARGER) == {}


def test_the_measure_knows_squares_from_lines() -> None:
    assert grows_too_fast(lambda text: [text.count("a") for _ in text], "b".__mul__, 16_000) > 8
    assert not grows_too_fast(lambda text: [sum(range(200)) for _ in text], "b".__mul__, 16_000)
