"""Comparisons of two named things: nationalities, years, and values that can be compared."""

from __future__ import annotations

import pytest

from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.embedded.compare import compared
from ddax.reasoning.embedded.evidence import weigh
from ddax.reasoning.embedded.measures import asked_measures, measures
from ddax.reasoning.embedded.nations import nations, same_nation
from ddax.text.question import analyse
from ddax.types import Passage


def decided(task: str, **texts: str) -> str:
    """Return what is decided from a page on each thing."""
    pages = [Passage(name, f"{name}.md", name.replace("_", " "), text) for name, text in texts.items()]
    question = analyse(task)
    return compared(question, weigh(question, pages, Vectors(HashEmbedder())))[0]


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("(born March 3, 1950) is an American singer", "(born March 12, 1961) is a British actor", "no"),
        ("is an American singer from Michigan", "was an American poet", "yes"),
        ("is a singer from Michigan", "was a poet from Japan", ""),
        ("is a Scottish painter", "is an English actor", ""),
        ("is a painter with a French wife", "is a Spanish dancer", "no"),
    ],
)
def test_a_nationality_is_the_name_of_a_people(one: str, other: str, said: str) -> None:
    task = "Are Ann Lee and Bob Jordan of the same nationality?"
    assert decided(task, Ann_Lee=f"Ann Lee {one}.", Bob_Jordan=f"Bob Jordan {other}.") == said


def test_nations_are_told_by_their_names_and_their_people() -> None:
    text = "In March Ivan and Sebastian met Jonathan in Michigan, Iran and the U.S. with a South Korean."
    assert nations(text) == {"Iran", "United States", "South Korea"}
    assert same_nation("a British one", "an American one") is False
    assert same_nation("a British one", "an English one") is None
    assert same_nation("a British one", "one of no nation") is None
    assert nations("He won the US Open, the best of South America, in New Mexico and New England.") == set()
    assert nations("a Georgian singer from Northern Ireland") == {"Georgia", "United Kingdom"}
    assert nations("Atlanta in Georgia") == set()


@pytest.mark.parametrize(
    ("task", "one", "other", "said"),
    [
        ("Which river is longer, the Nile or the Amazon?", "It has 12 arms and is 6,650 km long.",
         "It has 1100 arms and is 6400 km long.", "Nile"),
        ("Which river is shorter, the Nile or the Amazon?", "It is 6,650 km long.",
         "It is 3,980 miles long.", "Amazon"),
        ("Which river is longer, the Nile or the Amazon?", "It has 12 arms.", "It has 1100 arms.", ""),
        ("Which river is longer, the Nile or the Amazon?", "It was known in 3000 BC.", "It is 6400 km.", ""),
        ("Which has more dams, the Nile or the Amazon?", "It is 6650 km long, with 9 dams.",
         "It is 6400 km long, with 3 large dams.", "Nile"),
        ("Which has the larger area, the Nile or the Amazon?", "It drains 3,400,000 square kilometres.",
         "It drains 7,000,000 km2.", "Amazon"),
        ("Which has the larger population, the Nile or the Amazon?", "It has a population of 300.",
         "It has a population of about 2,000.", "Amazon"),
        ("Which has more people, the Nile or the Amazon?", "It has 2.3 million people.",
         "It has 450,000 people.", "Nile"),
        ("Which has the larger population, the Nile or the Amazon?", "In 2010 the population was 900.",
         "In 2010 the population was 3,000.", "Amazon"),
        ("Which is higher, the Nile or the Amazon?", "It rises to 900 Metres.",
         "It lies 12 km north of Zell and 2 miles from the coast. It is 700 m high.", "Nile"),
    ],
)  # fmt: skip
def test_things_are_compared_by_what_is_asked_of_both(task: str, one: str, other: str, said: str) -> None:
    assert decided(task, Nile=f"The Nile is a river. {one}", Amazon=f"The Amazon is a river. {other}") == said


@pytest.mark.parametrize(
    ("task", "one", "other", "said"),
    [
        ("Are Ann Lee and Bo Roth both physicists?", "was a physicist.", "was a physicist.", "yes"),
        ("Are Ann Lee and Bo Roth both physicists?", "was never a physicist.", "was a physicist.", ""),
        ("Are Ann Lee and Bo Roth both physicists?", "was a physicist.", "was no physicist.", ""),
        ("Are Ann Lee and Bo Roth both physicists?", "wasn’t a physicist.", "was a physicist.", ""),
        ("Did Ann Lee and Bo Roth both sing?", "sang. She did not marry. She did sing.", "did sing.", "yes"),
        ("Who is taller, Ann Lee or Bo Roth?", "is 180 cm tall.", "is 170 cm tall.", "Ann Lee"),
        ("Who is taller, Ann Lee or Bo Roth?", "is not 190 cm tall, but 160.", "is 170 cm tall.", ""),
    ],
)
def test_what_is_denied_of_one_decides_nothing(task: str, one: str, other: str, said: str) -> None:
    assert decided(task, Ann_Lee=f"Ann Lee {one}", Bo_Roth=f"Bo Roth {other}") == said


def test_a_number_without_what_it_counts_is_no_measure_of_size() -> None:
    assert list(measures("In 1999 it rose 12.5 m, from 1,204 feet.")) == [
        ("length", 12.5), ("count:m", 12.5),
        ("length", pytest.approx(366.9792)), ("count:foot", 1204.0),
    ]  # fmt: skip
    assert asked_measures("Which is larger?") == ("area", "people")
