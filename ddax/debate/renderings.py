"""Whether a statement says in other words what a quote says, as far as signs tell: numbers, names, turns.

A model named the quote, so that it is asked only whether something speaks against it: a number or a name
that the quote does not have, two of them that changed places, a unit in place of another, a denial. What
else the words mean is for an entailment model to say (`support.check: nli`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from ddax.reasoning.entailment.opposites import opposed
from ddax.reasoning.entailment.rules import BY_NAMING
from ddax.reasoning.entailment.words import Statement, forms, read
from ddax.text.chunks import OPENERS
from ddax.text.units import unit_of

Likeness = Callable[[str, Sequence[str]], NDArray[np.float32]]
"""Takes a text and others; returns the cosine with each: `[n]`."""
ALIKE = 0.45
"""Cosine from which two sentences may say the same."""
OTHER = 0.65
"""Cosine below which a word in the place of another is about something else."""
SHARED = 0.3
"""Share of the words of a statement that its quote has, from which no likeness is needed."""
ALIGNED = 0.6
"""Share of the words of a statement in the order of its quote, from which one stands in another's place."""
_YES_NO = re.compile(r"(?:no|yes|nein|ja)\s*[,:;.–—]\s*", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;!?]\s+")
_PASSIVE = frozenset({"by", "von", "durch", "par", "por"})
_LINKS = frozenset({"is", "are", "was", "were", "be", "s", "ist", "sind", "war", "est"})


def bare(line: str) -> str:
    """Return a statement without the yes or no before it."""
    said = _YES_NO.match(line)
    return line[said.end() :] if said and said.end() < len(line) else line


def _unlabelled(line: str, quote: str, context: str) -> str:
    """Return a statement without the label before it, where that says nothing that is not said anyway."""
    label, colon, rest = line.partition(":")
    said = set(read(f"so {label}").content)
    return rest if colon and forms(rest) and said <= read(f"{context} {quote}").all else line


def renders(quote: str, line: str, likeness: Likeness, *, context: str = "") -> bool:
    """Tell whether a statement is about what a quote says, and nothing speaks against it saying that.

    `context` is what both go without saying: the title of the document and the task.
    """
    line = _unlabelled(line, quote, context)
    one, other = read(f"so {quote}"), read(f"so {line}")
    if not (other.content or other.numbers):
        return False
    about = read(context)
    unsaid = [word for word in other.content if word not in one.all | about.all]
    if any(opposed(word, one.all) for word in unsaid):
        return False
    return not differs(quote, line, likeness, context=context) and _near(quote, line, one, other, likeness)


def differs(quote: str, line: str, likeness: Likeness, *, context: str = "") -> bool:
    """Tell whether a statement has other numbers, names or units than the quote, or denies it; by clauses."""
    clauses = _CLAUSE.split(quote)
    return any(
        _differs(quote, clauses, part, likeness, read(context)) for part in _CLAUSE.split(line) if forms(part)
    )


def _differs(quote: str, clauses: Sequence[str], line: str, likeness: Likeness, about: Statement) -> bool:
    one, other = read(f"so {quote}"), read(f"so {line}")
    strange = other.numbers - one.numbers - about.numbers - BY_NAMING
    denied = _nearest(clauses, other).negated != other.negated
    if strange or denied or _strangers(one, other, about, line) or _other_unit(quote, line):
        return True
    return _elsewhere(clauses, other) or _crossed(one, other) or _replaced(one, other, about, likeness)


def _strangers(one: Statement, other: Statement, about: Statement, line: str) -> bool:
    """Tell whether a statement has a name that its quote lacks.

    The first word has a capital in any case: it is a name where the quote has one that is not said again.
    """
    strange = other.names - one.all - about.all
    first = read(f"so {line.split()[0]}").names
    missing = one.names - other.all - about.all - OPENERS
    return bool(strange - first) or bool(strange and missing)


def _other_unit(quote: str, line: str) -> bool:
    """Tell whether a statement has a unit that the quote lacks, in the place of one of its kind."""
    there = {unit_of(word) for word in forms(quote)} - {("", 1.0)}
    said = {unit_of(word) for word in forms(line)} - {("", 1.0)}
    return any(
        kind == known and size != other for kind, size in said - there for known, other in there - said
    )


