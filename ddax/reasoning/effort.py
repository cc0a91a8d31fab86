"""How much effort the budget allows: full, saving (less reasoning, one plan), lean (a cheaper model too).

It is chosen from what had been spent when a node began, never from the clock, so that a resumed run
chooses as the undisturbed one did.
"""

from __future__ import annotations

from typing import Literal

from ddax.configs.settings import Budget, Models
from ddax.types import Usage

Effort = Literal["full", "saving", "lean"]


def effort_of(spent: Usage, budget: Budget, models: Models) -> Effort:
    """Return the effort that what is left of the budget allows: by the scarcest of calls, tokens, dollars.

    A reply from our own cache counts as what it had cost, so that a run with it chooses as one without.
    """
    saved_calls = max(spent.saved_calls, spent.hits)  # threads of earlier releases have the hits alone
    used = (
        (spent.model_calls + saved_calls, budget.max_model_calls),
        (spent.tokens + spent.saved_tokens, budget.max_tokens),
        (spent.known_usd + spent.saved_usd, budget.max_usd),
    )
    left = min(1 - value / cap if cap else 0.0 for value, cap in used)
    if left < models.lean_below:
        return "lean"
    return "saving" if left < models.saving_below else "full"
