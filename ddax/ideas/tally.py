"""The digest of a DAG as a tree of hashes over all ideas, kept up idea by idea.

Each idea has a hash of its whole content, and falls by the hash of its id into one of 256 buckets; a
bucket is hashed over its ideas in the order of their ids, the DAG over its buckets. So the digest depends
on the ideas alone, not on the order or the steps in which they came; and a changed idea costs its own hash,
that of its bucket and that of the 256 buckets.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from ddax.types import Idea

BUCKETS = 256


@dataclass(frozen=True)
class Tally:
    """The hashes of the ideas by bucket, those of the buckets, and the one of the whole DAG."""

    marks: tuple[Mapping[str, bytes], ...]
    hashes: tuple[bytes, ...]
    root: str

    @classmethod
    def of(cls, ideas: Mapping[str, Idea]) -> Tally:
        """Hash a whole DAG."""
        none = cls(({},) * BUCKETS, (sha256(b"").digest(),) * BUCKETS, "")
        return none.after(ideas, ideas)

    def after(self, ideas: Mapping[str, Idea], changed: Iterable[str]) -> Tally:
        """Return the tally of a DAG that differs from this one's in these ideas alone."""
        marks, hashes = list(self.marks), list(self.hashes)
        new: dict[int, dict[str, bytes]] = {}
        for idea_id in changed:
            place = sha256(idea_id.encode("utf-8", "surrogatepass")).digest()[0]
            if place not in new:
                marks[place] = new[place] = dict(marks[place])
            new[place][idea_id] = mark(idea_id, ideas[idea_id])
        for place, mine in new.items():
            hashes[place] = sha256(b"".join(mine[i] for i in sorted(mine))).digest()
        return Tally(tuple(marks), tuple(hashes), sha256(b"".join(hashes)).hexdigest())


def mark(idea_id: str, idea: Idea) -> bytes:
    """Return the hash of an idea with all it holds, its id included."""
    text = json.dumps([idea_id, idea], sort_keys=True, ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
