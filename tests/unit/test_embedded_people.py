"""Who did what: a sentence names the person asked for, in the passive, in the active or by a role."""

from __future__ import annotations

import pytest

from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.embedded.evidence import weigh
from ddax.reasoning.embedded.touched import touched
from ddax.text.question import analyse
from ddax.text.words import term_of
from ddax.types import Passage


def told(task: str, sentence: str) -> str:
    """Return the short answer that one sentence gives."""
    question = analyse(task)
    (item,) = weigh(question, [Passage("p", "p.md", "Page", sentence)], Vectors(HashEmbedder()))
    return touched(question, item)


@pytest.mark.parametrize(
    "forms",
    ["lead leads led leading leader leaders", "founded founder founders", "write wrote written writer author",
     "build built builder builders", "direct directs directed director", "make makes made maker",
     "win won winner", "teach taught teacher", "sing sang sung singer"],
)  # fmt: skip
def test_forms_of_a_verb_and_who_does_it_meet(forms: str) -> None:
    assert len({term_of(form) for form in forms.split()}) == 1


def test_a_part_of_another_word_is_no_verb() -> None:
    for one, other in (("corner", "corn"), ("Parker", "park"), ("Easter", "east"), ("former", "form")):
        assert term_of(one) != term_of(other)


@pytest.mark.parametrize("task", ["Who leads the harbour office?", "Who is the leader of the harbour office?",
                                  "Who is the harbour office led by?"])  # fmt: skip
@pytest.mark.parametrize("sentence", ["The harbour office is led by Anna Berg.",
                                      "Anna Berg leads the harbour office.",
                                      "The leader of the harbour office is Anna Berg."])  # fmt: skip
def test_the_forms_of_a_question_and_of_what_answers_it_meet(task: str, sentence: str) -> None:
    assert told(task, sentence) == "Anna Berg"


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Nordvik was founded by Ann Lee and Bo Roth in 1902.", "Ann Lee and Bo Roth"),
        ("Nordvik was founded by Ann Lee, Bo Roth and Carl Moss.", "Ann Lee, Bo Roth and Carl Moss"),
        ("In Oslo, Ann Lee and Bo Roth founded Nordvik in 1902.", "Ann Lee and Bo Roth"),
        ("In 1902 Ann Lee founded Nordvik.", "Ann Lee"),
        ("Nordvik was founded by Ann Lee in Oslo.", "Ann Lee"),
        ("Nordvik was founded by Ann Lee and her brother Bo Roth.", ""),
        ("Nordvik was founded by Ann Lee and Bo Roth built its factory.", ""),
        ("Nordvik was founded by Ann Lee in Oslo and Bo Roth in Bergen.", ""),
        ("Ann Lee founded Sudvik, which bought Nordvik in 1950.", ""),
        ("Ann Lee founded the rival of Nordvik.", ""),
        ("Nordvik founded Ann Lee School in 1950.", ""),
        ("He and Ann Lee founded Nordvik.", ""),
        ("The brother of Ann Lee founded Nordvik.", ""),
        ("It was Ann Lee who founded Nordvik.", "Ann Lee"),
        ("It was not Ann Lee who founded Nordvik.", ""),
        ("It wasn’t Ann Lee who founded Nordvik.", ""),
        ("Nordvik wasn't founded by Ann Lee.", ""),
        ("Nordvik was never really founded by Ann Lee.", ""),
        ("Nordvik was allegedly founded by Ann Lee.", ""),
        ("That Nordvik was founded by Ann Lee is a myth.", ""),
        ("Nordvik was founded by Ann Lee, not by Bo Roth.", "Ann Lee"),
        ("Nordvik was founded by Ann Lee, Bo Roth and\nCarl Moss.", "Ann Lee, Bo Roth and Carl Moss"),
        ("Nordvik was founded by Ann\nLee in 1902.", "Ann Lee"),
        ("Nordvik was founded by Ann Lee, Bo Roth, Carl Moss.", ""),
        ("Nordvik was founded by Ann Lee & Bo Roth.", ""),
    ],
)
def test_all_who_did_it_are_named_or_nobody(sentence: str, names: str) -> None:
    assert told("Who founded Nordvik?", sentence) == names