def _elsewhere(clauses: Sequence[str], other: Statement) -> bool:
    """Tell whether a statement has a name in the place of another, which the quote says of something else."""
    if len(clauses) < 2:
        return False
    words = set(other.content) - other.names
    best = _nearest(clauses, other)
    return bool(words & best.all and other.names - best.all and best.names - other.all)


def _nearest(clauses: Sequence[str], other: Statement) -> Statement:
    """Return the clause that has most words of a statement, names left out."""
    words = set(other.content) - other.names
    return max((read(f"so {clause}") for clause in clauses), key=lambda clause: len(words & clause.all))


def _crossed(one: Statement, other: Statement) -> bool:
    """Tell whether two names, or two numbers, have changed places without the turn of a passive."""
    names = [*_turns(one, other, (one.names & other.names) - _dated(one))]
    numbers = [
        pair for pair in _turns(one, other, one.numbers & other.numbers) if _same_kind(pair, one, other)
    ]
    shared = len((one.names & other.names) - _dated(one)) > 1, len(one.numbers & other.numbers) > 1
    if all(shared):
        return bool(names) != bool(numbers) and not _turned_voice(one, other)
    return bool(numbers) or bool(names and not _turned_voice(one, other))


def _turned_voice(one: Statement, other: Statement) -> bool:
    """Tell whether one is said in the passive and the other is not, or both say what something is."""
    linked = bool(_LINKS & one.all) and bool(_LINKS & other.all)
    return linked or bool(_PASSIVE & one.all) != bool(_PASSIVE & other.all)


def _turns(one: Statement, other: Statement, shared: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Return the pairs of shared words that stand in another order."""
    ordered = sorted(shared, key=one.order.index)
    for left, right in combinations(ordered, 2):
        if other.order.index(left) > other.order.index(right):
            yield left, right


def _dated(one: Statement) -> frozenset[str]:
    """Return the words beside a year: the months of dates are no names that change places."""
    years = {number for number in one.numbers if len(number) == len("2000")}
    return frozenset(word for pair in pairwise(one.order) if years & set(pair) for word in pair)


def _same_kind(pair: tuple[str, str], one: Statement, other: Statement) -> bool:
    """Tell whether two numbers count the same, or nothing: then their order tells which is which."""
    kinds = [[_counted(text, number) for number in pair] for text in (one, other)]
    return kinds[0][0] == kinds[0][1] or kinds[0] != kinds[1]


def _counted(text: Statement, number: str) -> str:
    place = text.order.index(number) + 1
    after = text.order[place] if place < len(text.order) else ""
    return after if after in text.content else ""


def _replaced(one: Statement, other: Statement, about: Statement, likeness: Likeness) -> bool:
    """Tell whether the two run alike but for a word that means something else than the one in its place."""
    steps = SequenceMatcher(None, one.order[1:], other.order[1:], autojunk=False).get_opcodes()
    same = sum(j2 - j1 for kind, _, _, j1, j2 in steps if kind == "equal")
    if same < ALIGNED * (len(other.order) - 1):
        return False
    was, now = (
        dict(zip(one.content, one.forms, strict=True)),
        dict(zip(other.content, other.forms, strict=True)),
    )
    for kind, i1, i2, j1, j2 in steps:
        after = other.order[1:][j1] if kind == "replace" and j2 - j1 == 1 else ""
        if after not in now or after in one.all | about.all:
            continue
        before = [was[word] for word in one.order[1:][i1:i2] if word in was and word not in other.all]
        if before and float(likeness(now[after], before).max()) < OTHER:
            return True
    return False


def _near(quote: str, line: str, one: Statement, other: Statement, likeness: Likeness) -> bool:
    """Tell whether the two are about the same: enough words in common, or alike as sentences."""
    said = [word for word in (*other.content, *other.numbers) if word in one.all | one.numbers]
    share = len(said) / max(1, len(other.content) + len(other.numbers))
    return bool(said) and (share >= SHARED or float(likeness(quote, [line])[0]) >= ALIKE)
