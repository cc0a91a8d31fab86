"""Objects of JSON in a text, and those read a line for each value: their fields and where they stand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import Sentence

MAX_OBJECTS = 64
"""Objects that are read of one passage."""
MAX_QUOTED = 40
"""Words of an object that is quoted whole; of a longer one its two fields, with what lies between."""
_OPEN = re.compile(r'\{\s*"')
_FIELD = re.compile(r"[-*] (?:(?P<path>[\w .\[\]-]*?)\.)?(?P<key>[\w -]{1,40}): (?P<value>\S.*)")
"""A value as JSON is read: "- servers[0].port: 8080"."""
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str)


@dataclass(frozen=True)
class Field:
    """A value that an object says, by the path to it."""

    path: str
    value: str
    said: Weighed

    @property
    def above(self) -> str:
        """Return the path to the part of the object that holds the value, empty for the object itself."""
        return "".join(self.path.rpartition(".")[:2])


def records(weighed: Sequence[Weighed]) -> Iterator[list[Field]]:
    """Yield the fields of each object that was read."""
    yield from _listed(weighed)
    seen = set[tuple[str, int]]()
    for item in weighed:
        page = item.sentence.passage
        if (page.source, page.start) not in seen:
            seen.add((page.source, page.start))
            yield from _written(item)


def _listed(weighed: Sequence[Weighed]) -> Iterator[list[Field]]:
    """Yield the fields that share the path to their object, in one document under one heading."""
    found: dict[tuple[str, Sentence | None, str], list[Field]] = {}
    for item in sorted(weighed, key=lambda one: one.sentence.start):
        field = _FIELD.fullmatch(item.sentence.text) if item.sentence.item else None
        if field is not None:
            path = field["path"] or ""
            place = item.sentence.passage.source, item.sentence.heading
            own = Field(field["key"], field["value"], item)
            found.setdefault((*place, path), []).append(own)
    for (source, heading, path), fields in found.items():
        inner = [
            Field(f"{below[len(path) + 1 :] if path else below}.{field.path}", field.value, field.said)
            for (other, above, below), others in found.items()
            if (other, above) == (source, heading) and below != path and _is_inside(below, path)
            for field in others
        ]
        if len({field.path for field in fields}) == len(fields):  # else a list of several without a path
            yield [*fields, *inner]


def _is_inside(below: str, path: str) -> bool:
    """Tell whether a path leads to a part of an object, and to none of several."""
    rest = below.removeprefix(f"{path}.") if path else below
    return below.startswith(f"{path}." if path else "") and "[" not in rest


def _written(item: Weighed) -> Iterator[list[Field]]:
    """Yield the fields of the objects that a passage holds as they are written."""
    page = item.sentence.passage
    for number, match in enumerate(_OPEN.finditer(page.text)):
        if number >= MAX_OBJECTS:
            return
        try:
            value, end = _DECODER.raw_decode(page.text, match.start())
        except (ValueError, RecursionError):
            continue
        whole = replace(
            item.sentence, text=page.text[match.start() : end], start=page.start + match.start(),
            label=False, item=False, header=None, intro="",
        )  # fmt: skip
        yield [Field(path, said, replace(item, sentence=whole)) for path, said in _flat(value, "")]


def _flat(value: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for name, inner in value.items():
        path = f"{above}.{name}" if above else name
        if isinstance(inner, dict):
            yield from _flat(inner, path)
        elif not isinstance(inner, list):
            yield path, inner if isinstance(inner, str) else json.dumps(inner)
