"""The write gate: what is a duplicate, an echo, unsupported or an order from outside is not stored.

It stands before a memory and speaks its protocol. Whether a row is let in depends only on what its
task can see at that step, so that a resumed run stores what the undisturbed one stored.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Any

from ddax.configs.secrets import Redactor
from ddax.ideas.origins import USER, of_record
from ddax.memory.gate.contradictions import contradictions, superseded
from ddax.memory.gate.instructions import instruction_spans, without
from ddax.memory.gate.statement_pairs import echoes, same, statements
from ddax.memory.protocol import FORGOTTEN, Found, Memory, MemoryHit, RecallQuery, Relation
from ddax.memory.records import CUT, FENCED, cut_before, digest, normalised, rows_of
from ddax.memory.scoring import is_met
from ddax.text.chunks import Span, fences, is_fenced
from ddax.types import Document, EntailmentCheck, JsonDict, MemoryType, Record

NEIGHBOURS = 8
"""Stored rows a new one is compared with."""
NEAR = 0.5
"""Similarity below which a row is not looked at."""
AT_HAND = 10_000_000
"""Characters of the whole pages that are kept at hand: in them is looked for what older rows say."""
WEIGHED = 64
"""Rows of one put that are weighed at a time; what these ask of encoder and record is one question."""
MIN_SUPPORTED = 0.5
"""Share of a claim's sentences that what it cites must carry."""
EXCERPT = 120
REFUSALS = "refusals"


@dataclass(frozen=True)
class Ruling:
    """What becomes of a record: let in, or refused for a reason in favour of a row that is there."""

    record: Record
    reason: str = ""
    of: str = ""
    against: tuple[Relation, ...] = ()


