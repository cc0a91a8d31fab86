"""What could answer a question: each sentence, item and row that was read, and what tables say to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded import features
from ddax.reasoning.embedded.evidence import Weighed, nearest, readable, weigh_lines
from ddax.reasoning.embedded.follow import rarity
from ddax.reasoning.embedded.queries import Told, ask
from ddax.reasoning.embedded.sentences import Sentence, split
from ddax.reasoning.embedded.tables import tables
from ddax.text.question import Question, said_of
from ddax.types import Passage

NO_ANSWER = (":", "：", ",", "?", "？", "؟")
"""How lines end that only lead to others or ask."""
_UNSAID = re.compile(r"^\s*\[?\{|<(?:img|a|div|p)\b|!\[")
"""Objects, which are asked as records, and what is markup rather than words."""
MAX_ROWS = 6
"""Rows of a query that are quoted; of more the first ones."""


@dataclass(frozen=True)
class Candidate:
    """A possible answer: the lines that say it, its short form where a query made it, and its signs."""

    lines: tuple[Weighed, ...]
    signs: NDArray[np.float64] = field(repr=False, compare=False)
    short: str = ""
    op: str = ""
    lead: Weighed | None = None
    """The sentence of another document that leads to this one."""


def candidates(question: Question, passages: Sequence[Passage], vectors: Vectors) -> list[Candidate]:
    """Return what could answer a question, sentences in their order and then what tables say."""
    every = split(readable(passages))
    found = weigh_lines(question, nearest(question, every), vectors)
    signs, leads = features.rows(question, found)
    asked = _asked_of_tables(question, every, found, signs)
    cells = {_place(one.lines[0]): one.short for one in asked if one.op == "cell"}
    said = [
        Candidate((item,), row, cells.get(_place(item), ""), lead=None if k is None else found[k])
        for item, row, k in zip(found, signs, leads, strict=True)
        if not item.sentence.plain.endswith(NO_ANSWER) and not _UNSAID.search(item.sentence.text)
    ]
    return [*said, *asked]


def _place(item: Weighed) -> tuple[str, int]:
    """Return where a line stands: its source and its start."""
    return item.sentence.passage.source, item.sentence.start


def _asked_of_tables(
    question: Question, every: Sequence[Sentence], found: Sequence[Weighed], signs: NDArray[np.float64]
) -> list[Candidate]:
    """Return what tables say to a question, with the signs of the line that says most of it."""
    known = {_place(item): k for k, item in enumerate(found)}
    rest = [line for line in every if line.item and (line.passage.source, line.start) not in known]
    bare = [Weighed(line, 0.0, 0.0, 0.0, said_of(question, line.titled), ()) for line in rest]
    weights = rarity([*(tuple(item.terms) for item in found), question.terms])
    told = [one for table in tables([*found, *bare]) if (one := ask(question, table, weights))]
    return [_of_query(one, known, signs) for one in told]


def _of_query(told: Told, known: dict[tuple[str, int], int], signs: NDArray[np.float64]) -> Candidate:
    places = [known.get(_place(item)) for item in told.lines]
    own = [signs[k] for k in places if k is not None]
    cover = features.NAMES.index("cover")
    row = max(own, key=lambda one: one[cover]).copy() if own else np.zeros(len(features.NAMES))
    row[features.NAMES.index("query")] = 1.0
    row[features.NAMES.index("explained")] = told.explained
    row[features.NAMES.index("left_out")] = 0.0 if told.op == "cell" else 1 - told.explained
    row[features.NAMES.index("rows")] = min(8, told.rows) / 8
    row[features.NAMES.index(f"op_{told.op}")] = 1.0
    return Candidate(told.lines[:MAX_ROWS], row, told.short, told.op)
