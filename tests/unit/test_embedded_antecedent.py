"""The sentence that one with a pronoun goes on from: told before it, once, and only where it is needed."""

from __future__ import annotations

import pytest

from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.embedded.antecedent import antecedent, bound, leading, placed
from ddax.reasoning.embedded.evidence import Weighed, weigh
from ddax.reasoning.embedded.sentences import goes_back
from ddax.text.question import analyse
from ddax.types import Passage

TOWN = (
    "The town of Rusk lies on a hill. The stone bridge of the valley was finished in 1366. It has seven "
    "arches. Its builder was Gil Stane. The first woman mayor of Rusk was Edna Rourke. She was followed by "
    "Hugh Larkin.\n"
)
CLYNE = (
    "Paul Clyne was a judge of Albany. A graduate of Yale, he taught there for ten years. He was beaten by "
    "David Soares in 2004.\n"
)
DANCE = "The Chicken is a dance of the 1950s. The dance has slow steps. It was a rest from the Twist.\n"


def read(text: str, title: str) -> dict[str, Weighed]:
    """Weigh the sentences of one document, by the words with which they begin."""
    passage = Passage("p", "p.md", title, text, 0, len(text))
    items = weigh(analyse("What is it?"), [passage], Vectors(HashEmbedder()))
    return {" ".join(item.sentence.text.split()[:2]): item for item in items}


def told(text: str, title: str, *order: str) -> list[str]:
    """Return the beginnings of what is told of an order of sentences."""
    lines = read(text, title)
    kept = bound([lines[begins] for begins in order], list(lines.values()))
    return [begins for item in kept for begins, own in lines.items() if own is item]


@pytest.mark.parametrize(
    ("begins", "source"),
    [("It has", "The stone"), ("Its builder", "The stone"), ("She was", "The first"), ("The first", None)],
)
def test_the_antecedent_is_the_nearest_sentence_that_names(begins: str, source: str | None) -> None:
    lines = read(TOWN, "A history of Rusk")
    assert antecedent(lines[begins], placed(list(lines.values()))) is (lines[source] if source else None)


def test_all_that_leads_to_a_sentence_is_found() -> None:
    lines = read(CLYNE, "Paul Clyne")
    led = leading(lines["He was"].sentence, placed(list(lines.values())))
    assert led == [lines["Paul Clyne"], lines["A graduate"]]


def test_a_clause_before_a_pronoun_names_nobody_but_a_subordinate_one_may() -> None:
    assert goes_back(read(CLYNE, "Paul Clyne")["A graduate"].sentence)
    other = read("When Rolf Dahl retired, he sold the inn.\n", "Inn")
    assert not goes_back(other["When Rolf"].sentence)


def test_an_antecedent_put_in_front_is_not_told_again() -> None:
    assert told(TOWN, "A history of Rusk", "Its builder", "The stone", "It has") == [
        "The stone", "It has", "Its builder",
    ]  # fmt: skip


def test_who_she_is_is_not_told_by_a_title_that_is_about_a_place() -> None:
    assert told(TOWN, "A history of Rusk", "The town", "She was") == ["The town"]


@pytest.mark.parametrize(
    ("text", "title", "begins"), [(CLYNE, "Paul Clyne", "He was"), (DANCE, "Chicken (dance)", "It was")]
)
def test_what_the_title_is_about_needs_no_antecedent(text: str, title: str, begins: str) -> None:
    assert told(text, title, begins) == [begins]
