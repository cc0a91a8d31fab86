"""Runs to look at: written through the real graph, store and record, of any size, with any words in them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

TASK = "Which of the harbours of the north was built first, and who says so?"
BRANCHES = 8
STATUSES = ("done", "done", "done", "open", "failed", "abandoned", "waiting")
KINDS = ("inner", "leaf", "leaf", "merge")
WORDS = (
    "harbour", "lookout", "tower", "Belmark", "Trondby", "archive", "first", "stone", "charter", "built",
    "quay", "survey", "chronicle", "port", "master", "mason", "guild", "record", "north", "coast", "letter",
)  # fmt: skip
PAGE = 1500
FORCES = 3

Words = Callable[[int], str]


def plain_words(number: int) -> str:
    """Return a title for an idea."""
    rng = np.random.default_rng(number)
    return "read: " + " ".join(rng.choice(WORDS, 6))


def ideas_of(count: int, words: Words = plain_words) -> list[dict[str, Any]]:
    """Return a DAG of so many ideas, parents before children."""
    rng = np.random.default_rng(7)
    made: list[dict[str, Any]] = [_idea("0", "", 0, 0, words, rng) | {"kind": "inner", "title": TASK}]
    parents = [made[0]]
    while len(made) < count:
        following = []
        for parent in parents:
            for k in range(min(BRANCHES, count - len(made))):
                made.append(_idea(f"{parent['id']}.{k + 1}", parent["id"], k, len(made), words, rng))
                following.append(made[-1])
        parents = following
    has = {idea["parent"] for idea in made}
    for idea in made:
        if idea["id"] in has:
            idea.pop("action", None)
            idea["kind"] = "inner"
    return made


def _idea(key: str, parent: str, place: int, number: int, words: Words, rng: Any) -> dict[str, Any]:
    kind = KINDS[place % len(KINDS)]
    needs = [f"{parent}.{place}"] if parent and place % 3 == 1 else []
    idea: dict[str, Any] = {
        "id": key,
        "parent": parent,
        "kind": kind,
        "status": STATUSES[int(rng.integers(len(STATUSES)))],
        "title": words(number),
        "needs": needs,
        "expected": words(number + 1),
        "P": 0.5,
        "Q": round(float(rng.random()), 6),
        "N": int(rng.integers(1, 20)),
        "V": 0.5,
        "depth": key.count("."),
        "step": number,
        "result": words(number + 2),
        "evidence": [evidence_id(number)],
    }
    if kind == "leaf":
        idea["action"] = {"name": "visit", "args": {"source": words(number)}, "intent": words(number)}
    return idea


def evidence_id(number: int) -> str:
    """Return the id of the memory row that an idea of this number rests on."""
    return f"{number:064x}"


def state_at(step: int, rng: Any) -> dict[str, Any]:
    """Return what else a moment shows: mind, mood, usage and decision."""
    belief = rng.dirichlet(np.ones(4))
    mind = {
        "rho": round(float(rng.random()) * 0.6, 6),
        "protect_threshold": 0.7,
        "epsilon": round(float(rng.random()), 6),
        "surprise": 0.3,
        "raw_surprise": 0.3,
        "delta_x": 0.4,
        "protect": False,
        "m": 1.0,
        "m_crit": [3.0, 1.0],
        "force_norms": [round(float(v), 6) for v in rng.random(FORCES)],
        "entries": 0,
    }
    return {
        "step": step,
        "mind": mind,
        "mood": {"belief": [round(float(v), 6) for v in belief], "action": "EXPLORE", "state": "CONFUSED"},
        "usage": {"model_calls": 1, "tokens": 120, "usd": 0.0001, "seconds": 0.05},
        "decision": {"step": step, "next": "act", "rule": "runnable leaves", "focus": []},
    }


async def write_run(
    home: Path, thread: str, count: int, *, batch: int = 50, words: Words = plain_words, whole: bool = True
) -> list[dict[str, Any]]:
    """Write a run of so many ideas, a batch at a moment, and return its ideas.

    With `whole` its logs and pages too.
    """
    from ddax import open_agent
    from ddax.configs.settings import Context
    from ddax.graph.threads.manifests import RunInfo

    ideas = ideas_of(count, words)
    rng = np.random.default_rng(3)
    async with open_agent(Context(), home=home) as agent:
        config: Any = {"configurable": {"thread_id": thread}}
        work = {"id": f"task-{thread}", "root": "0", "thread": thread, "text": TASK, "opened": 0.0}
        opened = {
            "work": work,
            "task": TASK,
            "status": "running",
            "ideas": {"0": ideas[0]},
            **state_at(0, rng),
        }
        made = await agent.graph.aupdate_state(config, opened, as_node="open_task")
        for step, start in enumerate(range(1, count, batch), 1):
            chunk = {idea["id"]: idea for idea in ideas[start : start + batch]}
            made = await agent.graph.aupdate_state(
                config, {"ideas": chunk, "focus": list(chunk)[:2], **state_at(step, rng)}, as_node="expand"
            )
        head = str(made["configurable"]["checkpoint_id"])
        context = Context().model_dump(mode="json")
        agent.runs.save(
            RunInfo(
                thread,
                words(0) if words is not plain_words else TASK,
                "done",
                steps=step,
                ideas=count,
                checkpoint_id=head,
                created=1.7e9,
                updated=1.7e9,
                context=context,
            )
        )
        if whole:
            _remember(agent.home.memory / "record.sqlite", thread, ideas, words)
    return ideas


def _remember(path: Path, thread: str, ideas: Sequence[dict[str, Any]], words: Words) -> None:
    """Write the logs, the pages and the rows of the memory that the ideas rest on."""
    from ddax.memory.records import Row, namespace_key
    from ddax.memory.store.sqlite import Logged, RecordStore
    from ddax.memory.store.sqlite_schema import sum_up
    from ddax.memory.store.sums import TABLES
    from ddax.types import Record

    store, ns, task = RecordStore(path), namespace_key("default"), f"task-{thread}"
    logs: list[Logged] = [
        Logged("tasks", task, json.dumps({"task": task, "text": TASK, "thread": thread}), task, None)
    ]
    vector, rows, pages = np.zeros(4, dtype=np.float32), [], []
    for number, idea in enumerate(ideas):
        text = _page(number, words)
        source = f"page://{words(number)}/{number}"
        pages.append((ns, f"{thread}-{number}", source, source, words(number), text, "[]"))
        record = Record(
            "observation",
            text[:400],
            source=source,
            title=words(number),
            start=0,
            end=400,
            task=task,
            idea=idea["id"],
            id=evidence_id(number),
            created=1.7e9,
        )
        rows.append(Row(record, f"{thread}-{number}"))
        for name, row in _rows(idea, number, task, thread, text, words).items():
            logs.append(Logged(name, f"{task}:{number}", json.dumps(row), task, None))
    store.insert(ns, rows, {row.near: vector for row in rows}, committed=1.7e9)
    store.log(ns, logs, committed=1.7e9)
    store.close()
    with closing(sqlite3.connect(path)) as db, db:  # one by one a thousand pages would take a minute
        db.executemany(
            "INSERT INTO page (ns, hash, doc_id, source, title, text, links) VALUES (?, ?, ?, ?, ?, ?, ?)",
            pages,
        )
        sum_up(db, next(table for table in TABLES if table.name == "page"))


def _page(number: int, words: Words) -> str:
    rng = np.random.default_rng(number)
    return f"{words(number)}. {' '.join(rng.choice(WORDS, PAGE // 7))}"


def _rows(
    idea: dict[str, Any], number: int, task: str, thread: str, text: str, words: Words
) -> dict[str, dict[str, Any]]:
    base = {"task": task, "idea": idea["id"], "step": number // 50}
    quoted = [evidence_id(number)]
    terms = [
        {
            "id": idea["id"],
            "at": idea["parent"],
            "total": 0.5,
            "alignment": 0.1,
            "value": 0.3,
            "exploration": 0.1,
            "tabu": 0.0,
        }
    ]
    return {
        "ledger": {
            **base,
            "action": "visit",
            "expected": words(number),
            "actual": words(number + 1),
            "ok": True,
            "epsilon": 0.2,
            "surprise": 0.3,
            "rho": 0.1,
            "value": idea["Q"],
            "before": 0.4,
        },
        "debates": {
            **base,
            "value": idea["Q"],
            "cheap": 0.4,
            "vote": 0.5,
            "confidence": 0.8,
            "debated": True,
            "why": words(number),
            "reasons": [[words(number), 0.5, words(number)]],
            "transcript": [
                {
                    "role": "proponent",
                    "speaker": words(number),
                    "weight": 1.0,
                    "text": words(number),
                    "strength": 0.5,
                    "citations": quoted,
                    "held": quoted,
                }
            ],
            "dissents": [{"name": words(number), "text": words(number)}],
        },
        "claims": {
            **base,
            "citations": [
                {
                    "source": f"page://{words(number)}/{number}",
                    "title": words(number),
                    "quote": text[:40],
                    "start": 0,
                    "end": 40,
                }
            ],
        },
        "repairs": {
            **base,
            "solved": True,
            "diff": f"--- a\n+++ b\n@@ -1 +1 @@\n-{words(number)}\n+{words(9)}",
            "hypothesis": words(number),
            "tried": 3,
        },
        "decisions": {
            "thread": thread,
            "task": task,
            "step": number // 50,
            "next": "act",
            "rule": words(number),
            "focus": [idea["id"]],
            "terms": terms,
        },
        "calls": {
            "task": task,
            "thread": thread,
            "node": "act",
            "step": number // 50,
            "calls": [
                {
                    "idea": idea["id"],
                    "request": words(number),
                    "model_calls": 1,
                    "tokens": 120,
                    "usd": 0.001,
                    "ok": True,
                }
            ],
        },
    }