@pytest.mark.parametrize(
    ("task", "sentence", "name"),
    [
        ("Who was taught by Anna Berg?", "Anna Berg was taught by Carl Moss.", ""),
        ("Who did Anna Berg teach?", "Anna Berg was taught by Carl Moss.", ""),
        ("Who did Anna Berg teach?", "Anna Berg taught Tom Hay.", "Tom Hay"),
        ("Who succeeded Anna Berg?", "Anna Berg succeeded Tom Hay.", ""),
        ("Who succeeded Anna Berg?", "Anna Berg was succeeded by Tom Hay.", "Tom Hay"),
        ("Who married Anna Berg?", "Anna Berg married Tom Hay.", "Tom Hay"),
        ("Who leads Nordvik?", "Nordvik was led by Anna Berg until 1990.", ""),
        ("Who leads Nordvik?", "Anna Berg led Nordvik until 1990.", ""),
        ("Who led Nordvik?", "Nordvik was led by Anna Berg until 1990.", "Anna Berg"),
        ("Who leads Nordvik?", "Anna Berg no longer leads Nordvik.", ""),
        ("Who leads Nordvik?", "Nordvik is no longer led by Anna Berg.", ""),
        ("Who founded Nordvik?", "Nordvik was not founded by Ann Lee.", ""),
        ("Who plays Ann Lee in a film directed by who?", "Bo Roth plays Carl Moss.", ""),
        ("Who founded Nordvik with Bo Roth?", "Nordvik was founded by Ann Lee and Bo Roth.", ""),
    ],
)
def test_who_did_it_is_not_whom_it_was_done_to_nor_who_did_it_once(
    task: str, sentence: str, name: str
) -> None:
    assert told(task, sentence) == name


@pytest.mark.parametrize(
    ("task", "sentence", "name"),
    [
        ("Who sold the house?", "The house was sold to Ann Lee.", ""),
        ("Who sold the house?", "The house was sold in 1902 by Ann Lee.", "Ann Lee"),
        ("Who was the house sold to?", "The house was sold to Ann Lee.", "Ann Lee"),
        ("To whom was the house sold?", "The house was sold to Ann Lee.", "Ann Lee"),
        ("Who bought the house?", "She bought the house from Ann Lee.", ""),
        ("Who designed the bridge?", "The bridge was designed for Anna Berg.", ""),
        ("Who designed the bridge?", "The bridge was designed with Anna Berg.", ""),
        ("Who designed the bridge?", "The bridge was designed after Anna Berg died.", ""),
        ("Who designed the bridge?", "The bridge was designed before Anna Berg died.", ""),
        ("Who married Anna Berg?", "Anna Berg was married to Tom Hay.", "Tom Hay"),
    ],
)
def test_the_word_before_a_name_tells_what_it_did(task: str, sentence: str, name: str) -> None:
    assert told(task, sentence) == name


@pytest.mark.parametrize("task", ["Who leads Nordvik?", "Who is the leader of Nordvik?"])
@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("The former leader of Nordvik is Anna Berg.", ""),
        ("The first leader of Nordvik is Anna Berg.", ""),
        ("The leader of Nordvik was Anna Berg.", ""),
        ("Nordvik was for long led by Anna Berg.", ""),
        ("Nordvik had been led by Anna Berg.", ""),
        ("Nordvik has been led by Anna Berg since 1990.", "Anna Berg"),
        ("Nordvik, which was founded in 1902, is led by Anna Berg.", "Anna Berg"),
    ],
)
def test_who_did_it_once_does_not_do_it_now(task: str, sentence: str, name: str) -> None:
    assert told(task, sentence) == name


