"""Answers of the embedded reasoner on ordinary documents: the right page cited first, or a refusal.

The graph runs as a user would run it: a source is read, searched and cited; nothing is scripted.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ddax import Context, open_agent
from ddax.actions.sources import SourceLibrary, open_library
from ddax.graph.results import RunResult
from ddax.graph.services import Parts
from ddax.memory.embed.cache import CachedEmbedder
from ddax.memory.embeddings import open_embedder
from tests.cases import tables


class Case(NamedTuple):
    """A question over a source, the document to be cited first and a string the answer must hold."""

    source: str
    question: str
    title: str
    key: str


FOLDER, PYTHON = "folder", "python:"
PAGES = Path(__file__).with_name("answers_pages")
QUESTIONS = {name: [Case(*row) for row in rows] for name, rows in tables(__file__).items()}
ANSWERED, SHOWN, UNANSWERABLE = (QUESTIONS[name] for name in ("answered", "shown", "unanswerable"))


class Desk:
    """Asks questions over sources that are opened once."""

    def __init__(self, place: Path) -> None:
        self.home, self.folder = place / "home", place / "pages"
        shutil.copytree(PAGES, self.folder, copy_function=shutil.copy)
        self.embedder = CachedEmbedder(open_embedder(threads=1), place / "vectors.sqlite")
        self.libraries: dict[str, SourceLibrary] = {}
        self.asked = 0

    def library(self, source: str) -> SourceLibrary:
        """Open a source at its first use."""
        if source not in self.libraries:
            spec = str(self.folder) if source == FOLDER else source
            opening = open_library([spec], embedder=self.embedder, cache_dir=self.home / "cache")
            self.libraries[source] = asyncio.run(opening)
        return self.libraries[source]

    def ask(self, case: Case) -> RunResult:
        """Run the graph on a question, in a namespace of its own."""
        self.asked += 1
        library = self.library(case.source)
        context = Context(sources=library.specs, namespace=f"answers-{self.asked}")
        parts = Parts(embedder=self.embedder, library=library)
        with open_agent(context, home=self.home, parts=parts) as agent:
            return agent.run_sync(case.question)

    def holds(self, case: Case, source: str, quote: str) -> bool:
        """Tell whether a quote stands verbatim in a document."""
        return quote in asyncio.run(self.library(case.source).read(source)).text


WHOLE_LIBRARY = [case for case in ANSWERED if case.source == PYTHON]
LONG = pytest.mark.long


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    yield Desk(tmp_path_factory.mktemp("answers"))


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.question[:60], marks=LONG if case in WHOLE_LIBRARY[1:] else ())
        for case in ANSWERED
    ],
)
def test_the_right_document_is_cited_first_and_the_answer_holds_the_key(desk: Desk, case: Case) -> None:
    result = desk.ask(case)
    assert result["status"] == "done", result["answer"]
    assert case.key in result["answer"], result["answer"]
    assert result["citations"][0]["title"] == case.title, [c["title"] for c in result["citations"]]
    assert len(result["answer"].split()) <= 60
    assert not re.search(r"[=+-]{4,}|(?:\S {3,}\S.*){2}", result["answer"]), "a ruler or a table row"
    assert all(desk.holds(case, c["source"], c["quote"]) for c in result["citations"])


@pytest.mark.timeout(120)
@pytest.mark.parametrize("case", SHOWN, ids=lambda case: case.question[:60])
def test_an_answer_that_is_not_sure_enough_is_shown(desk: Desk, case: Case) -> None:
    result = desk.ask(case)
    assert result["status"] == "not_found"
    assert case.key in result["answer"] and "\n> — " in result["answer"]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("case", UNANSWERABLE, ids=lambda case: case.question[:60])
def test_what_the_sources_do_not_say_is_refused(desk: Desk, case: Case) -> None:
    result = desk.ask(case)
    assert result["status"] == "not_found", result["answer"]
    assert result["stop_reason"] == "not found in the sources"
    assert not result["citations"]


@pytest.mark.timeout(120)
def test_of_separated_values_the_row_that_answers_is_quoted_with_its_header_and_no_other(desk: Desk) -> None:
    depots = desk.home.parent / "depots.csv"
    depots.write_text("depot,opened,manager,town\nD1,1994,Ute Brandt,Malmo\nD2,2003,Ivan Petrov,Turku\n")
    result = desk.ask(Case(str(depots), "In which town is the depot D2?", "depots", "Turku"))
    assert result["answer"] == "depots: D2: opened 2003, manager Ivan Petrov, town Turku."
    assert [citation["quote"] for citation in result["citations"]] == [
        "| D2 | 2003 | Ivan Petrov | Turku |",
        "| depot | opened | manager | town |",
    ]
    assert result["short"] == "Turku"
