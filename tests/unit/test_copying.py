"""Copies that share nothing with what they are of."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ddax.copying import copied

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda part: st.lists(part) | st.dictionaries(st.text(), part),
    max_leaves=20,
)


def shared(one: Any, other: Any) -> bool:
    """Tell whether two equal values have a list or dict in common."""
    if isinstance(one, dict):
        return one is other or any(shared(part, other[key]) for key, part in one.items())
    if isinstance(one, list):
        return one is other or any(shared(a, b) for a, b in zip(one, other, strict=True))
    return False


@given(st.dictionaries(st.text(), PLAIN))
def test_a_copy_is_equal_and_shares_nothing(value: dict[str, Any]) -> None:
    found = copied(value)
    assert found == value
    assert repr(found) == repr(value), "also in the types of its numbers"
    assert not shared(found, value)


def test_what_stands_twice_is_two() -> None:
    twice = ["a"]
    found = copied({"one": twice, "other": twice})
    found["one"].append("b")
    assert found == {"one": ["a", "b"], "other": ["a"]}


def test_what_is_not_plain_is_copied_all_the_same() -> None:
    value = {"price": Decimal("1.5"), "rows": [{"a": 1}]}
    found = copied(value)
    assert found == value
    assert not shared(found, value)
