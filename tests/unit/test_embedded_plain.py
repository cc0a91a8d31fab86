"""Plain questions over plain documents: what is said in other words is found, what is not said is refused."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.protocol import MergeRequest
from ddax.types import Passage
from tests.unit.embedded_asking import asked

FILLER = (
    "Everyone who works at the two sites keeps to the rules of this book. It is read once a year by the head "
    "of each team, and questions about it go to the office of people on the second floor of the house.\n\n"
)
"""What opens a document, so that no sentence behind it stands in its opening."""
HANDBOOK = FILLER + (
    "Private software may not be installed on laptops, since it cannot be covered by our audit. New parents "
    "may take 16 weeks of paid parental leave. If you fall ill during your holiday, the days are given back "
    "to you. Stir the powder in ethanol for 90 minutes. Fucoxanthin is a brown "
    "pigment of algae. The extract is kept in amber bottles so that light does not "
    "break down the pigment.\n"
)
BIKE = "The Brisk 3 lasts 32 hours. You can return the Brisk 3 within 30 days. The bell costs 12 euros.\n"
TOWN = (
    "The station was designed by Edwin Har. The theatre of the town closed in 1978. The town hall was built "
    "in 1884 after plans of Clara Voss. The mayor is Edna Rourke.\n"
)
ARNE = (
    "Arne Lind was a painter. His mural hangs in the town hall of Bergen. He died in 1999 and won no prize.\n"
)
EDNA = "Edna Rourke was born in 1921. She likes tea.\n"
PRICES = (
    "| Article | Price EUR | Weight g | Supplier |\n|---|---|---|---|\n"
    "| Saddle bag S | 24.00 | 180 | Vestra |\n| Saddle bag L | 39.00 | 260 | Vestra |\n"
    "| Chain oil | 8.75 | 130 | Olmes |\n"
)
ROOMS = "| Room | Seats |\n|---|---|\n| Newton | 12 |\n| Hooke | 6 |\n| Lovelace | 20 |\n\nAll are heated.\n"


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Why may private software not be installed on laptops?", "since it cannot be covered"),
        ("Why is the extract kept in amber bottles?", "light does not break down"),
        ("How many weeks of parental leave do new parents get?", "16 weeks"),
        ("What happens if I fall ill during my holiday?", "the days are given back"),
        ("How long is the powder stirred in ethanol?", "for 90 minutes"),
        ("What is fucoxanthin?", "a brown pigment"),
    ],
)
async def test_a_sentence_that_answers_is_found_far_from_the_opening(
    reasoner: EmbeddedReasoner, task: str, said: str
) -> None:
    reply = await asked(reasoner, task, handbook=HANDBOOK)
    assert reply.found and said in reply.text, reply.text


async def test_what_is_denied_gives_no_reason_of_what_is_asked(reasoner: EmbeddedReasoner) -> None:
    text = FILLER + "Software is not installed on laptops, because it is slow.\n"
    reply = await asked(reasoner, "Why is software installed on laptops?", handbook=text)
    assert not reply.found


@pytest.mark.parametrize(
    "task",
    [
        "Who designed the theatre of the town Bergen?", "How much does the Brisk 3 cost?",
        "When was the town hall of Bergen built?", "When did Edna Rourke die?",
        "Which prize did Edna Rourke win?",
    ],
)  # fmt: skip
async def test_what_is_said_of_another_thing_alone_is_refused(reasoner: EmbeddedReasoner, task: str) -> None:
    reply = await asked(reasoner, task, bike=BIKE, town=TOWN, arne=ARNE, edna=EDNA)
    assert not reply.found, reply.text


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("How long does the Brisk 3 last?", "32 hours"),
        ("When did Arne Lind die?", "He died in 1999"),
        ("When was the mayor of the town born?", "1921"),
    ],
)
async def test_what_is_said_of_it_or_of_whom_it_leads_to_answers(
    reasoner: EmbeddedReasoner, task: str, said: str
) -> None:
    reply = await asked(reasoner, task, bike=BIKE, town=TOWN, arne=ARNE, edna=EDNA)
    assert reply.found and said in reply.text, reply.text


@pytest.mark.parametrize(
    ("task", "short", "row"),
    [
        ("How much does the Saddle bag L cost?", "39.00", "Saddle bag L"),
        ("How much is the Chain oil?", "8.75", "Chain oil"),
        ("What does the Saddle bag S weigh?", "180", "Saddle bag S"),
        ("How heavy is the Saddle bag S?", "180", "Saddle bag S"),
        ("Who supplies the Chain oil?", "Olmes", "Chain oil"),
        ("Which article has the lowest price?", "Chain oil", "Chain oil"),
        ("Which article has the most weight?", "Saddle bag L", "Saddle bag L"),
    ],
)
async def test_a_column_is_asked_for_in_other_words(
    reasoner: EmbeddedReasoner, task: str, short: str, row: str
) -> None:
    reply = await asked(reasoner, task, prices=PRICES)
    assert reply.short == short and reply.text.startswith(f"prices: {row}:"), reply.text


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("How deep is Lake Orrin?", "31"),
        ("What is the length of Lake Orrin?", "4.2"),
        ("What is the duration of Lake Orrin?", "50"),
        ("How long is Lake Orrin?", ""),
    ],
)
async def test_the_column_that_is_named_comes_before_one_that_says_the_same(
    reasoner: EmbeddedReasoner, task: str, short: str
) -> None:
    walks = (
        "| Walk | Length km | Duration min | Depth m |\n|---|---|---|---|\n"
        "| Lake Orrin | 4.2 | 50 | 31 |\n| Lake Tessel | 6.0 | 80 | 12 |\n"
    )
    reply = await asked(reasoner, task, walks=walks)
    assert reply.short == short, reply.text


@pytest.mark.parametrize(
    ("task", "short"),
    [("Which room has the most seats?", "Lovelace"), ("Which room has the fewest seats?", "Hooke")],
)
async def test_the_end_of_a_column_is_told(reasoner: EmbeddedReasoner, task: str, short: str) -> None:
    reply = await asked(reasoner, task, rooms=ROOMS)
    assert reply.short == short and reply.text.startswith(f"rooms: {short}: Seats")


@pytest.mark.parametrize("rows", ["| Zeiss | many |\n", "| Zeiss | 20 |\n"])
async def test_no_row_is_told_where_the_end_of_a_column_is_not_clear(
    reasoner: EmbeddedReasoner, rows: str
) -> None:
    text = ROOMS.replace("\n\nAll", f"\n{rows}\nAll")
    reply = await asked(reasoner, "Which room has the most seats?", rooms=text)
    assert not reply.found


async def test_no_end_is_told_of_a_table_that_may_go_on(reasoner: EmbeddedReasoner) -> None:
    rows = "".join(f"| Room {n} | {n} |\n" for n in range(2, 40))
    text = f"| Room | Seats |\n|---|---|\n{rows}"
    assert not (await asked(reasoner, "Which room has the most seats?", rooms=text)).found


FEBRUARY = (
    "Garden Society Green\nMinutes of 6 February 2024\n\n1. Summer party. The summer party takes place on 15 "
    "June 2024 in the orchard.\n\n2. Treasurer. Amira Haddad was elected treasurer.\n"
)
APRIL = (
    "Garden Society Green\nMinutes of 9 April 2024\n\n1. Summer party. The summer party is moved to 22 June "
    "2024, as the orchard is flooded.\n\n2. Roof. The roof of the shed was replaced.\n"
)


@pytest.mark.parametrize(
    "task", ["When is the summer party of the garden society?", "When is the summer party?"]
)
async def test_what_was_changed_is_told_with_what_it_changed(reasoner: EmbeddedReasoner, task: str) -> None:
    reply = await asked(reasoner, task, february=FEBRUARY, april=APRIL)
    assert reply.short == "" and "moved to 22 June 2024" in reply.text, (reply.short, reply.text)


async def test_a_month_may_stand_in_the_title(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "Who was elected treasurer in February?", minutes=FEBRUARY)
    assert reply.found and "Amira Haddad was elected treasurer" in reply.text


async def test_what_is_said_of_a_father_is_not_that_of_his_daughter(
    reasoner: EmbeddedReasoner,
) -> None:
    paul = "Paul Ferris (born 7 July 1930 in Leeds) is a British conductor.\n"
    paula = "Paula Ferris is an architect. She is the daughter of the conductor Paul Ferris.\n"
    reply = await asked(reasoner, "When was the daughter of Paul Ferris born?", paul=paul, paula=paula)
    assert reply.short == "", reply.text


async def test_a_change_of_another_thing_of_the_same_title_comes_not_first(
    reasoner: EmbeddedReasoner,
) -> None:
    text = (
        "The page size was raised to 16 KiB.\n\n| Version | Released |\n|---|---|\n"
        "| 5.4 | 17 October 2024 |\n| 5.3 | 2 April 2024 |\n"
    )
    passage = Passage("q", "q.md", "Quillstore 5.4 release notes", text, 0, len(text))
    task = "When was Quillstore 5.4 released?"
    reply = await reasoner.merge(MergeRequest(task, task, (), (passage,), final=True))
    assert reply.short == "17 October 2024", reply.short
    assert reply.text.startswith("Quillstore 5.4 release notes: 5.4: Released 17 October 2024."), reply.text


async def test_what_changed_another_thing_is_not_told(reasoner: EmbeddedReasoner) -> None:
    task = "When was the roof of the hall built?"
    text = "The roof of the hall was built in 1890.\n"
    reply = await asked(reasoner, task, hall=text, april=APRIL)
    assert reply.short == "1890" and "replaced" not in reply.text


async def test_lines_that_begin_a_document_are_its_title(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "Who was elected treasurer of the garden society?", february=FEBRUARY)
    assert reply.found and "Amira Haddad was elected treasurer" in reply.text
    assert "Minutes of 6 February" not in reply.text
