"""The support check by rules hears agreement, negation, opposites, numbers, names; it is never sure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.configs.settings import Support
from ddax.errors import SettingsError
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.entailment import model, open_check
from ddax.reasoning.entailment.opposites import opposed
from ddax.reasoning.entailment.passages import PassageCheck
from ddax.reasoning.entailment.rules import UNSURE, VERBATIM, lexical, quoted
from ddax.reasoning.entailment.signs import signs
from ddax.reasoning.entailment.words import forms, root_of
from ddax.types import Entailment, EntailmentCheck
from tests.cases import cases

HARBOUR = "The harbour was built by monks in 1712."


@pytest.mark.parametrize(
    ("premise", "hypothesis", "relation"),
    [
        (HARBOUR, "The harbour was built in 1712", "entailment"),
        (HARBOUR, "The harbour was built in 1812", "contradiction"),
        (HARBOUR, "The harbour was not built by monks", "contradiction"),
        (HARBOUR, "Cheese is sold on Tuesdays", "neutral"),
        (HARBOUR, "The harbour has two cranes", "neutral"),
        ("Two tests failed.", "All tests passed.", "contradiction"),
        ("The film was shot by Ana Lobo.", "The film was shot by Peter Sand.", "contradiction"),
        ("The film was shot by Ana Lobo.", "The film won a prize.", "neutral"),
        ("The gate doesn't open on Sunday.", "The gate opens on Sunday.", "contradiction"),
        ("The lift is unsafe for children.", "The lift is safe for children.", "contradiction"),
        (HARBOUR, "The harbour of Belmark was built in 1752", "neutral"),
        ("The harbour of Trondby was built in 1712.", "The harbour of Belmark was built in 1752.", "neutral"),
        (
            "The harbour of Trondby was built in 1712.",
            "The harbour of Trondby was built in 1752.",
            "contradiction",
        ),
        ("The pier has 12 lamps.", "The pier has 40 berths.", "neutral"),
        ("The Badger robot: Payload 20 kilograms.", "The Badger weighs 61 kilograms.", "neutral"),
        ("The Badger carries 20 kilograms.", "The Badger weighs 61 kilograms.", "neutral"),
        ("The Badger weighs 20 kilograms.", "The Badger weighs 61 kilograms.", "contradiction"),
        ("anything", "", "neutral"),
        (HARBOUR, "So it is.", "neutral"),
        ("", "anything", "neutral"),
    ],
)
def test_relations(premise: str, hypothesis: str, relation: str) -> None:
    assert lexical(premise, hypothesis).relation == relation


@cases("front", "relation")
def test_what_is_denied_or_doubted_is_not_entailed_by_its_words(front: str, relation: str) -> None:
    assert lexical(f"{front}the mill is old.", "The mill is old.").relation == relation


@given(st.text(max_size=80), st.text(max_size=80))
def test_only_a_quote_makes_it_sure(premise: str, hypothesis: str) -> None:
    found = lexical(premise, hypothesis)
    assert 0.0 <= found.confidence <= (VERBATIM if quoted(premise, hypothesis) else UNSURE)


@given(st.text(alphabet="abcd \n.", max_size=60))
def test_a_text_is_a_quote_of_itself_or_says_nothing(text: str) -> None:
    assert lexical(text, text).confidence == (VERBATIM if forms(text) else 0.0)


def test_words_meet_by_their_stems_and_irregular_forms() -> None:
    assert root_of("closes") == root_of("closed") == root_of("closing")
    assert root_of("rose") == root_of("rises") and root_of("stopped") == root_of("stops")


def test_opposites_go_both_ways_and_by_prefix() -> None:
    assert opposed(root_of("passed"), {root_of("fails")}) and opposed(root_of("fails"), {root_of("passed")})
    assert opposed(root_of("disabled"), {root_of("enabled")}) and opposed(root_of("off"), {"on"})
    assert not opposed("harbour", {"monk"})


def test_a_number_contradicts_only_where_the_rest_is_the_same() -> None:
    assert signs(HARBOUR, "The harbour was built in 1812").number > 0.9
    assert signs(HARBOUR, "Forty cranes stand in the valley of Belmark since 1812").number < 0.1


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("The firm was founded in 1902.", "The firm started in 1950."),
        ("Bo Roth founded the firm.", "The firm was founded in 1902."),
        ("The old pier of the harbour has 12 lamps.", "The old pier of the harbour has 40 berths."),
        ("The old stone pier near the harbour gate has 12 lamps.",
         "The old stone pier near the harbour gate has 40 berths."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("check", [lexical, open_check(HashEmbedder())], ids=["rules", "embeddings"])
def test_a_number_that_is_not_said_is_never_entailed(
    check: EntailmentCheck, premise: str, hypothesis: str
) -> None:
    assert check(premise, hypothesis).relation == "neutral"


def test_a_long_premise_is_checked_by_its_nearest_sentences() -> None:
    page = " ".join(f"Hall {n} is used for markets and for dancing in winter." for n in range(9))
    check = open_check(HashEmbedder())
    held = check(f"{page} {HARBOUR} {page}", "The harbour was built in 1712.")
    against = check(f"{page} {HARBOUR} {page}", "The harbour was built in 1812.")
    assert (held.relation, against.relation) == ("entailment", "contradiction")


def test_each_pair_is_checked_once() -> None:
    asked: list[tuple[str, str]] = []

    def inner(premise: str, hypothesis: str) -> Entailment:
        asked.append((premise, hypothesis))
        return Entailment("neutral", 0.5)

    check = PassageCheck(inner, kept=2)
    for hypothesis in ("a", "a", "b", "c", "a"):
        check("p", hypothesis)
    assert asked == [("p", "a"), ("p", "b"), ("p", "c"), ("p", "a")]


def test_the_model_is_refused_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "PACKAGE", "no-such-distribution")
    with pytest.raises(SettingsError, match="ddax\\[nli\\]"):
        open_check(settings=Support(check="nli"))


@cases("premise", "hypothesis")
def test_what_only_asks_for_it_or_tells_how_does_not_say_that_it_was_done(premise, hypothesis):
    assert lexical(premise, hypothesis).relation != "entailment"


@cases("premise", "hypothesis")
def test_what_says_that_it_is_so_still_carries_it(premise, hypothesis):
    assert lexical(premise, hypothesis).relation == "entailment"
