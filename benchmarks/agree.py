"""Tell whether two runs of one benchmark agree: `python -m benchmarks.agree FIRST.json SECOND.json`.

A figure agrees with itself where the spreads of the two runs touch. What is time has a spread of a fifth
of its value at least, either way, for one or two measurements say little of another hour on the same
machine; what is memory, bytes or a quotient of times has a tenth, what is counted has none. Where both runs
say at what pace the machine went (`benchmarks.pace`), what is time in the second is taken at the pace of the
first, and how far apart the two were is told. Exit codes: 0 all agree, 1 some do not, 2 the files cannot be
compared.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

SLACK = {"s": 0.2, "ms": 0.2, "µs": 0.2, "1/s": 0.2, "MB": 0.1, "KB": 0.1, "×": 0.1}
"""The least spread of a figure by its unit, as a share of its value."""
PACED = {"s": 1, "ms": 1, "µs": 1, "1/s": -1}
"""The power of the pace by which a figure grows: a slow machine takes more seconds, and does less in one."""


class Pair(NamedTuple):
    """One figure of two runs."""

    name: str
    first: Mapping[str, Any]
    second: Mapping[str, Any]

    @property
    def agrees(self) -> bool:
        """Whether the spreads touch."""
        return touch(spread(self.first), spread(self.second))


def spread(figure: Mapping[str, Any]) -> tuple[float, float]:
    """Return the least and the largest value that a figure may have."""
    value, low, high = figure["value"], figure.get("low"), figure.get("high")
    seen = (value,) if low is None or high is None else (low, high)
    return widened(value, seen, figure.get("unit") or "")


def widened(value: float, seen: Sequence[float], unit: str) -> tuple[float, float]:
    """Return the ends of what was seen, and no less than the slack of the unit around the value."""
    slack = SLACK.get(unit, 0.0) * abs(value)
    return min(*seen, value - slack), max(*seen, value + slack)


def touch(first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Tell whether two intervals have a value in common."""
    return first[0] <= second[1] and second[0] <= first[1]


def pairs(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Pair]:
    """Return the figures of two results by name; raises ValueError where they are not of one kind."""
    for name, left, right in (
        ("benchmark", first["name"], second["name"]),
        ("form (--quick)", first["conditions"]["quick"], second["conditions"]["quick"]),
        ("commit", first["conditions"]["commit"], second["conditions"]["commit"]),
    ):
        if left != right:
            raise ValueError(f"the {name} differs: {left} and {right}")
    ours, theirs = ({figure["name"]: figure for figure in each["figures"]} for each in (first, second))
    if ours.keys() != theirs.keys():
        raise ValueError(f"only one of them has: {', '.join(sorted(ours.keys() ^ theirs.keys()))}")
    slower = pace_ratio(first, second)
    return [Pair(name, figure, at_pace(theirs[name], slower)) for name, figure in ours.items()]


def pace_ratio(first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
    """Return how many times as long the machine took in the second run; 1 where a run does not say."""
    paces = [each["conditions"].get("pace") for each in (first, second)]
    return median(paces[1]) / median(paces[0]) if all(paces) else 1.0


def at_pace(figure: Mapping[str, Any], slower: float) -> Mapping[str, Any]:
    """Return a figure as it would be on a machine that is not that much slower; only what is time changes."""
    factor = slower ** -PACED.get(figure.get("unit") or "", 0)
    numbers = {key: figure.get(key) for key in ("value", "low", "high")}
    return {**figure, **{key: number * factor for key, number in numbers.items() if number is not None}}


def result_in(path: Path) -> Mapping[str, Any]:
    """Read what a benchmark printed with `--json`; raises OSError, or ValueError naming what it is not."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise OSError(f"{str(path)!r}: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{str(path)!r} holds no JSON: {error}") from error
    if not (
        isinstance(found, dict)
        and {"name", "figures", "conditions"} <= found.keys()
        and {"quick", "commit"} <= found["conditions"].keys()
    ):
        raise ValueError(f"{str(path)!r} is not what a benchmark prints with --json")
    return found


def lines(found: Sequence[Pair]) -> list[str]:
    """Return what to print: who does not agree, then how many do."""
    apart = [pair for pair in found if not pair.agrees]
    told = [f"apart: {pair.name}: {_said(pair.first)} and {_said(pair.second)}" for pair in apart]
    return [*told, f"{len(found) - len(apart)} of {len(found)} figures agree within their spread"]


def _said(figure: Mapping[str, Any]) -> str:
    low, high = spread(figure)
    return f"{figure['value']:.4g} [{low:.4g}, {high:.4g}]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agree", description="Compare two runs.")
    parser.add_argument("files", nargs=2, type=Path, metavar="JSON", help="what `--json` printed")
    given = parser.parse_args(arguments)
    try:
        first, second = map(result_in, given.files)
        found = pairs(first, second)
    except (OSError, ValueError) as error:
        print(f"cannot be compared: {error}", file=sys.stderr)
        return 2
    print(f"pace: the second run's machine took {pace_ratio(first, second):.3f} times as long as the first's")
    print("\n".join(lines(found)))
    return 0 if all(pair.agrees for pair in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
