"""JSON as models write it: read as a person would, with a count of what had to be mended.

Takes trailing and missing commas, comments, single quotes, bare keys, Python's words, raw line breaks
and an end that is missing. What is not whole (a text without its end) is left out, never made up.
Leaves out what the values mean (`fit`).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

DEEPEST = 60
"""Objects and lists within one another; what is nested deeper is no reply."""
QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "`": "`"}
"""What opens a text, and what ends it."""
WORDS = {"true": True, "false": False, "null": None, "none": None}
_SPACE = re.compile(r"(?:\s|\ufeff|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*)+", re.DOTALL)
_NEXT_KEY = re.compile(r"""(["'])[^"'\n]{1,60}\1\s*:""")
_BLANK = re.compile(r"\s*")
_KEY = re.compile(r"[^\W\d][\w$.-]*")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?")
_STRAY = re.compile(r"\s*(?:,\s*\{|\]\s*[,}])")
"""What follows a brace too many within a list."""
_WORD = re.compile(r"[A-Za-z]+")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Broken(ValueError):
    """Say why a text is no JSON even when it is read loosely."""


class CutObject(dict[str, Any]):
    """An object in the middle of which its text ended."""


class CutList(list[Any]):
    """A list in the middle of which its text ended."""


class _End(Exception):
    """The text has ended within a value."""


class _Forgotten(Exception):
    """A container has ended without its own sign."""


@dataclass(frozen=True)
class Percent:
    """A number with a percent sign behind it."""

    value: float


@dataclass(frozen=True)
class Loose:
    """A value, where it ends in its text, and how many things about it were mended."""

    value: Any
    end: int
    mended: int


def read_at(text: str, start: int, *, ended: bool = True) -> Loose:
    """Read the object or list that begins at a place; raises `Broken`.

    `ended` says that the writer meant the text to end where it does, so that a number there is whole.
    """
    reader = _Reader(text, start, ended=ended)
    try:
        value = reader.container(0)
    except _End as error:
        raise Broken("nothing of it is whole") from error
    return Loose(value, reader.at, reader.mended)


@dataclass
class _Reader:
    text: str
    at: int
    ended: bool = True
    mended: int = 0

    def container(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise Broken("the JSON is nested too deep")
        return self._object(depth) if self.text[self.at] == "{" else self._list(depth)

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.at += 1
        try:
            while not self._closes("}", first=not found):
                key = self._key()
                self._skip()
                if self._next() != ":":
                    raise Broken(f"a value is missing behind {key!r}")
                self.at += 1
                value = self._value(depth)
                if key in found and found[key] != value:
                    raise Broken("a key stands twice in one object")
                found[key] = value
        except _Forgotten:
            self.mended += 1
        except _End:
            self.mended += 1
            return CutObject(found)
        return found

    def _list(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self.at += 1
        try:
            while not self._closes("]", first=not found):
                found.append(self._value(depth))
        except _Forgotten:
            self.mended += 1
        except _End:
            self.mended += 1
            return CutList(found)
        return found

    def _closes(self, end: str, *, first: bool) -> bool:
        """Go to the next part; say whether there is none. A comma too many or too few is mended."""
        commas = 0
        while self._is_next(","):
            commas, self.at = commas + 1, self.at + 1
        if self.at >= len(self.text):
            raise _Forgotten if self.ended else _End
        sign = self._next()
        if sign == end:
            self.mended += commas > 0
            self.at += 1
            return True
        if sign == "}" and _STRAY.match(self.text, self.at + 1):
            self.at, self.mended = self.at + 1, self.mended + 1
            return self._closes(end, first=first)
        if sign in "}]":  # the end of what is around this
            raise _Forgotten
        self.mended += not first and commas != 1
        return False

    def _is_next(self, sign: str) -> bool:
        self._skip()
        return self.text[self.at : self.at + 1] == sign

    def _key(self) -> str:
        self._skip()
        if self._next() in QUOTES:
            return self._text()
        found = _KEY.match(self.text, self.at)
        if found is None:
            raise Broken(f"a key is missing at {self.text[self.at : self.at + 20]!r}")
        if found.end() == len(self.text):
            raise _End
        self.at, self.mended = found.end(), self.mended + 1
        return found.group()

    def _value(self, depth: int) -> Any:
        self._skip()
        sign = self._next()
        if sign in "{[":
            return self.container(depth + 1)
        if sign in QUOTES:
            return self._text()
        return self._number() if sign in "+-.0123456789" else self._word()

    def _number(self) -> Any:
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            raise Broken(f"{self.text[self.at : self.at + 20]!r} is no value")
        if found.end() == len(self.text) and not self.ended:
            raise _End
        self.at = found.end()
        said = found.group().replace("_", "")
        if said.endswith("%"):
            self.mended += 1
            return Percent(float(said[:-1]))
        try:
            return json.loads(said)
        except ValueError:
            self.mended += 1
            return float(said) if len(said) < DEEPEST else _too_long(said)

    def _word(self) -> Any:
        found = _WORD.match(self.text, self.at)
        said = found.group() if found else self.text[self.at : self.at + 20]
        if found is None or said.lower() not in WORDS:
            if found is not None and found.end() == len(self.text):
                raise _End
            raise Broken(f"{said!r} is no value of JSON")
        self.at, self.mended = found.end(), self.mended + (said not in WORDS)
        return WORDS[said.lower()]

    def _text(self) -> str:
        """Read a text; a quote within it that nobody escaped is a part of it."""
        opened = self.text[self.at]
        close, parts, self.at = QUOTES[opened], [], self.at + 1
        self.mended += opened != '"'
        while True:
            sign = self._next()
            if sign == "\\":
                parts.append(self._escaped())
            elif sign == close and self._ends_here():
                self.at += 1
                return "".join(parts)
            else:
                self.mended += sign == close or sign in "\n\t"
                parts.append(sign)
                self.at += 1

    def _ends_here(self) -> bool:
        """Tell whether a quote ends its text: behind it stands what can follow a text."""
        behind = _BLANK.match(self.text, self.at + 1)
        assert behind is not None
        rest = self.text[behind.end() : behind.end() + 1]
        if rest in ("", "}", "]", ":"):
            return True
        if rest == ",":
            return self._part_follows(behind.end() + 1)
        if _NEXT_KEY.match(self.text, behind.end()):
            return True
        return "\n" in behind.group() and rest in '"{['

    def _part_follows(self, at: int) -> bool:
        """Tell whether behind a comma stands the next part, and not more words of the same text."""
        space = _SPACE.match(self.text, at)
        rest = self.text[space.end() if space else at :][:200]
        if not rest or rest[0] in "{[}]0123456789-+.":
            return True
        if rest[0] in QUOTES:
            return True
        return bool(re.match(r"[^\W\d][\w$.-]*\s*:|(?:true|false|null|none)\b", rest, re.IGNORECASE))

    def _escaped(self) -> str:
        self.at += 1
        sign = self._next()
        self.at += 1
        if sign != "u":
            return _ESCAPES.get(sign, sign)
        found = re.compile("[0-9a-fA-F]{4}").match(self.text, self.at)
        if found is None:
            if self.at + 4 >= len(self.text):
                raise _End
            raise Broken("a \\u is not followed by four digits")
        self.at = found.end()
        code = int(found.group(), 16)
        low = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})").match(self.text, self.at)
        if 0xD800 <= code < 0xDC00 and low:
            self.at = low.end()
            code = 0x10000 + ((code - 0xD800) << 10) + (int(low.group(1), 16) - 0xDC00)
        return chr(code)

    def _skip(self) -> None:
        space = _SPACE.match(self.text, self.at)
        if space is not None:
            self.mended += not space.group().isspace()
            self.at = space.end()

    def _next(self) -> str:
        if self.at >= len(self.text):
            raise _End
        return self.text[self.at]


def _too_long(said: str) -> float:
    raise Broken(f"{said[:20]}... is no number")