class GatedMemory:
    """A memory with the gate before it; everything but `put` goes straight through."""

    def __init__(self, inner: Memory, check: EntailmentCheck, redactor: Redactor | None = None) -> None:
        self.namespace, self.upkeep = inner.namespace, inner.upkeep
        self._redactor = redactor or Redactor()
        self.inner, self._check = inner, check
        self._pages: OrderedDict[str, str] = OrderedDict()
        self._at_hand = 0

    async def put(self, records: Sequence[Record]) -> list[str]:
        """Store what the gate lets in and return ids, in order.

        A duplicate or echo has the id of the row it repeats; what is refused otherwise has none.
        """
        rulings: list[Ruling] = []
        for first in range(0, len(records), WEIGHED):
            part = [self._redactor.value(record) for record in records[first : first + WEIGHED]]
            rulings += chain.from_iterable(await asyncio.gather(*map(self._rule, part)))
        passed = _once(rulings)
        stored = await self.inner.put([ruling.record for ruling in passed])
        ids = {id(ruling): row_id for ruling, row_id in zip(passed, stored, strict=True)}
        await self.inner.upkeep.relate([*_known(rulings, ids)])
        await asyncio.gather(*(self._count(ruling) for ruling in rulings if ruling.reason))
        every = [ids.get(id(ruling)) or ruling.of for ruling in rulings]
        return list(dict.fromkeys(row_id for row_id in every if row_id))

    async def _rule(self, record: Record) -> list[Ruling]:
        """Rule on one record; one with orders in it falls into what is left beside them."""
        left = beside_orders(record)
        refused = [] if left == [record] else [Ruling(record, "instructions")]
        return [*refused, *[await self._weigh(piece) for piece in left]]

    async def _weigh(self, record: Record) -> Ruling:
        (row,) = rows_of([record], namespace=self.namespace, now=1.0)
        stones = await self.upkeep.tombstones([row.record.id, row.near])
        if any(stone.reason == FORGOTTEN for stone in stones):
            return Ruling(record, "forgotten")
        hits = await self._near(record)
        grounds = await self._cited(*(hit.record for hit in hits))
        outdated = self._outdated(record, [*(hit.record for hit in hits), *grounds])
        for hit in hits:
            if _alike(record, hit.record):
                exact = normalised(hit.record.text) == normalised(row.record.text)
                reason = "duplicate" if exact else "near duplicate"
                return Ruling(record, reason, hit.record.id, outdated)
        repeated = [hit for hit in hits if _may_repeat(record, hit.record)]
        if not record.source and echoes(record.text, [hit.record.text for hit in repeated]):
            # What it cites may differ all the same, and nothing else may have put it side by side yet.
            return Ruling(record, "echo", repeated[0].record.id, await self._against(record, []))
        if not await self._supported(record):
            return Ruling(record, "unsupported")
        gone = {relation.older for relation in outdated} | await self._superseded(grounds, record)
        # What was concluded from what its source says no more is no witness against what it says now.
        near = [hit.record for hit in hits if gone.isdisjoint((hit.record.id, *_cites(hit.record)))]
        return Ruling(record, against=(*outdated, *await self._against(record, near)))

    def _outdated(self, record: Record, near: Sequence[Record]) -> tuple[Relation, ...]:
        """Return the relations to what a source said near a row in an earlier version, and says no more."""
        text = self._pages.get(str(record.meta.get("page", "")))
        return () if text is None else superseded(record, near, text)

    async def _superseded(self, rows: Sequence[Record], record: Record) -> set[str]:
        """Return the ids of those rows that are superseded as far as the task of a record can see."""
        told = await self.upkeep.relations([row.id for row in rows]) if rows else []
        query = _as_seen_by(record)
        return {one.older for one in told if one.kind == "supersedes" and is_met(one, query)}

    async def _near(self, record: Record) -> list[MemoryHit]:
        query = _as_seen_by(record)
        # A text of several sentences may repeat several rows, each of which is near to one of them only.
        parts = statements(record.text) if not record.source else []
        texts = [record.text, *(parts if len(parts) > 1 else [])]
        found = await self.inner.similar(texts, query, k=NEIGHBOURS)
        hits = {hit.record.id: hit for hits in reversed(found) for hit in hits if hit.similarity >= NEAR}
        return sorted(hits.values(), key=lambda hit: (-hit.similarity, hit.record.id))

    async def _supported(self, record: Record) -> bool:
        """Tell whether a claim is carried by the rows it cites; one that cites nothing claims nothing."""
        if not record.meta.get("cites"):
            return True
        premises = [row.text for row in await self._cited(record)]
        claims = statements(record.text)
        return await asyncio.to_thread(self._enough, premises, claims)

    def _enough(self, premises: list[str], claims: list[str]) -> bool:
        carried = sum(any(self._carries(premise, claim) for premise in premises) for claim in claims)
        return carried >= MIN_SUPPORTED * len(claims)

    def _carries(self, premise: str, claim: str) -> bool:
        if " ".join(claim.split()).casefold().strip(" .") in " ".join(premise.split()).casefold():
            return True
        return self._check(premise, claim).relation == "entailment"

    async def _against(self, record: Record, near: Sequence[Record]) -> tuple[Relation, ...]:
        """Return the relations a row brings that are not known yet."""
        cited = await self._cited(record)
        if not near and not cited:
            return ()
        found = await asyncio.to_thread(contradictions, record, near, cited, self._check)
        told = await self.upkeep.relations([row.id for row in cited]) if cited else []
        known = {frozenset((relation.newer, relation.older)) for relation in told}
        return tuple(one for one in found if frozenset((one.newer, one.older)) not in known)

    async def _cited(self, *records: Record) -> list[Record]:
        ids = dict.fromkeys(item for record in records for item in _cites(record))
        return await self.inner.get([*ids]) if ids else []

    async def _count(self, ruling: Ruling) -> None:
        record = ruling.record
        row: JsonDict = {
            "reason": ruling.reason, "task": record.task, "idea": record.idea, "step": record.step,
            "source": record.source, "of": ruling.of, "digest": digest(record.text)[:16],
            "at": record.created,
        }  # fmt: skip
        if ruling.reason not in ("instructions", "forgotten"):
            # Poison and what was to be forgotten must not live on in the log.
            row["excerpt"] = " ".join(record.text.split())[:EXCERPT]
        key = f"{record.task}:{record.idea}:{record.step}:{ruling.reason}:{row['digest']}"
        await self.inner.log(REFUSALS, row, key=key)

    async def get(self, ids: Sequence[str]) -> list[Record]:
        """Return the rows that exist, in the order asked for."""
        return await self.inner.get(ids)

    async def recall(self, query: RecallQuery) -> list[MemoryHit]:
        """Return the best visible rows, thoughts then observations, each best first."""
        return await self.inner.recall(query)

    async def similar(self, texts: Sequence[str], query: RecallQuery, *, k: int = 5) -> list[list[MemoryHit]]:
        """Return for each text the k visible rows nearest to it."""
        return await self.inner.similar(texts, query, k=k)

    async def put_page(self, document: Document) -> str:
        """Store a whole page by content hash and return the hash."""
        page = self._redactor.value(document)
        if page.doc_id not in self._pages:  # an id is a hash of the text
            self._pages[page.doc_id] = page.text
            self._at_hand += len(page.text)
        while self._at_hand > AT_HAND and len(self._pages) > 1:
            self._at_hand -= len(self._pages.popitem(last=False)[1])
        return await self.inner.put_page(page)

    async def get_page(self, page_hash: str) -> Document | None:
        """Return a stored page."""
        return await self.inner.get_page(page_hash)

    async def log(self, table: str, row: JsonDict, *, key: str) -> None:
        """Append a row to a named log; idempotent by key."""
        await self.inner.log(table, self._redactor.value(row), key=key)

    async def rows(
        self, table: str, *, limit: int = 1000, committed_before: float = float("inf"), **equals: Any
    ) -> list[JsonDict]:
        """Return rows of a log, oldest first."""
        return await self.inner.rows(table, limit=limit, committed_before=committed_before, **equals)

    async def find(
        self, table: str, text: str, *, now: float, k: int = 5, minimum: float = 0.25
    ) -> list[Found]:
        """Return the rows of a log nearest to a text."""
        return await self.inner.find(table, text, now=now, k=k, minimum=minimum)

    async def lessons(
        self, text: str, *, kind: str, now: float, k: int = 2, minimum: float = 0.25
    ) -> list[str]:
        """Recall reflections of a kind."""
        return await self.inner.lessons(text, kind=kind, now=now, k=k, minimum=minimum)

    async def count(self, memory_type: MemoryType) -> int:
        """Count the rows of one type."""
        return await self.inner.count(memory_type)

    async def close(self) -> None:
        """Flush and release the directory."""
        await self.inner.close()


