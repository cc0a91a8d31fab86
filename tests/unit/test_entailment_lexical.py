"""The lexical support check hears agreement, negation and numbers, and never claims to be sure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.reasoning.entailment.lexical import lexical


@pytest.mark.parametrize(
    ("premise", "hypothesis", "relation"),
    [
        ("The harbour was built in 1712.", "The harbour was built in 1712", "entailment"),
        ("The harbour was built in 1712.", "The harbour was built in 1812", "contradiction"),
        ("The harbour was built by monks.", "The harbour was not built by monks", "contradiction"),
        ("The harbour was built in 1712.", "Cheese is sold on Tuesdays", "neutral"),
        ("anything", "", "neutral"),
    ],
)
def test_relations(premise: str, hypothesis: str, relation: str) -> None:
    assert lexical(premise, hypothesis).relation == relation


@given(st.text(max_size=80), st.text(max_size=80))
def test_it_is_never_sure(premise: str, hypothesis: str) -> None:
    assert 0.0 <= lexical(premise, hypothesis).confidence < 0.7
