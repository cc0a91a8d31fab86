"""The index: nearest neighbours by Chroma, embedded, over vectors that SQLite holds as well.

Blocking; one thread at a time. Nothing here is of record: what is missing or damaged is made anew.
Few rows wait until there are many or the index is closed, and are searched exactly until then.
One collection per namespace, embedder and memory type, since a filter would slow large ones twelvefold.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from ddax.memory.files import ensure_folder, storage_errors, write_atomic
from ddax.memory.records import MEMORY_TYPES, digest
from ddax.memory.scoring import Floats
from ddax.memory.store.unindexed import FreshRows
from ddax.memory.store.unused_places import blank_unused
from ddax.types import MemoryType

logger = logging.getLogger("ddax")

BATCH = 100
FRESH = 64
"""Rows from which on those that wait go into their collection: more cost no less, and delay a close."""
SMALL = 2000
"""Up to this many rows, making the index anew is faster than probing it."""
PROBE_SECONDS = 120.0
# Chroma holds the interpreter lock while it works: small batches keep the event loop alive, and a
# large sync_threshold would be paid for at the next start, with seconds of replay. A kill during a
# flush may break the index, so after one it is probed or made anew. With 200 candidates looked at,
# the neighbours are all but exact.
_HNSW = {
    "space": "cosine", "sync_threshold": 1000, "max_neighbors": 32, "ef_construction": 200, "ef_search": 200,
}  # fmt: skip

Client: TypeAlias = Any
Collection: TypeAlias = Any
"""Chroma's own types say less than its calls take and give (`close`, lists of vectors)."""

Place: TypeAlias = tuple[str, str, MemoryType]
"""A namespace, the fingerprint of its embedder, and a type: what has a collection."""

Pairs = Iterable[tuple[str, Floats]]
Fetch = Callable[[MemoryType, Sequence[str]], Pairs]


class IndexFailure(Exception):
    """Say that the index does not answer; the record is not touched by it."""


