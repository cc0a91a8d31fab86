"""The retrieval score and the content ids: their bounds, their monotony, their order."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.configs.settings import Recall
from ddax.memory import scoring
from ddax.memory.protocol import MemoryHit, RecallQuery
from ddax.memory.records import clean, digest, matches, namespace_key, normalised, rows_of
from ddax.types import Record

unit = st.floats(0, 1)
rates = st.floats(0, 10)
times = st.floats(0, 4e9)


@given(times, times, rates)
def test_recency_lies_in_0_1_and_falls_with_age(created: float, now: float, rate: float) -> None:
    value = scoring.recency(created, now, rate)
    assert 0 <= value <= 1
    assert scoring.recency(created, now + 3600, rate) <= value
    assert scoring.recency(now + 5, now, rate) == 1


def test_recency_counts_in_hours() -> None:
    assert scoring.recency(0.0, 3600.0 * 24, 0.01) == pytest.approx(math.exp(-0.24))


@given(unit, rates)
def test_salience_is_one_without_surprise_and_grows(epsilon: float, weight: float) -> None:
    assert scoring.salience(0.0, weight) == 1
    assert 1 <= scoring.salience(epsilon, weight) <= 1 + weight


@given(st.integers(0, 40), st.integers(1, 30), st.integers(0, 2**32))
def test_hits_are_the_best_by_brute_force(n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n + 1, 8))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    surprises = rng.random(n).tolist()
    candidates = [
        scoring.Candidate(
            Record("observation", "x", id=f"{i:03d}", created=-3600.0 * i, epsilon=e), row, 0, 0.0
        )
        for i, (e, row) in enumerate(zip(surprises, vectors[1:], strict=True))
    ]
    query = RecallQuery("q", "", 1, 0.0, min_score=0.05)
    hits = scoring.best_hits(candidates, query, vectors[0], k=k, recall=Recall(), trust=lambda _: 0.5)
    brute = {
        c.record.id: round(float(c.vector.astype(float) @ vectors[0].astype(float)), 9)
        * math.exp(-Recall().lambda_r * i) * (1 + c.record.epsilon) * 0.5
        for i, c in enumerate(candidates)
    }  # fmt: skip
    wanted = sorted((i for i, score in brute.items() if score >= 0.05), key=lambda i: (-brute[i], i))[:k]
    assert [hit.record.id for hit in hits] == wanted
    shuffled = [candidates[int(i)] for i in rng.permutation(n)]
    assert scoring.best_hits(shuffled, query, vectors[0], k=k, recall=Recall(), trust=lambda _: 0.5) == hits


@pytest.mark.parametrize("found", [scoring.best_hits, scoring.nearest_hits])
def test_the_trust_in_a_writer_is_asked_for_once(found: Callable[..., list[MemoryHit]]) -> None:
    asked: list[str] = []

    def trust(writer: str) -> float:
        asked.append(writer)
        return 0.5 if writer == "ada" else 1.0

    writers, vector = ["ada", "bo", "ada", "bo"], np.array([1.0, 0.0], np.float32)
    rows = [Record("observation", "x", id=str(i), writer=writer) for i, writer in enumerate(writers)]
    candidates = [scoring.Candidate(row, vector, 0, 0.0) for row in rows]
    hits = found(candidates, RecallQuery("q", "", 1, 0.0), vector, k=4, recall=Recall(), trust=trust)
    assert {(hit.record.writer, hit.trust) for hit in hits} == {("ada", 0.5), ("bo", 1.0)} and len(hits) == 4
    assert sorted(asked) == ["ada", "bo"]


@given(st.lists(st.tuples(st.integers(0, 50), unit), max_size=20), st.integers(0, 300))
def test_the_budget_is_kept_and_used(sizes: list[tuple[int, float]], budget: int) -> None:
    hits = [
        MemoryHit(Record("observation", "x" * size, id=f"{i:02d}"), score, score, 1, 1, 1)
        for i, (size, score) in enumerate(sizes)
    ]
    kept = scoring.within_budget(hits, budget)
    used = sum(len(hit.record.text) for hit in kept)
    assert used <= budget
    assert [hit for hit in hits if hit in kept] == kept
    assert all(len(hit.record.text) > budget - used for hit in hits if hit not in kept)


@given(st.booleans(), st.one_of(st.none(), st.integers(0, 5)), st.integers(0, 5), times, times)
def test_visibility_is_the_stated_rule(
    mine: bool, seen_step: int | None, before: int, committed: float, now: float
) -> None:
    record = Record("observation", "x", task="t" if mine else "o")
    query = RecallQuery("q", "t", before, now)
    wanted = (seen_step is not None and seen_step < before) or (not mine and committed < now)
    assert (
        scoring.is_visible(scoring.Candidate(record, np.zeros(1, np.float32), seen_step, committed), query)
        is wanted
    )


def test_lessons_keep_the_minimum_of_similarity_not_of_score() -> None:
    rows = [("a", "surprising but far", 1.0), ("b", "near", 0.0), ("c", "near", 0.0)]
    found = scoring.best_lessons(rows, [0.2, 0.3, 0.4], k=5, minimum=0.25, lambda_epsilon=1.0)
    assert found == ["near"]


@given(st.text())
def test_namespaces_are_one_for_their_unicode_forms_and_safe(name: str) -> None:
    keys = {namespace_key(unicodedata.normalize(form, clean(name))) for form in ("NFC", "NFD")}
    assert len(keys) == 1
    assert set(keys.pop()) <= set("0123456789abcdef")


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_digests_differ_where_the_parts_differ(first: list[str], second: list[str]) -> None:
    assert (digest(*first) == digest(*second)) == (first == second)


@given(st.text())
def test_normalising_ignores_outer_space_and_cleaning_keeps_offsets(text: str) -> None:
    once = normalised(text)
    assert normalised(f"  {once}\t") == normalised(once)
    assert len(clean(text)) == len(text)


def test_an_id_depends_on_namespace_type_source_text_and_start_alone() -> None:
    base = Record("observation", "x", source="s", start=1)

    def of(record: Record, namespace: str = "n") -> str:
        return rows_of([record], namespace=namespace, now=1.0)[0].record.id

    same = Record(
        "observation", "x", source="s", start=1, title="t", task="t", step=4, epsilon=0.5, created=9.0
    )
    other = [
        Record("internal_thought", "x", source="s", start=1), Record("observation", "y", source="s", start=1),
        Record("observation", "x", source="z", start=1), Record("observation", "x", source="s", start=2),
    ]  # fmt: skip
    assert of(base) == of(same)
    assert len({of(base), of(base, "m"), *map(of, other)}) == 6


def test_true_is_not_one() -> None:
    assert matches({"a": True}, {"a": True}) and not matches({"a": True}, {"a": 1})
    assert not matches({}, {"a": None})
