"""Compare runs: the trajectory step by step, and rigidity, surprise, value and cost over the steps."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ddax.viewer.details import logs_of, tasks_of
from ddax.viewer.picture import Line, Panel
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.types import JsonDict
    from ddax.viewer.reading import Reader

COLUMNS: tuple[str, ...] = (
    "thread", "step", "next", "rule", "idea", "action", "expected", "actual", "ok", "value", "epsilon",
    "surprise", "rho", "mood", "tokens", "usd",
)  # fmt: skip
MEASURES = (
    ("rigidity ρ", "rho", 1.0),
    ("surprise ε", "epsilon", 1.0),
    ("value of the root", "value", 1.0),
    ("tokens", "tokens", 0.0),
)


class Trajectory(NamedTuple):
    """One run: its name and identity, its ideas, its rows of the table, and its moments."""

    thread: str
    identity: str
    task: str
    ideas: Mapping[str, Mapping[str, Any]]
    rows: list[JsonDict]
    moments: list[JsonDict]


async def trajectory(reader: Reader, thread: str) -> Trajectory:
    """Return the trajectory of a thread."""
    info = await reader.known(thread)
    ideas, work, _ = await reader.ideas(thread)
    logs = await logs_of(reader, info, await tasks_of(reader, info, work))
    moments = await reader.moments(thread)
    rows = table(thread, moments, [row for own in logs.by_idea.values() for row in own.get("ledger", ())])
    return Trajectory(thread, str(info.context.get("identity", "")), info.task, ideas, rows, moments)


def table(thread: str, moments: Sequence[JsonDict], ledger: Sequence[JsonDict]) -> list[JsonDict]:
    """Return a row for each choice and each outcome of a run, in the order they came."""
    lived: dict[tuple[str, int], list[JsonDict]] = {}  # steps are counted anew in a follow-up
    for row in ledger:
        lived.setdefault((str(row["idea"]).split(".")[0], int(row["step"])), []).append(row)
    found = []
    for moment in _last_of_steps(moments):
        base = {
            "thread": thread, "step": moment["step"], "next": moment["chose"], "rule": moment["rule"],
            "rho": moment["rho"], "mood": moment["mood"], "tokens": moment["tokens"], "usd": moment["usd"],
        }  # fmt: skip
        for row in lived.get((moment["root"], int(moment["step"]))) or [{}]:
            shown = {key: row[key] for key in COLUMNS if key in row and key not in base}
            rho = {"rho": row["rho"]} if "rho" in row else {}
            found.append({**base, **rho, **shown})
    return found


def _last_of_steps(moments: Sequence[JsonDict]) -> list[JsonDict]:
    """Return the last moment of each step, with what `select` chose in it; a follow-up begins anew."""
    found: list[JsonDict] = []
    for one in moments:
        chose = ", ".join(one["next"]) if "select" in one["ran"] else None
        if found and found[-1]["step"] == one["step"]:
            found[-1] = {**one, "chose": chose or found[-1]["chose"]}
        elif one["step"]:
            found.append({**one, "chose": chose or ""})
    return found


def as_csv(rows: Sequence[JsonDict]) -> str:
    """Return the table as CSV; an apostrophe stands before what a spreadsheet would take for a formula."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def compared(runs: Sequence[Trajectory]) -> list[Panel]:
    """Return a plot for each measure that says something, with a line for each run."""
    return _telling(
        [
            Panel(
                title,
                [
                    Line(f"{run.thread} ({run.identity or 'no identity'})", k, _series(run, key))
                    for k, run in enumerate(runs)
                ],
                top,
            )
            for title, key, top in MEASURES
        ]
    )


def profiles(runs: Sequence[Trajectory]) -> list[Panel]:
    """Return a plot for each measure that tells something: mean and range of each identity's runs."""
    names = list(dict.fromkeys(run.identity for run in runs))
    return _telling(
        [
            Panel(
                title,
                [
                    _mean(name, k, [_series(r, key) for r in runs if r.identity == name])
                    for k, name in enumerate(names)
                ],
                top,
            )
            for title, key, top in MEASURES
        ]
    )


def _telling(panels: Sequence[Panel]) -> list[Panel]:
    """Leave out what is counted and was 0 throughout, as the tokens of runs without a model."""
    return [one for one in panels if one.top or any(y for line in one.lines for _, y in line.points)]


def _series(run: Trajectory, key: str) -> list[tuple[float, float]]:
    """Return a measure over the steps; those of a follow-up count on from the task before."""
    last: dict[int, float] = {}
    before = newest = 0
    for one in run.moments:
        step = int(one["step"])
        if step < newest:
            before += newest
        newest = step
        if step and one.get(key) is not None:
            last[before + step] = float(one[key])
    return [(float(step), value) for step, value in sorted(last.items())]


def _mean(name: str, colour: int, series: Sequence[Sequence[tuple[float, float]]]) -> Line:
    """Return the mean of several runs at each step; one that is over keeps its last value."""
    steps = sorted({step for one in series for step, _ in one})
    points, band = [], []
    for step in steps:
        at = [max((p for p in one if p[0] <= step), default=one[0])[1] for one in series if one]
        points.append((step, sum(at) / len(at)))
        band.append((step, min(at), max(at)))
    of = f"{name or 'no identity'}, {amount(len(series), 'run')}"
    return Line(of, colour, points, band if len(series) > 1 else ())
