"""Documents of LangChain, retrievers and vector stores as sources beside folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore

from ddax import Context, from_retriever, open_agent
from ddax.actions.sources.brought import RetrievedLibrary, documents_of, own_name
from ddax.actions.sources.documents import ExtractCache
from ddax.errors import ActionError, UsageError
from ddax.graph.services import Parts
from ddax.ideas.origins import of_source
from ddax.memory.embeddings import HashEmbedder
from ddax.testing import PageLibrary

SETTINGS: dict[str, Any] = {"mood": {"engine": "numpy"}}
ASKED = "Who wrote the Harbour Almanac?"
TOLD = "The Harbour Almanac was written by Ines Calder in 1911. It lists the tides of the north coast."
OTHER = "The Lantern Atlas was drawn by Mads Orre in 1874. It shows every lighthouse of the coast."


class Listed(BaseRetriever):
    """A retriever of somebody: it gives what it has, in the order of shared words."""

    held: list[Document]
    asked: list[str] = []
    fails: bool = False

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        self.asked.append(query)
        if self.fails:
            raise ConnectionError("the index is away")
        words = set(query.casefold().split())
        return sorted(self.held, key=lambda d: -len(words & set(d.page_content.casefold().split())))[:2]


def held(*, source: str = "almanac.pdf") -> list[Document]:
    return [
        Document(TOLD, metadata={"source": source, "page": 3, "author": "I. Calder", "score": 0.5}),
        Document(OTHER, metadata={"source": source, "page": 4}),
    ]


async def asked(home: Path, *sources: str, question: str = ASKED, **given: Any) -> Any:
    async with open_agent(Context(sources=sources, **SETTINGS), home=home, **given) as agent:
        return await agent.run(question, thread="t")


async def test_documents_are_cited_with_their_metadata(tmp_path: Path) -> None:
    result = await asked(tmp_path, documents=held())
    assert (result["status"], result["short"]) == ("done", "Ines Calder")
    cited = result["citations"][0]
    assert cited["source"] == "almanac.pdf#page=3"
    assert cited["metadata"] == {"source": "almanac.pdf", "page": 3, "author": "I. Calder", "score": 0.5}
    assert cited["quote"] in TOLD


async def test_documents_stand_beside_a_folder(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "atlas.md").write_text(f"# The Lantern Atlas\n\n{OTHER}\n")
    home, folder = tmp_path / "home", str(tmp_path / "papers")
    first = await asked(home, folder, documents=held()[:1])
    assert first["citations"][0]["source"] == "almanac.pdf#page=3"
    second = await asked(home, folder, question="Who drew the Lantern Atlas?", documents=held()[:1])
    assert second["citations"][0]["source"].endswith("atlas.md")
    assert second["short"] == "Mads Orre"


@pytest.mark.parametrize("kind", ["retriever", "store", "of the store"])
async def test_a_retriever_or_vector_store_is_asked(tmp_path: Path, kind: str) -> None:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents(held())
    retriever = {"retriever": Listed(held=held()), "store": store, "of the store": store.as_retriever()}[kind]
    result = await asked(tmp_path, retriever=retriever)
    assert (result["status"], result["short"]) == ("done", "Ines Calder")
    assert result["citations"][0]["metadata"]["page"] == 3
    assert result["citations"][0]["source"] == "almanac.pdf#page=3"


async def test_a_retriever_that_fails_is_named(tmp_path: Path) -> None:
    result = await asked(tmp_path, retriever=Listed(held=held(), fails=True))
    assert result["short"] != "Ines Calder"
    told = " ".join(str(row) for row in result["failures"])
    assert "ConnectionError: the index is away" in told


async def test_the_other_sources_are_searched_where_a_retriever_fails(tmp_path: Path) -> None:
    result = await asked(tmp_path, documents=held(), retriever=Listed(held=[], fails=True))
    assert result["short"] == "Ines Calder"
    told = "The retriever Listed failed. ConnectionError: the index is away. Only the others were searched."
    assert result["notes"] == [told], "once, however many searches it failed"


async def test_of_a_failing_retriever_is_told_where_nothing_is_found_and_in_its_own_run_alone(
    tmp_path: Path,
) -> None:
    given: dict[str, Any] = {"documents": held(), "retriever": Listed(held=[], fails=True)}
    async with open_agent(Context(**SETTINGS), home=tmp_path, **given) as agent:
        missed = await agent.run("Who wrote the Lantern Almanac of Vellin harbour?", thread="t")
        given["retriever"].fails = False
        again = await agent.run(ASKED, thread="u")
    assert any("ConnectionError: the index is away" in note for note in missed["notes"]), missed["status"]
    assert again["notes"] == []


async def test_a_secret_in_what_a_retriever_says_is_blotted_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SHELF_API_KEY", "shelf-key-0123456789abcdef")

    class Talking(Listed):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            raise ConnectionError("401 for shelf-key-0123456789abcdef")

    result = await asked(tmp_path, documents=held(), retriever=Talking(held=[]))
    assert "Talking failed" in result["notes"][0]
    assert "shelf-key-0123456789" not in str(result) + caplog.text


async def test_what_was_retrieved_is_read_in_a_later_process_too(tmp_path: Path) -> None:
    context = Context(**SETTINGS)
    async with open_agent(context, home=tmp_path, retriever=Listed(held=held())) as agent:
        library = (await agent.services.session(context)).library
        hit = (await library.search("Harbour Almanac"))[0]
    async with open_agent(context, home=tmp_path, retriever=Listed(held=[])) as agent:
        library = (await agent.services.session(context)).library
        page = await library.read(hit.source)
        assert (page.text, page.notes["metadata"]["page"]) == (TOLD, 3)
        assert library.describe() == "the retriever Listed"


@pytest.mark.parametrize(
    "source", ["https://wiki.example/almanac", "python:os", "tool:notes", "world:toy", "almanac.pdf", ""]
)
def test_what_is_handed_over_is_private_whatever_it_calls_itself(source: str) -> None:
    made = documents_of([Document(TOLD, metadata={"source": source} if source else {})])[0]
    assert of_source(made.source) == {"file"}
    assert own_name(made.source) == made.source


def test_documents_of_one_source_are_told_apart() -> None:
    same = [Document(text, metadata={"source": "a.txt"}) for text in (TOLD, OTHER, " ", "More.")]
    assert [one.source for one in documents_of(same)] == ["a.txt", "a.txt#2", "a.txt#3"]
    pages = [Document(text, metadata={"source": "a.pdf", "page": n}) for n, text in enumerate((TOLD, OTHER))]
    assert [one.source for one in documents_of(pages)] == ["a.pdf#page=0", "a.pdf#page=1"]
    assert [one.source for one in documents_of([Document(TOLD), Document(OTHER)])] == [
        "document:1", "document:2",
    ]  # fmt: skip


def test_metadata_is_plain_and_small() -> None:
    from datetime import date

    odd = {"day": date(2026, 1, 2), "long": "x" * 900, "deep": {"a": 1}, "none": None, "tags": ["a", "b"]}
    kept = documents_of([Document(TOLD, metadata=odd)])[0].notes["metadata"]
    assert kept == {"day": "2026-01-02", "long": "x" * 200, "deep": '{"a": 1}', "tags": ["a", "b"]}


async def test_a_secret_in_a_document_is_blotted_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "sk-verysecretvalue-1234567890")
    text = f"{TOLD} The key is sk-verysecretvalue-1234567890."
    told = Document(text, metadata={"source": "kept/sk-verysecretvalue-1234567890.txt", "header": text})
    for given in ({"documents": [told]}, {"retriever": Listed(held=[told])}):
        context = Context(**SETTINGS)
        async with open_agent(context, home=tmp_path / next(iter(given)), **given) as agent:
            library = (await agent.services.session(context)).library
            page = await library.read((await library.search("Harbour Almanac"))[0].source)
            assert "verysecret" not in repr(page) and TOLD in page.text
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"verysecret" not in kept


def test_who_sees_a_query_is_known() -> None:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    assert not from_retriever(store).outside
    assert not from_retriever(store.as_retriever()).outside
    assert from_retriever(Listed(held=[])).outside
    assert not from_retriever(Listed(held=[]), outside=False).outside


async def test_a_private_word_is_asked_about_before_it_reaches_a_strange_retriever(tmp_path: Path) -> None:
    from ddax.actions.search import SearchArguments, search

    context = Context(**SETTINGS)
    for retriever, stays in (
        (Listed(held=[]), False),
        (from_retriever(Listed(held=[]), outside=False), True),
    ):
        async with open_agent(context, home=tmp_path / str(stays), retriever=retriever) as agent:
            library = (await agent.services.session(context)).library
            assert search.stays_inside(library, SearchArguments(query="x")) is stays


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"documents": "papers"}, "Documents are given that are none"),
        ({"documents": ["a text"]}, "There is a str"),
        ({"documents": Document("alone")}, "It is one alone"),
        ({"retriever": "papers"}, "A retriever is given that is none. This is a str"),
        ({"retriever": [Document("x")]}, "documents are given as documents="),
    ],
)
def test_what_is_no_source_is_told_at_once(given: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        open_agent(**given)


def test_documents_beside_a_library_are_refused() -> None:
    with pytest.raises(UsageError, match="documents beside a library"):
        Parts(library=PageLibrary(), documents=(Document("x"),))


async def test_a_thread_with_documents_is_not_resumed_without_them(tmp_path: Path) -> None:
    from dataclasses import replace

    await asked(tmp_path, documents=held())
    async with open_agent(Context(**SETTINGS), home=tmp_path) as agent:
        info = agent.runs.known("t")
        assert info.own == {"documents": 2}
        agent.runs.save(replace(info, status="running"))
        with pytest.raises(UsageError, match="was given documents"):
            await agent.resume("t")


async def test_each_piece_that_is_retrieved_is_read_as_itself(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Harbour\n\nThe file says what the harbour is.\n")
    source = f"{tmp_path}/docs/a.md"
    pieces = [Document(TOLD, metadata={"source": source}), Document(OTHER, metadata={"source": source})]
    pieces += [Document("The first of no name."), Document("The second of no name.")]
    context = Context(sources=(f"{tmp_path}/docs",), **SETTINGS)
    for _ in range(2):  # in a later process, too
        async with open_agent(context, home=tmp_path / "home", retriever=Listed(held=pieces)) as agent:
            library = (await agent.services.session(context)).library
            asked = (
                "Harbour Almanac",
                "Lantern Atlas",
                "first of no name",
                "second of no name",
                "file harbour",
            )
            hits = [hit for query in asked for hit in await library.search(query, k=9)]
            pages = {hit.source: (await library.read(hit.source)).text for hit in hits}
            assert all(hit.snippet[:30] in pages[hit.source] for hit in hits)
            assert len({hit.source for hit in hits}) == len(set(pages.values())) == 5
            assert "The file says" in pages[source]


async def test_a_retriever_is_asked_where_the_other_search_fails(tmp_path: Path) -> None:
    class Away(PageLibrary):
        async def search(self, query: str, **more: Any) -> Any:
            raise ActionError("the service is away.", kind="unreachable")

    embedder = HashEmbedder()
    shelf = from_retriever(Listed(held=held()))
    both = RetrievedLibrary(Away({}), shelf, embedder, ExtractCache(tmp_path))
    assert (await both.search("Harbour Almanac"))[0].source == "almanac.pdf#page=3"
    failing = from_retriever(Listed(held=[], fails=True))
    with pytest.raises(ActionError, match="the service is away"):
        await RetrievedLibrary(Away({}), failing, embedder, ExtractCache(tmp_path)).search("Harbour")