class ChromaIndex:
    """The collections of one directory; `open` once before anything else."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._root, self._dirty = folder, folder / "index", folder / "index.dirty"
        self._client: Client | None = None
        self._unclean = self._failed = False
        self._collections: dict[str, Collection] = {}
        self._counts: dict[str, int] = {}
        """Rows of collections by name, where they are known."""
        self._fresh: defaultdict[Place, FreshRows] = defaultdict(FreshRows)

    @property
    def made(self) -> bool:
        """Whether there is one on disk."""
        return self._root.exists()

    def open(self, total: int) -> None:
        """Open the index over `total` rows of record; one that a kill may have broken is probed first."""
        self._unclean = self._dirty.exists()
        write_atomic(self._dirty, "")
        data = self._newest()
        with storage_errors(self._root):
            blank_unused(self._root)  # as a process that was killed left it
        if self._unclean and any(data.iterdir()) and (total <= SMALL or not _probe(data)):
            data = self._replaced(data)
        try:
            self._client = _guarded(partial(_connect, data))
        except IndexFailure as exc:
            logger.warning("The index %s cannot be opened and is made anew: %s", data, exc)
            self._client = _guarded(partial(_connect, self._replaced(data)))

    def reconcile(
        self, ns: str, fingerprint: str, wanted: Callable[[MemoryType], list[str]], fetch: Fetch
    ) -> int:
        """Bring a namespace's collections in step with the record; return how many rows were added."""
        self._drop_other_embedders(ns, fingerprint)
        added = 0
        for kind in MEMORY_TYPES:
            place = (ns, fingerprint, kind)
            self._settle(place)
            ids = wanted(kind)
            if not self._unclean and self._count(place) == len(ids):
                continue
            present = set(_guarded(partial(self._collection(place).get, include=[]))["ids"])
            missing = [row_id for row_id in ids if row_id not in present]
            self._delete(place, sorted(present - set(ids)))
            for i in range(0, len(missing), BATCH):
                self._insert(place, list(fetch(kind, missing[i : i + BATCH])))
            added += len(missing)
        return added

    def add(self, ns: str, fingerprint: str, kind: MemoryType, pairs: Sequence[tuple[str, Floats]]) -> None:
        """Add vectors; adding twice changes nothing."""
        place = (ns, fingerprint, kind)
        self._fresh[place].add(pairs)
        if len(self._fresh[place]) >= FRESH:
            self._settle(place)

    def _settle(self, place: Place) -> None:
        """Put what waits into its collection, but for what a reconciling has put in meanwhile.

        The graph of a collection loses rows where one of them is put in twice, beside many others.
        """
        if not (rows := self._fresh.pop(place, None)):
            return
        pairs = rows.pairs()
        if self._count(place):
            ask = partial(self._collection(place).get, ids=[row_id for row_id, _ in pairs], include=[])
            known = set(_guarded(ask)["ids"])
            pairs = [pair for pair in pairs if pair[0] not in known]
        self._insert(place, pairs)

    def _insert(self, place: Place, pairs: Sequence[tuple[str, Floats]]) -> None:
        collection = self._collection(place)
        self._counts.pop(_name(*place), None)
        for i in range(0, len(pairs), BATCH):
            part = pairs[i : i + BATCH]
            ids = [row_id for row_id, _ in part]
            vectors = [vector for _, vector in part]
            metadata = [{"memory_type": place[2]} for _ in part]
            _guarded(partial(collection.upsert, ids=ids, embeddings=vectors, metadatas=metadata))

    def remove(self, ns: str, fingerprint: str, kind: MemoryType, ids: Sequence[str]) -> None:
        """Remove vectors; ids that are not there change nothing."""
        if ids:
            self._fresh[ns, fingerprint, kind].remove(ids)
            self._delete((ns, fingerprint, kind), list(ids))

    def nearest(
        self, ns: str, fingerprint: str, asked: Sequence[tuple[MemoryType, Floats, int]]
    ) -> list[list[str]]:
        """Return for each type, vector and k the ids of the k nearest rows, nearest first."""
        found: dict[int, list[str]] = {}
        groups: list[tuple[MemoryType, int]] = [(kind, k) for kind, _, k in asked]
        for kind, k in dict.fromkeys(groups):
            alike = [n for n, (of, _, wanted) in enumerate(asked) if (of, wanted) == (kind, k)]
            nearest = self._nearest((ns, fingerprint, kind), [asked[n][1] for n in alike], k)
            found |= zip(alike, nearest, strict=True)
        return [found[n] for n in range(len(asked))]

    def _nearest(self, place: Place, vectors: Sequence[Floats], k: int) -> list[list[str]]:
        settled, fresh = self._query(place, vectors, k), self._fresh[place].distances(vectors)
        both = [{**old, **new} for old, new in zip(settled, fresh, strict=True)]
        return [sorted(distances, key=distances.__getitem__)[:k] for distances in both]

    def _query(self, place: Place, vectors: Sequence[Floats], k: int) -> list[dict[str, float]]:
        """Return for each vector the distances of its nearest rows of a collection, by id."""
        count = self._count(place)
        if count == 0:
            return [{} for _ in vectors]
        query = partial(self._collection(place).query, query_embeddings=list(vectors), include=["distances"])
        found = _guarded(partial(query, n_results=min(k, count)))
        return [
            dict(zip(ids, far, strict=True))
            for ids, far in zip(found["ids"], found["distances"], strict=True)
        ]

    def drop(self, ns: str, fingerprint: str) -> None:
        """Drop a namespace's collections of this embedder."""
        client = self._opened()
        for kind in MEMORY_TYPES:
            name = _name(ns, fingerprint, kind)
            self._fresh.pop((ns, fingerprint, kind), None)
            self._collections.pop(name, None)
            self._counts.pop(name, None)
            if name in {collection.name for collection in _guarded(client.list_collections)}:
                _guarded(partial(client.delete_collection, name))

    def close(self) -> None:
        """Put in what waits, release the index and mark its end as clean."""
        if self._client is None:
            return
        try:
            for place in [] if self._failed else list(self._fresh):
                self._settle(place)
        except IndexFailure as exc:
            logger.warning("The index did not take the last rows; the next start adds them: %s", exc)
            self.fail()
        client, self._client = self._client, None
        self._collections.clear()
        client.close()
        with storage_errors(self._root):
            blank_unused(self._root)
        if not self._failed:
            with storage_errors(self._dirty):
                self._dirty.unlink(missing_ok=True)

    def fail(self) -> None:
        """Leave the index marked when it is closed, so that the next start looks at it."""
        self._failed = True

    def _count(self, place: Place) -> int:
        name = _name(*place)
        if name not in self._counts:
            self._counts[name] = int(_guarded(self._collection(place).count))
        return self._counts[name]

    def _delete(self, place: Place, ids: list[str]) -> None:
        self._counts.pop(_name(*place), None)
        for i in range(0, len(ids), BATCH):
            _guarded(partial(self._collection(place).delete, ids=ids[i : i + BATCH]))

    def _collection(self, place: Place) -> Collection:
        name = _name(*place)
        if name not in self._collections:
            make = partial(self._opened().get_or_create_collection, name, embedding_function=None)
            self._collections[name] = _guarded(
                partial(make, configuration={"hnsw": _HNSW}, metadata={"memory_type": place[2]})
            )
        return self._collections[name]

    def _drop_other_embedders(self, ns: str, fingerprint: str) -> None:
        client, current = self._opened(), {_name(ns, fingerprint, kind) for kind in MEMORY_TYPES}
        for collection in _guarded(client.list_collections):
            if collection.name.startswith(f"ns-{ns}-") and collection.name not in current:
                _guarded(partial(client.delete_collection, collection.name))
        for place in [place for place in self._fresh if place[0] == ns and place[1] != fingerprint]:
            del self._fresh[place]

    def _opened(self) -> Client:
        if self._client is None:
            raise IndexFailure("The index is not open.")
        return self._client

    def _newest(self) -> Path:
        """Return the folder of the index; the numbers grow, as Chroma remembers a path it failed on."""
        ensure_folder(self._root)
        with storage_errors(self._root):
            numbers = [int(child.name) for child in self._root.iterdir() if child.name.isdigit()]
        return ensure_folder(self._root / str(max(numbers, default=1)))

    def _replaced(self, data: Path) -> Path:
        """Return a new, empty folder in place of a bad one, of which the last is kept as `bad`."""
        fresh = ensure_folder(self._root / str(int(data.name) + 1))
        with storage_errors(data):
            shutil.rmtree(self._root / "bad", ignore_errors=True)
            data.rename(self._root / "bad")
        return fresh


