"""Which kinds of edit have repaired programs before, and what that changes for the next search."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ddax.memory.files import ensure_folder
from ddax.memory.records import namespace_key
from ddax.memory.store.record_check import is_there
from ddax.memory.store.sqlite import Logged, RecordStore
from ddax.types import JsonDict

RULES = "repair_rules"
"""The log of which edits have held; what other tasks left there before one opened orders its search."""
MANY = 10_000
STEP, LIMIT = 0.15, 0.6
"""An operator's cost falls by STEP with every doubling of its successes, by LIMIT at most."""


def successes(rules: Iterable[Mapping[str, object]]) -> Counter[str]:
    """Count the operators in the rules that earlier repairs left in the memory, but for undone repairs."""
    known = list(rules)
    undone = {rule.get("task") for rule in known if rule.get("undone")}
    return Counter(str(r["operator"]) for r in known if r.get("operator") and r.get("task") not in undone)


def adjustments(counts: Mapping[str, int]) -> dict[str, float]:
    """Return what is added to the cost of each operator, in [-LIMIT, 0].

    The prior costs stay what they are for programs at large: the limit keeps what few programs taught
    from hiding an edit that they did not need.
    """
    return {name: -min(LIMIT, STEP * math.log2(1 + n)) for name, n in sorted(counts.items()) if n > 0}


def rule_text(operator: str, count: int) -> str:
    """Say in words what is remembered."""
    times = "once" if count == 1 else f"{count} times"
    return f"A repair by the edit '{operator.replace('_', ' ')}' has held {times}."


def rule_row(operator: str, task: str) -> JsonDict:
    """Return the row that one success of an operator leaves in the log."""
    return {"task": task, "operator": operator, "text": rule_text(operator, 1)}


def read_rules(record: Path, namespace: str) -> list[JsonDict]:
    """Read the rules of a memory's record beside whoever owns it; none where there is no record yet.

    Raises `StateError` for a damaged record or one of another version.
    """
    if not is_there(record):
        return []
    store = RecordStore(record, reading=True)
    try:
        return store.rows(namespace_key(namespace), RULES, {}, MANY, math.inf)
    finally:
        store.close()


def keep_rules(record: Path, namespace: str, operators: Sequence[str], *, repair: str, now: float) -> None:
    """Append a success of each operator; `repair` names the repair, which is counted once."""
    _append(record, namespace, {f"{repair}:{name}": rule_row(name, repair) for name in operators}, now=now)


def forget_rules(record: Path, namespace: str, *, repair: str, now: float) -> None:
    """Say that a repair was undone, so that its edits do not count as ones that held."""
    _append(record, namespace, {f"{repair}:undone": {"task": repair, "undone": True}}, now=now)


def _append(record: Path, namespace: str, rows: Mapping[str, JsonDict], *, now: float) -> None:
    # The log is a table of SQLite alone, so a row more needs no lock of the index beside it.
    ensure_folder(record.parent)
    store = RecordStore(record)
    try:
        logged = [
            Logged(RULES, key, json.dumps(row, sort_keys=True), str(row["task"]), None)
            for key, row in rows.items()
        ]
        store.log(namespace_key(namespace), logged, committed=now)
    finally:
        store.close()
