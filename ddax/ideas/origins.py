"""Where a datum comes from: a set of names that joins through every merge; pure.

A name is `user`, `model`, `file`, `memory`, `code`, `web:HOST` or `tool:NAME`. What an idea carries is what
its plan and its result were *read* from; the user and the model stand behind every idea and are not
written down. What is not known to come from elsewhere is taken for a file of the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, get_args

from ddax.ideas.addresses import parts_of
from ddax.types import OriginKind, Record

Origins: TypeAlias = frozenset[str]
KINDS: tuple[OriginKind, ...] = get_args(OriginKind)
USER, MODEL, FILE, MEMORY, CODE = "user", "model", "file", "memory", "code"
WEB, TOOL = "web:", "tool:"
NOWHERE: Origins = frozenset()
PRIVATE: frozenset[str] = frozenset({"file", "memory", "tool"})
"""Kinds that may hold what is nobody else's business."""
UNTRUSTED: frozenset[str] = frozenset({"web", "file", "memory", "tool", "code"})
"""Kinds somebody else may have written: everything that was read."""
MAX_NAMED = 6
"""Hosts or tools an idea names one by one; more become `web:*` or `tool:*`."""
PUBLIC_SOURCES = ("python:", "world:")
"""Sources that are no secret of the user's: the documentation of Python, and toy worlds."""
_PLAIN = (
    r"\t-\r -~\xa0\xa1\xab\xb7\xbb\xbf"
    r"\u2010-\u2015\u2018-\u201f\u2022\u2026\u202f\u2039\u203a"
    r"\u3000-\u3002\u3008-\u3011\uff01-\uff0f\uff1a-\uff1f"
)
"""White space and punctuation as people set it; every other sign may spell something out."""
LEAST_KEY = 6
"""Characters from which on a word with a digit, a capital inside or an underscore names one thing."""
_KEY = re.compile(r"\w+(?:-\w+)*")
_WORD = re.compile(rf"\w+|[^\w{_PLAIN}]+")


def kind_of(origin: str) -> OriginKind:
    """Return the kind of an origin; what is unknown counts as a tool, which is trusted least."""
    name = origin.partition(":")[0]
    for kind in KINDS:
        if kind == name:
            return kind
    return "tool"


def of_source(source: str) -> Origins:
    """Return the origin of a document by its address."""
    scheme = source.partition(":")[0].lower()
    if scheme in ("http", "https"):
        return frozenset({WEB + (parts_of(source).hostname or "*")})
    if source.startswith(PUBLIC_SOURCES):
        return frozenset({WEB + source.partition(":")[0]})
    return frozenset({source if scheme == "tool" else FILE})


def of_record(record: Record) -> Origins:
    """Return the origins of a stored row: as written with it, else of its source or its writer."""
    if "origins" in record.meta:
        return frozenset(str(name) for name in record.meta["origins"])
    if record.writer.partition(":")[0] == "human":
        return frozenset({USER})
    return of_source(record.source) if record.source else frozenset({MEMORY})


def of_kept(row: Mapping[str, Any]) -> Origins:
    """Return the origins of a row of a log that was learned; one that does not say so may be private."""
    return frozenset(str(name) for name in row["origins"]) if "origins" in row else frozenset({MEMORY})


def of_foreign(record: Record) -> Origins:
    """Return the origins of a row from elsewhere, which is never believed to be the user's word."""
    return frozenset(read(of_record(replace(record, writer="")))) or frozenset({MEMORY})


def join(*parts: Iterable[str]) -> Origins:
    """Return the origins of what was made of several data."""
    return frozenset(name for part in parts for name in part)


def read(origins: Iterable[str]) -> list[str]:
    """Return what an idea keeps of its origins: those that were read, at most a few names of a kind."""
    names = sorted({name for name in origins if kind_of(name) not in (USER, MODEL)})
    for prefix in (WEB, TOOL):
        if sum(name.startswith(prefix) for name in names) > MAX_NAMED:
            names = [*(name for name in names if not name.startswith(prefix)), prefix + "*"]
    return sorted(names)


def narrowed(origins: Iterable[str]) -> list[str]:
    """Return origins in the fewest bytes: `web:*` and `tool:*` for hosts and tools, of others the kind."""
    kinds = {kind_of(name) for name in origins}
    return sorted(f"{kind}:*" if kind in ("web", "tool") else kind for kind in kinds)


def trace(value: Any, *, told: str, public: Mapping[str, str], context: Origins) -> Origins:
    """Return where the value of an argument comes from.

    What stands word for word in what the user told is the user's. What is put together from the user's
    words and those of public texts (by origin) carries these. Anything else may hold whatever the
    planner had before it, `context`. A run of signs that are neither words nor plain punctuation (emoji,
    marks nobody sees) counts as a word.
    """
    if isinstance(value, Mapping):
        return join(*(trace(v, told=told, public=public, context=context) for v in value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return join(*(trace(v, told=told, public=public, context=context) for v in value))
    words = [] if value is None or isinstance(value, bool) else _words(str(value))
    if not words:
        return NOWHERE
    known = _words(told)
    if _stands_in(words, known):
        return frozenset({USER})
    left = set(words) - set(known)
    found: set[str] = {MODEL}
    for origin, text in public.items():
        if left and (shared := left & set(_words(text))):
            left -= shared
            found.add(origin)
    return frozenset(found) | (context if left else NOWHERE)


def quoted(value: Any, *, told: str, texts: Mapping[str, str]) -> Origins:
    """Return the origins of those texts that share a word with a value which is no plain word of a language.

    It is for what is as good as public, as what a tool says of itself: a name, a number or a key in it
    may be nobody else's business all the same. What the user told is the user's.
    """
    words = telling(str(value)) - telling(told)
    return frozenset(origin for origin, text in texts.items() if words & telling(text))


def telling(text: str) -> frozenset[str]:
    """Return the words of a text that name one thing: with a digit or a capital inside, of some length."""
    return frozenset(word.casefold() for word in _KEY.findall(text) if _names_one(word))


def _names_one(word: str) -> bool:
    if len(word) < LEAST_KEY:
        return False
    return any(c.isdigit() for c in word) or any(c.isupper() for c in word[1:]) or "_" in word


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _stands_in(words: Sequence[str], known: Sequence[str]) -> bool:
    return f" {' '.join(words)} " in f" {' '.join(known)} "