def beside_orders(record: Record) -> list[Record]:
    """Return what is left of a record beside the orders in it: itself where it has none, or is the user's."""
    orders = () if of_record(record) == {USER} else _orders(record.text)
    if not orders:
        return [record]
    left = [_piece(record, span.start, span.end) for span in _rest(record.text)]
    return _placed(left) if record.source and record.start == cut_before(record) else left


def only_orders(text: str) -> bool:
    """Tell whether nothing is left of a text beside the orders in it."""
    return bool(_orders(text)) and not _rest(text)


def _rest(text: str) -> list[Span]:
    """Return what a text says beside the orders in it."""
    left = without(text, [*_orders(text)])
    return [span for span in left if statements(text[span.start : span.end])]


@lru_cache(maxsize=64)
def _orders(text: str) -> tuple[Span, ...]:
    """Return the orders in a text; who reads it while it is stored asks for them as well."""
    return tuple(instruction_spans(text))


def _piece(record: Record, start: int, end: int) -> Record:
    """Return a part of a record, at its own place in the document."""
    begin = record.start + start
    inside = is_fenced(fences(record.text), start) != bool(record.meta.get(FENCED))
    meta = {name: value for name, value in record.meta.items() if name != FENCED}
    meta |= {FENCED: True} if inside else {}
    return replace(record, text=record.text[start:end], start=begin, end=begin + end - start, meta=meta)


def _placed(pieces: Sequence[Record]) -> list[Record]:
    """Return the parts of a document's first record, each with the characters that were cut before it.

    Who writes an order above a text must not take its opening away: a document is known by that.
    """
    placed: list[Record] = []
    kept = 0
    for piece in pieces:
        cut = piece.start - kept
        placed.append(replace(piece, meta={**piece.meta, CUT: cut}) if cut else piece)
        kept += len(piece.text)
    return placed


def _cites(record: Record) -> list[str]:
    return [str(item) for item in record.meta.get("cites") or ()]


def _as_seen_by(record: Record) -> RecallQuery:
    """Return the query for a record by what its task can see: nothing others wrote since the task opened."""
    # A task opens at the time its rows say they were created.
    now = record.created if record.task and record.created else float("inf")
    return RecallQuery(record.text, record.task, before_step=record.step, now=now)


def _alike(new: Record, old: Record) -> bool:
    """Tell whether an old row says what the new one says; another source is not a duplicate but a witness."""
    return new.memory_type == old.memory_type and new.source == old.source and same(new.text, old.text)


def _may_repeat(new: Record, old: Record) -> bool:
    """Tell whether a row counts as something the new one could only repeat.

    A conclusion that cites what it rests on is made of its observations; it repeats only thoughts.
    """
    return not new.meta.get("cites") or old.memory_type == "internal_thought"


def _known(rulings: Sequence[Ruling], ids: Mapping[int, str]) -> Iterator[Relation]:
    """Yield the relations whose rows are both there; the newer one is the row that was let in, or named."""
    for ruling in rulings:
        for relation in ruling.against:
            newer = relation.newer or ids.get(id(ruling), "")
            if newer and newer != relation.older:
                yield replace(relation, newer=newer)


def _once(rulings: Sequence[Ruling]) -> list[Ruling]:
    """Return what is to be written: what was let in, and exact duplicates, so that they count as seen."""
    return [ruling for ruling in rulings if ruling.reason in ("", "duplicate")]
