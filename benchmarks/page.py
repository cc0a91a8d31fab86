"""Write docs/benchmarks.md from the results in benchmarks/results: no number is typed by hand.

Each result is what `python -m benchmarks NAME --json` printed. Figures that miss their target stand first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"

HEAD = """# Benchmarks

Written by `python -m benchmarks.page` from the results in `benchmarks/results/`; each section names the
command that prints its numbers again. Figures that miss their target stand first.
"""


def row(figure: Mapping[str, Any]) -> str:
    """Return one figure as a row of a table."""
    interval = f"{figure['low']:.3g} to {figure['high']:.3g}" if figure.get("low") is not None else ""
    target = figure.get("target")
    wanted = f"{target['op']} {target['threshold']:g}" if target else ""
    verdict = "" if not target else ("missed" if misses(figure) else "met")
    unit = f" {figure['unit']}" if figure.get("unit") else ""
    value = f"{figure['value']:.4g}{unit}"
    return f"| {figure['name']} | {value} | {interval} | {figure['n']} | {wanted} | {verdict} |"


def misses(figure: Mapping[str, Any]) -> bool:
    """Tell whether a figure misses its target."""
    target, value = figure.get("target"), figure["value"]
    if not target:
        return False
    return not {
        "<=": value <= target["threshold"], "<": value < target["threshold"],
        ">=": value >= target["threshold"], ">": value > target["threshold"],
    }[target["op"]]  # fmt: skip


def section(result: Mapping[str, Any]) -> str:
    """Return one benchmark as a section."""
    about = result["conditions"]
    machine = about["machine"]
    figures = sorted(result["figures"], key=lambda f: not misses(f))
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    lines = [
        f"## {result['name']}",
        "",
        f"`python -m benchmarks {result['name']}{' --quick' if about.get('quick') else ''}`",
        "",
        "| figure | value | 95 % interval | n | target | |",
        "|---|---|---|---|---|---|",
        *map(row, figures),
        "",
        *(f"- {note}" for note in result.get("notes", [])),
        f"- {machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB; commit {about['commit']}; "
        f"seeds {about['seeds']}; {about['seconds']} s; {versions}",
    ]
    return "\n".join(lines)


def main() -> None:
    """Write the page."""
    files = [path for path in sorted(RESULTS.glob("*.json")) if path.name != "reliability.json"]
    results = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    PAGE.write_text("\n\n".join([HEAD.rstrip(), *map(section, results)]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
