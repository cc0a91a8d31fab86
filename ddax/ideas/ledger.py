"""The decision ledger as a chain of hashes: seal an entry, and prove that a whole ledger is unchanged.

Pure: takes rows as they were stored. Leaves out where they are kept (`ddax.steps.accounts.decision_record`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from typing import NamedTuple

from ddax.types import JsonDict

VERSION = 2
"""Of an entry: 2 has the digest of `ddax.ideas.tally` under `state`; entries without a version have the
SHA-256 of the ideas as one JSON text there. The chain is the same in both."""
HASH = "hash"
BEFORE = "before"
DIGITS = 32
"""Hexadecimal digits of a hash that are kept: 128 bits."""


class Fault(NamedTuple):
    """What is wrong with a ledger: `kind` is changed, removed or reordered; `step` 0 where unknown."""

    kind: str
    step: int
    what: str


class Proof(NamedTuple):
    """The outcome of a check: how many entries the chain has, what is wrong, and what lies beside it.

    `beside` counts sealed entries that the newest one does not rest on, as a fork or a kill between
    decision and checkpoint leaves them.
    """

    entries: int
    faults: tuple[Fault, ...]
    beside: int


def seal(entry: JsonDict) -> JsonDict:
    """Return an entry with the hash of all its values, the hash of the one before included."""
    bare = {key: value for key, value in entry.items() if key != HASH}
    text = json.dumps(bare, sort_keys=True, ensure_ascii=False)
    return {**bare, HASH: sha256(text.encode("utf-8", "replace")).hexdigest()[:DIGITS]}


def prove(rows: Sequence[JsonDict], head: str) -> Proof:
    """Check a ledger, in the order it was stored, against the hash of its newest entry (`head`).

    The head is kept elsewhere (in the checkpoint), so that a ledger that was cut short or sealed anew
    is found as well. Every changed, removed or reordered row is a fault.
    """
    place = {str(row.get(HASH, "")): k for k, row in enumerate(rows)}
    chain, faults = _walk(rows, place, head)
    on_chain = set(chain)
    for k, row in enumerate(rows):
        if seal(row)[HASH] != row.get(HASH):
            faults.append(
                Fault("changed", _step(row), f"the entry of step {_step(row)} is not what was sealed")
            )
            on_chain.add(k)
    for later, earlier in pairwise(chain):
        if earlier > later:
            step = _step(rows[earlier])
            faults.append(Fault("reordered", step, f"the entry of step {step} stands behind its successor"))
    return Proof(len(chain), tuple(sorted(faults, key=lambda f: f.step)), len(rows) - len(on_chain))


def _walk(rows: Sequence[JsonDict], place: dict[str, int], head: str) -> tuple[list[int], list[Fault]]:
    """Follow the chain from the newest entry back; return the places passed, newest first."""
    chain: list[int] = []
    wanted, after = head, 0
    while wanted:
        if wanted not in place or place[wanted] in chain:
            where = f"before step {after}" if after else "that the newest checkpoint names"
            return chain, [Fault("removed", max(0, after - 1), f"the entry {where} is missing")]
        chain.append(place[wanted])
        row = rows[chain[-1]]
        wanted, after = str(row.get(BEFORE, "")), _step(row)
    return chain, []


def _step(row: JsonDict) -> int:
    step = row.get("step", 0)
    return step if isinstance(step, int) else 0
