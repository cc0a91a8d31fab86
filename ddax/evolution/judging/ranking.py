"""Orders plausible repairs by what the tests do not say.

Each passes every test it saw. Better is one that keeps the examples in docstrings, answers inputs
near the tested ones as other plausible repairs do, returns the types that the program returned
before, does not crash where others do not, keeps the branches of the program in use, leaves alone what
variants of passing tests show of its objects, was likely from the start and writes no value of a test
into the code. The weights are set from these reasons, not fitted to any set of programs.
"""

from __future__ import annotations

import ast
import difflib
import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from ddax.evolution.judging.inputs import agrees
from ddax.evolution.program.imports import parsed

EXAMPLES, AGREEMENT, CRASHES, LOST, STRAYS, TYPES, SPECIAL, LENGTH = 4.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 0.1
FURTHER = 1.0
"""What a full share of each fault costs, in the units of an edit's rank; length per 10 new characters, and
each edit but the first: where one is enough, two are less likely."""
_TOKEN = re.compile(r"\w+|\s+|.")


@dataclass(frozen=True)
class Written:
    """A text that an edit writes, and the one that stood there."""

    new: str
    old: str = ""

    def length(self) -> int:
        """Return how many characters are new."""
        old, new = _TOKEN.findall(self.old), _TOKEN.findall(self.new)
        blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        return len(self.new) - sum(len(token) for b in blocks for token in new[b.b : b.b + b.size])

    def values(self) -> frozenset[str]:
        """Return the uncommon literals that are new."""
        return literals(self.new) - literals(self.old)


@dataclass(frozen=True)
class Suspect:
    """A plausible repair as seen from outside: its rank, what it writes, its answers to the probes.

    `lost` is by which share, in [0, 1], it takes fewer branches on the probes than the program had,
    `missing` by which share a method changes fewer attributes, `strays` the share of the variants of
    passing tests that end otherwise than with the unchanged program ("Identifying Patch Correctness in
    Test-Based Program Repair", Xiong and others, 2018).
    """

    rank: float
    written: tuple[Written, ...]
    answers: tuple[str, ...]
    shown: tuple[str, ...] = ()
    lost: float = 0.0
    missing: float = 0.0
    strays: float = 0.0


def penalties(
    suspects: Sequence[Suspect],
    *,
    before: Sequence[str],
    wanted: Sequence[str],
    words: frozenset[str],
) -> list[float]:
    """Return the penalty of each, 0 at best.

    `before` are the unchanged program's answers, `wanted` the texts of docstrings' examples, `words`
    the literals of the visible tests.
    """
    least = min((s.rank for s in suspects), default=0.0)
    weights = [math.exp(least - s.rank) for s in suspects]
    types = {kind(a) for a in before} - {"raises"}
    raising = [
        sum(w for s, w in zip(suspects, weights, strict=True) if s.answers[i].startswith("raises"))
        / sum(weights)
        for i in range(len(before))
    ]
    return [_penalty(i, suspects, weights, types, raising, wanted, words) for i in range(len(suspects))]


def _penalty(
    index: int, suspects: Sequence[Suspect], weights: Sequence[float], types: set[str],
    raising: Sequence[float], wanted: Sequence[str], words: frozenset[str],
) -> float:  # fmt: skip
    own = suspects[index]
    value = own.rank + LOST * (own.lost + own.missing) + STRAYS * own.strays
    if wanted:
        missed = sum(not agrees(a, w) for a, w in zip(own.shown, wanted, strict=True))
        value += EXAMPLES * missed / len(wanted)
    if own.answers:
        n = len(own.answers)
        alone = sum(a.startswith("raises") and raising[i] < 0.5 for i, a in enumerate(own.answers))
        strange = (
            sum(kind(a) not in types and not a.startswith("raises") for a in own.answers) if types else 0
        )
        value += CRASHES * alone / n + TYPES * strange / n
        value += AGREEMENT * (1.0 - _agreement(index, suspects, weights))
    value += SPECIAL * any(written.values() & words for written in own.written)
    value += FURTHER * max(0, len(own.written) - 1)
    return value + LENGTH * sum(written.length() for written in own.written) / 10


def _agreement(index: int, suspects: Sequence[Suspect], weights: Sequence[float]) -> float:
    """Return the weighted share of the others' answers that equal one's own; 1 where there is no other."""
    own = suspects[index].answers
    total = same = 0.0
    for i, (other, weight) in enumerate(zip(suspects, weights, strict=True)):
        if i != index:
            equal = sum(a == b for a, b in zip(own, other.answers, strict=True)) / len(own)
            total, same = total + weight, same + weight * equal
    return same / total if total else 1.0


def missing(effects: str, before: str) -> float:
    """Return by which share, in [0, 1], the method that lost most changes fewer attributes than before.

    Both are lists of `Class.method:attribute`, `before` the unchanged program's.
    """
    now = set(effects.split())
    methods: dict[str, list[bool]] = {}
    for effect in before.split():
        methods.setdefault(effect.partition(":")[0], []).append(effect not in now)
    return max((sum(gone) / len(gone) for gone in methods.values()), default=0.0)


def kind(answer: str) -> str:
    """Return the type that an answer begins with; `raises` for an error."""
    return answer.partition(" ")[0]


def literals(text: str) -> frozenset[str]:
    """Return the values in a text but for 0, ±1, 2, the truths, None, the empty text and a space."""
    tree = parsed(textwrap.dedent(text).strip())
    common = ("0", "1", "2", "True", "False", "None", "''", "' '")
    found = {repr(n.value) for n in ast.walk(tree) if isinstance(n, ast.Constant)}
    return frozenset(v for v in found if v not in common)
