"""What can be seen in a pair of statements without a model of language: twelve signs, each in [0, 1].

`rest` is the share of the hypothesis's content that the premise says once the disputed words are left
out: a differing number contradicts only where everything else is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddax.reasoning.entailment.opposites import opposed
from ddax.reasoning.entailment.words import Statement, read

Likeness = Callable[[str, Sequence[str]], NDArray[np.float32]]
"""Takes a text and others; returns the cosine with each: `[n]`."""
NAMES = (
    "bias", "cover", "whole", "new", "negation", "opposite", "number", "name", "foreign", "cosine", "soft",
    "least", "exchanged",
)  # fmt: skip

ALIKE = 0.6
LONGEST = 6
LEAST_NEW = 1 / 3
"""Share of a hypothesis's words from which, where they are new, it is about something else."""


class Signs(NamedTuple):
    """The signs by name; `cosine`, `soft` and `least` are 0 without an embedder."""

    cover: float
    whole: float
    new: float
    negation: float
    opposite: float
    number: float
    name: float
    foreign: float
    cosine: float
    soft: float
    least: float
    exchanged: float

    def row(self) -> NDArray[np.float64]:
        """Return `[13]`: a constant and the signs, in the order of `NAMES`."""
        return np.array([1.0, *self])


def signs(premise: str, hypothesis: str, likeness: Likeness | None = None) -> Signs:
    """Measure the signs of a pair."""
    one, other = read(premise), read(hypothesis)
    unsaid = [word for word in other.content if word not in one.all]
    numbers = {n for n in other.numbers if n not in one.numbers}
    against = {word for word in _all(other) if word not in one.all and opposed(word, one.all)}
    strangers = {word for word in unsaid if word in other.names}
    cover = _share(other, unsaid, numbers)
    if likeness is not None and unsaid and one.content:
        _embed_together(likeness, premise, hypothesis, one, _forms(other, unsaid))
    soft, least = _soft(one, other, unsaid, likeness) if likeness is not None else (0.0, 0.0)
    share = len(unsaid) / max(1, len(other.content))
    return Signs(
        cover=cover,
        whole=float(not unsaid and not numbers),
        new=share,
        negation=float(one.negated != other.negated) * cover**2,
        opposite=bool(against) * _rest(other, unsaid, against),
        # Where both differ, the two are about different things.
        number=bool(numbers and one.numbers and not strangers) * _rest(other, unsaid, set()),
        name=bool(strangers and one.names - other.names and not numbers) * _rest(other, unsaid, strangers),
        foreign=float(bool(strangers) and not one.names - other.names),
        cosine=float(likeness(premise, [hypothesis])[0]) if likeness is not None else 0.0,
        soft=1.0 - share * (1.0 - soft) if likeness is not None else 0.0,
        least=least,
        exchanged=float(exchanged(one, other)),
    )


def _embed_together(
    likeness: Likeness, premise: str, hypothesis: str, one: Statement, unsaid: Sequence[str]
) -> None:
    """Have all texts of a pair embedded at once: one after the other takes thrice as long."""
    likeness(premise, [hypothesis, *one.forms, *unsaid])


def _forms(statement: Statement, stems: Sequence[str]) -> list[str]:
    """Return some content words of a statement as written."""
    forms = dict(zip(statement.content, statement.forms, strict=True))
    return [forms[stem] for stem in stems]


def exchanged(one: Statement, other: Statement) -> bool:
    """Tell whether the two run alike but for one name or number in the place of another.

    Where two are exchanged, or another name is new, the statements are about different things. At
    least `ALIKE` of the hypothesis must stand in the premise in the same order, and the exchanged parts
    be at most `LONGEST` words.
    """
    matcher = SequenceMatcher(None, one.order, other.order, autojunk=False)
    steps = matcher.get_opcodes()
    same = sum(j2 - j1 for kind, _, _, j1, j2 in steps if kind == "equal")
    if same < ALIKE * len(other.order):
        return False
    places = []
    for kind, i1, i2, j1, j2 in steps:
        if kind == "replace" and max(i2 - i1, j2 - j1) <= LONGEST:
            was, now = set(one.order[i1:i2]) - other.all, set(other.order[j1:j2]) - one.all
            if was & (one.names | one.numbers) and now & (other.names | other.numbers):
                places.append(now)
    return len(places) == 1 and other.names - one.all <= places[0]


def same_thing(premise: str, hypothesis: str) -> bool:
    """Tell whether a number or a name of a hypothesis can be against one of the premise.

    The premise says nearly all other words of the hypothesis, and what its new numbers count.
    """
    one, other = read(premise), read(hypothesis)
    new = [word for word in other.content if word not in one.all | other.names]
    counted = {
        after for number, after in pairwise(other.order) if number in other.numbers - one.numbers
    } & set(other.content)
    return len(new) < LEAST_NEW * len(other.content) and counted <= one.all


def _all(statement: Statement) -> set[str]:
    return set(statement.content) | set(statement.all)


def _share(other: Statement, unsaid: Sequence[str], numbers: set[str]) -> float:
    """Return the share of content words and numbers that the premise says."""
    size = len(other.content) + len(other.numbers)
    return 1.0 - (len(unsaid) + len(numbers)) / size if size else 0.0


def _rest(other: Statement, unsaid: Sequence[str], disputed: set[str]) -> float:
    """Return the squared share of the undisputed content that the premise says: only a high one counts."""
    left = [word for word in other.content if word not in disputed]
    said = [word for word in left if word not in unsaid]
    return (len(said) / len(left)) ** 2 if left else 0.5


def _soft(one: Statement, other: Statement, unsaid: Sequence[str], likeness: Likeness) -> tuple[float, float]:
    """Return mean and least likeness of the unsaid words to their nearest word of the premise."""
    if not unsaid:
        return 1.0, 1.0
    if not one.content:
        return 0.0, 0.0
    near = [float(max(0.0, likeness(form, one.forms).max())) for form in _forms(other, unsaid)]
    return sum(near) / len(near), min(near)
