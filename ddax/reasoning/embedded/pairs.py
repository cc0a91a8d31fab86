"""Lines of a name and a value, as YAML, TOML and INI files have them, read as the objects they make."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.objects import Field
from ddax.reasoning.embedded.sentences import Sentence

ENDINGS = frozenset({".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties"})
_PAIR = re.compile(
    r"(?P<indent>[ \t]*)(?P<dash>- +)?(?P<key>[A-Za-z_][\w .-]{0,39}?)[ \t]*[:=]"
    r"(?:[ \t]+(?P<value>\S.*?))?[ \t]*"
)
_SECTION = re.compile(r"[ \t]*\[+(?P<name>[\w .-]+)\]+[ \t]*")
_BESIDE = re.compile(r"(?<!\s)\s+#(?s:.*)$")
"""A comment behind a value."""


@dataclass
class _Part:
    """A part of a file that has a name of its own, or is an entry of a list; `indent` is that of its name."""

    indent: int
    path: str
    fields: list[Field] = field(default_factory=list)


def of_settings(line: Sentence) -> bool:
    """Tell whether a sentence stands in a file of settings."""
    return PurePosixPath(line.passage.source).suffix.lower() in ENDINGS


def paired(item: Weighed) -> Iterator[list[Field]]:
    """Yield the fields of each part of a file of settings, first its name: the title, or the part's key."""
    line = item.sentence
    if not of_settings(line):
        return
    parts = [_Part(-1, "", [Field("", line.passage.title, replace(item, sentence=_lines(line)[0]))])]
    done: list[_Part] = []
    for one in _lines(line):
        if section := _SECTION.fullmatch(one.text):
            done += parts[1:]
            named = Field("", section["name"], replace(item, sentence=one))
            parts[1:] = [_Part(-1, section["name"], [named])]
        elif pair := _PAIR.fullmatch(one.text):
            done += _read(parts, pair, replace(item, sentence=one))
    yield from (part.fields for part in [*done, *parts])


def _read(parts: list[_Part], pair: re.Match[str], said: Weighed) -> list[_Part]:
    """Add a line to the parts that it stands in; return the parts that end before it."""
    indent, lowest = len(pair["indent"].expandtabs()), 2 if parts[1:] and parts[1].indent < 0 else 1
    ended: list[_Part] = []
    while len(parts) > lowest and parts[-1].indent >= indent:
        ended.append(parts.pop())
    if pair["dash"]:
        parts.append(_Part(indent, _below(parts[-1].path, "[]")))
    path = _below(parts[-1].path, pair["key"])
    if pair["value"] is None:
        key = Field("", pair["key"], said)
        parts.append(_Part(indent + len(pair["dash"] or ""), path, [key]))
        return ended
    value = _BESIDE.sub("", pair["value"]).strip("\"'")
    for part in parts:
        inside = path.removeprefix(part.path).lstrip(".")
        if "[]" not in inside:  # the value of one of several is none of the whole
            part.fields.append(Field(inside, value, said))
    return ended


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _lines(whole: Sentence) -> list[Sentence]:
    """Return the lines of a passage, each as a sentence of its own; there is at least one."""
    page, at = whole.passage, 0
    found: list[Sentence] = []
    for text in page.text.split("\n"):
        plain = replace(
            whole, text=text, start=page.start + at, label=False, item=True, header=None, intro=""
        )
        found.append(plain)
        at += len(text) + 1
    return found
