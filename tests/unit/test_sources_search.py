"""Search, reading and titles over a library with real sentence embeddings."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

import pytest

from ddax.actions.protocol import Library
from ddax.actions.sources import SourceLibrary, open_library
from ddax.actions.sources.bm25 import Bm25
from ddax.actions.sources.tokens import STOP_WORDS, query_tokens, tokens
from ddax.errors import ActionError, UsageError
from ddax.memory.embeddings import HashEmbedder, MiniLmEmbedder

PAGES = {
    "Heron": "The heron is a wading bird. It eats fish and frogs. Its neck is long.",
    "Bicycle": "A bicycle has two wheels. It is driven by pedals and a chain.",
    "Sourdough": "Sourdough is bread made with wild yeast. The loaf rises slowly overnight.",
    "Python (snake)": "Pythons are constrictors. They swallow prey whole.",
    "Tokyo": "東京は日本の首都です。人口は多い。",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    for title, text in PAGES.items():
        (root / f"{title.split()[0].lower()}.md").write_text(f"# {title}\n\n{text}")
    long = " ".join(f"Filler number {i} says nothing of note." for i in range(200))
    (root / "long.md").write_text(f"# Long\n\n{long} The walrus has tusks of ivory. {long}")
    return root


@pytest.fixture
async def library(folder: Path, tmp_path: Path) -> SourceLibrary:
    return await open_library([str(folder)], embedder=MiniLmEmbedder(), cache_dir=tmp_path / "cache")


async def test_words_and_meaning_find_the_document(library: SourceLibrary) -> None:
    protocol: Library = library
    hits = await protocol.search("which bird eats frogs", k=3, mode="lexical")
    assert hits[0].title == "Heron" and hits[0].snippet in PAGES["Heron"] and "frogs" in hits[0].snippet
    for mode in ("dense", "hybrid"):
        hits = await library.search("how do I bake a loaf", k=3, mode=mode)
        assert hits[0].title == "Sourdough"
        assert all(0 <= hit.score <= 1 for hit in hits)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


async def test_a_long_document_is_found_by_its_best_passage(library: SourceLibrary) -> None:
    for mode in ("lexical", "hybrid"):
        hit = (await library.search("walrus tusks", k=1, mode=mode))[0]
        assert hit.title == "Long" and "walrus has tusks" in hit.snippet and len(hit.snippet) <= 320
        assert hit.snippet in (await library.read(hit.source)).text


async def test_scripts_without_spaces_are_searched(library: SourceLibrary) -> None:
    assert (await library.search("日本の首都", k=1, mode="lexical"))[0].title == "Tokyo"


async def test_the_intent_steers_the_ranking(library: SourceLibrary) -> None:
    plain = await library.search("yeast", intent="", k=5, mode="lexical")
    steered = await library.search("yeast", intent="two wheels, pedals and a chain", k=5, mode="lexical")
    assert [hit.title for hit in plain] == ["Sourdough"]
    assert [hit.title for hit in steered] == ["Bicycle", "Sourdough"]


async def test_results_do_not_depend_on_warm_vectors(folder: Path, tmp_path: Path) -> None:
    async def hits(cache: str, warm: bool) -> list[object]:
        library = await open_library([str(folder)], embedder=MiniLmEmbedder(), cache_dir=tmp_path / cache)
        if warm:
            assert await library.warm(3) == 3
        return [dataclasses.astuple(hit) for hit in await library.search("bird with a long neck", k=5)]

    cold = await hits("one", warm=False)
    assert cold == await hits("two", warm=True) == await hits("one", warm=False)


async def test_warming_can_be_cancelled(library: SourceLibrary) -> None:
    task = asyncio.create_task(library.warm())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await library.search("heron")


async def test_equal_documents_come_in_the_order_of_their_sources(tmp_path: Path) -> None:
    for name in ("c", "a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.txt").write_text("the same walrus")
    specs = [str(tmp_path / name) for name in ("c", "a", "b", "a")]
    library = await open_library(specs, embedder=HashEmbedder(), cache_dir=tmp_path / "cache")
    for mode in ("lexical", "dense", "hybrid"):
        hits = await library.search("walrus", mode=mode)
        assert [Path(hit.source).parent.name for hit in hits] == ["a", "b", "c"]


async def test_nothing_asked_or_held_gives_nothing(library: SourceLibrary, tmp_path: Path) -> None:
    assert await library.search("  ") == []
    assert await library.search("heron", k=0) == []
    assert await library.search("zzzz", mode="lexical") == []
    with pytest.raises(UsageError, match="mode"):
        await library.search("heron", mode="magic")
    empty = await open_library([], embedder=HashEmbedder(), cache_dir=tmp_path / "c2")
    assert await empty.search("heron", mode="dense") == [] and empty.describe() == "no sources"
    assert await empty.mentioned("The Heron") == []


async def test_mentions_are_documents_in_order(library: SourceLibrary) -> None:
    hits = await library.mentioned("A Python ate a Heron on a Bicycle.", limit=2)
    assert [(hit.title, hit.score) for hit in hits] == [("Python (snake)", 0.9), ("Heron", 1.0)]
    assert hits[1].snippet in (await library.read(hits[1].source)).text


async def test_reading_stays_within_the_sources(library: SourceLibrary, folder: Path) -> None:
    assert (await library.read(f"{folder.as_posix()}/heron.md")).title == "Heron"
    for outside in (
        "/etc/passwd",
        f"{folder.as_posix()}/../docs/heron.md",
        "python:os",
        "file:///etc/passwd",
        "",
    ):
        with pytest.raises(ActionError) as caught:
            await library.read(outside)
        assert caught.value.kind == "not_found"


async def test_several_leaves_search_at_once(library: SourceLibrary) -> None:
    queries = ["wading bird", "two wheels", "wild yeast", "swallow prey"] * 3
    found = await asyncio.gather(*(library.search(query, k=1) for query in queries))
    assert [hits[0].title for hits in found] == ["Heron", "Bicycle", "Sourdough", "Python (snake)"] * 3


def test_tokens_fold_stem_and_pair() -> None:
    assert tokens("Hölle HÖLLE") == ["holl", "holl"]
    assert tokens("computes computing computed compute") == ["comput"] * 4
    assert tokens("OrderedDict my_name 3.5") == ["ordereddict", "order", "dict", "my", "name", "3", "5"]
    assert tokens("東京都 日") == ["東京", "京都", "日"]
    assert query_tokens("what is the median of the list") == ["median", "list"]
    assert query_tokens("who is it") == ["who", "is", "it"]


@pytest.mark.parametrize("word", sorted(STOP_WORDS))
def test_a_stop_word_is_dropped_in_each_of_its_forms(word: str) -> None:
    assert query_tokens(f"{word} heron {word.upper()}") == ["heron"]
    assert query_tokens("the doe") == ["doe"]


def test_bm25_scores_are_shares_of_the_query(tmp_path: Path) -> None:
    index = Bm25.build([{"a": 1, "b": 2}, {"a": 1}, {"c": 5}])
    scores = index.scores({"b": 1.0, "a": 1.0})
    assert scores[0] > scores[1] > scores[2] == 0 and scores[0] < 1
    assert index.scores({"zz": 1.0}).tolist() == [0, 0, 0]
    assert index.scores({"b": 1.0, "zz": 1.0})[0] < index.scores({"b": 1.0})[0]
    index.save(tmp_path / "bm25-x.npz")
    again = Bm25.load(tmp_path / "bm25-x.npz")
    assert again is not None and again.scores({"b": 1.0, "a": 1.0}).tolist() == scores.tolist()
    (tmp_path / "bm25-y.npz").write_bytes((tmp_path / "bm25-x.npz").read_bytes()[:200])
    assert Bm25.load(tmp_path / "bm25-y.npz") is None and Bm25.load(tmp_path / "none.npz") is None
    assert Bm25.build([]).scores({"a": 1.0}).tolist() == []


async def test_a_library_tells_what_its_sources_say_now(library: SourceLibrary) -> None:
    one = library.documents[0]
    assert library.holds(one.source, one.text[:40]) is True
    assert library.holds(one.source, "What nobody wrote.") is False
    assert library.holds("elsewhere/a.md", one.text[:40]) is None
    assert library.holds("http://a.example/", one.text[:40]) is None


async def test_a_file_of_a_folder_that_is_a_source_and_is_gone_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for spec, file in (("docs", "docs/a.md"), (".", "a.md"), ("docs", "docs/deep/a.md")):
        held = SourceLibrary((spec,), (), embedder=HashEmbedder(), folder=tmp_path / "index")
        assert held.holds(file, "gone") is False and held.holds("other/a.md", "gone") is (
            False if spec == "." else None
        )
