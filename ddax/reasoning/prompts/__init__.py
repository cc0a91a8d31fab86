"""The prompts: one template file a request type, and the loader that fails on an unknown variable.

A file has two parts parted by a line of `=====`: the instructions, which hold no variable so that
a provider can cache them, and the request. The request is in sections; one whose variables are all empty is
left out. `rules.txt` stands before every instruction but those of `act`. A folder of the user's may hold
files of the same names, which are taken instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple

from ddax.errors import SettingsError, UsageError

NAMES = (
    "expand", "plans", "predict", "extract", "extracts", "argue", "judge", "judges", "merge", "settle",
    "answer", "data", "reflect", "propose_patches", "mutate_patch", "ask", "act", "repair", "seen",
)  # fmt: skip
"""Every template by name; `ddax prompts show NAME` prints one."""

RULES = "rules"
FIXED = frozenset({"repair"})
"""Templates that a folder cannot replace: what is wrong with a reply is said in our words."""
OWN_RULES = frozenset({"act"})
"""Templates that hold their rules themselves: the reply may be calls of tools, and no JSON object."""
_PARTING = "\n=====\n"
_SECTIONS = "\n\n"


class Prompt(NamedTuple):
    """A rendered prompt: the system message and the user message."""

    system: str
    user: str


@dataclass(frozen=True)
class Book:
    """The templates of a run: the shipped ones, and those that a folder has instead."""

    own: Mapping[str, str] = field(default_factory=dict)

    def source(self, name: str) -> str:
        """Return the text of a template; raises `UsageError` for an unknown name."""
        shipped = source(name)
        return self.own.get(name, shipped)

    def render(self, name: str, **values: str) -> Prompt:
        """Fill a template; raises `KeyError` naming a variable that is missing or not known."""
        wanted = variables(name)
        odd = sorted(wanted.symmetric_difference(values))
        if odd:
            raise KeyError(f"prompt {name!r}: missing or unknown variables {odd}")
        instructions, request = _parts(name, self.source(name))
        said = [
            Template(section).substitute(values)
            for section in request.split(_SECTIONS)
            if _says(section, values)
        ]
        rules = [] if name in OWN_RULES else [self.source(RULES)]
        return Prompt(_SECTIONS.join([*rules, instructions]), _SECTIONS.join(said))


SHIPPED = Book()


def _says(section: str, values: Mapping[str, str]) -> bool:
    """Tell whether a section holds anything: one whose variables are all empty does not."""
    names = Template(section).get_identifiers()
    return not names or any(values[name] for name in names)


def open_book(folder: str) -> Book:
    """Return the templates of a folder over the shipped ones; raises `SettingsError` for one that is none."""
    if not folder:
        return SHIPPED
    place = Path(folder).expanduser()
    if not place.is_dir():
        raise SettingsError(
            f"prompts: there is no folder {folder!r}.",
            why="Templates of your own stand in a folder, one file each.",
            mend="Make it, and put into it what `ddax prompts show NAME` prints, changed as you like.",
        )
    own = {path.stem: path.read_text(encoding="utf-8").strip("\n") for path in sorted(place.glob("*.txt"))}
    for name, text in own.items():
        _check(name, text)
    return Book(own)


def _check(name: str, text: str) -> None:
    """Refuse a template of no request, without its parts, or with a variable that nothing fills."""
    known = [known for known in (*NAMES, RULES) if known not in FIXED]
    if name not in known:
        raise SettingsError(
            f"prompts: {name}.txt belongs to no request.",
            why="A template is taken by its name.",
            mend=f"Known are {', '.join(known)}.",
        )
    try:
        strange = () if name == RULES else sorted(_variables(name, text) - variables(name))
    except ValueError as error:
        raise SettingsError(
            f"prompts: {name}.txt cannot be used.",
            why=str(error),
            mend=f"Begin with what `ddax prompts show {name}` prints; write a dollar sign as $$.",
        ) from error
    if strange:
        raise SettingsError(
            f"prompts: {name}.txt asks for {', '.join(strange)}.",
            why="Nothing of this name is told in this request.",
            mend=f"It may take {', '.join(sorted(variables(name)))}.",
        )


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
    """Return the names of the variables of a shipped template's request part."""
    return _variables(name, source(name))


def _variables(name: str, text: str) -> frozenset[str]:
    request = Template(_parts(name, text)[1])
    if not request.is_valid():
        raise ValueError(f"prompt {name!r} has a dollar sign that begins no variable.")
    return frozenset(request.get_identifiers())


def _parts(name: str, text: str) -> tuple[str, str]:
    instructions, parting, request = text.partition(_PARTING)
    if not parting or Template(instructions).get_identifiers():
        raise ValueError(f"prompt {name!r} needs instructions without variables, '=====' and a request.")
    return instructions, request


def render(name: str, **values: str) -> Prompt:
    """Fill a shipped template; raises `KeyError` naming a variable that is missing or not in the template."""
    return SHIPPED.render(name, **values)
