"""Secrets: found by their exact value or by their shape, and blotted out before anything is kept or shown.

A blot is as long as what it covers, so that places in a text stay what they are. Values come from the
environment (variables named like keys, tokens or passwords) and from a `.env` file; shapes are those of
well-known keys, of private keys, and of passwords in addresses and assignments.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote

MIN_LENGTH = 8
"""Characters of a value below which it is no secret worth the name."""
SHORTEST = 8
"""Characters below which a text holds no value and nothing that has a shape."""
REMEMBERED, KNOWN = 300, 4096
"""Characters up to which a clean text is remembered, and how many are."""
LONGEST = 8200
"""Characters that what has a shape takes at most."""
BLOT = "[secret]"
_BARE, _MANY = (bool, int, float), (list, tuple, set, frozenset)
_NO_TEXT = frozenset({type(None), *_BARE})
_NAMED = re.compile(r"(?i)key|token|secret|passw|credential|auth|dsn|_pat$|cookie|session|private|signature")
_SURELY = re.compile(r"(?i)(?:(?:^|_)(?:key|token|secret|pat)|passw(?:or)?d|passphrase|credentials?)$")
"""Names whose value is a secret even where it is a word or a number."""
_PLAIN = re.compile(r"(?i)^(true|false|none|null|[\d.:,\s-]+|/[\w./-]*|[a-z]+|https?://[^@\s]*)$")
"""Values that are no secret in spite of a name like `KEYBOARD`: numbers, paths, words, plain addresses."""
_PLACE = re.compile(r"(?i)^(true|false|none|null|/[\w./-]*|https?://[^@\s]*)$")
"""Values that are none whatever the name."""


@dataclass(frozen=True)
class Shape:
    """A shape of secrets: it begins at one of these words, or, with `after`, right behind one."""

    words: tuple[str, ...]
    pattern: str
    after: bool = False


SHAPES = (
    Shape(
        ("-----begin",),
        r"""-----BEGIN[ ][A-Z ]{0,20}PRIVATE[ ]KEY-----(?:
              (?:(?!-----BEGIN)[\s\S]){16,8000}?-----END[ ][A-Z ]{0,20}PRIVATE[ ]KEY-----
            | (?:\s|\\[nr]|[A-Za-z0-9+/=:,-]){0,8000})""",
    ),
    Shape(
        ("sk-", "sk_", "pk-", "pk_", "rk-", "rk_"),
        r"\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]{2,12}[-_])*[A-Za-z0-9_-]{16,200}",
    ),
    Shape(("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,255}"),
    Shape(("github_pat_",), r"\bgithub_pat_[A-Za-z0-9_]{20,255}"),
    Shape(("glpat-",), r"\bglpat-[A-Za-z0-9_-]{16,64}"),
    Shape(("xox",), r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}"),
    Shape(("hf_",), r"\bhf_[A-Za-z0-9]{20,64}"),
    Shape(("npm_",), r"\bnpm_[A-Za-z0-9]{30,64}"),
    Shape(("tvly-",), r"\btvly-[A-Za-z0-9-]{12,64}"),
    Shape(("sg.",), r"\bSG\.[\w-]{16,32}\.[\w-]{32,64}"),
    Shape(("akia", "asia"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    Shape(("aiza",), r"\bAIza[0-9A-Za-z_-]{30,40}"),
    Shape(("ya29.",), r"\bya29\.[\w-]{20,255}"),
    Shape(("eyj",), r"\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,1000}"),
    Shape(("://",), r"(?<=://)[^\s/:@'\"<>]{0,128}:[^\s/@'\"<>]{3,256}(?=@)", after=True),
    Shape(("bearer ",), r"(?i:(?<=bearer[ ]))[A-Za-z0-9._~+/=-]{16,2000}", after=True),
    Shape(
        ("basic  ", "token  "), r"(?i:(?<=basic[ ][ ]|token[ ][ ]))[A-Za-z0-9._~+/=-]{16,2000}", after=True
    ),
    Shape(
        ("basic ", "token "),
        r"(?i:(?<=basic[ ])|(?<=token[ ]))(?=[^\s]{0,2000}?[\d=])[A-Za-z0-9._~+/=-]{16,2000}",
        after=True,
    ),
    Shape(
        ("api", "access", "auth", "client", "secret", "passw"),
        r"""(?i:\b(?:api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|secret[_-]?key|password|passwd)
              ["']?\s{0,3}[:=]\s{0,3}["']?)(?=[^\s"']{0,200}\d)[A-Za-z0-9_\-./+=!@#$%^&*]{8,256}""",
    ),
)
SHAPED = re.compile("|".join(shape.pattern for shape in SHAPES), re.VERBOSE)
"""All the shapes: of two that begin at one place the first wins."""
_WORDS = tuple((word, len(word) * shape.after) for shape in SHAPES for word in shape.words)
"""Each word with how far behind its beginning the shape may begin."""
_FOLDED = {"\u0130": "i", "\u0131": "i", "\u017f": "s"}
"""Letters that a pattern takes for others in spite of their case, and that `lower` does not map."""


