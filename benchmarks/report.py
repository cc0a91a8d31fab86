"""A result as plain text: one line a figure, then the conditions."""

from __future__ import annotations

from benchmarks.core import Figure, Result


def line(figure: Figure) -> str:
    """Return a figure as one line, with its interval, its sample size and its target."""
    parts = [f"{figure.name}: {figure.value:.4g}{' ' + figure.unit if figure.unit else ''}"]
    if figure.low is not None and figure.high is not None:
        parts.append(f"[{figure.low:.4g}, {figure.high:.4g}]")
    if figure.n > 1:
        parts.append(f"n={figure.n}")
    if figure.target is not None:
        verdict = "MISSED" if figure.misses else "met"
        parts.append(f"target {figure.target.op} {figure.target.threshold:g} {verdict}")
    return "  ".join(parts)


def text(result: Result) -> str:
    """Return a result as plain text."""
    about = result.conditions
    lines = [result.name, *(f"  {line(figure)}" for figure in result.figures)]
    lines += [f"  note: {note}" for note in result.notes]
    machine = about["machine"]
    lines.append(
        f"  commit {about['commit']}, {machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB, "
        f"seeds {about['seeds']}, {about['repetitions']} repetitions, {about['seconds']} s"
    )
    lines.append("  " + ", ".join(f"{name} {number}" for name, number in about["versions"].items()))
    return "\n".join(lines)
