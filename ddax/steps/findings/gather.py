"""Gather what a node needs from the memory: passages, hits, findings.

Recall runs for every node: what is gathered here is what this task committed in earlier steps, and
what others had left before the task opened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime

from ddax.errors import UNDONE
from ddax.graph.ports import Acts, Remembers
from ddax.graph.services import Session
from ddax.graph.state import State, Work
from ddax.ideas import dag
from ddax.ideas.idea import Ideas
from ddax.ideas.origins import Origins, join, of_kept, of_record
from ddax.ideas.requirements import without_wording
from ddax.memory.protocol import MANY, MemoryHit, RecallQuery
from ddax.memory.records import FENCED, REFLECTIONS, cut_before
from ddax.reasoning.budget import FREE
from ddax.reasoning.protocol import Brief, Finding
from ddax.reasoning.sourced import TOLD, UNKNOWN
from ddax.steps.accounts.leaf_ledger import TURNS
from ddax.steps.accounts.participants import writers
from ddax.steps.findings.bearing import bearing
from ddax.steps.findings.views import unlike_later
from ddax.types import Citation, Hit, Idea, JsonDict, Passage, Record, Usage

HITS = "hits"
CLAIMS = "claims"
TASKS = "tasks"
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LESSONS = 2
"""Lessons recalled for one decision."""
LIKE = 0.25
"""Similarity from which a lesson is recalled."""
VIEWS = 6
"""Views of a world that a text may rest on: the newest."""
PAGE = "page"
"""The kind of a part of a page that was read to be quoted."""


async def recall(state: State, session: Session, text: str) -> list[MemoryHit]:
    """Recall thoughts and observations for a text, as the settings bound them.

    What others read in a source of this run, and what it does not say any more, is left out.
    """
    bounds, work = session.settings.recall, state["work"]
    hits = await session.memory.recall(
        RecallQuery(
            text,
            work["id"],
            before_step=state.get("step", 0),
            now=work["opened"],
            n_thoughts=bounds.n_thoughts,
            m_observations=bounds.m_observations,
            budget=bounds.budget,
            min_score=bounds.min_score,
            trust=await writers(state, session),
        )
    )
    return [hit for hit in hits if hit.record.task == work["id"] or not _outdated(hit.record, session)]


def _outdated(record: Record, session: Acts) -> bool:
    return of_page(record) and session.library.holds(record.source, record.text) is False


def passages(hits: Iterable[MemoryHit]) -> tuple[Passage, ...]:
    """Turn recalled observations of pages into passages that may be quoted."""
    return tuple(
        as_passage(hit.record, hit.score)
        for hit in hits
        if hit.record.memory_type == "observation" and of_page(hit.record)
    )


def of_page(record: Record) -> bool:
    """Tell whether a row is a part of a page, also of one that an order in a browser has seen.

    The same words of a page are one row, which whoever saw them first has stored.
    """
    return record.meta.get("kind") == PAGE or "page" in record.meta


def thoughts(hits: Iterable[MemoryHit]) -> tuple[str, ...]:
    """Turn recalled internal thoughts into texts."""
    return tuple(hit.record.text for hit in hits if hit.record.memory_type == "internal_thought")


def thought_origins(hits: Iterable[MemoryHit]) -> Origins:
    """Return where the recalled internal thoughts come from."""
    own = (hit.record for hit in hits if hit.record.memory_type == "internal_thought")
    return join(*map(of_record, own))


def as_passage(record: Record, score: float) -> Passage:
    """Turn one stored row into a passage."""
    return Passage(
        record.id, record.source, record.title, record.text, record.start, record.end, score,
        cut=cut_before(record), fenced=bool(record.meta.get(FENCED)),
        origins=tuple(sorted(of_record(record))) if "origins" in record.meta or not record.source else (),
    )  # fmt: skip


def read_ids(state: State) -> list[str]:
    """Return the ids of the rows this task has read, in the order of the ideas that read them."""
    return [
        memory_id
        for idea in dag.subtree(state["ideas"], state["work"]["root"])
        if idea["kind"] == "leaf" and idea["step"] < state.get("step", 0)
        for memory_id in idea.get("evidence", [])
    ]


async def read_pages(state: State, session: Session) -> tuple[Passage, ...]:
    """Return the passages this task has read, in the order of the ideas that read them."""
    ids = read_ids(state)
    records = await session.memory.get(ids)
    views = {r.id: r for r in records if r.meta.get("kind") == "world" and "mark" in r.meta}
    kept = [views[i] for i in dict.fromkeys(ids) if i in views][-VIEWS:] if _reads_views(session) else []
    told = unlike_later({r.id: as_passage(r, 1.0) for r in kept})
    read = (as_passage(r, 1.0) if of_page(r) else told.get(r.id) for r in records)
    return tuple(passage for passage in read if passage is not None)


def _reads_views(session: Session) -> bool:
    """Tell whether what was seen of a world may be quoted: without a model, `browse` reads pages itself."""
    return "look" in session.actions and session.reasoner.name not in FREE


async def evidence(state: State, session: Session, text: str) -> tuple[Passage, ...]:
    """Return what was read in this task, then what is recalled for a text and bears on the task."""
    read = await read_pages(state, session)
    seen = {p.id for p in read}
    recalled = [p for p in passages(await recall(state, session, text)) if p.id not in seen]
    return read + bearing(await task_text(state, session), read, recalled)


async def found(state: State, session: Remembers) -> tuple[Passage, ...]:
    """Return the documents that searches and visits of this task have found, oldest first."""
    rows = await session.memory.rows(HITS, task=state["work"]["id"], limit=MANY)
    rows = [row for row in rows if row["step"] < state.get("step", 0)]
    rows.sort(key=lambda row: dag.sort_key(row["idea"]))
    return tuple(Passage(**hit) for row in rows for hit in row["hits"])


def visited(ideas: Ideas, root: str) -> tuple[str, ...]:
    """Return the sources a task has visited or is about to visit."""
    leaves = [i for i in dag.subtree(ideas, root) if i["kind"] == "leaf" and i["action"]["name"] == "visit"]
    return tuple(dict.fromkeys(str(leaf["action"]["args"].get("source", "")) for leaf in leaves))


def read_by(ideas: Ideas, root: str) -> Origins:
    """Return where everything comes from that a task has read so far."""
    return dag.origins(ideas, root)


def of_earlier(state: State) -> Origins:
    """Return where earlier turns of a thread come from: the user, and all that their tasks had read."""
    ideas, mine = state["ideas"], state["work"]["root"]
    return join(TOLD, *(read_by(ideas, root) for root in dag.roots(ideas) if root != mine))


def of_ideas(ideas: Ideas, ids: Iterable[str]) -> Origins:
    """Return where the words of ideas come from: what their plans and their results were read from."""
    return join(*(ideas[idea_id].get("origins", ()) for idea_id in ids if idea_id in ideas))


def of_chain(ideas: Ideas, idea: Idea) -> Origins:
    """Return where an idea comes from with all above it, whose words it was made of."""
    return of_ideas(ideas, [idea["id"], *(above["id"] for above in dag.ancestors(ideas, idea["id"]))])


async def findings(state: State, session: Session, needs: Iterable[str]) -> tuple[Finding, ...]:
    """Return the findings of finished ideas with the citations they were stored with."""
    ids = list(needs)
    # All at once: asked for one by one, each would be a trip to the record and back.
    asked = (session.memory.rows(CLAIMS, task=state["work"]["id"], idea=idea_id) for idea_id in ids)
    said = await _said(state, session, ids)
    return tuple(
        as_finding(
            state["ideas"][idea_id],
            tuple(Citation(**c) for row in rows for c in row["citations"]),
            str(state.get("failures", {}).get(idea_id, {}).get("cause", "")),
            said.get(idea_id, ""),
        )
        for idea_id, rows in zip(ids, await asyncio.gather(*asked), strict=True)
    )


async def _said(state: State, session: Session, ids: Iterable[str]) -> dict[str, str]:
    """Return what was said at the end of leaves of several turns, of which the state has the beginning."""
    found = {}
    for idea_id in ids:
        idea = state["ideas"][idea_id]
        action = session.actions.get(idea["action"]["name"]) if "action" in idea else None
        if action is not None and action.chain and idea["status"] == "done":
            rows = await session.memory.rows(TURNS, task=state["work"]["id"], leaf=idea_id, limit=MANY)
            found[idea_id] = "" if not rows or rows[-1]["calls"] else str(rows[-1]["text"])
    return found


def as_finding(idea: Idea, citations: tuple[Citation, ...], cause: str = "", said: str = "") -> Finding:
    """Turn a finished idea into a finding: a failed one with its reason, what was `said` and undone whole."""
    undone = idea["status"] == "failed" and idea.get("error", {}).get("kind") == UNDONE
    text = said or (cause if undone else "") or idea.get("result", "") or idea.get("reason", "")
    action = idea["action"]["name"] if "action" in idea else ""
    return Finding(idea["id"], idea["title"], idea["status"], text, citations, action)


def hit_row(hit: Hit, prefix: str) -> JsonDict:
    """Turn a hit into plain JSON; a prefix tells how it was found."""
    return {
        "id": prefix + hit.doc_id,
        "source": hit.source,
        "title": hit.title,
        "text": hit.snippet,
        "score": hit.score,
    }


def citation_row(citation: Citation) -> JsonDict:
    """Turn a citation into plain JSON."""
    return {
        "passage_id": citation.passage_id,
        "source": citation.source,
        "title": citation.title,
        "quote": citation.quote,
        "start": citation.start,
        "end": citation.end,
    }


async def lessons(state: State, session: Remembers, title: str) -> tuple[str, ...]:
    """Return what a human taught in this task, then the two lessons that fit the decision best.

    A reflection is recalled by the task and the idea together, at a similarity of 0.25 or more (dda-x 8.5).
    """
    work = state["work"]
    if not session.settings.rules.lessons:
        return tuple(work.get("taught", []))
    recalled = await session.memory.lessons(
        f"{work['text']} {title}", kind="policy", now=work["opened"], k=LESSONS, minimum=LIKE
    )
    return tuple(dict.fromkeys([*work.get("taught", []), *recalled]))


async def of_lessons(state: State, session: Remembers, texts: Iterable[str]) -> Origins:
    """Return where lessons come from: a human who taught them in this task, else what they were learned from.

    A lesson that says nothing of it, as those of older releases, may be private.
    """
    taught = state["work"].get("taught", [])
    asked = [session.memory.rows(REFLECTIONS, text=text, limit=MANY) for text in texts if text not in taught]
    found = await asyncio.gather(*asked)
    return join(TOLD, *(join(*map(of_kept, rows)) if rows else UNKNOWN for rows in found))


def usage_row(usage: Usage) -> JsonDict:
    """Turn what a reply cost into the row graph state adds up."""
    return usage.row()


async def whole_text(session: Session, work: str) -> str:
    """Return the text of a task as it was given; "" where none is kept."""
    if work not in session.texts:
        rows = await session.memory.rows(TASKS, task=work)
        if not rows:
            return ""
        session.texts[work] = str(rows[0]["text"])
    return session.texts[work]


def brief_of(state: State, session: Session) -> Brief:
    """Return what holds for the whole task beside its words: the day it was opened, who the agent is.

    Without a model nobody reads it, and nothing is known but what the sources say.
    """
    return brief_from(state["work"], session)


def brief_from(work: Work, session: Session) -> Brief:
    """Return the same for a leaf, which has no state."""
    if session.reasoner.name in FREE:
        return Brief()
    opened = datetime.fromtimestamp(float(work.get("opened", 0.0)), UTC)
    return Brief(
        today=f"{opened:%Y-%m-%d} ({DAYS[opened.weekday()]})",
        identity=session.identity.statement,
        instructions=session.settings.instructions,
        knowledge=session.settings.knowledge,
    )


def asked(work: Work) -> str:
    """Return the question of a task as it is looked for: as it is meant after the turn before it."""
    return work.get("read_as") or work.get("text", "")


async def task_text(state: State, session: Session) -> str:
    """Return the whole text of the task, a follow-up as it is meant; graph state holds only its beginning.

    The embedded reasoner gets it without the sentences on how to word the answer: it would look for
    them in the sources, and `close` holds them anyway.
    """
    text = state["work"].get("read_as") or await _given(state, session)
    return without_wording(text) if session.reasoner.name == "embedded" else text


async def told_text(state: State, session: Session) -> str:
    """Return the task for a request that tells the earlier turns too: to a model as it was given."""
    if session.reasoner.name in FREE:
        return await task_text(state, session)
    return await _given(state, session)


async def _given(state: State, session: Session) -> str:
    return await whole_text(session, state["work"]["id"]) or state["work"]["text"]


def of_task(state: State) -> Origins:
    """Return where the text of the task comes from: a follow-up is completed from earlier answers."""
    return join(TOLD, of_ideas(state["ideas"], [state["work"]["root"]]))
