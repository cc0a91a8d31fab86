"""Everything known of the ideas of a thread: what each saw, did, expected, got, and how it was judged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ddax.memory.records import HANDED_ON, branched
from ddax.metacognition.matrices import ACTIONS, STATES
from ddax.types import JsonDict

if TYPE_CHECKING:
    from ddax.graph.threads.manifests import RunInfo
    from ddax.types import Document, Record
    from ddax.viewer.reading import Reader

LOGS = ("ledger", "debates", "claims", "repairs", "imagined", "results", "cooldowns", "approvals", "moods")
"""Logs whose rows name the idea, as `idea` or as `leaf`."""
PAGE = 20_000
"""Characters of a stored page that are shown, around what is quoted."""
AROUND = 4_000


@dataclass
class Logs:
    """The rows of the logs of one thread, grouped once."""

    by_idea: dict[str, dict[str, list[JsonDict]]] = field(default_factory=dict)
    decisions: list[JsonDict] = field(default_factory=list)
    calls: list[JsonDict] = field(default_factory=list)

    def of(self, idea: str) -> dict[str, list[JsonDict]]:
        """Return the rows of an idea by log."""
        return self.by_idea.get(idea, {})


async def logs_of(reader: Reader, info: RunInfo, tasks: Iterable[str]) -> Logs:
    """Return the logs of the tasks of a thread."""
    logs = Logs()
    for task in dict.fromkeys(tasks):
        for name in LOGS:
            for row in await reader.rows(info, name, task=task):
                idea = str(row.get("idea") or row.get("leaf") or "")
                kept = {key: value for key, value in row.items() if key not in HIDDEN}
                logs.by_idea.setdefault(idea, {}).setdefault(name, []).append(kept)
    source = info.thread_id
    while source:  # what a fork rests on stands in the ledger of the thread it left
        logs.decisions = [*await reader.rows(info, "decisions", thread=source), *logs.decisions]
        known = await asyncio.to_thread(reader.runs.load, source)
        source = known.forked_from if known is not None else ""
    logs.calls = [
        {"node": row["node"], "step": row["step"], **call}
        for row in await reader.rows(info, "calls", thread=info.thread_id)
        for call in row.get("calls", ())
    ]
    return logs


HIDDEN = frozenset({"x", "task", "key", "idem", "content"})


async def detail(
    reader: Reader, info: RunInfo, idea: Mapping[str, Any], logs: Logs
) -> tuple[JsonDict, dict[str, list[JsonDict]]]:
    """Return what is known of one idea, and the places it quotes by source."""
    own = logs.of(str(idea["id"]))
    quoted = [i for row in own.get("debates", ()) for s in row["transcript"] for i in s["citations"]]
    ids = list(dict.fromkeys([*idea.get("evidence", ()), *quoted]))
    seen = await reader.records(info, ids)
    marks = _marks(seen, own.get("claims", ()), set(quoted))
    found = {
        "idea": dict(idea),
        "saw": [_record(one) for one in seen],
        "calls": [call for call in logs.calls if call.get("idea") == idea["id"]],
        "decisions": _decisions(logs.decisions, str(idea["id"])),
        "marks": marks,
        **{name: own.get(name, []) for name in LOGS},
        "moods": [_felt(row) for row in own.get("moods", ())],
    }
    return found, marks


def _felt(row: JsonDict) -> JsonDict:
    """Return what an idea said about the agent's own mind, with what each action was valued for, in nats."""
    terms = {
        action: {"value": value, "information": information, "preference": preference}
        for action, value, (information, preference) in zip(ACTIONS, row["efe"], row["terms"], strict=True)
    }
    return {
        "step": row["step"], "observation": row["observation"], "reason": row["reason"],
        "belief": dict(zip(STATES, row["belief"], strict=True)), "action": row["action"], "terms": terms,
    }  # fmt: skip


def _record(one: Record) -> JsonDict:
    return {
        "id": one.id, "type": one.memory_type, "source": one.source, "title": one.title, "text": one.text,
        "start": one.start, "end": one.end, "writer": one.writer, "epsilon": one.epsilon, "step": one.step,
    }  # fmt: skip


