"""Open a world by its name: `world:grid`, `world:FrozenLake-v1?is_slippery=no`."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from ddax.environments.protocol import Environment
from ddax.errors import UsageError

SCHEME = "world:"
BROWSER = "browser:"
"""A page to open in a browser (`ddax.environments.browser.opening`)."""
WORDS: dict[str, Any] = {"yes": True, "true": True, "no": False, "false": False}


def is_world(spec: str) -> bool:
    """Tell whether a source names a world."""
    return spec.startswith((SCHEME, BROWSER))


def open_world(spec: str) -> Environment:
    """Open a world; raises UsageError for a name or an option that does not exist."""
    name, _, query = spec.removeprefix(SCHEME).partition("?")
    options = {key: _value(text) for key, text in parse_qsl(query)}
    if not is_world(spec) or not name:
        raise UsageError(
            f"{spec!r} names no world.",
            why="Behind `world:` stands the name of one.",
            mend="Write it as world:FrozenLake-v1 or world:grid.",
        )
    if name == "grid":
        from ddax.environments.grid import GridWorld

        if options:
            raise UsageError(
                f"world:grid takes no options, and got {', '.join(options)}.",
                why="It is always the same world.",
                mend="Write world:grid.",
            )
        return GridWorld()
    from ddax.environments.toy_text import ToyTextWorld

    return ToyTextWorld(name, **options)


def _value(text: str) -> Any:
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text
