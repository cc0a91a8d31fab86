"""How a run ended in a line of plain words, and its numbers as details for who asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ddax.cli.backend import how_to
from ddax.cli.board import cost_words
from ddax.cli.text import clean
from ddax.wording import amount

ENDS = {"not_found": "No answer", "waiting": "Paused"}
"""How a status is said that has a better word; the others are words themselves."""


def status_words(status: str) -> str:
    """Return a status as it is shown in a list."""
    return status.replace("_", " ")


def end_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Say how a run ended, what it took, and where the details are."""
    usage, reason = result["usage"], clean(result["stop_reason"], 160)
    said = ENDS.get(result["status"], status_words(result["status"]).capitalize())
    why = f": {reason.rstrip('.')}" if reason else ""
    yield f"{said}{why}. It took {usage['seconds']:.1f} s and {cost_words(usage)}."
    yield f"Details: {how_to('show', result['thread_id'])}"


def detail_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Return the numbers of a run: its size, its state of mind, what people and dissents changed."""
    yield "Details:"
    yield f"  {_facts(result)}"
    if result.get("support") is not None:
        yield f"  support {result['support']:.2f}: how well what was read carries the answer"
    times = int(result.get("protect", {}).get("conservative", 0))
    if times:
        yield f"  nobody was there to be asked {amount(times, 'time')}: only what is safe was done"
    for line in _people(result.get("metrics") or {}):
        yield f"  {line}"
    for candidate in (result.get("question") or {}).get("candidates", ()):
        change = f"an answer changes {float(candidate['expected_change']):.2f}"
        yield f"  candidate {clean(candidate['id'], 40)} {clean(candidate['title'], 80)}: {change}"
    told = (result.get("question") or {}).get("details") or {}
    if told:
        yield f"  asked since {', '.join(f'{clean(k, 40)} = {clean(v, 160)}' for k, v in told.items())}"


def _facts(result: Mapping[str, Any]) -> str:
    usage = result["usage"]
    reason = f" ({clean(result['stop_reason'], 160)})" if result["stop_reason"] else ""
    return ", ".join([
        f"{status_words(result['status'])}{reason}",
        f"{amount(result['ideas'], 'idea')} in {amount(result['steps'], 'step')}",
        f"{usage['seconds']:.1f} s",
        cost_words(usage),
        f"rigidity {result['rigidity']:.2f}",
        f"mood {clean(result['mood'] or '-', 40)}",
        f"thread {result['thread_id']}",
    ])  # fmt: skip


def _people(metrics: Mapping[str, Any]) -> Iterator[str]:
    """Say what dissents and answers of humans came to, where there were any."""
    if metrics.get("dissents"):
        yield (
            f"dissents: {metrics['dissents']}, {metrics['dissent_impact']:.0%} changed the value, "
            f"{metrics['dissents_verified']} shown right"
        )
    if metrics.get("escalations"):
        regretted = f", {metrics['regret_rate']:.0%} of them regretted" if metrics["overrides"] else ""
        yield (
            f"questions to a human: {metrics['escalations']}, {metrics['overrides']} changed what was done"
            f"{regretted}, useful {metrics['escalation_usefulness']:.0%}"
        )
