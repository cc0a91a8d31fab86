"""The support check: does a premise entail, contradict or leave open a hypothesis (DESIGN section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddax.types import EntailmentCheck


def open_check() -> EntailmentCheck:
    """Return the check that a session uses."""
    from ddax.reasoning.entailment.lexical import lexical

    return lexical
