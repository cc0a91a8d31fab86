"""No pattern of the package takes time that grows faster than its text, and the measure can tell."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.growth_judged import grows_too_fast
from tests.unit.patterns_compiled import Compiled, patterns
from tests.unit.patterns_hostile import RUNS, Hostile, hostile

pytestmark = pytest.mark.timeout(3000)  # a busy machine reads as an idle one does
MOST = 4096
"""Characters of the largest text."""
PARTS = 6
ASK: dict[str, Callable[[re.Pattern[Any]], Callable[[Any], Any]]] = {
    "match": lambda form: form.match,
    "fullmatch": lambda form: form.fullmatch,
    "search": lambda form: form.search,
    "all": lambda form: lambda text: sum(1 for _ in form.finditer(text)),
}


def fault(row: Compiled, *, near: int, runs: tuple[str, ...], most: int) -> str:
    """Say on which text a pattern grows too fast, or ""."""
    form = re.compile(row.pattern, row.flags)
    for text in hostile(row.pattern, row.flags, most=near, runs=runs):
        for used in row.used:
            if grows_too_fast(ASK[used](form), made(text, row), most // len(text.run)):
                return f"{row.place}: {row.pattern!r} by {used} on {tuple(text)}"
    return ""


def made(text: Hostile, row: Compiled) -> Callable[[int], Any]:
    """Return what makes a text of a size, of the kind that the pattern takes."""
    if isinstance(row.pattern, bytes):
        return lambda size: text.of(size).encode()
    return text.of


def faults(rows: list[Compiled], **how: Any) -> list[str]:
    return [said for row in rows if (said := fault(row, **how))]


@pytest.mark.parametrize("part", range(PARTS))
def test_no_pattern_grows_faster_than_its_text(part: int) -> None:
    rows = list(patterns())
    assert len(rows) > 500, "the patterns of the package were not found"
    assert faults(rows[part::PARTS], near=16, runs=RUNS[::2], most=MOST) == []


@pytest.mark.parametrize(
    ("pattern", "used"),
    [
        (r"[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$", "match"),
        (r"(?m)^\s*(?:[-*•]|\d+[.)])\s+(.*)$", "all"),
        (r"(?:\s*(?:,|and)\s*)*", "fullmatch"),
        (r"<!--.*?-->", "all"),
        (r"\bfrom (.+) to (.+)$", "search"),
        (r"(\w+)\s+of$", "search"),
        (rb"<b[^>]*>", "all"),
    ],
)
def test_a_bad_pattern_is_found(pattern: str | bytes, used: str) -> None:
    row = Compiled("here:1", pattern, re.compile(pattern).flags, (used,))
    assert fault(row, near=16, runs=RUNS[::2], most=4 * MOST)  # a fast machine needs a longer text


@pytest.mark.parametrize(
    ("pattern", "used"),
    [(r"(?<!\s)\s*,", "all"), (r"\w+\b", "all"), (r"<!--[^<]{0,50}-->", "all"), (r"(?>a+)b", "match")],
)
def test_a_good_pattern_is_let_be(pattern: str, used: str) -> None:
    assert not fault(Compiled("here:1", pattern, 32, (used,)), near=16, runs=RUNS[::2], most=MOST)


def test_patterns_are_found_wherever_they_are_kept() -> None:
    places = {row.place.split(":")[0] for row in patterns()}
    assert {
        "actions/sources/formats/markdown.py",
        "debate/task_rubric.py",
        "memory/gate/order_signs.py",
    } <= places
    assert any(isinstance(row.pattern, bytes) for row in patterns()), "also those over bytes"
    in_function = [row for row in patterns() if row.place.startswith("environments/pilot/orders/grammar.py")]
    assert len(in_function) > 3, "also those that only a function compiles"
