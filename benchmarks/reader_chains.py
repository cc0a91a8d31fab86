"""Small made documents that lead from one to the next, and what is asked of both or of one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.reader_material import READ, Asked

if TYPE_CHECKING:
    from ddax.reasoning.embedded.candidates import Candidate
    from ddax.types import Passage

CHAINS = (
    ("In which city was the {role} of {thing} born?",
     "{thing} is a tower in {town}. {person} {deed} it in {year}.",
     "{person} lived from 1881 to 1944. {They} was born in {city}.", ("architect", "designed"), "born in"),
    ("When was the {role} of {thing} born?", "{thing} is a film of {year}. It was {deed} by {person}.",
     "{person} was born in {year2} in {city}. {They} taught in {town}.", ("director", "directed"), "born in"),
    ("Where is the {role} of {thing} based?", "{thing} is a lamp sold since {year}. Its {role} is {person}.",
     "{person} is a company with 40 people. {They} is based in {city}.", ("maker", "made"), "based in"),
    ("Which river flows past the {role} of {thing}?", "{thing} is a province. Its {role} is {person}.",
     "{person} has 4,000 inhabitants. The river {city} flows past it.", ("capital", "ruled"), "river"),
    ("Who owns the {role} that published {thing}?", "{thing} is a novel of {year}. {person} {deed} it.",
     "{person} is a publisher in {town}. {They} is owned by {city} {city2}.",
     ("publisher", "published"), "owned"),
    ("In which town did the {role} of {thing} grow up?",
     "{thing} is an opera in three acts. The music was {deed} by {person}.",
     "{person} was a {role}. {person} grew up in {city} and moved to {town} in {year}.",
     ("composer", "written"), "grew up in"),
    ("What is the birthplace of the person who {deed} {thing}?",
     "{person} {deed} {thing} in {year}. It stands at a lake near {town}.",
     "{person}, an engineer, was born in {city} in {year2}.", ("builder", "planned"), "born in"),
    ("When did the {role} of {thing} die?",
     "{thing} is the best known work of the {role} {person}. It hangs in {town}.",
     "{person} was a {role} of {town}. {person} died in {year2} in {city}.",
     ("painter", "painted"), "died in"),
    ("Which country does the {role} of {thing} come from?",
     "{thing} is a football club. Since {year} its {role} is {person}.",
     "{person} is a {role} who comes from {city}. {They} played for {town}.",
     ("coach", "coached"), "comes from"),
    ("What company makes the {role} that drives {thing}?",
     "{thing} is a racing boat. It is {deed} by the {role} {person}.",
     "{person} is a {role}. {They} is made by {city} {city2} in {town}.", ("engine", "driven"), "made by"),
)  # fmt: skip
"""Questions with two steps, the documents of both, and what the sentence that answers says."""
SINGLES = (
    (("Who {deed} {thing}?", "thing", "{deed} it"), ("Where was {person} born?", "person", "born in"),
     ("When was {thing} demolished?", "", ""), ("Who painted {thing}?", "", "")),
    (("Who {deed} {thing}?", "thing", "{deed} by"), ("When was {person} born?", "person", "born in"),
     ("When did {person} die?", "", ""), ("What did {thing} cost?", "", "")),
    (("Who is the {role} of {thing}?", "thing", "{role} is"),
     ("Where is {person} based?", "person", "based in"),
     ("How many people work at {person}?", "person", "people"), ("How much does {thing} cost?", "", ""),
     ("Who founded {person}?", "", "")),
    (("What is the {role} of {thing}?", "thing", "{role} is"),
     ("Which river flows past {person}?", "person", "river"),
     ("How many inhabitants does {person} have?", "person", "inhabitants"),
     ("Who is the mayor of {person}?", "", ""), ("When was {person} founded?", "", "")),
    (("Who published {thing}?", "thing", "{deed} it"), ("Who owns {person}?", "person", "owned"),
     ("Who wrote {thing}?", "", ""), ("When was {person} founded?", "", "")),
    (("Who has {deed} the music of {thing}?", "thing", "{deed} by"),
     ("Where did {person} grow up?", "person", "grew up"), ("When did {person} die?", "", ""),
     ("How long is {thing}?", "", "")),
    (("Who {deed} {thing}?", "thing", "{deed}"), ("When was {person} born?", "person", "born in"),
     ("How deep is the lake at {thing}?", "", ""), ("Who taught {person}?", "", "")),
    (("Where does {thing} hang?", "thing", "hangs in"), ("Where did {person} die?", "person", "died in"),
     ("When was {person} born?", "", ""), ("Who bought {thing}?", "", "")),
    (("Who is the {role} of {thing}?", "thing", "{role} is"),
     ("For which club did {person} play?", "person", "played for"),
     ("Who owns {thing}?", "", ""), ("How old is {person}?", "", "")),
    (("Which {role} drives {thing}?", "thing", "{deed} by"), ("Who makes {person}?", "person", "made by"),
     ("How fast is {thing}?", "", ""), ("How much does {person} weigh?", "", "")),
)  # fmt: skip
"""What is asked of one of the two documents of a chain: the question, the document and what answers in it."""
SYLLABLES = ("bel", "tor", "ven", "mar", "sol", "kin", "dra", "fel", "os", "ril", "tam", "gor", "lin", "pas")
MADE = 120


def chains() -> Iterator[Asked]:
    """Yield made questions with two steps, with both documents and without each, and those about one."""
    rng = np.random.default_rng(7)
    for number in range(MADE):
        text, *_, mark = CHAINS[number % len(CHAINS)]
        told = [_documents(rng, number % len(CHAINS)) for _ in range(4)]
        words, own = told[0]
        rest = {title: line for _, pages in told[1:] for title, line in pages.items()}
        for away in ("", words["thing"], words["person"]):
            read = _read({**own, **rest}, away)
            gold = "" if away else f"{words['person']}.md"
            yield Asked("chains", f"{number}", text.format(**words), read, not away, _marked(gold, mark))
            if not away:
                yield from _singles(number, words, read)


def _documents(rng: np.random.Generator, chain: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the words of a chain, and the text of its two documents by their title."""
    _, first, second, (role, deed), _ = CHAINS[chain]

    def name(parts: int = 1) -> str:
        return " ".join("".join(rng.choice(SYLLABLES, 2)).capitalize() for _ in range(parts))

    words: dict[str, Any] = {
        "role": role, "deed": deed, "thing": f"{name()} {name()}", "person": name(2), "town": name(),
        "city": name(), "city2": name(), "year": rng.integers(1900, 1990),
        "year2": rng.integers(1850, 1900), "They": "It" if deed in ("made", "ruled", "driven") else "She",
    }  # fmt: skip
    return words, {words["thing"]: first.format(**words), words["person"]: second.format(**words)}


def _read(documents: Mapping[str, str], away: str) -> tuple[Passage, ...]:
    """Return the first of some documents as they are read, one left out."""
    from ddax.types import Passage

    pages = [(title, f"# {title}\n\n{text}") for title, text in documents.items() if title != away]
    return tuple(Passage(f"{t}:0", f"{t}.md", t, x, 0, len(x)) for t, x in pages[: READ + 1])


def _singles(number: int, words: Mapping[str, Any], read: tuple[Passage, ...]) -> Iterator[Asked]:
    """Yield what is asked of one document of a chain, also what it does not say."""
    for asked, page, mark in SINGLES[number % len(CHAINS)]:
        right = _marked(f"{words[page]}.md" if page else "", mark.format(**words))
        yield Asked("single", f"{number}", asked.format(**words), read, bool(page), right)


def _marked(gold: str, mark: str) -> Callable[[Candidate], int]:
    return lambda one: int(
        one.lines[0].sentence.passage.source == gold and mark in one.lines[0].sentence.text
    )
