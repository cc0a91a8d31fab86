"""What a step weighed before it asked a model: what was held, and its price. Part of `ddax why`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ddax.cli.text import clean
from ddax.wording import amount

REQUESTS: Mapping[str, str] = MappingProxyType({
    "plan": "expand", "extract": "extract", "judge": "judge", "argue": "argue", "reflect": "reflect",
    "curiosity": "ask",
})  # fmt: skip
"""The request by which a ceremony is held; a verification is a search, which asks no model."""
Row = Mapping[str, Any]


def weighed(ledger: Iterable[Row], task: str, step: int | None, calls: Sequence[Row]) -> list[dict[str, Any]]:
    """Return what was weighed in a step of a task, or in all of them, with the tokens that it took."""
    rows = (doubt for entry in ledger if entry["task"] == task for doubt in entry.get("doubts", ()))
    return [
        {**row, "took": _took(row, calls) if row["held"] else 0}
        for row in rows
        if step is None or row["step"] == step
    ]


def _took(doubt: Row, calls: Sequence[Row]) -> int:
    request = REQUESTS.get(doubt["ceremony"], "")
    mine = (doubt["step"], doubt["idea"], request)
    return sum(int(c.get("tokens") or 0) for c in calls if (c["step"], c["idea"], c["request"]) == mine)


def told(rows: Sequence[Row], *, steps: bool = False) -> Iterator[str]:
    """Say of each ceremony what it could have changed, and what it cost or would have cost."""
    if rows:
        yield ""
        yield "Weighed before a model was asked:"
    for row in rows:
        step = f"[{row['step']}] " if steps else ""
        yield (
            f"  {step}{row['ceremony']} {clean(row['idea'], 30)}: {'held' if row['held'] else 'not held'}, "
            f"{_price(row)} ({clean(row['why'], 100)})"
        )


def _price(row: Row) -> str:
    change = f"change {row['change']:.2f} of {row['stakes']:.2f} of the task"
    if row["needed"]:
        change = "nothing stands in for it"
    elif row["change"] > 0:
        change += f", worth {amount(row['gain'], 'token')}"
    cost = f"expected {amount(row['tokens'], 'token')} in {amount(row['calls'], 'call')}"
    return f"{change}; {cost}" + (f", took {row['took']:,}" if row.get("took") else "")
