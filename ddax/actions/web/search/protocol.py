"""What a search service is asked and answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, Protocol

from ddax.errors import ActionError, json_fault
from ddax.types import JsonDict

Ask = Callable[[str, Mapping[str, str], JsonDict | None], Awaitable[bytes]]
"""Send headers and, by POST, a body to an address through the guard; raises ActionError."""


class Result(NamedTuple):
    """A page that a service found: its words about it are the service's, not the page's."""

    url: str
    title: str
    snippet: str = ""
    date: str = ""


class Provider(Protocol):
    """One search service."""

    name: str

    async def search(self, query: str, *, count: int) -> list[Result]:
        """Find pages, best first; raises ActionError with the kind of the failure."""
        ...


def results_of(rows: object, name: str, *, url: str, title: str, text: str, date: str = "") -> list[Result]:
    """Read the rows of an answer by the names of their fields; raises ActionError where there are none."""
    if not isinstance(rows, list):
        raise ActionError(
            f"{name} answered in another form.", why="There is no list of results.", kind="bad_answer"
        )
    found = [row for row in rows if isinstance(row, dict) and isinstance(row.get(url), str)]
    return [
        Result(
            row[url], _words(row.get(title)) or row[url], _words(row.get(text)), _words(row.get(date))[:10]
        )
        for row in found
    ]


def _words(value: Any) -> str:
    return " ".join(value.split())[:2000] if isinstance(value, str) else ""


def json_of(raw: bytes, name: str) -> JsonDict:
    """Read an answer; raises ActionError of kind `bad_answer` where it is no JSON object."""
    import json

    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as exc:
        raise ActionError(
            f"{name} answered in another form.", why=f"{json_fault(exc)}.", kind="bad_answer"
        ) from exc
    if not isinstance(found, dict):
        raise ActionError(f"{name} answered in another form.", why="It is no object.", kind="bad_answer")
    return found
