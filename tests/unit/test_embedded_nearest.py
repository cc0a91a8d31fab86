"""What is shown where no answer is claimed: whole sentences of the sources, with their place."""

from __future__ import annotations

from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from ddax.graph.state import Answer
from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.embedded.evidence import weigh
from ddax.reasoning.embedded.nearest import PASSAGE_WORDS, PASSAGES, SENTENCE_WORDS, nearest
from ddax.reasoning.embedded.nearest import SENTENCES as SENTENCES_TOLD
from ddax.steps.close.nearest_passages import NEAREST, SENTENCES, quoted, with_nearest
from ddax.text.chunks import chunks
from ddax.text.question import analyse
from ddax.types import Passage

VECTORS = Vectors(HashEmbedder())
LONG = "word " * 130 + "ferry."
LINES = st.sampled_from(
    ["The ferry leaves at nine. It is late in winter.", "## Ferries", "- a ferry of the north",
     "Bread is sold.", "| ferry | price |\n|---|---|\n| north | 4 euros |", LONG]
)  # fmt: skip


def shown(question: str, **pages: str) -> tuple[str, ...]:
    parts = [
        Passage(f"{name}{n}", f"{name}.md", name, c.text, c.start, c.end)
        for name, text in pages.items()
        for n, c in enumerate(chunks(text))
    ]
    return tuple(quoted(asdict(one)) for one in nearest(weigh(analyse(question), parts, VECTORS)))


@given(st.lists(LINES, min_size=1, max_size=8).map("\n\n".join))
def test_what_is_shown_stands_in_the_page(text: str) -> None:
    for passage in shown("When does the ferry of the north leave?", harbour=text):
        *quoted, place = passage.splitlines()
        assert place.startswith("> — harbour.md")
        assert all(line.removeprefix("> ").strip() in text for line in quoted)
        assert len(" ".join(line.removeprefix("> ") for line in quoted).split()) <= PASSAGE_WORDS


def test_three_passages_of_several_pages_are_shown_with_file_and_heading() -> None:
    pages = {f"p{n}": f"# Ferry {n}\n\n## Times\n\nThe ferry number {n} leaves at {n}." for n in range(5)}
    found = shown("When does the ferry leave?", **pages)
    assert len(found) == PASSAGES
    assert all("Times)" in passage.splitlines()[-1] for passage in found), found


def test_no_sentence_is_shown_twice() -> None:
    lines = [f"The ferry of the north number {n} goes {'far ' * 20}." for n in range(12)]
    found = shown("Does the ferry of the north go far?", a=" ".join(lines))
    text = "\n".join(line for passage in found for line in passage.splitlines()[:-1])
    assert len(found) == PASSAGES and all(text.count(f"number {n} ") <= 1 for n in range(12))


def test_what_a_copy_says_is_shown_once() -> None:
    text = "The ferry leaves at nine."
    assert len(shown("When does the ferry leave?", a=text, b=text)) == 1


def test_a_passage_is_shown_once() -> None:
    assert len(shown("When does the ferry leave?", a="The ferry leaves at nine. It leaves daily.")) == 1


def test_nothing_is_shown_of_what_does_not_bear_on_the_question() -> None:
    assert shown("Who painted the bridge?", bread="Rye is baked at dawn.") == ()


FERRY = "The ferry of the north leaves at nine. "
HARBOUR = "The harbour master rings a bell on each pier. "


def test_the_nearest_sentences_come_first_each_with_the_number_of_its_passage() -> None:
    pages = {"a": FERRY + HARBOUR * 8, "b": HARBOUR * 8 + "When does the ferry leave is asked there daily."}
    parts = [Passage(f"{name}0", f"{name}.md", name, text, 0, len(text)) for name, text in pages.items()]
    found = nearest(weigh(analyse("When does the ferry of the north leave?"), parts, VECTORS))
    answer = with_nearest(Answer(text="Not found.", nearest=[asdict(one) for one in found]), as_asked=False)
    lines = answer["text"].splitlines()
    assert lines[0] == f"Not found. {SENTENCES}"
    assert lines[1] == f"- {FERRY.strip()} [1]"
    assert answer["text"].split("\n\n")[1].startswith(f"> {FERRY.strip()}")
    listed = [line for line in lines if line.startswith("- ")]
    assert len(set(listed)) == len(listed) and sum(len(line.split()) - 2 for line in listed) <= SENTENCE_WORDS
    assert {line[-3:] for line in listed} <= {"[1]", "[2]"}


def test_passages_of_a_run_that_an_earlier_release_began_are_shown() -> None:
    text = FERRY.strip()
    found = nearest(weigh(analyse("When does the ferry leave?"), [Passage("a", "a.md", "a", text)], VECTORS))
    kept = {name: value for name, value in asdict(found[0]).items() if name != "sentences"}
    answer = with_nearest(Answer(text="No.", nearest=[kept]), as_asked=False)
    assert answer["text"] == f"No. {NEAREST}\n\n> {text}\n> — a.md (a)"


def test_a_sentence_that_goes_back_is_told_with_its_title() -> None:
    text = f"{HARBOUR * 8}It leaves the pier at nine with the ferry."
    found = nearest(
        weigh(analyse("When does the ferry leave the pier?"), [Passage("a", "a.md", "North", text)], VECTORS)
    )
    assert "North: It leaves the pier at nine with the ferry." in [said for _, said in found[0].sentences]


def test_few_sentences_come_first_and_no_headings_among_them() -> None:
    lines = "".join(f"The ferry to pier {n} leaves at {n}.\n\n## Pier {n}\n\n" for n in range(9))
    text = f"# Ferry\n\n{lines}{HARBOUR * 5}"
    parts = [Passage(f"a{c.start}", "a.md", "Ferry", c.text, c.start, c.end) for c in chunks(text)]
    found = nearest(weigh(analyse("When does the ferry leave the pier?"), parts, VECTORS))
    said = [told for one in found for _, told in one.sentences]
    assert len(said) == SENTENCES_TOLD and all(told.startswith("The ferry to pier") for told in said), said


def test_short_passages_are_shown_alone() -> None:
    text = FERRY.strip()
    found = nearest(weigh(analyse("When does the ferry leave?"), [Passage("a", "a.md", "a", text)], VECTORS))
    answer = with_nearest(Answer(text="No.", nearest=[asdict(one) for one in found]), as_asked=False)
    assert answer["text"] == f"No. {NEAREST}\n\n> {text}\n> — a.md (a)"
