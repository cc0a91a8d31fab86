"""The retrieval score, its re-rank and its budget: pure, shared by the fake and the real memory.

score = similarity · exp(−λ_r·age in hours) · (1 + λ_ε·ε) · trust (dda-x 2.1; the age in hours and
the trust are ours). Nearest-neighbour candidates are cut to the same width by exact similarity, so
that rows which are not visible cannot change what is recalled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ddax.configs.settings import Recall
from ddax.copying import copied
from ddax.memory.protocol import Found, MemoryHit, RecallQuery, Relation
from ddax.types import JsonDict, Record

Trust = Callable[[str], float]
"""Return the trust in a writer, 0 or more; 1 changes nothing."""

Floats = NDArray[np.float32]
_DECIMALS = 9
_SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True)
class Candidate:
    """A stored row with its vector; `seen_step` is the first step of the asking task that put it.

    `committed` is when it was stored, `superseded` the relations in which it is the older row.
    """

    record: Record
    vector: Floats
    seen_step: int | None
    committed: float
    superseded: tuple[Relation, ...] = ()


def full_trust(writer: str) -> float:
    """Trust every writer alike: 1."""
    return 1.0


def width(k: int) -> int:
    """Return how many nearest neighbours are re-ranked for k hits.

    >>> width(8)
    80
    """
    return max(50, 10 * k)


def similarities(vectors: Floats, query: Floats) -> NDArray[np.float64]:
    """Return cosines of unit rows `[n, d]` to a unit query `[d]`, rounded so that ties are stable."""
    cosines = vectors.astype(np.float64) @ query.astype(np.float64)
    return np.clip(np.round(cosines, _DECIMALS), -1.0, 1.0)


def recency(created: float, now: float, lambda_r: float) -> float:
    """Return exp(−λ_r·age) in (0, 1], the age in hours and never below 0.

    An hour old row at a rate of one an hour:

    >>> round(recency(0.0, 3600.0, 1.0), 3)
    0.368
    """
    return math.exp(-lambda_r * max(0.0, now - created) / _SECONDS_PER_HOUR)


def salience(epsilon: float, lambda_epsilon: float) -> float:
    """Return 1 + λ_ε·ε.

    >>> salience(0.5, 2.0)
    2.0
    """
    return 1.0 + lambda_epsilon * epsilon


def is_visible(candidate: Candidate, query: RecallQuery) -> bool:
    """Tell whether a row was there for this task before the step, or for others before it opened."""
    if _outdated(candidate, query):
        return False
    if candidate.seen_step is not None and candidate.seen_step < query.before_step:
        return True
    return not is_own(candidate.record.task, query) and candidate.committed < query.now


def _outdated(candidate: Candidate, query: RecallQuery) -> bool:
    """Tell whether a row did not hold yet, or no more, at the time asked about."""
    as_of = math.inf if query.as_of is None else query.as_of
    if query.as_of is not None and (candidate.record.valid_from or candidate.record.created) > as_of:
        return True
    return any(relation.at <= as_of and is_met(relation, query) for relation in candidate.superseded)


def is_own(task: str, query: RecallQuery) -> bool:
    """Tell whether something comes from the task that asks; what no task wrote is nobody's own."""
    return bool(task) and task == query.task


def is_met(relation: Relation, query: RecallQuery) -> bool:
    """Tell whether a query may know of a relation: met in an earlier step, or by others before its task."""
    if is_own(relation.task, query):
        return relation.step < query.before_step
    return relation.committed < query.now


def best_hits(
    candidates: Iterable[Candidate],
    query: RecallQuery,
    vector: Floats,
    *,
    k: int,
    recall: Recall,
    trust: Trust,
) -> list[MemoryHit]:
    """Return the k best visible rows by score at `min_score` or above, best first, ties by id."""
    visible = [candidate for candidate in candidates if is_visible(candidate, query)]
    if not visible or k <= 0:
        return []
    cosines = similarities(np.stack([candidate.vector for candidate in visible]), vector)
    pairs = sorted(
        zip(cosines.tolist(), visible, strict=True), key=lambda pair: (-pair[0], pair[1].record.id)
    )
    hits = _hits(pairs[: width(k)], query, recall, trust)
    best = sorted((hit for hit in hits if hit.score >= query.min_score), key=_best_first)[:k]
    return [_given(hit) for hit in best]


