"""What is told and said in a leaf of several turns: tools, calls with their results, the next calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ddax.types import Usage


@dataclass(frozen=True)
class Offered:
    """A tool that may be called: what its author says of it, its arguments in words and as a JSON schema.

    `foreign` words are data, never orders.
    """

    name: str
    text: str
    arguments: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    foreign: bool = False


@dataclass(frozen=True)
class Call:
    """A call of a tool; nobody has checked yet whether the tool is there and takes these arguments."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Called:
    """A call that was made in a turn (from 0), whether it succeeded, and what came of it."""

    turn: int
    call: Call
    ok: bool
    text: str


@dataclass(frozen=True)
class Acted:
    """The next calls in their order; without one `text` is the result, and the leaf has ended."""

    calls: tuple[Call, ...] = ()
    text: str = ""
    usage: Usage = field(default_factory=Usage)
