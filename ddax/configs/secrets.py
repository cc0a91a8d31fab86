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
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

MIN_LENGTH = 8
"""Characters of a value below which it is no secret worth the name."""
BLOT = "[secret]"
_NAMED = re.compile(r"(?i)key|token|secret|passw|credential|auth|dsn|_pat$|cookie|session|private|signature")
_SURELY = re.compile(r"(?i)(?:(?:^|_)(?:key|token|secret|pat)|passw(?:or)?d|passphrase|credentials?)$")
"""Names whose value is a secret even where it is a word or a number."""
_PLAIN = re.compile(r"(?i)^(true|false|none|null|[\d.:,\s-]+|/[\w./-]*|[a-z]+|https?://[^@\s]*)$")
"""Values that are no secret in spite of a name like `KEYBOARD`: numbers, paths, words, plain addresses."""
_PLACE = re.compile(r"(?i)^(true|false|none|null|/[\w./-]*|https?://[^@\s]*)$")
"""Values that are none whatever the name."""
SHAPES: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("-----begin",),
        r"""-----BEGIN[ ][A-Z ]{0,20}PRIVATE[ ]KEY-----(?:
              [\s\S]{16,8000}?-----END[ ][A-Z ]{0,20}PRIVATE[ ]KEY-----
            | (?:\s|\\[nr]|[A-Za-z0-9+/=:,-]){0,8000})""",
    ),
    (
        ("sk-", "sk_", "pk-", "pk_", "rk-", "rk_"),
        r"\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]{2,12}[-_])*[A-Za-z0-9_-]{16,200}",
    ),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,255}"),
    (("github_pat_",), r"\bgithub_pat_[A-Za-z0-9_]{20,255}"),
    (("glpat-",), r"\bglpat-[A-Za-z0-9_-]{16,64}"),
    (("xox",), r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}"),
    (("hf_",), r"\bhf_[A-Za-z0-9]{20,64}"),
    (("npm_",), r"\bnpm_[A-Za-z0-9]{30,64}"),
    (("tvly-",), r"\btvly-[A-Za-z0-9-]{12,64}"),
    (("sg.",), r"\bSG\.[\w-]{16,32}\.[\w-]{32,64}"),
    (("akia", "asia"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    (("aiza",), r"\bAIza[0-9A-Za-z_-]{30,40}"),
    (("ya29.",), r"\bya29\.[\w-]{20,255}"),
    (("eyj",), r"\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,1000}"),
    (("@",), r"(?<=://)[^\s/:@'\"<>]{0,128}:[^\s/@'\"<>]{3,256}(?=@)"),
    (("bearer ",), r"(?i:(?<=bearer[ ]))[A-Za-z0-9._~+/=-]{16,2000}"),
    (("basic  ", "token  "), r"(?i:(?<=basic[ ][ ]|token[ ][ ]))[A-Za-z0-9._~+/=-]{16,2000}"),
    (
        ("basic ", "token "),
        r"(?i:(?<=basic[ ])|(?<=token[ ]))(?=[^\s]{0,2000}?[\d=])[A-Za-z0-9._~+/=-]{16,2000}",
    ),
    (
        ("key", "token", "secret", "passw"),
        r"""(?i:\b(?:api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|secret[_-]?key|password|passwd)
              ["']?\s{0,3}[:=]\s{0,3}["']?)(?=[^\s"']{0,200}\d)[A-Za-z0-9_\-./+=!@#$%^&*]{8,256}""",
    ),
)
"""Shapes of secrets, each after the words of which one stands, in any case, in every text that has it.

Looking for words is a hundred times quicker than looking for shapes, and most texts hold none.
"""


@cache
def shapes(numbers: tuple[int, ...]) -> re.Pattern[str]:
    """Return the pattern of these shapes together, so that the leftmost and first of them wins."""
    return re.compile("|".join(SHAPES[number][1] for number in numbers), re.VERBOSE)


class Redactor:
    """Blots secrets out of texts and plain values."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values if len(value) >= MIN_LENGTH for form in _forms(value)}
        self._forms = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        self._values = re.compile("|".join(map(re.escape, self._forms)))

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], *, dotenv: Path | None = None) -> Redactor:
        """Return a redactor of the values that the environment and a `.env` file name as secrets."""
        named = {**(_dotenv(dotenv) if dotenv is not None else {}), **environ}
        return cls(value for name, value in named.items() if _secret(name, value.strip()))

    @classmethod
    def of_process(cls) -> Redactor:
        """Return a redactor of the secrets of this process and of the `.env` file where it was started."""
        return cls.from_environ(os.environ, dotenv=Path(".env"))

    def text(self, text: str) -> str:
        """Return a text with every secret blotted out, as long as it was."""
        if any(form in text for form in self._forms):
            text = self._values.sub(blot, text)
        possible = _possible(text)
        return shapes(possible).sub(blot, text) if possible else text

    def finds(self, data: bytes) -> bool:
        """Tell whether bytes hold a secret."""
        text = data.decode("utf-8", "replace")
        possible = _possible(text)
        return any(form in text for form in self._forms) or bool(possible and shapes(possible).search(text))

    def value(self, value: Any) -> Any:
        """Return plain data, dataclasses and chat messages with every text in them cleaned."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.value(key): self.value(part) for key, part in value.items()}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self.value(part) for part in value))
        if isinstance(value, list | tuple | set | frozenset):
            return type(value)(self.value(part) for part in value)
        if is_dataclass(value) and not isinstance(value, type):
            return replace(
                value, **{f.name: self.value(getattr(value, f.name)) for f in fields(value) if f.init}
            )
        return self._other(value)

    def _other(self, value: Any) -> Any:
        """Clean a packet of LangGraph's on its way to a node, or a chat message; leave the rest."""
        if hasattr(value, "node") and hasattr(value, "arg"):
            return type(value)(value.node, self.value(value.arg))
        if hasattr(value, "model_copy") and hasattr(value, "content"):
            return value.model_copy(update={"content": self.value(value.content)})
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


def _secret(name: str, value: str) -> bool:
    """Tell whether a variable holds a secret."""
    if _SURELY.search(name):
        return not _PLACE.match(value)
    return bool(_NAMED.search(name)) and not _PLAIN.match(value)


def _possible(text: str) -> tuple[int, ...]:
    """Return the numbers of the shapes that a text may hold, by their words."""
    folded = text.casefold()
    return tuple(n for n, (words, _) in enumerate(SHAPES) if any(word in folded for word in words))


def blot(match: re.Match[str]) -> str:
    """Return what stands for a secret: as long as it is, and with the name it is assigned to."""
    found = match.group()
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
