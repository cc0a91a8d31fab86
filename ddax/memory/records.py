"""Make rows of the memory out of records: content ids, near-duplicate keys, safe namespaces; pure."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ddax.errors import UsageError
from ddax.types import Document, JsonDict, MemoryType, Record

LARGE = 50_000
"""Characters from which on texts are gone through in a thread, so that the leaves beside go on."""
RECORD = "record.sqlite"
"""The file of a memory's folder that its record of record is in."""
LEDGER, REFLECTIONS = "ledger", "reflections"
"""The logs of experiences, and of the lessons that were drawn from them."""
DECISIONS = "decisions"
"""The log that is a chain of hashes: its rows keep the task they were sealed with."""
DOUBTS = "doubts"
"""The log of what was weighed before a model was asked; entries of decisions hold it sealed."""
HANDED_ON = "handed_on"
"""True in a log row that a task had from the one it branched off."""
MEMORY_TYPES: tuple[MemoryType, ...] = ("internal_thought", "observation")
_FIRST_DATE, _LAST_DATE = -62_135_510_400.0, 253_402_214_400.0
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Row:
    """A record ready to be stored; `near` is the same for near-exact duplicates."""

    record: Record
    near: str


def namespace_key(namespace: str) -> str:
    """Return 32 hex digits for a namespace of any characters; its Unicode forms are one namespace."""
    return digest("namespace", unicodedata.normalize("NFC", namespace))[:32]


def digest(*parts: str) -> str:
    """Return the SHA-256 of texts in hex; the borders between them count."""
    hashed = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hashed.update(len(data).to_bytes(8, "big") + data)
    return hashed.hexdigest()


def clean(text: str) -> str:
    """Replace lone surrogates, which no file can hold; offsets stay as they are."""
    return _SURROGATES.sub("\ufffd", text)


def normalised(text: str) -> str:
    """Fold case, width and white space, so that near-exact duplicates are equal."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def rows_of(records: Sequence[Record], *, namespace: str, now: float) -> list[Row]:
    """Give every record its id and its time; raise `UsageError` for one that cannot be stored."""
    return [_row(record, namespace=namespace_key(namespace), now=now) for record in records]


def page_hash(document: Document) -> str:
    """Return the content hash a page is stored under."""
    return digest("page", clean(document.source), clean(document.text))


def to_json(value: object, what: str) -> str:
    """Write plain JSON; raise `UsageError` for what is none (NaN, objects)."""
    try:
        return json.dumps(value, allow_nan=False, sort_keys=False)
    except (TypeError, ValueError) as exc:
        raise UsageError(
            f"{what} is not plain JSON.", why=f"{exc}.", mend="Store plain values only."
        ) from exc


CUT = "cut"
"""In `meta`: the characters of a document that were left out before a row (see `ddax.types.Passage`)."""
FENCED = "fenced"
"""The key in `meta` of a part of a page that begins inside of a block of code."""
FOUND_BY_MEANING = frozenset({REFLECTIONS, "rules"})
"""The logs whose rows have a vector; each row has `text`, and may have `about`, what it is found by."""


def has_date(seconds: float) -> bool:
    """Tell whether a time (seconds since the epoch) has a date of the years 1 to 9999 in any time zone."""
    return _FIRST_DATE <= seconds <= _LAST_DATE


def moment(clock_reading: float) -> float:
    """Return a time as it is stored, in milliseconds like the opening of a task.

    What is committed after an opening is then never earlier than it.
    """
    return round(clock_reading, 3)


def cut_before(record: Record) -> int:
    """Return the characters that were left out before a row; 0 where what is stored can be no such number."""
    found = record.meta.get(CUT, 0)
    whole = isinstance(found, int) and not isinstance(found, bool)
    return found if whole and 0 <= found <= record.start else 0


def lesson_text(row: JsonDict) -> str:
    """Return what such a row is found by: `about` (goal and observation), else its own `text`."""
    return clean(str(row.get("about") or row["text"]))


def check_found(table: str, row: JsonDict) -> None:
    """Raise `UsageError` for a reflection or rule without the values it is found by."""
    for key in ("kind", "text"):
        if not isinstance(row.get(key), str) or not row[key].strip():
            raise UsageError(
                f"A row of {table!r} needs {key!r} as text.",
                why=f"It has {row.get(key)!r}.",
                mend=f"Give the row {key!r}, a text that is not empty.",
            )
    for key in ("epsilon", "created"):
        if isinstance(row.get(key, 0.0), bool) or not isinstance(row.get(key, 0.0), int | float):
            raise UsageError(
                f"A row of {table!r} needs {key!r} as a number.",
                why=f"It has {row[key]!r}.",
                mend=f"Give the row a number for {key!r}, without quotes, or leave {key!r} out.",
            )


def matches(row: JsonDict, equals: JsonDict) -> bool:
    """Tell whether a row has these top-level values, of these very types (1 is not True)."""
    missing = object()
    return all(
        (found := row.get(key, missing)) == value and isinstance(found, bool) == isinstance(value, bool)
        for key, value in equals.items()
    )


def _row(record: Record, *, namespace: str, now: float) -> Row:
    _check(record)
    text, source = clean(record.text), clean(record.source)
    kind = record.memory_type
    record_id = digest(namespace, kind, source, text, str(record.start))
    meta = json.loads(to_json(dict(record.meta), "The meta of a record"))
    stored = replace(
        record, text=text, source=source, title=clean(record.title), task=clean(record.task),
        idea=clean(record.idea), writer=clean(record.writer), meta=meta,
        created=float(record.created or now), epsilon=float(record.epsilon), id=record_id,
        valid_from=float(record.valid_from),
    )  # fmt: skip
    return Row(stored, near_key(namespace, stored))


def near_key(namespace: str, record: Record) -> str:
    """Return what near-exact duplicates of a source have in common, in the namespace of this key."""
    return digest(namespace, record.memory_type, record.source, normalised(record.text))


def _check(record: Record) -> None:
    if record.memory_type not in MEMORY_TYPES:
        raise UsageError(
            f"The memory type {record.memory_type!r} is unknown.",
            why="A memory is either thought or seen.",
            mend=f"Choose one of {', '.join(MEMORY_TYPES)}.",
        )
    if not normalised(clean(record.text)):
        raise UsageError(
            "An empty text cannot be remembered.",
            why=f"The text from {record.source!r} holds nothing but white space.",
            mend="Give the memory a text, or leave it out.",
        )
    if not 0.0 <= record.epsilon <= 1.0:
        raise UsageError(
            f"The surprise {record.epsilon!r} cannot be stored.",
            why="It goes from 0 (just as expected) to 1.",
            mend="Give a number between 0 and 1.",
        )
    for time in (record.created, record.valid_from):
        if not has_date(time):
            raise UsageError(
                f"The time {time!r} cannot be stored.",
                why="No date of the years 1 to 9999 belongs to it.",
                mend="Give the seconds since 1970, or 0 for now.",
            )


def passes_on(table: str, row: JsonDict, step: int) -> bool:
    """Tell whether a log row of a task goes to a task that branches off it at a step."""
    return table != DECISIONS and int(row.get("step", 0)) <= step


def branched(task: str, thread: str) -> str:
    """Return the id under which a fork of the name `thread` goes on with a task."""
    return hashlib.sha256(f"{task}/{thread}".encode()).hexdigest()[:12]


def handed_on(row: str, task: str) -> str:
    """Return a log row (as JSON) under the name of another task, marked as not its own."""
    return json.dumps({**json.loads(row), "task": task, HANDED_ON: True})
