"""Read a whole index in a process of its own: `python -m ddax.memory.store.probe FOLDER`.

Ends with 0 where every vector can be read and found; a damaged index makes it fail or kills it.
"""

from __future__ import annotations

import sys
from typing import Any

_BATCH = 1000


def probe(folder: str) -> int:
    """Return 0 where every collection counts, gives its vectors and answers a query; else 1."""
    import chromadb
    from chromadb.config import Settings

    client: Any = chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False))
    for collection in client.list_collections():
        count = collection.count()
        for offset in range(0, count, _BATCH):
            part = collection.get(limit=_BATCH, offset=offset, include=["embeddings"])
            vectors = part["embeddings"]
            if vectors is None or len(vectors) != min(_BATCH, count - offset):
                return 1
            found = collection.query(query_embeddings=[vectors[0]], n_results=1, include=["distances"])
            if len(found["ids"][0]) != 1:
                return 1
    client.close()
    return 0


if __name__ == "__main__":
    sys.exit(probe(sys.argv[1]))
