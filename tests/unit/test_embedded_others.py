"""What is told of another one than the question names, in a document whose title names it, is no answer."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from tests.unit.embedded_asking import asked

PAGES = {
    "Vessa": (
        "Vessa is a port of 23,400 people. The town hall of Vessa was opened in 1934. The town "
        "hall of Torsby was built in 1902. The lighthouse of Vessa was built in 1857.\n\nTorsby "
        "lies 12 km inland and has 3,100 inhabitants. Its church has the tallest tower of the "
        "county, 64 m. King Erik opened the harbour in 1320. Harald Berg founded the museum in "
        "1903. Clara Moen painted here. She was born in Holm. The mill of Torsby burned down in 1951 and was "
        "not rebuilt.\n"
    ),
    "Anne Lindquist": (
        "Anne Lindquist is a singer. She was born in 1950 in Oslo. Karl Lindquist died in 1944. "
        "Bo Berg died in 2001. Lindquist won the Lund Prize in 1980.\n"
    ),
    "Tessel 5": (
        "Tessel 5 needs Node 20. Tessel 4 needed Node 16. It was released in 2021. The command is free.\n"
    ),
    "thread": (
        "From: Petra Nyman\nTo: all\n\nWe need 12 tables.\n\nFrom: Bo Berg\nTo: all\n\nGreta Lund will "
        "bake 30 cakes, and Omar brings the press. I bring two tables.\n"
    ),
    "The Iron Gate": (
        "The Iron Gate is a 1990 film. John Smith directed it in Spain. John Smith was born in "
        "Leeds. Columbia Pictures released the film in 1991.\n"
    ),
}


@pytest.mark.parametrize(
    ("title", "task"),
    [
        ("Vessa", "When was the town hall of Vessa built?"),
        ("Vessa", "When was the town hall of Holm built?"),
        ("Vessa", "How many inhabitants does Vessa have?"),
        ("Vessa", "How high is the church tower of Vessa?"),
        ("Vessa", "When did the mill of Vessa burn down?"),
        ("Anne Lindquist", "When did Anne Lindquist die?"),
        ("Tessel 5", "When was Tessel 5 released?"),
        ("thread", "How many cakes did Petra Nyman bake?"),
    ],
)
async def test_what_is_told_of_another_one_is_refused(
    reasoner: EmbeddedReasoner, title: str, task: str
) -> None:
    reply = await asked(reasoner, task, **{title: PAGES[title]})
    assert not reply.found, reply.text


@pytest.mark.parametrize(
    ("title", "task", "said"),
    [
        ("Vessa", "When was the town hall of Torsby built?", "1902"),
        ("Vessa", "How many inhabitants does Torsby have?", "3,100"),
        ("Vessa", "How high is the church tower of Torsby?", "64 m"),
        ("Vessa", "When was the harbour of Vessa opened?", "1320"),
        ("Vessa", "Who founded the museum of Vessa?", "Harald Berg"),
        ("Vessa", "When did the mill of Torsby burn down?", "1951"),
        ("Anne Lindquist", "When did Karl Lindquist die?", "1944"),
        ("Anne Lindquist", "When was Anne Lindquist born?", "She was born in 1950"),
        ("Anne Lindquist", "Which prize did Anne Lindquist win?", "Lindquist won the Lund Prize"),
        ("Tessel 5", "What does Tessel 5 need?", "Tessel 5 needs Node 20."),
        ("Tessel 5", "What does Tessel 4 need?", "Tessel 4 needed Node 16."),
        ("thread", "How many cakes will Greta Lund bake?", "30 cakes"),
        ("thread", "How many tables does Bo Berg bring?", "I bring two tables."),
        ("The Iron Gate", "Who directed The Iron Gate?", "John Smith directed it"),
        ("The Iron Gate", "When was The Iron Gate released?", "released the film in 1991"),
    ],
)
async def test_what_is_told_of_the_one_that_is_named_answers(
    reasoner: EmbeddedReasoner, title: str, task: str, said: str
) -> None:
    reply = await asked(reasoner, task, **{title: PAGES[title]})
    assert reply.found and said in reply.text, reply.text


@pytest.mark.parametrize(
    ("task", "text", "reason"),
    [
        ("When was Peter Keller born?", "Anna Keller was born in 1934.", "nothing read mentions Peter."),
        (
            "When was Peter Keller born?",
            "Anna Keller was born in 1934. Peter Brandt ran the foundry.",
            "what was read is about another one than Peter Keller.",
        ),
        (
            "Who designed the mill?",
            "The bridge was designed by Ole Holm. The mill stands by the lake.",
            "what was read is about another one than the question names.",
        ),
    ],
)
async def test_a_refusal_says_that_what_was_read_is_about_another_one(
    reasoner: EmbeddedReasoner, task: str, text: str, reason: str
) -> None:
    reply = await asked(reasoner, task, page=f"# The village\n\n{text}\n")
    assert not reply.found and reason in reply.text, reply.text


LAMPS = "The pier has 12 lamps and 3.9 metres of rope. Tidepool is a program.\n"


@pytest.mark.parametrize(
    ("text", "task", "missing"),
    [
        ("Tidepool runs on macOS 13 and macOS 14.\n", "Does Tidepool run on macOS 12?", "macOS 12"),
        ("Tidepool runs on macOS 13 and macOS 14.\n", "How is Tidepool set up on macOS 12?", "macOS 12"),
        ("Tidepool needs Python 3.8.\n", "Does Tidepool need Python 3.9?", "Python 3.9"),
        ("Tidepool runs on Python 3.10 to 3.12.\n", "Does Tidepool run on Python 3.9?", "Python 3.9"),
        ("Tidepool runs on Python 3.8 and 3.10.\n", "Does Tidepool run on Python 3.9?", "Python 3.9"),
    ],
)
async def test_the_number_of_another_thing_is_no_version(
    reasoner: EmbeddedReasoner, text: str, task: str, missing: str
) -> None:
    said = await asked(reasoner, task, Guide=text, Pier=LAMPS)
    assert not said.found and f"nothing read mentions {missing}" in said.text, said.text


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Tidepool runs on macOS 12 and macOS 14.\n", "Does Tidepool run on macOS 12?"),
        ("Tidepool runs on macOS 11, 12 and 13.\n", "Does Tidepool run on macOS 12?"),
        ("Tidepool runs on Python 3.8 to 3.11.\n", "Does Tidepool run on Python 3.9?"),
        ("Tidepool runs on Python 3.8 or newer.\n", "Does Tidepool run on Python 3.9?"),
        ("Tidepool runs on Python >= 3.8 and newer.\n", "Does Tidepool run on Python 3.10?"),
    ],
)
async def test_a_version_that_is_said_or_lies_in_a_range_is_told(
    reasoner: EmbeddedReasoner, text: str, task: str
) -> None:
    said = await asked(reasoner, task, Guide=text, Pier=LAMPS)
    assert said.found and text.strip() in said.text, said.text
