"""What a question asks, the words of a text, and which title a page links to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.embedded.follow import Weights, candidates, rank
from ddax.reasoning.embedded.sentences import split
from ddax.reasoning.embedded.spans import candidates as spans
from ddax.text.question import analyse, unmet
from ddax.text.words import MAX_QUESTION, bare_title, clip_task, contains_phrase, terms, words
from ddax.types import Passage


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("Who directed The Tall Ship?", "person"),
        ("In what year was the bridge built?", "date"),
        ("Where is the company based?", "place"),
        ("How many schools does it have?", "number"),
        ("Is Ellen Marsh older than Owen Pryce?", "yes_no"),
        ('Which came first, "The Tall Ship" or "Night Market"?', "choice"),
        ("Which band covered the song?", "thing"),
        ("Summarise the report.", "open"),
    ],
)
def test_the_kind_of_answer(task: str, kind: str) -> None:
    assert analyse(task).kind == kind


@pytest.mark.parametrize(
    ("task", "kind", "names"),
    [
        ("May the Badger be used outdoors?", "yes_no", ("Badger",)),
        ("Must visitors of Rome pay?", "yes_no", ("Rome",)),
        ("May I enter Rome?", "yes_no", ("Rome",)),
        ("Should Ann Lee pay?", "yes_no", ("Ann Lee",)),
        ("May 1968 events in France", "open", ("May 1968", "France")),
        ("Must-see sights in Rome", "open", ("Must-see", "Rome")),
        ("May West was born when?", "date", ("May West",)),
        ("Shall We Dance release date", "open", ("Shall We Dance",)),
    ],
)
def test_a_name_may_begin_with_a_word_of_leave(task: str, kind: str, names: tuple[str, ...]) -> None:
    assert (analyse(task).kind, analyse(task).names) == (kind, names)


@pytest.mark.parametrize("asked", ["How often", "How frequently", "How soon"])
def test_the_measure_that_is_asked_for_is_no_word_the_sources_must_say(asked: str) -> None:
    assert analyse(f"{asked} are the filters changed?").terms == ("filter", "chang")


def test_names_quotes_and_options() -> None:
    question = analyse('Which film is older, "Night Market" or "The Tall Ship"?')
    assert question.options == ("Night Market", "The Tall Ship")
    assert analyse("Are Ellen Marsh and Owen Pryce of the same nationality?").names == (
        "Ellen Marsh",
        "Owen Pryce",
    )
    assert analyse("What did the University of Leeds buy?").names == ("University of Leeds",)
    assert analyse("Which band covered the song?").head == "band"


@pytest.mark.parametrize(
    ("task", "names"),
    [
        ("Wie hoch ist die Mauer?", ("Mauer",)),
        ("Welche Stadt liegt am Rhein?", ("Stadt", "Rhein")),
        ("Seit wann gibt es den Verein?", ("Verein",)),
        ("Das ist alt. Wann wurde es gebaut?", ("Das",)),
        ("Comment fonctionne le filtre?", ()),
        ("Où est né Jean Moreau ?", ("Jean Moreau",)),
        ("Qu'est-ce que le filtre?", ()),
        ("Est-ce que le pont est ouvert ?", ()),
        ("Depuis quand Jean Moreau est-il maire ?", ("Jean Moreau",)),
        ("¿Cuál es la altura de la torre?", ()),
        ("¿En qué año nació Elena Prado?", ("Elena Prado",)),
        ("Cuantos puentes hay en Sevilla?", ("Sevilla",)),
    ],
)
def test_the_words_other_languages_ask_with_are_no_names(task: str, names: tuple[str, ...]) -> None:
    assert analyse(task).names == names


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("Wen Jiabao was premier until when?", "Wen Jiabao"),
        ("Wem is in which county?", "Wem"),
        ("Qui Nguyen wrote which play?", "Qui Nguyen"),
        ("Who directed Wie Berlin?", "Wie Berlin"),
        ("Die Hard", "Die Hard"),
        ("Wen Jiabao", "Wen Jiabao"),
        ("MIT?", "MIT"),
    ],
)
def test_a_name_of_an_english_question_keeps_its_first_word(task: str, name: str) -> None:
    assert analyse(task).names == (name,)


def test_words_fold_accents_and_pair_unspaced_scripts() -> None:
    assert words("Śivarāma X&amp;Y") == ["sivarama", "x", "y"]
    assert words("故宫位于") == ["故宫", "宫位", "位于"]
    assert terms("the cities and a city") == [terms("city")[0]] * 2
    assert bare_title("Revenge (song)") == "Revenge"
    assert contains_phrase(["a", "b", "c"], ["b", "c"])
    assert not contains_phrase(["a"], [])


@given(st.text(max_size=400))
def test_any_text_is_taken_apart(text: str) -> None:
    question = analyse(text)
    assert len(question.names) <= 12
    assert set(question.terms) <= set(terms(clip_task(text)))


def test_a_long_task_keeps_its_head_and_tail() -> None:
    cut = clip_task("start " + "x" * 100_000 + " end?")
    assert len(cut) <= MAX_QUESTION + 3
    assert cut.startswith("start")
    assert cut.endswith("end?")


@given(st.text(max_size=600), st.integers(0, 10_000))
def test_sentences_are_verbatim_at_their_offsets(text: str, start: int) -> None:
    passage = Passage("p", "s", "T", text, start, start + len(text))
    for line in split([passage]):
        assert text[line.start - start : line.end - start] == line.text
        assert line.citation().quote == line.text


def test_spans_leave_out_what_the_question_names() -> None:
    found = spans(
        analyse("Who directed The Tall Ship?"), "The Tall Ship was directed by Ellen Marsh.", "The Tall Ship"
    )
    assert [span.text for span in found] == ["Ellen Marsh"]
    dated = spans(analyse("In what year was it founded?"), "Founded on 3 May 1941 in Leeds.", "")
    assert [span.text for span in dated] == ["1941"]


def test_a_link_outweighs_a_slightly_better_search_hit() -> None:
    question = analyse("In which city was the director of The Tall Ship born?")
    read = Passage("1", "ship.md", "The Tall Ship", "The Tall Ship is a film directed by Ellen Marsh.")
    hits = [
        Passage("2", "harbour.md", "Harbour", "A harbour is a place for ships.", score=0.4),
        Passage(
            "mention:3", "ellen.md", "Ellen Marsh", "Ellen Marsh was a director born in Cardiff.", score=1.0
        ),
        Passage("4", "ship.md", "The Tall Ship", "read already", score=0.9),
    ]
    found = candidates(hits, ["ship.md"])
    assert {item.source: item.search for item in found} == {"harbour.md": 0.4, "ellen.md": 0.0}
    ordered = rank(
        question, found, best=split([read]), pages=[read], vectors=Vectors(HashEmbedder()), weights=Weights()
    )
    assert [item.source for item in ordered] == ["ellen.md", "harbour.md"]
    assert ordered[0].linked


class Counting(HashEmbedder):
    """Notes what it is asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        return super().embed(texts)


