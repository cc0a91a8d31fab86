"""Documents of LangChain, retrievers and vector stores as sources beside folders."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore

from ddax import Context, from_retriever, open_agent
from ddax.actions.sources import SourceLibrary, open_library
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


async def library_of(home: Path, documents: list[Document], *sources: str) -> SourceLibrary:
    return await open_library(
        sources, embedder=HashEmbedder(), cache_dir=home / "cache", brought=documents_of(documents)
    )


@pytest.mark.parametrize(
    ("documents", "names"),
    [
        (
            [Document(text, metadata={"source": "a.txt"}) for text in (TOLD, OTHER, " ", "More.")],
            ["a.txt", "a.txt#2", "a.txt#3"],
        ),
        (
            [Document(text, metadata={"source": "a.pdf", "page": n}) for n, text in enumerate((TOLD, OTHER))],
            ["a.pdf#page=0", "a.pdf#page=1"],
        ),
        ([Document(TOLD), Document(OTHER)], ["document:1", "document:2"]),
    ],
)
async def test_documents_of_one_source_are_told_apart(
    tmp_path: Path, documents: list[Document], names: list[str]
) -> None:
    library = await library_of(tmp_path, documents)
    assert [one.source for one in library.documents] == names


@pytest.mark.parametrize("shape", ["kept/{}.txt", "{}", "s3://{}@shelf/a.pdf"])
async def test_documents_whose_names_differ_by_a_secret_alone_are_all_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    secrets = ("sk-verysecretvalue-1234567890", "sk-otherssecretval-0987654321")
    for name, secret in zip(("ONE_API_KEY", "TWO_API_KEY"), secrets, strict=True):
        monkeypatch.setenv(name, secret)
    given = [
        Document(text, metadata={"source": shape.format(secret)})
        for text, secret in zip((TOLD, OTHER), secrets, strict=True)
    ]
    library = await library_of(tmp_path, given)
    assert {one.text for one in library.documents} == {TOLD, OTHER}
    assert len({one.source for one in library.documents}) == 2
    assert not any(secret in repr(tuple(library.documents)) for secret in secrets)


async def test_a_document_with_the_name_of_a_file_takes_nothing_of_it_away(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    file = tmp_path / "papers" / "atlas.md"
    file.write_text(f"# The Lantern Atlas\n\n{OTHER}\n")
    library = await library_of(tmp_path, [Document(TOLD, metadata={"source": str(file)})], str(file.parent))
    pages = {one.source: one.text for one in library.documents}
    assert sorted(pages) == [str(file), f"{file}#2"]
    assert OTHER in pages[str(file)] and pages[f"{file}#2"] == TOLD


async def test_a_document_that_is_its_file_is_held_once_with_its_metadata(tmp_path: Path) -> None:
    file = tmp_path / "almanac.txt"
    file.write_text(TOLD)
    alone = (await library_of(tmp_path, [], str(file))).documents[0]
    same = Document(alone.text, metadata={"source": str(file), "title": alone.title, "shelf": "B"})
    (held,) = (await library_of(tmp_path, [same], str(file))).documents
    assert (held.source, held.text, held.notes["metadata"]["shelf"]) == (str(file), alone.text, "B")


@pytest.mark.parametrize("field", ["title", "summary", "tags", "deep", "path"])
def test_of_a_secret_no_part_stays_where_metadata_is_cut(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "verysecretvalue1234567890")
    long = f"{'x' * 180} verysecretvalue1234567890 and on"
    value: Any = {"tags": [long], "deep": {"a": long[6:]}, "path": Path(long)}.get(field, long)
    made = documents_of([Document(TOLD, metadata={"source": "a.txt", field: value})])[0]
    assert "very" not in repr(made)


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


class Echoing(BaseRetriever):
    """A retriever that has a piece of one source for every query."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [Document(f"The {query} says a thing.", metadata={"source": "a.pdf"})]

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return self._get_relevant_documents(query, run_manager=run_manager)


def echoing(cache: Path) -> RetrievedLibrary:
    return RetrievedLibrary(PageLibrary({}), from_retriever(Echoing()), HashEmbedder(), ExtractCache(cache))


@pytest.mark.parametrize("processes", [1, 3])
async def test_pieces_found_at_the_same_time_are_each_read_as_itself(tmp_path: Path, processes: int) -> None:
    asked = ("harbour", "lantern", "north coast", "harbour")
    shared = [echoing(tmp_path) for _ in range(processes)]
    found = await asyncio.gather(*(library.search(query) for query in asked for library in shared))
    said = {hit.source: hit.snippet for hits in found for hit in hits}
    assert len(said) == 3, "one name for each text, the same in every process"
    for hit in (hit for hits in found for hit in hits):
        assert hit.snippet == said[hit.source]
    for library in (*shared, echoing(tmp_path)):  # in a later process, too
        assert {name: (await library.read(name)).text for name in said} == said


async def test_a_file_is_read_as_itself_where_a_piece_had_its_name_before(tmp_path: Path) -> None:
    file = tmp_path / "atlas.md"
    file.write_text(f"# The Lantern Atlas\n\n{OTHER}\n")
    piece = from_retriever(Listed(held=[Document(TOLD, metadata={"source": str(file)})]))
    cache = tmp_path / "cache"
    alone = RetrievedLibrary(PageLibrary({}), piece, HashEmbedder(), ExtractCache(cache))
    assert (await alone.search("Harbour Almanac"))[0].source == str(file)
    local = await library_of(tmp_path, [], str(file))
    both = RetrievedLibrary(local, piece, HashEmbedder(), ExtractCache(cache))
    assert OTHER in (await both.read(str(file))).text
    hits = await both.search("Harbour Almanac")
    pages = {hit.source: (await both.read(hit.source)).text for hit in hits}
    assert OTHER in pages.pop(str(file), OTHER) and list(pages.values()) == [TOLD]


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