class Redactor:
    """Blots secrets out of texts and plain values."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values if len(value) >= MIN_LENGTH for form in _forms(value)}
        self._forms = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        self.reach = max(LONGEST, *map(len, self._forms), 0)
        """Characters behind a cut that show whether a secret stands there."""
        self._clean: set[str] = set()

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], *, dotenv: Path | None = None) -> Redactor:
        """Return a redactor of the values that the environment and a `.env` file name as secrets."""
        named = {**(_dotenv(dotenv) if dotenv is not None else {}), **environ}
        return cls(value for name, value in named.items() if is_secret(name, value.strip()))

    @classmethod
    def of_process(cls) -> Redactor:
        """Return a redactor of the secrets of this process and of the `.env` file where it was started."""
        return cls.from_environ(os.environ, dotenv=Path(".env"))

    def text(self, text: str) -> str:
        """Return a text with every secret blotted out, as long as it was.

        Names, ids and titles come again and again: those found clean are known the next time.
        """
        if len(text) < SHORTEST or text in self._clean:
            return text
        found = self._blotted(text)
        if found == text:
            self._remember(text)
        return found

    def place(self, text: str, most: int) -> int:
        """Return where to cut a text: at most there, and in no secret, of which a part is not known again."""
        part = text[: most + self.reach]
        found = {*self._spans(part), *(match.span() for match in shaped(part))}
        for start, end in sorted(found, key=itemgetter(1), reverse=True):
            if start < most <= end:
                most = start
        return min(most, len(text))

    def cut(self, text: str, most: int) -> str:
        """Return the beginning of a text, at most so long, without a secret or a part of one."""
        return self.text(text[: self.place(text, most)] if len(text) > most else text)

    def _remember(self, text: str) -> None:
        if len(text) <= REMEMBERED:
            if len(self._clean) >= KNOWN:
                self._clean.clear()
            self._clean.add(text)

    def _blotted(self, text: str) -> str:
        text = _over(text, self._spans(text))
        return _over(text, [match.span() for match in shaped(text)])

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Return where values stand, in order; those that overlap are one."""
        spans: list[tuple[int, int]] = []
        for start, end in sorted(span for form in self._forms for span in _places(form, text)):
            if spans and start < spans[-1][1]:
                start, end = spans[-1][0], max(end, spans.pop()[1])
            spans.append((start, end))
        return spans

    def _holds(self, text: str) -> bool:
        return any(form in text for form in self._forms) or next(shaped(text), None) is not None

    def value(self, value: Any) -> Any:
        """Return plain data, dataclasses and chat messages with every text in them cleaned.

        Plain data without a secret is returned itself: its texts are looked at together, which is quicker.
        """
        texts: list[str] = []
        return value if _is_plain(value, texts) and self._all_clean(texts) else self._value(value)

    def _all_clean(self, texts: Iterable[str]) -> bool:
        """Tell whether no text holds a secret: what is one alone is one among other lines."""
        new = [text for text in texts if len(text) >= SHORTEST and text not in self._clean]
        if new and self._holds("\n".join(new)):
            return False
        for text in new:
            self._remember(text)
        return True

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, _BARE):
            return value
        if isinstance(value, dict):
            return {self._value(key): self._value(part) for key, part in value.items()}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self._value(part) for part in value))
        if isinstance(value, _MANY):
            return type(value)(self._value(part) for part in value)
        if is_dataclass(value) and not isinstance(value, type):
            return replace(
                value, **{name: self._value(getattr(value, name)) for name in _names_in(type(value))}
            )
        if isinstance(value, Mapping):  # slow to tell, and rare
            return {self._value(key): self._value(part) for key, part in value.items()}
        return self._other(value)

    def _other(self, value: Any) -> Any:
        """Clean a packet of LangGraph's on its way to a node, or a chat message; leave the rest."""
        if hasattr(value, "node") and hasattr(value, "arg"):
            return type(value)(value.node, self._value(value.arg))
        if hasattr(value, "model_copy") and hasattr(value, "content"):
            return value.model_copy(update={"content": self._value(value.content)})
        return value


