"""What a leaf has read: stored, and read by a model at the same time.

Weighing and storing a page takes as long as its texts take to be embedded, and nothing that is sent to a
model hangs on that: the rows of a page are known before. So is most of what the judge of the outcome will
ask the encoder for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from ddax.debate.task_rubric import task_rubric
from ddax.dynamics.doubt import by_cut
from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.graph.state import LeafPacket, Work
from ddax.ideas.idea import MAX_EVIDENCE, RESULT_BYTES, clip
from ddax.ideas.origins import NOWHERE, Origins
from ddax.memory.gate.write_gate import beside_orders
from ddax.memory.protocol import FORGOTTEN
from ddax.memory.records import LARGE, Row, rows_of
from ddax.reasoning.budget import FREE
from ddax.reasoning.free import FreeReasoner
from ddax.reasoning.protocol import Extraction, ExtractRequest, JudgeRequest, Reasoner
from ddax.reasoning.sourced import FIXED, TOLD, of_passages, of_request, sourced
from ddax.steps.accounts.ceremonies import Chance, holds
from ddax.steps.accounts.judges import has_own_rubric
from ddax.steps.findings.gather import CLAIMS, PAGE, as_passage, citation_row, of_page, whole_text
from ddax.steps.findings.long_reading import fitted
from ddax.steps.findings.quick_road import ASKED, is_quick
from ddax.steps.findings.value_needed import always_asked
from ddax.types import Passage, Record

UNREAD = "unread"
"""The log of pages that wait for the other leaves of their step."""


@dataclass(frozen=True)
class Kept:
    """The ids of the rows a leaf may link to, what was read in them, what this cites, and its origins.

    `waits` says that the pages are read when all leaves of the step have ended, with those of the others.
    """

    ids: list[str] = field(default_factory=list)
    summary: str = ""
    cited: frozenset[str] = frozenset()
    origins: Origins = NOWHERE
    waits: bool = False

    @property
    def linked(self) -> list[str]:
        """Return the ids a leaf links to, in their order; what is cited comes before the rest of a page."""
        return linked(self.ids, self.cited)


def linked(ids: Sequence[str], cited: frozenset[str]) -> list[str]:
    """Return the ids a leaf links to, in their order; what is cited comes before the rest of a page."""
    first = sorted(ids, key=lambda i: i not in cited)[:MAX_EVIDENCE]
    return [i for i in ids if i in first]


async def keep(packet: LeafPacket, records: Sequence[Record], session: Session) -> Kept:
    """Store what a leaf brought, and take the claims of the pages among it, quarantined: without tools.

    A model begins to read while they are stored. Where a claim cites a row that was not stored after all
    (it repeats another one), the rows that stand for it are read. A leaf that brought no page to be read
    has said what it did: the rows that stand for its own are not read in its place.
    """
    if not records:
        return Kept()
    pages = [record for record in records if _to_be_read(record)]
    reader = _reader(packet, session, pages)
    if pages and reader is not session.free and _waits(packet, session):
        ids = await session.memory.put(records)
        await _note_unread(packet, ids, session)
        return Kept(ids, waits=True, origins=await _came(ids, session))
    soon = await _foreseen(session, pages) if reader.name not in FREE else []
    ids, early = await _both(packet, records, soon, reader, session)
    found = await _cited(packet, ids, early, reader, session) if pages else None
    if found is None:
        return Kept(ids)
    if early is not None:  # its surprise is asked for as soon as all leaves have ended
        session.ahead.want(lambda: [clip(found.summary, RESULT_BYTES)])
    await _log(packet, found, session)
    cited = frozenset(claim.citation.passage_id for claim in found.claims)
    return Kept(ids, found.summary, cited, await _came(ids, session))


def _waits(packet: LeafPacket, session: Session) -> bool:
    """Tell whether the pages of a leaf are read with those of the leaves beside it."""
    return packet.get("beside", 1) > 1 and bool(getattr(session.reasoner, "answers_together", False))


async def _note_unread(packet: LeafPacket, ids: Sequence[str], session: Session) -> None:
    row = {
        "task": packet["work"]["id"], "idea": packet["leaf"], "step": packet["step"], "ids": list(ids),
        "intent": packet["action"].get("intent", "") or packet["expected"], "place": place_of(packet),
        "origins": list(packet["origins"]),
    }  # fmt: skip
    await session.memory.log(UNREAD, row, key=place_of(packet))


async def _came(ids: Sequence[str], session: Remembers) -> Origins:
    """Return where what was read comes from; a row that stood for another may have its own to tell."""
    rows = await session.memory.get(ids)
    return of_passages(as_passage(row, 1.0) for row in rows if of_page(row))


async def _both(
    packet: LeafPacket, records: Sequence[Record], soon: Sequence[Record], reader: Reasoner, session: Session
) -> tuple[list[str], Extraction | None]:
    """Store rows while those that are expected to be stored are read; what is not stored is not read on."""
    if not soon:
        return await session.memory.put(records), None
    request = await _request(packet, soon, session)
    reading = asyncio.create_task(reader.extract(request))
    try:
        ids = await session.memory.put(records)
        if packet.get("left") == 0 and not always_asked(session):
            own = has_own_rubric(session)
            title = packet.get("title", "")
            session.ahead.want(partial(texts_for_judge, request, title, session.free, own=own))
        return ids, await reading
    except BaseException:
        reading.cancel()
        await asyncio.wait({reading})  # what it cost is noted as it ends
        raise


async def _cited(
    packet: LeafPacket, ids: Sequence[str], early: Extraction | None, reader: Reasoner, session: Session
) -> Extraction | None:
    """Return claims that cite stored rows alone; None without a page."""
    if early is not None and all(claim.citation.passage_id in ids for claim in early.claims):
        return early
    pages = [r for r in await session.memory.get(ids) if of_page(r)]
    if not pages:
        return None
    return await reader.extract(await _request(packet, pages, session))


def texts_for_judge(request: ExtractRequest, title: str, judge: FreeReasoner, *, own: bool) -> list[str]:
    """Return what the judge of an outcome will ask the encoder for, but for the outcome itself.

    With `own` that is also what the task demands beside its question.
    """
    rubric = tuple(criterion.name for criterion in task_rubric(request.task).criteria) if own else ()
    came = of_request(request)
    judged = sourced(
        JudgeRequest(request.task, title, "", "", request.passages, rubric=rubric),
        task=came, idea=came, result=FIXED, expected=FIXED, evidence=came, arguments=FIXED, lessons=FIXED,
        rubric=came, others=FIXED,
    )  # fmt: skip
    return judge.embedded_to_judge(judged)


async def _foreseen(session: Remembers, pages: Sequence[Record]) -> list[Record]:
    """Return the rows of pages as they will be stored, with their ids, unless they repeat others."""
    make = partial(_as_stored, pages, session.memory.namespace)
    large = sum(len(page.text) for page in pages) > LARGE
    rows = await asyncio.to_thread(make) if large else make()
    keys = [key for row in rows for key in (row.record.id, row.near)]
    graves = await session.memory.upkeep.tombstones(keys) if rows else []
    forgotten = {key for grave in graves if grave.reason == FORGOTTEN for key in (grave.id, grave.near)}
    return [row.record for row in rows if not forgotten & {row.record.id, row.near}]


def _as_stored(pages: Sequence[Record], namespace: str) -> list[Row]:
    left = [piece for page in pages for piece in beside_orders(page)]
    first: dict[str, Row] = {}
    for row in rows_of(left, namespace=namespace, now=1.0):
        first.setdefault(row.near, row)  # of near-exact duplicates the first is stored
    return list(first.values())


def _to_be_read(record: Record) -> bool:
    return record.meta.get("kind") == PAGE


async def _request(packet: LeafPacket, pages: Sequence[Record], session: Session) -> ExtractRequest:
    intent = packet["action"].get("intent", "") or packet["expected"]
    passages = tuple(as_passage(r, 1.0) for r in pages)
    return await request_of(
        passages, session, task=packet["work"], leaf=packet["leaf"], intent=intent, origins=packet["origins"]
    )


async def request_of(
    passages: tuple[Passage, ...], session: Session, *, task: Work, leaf: str, intent: str,
    origins: Sequence[str],
) -> ExtractRequest:  # fmt: skip
    """Return the request for the claims of a leaf's pages: of long ones what bears most on the question."""
    text = await whole_text(session, task["id"]) or task.get("text", "")
    if not is_quick(task):
        what = f"the claims of {leaf}"
        passages = await fitted(passages, f"{text[:ASKED]} {intent}", session, task=task["id"], what=what)
    request = ExtractRequest(text, intent, passages)
    return sourced(request, task=TOLD, intent=origins, passages=of_passages(request.passages), others=FIXED)


