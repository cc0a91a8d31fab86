"""Record what came from the web, and replay it: the same pages again without a network.

A tape is a file of JSON lines: a head, then a line for each thing asked for, with what came or how it
failed. Secrets are blotted out of every line. What is not on a tape fails;
nothing is fetched instead.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Protocol

from ddax.configs.lines import LineFile, LineForm, read_lines
from ddax.errors import ActionError, Blocked, NotAllowed, SettingsError, of_setting
from ddax.types import JsonDict

TAPE = LineForm("ddax-web", 1, kind="tape", flag="--record-web")
KINDS: Mapping[str, type[ActionError]] = {"Blocked": Blocked, "NotAllowed": NotAllowed}

Make = Callable[[], Awaitable[JsonDict]]


class Tape(Protocol):
    """Where what the web says passes through."""

    async def play(self, key: str, make: Make) -> JsonDict:
        """Return what stands under a key, or what `make` brings; raises ActionError as it was met."""
        ...


class NoTape:
    """Let everything pass."""

    async def play(self, key: str, make: Make) -> JsonDict:
        """Return what `make` brings."""
        return await make()


class Recorder:
    """Append what comes from the web to a file."""

    def __init__(self, path: Path, *, environment: Mapping[str, str] | None = None) -> None:
        self._file = LineFile(path, TAPE, {}, environment=environment)

    async def play(self, key: str, make: Make) -> JsonDict:
        """Do it, and note what came of it."""
        try:
            value = await make()
        except ActionError as error:
            told = {
                "type": type(error).__name__, "what": error.what, "why": error.why, "mend": error.mend,
                "kind": error.kind, "retriable": error.retriable,
            }  # fmt: skip
            await asyncio.to_thread(self._file.append, {"key": key, "error": told})
            raise
        await asyncio.to_thread(self._file.append, {"key": key, "value": value})
        return value


class Player:
    """Give again what was recorded, in its order under each key; the last row of a key stays."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._rows: dict[str, list[JsonDict]] = {}
        for row in rows_of(path):
            self._rows.setdefault(str(row["key"]), []).append(row)

    async def play(self, key: str, make: Make) -> JsonDict:
        """Return what was recorded; raises ActionError of kind `not_recorded`."""
        found = self._rows.get(key)
        if not found:
            raise ActionError(
                f"The tape has nothing under {key[:120]!r}.",
                why=f"{self._name} was recorded with another task, settings, memory or release.",
                mend="Record the run again, from an empty home.",
                kind="not_recorded",
            )
        row = found.pop(0) if len(found) > 1 else found[0]
        if "error" in row:
            raise told(row["error"])
        return dict(row["value"])


def told(row: JsonDict) -> ActionError:
    """Return a recorded failure as it was."""
    words = {name: str(row.get(name, "")) for name in ("what", "why", "mend")}
    if kind := KINDS.get(str(row.get("type"))):
        return kind(words["what"], why=words["why"], mend=words["mend"])
    return ActionError(
        words["what"], why=words["why"], mend=words["mend"], kind=str(row.get("kind", "error")),
        retriable=bool(row.get("retriable")),
    )  # fmt: skip


def rows_of(path: Path) -> list[JsonDict]:
    """Read a tape; raises SettingsError with the line that is none."""
    _, rows = read_lines(path, TAPE)
    for number, row in enumerate(rows, 2):
        if "key" not in row:
            raise TAPE.broken(path, number, "no row of a tape", "A request or what came of it is missing")
    return rows


def packed(body: bytes) -> JsonDict:
    """Write bytes as text where they are one, so that secrets in them are found."""
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}


def unpacked(row: JsonDict) -> bytes:
    """Read bytes back."""
    return row["text"].encode() if "text" in row else base64.b64decode(row["base64"])


def open_tape(record: str, replay: str) -> Tape:
    """Open the tape that the settings name; raises SettingsError where both are named."""
    if record and replay:
        raise SettingsError(
            "The web is recorded or replayed, not both.",
            why="A replayed run reaches nobody, so there is nothing to record.",
            mend="Name one of the two.",
        )
    if replay:
        with of_setting("web.replay"):
            return Player(Path(replay))
    with of_setting("web.record"):
        return Recorder(Path(record)) if record else NoTape()