@pytest.mark.parametrize(
    ("task", "sentence", "name"),
    [
        ("Who led Nordvik?", "The leader of Nordvik was Anna Berg.", "Anna Berg"),
        ("Who was the first leader of Nordvik?", "The first leader of Nordvik was Anna Berg.", "Anna Berg"),
        ("Who is the founder of Nordvik?", "The founder of Nordvik was Ann Lee.", "Ann Lee"),
        ("When was Nordvik founded?", "Nordvik was not founded in 1902.", ""),
        ("Who founded Nordvik?", "Nordvik was planned in 1900 and founded by Ann Lee.", "Ann Lee"),
    ],
)
def test_what_was_is_told_where_it_is_asked_for(task: str, sentence: str, name: str) -> None:
    assert told(task, sentence) == name


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ("Who leads Nordvik?", "Is Nordvik led by Anna Berg?"),
        ("Who leads Nordvik?", "If the vote passes, Nordvik will be led by Anna Berg."),
        ("Who leads Nordvik?", "Nordvik will be led by Anna Berg next year."),
        ("Who leads Nordvik?", '"Nordvik is led by Anna Berg," claimed the leaflet.'),
        ("Who founded Nordvik?", "Some say Nordvik was founded by Ann Lee."),
        ("Who founded Nordvik?", "Nordvik is said to have been founded by Ann Lee."),
        ("Who founded Nordvik?", "Nordvik would have been founded by Ann Lee with more money."),
        ("When was the mill built?", "The mill was to be built in 1890."),
        ("When is the party?", "The party on 1 July 2025 is cancelled."),
        ("When was the mill built?", "The mill might have been built in 1890."),
        ("When was the mill built?", "The mill was planned and built after 1890."),
        ("How many passengers does the Ariel carry?", "The Ariel can carry more than 240 passengers."),
        ("How many passengers does the Ariel carry?", "The Ariel carries over 240 passengers."),
    ],
)
def test_what_is_asked_doubted_conditional_or_a_bound_is_no_short_answer(task: str, sentence: str) -> None:
    assert told(task, sentence) == ""


@pytest.mark.parametrize(
    ("said", "date"),
    [
        ("in 1890", "1890"),
        ("on 2025-07-01", "2025-07-01"),
        ("on 01.07.2025", "01.07.2025"),
        ("on 1/7/2025", "1/7/2025"),
        ("on 1 Jul 2025", "1 Jul 2025"),
        ("on 3 Sept. 2025", "3 Sept. 2025"),
        ("on the 1st of July 2025", "1st of July 2025"),
        ("on July 1st, 2025", "July 1st, 2025"),
        ("in May 1945", "May 1945"),
        ("between 1890 and 1900", ""),
        ("in 1890-1900", ""),
        ("on 1 July 2025 or 2 July 2025", ""),
    ],
)
def test_a_date_is_told_whole_in_any_form_or_not_at_all(said: str, date: str) -> None:
    assert told("When was the mill built?", f"The mill was built {said}.") == date


def test_the_end_of_a_range_is_no_count() -> None:
    assert told("How many passengers does the Ariel carry?", "The Ariel carries 60 to 80 passengers.") == ""


@pytest.mark.parametrize(
    ("task", "sentence", "date"),
    [
        ("When did Oda Lund die?", "Oda Lund (3 May 1901 – 4 June 1999) was an engineer.", "4 June 1999"),
        ("When did Lund die?", "Oda Lund (1901-1999) was an engineer.", "1999"),
        ("When did Oda Lund die?", "Oda Lund was the wife of Per Moss (3 May 1901 – 4 June 1999).", ""),
        ("When was Oda Lund born?", "Oda Lund painted Per Moss (1901–1999), her teacher.", ""),
    ],
)
def test_two_dates_tell_of_the_name_they_stand_behind(task: str, sentence: str, date: str) -> None:
    assert told(task, sentence) == date


@pytest.mark.parametrize(
    ("task", "sentence", "short"),
    [
        ("Who is the president of Orvik?", "The president of Orvik is Per Moss.", "Per Moss"),
        ("Who is the president of Orvik?", "The vice president of Orvik is Per Moss.", ""),
        ("Who is the vice president of Orvik?", "The vice president of Orvik is Per Moss.", "Per Moss"),
        ("Who is the president of Orvik?", "The wife of the president of Orvik is Oda Lund.", ""),
        ("When was Nordvik founded?", "Nordvik bought Sudvik, which was founded in 1902.", ""),
        ("When was Nordvik founded?", "It bought Nordvik, which was founded in 1902.", "1902"),
        ("When was Oda Lund born?", "Oda Lund, daughter of Per Moss, was born in 1902.", "1902"),
        ("Who founded Nordvik?", "Nordvik beat Sudvik, which was founded by Oda Lund.", ""),
        ("Who founded Nordvik?", "Nordvik, which was founded by Oda Lund, beat Sudvik.", "Oda Lund"),
    ],
)
def test_what_is_said_of_another_one_is_no_short_answer(task: str, sentence: str, short: str) -> None:
    assert told(task, sentence) == short


def test_a_bound_that_is_asked_for_is_a_short_answer() -> None:
    assert told("After which year was the mill built?", "The mill was built after 1890.") == "1890"
