"""The prompts: one template file a request type, and the loader that fails on an unknown variable.

A file has two parts parted by a line of `=====`: the instructions, which hold no variable so that
a provider can cache them, and the request. The request is in sections; one whose variables are all empty is
left out. `rules.txt` stands before the instructions of all but `OWN_RULES`, then `quotes.txt` but where no
quote is asked for (`UNQUOTED`). A folder of the user's may hold files of the same names, which are taken
instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import NamedTuple

from ddax.errors import SettingsError, UsageError

NAMES = (
    "expand", "plans", "predict", "extract", "extracts", "argue", "judge", "judges", "merge", "settle",
    "answer", "data", "reflect", "propose_patches", "mutate_patch", "ask", "act", "repair", "seen",
)  # fmt: skip
"""Every template by name; `ddax prompts show NAME` prints one."""

RULES, QUOTES = "rules", "quotes"
FIXED = frozenset({"repair"})
"""Templates that a folder cannot replace: what is wrong with a reply is said in our words."""
OWN_RULES = frozenset({"act", "extract"})
"""Templates that hold their rules themselves: the reply may be calls of tools, or a page costs a call."""
UNQUOTED = frozenset({
    "expand", "plans", "predict", "judges", "reflect", "propose_patches", "mutate_patch",
})  # fmt: skip
"""Templates whose replies hold no quote, so that nothing need be said of how one is given."""
_PARTING = "\n=====\n"
_SECTIONS = "\n\n"


PARTS = {
    "brief": "task", "task": "task", "earlier": "task", "goal": "task", "evidence": "passages",
    "passages": "passages", "sources": "passages", "seen": "passages", "code": "passages",
    "called": "passages", "findings": "findings", "thoughts": "findings", "lessons": "findings",
    "arguments": "findings", "heard": "findings", "failures": "findings", "report": "findings",
    "tried": "findings",
}  # fmt: skip
"""What a section is counted as, by its variable: what is given, read or found; the rest is what is asked."""


class Prompt(NamedTuple):
    """A rendered prompt: the system message, the user message, and the bytes of the parts of the latter.

    `stable` are the characters of the user message that may come again: the task, then what was read.
    """

    system: str
    user: str
    parts: Mapping[str, int] = MappingProxyType({})
    stable: tuple[int, ...] = ()

    def followed(self, text: str, part: str) -> Prompt:
        """Return the prompt with more behind its request."""
        more = self.parts.get(part, 0) + len(text.encode("utf-8", "replace"))
        return Prompt(self.system, self.user + text, {**self.parts, part: more}, self.stable)


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
        said = [section for section in request.split(_SECTIONS) if _says(section, values)]
        written = [Template(section).substitute(values) for section in said]
        rules = [self.source(rule) for rule in rules_of(name)]
        sizes: dict[str, int] = {}
        for section, text in zip(said, written, strict=True):
            part = _part(section)
            sizes[part] = sizes.get(part, 0) + len(text.encode("utf-8", "replace"))
        stable = _stable([_part(section) for section in said], written)
        return Prompt(_SECTIONS.join([*rules, instructions]), _SECTIONS.join(written), sizes, stable)


SHIPPED = Book()


def rules_of(name: str) -> tuple[str, ...]:
    """Return the templates that stand before the instructions of another one."""
    if name in OWN_RULES:
        return ()
    return (RULES,) if name in UNQUOTED else (RULES, QUOTES)


def _stable(parts: Sequence[str], written: Sequence[str]) -> tuple[int, ...]:
    """Return where the task ends at the beginning of a request, and where what was read behind it does."""
    ends, place = {}, 0
    for part, text in zip(parts, written, strict=True):
        if part not in ("task", "passages") or (part == "task" and "passages" in ends):
            break
        place += len(text) + len(_SECTIONS)
        ends[part] = place
    return tuple(end for end in ends.values() if end <= sum(map(len, written)))


def _part(section: str) -> str:
    """Return what a section is counted as: by the first of its variables."""
    return next((PARTS.get(name, "request") for name in Template(section).get_identifiers()), "request")


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
    known = [known for known in (*NAMES, RULES, QUOTES) if known not in FIXED]
    if name not in known:
        raise SettingsError(
            f"prompts: {name}.txt belongs to no request.",
            why="A template is taken by its name.",
            mend=f"Known are {', '.join(known)}.",
        )
    try:
        strange = () if name in (RULES, QUOTES) else sorted(_variables(name, text) - variables(name))
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
    if name not in (*NAMES, RULES, QUOTES):
        raise UsageError(
            f"there is no prompt {name!r}.",
            why="Each request to a model has one prompt.",
            mend=f"Known are {', '.join((*NAMES, RULES, QUOTES))}.",
        )
    return (files(__name__) / f"{name}.txt").read_text(encoding="utf-8").strip("\n")


def read_all() -> None:
    """Read every template, so that none of them is read later; blocks."""
    for name in (*NAMES, RULES, QUOTES):
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