def _marks(seen: Sequence[Record], claims: Iterable[JsonDict], quoted: set[str]) -> dict[str, list[JsonDict]]:
    """Return the places to highlight in each stored page: what was read, argued with and cited."""
    marks: dict[str, list[JsonDict]] = {}
    for one in seen:
        if one.memory_type == "observation" and one.source:
            kind = "argued" if one.id in quoted else "read"
            marks.setdefault(one.source, []).append(
                {
                    "start": one.start,
                    "end": one.end or one.start + len(one.text),
                    "kind": kind,
                    "text": one.text,
                }
            )
    for row in claims:
        for cited in row.get("citations", ()):
            marks.setdefault(str(cited["source"]), []).append(
                {"start": cited["start"], "end": cited["end"], "kind": "cited", "text": cited["quote"]}
            )
    return marks


def _decisions(rows: Iterable[JsonDict], idea: str) -> list[JsonDict]:
    """Return the decisions an idea was a candidate of or in the focus of, with its terms beside the best."""
    found = []
    for row in rows:
        mine = next((term for term in row["terms"] if term["id"] == idea), None)
        if mine is None and idea not in row["focus"]:
            continue
        beside = sorted(rivals(row["terms"], idea), key=lambda t: -t["total"])[:3]
        found.append({
            "step": row["step"], "next": row["next"], "rule": row["rule"], "chosen": idea in row["focus"],
            "terms": mine, "rivals": beside, "policy": row.get("policy"),
            "cut": row.get("cuts", {}).get(idea), "imagined": row.get("imagined", {}).get(idea),
        })  # fmt: skip
    return found


def rivals(terms: Sequence[JsonDict], idea: str) -> list[JsonDict]:
    """Return the terms of what stood beside an idea: its siblings, else all that is not above or below it."""
    others = [t for t in terms if t["id"] != idea]
    siblings = [t for t in others if t["id"].rpartition(".")[0] == idea.rpartition(".")[0]]
    return siblings or [
        t for t in others if not f"{idea}.".startswith(f"{t['id']}.") and not t["id"].startswith(f"{idea}.")
    ]


async def page_of(reader: Reader, info: RunInfo, source: str, marks: Sequence[JsonDict]) -> JsonDict | None:
    """Return the stored page of a source: as much of it as is shown, and where that begins."""
    pages = await reader.pages(info, source)
    if not pages:
        return None
    page = pages[-1]
    begin, end = _window(page, marks)
    return {"source": page.source, "title": page.title, "text": page.text[begin:end], "from": begin,
            "length": len(page.text)}  # fmt: skip


def _window(page: Document, marks: Sequence[JsonDict]) -> tuple[int, int]:
    if len(page.text) <= PAGE:
        return 0, len(page.text)
    first = min((int(mark["start"]) for mark in marks), default=0)
    begin = max(0, min(first - AROUND, len(page.text) - PAGE))
    return begin, begin + PAGE


async def tasks_of(reader: Reader, info: RunInfo, newest: str) -> list[str]:
    """Return the ids of the tasks of a thread; `newest` is the one in its state.

    A fork has a copy of what the task it left had logged, under a task of its own, and shares the
    tasks that were over before.
    """
    found = await _opened(reader, info)
    source = await asyncio.to_thread(reader.runs.load, info.forked_from) if info.forked_from else None
    if source is not None:
        found = await _taken_over(reader, info, await tasks_of(reader, source, "")) + found
    return [*found, newest] if newest and newest not in found else found


async def _opened(reader: Reader, info: RunInfo) -> list[str]:
    """Return the tasks a thread opened; a row that a fork took over says the same under another name."""
    found: dict[str, str] = {}
    for row in await reader.rows(info, "tasks", thread=info.thread_id):
        said = {key: value for key, value in row.items() if key not in ("task", HANDED_ON)}
        found.setdefault(json.dumps(said, sort_keys=True) if "opened" in said else row["task"], row["task"])
    return list(found.values())


async def _taken_over(reader: Reader, info: RunInfo, before: Sequence[str]) -> list[str]:
    """Return those of the tasks of its source that a fork has: the last is the one it left, as its own."""
    for at, task in enumerate(before):
        own = branched(task, info.thread_id)
        if await reader.rows(info, "tasks", task=own):
            return [*before[:at], own]
    return list(before[:-1])
