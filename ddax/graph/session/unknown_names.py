"""Find names in the settings that no action bears: what was to be forbidden would be done."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from ddax.configs.settings import Actions
from ddax.errors import UsageError

RULED = ("deny", "ask", "allow", "reads")
"""The settings of `actions` that name actions."""
SOMETIMES = ("test", "repair", "look", "move", "probe", "browse", "work")
"""Built-in actions that only some tasks have: with code, in a world, in a browser, with tools and a model."""


class Unborne(NamedTuple):
    """A name in a setting that no action bears, and the nearest one that an action does, or ""."""

    setting: str
    name: str
    nearest: str


def unborne(words: Actions, names: Iterable[str]) -> Iterator[Unborne]:
    """Return what the settings name and nobody bears; `names` are those of the actions there are."""
    known = {*names, *SOMETIMES}
    for key in RULED:
        for name in getattr(words, key):
            if name not in known:
                near = difflib.get_close_matches(name, sorted(known), 1)
                yield Unborne(f"actions.{key}", name, near[0] if near else "")


def check_named(words: Actions, names: Collection[str]) -> None:
    """Refuse settings that name an action which is not there; raises UsageError."""
    for wrong in unborne(words, names):
        meant = f" The nearest one is {wrong.nearest!r}." if wrong.nearest else ""
        raise UsageError(
            f"{wrong.setting} names {wrong.name!r}, and no action is called that.",
            why=f"What was meant would not be heeded.{meant}",
            mend=f"Take it out, or write one of: {', '.join(sorted({*names, *SOMETIMES}))}.",
        )