class RedactingFilter(logging.Filter):
    """Blots secrets out of log records."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, cleaned."""
        record.msg, record.args = self._redactor.text(record.getMessage()), ()
        if record.exc_info:
            text = logging.Formatter().formatException(record.exc_info)
            record.exc_text, record.exc_info = self._redactor.text(text), None
        return True


def _is_plain(value: Any, texts: list[str]) -> bool:
    """Add the texts of plain data to a list; tell whether it, dataclasses and packets were all of it."""
    left = [value]
    while left:  # a call for each part would cost more than all the rest
        part = left.pop()
        kind = type(part)
        if kind is str:
            texts.append(part)
        elif kind in _NO_TEXT:
            continue
        elif isinstance(part, dict):
            left += part
            left += part.values()
        elif isinstance(part, _MANY):
            left += part
        elif is_dataclass(kind):
            left += [getattr(part, name) for name in _names_in(kind)]
        elif isinstance(part, str):
            texts.append(part)
        elif hasattr(part, "node") and hasattr(part, "arg"):
            left += (part.node, part.arg)
        elif not isinstance(part, _BARE):
            return False
    return True


@cache
def _names_in(kind: type[Any]) -> tuple[str, ...]:
    """Return the fields that a dataclass is made from."""
    return tuple(field.name for field in fields(kind) if field.init)


def is_secret(name: str, value: str) -> bool:
    """Tell whether a variable holds a secret."""
    if _SURELY.search(name):
        return not _PLACE.match(value)
    return bool(_NAMED.search(name)) and not _PLAIN.match(value)


def shaped(text: str) -> Iterator[re.Match[str]]:
    """Yield what has the shape of a secret, as `SHAPED.finditer` does, looking only where a word of one is.

    Words are found far quicker than shapes, and most texts hold few.
    """
    end = 0
    for start in _starts(text):
        match = SHAPED.match(text, start) if start >= end else None
        if match is not None:
            end = match.end()
            yield match


def _starts(text: str) -> list[int]:
    """Return where a shape may begin, in order."""
    if not text.isascii():
        for letter, plain in _FOLDED.items():
            text = text.replace(letter, plain)  # by one for one, so that every place stays
    folded = text.lower()
    found = set()
    for word, behind in _WORDS:
        at = folded.find(word) if word in folded else -1
        while at >= 0:
            found.add(at + behind)
            at = folded.find(word, at + 1)
    return sorted(found)


def _places(form: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a form stands in a text, also where it overlaps itself."""
    at = text.find(form)
    while at >= 0:
        yield at, at + len(form)
        at = text.find(form, at + 1)


def _over(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with these spans of it blotted out."""
    kept: list[str] = []
    last = 0
    for start, end in spans:
        kept += (text[last:start], blot(text[start:end]))
        last = end
    return "".join((*kept, text[last:])) if kept else text


def blot(found: str) -> str:
    """Return what stands for a secret: as long as it is, and with the name it is assigned to."""
    head = re.match(r"(?i)[\w-]{4,16}[\"']?\s{0,3}[:=]\s{0,3}[\"']?", found)
    keep = found[: head.end()] if head and len(found) - head.end() >= MIN_LENGTH else ""
    return keep + (BLOT + "*" * len(found))[: len(found) - len(keep)]


def _forms(value: str) -> set[str]:
    """Return a value as it may stand in a text: plain, in a URL, in JSON, in base64 at any place."""
    data = value.encode("utf-8", "replace")
    forms = {value, quote(value, safe=""), json.dumps(value)[1:-1], data.hex()}
    for shift in range(3):
        # Of what surrounds it, the first and last characters of base64 depend on the neighbours.
        whole = base64.b64encode(b"\0" * shift + data).decode().rstrip("=")
        core = whole[(0, 2, 3)[shift] : len(whole) - (1 if (len(data) + shift) % 3 else 0)]
        forms |= {core, core.replace("+", "-").replace("/", "_")}
    return {form for form in forms if len(form) >= MIN_LENGTH}


def _dotenv(path: Path) -> dict[str, str]:
    """Return the assignments of a `.env` file; one that cannot be read names none."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.strip().removeprefix("export ").partition("=") for line in lines if "=" in line)
    return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs if not name.startswith("#")}
