"""The lines that say who answers when no model is set, and where a cap in dollars cannot hold.

Nothing is ever spent unasked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddax.configs.settings import Context

_EXAMPLES = {
    "openai": "openai:gpt-4.1-mini",
    "anthropic": "anthropic:claude-haiku-4-5",
    "google_genai": "google_genai:gemini-2.5-flash",
}


def keys_present(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Map each provider whose key stands in the environment to the name of its variable."""
    from ddax.configs.prices import load_providers

    found = os.environ if env is None else env
    return {
        name: row.key for name, row in load_providers().items() if row.key and found.get(row.key, "").strip()
    }


def model_note(env: Mapping[str, str] | None = None) -> str:
    """Return the one line for a run without a model."""
    keys = keys_present(env)
    if not keys:
        return (
            "No model is set: the embedded reasoner answers, offline and free. "
            "To add one: export OPENAI_API_KEY=... and give --model openai:gpt-4.1-mini."
        )
    provider, variable = next(iter(keys.items()))
    model = _EXAMPLES.get(provider, f"{provider}:MODEL")
    return (
        "No model is set: the embedded reasoner answers, offline and free. "
        f"{variable} is there but not used; to switch, give --model {model}."
    )


def price_note(chosen: Context) -> str:
    """Return the one line for a run with a model of unknown price; "" where each has one."""
    if chosen.model_name == "embedded" or chosen.replay:
        return ""
    from ddax.cli.backend import home_of
    from ddax.configs.prices import load_prices, price_of

    prices = load_prices(home=home_of())
    named = [name for name in dict.fromkeys(_models(chosen)) if ":" in name]  # others are refused
    unknown = [name for name in named if price_of(name, prices) is None]
    if not unknown:
        return ""
    return (
        f"The price of {' and '.join(unknown)} is not known, so budget.max_usd does not count it: "
        f"budget.max_tokens does.{_meant(unknown, prices)} To add it: models.yaml in DDAX_HOME."
    )


def _meant(unknown: Sequence[str], prices: Iterable[str]) -> str:
    """Return a sentence with the known names that were likely meant; "" where none is like them."""
    from ddax.configs.prices import nearest_priced

    near = list(filter(None, (nearest_priced(name, prices) for name in unknown)))
    return f" The nearest name known is {' and '.join(map(repr, near))}." if near else ""


def _models(chosen: Context) -> Iterator[str]:
    """Return every model that may be asked."""
    from ddax.reasoning.language.team import ROLES

    models = chosen.models
    from ddax.configs.models import name_of

    yield from (name_of(getattr(models, role)) or chosen.model_name for role in ROLES)
    yield from map(name_of, (*models.fallbacks, *([models.lean] if models.lean else [])))