async def _log(packet: LeafPacket, found: Extraction, session: Remembers) -> None:
    task, leaf = packet["work"]["id"], packet["leaf"]
    citations = [citation_row(claim.citation) for claim in found.claims]
    row = {"task": task, "idea": leaf, "step": packet["step"], "citations": citations}
    await session.memory.log(CLAIMS, row, key=place_of(packet))


def place_of(packet: LeafPacket) -> str:
    """Return the key of what a leaf logs once: of each call in a chain, one of its own."""
    leaf = f"{packet['work']['id']}:{packet['leaf']}"
    return f"{leaf}:{packet['turn']}" if "turn" in packet else leaf


def _reader(packet: LeafPacket, session: Session, pages: Sequence[Record]) -> Reasoner:
    """Return who takes the claims: nobody is paid to say which lines of a very short document matter.

    Whoever plans and whoever puts together is given it whole.
    """
    if is_quick(packet["work"]) or "turn" in packet:  # whoever chooses the next call reads it whole
        return session.free
    if pages and session.reasoner.name not in FREE and not _is_worth(packet, session, pages):
        return session.free
    return session.metered(packet["work"]["id"], packet["usage"])


def _is_worth(packet: LeafPacket, session: Session, pages: Sequence[Record]) -> bool:
    """Tell whether claims are worth their price: what the synthesis is given whole needs none taken."""
    settings = session.settings.models
    length, beside = sum(len(page.text) for page in pages), max(1, packet.get("beside", 1))
    if settings.quote_below == 0:
        change, why = 1.0, "the settings ask for it"
    elif length < settings.quote_below:
        change, why = 0.0, "it is short, and goes whole to the synthesis"
    else:
        change = by_cut(length * beside, settings.passages)
        why = f"of {length:,} characters" + (f", {beside} such pages at once" if beside > 1 else "")
    return holds(
        packet,
        session,
        Chance(
            "extract",
            packet["leaf"],
            change=change,
            stakes=1 / beside,
            characters=min(length, settings.passages),
            needed=settings.quote_below == 0,
            why=why,
        ),
    )
