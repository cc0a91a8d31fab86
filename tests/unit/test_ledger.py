"""The decision ledger: a changed, removed or reordered row is found, wherever it stands."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.ideas.ledger import HASH, prove, seal


def ledger(n: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for step in range(1, n + 1):
        before = rows[-1][HASH] if rows else ""
        rows.append(seal({"step": step, "terms": [{"id": "0.1", "total": step / 7}], "before": before}))
    return rows


def kinds(rows: list[dict[str, Any]], head: str) -> set[str]:
    return {fault.kind for fault in prove(rows, head).faults}


@given(st.integers(1, 12))
def test_an_untouched_ledger_is_proven(n: int) -> None:
    rows = ledger(n)
    assert prove(rows, rows[-1][HASH]) == (n, (), 0)


def test_an_empty_thread_has_an_empty_ledger() -> None:
    assert prove([], "") == (0, (), 0)


@given(st.integers(2, 12), st.data())
def test_a_changed_row_is_found(n: int, data: Any) -> None:
    rows = ledger(n)
    k = data.draw(st.integers(0, n - 1))
    rows[k] = {**rows[k], "terms": [{"id": "0.2", "total": 9.0}]}
    proof = prove(rows, rows[-1][HASH])
    assert [(f.kind, f.step) for f in proof.faults] == [("changed", k + 1)]


@given(st.integers(2, 12), st.data())
def test_a_changed_row_that_was_sealed_again_is_found(n: int, data: Any) -> None:
    rows = ledger(n)
    head, k = rows[-1][HASH], data.draw(st.integers(0, n - 1))
    rows[k] = seal({**rows[k], "terms": []})
    assert kinds(rows, head) == {"removed"}
    assert prove(rows, head).beside >= 1


@given(st.integers(2, 12), st.data())
def test_a_removed_row_is_found(n: int, data: Any) -> None:
    rows = ledger(n)
    head, k = rows[-1][HASH], data.draw(st.integers(0, n - 1))
    del rows[k]
    (fault,) = prove(rows, head).faults
    assert fault.kind == "removed"
    assert fault.step == (k + 1 if k < n - 1 else 0)


@given(st.integers(2, 12), st.data())
def test_reordered_rows_are_found(n: int, data: Any) -> None:
    rows = ledger(n)
    i, j = data.draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True))
    rows[i], rows[j] = rows[j], rows[i]
    assert kinds(rows, max(rows, key=lambda r: r["step"])[HASH]) == {"reordered"}


def test_a_fork_lies_beside_the_chain_and_is_no_fault() -> None:
    rows = ledger(3)
    fork = seal({"step": 3, "terms": ["another"], "before": rows[1][HASH]})
    assert prove([*rows, fork], rows[-1][HASH]) == (3, (), 1)


def test_a_row_with_a_second_copy_of_itself_does_not_loop() -> None:
    row = seal({"step": 1, "before": ""})
    loop = {**row, "before": row[HASH]}
    assert "removed" in kinds([loop], row[HASH])


@pytest.mark.parametrize("value", [1, "x", None])
def test_the_hash_itself_is_not_hashed(value: Any) -> None:
    assert seal({"step": 1, HASH: value}) == seal({"step": 1})


def test_a_seal_goes_by_what_is_said_and_in_no_order_of_keys() -> None:
    entry = {"step": 1, "before": "", "terms": {"id": "0.1", "total": 0.5}}
    turned = {"terms": {"total": 0.5, "id": "0.1"}, "before": "", "step": 1}
    assert seal(entry)[HASH] == seal(turned)[HASH] == seal({**entry, HASH: "forged"})[HASH]
    assert seal(entry)[HASH] != seal({**entry, "before": "é"})[HASH]


def test_text_that_is_no_unicode_is_sealed_too() -> None:
    assert len(seal({"text": "half of a pair: \ud800"})[HASH]) == len(seal({"text": "whole"})[HASH])