def test_vectors_are_kept_and_bounded() -> None:
    embedder = Counting()
    vectors = Vectors(embedder, size=2)
    first = vectors.of(["a b", "c d", "e f"])
    assert first.shape == (3, embedder.dim)
    assert (vectors.of(["e f", "c d"]) == first[[2, 1]]).all()
    assert embedder.asked == [["a b", "c d", "e f"]]
    assert (vectors.of(["a b", "e f"]) == first[[0, 2]]).all()
    assert embedder.asked[1:] == [["a b"]] and len(vectors._kept) == 2
    assert vectors.of([]).shape == (0, embedder.dim)


@pytest.mark.parametrize(
    ("task", "said", "words_of_names"),
    [
        ("Wer war König Hrolf von Jütland?", "", ["König", "Hrolf", "Jütland"]),
        ("Wie hoch ist der Preis von Boje?", "", ["Preis", "Boje"]),
        ("Who wrote the Harbour Almanac?", "A harbour is a port.", ["Almanac"]),
        ("Who led the University of Oslo, and who the Oslo Ballet?", "Universities", ["Oslo", "Ballet"]),
        ("Who found Vitamin C?", "vitamins", []),
        ("Who wrote OpenAgent?", "An agent.", []),
    ],
)
def test_what_is_not_mentioned_is_told_as_the_question_wrote_it(
    task: str, said: str, words_of_names: list[str]
) -> None:
    assert unmet(analyse(task).names, frozenset(terms(said))) == words_of_names


def test_what_only_says_how_to_compare_is_no_word_the_sources_must_say() -> None:
    task = 'Which film came out first, "The Tall Ship" or "Night Market"?'
    assert analyse(task).terms == ("film", "tall", "ship", "night", "market")
    assert "nationality" not in analyse("Are Ann Lee and Bob Ray of the same nationality?").terms
