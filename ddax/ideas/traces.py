"""Turn a run into a conversation to fine-tune on: what led to the answer, or the whole search.

`imitation` keeps the actions the answer rests on. `exploratory` keeps the search: what was considered,
what each outcome was worth, and where the search went back. Pure; rows are those of the memory's logs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ddax.ideas import dag
from ddax.ideas.idea import Ideas
from ddax.types import Idea, JsonDict

Format = Literal["imitation", "exploratory"]
SYSTEM: Mapping[str, str] = {
    "imitation": "Solve the task step by step. Reply with one action as JSON, or with the answer.",
    "exploratory": (
        "Solve the task by searching. At each step say what you consider, value what came of the last "
        "step, go back where it led nowhere, and reply with one action as JSON, or with the answer."
    ),
}
CONSIDERED = 4
"""Alternatives named at one step."""
POOR = 0.4
"""An outcome valued below led nowhere; one with less surprise came as expected."""


@dataclass(frozen=True)
class Run:
    """What a trace is made of: the task and its answer, the DAG, the experience and the decisions."""

    task: str
    answer: str
    root: str
    ideas: Ideas
    cited: frozenset[str]
    ledger: Sequence[JsonDict]
    decisions: Sequence[JsonDict]


def trace(run: Run, form: Format) -> JsonDict | None:
    """Return one chat example in OpenAI's fine-tuning form; None where no action led to the answer."""
    lived = [row for row in run.ledger if "action" in run.ideas.get(row["idea"], {})]
    lived.sort(key=lambda row: (row["step"], dag.sort_key(row["idea"])))
    rows = lived if form == "exploratory" else _used(run, lived)
    if not rows or not run.answer.strip():
        return None
    messages = [_say("system", SYSTEM[form]), _say("user", run.task)]
    before: JsonDict | None = None
    for row in rows:
        thought = _explored(run, row, before) if form == "exploratory" else run.ideas[row["idea"]]["title"]
        messages.append(_say("assistant", _action(thought, run.ideas[row["idea"]])))
        messages.append(_say("user", f"Observation: {row['actual']}"))
        before = row
    last = _valued(before) if form == "exploratory" and before is not None else ""
    messages.append(_say("assistant", f"{last}\n\n{run.answer}".strip()))
    return {"messages": messages}


def _used(run: Run, lived: Sequence[JsonDict]) -> list[JsonDict]:
    """Return the successful actions that brought what the answer cites, and what these rest on."""
    good = {row["idea"] for row in lived if row["ok"]}
    wanted = {i for i in good if run.cited & set(run.ideas[i].get("evidence", []))} or good
    waiting = list(wanted)
    while waiting:
        idea = run.ideas[waiting.pop()]
        for need in _needs(run.ideas, idea):
            if need not in wanted:
                wanted.add(need)
                waiting.append(need)
    return [row for row in lived if row["ok"] and row["idea"] in wanted]


def _needs(ideas: Ideas, idea: Idea) -> list[str]:
    """Return what an idea, or an idea it is part of, needs."""
    return [n for one in [idea, *dag.ancestors(ideas, idea["id"])] for n in one["needs"] if n in ideas]


def _explored(run: Run, row: JsonDict, before: JsonDict | None) -> str:
    """Say what the last outcome was worth, whether to go back, and what is considered now."""
    parts = [] if before is None else [_valued(before)]
    if before is not None and _led_nowhere(before):
        here, there = run.ideas[before["idea"]]["parent"], run.ideas[row["idea"]]["parent"]
        back = dag.ancestors(run.ideas, row["idea"])[0]["title"] if here != there else "the same idea"
        parts.append(f"That led nowhere; I go back to: {back}.")
    options = _considered(run, row)
    if options:
        parts.append("I consider " + "; ".join(options) + ".")
    return " ".join([*parts, f"I take: {run.ideas[row['idea']]['title']}."])


def _considered(run: Run, row: JsonDict) -> list[str]:
    decision = next((d for d in run.decisions if d["step"] == row["step"]), None)
    terms = sorted(decision["terms"], key=lambda t: -t["total"]) if decision is not None else []
    known = [t for t in terms if t["id"] in run.ideas][:CONSIDERED]
    return (
        [f"{run.ideas[t['id']]['title']} (score {t['total']:.2f})" for t in known] if len(known) > 1 else []
    )


def _valued(row: JsonDict) -> str:
    if row["value"] is None:
        return "The outcome could not be valued."
    how = "as expected" if row["surprise"] < POOR else "not as expected"
    return f"The outcome was {how}; it is worth {row['value']:.2f}."


def _led_nowhere(row: JsonDict) -> bool:
    return not row["ok"] or (row["value"] is not None and row["value"] < POOR)


def _action(thought: str, idea: Idea) -> str:
    call = {"action": idea["action"]["name"], "args": idea["action"]["args"]}
    return f"{thought}\n{json.dumps(call, ensure_ascii=False, sort_keys=True)}"


def _say(role: str, content: str) -> JsonDict:
    return {"role": role, "content": content}
