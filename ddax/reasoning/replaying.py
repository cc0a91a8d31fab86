"""Record every request and reply of a reasoner, and replay them: the same run again without a model.

A recording is a file of JSON lines: a head, then one line a request with its hash, reply and cost.
Secrets are blotted out of every line. A replayed request that is not in
the recording fails; nothing is made up.
"""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from ddax.configs.lines import LineFile, LineForm, read_lines
from ddax.errors import InvalidReply, ReasonerError, Unavailable
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import BudgetKeeper, charge, usage_of
from ddax.reasoning.protocol import METHODS
from ddax.reasoning.recording import as_plain, read_as, request_hash
from ddax.types import JsonDict, Usage

RECORDING = LineForm("ddax-recording", 1, kind="recording", flag="--record")
ReplyT = TypeVar("ReplyT")


class _Asked(ABC):
    """The requests of a reasoner, all through one `_do`."""

    name: str

    @abstractmethod
    async def _do(self, method: str, request: Any, kind: type[ReplyT]) -> ReplyT:
        """Answer one request, named by the method it came through."""

    async def expand(self, request: p.ExpandRequest) -> p.Expansion:
        return await self._do("expand", request, p.Expansion)

    async def predict(self, request: p.PredictRequest) -> p.Prediction:
        return await self._do("predict", request, p.Prediction)

    async def extract(self, request: p.ExtractRequest) -> p.Extraction:
        return await self._do("extract", request, p.Extraction)

    async def argue(self, request: p.ArgueRequest) -> p.Argument:
        return await self._do("argue", request, p.Argument)

    async def judge(self, request: p.JudgeRequest) -> p.Judgment:
        return await self._do("judge", request, p.Judgment)

    async def merge(self, request: p.MergeRequest) -> p.Synthesis:
        return await self._do("merge", request, p.Synthesis)

    async def reflect(self, request: p.ReflectRequest) -> p.Lesson:
        return await self._do("reflect", request, p.Lesson)

    async def propose_patches(self, request: p.PatchRequest) -> p.Patches:
        return await self._do("propose_patches", request, p.Patches)

    async def mutate_patch(self, request: p.MutateRequest) -> p.Patches:
        return await self._do("mutate_patch", request, p.Patches)

    async def ask(self, request: p.AskRequest) -> p.Question:
        return await self._do("ask", request, p.Question)

    async def act(self, request: p.ActRequest) -> p.Acted:
        return await self._do("act", request, p.Acted)


class RecordingReasoner(_Asked):
    """Pass every request on to another reasoner and append what came of it to a file."""

    def __init__(
        self, inner: p.Reasoner, path: Path, *, environment: Mapping[str, str] | None = None
    ) -> None:
        self.name, self._inner = inner.name, inner
        self.room = int(getattr(inner, "room", 0))
        """Characters of several parts in one request: as they were, so that a replay asks the same."""
        head = {"model": self.name, "free": self.free_of_charge, "sees": self.sees}
        head |= {"plans_together": True} if self.plans_together else {}
        head |= {"answers_together": True} if self.answers_together else {}
        head |= {"room": self.room} if self.room else {}
        self._file = LineFile(path, RECORDING, head, environment=environment)

    @property
    def free_of_charge(self) -> bool:
        """Say whether the recorded reasoner costs nothing."""
        return bool(getattr(self._inner, "free_of_charge", False))

    @property
    def sees(self) -> bool:
        """Say whether the recorded reasoner takes pictures."""
        return bool(getattr(self._inner, "sees", False))

    @property
    def answers_together(self) -> bool:
        """Say whether the recorded reasoner judges several results, and reads several pages, at once."""
        return bool(getattr(self._inner, "answers_together", False))

    @property
    def plans_together(self) -> bool:
        """Say whether the recorded reasoner plans several ideas at once."""
        return bool(getattr(self._inner, "plans_together", False))

    def bound(self, keeper: BudgetKeeper, **more: Any) -> RecordingReasoner:
        """Return this recorder over the bound reasoner."""
        bound = getattr(self._inner, "bound", None)
        twin = copy(self)
        twin._inner = bound(keeper, **more) if bound is not None else self._inner
        return twin

    async def close(self) -> None:
        """Close what the recorded reasoner holds."""
        release = getattr(self._inner, "close", None)
        if release is not None:
            await release()

    async def _do(self, method: str, request: Any, kind: type[ReplyT]) -> ReplyT:
        row: JsonDict = {"method": method, "hash": request_hash(method, request)}
        try:
            reply: Any = await getattr(self._inner, method)(request)
        except Unavailable:
            raise  # the run is resumed, and asks again
        except ReasonerError as error:
            told = {"kind": type(error).__name__, "what": error.what, "why": error.why, "mend": error.mend}
            spent = asdict(usage_of(error))
            failed = {**row, "error": told, "usage": spent, "request": as_plain(request)}
            await asyncio.to_thread(self._file.append, failed)
            raise
        await asyncio.to_thread(
            self._file.append, {**row, "reply": asdict(reply), "request": as_plain(request)}
        )
        if not isinstance(reply, kind):
            raise TypeError(f"{self.name} replied {type(reply).__name__} to {method!r}")
        return reply


class ReplayingReasoner(_Asked):
    """Answer from a recording: each request by its hash, in the order they were recorded.

    The last reply of a hash is given again, so that a resumed run may ask twice. Raises `SettingsError`
    for a file that is no recording.
    """

    def __init__(self, path: Path) -> None:
        head, rows = _read(path)
        self.name = str(head.get("model") or "replayed")
        self.free_of_charge, self.sees = bool(head.get("free")), bool(head.get("sees"))
        self.plans_together = bool(head.get("plans_together"))
        self.answers_together = bool(head.get("answers_together"))
        self.room = int(head.get("room") or 0)
        self._path, self._lock = path, threading.Lock()
        self._replies: dict[str, list[JsonDict]] = {}
        for row in rows:
            self._replies.setdefault(str(row["hash"]), []).append(row)

    async def _do(self, method: str, request: Any, kind: type[ReplyT]) -> ReplyT:
        name = request_hash(method, request)
        with self._lock:
            found = self._replies.get(name, [])
            row = found.pop(0) if len(found) > 1 else found[0] if found else None
        if row is None:
            raise ReasonerError(
                f"the recording has no reply to this {method!r}.",
                why=f"{self._path.name} was made with other sources, settings, memory or another release.",
                mend="Record the run again, from an empty home.",
            )
        if "error" in row:
            raise _error(row)
        reply: ReplyT = read_as(kind, row["reply"])
        return reply


def _error(row: JsonDict) -> ReasonerError:
    told = row["error"]
    kind = InvalidReply if told.get("kind") == "InvalidReply" else ReasonerError
    error = kind(str(told["what"]), why=str(told.get("why", "")), mend=str(told.get("mend", "")))
    charge(error, read_as(Usage, row.get("usage") or {}))
    return error


def _read(path: Path) -> tuple[JsonDict, list[JsonDict]]:
    head, rows = read_lines(path, RECORDING)
    for number, row in enumerate(rows, 2):
        if row.get("method") not in METHODS or "hash" not in row:
            missing = "A request or its reply is missing"
            raise RECORDING.broken(path, number, "no request with its reply", missing)
    return head, rows
