"""The prompts: one template file a request type, and the loader that fails on an unknown variable.

A file has two parts parted by a line of `=====`: the instructions, which hold no variable so that
a provider can cache them, and the request. `rules.txt` stands before every instruction.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template
from typing import NamedTuple

from ddax.errors import UsageError

NAMES = (
    "expand", "predict", "extract", "argue", "judge", "merge",
    "reflect", "propose_patches", "mutate_patch", "ask", "repair", "seen",
)  # fmt: skip
"""Every template by name; `ddax prompts show NAME` prints one."""

RULES = "rules"
_PARTING = "\n=====\n"


class Prompt(NamedTuple):
    """A rendered prompt: the system message and the user message."""

    system: str
    user: str


@cache
def source(name: str) -> str:
    """Return the text of a template as it stands in its file; raises `UsageError` for an unknown name."""
    if name not in (*NAMES, RULES):
        raise UsageError(
            f"there is no prompt {name!r}.",
            why="Each request to a model has one prompt.",
            mend=f"Known are {', '.join(NAMES)}.",
        )
    return (files(__name__) / f"{name}.txt").read_text(encoding="utf-8").strip("\n")


def read_all() -> None:
    """Read every template, so that none of them is read later; blocks."""
    for name in (*NAMES, RULES):
        source(name)


@cache
def variables(name: str) -> frozenset[str]:
    """Return the names of the variables of a template's request part."""
    return frozenset(Template(_parts(name)[1]).get_identifiers())


@cache
def _parts(name: str) -> tuple[str, str]:
    instructions, parting, request = source(name).partition(_PARTING)
    if not parting or Template(instructions).get_identifiers():
        raise ValueError(f"prompt {name!r} needs instructions without variables, '=====' and a request.")
    return instructions, request


def render(name: str, **values: str) -> Prompt:
    """Fill a template; raises `KeyError` naming a variable that is missing or not in the template."""
    instructions, request = _parts(name)
    wanted = variables(name)
    odd = sorted(wanted.symmetric_difference(values))
    if odd:
        raise KeyError(f"prompt {name!r}: missing or unknown variables {odd}")
    return Prompt(f"{source(RULES)}\n\n{instructions}", Template(request).substitute(values))