def within_budget(hits: Sequence[MemoryHit], budget: int) -> list[MemoryHit]:
    """Keep the best hits whose texts fit the budget of characters together; the order stays."""
    left, kept = budget, set[str]()
    for hit in sorted(hits, key=_best_first):
        size = len(hit.record.text)
        if size <= left:
            left -= size
            kept.add(hit.record.id)
    return [hit for hit in hits if hit.record.id in kept]


def nearest_hits(
    candidates: Sequence[Candidate],
    query: RecallQuery,
    vector: Floats,
    *,
    k: int,
    recall: Recall,
    trust: Trust,
) -> list[MemoryHit]:
    """Return the k visible rows most similar to a vector, best first, ties by id."""
    visible = {c.record.id: c for c in candidates if is_visible(c, query)}
    if not visible or not vector.any():
        return []
    rows = list(visible.values())
    cosines = similarities(np.stack([c.vector for c in rows]), vector).tolist()
    nearest = sorted(zip(cosines, rows, strict=True), key=lambda pair: (-pair[0], pair[1].record.id))
    return [_given(hit) for hit in _hits(nearest[: max(0, k)], query, recall, trust)]


def best_found(
    rows: Sequence[tuple[str, JsonDict]], cosines: Sequence[float], *, k: int, minimum: float
) -> list[Found]:
    """Return copies of the k rows of (key, row) of the highest cosine at `minimum` or above, ties by key."""
    pairs = sorted(zip(cosines, rows, strict=True), key=lambda pair: (-pair[0], pair[1][0]))
    best = [(row, cosine) for cosine, (_, row) in pairs if cosine >= minimum][: max(0, k)]
    return [Found(copied(row), cosine) for row, cosine in best]


def best_lessons(
    rows: Sequence[tuple[str, str, float]],
    cosines: Sequence[float],
    *,
    k: int,
    minimum: float,
    lambda_epsilon: float,
) -> list[str]:
    """Return the k best texts of (key, text, ε) by cosine · (1 + λ_ε·ε), the cosine at `minimum` or above."""
    scored = [
        (-cosine * salience(epsilon, lambda_epsilon), key, text)
        for (key, text, epsilon), cosine in zip(rows, cosines, strict=True)
        if cosine >= minimum
    ]
    seen: dict[str, None] = dict.fromkeys(text for _, _, text in sorted(scored))
    return list(seen)[: max(0, k)]


def _hits(
    nearest: Sequence[tuple[float, Candidate]], query: RecallQuery, recall: Recall, trust: Trust
) -> list[MemoryHit]:
    """Score rows with their cosines; the trust in a writer, a file, is asked for once."""
    once = cache(trust)
    return [_hit(candidate.record, cosine, query, recall, once) for cosine, candidate in nearest]


def _hit(record: Record, cosine: float, query: RecallQuery, recall: Recall, trust: Trust) -> MemoryHit:
    fresh = recency(record.created, query.now, recall.lambda_r)
    surprise = salience(record.epsilon, recall.lambda_epsilon)
    trusted = trust(record.writer) if query.trust is None else query.trust.get(record.writer, 1.0)
    return MemoryHit(record, cosine * fresh * surprise * trusted, cosine, fresh, surprise, trusted)


def _given(hit: MemoryHit) -> MemoryHit:
    """Return a hit whose row nobody else has: the memory keeps its own."""
    return replace(hit, record=replace(hit.record, meta=copied(hit.record.meta)))


def _best_first(hit: MemoryHit) -> tuple[float, str]:
    return -hit.score, hit.record.id
