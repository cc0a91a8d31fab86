"""The front matter of a text: what it says of itself above its first line, as fields.

YAML between `---`, TOML between `+++`, and the headers of a proposal (`Title: …`, as PEPs have them).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

MOST_CHARS = 10_000
"""Characters that front matter may have; a longer block is text."""
MOST_FIELDS, FIELD_CHARS = 32, 300
_FENCED = re.compile(
    r"(?P<mark>---|\+\+\+)[ \t]*\n(?P<block>.*?)^(?P=mark)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_HEADER = re.compile(r"(?<![\w-])([A-Z][A-Za-z0-9]*+(?:-[A-Za-z0-9]++)*+):(?:[ \t]+(.*))?$")


class Fronted(NamedTuple):
    """The fields of a text, and what of it stands below them."""

    fields: dict[str, Any]
    rest: str


def front_matter(text: str) -> Fronted:
    """Take the front matter off a text; a block that cannot be read as such stays text."""
    head = text[: MOST_CHARS + 10]
    if found := _FENCED.match(head):
        fields = _mapping(found["mark"], found["block"])
        return Fronted(plain(fields), text[found.end() :]) if fields else Fronted({}, text)
    return _headers(text)


def _mapping(mark: str, block: str) -> Mapping[Any, Any]:
    import yaml

    from ddax.configs.documents import safe_load

    try:
        if mark == "+++":
            return tomllib.loads(block)
        # What refers to other values may unfold without end, and nobody writes it here.
        value = None if re.search(r"(?:^|[\s\[{,:])[&*]\w", block) else safe_load(block)
    except (tomllib.TOMLDecodeError, yaml.YAMLError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _headers(text: str) -> Fronted:
    """Read `Name: value` lines at the very beginning, one of which is a title, up to an empty line."""
    fields: dict[str, Any] = {}
    place, name = 0, ""
    for line in text[:MOST_CHARS].split("\n"):
        found = _HEADER.match(line)
        if found:
            name = found[1]
            fields[name] = (found[2] or "").strip()
        elif name and line[:1] in (" ", "\t") and line.strip():
            fields[name] = f"{fields[name]} {line.strip()}".strip()
        else:
            ended = not line.strip()
            break
        place += len(line) + 1
    else:
        ended = True
    if not ended or len(fields) < 2 or not {"Title", "Subject"} & fields.keys():
        return Fronted({}, text)
    return Fronted(plain(fields), text[place:])


def plain(given: Mapping[Any, Any]) -> dict[str, Any]:
    """Return fields as plain JSON of a bounded size."""
    held = {" ".join(str(key).split())[:FIELD_CHARS]: _plain(value) for key, value in given.items()}
    told = {key: value for key, value in held.items() if key and value not in ("", None, [], {})}
    return dict([*told.items()][:MOST_FIELDS])


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (list, tuple, set)):
        return [_said(one) for one in value][:MOST_FIELDS]
    return _said(value)


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        value = ", ".join(f"{key}: {one}" for key, one in value.items())
    return " ".join(str(value).split())[:FIELD_CHARS]


def field_of(fields: Mapping[str, Any], *names: str) -> str:
    """Return the first of some fields that there is, whatever the case of its name; "" where none is."""
    folded = {key.casefold(): value for key, value in fields.items()}
    found = next((folded[name] for name in names if folded.get(name)), "")
    return found if isinstance(found, str) else ""


def field_lines(fields: Mapping[str, Any]) -> str:
    """Write fields as a list, a field a line, so that a quote of one says what it is."""
    rows = [f"- {key}: {_told(value)}" for key, value in fields.items()]
    return "\n".join(rows) + "\n\n" if rows else ""


def _told(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
