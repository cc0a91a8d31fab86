"""The parts of ddax that can be left out, in one table: reasoners, the pilot of a browser, repair of code.

Whoever needs one asks for it here by its name, so that no layer imports it; it is loaded when it is asked
for. Plug-ins of others are no matter of this table: they are given as objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ddax.errors import MissingPart

WHOLE = "Install ddax whole: pip install --force-reinstall ddax"


@dataclass(frozen=True)
class Part:
    """Where a part is to be found, what it is called in an error, and what does without it."""

    package: str
    name: str
    what: str
    without: str = ""

    def missing(self) -> MissingPart:
        """Return the error for this part where it was left out."""
        return MissingPart(
            f"{self.what} is not part of this installation.",
            why=f"There is no package {self.package}.",
            mend=f"{WHOLE}{self.without}.",
        )


_PILOT = ("ddax.environments.pilot", "The pilot of a browser", ", or take the browser out of the sources")
PARTS: Mapping[str, Part] = {
    "embedded": Part(
        "ddax.reasoning.embedded", "reasoner:EmbeddedReasoner", "The reasoner without a model",
        ", or name a model: --model provider:model",
    ),
    "language": Part(
        "ddax.reasoning.language", "assemble:assemble", "The reasoner over chat models",
        ", or run with --model embedded",
    ),
    "browse": Part(_PILOT[0], "browse:Browsing", *_PILOT[1:]),
    "says_secret": Part(_PILOT[0], "orders.grammar:says_secret", *_PILOT[1:]),
    "repair": Part("ddax.evolution", "repairs:CodeRepairs", "The repair of code"),
}  # fmt: skip
"""Every part by the name it is asked for."""


def load(name: str) -> Any:
    """Return a part, importing it now; raises `MissingPart` where it was left out."""
    part = PARTS[name]
    module, _, attribute = part.name.partition(":")
    try:
        return getattr(import_module(f"{part.package}.{module}"), attribute)
    except ModuleNotFoundError as error:
        raise left_out(error) or error from error


def left_out(error: ModuleNotFoundError) -> MissingPart | None:
    """Return the error for the part that an import did not find; None where it is no part of ddax."""
    return next((part.missing() for part in PARTS.values() if part.package == error.name), None)
