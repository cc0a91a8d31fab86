"""Which kinds of edit have repaired programs before, and what that changes for the next search."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

STEP, LIMIT = 0.15, 0.6
"""An operator's cost falls by STEP with every doubling of its successes, by LIMIT at most."""


def successes(rules: Iterable[Mapping[str, object]]) -> Counter[str]:
    """Count the operators in the rules that earlier repairs left in the memory."""
    return Counter(str(rule["operator"]) for rule in rules if rule.get("operator"))


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
