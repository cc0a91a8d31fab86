"""German questions over German documents, by rules of their own; English ones stay English."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.text.german import form_of, is_german
from ddax.text.question import analyse
from tests.unit.embedded_asking import asked

TOWER = (
    "Der Wasserturm wurde 1894 von dem Baumeister Karl Wenzel errichtet. Er ist 41 Meter hoch. Die Leiterin "
    "des Museums ist Hanna Brück. Der Eintritt kostet 6 Euro.\n"
)
TOWN = (
    "Die Bücherei von Altenrode wurde 1951 gegründet. Ausweise werden nicht ersetzt. Die Brücke baute die "
    "Firma Nordbau im Jahr 1932.\n"
)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Wer errichtete den Wasserturm?", "von dem Baumeister Karl Wenzel errichtet"),
        ("Wer hat den Wasserturm errichtet?", "von dem Baumeister Karl Wenzel errichtet"),
        ("Wer leitet das Museum im Wasserturm?", "Hanna Brück"),
        ("Wer baute die Brücke?", "die Firma Nordbau"),
        ("Wann wurde die Bücherei gegründet?", "1951"),
        ("Wie hoch ist der Wasserturm?", "41 Meter"),
        ("Was kostet der Eintritt?", "6 Euro"),
    ],
)
async def test_a_german_question_is_answered(reasoner: EmbeddedReasoner, task: str, said: str) -> None:
    reply = await asked(reasoner, task, **{"Der Wasserturm": TOWER, "Altenrode": TOWN})
    assert reply.found and said in reply.text, reply.text
    assert reply.short == ""


@pytest.mark.parametrize(
    "task",
    [
        "Wer bezahlte die Brücke?", "Wer leitet die Bücherei?",
        "Wann brannte der Wasserturm ab?", "Wann wurde Hanna Brück geboren?", "Was kostet ein Ausweis?",
    ],
)  # fmt: skip
async def test_what_no_german_sentence_says_is_refused(reasoner: EmbeddedReasoner, task: str) -> None:
    reply = await asked(reasoner, task, **{"Der Wasserturm": TOWER, "Altenrode": TOWN})
    assert not reply.found, reply.text


@pytest.mark.parametrize(
    "task",
    [
        "Was the hat expensive?", "Was von Neumann born in Budapest?", "Was Des Moines founded in 1843?",
        "Who built Wer Castle?", "In which year did Die Hard come out?", "Wen was the bridge built?",
    ],
)  # fmt: skip
def test_an_english_question_is_not_german(task: str) -> None:
    assert not is_german(task) and not analyse(task).german


@pytest.mark.parametrize(
    ("task", "kind", "terms"),
    [
        ("Wer baute die Brücke?", "person", ("baut", "bruck")),
        ("In welchem Jahr wurde sie gebaut?", "date", ("gebaut",)),
        ("Wie hoch ist der Turm?", "number", ("turm",)),
    ],
)
def test_a_german_question_is_taken_apart(task: str, kind: str, terms: tuple[str, ...]) -> None:
    question = analyse(task)
    assert (question.kind, question.terms) == (kind, terms)


@pytest.mark.parametrize(
    ("one", "other"), [("errichtete", "errichtet"), ("baute", "gebaut"), ("leitet", "Leiterin")]
)
def test_forms_of_a_german_word_meet(one: str, other: str) -> None:
    assert form_of(one) == form_of(other)


WELL = "Die Burg steht auf einem Felsen. Der Burgbrunnen ist 64 Meter tief. Die Halle ist leer.\n"


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Wie tief ist der Burgbrunnen?", "64 Meter tief"),
        ("Wie hoch ist der Burgbrunnen?", ""),
    ],
)
async def test_a_thing_that_a_sentence_measures_is_enough(
    reasoner: EmbeddedReasoner, task: str, said: str
) -> None:
    reply = await asked(reasoner, task, Falkenrath=WELL)
    assert reply.found == bool(said) and said in reply.text, reply.text
