"""The line that says who answers when no model is set; nothing is ever spent unasked."""

from __future__ import annotations

import os
from collections.abc import Mapping

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