def _name(ns: str, fingerprint: str, kind: MemoryType) -> str:
    return f"ns-{ns}-{digest(fingerprint)[:12]}-{kind}"


def load() -> None:
    """Import Chroma, which takes a second, before an index is opened."""
    import chromadb  # noqa: F401


def _connect(folder: Path) -> Client:
    import chromadb
    from chromadb.config import Settings

    ensure_folder(folder)
    return chromadb.PersistentClient(str(folder.absolute()), settings=Settings(anonymized_telemetry=False))


def _guarded(call: Callable[[], Any]) -> Any:
    """Call Chroma and map whatever it raises to `IndexFailure`."""
    try:
        return call()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as exc:  # A panic of its Rust code is no Exception.
        raise IndexFailure(f"{type(exc).__name__}: {exc}") from exc


def _probe(folder: Path) -> bool:
    """Read a whole index in a child process, which a damaged one can kill; tell whether it held."""
    root = str(Path(__file__).resolve().parents[3])
    environ = {
        key: value for key, value in os.environ.items() if key in ("PATH", "SYSTEMROOT", "LANG", "TMPDIR")
    }
    environ["PYTHONPATH"] = root
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "ddax.memory.store.probe", str(folder)],
            env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROBE_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        logger.warning("The probe of %s did not end; the index is made anew.", folder)
        return False
    if done.returncode != 0:
        logger.warning(
            "The index %s is damaged (probe ended with %s) and is made anew.", folder, done.returncode
        )
    return done.returncode == 0
