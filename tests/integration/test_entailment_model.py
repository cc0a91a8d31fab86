"""The entailment model of the extra `nli`, where it is installed, and the rules with the real embedder."""

from __future__ import annotations

import pytest

from ddax.configs.settings import Support
from ddax.memory.embeddings import open_embedder
from ddax.reasoning.entailment import open_check
from ddax.reasoning.entailment.model import ModelCheck, installed

needs_model = pytest.mark.skipif(not installed(), reason="the extra nli is not installed")
PAIRS = [
    ("The engine was built in Graz by two brothers.", "Two brothers built the engine.", "entailment"),
    ("The engine was built in Graz by two brothers.", "The engine was built in Linz.", "contradiction"),
    ("The engine was built in Graz by two brothers.", "The engine burns wood.", "neutral"),
    ("The upload was refused by the server.", "The upload succeeded.", "contradiction"),
]


@needs_model
@pytest.mark.parametrize(("premise", "hypothesis", "relation"), PAIRS)
def test_the_model_names_the_relation(premise: str, hypothesis: str, relation: str) -> None:
    found = open_check(settings=Support(check="nli"))(premise, hypothesis)
    assert found.relation == relation and found.confidence > 0.5


@needs_model
def test_the_same_pair_gets_the_same_margin_and_hard_texts_an_answer() -> None:
    one, other = ModelCheck(), ModelCheck()
    assert one.margin(*PAIRS[0][:2]) == other.margin(*PAIRS[0][:2])
    assert one("a" * 20_000, "\ud800 b").relation in ("entailment", "neutral", "contradiction")
    assert one("", "b").confidence == 0.0


def test_rules_with_the_embedder_hear_another_word_for_the_same() -> None:
    check = open_check(open_embedder())
    said, other = "The physician examined the sick boy.", "The doctor examined the ill boy."
    assert check(said, other).relation == "entailment"
    assert check(said, "The bakery sells bread on Tuesdays.").relation == "neutral"
