"""The run folder: one small JSON manifest for each thread, readable without ddax.

`run.json` says what was asked, with which settings, how far it came and how it ended. It is
compared with the checkpoints on resume, so that lost checkpoints are never a silent restart.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ddax.configs.secrets import Redactor
from ddax.errors import StateError, UsageError, read_json_text
from ddax.memory.files import ensure_folder, write_atomic
from ddax.types import NOT_FOUND, JsonDict
from ddax.wording import amount

MANIFEST = "run.json"
CANCEL = "cancel"
VERSION = 1
INTERRUPTED = "interrupted"
"""The status of a thread that no process runs any more, and the reason of a stop that leaves it so."""
CANCELLED = "cancelled"
"""The reason of a stop that was asked for; where the thread waited for a human, the reason begins so."""
UNREADABLE = "unreadable"
"""The status of a thread whose manifest is damaged or of a newer release: how it stands is not known."""
UNFINISHED = frozenset({"running", INTERRUPTED, "waiting"})
"""The statuses of a thread that is not at its end; `ddax.graph.threads.standing` says which it has."""


OVER = frozenset({"done", NOT_FOUND, "stopped", "failed"})
"""The statuses of a thread that is at its end."""
LATEST = 253_402_300_799
"""The last second of the calendar, since the epoch."""
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "str": str, "int": int, "float": (float, int), "JsonDict": dict,
}  # fmt: skip


def named(thread: str | None, now: float) -> str:
    """Return a thread's name as it may be a folder's; one that has none is named by the time."""
    from ddax.memory.home import safe_name

    if thread is not None:
        return safe_name(thread)
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}-{secrets.token_hex(3)}"


@dataclass(frozen=True)
class RunInfo:
    """The manifest of one thread; times are seconds since the epoch.

    `before` is the newest checkpoint from before the task, "" for the first task of a thread;
    `forked_from` is the thread it was forked from, "" for one that began by itself; `began_with` is the
    model its task began with, "" where that is the one of its `context`; `own` names what it was given in
    Python alone, by the argument of `open_agent`.
    """

    thread_id: str
    task: str
    status: str
    stop_reason: str = ""
    steps: int = 0
    ideas: int = 0
    digest: str = ""
    checkpoint_id: str = ""
    before: str = ""
    created: float = 0.0
    updated: float = 0.0
    context: JsonDict = field(default_factory=dict)
    forked_from: str = ""
    began_with: str = ""
    own: JsonDict = field(default_factory=dict)
    version: int = VERSION

    @property
    def resumable(self) -> bool:
        """Tell whether the thread runs, waits or was interrupted."""
        return self.status in UNFINISHED

    @property
    def model(self) -> str:
        """Return the model the thread goes on with."""
        said = self._setting("model")
        return str(said.get("name", "")) if isinstance(said, Mapping) else str(said)

    @property
    def namespace(self) -> str:
        """Return the memory namespace of the thread."""
        return str(self._setting("namespace"))

    def _setting(self, key: str) -> Any:
        from ddax.configs.settings import Context

        return self.context.get(key) or Context.model_fields[key].default

    def with_model(self, model: str | None) -> RunInfo:
        """Return the manifest with another model to go on with; as it is where none is named.

        Raises UsageError where a recording answers instead of every model.
        """
        if model is None or model == self.model:
            return self
        if self.context.get("replay"):
            raise UsageError(
                f"The thread {self.thread_id!r} asks no model.",
                why=f"A recording answers instead: {self.context['replay']}.",
                mend=f"Leave out the model: ddax resume {self.thread_id}",
            )
        began = self.began_with or self.model
        return replace(
            self, context={**self.context, "model": model}, began_with="" if began == model else began
        )


def _checked(thread: str, values: JsonDict) -> RunInfo:
    """Return a manifest whose values are of the kinds that a run writes; raises ValueError for another."""
    info = RunInfo(**values)
    for part in fields(info):
        if not isinstance(getattr(info, part.name), _KINDS[str(part.type)]):
            raise ValueError(f"{part.name} is {getattr(info, part.name)!r}")
    if info.thread_id != thread:
        raise ValueError(f"it is that of the thread {info.thread_id!r}")
    if info.status not in UNFINISHED | OVER:
        raise ValueError(f"there is no status {info.status!r}")
    for seconds in (info.created, info.updated):
        if not 0 <= seconds <= LATEST:
            raise ValueError(f"{seconds!r} is no time")
    return info


class RunFolder:
    """The manifests below one folder. All but `begun` blocks: on an event loop it belongs into a thread."""

    def __init__(self, root: Path, redactor: Redactor | None = None) -> None:
        self.root, self._redactor = root, redactor or Redactor()

    def path(self, thread: str) -> Path:
        """Return the folder of a thread."""
        return self.root / thread

    def load(self, thread: str) -> RunInfo | None:
        """Return the manifest of a thread, or None where it never ran; raises StateError if damaged."""
        file = self.path(thread) / MANIFEST
        if not file.exists():
            return None
        try:
            values = read_json_text(file.read_text(encoding="utf-8"))
            newer = values["version"] > VERSION
            info = None if newer else _checked(thread, values)
        except (ValueError, TypeError, KeyError, IsADirectoryError) as error:
            raise StateError(
                f"the manifest {str(file)!r} is damaged.",
                why=f"It is not what a run writes: {type(error).__name__}: {error}.",
                mend=f"Restore it from a backup, or move {str(file.parent)!r} away and run again.",
            ) from error
        if info is None:
            raise StateError(
                f"the run {thread!r} was written by a newer release.",
                why="Its manifest has a version that is not known here.",
                mend="Upgrade ddax.",
            )
        return info

    def known(self, thread: str) -> RunInfo:
        """Return the manifest of a thread; raises UsageError naming the nearest where it never ran."""
        info = self.load(thread)
        if info is not None:
            return info
        names = [one.thread_id for one in self.all()]
        near = get_close_matches(thread, names, n=1, cutoff=0.6)
        there = f"Of {amount(len(names), 'thread')} none has this name" if names else "Nothing was run yet"
        raise UsageError(
            f"There is no thread {thread!r}.",
            why=f"The nearest one is {near[0]!r}." if near else f"{there} in {str(self.root.parent)!r}.",
            mend="`ddax runs` lists the threads there are.",
        )

    def meant(self, thread: str | None) -> RunInfo:
        """Return the manifest of a thread, without a name that of the newest unfinished one."""
        return self.unfinished() if thread is None else self.known(thread)

    def unfinished(self) -> RunInfo:
        """Return the newest thread that runs or waits; raises UsageError where none does."""
        threads = self.all()
        found = next((info for info in threads if info.resumable), None)
        if found is not None:
            return found
        cancelled = next((info.thread_id for info in threads if info.stop_reason == CANCELLED), "")
        raise UsageError(
            "There is no unfinished thread.",
            why="Every thread is at its end, or none was begun.",
            mend=f"One that was cancelled goes on by its name: ddax resume {cancelled}"
            if cancelled
            else "`ddax runs` lists the threads there are.",
        )

    def save(self, info: RunInfo, *, durable: bool = True) -> None:
        """Write a manifest so that a reader sees the old or the new one, never half of one.

        One that is written again within moments need not be `durable`: the disk is not waited for.
        """
        folder = ensure_folder(self.path(info.thread_id))
        text = json.dumps(self._redactor.value(asdict(info)), indent=1, ensure_ascii=False)
        write_atomic(folder / MANIFEST, text.encode("utf-8", "replace").decode("utf-8"), durable=durable)

    @asynccontextmanager
    async def begun(self, info: RunInfo, before: RunInfo | None) -> AsyncIterator[None]:
        """Keep the first manifest of a run while it opens; where that fails, the one `before` stands again.

        A death meanwhile leaves a thread to resume; a source that cannot be read leaves none.
        """
        # It is written again with its first checkpoint.
        await asyncio.to_thread(self.save, info, durable=False)
        try:
            yield
        except Exception:
            if before is None:
                await asyncio.to_thread(self.remove, info.thread_id)
            else:
                await asyncio.to_thread(self.save, before)
            raise

    def update(self, thread: str, **changes: Any) -> None:
        """Change some values of a manifest."""
        info = self.load(thread)
        if info is not None:
            self.save(replace(info, **changes))

    def keep_model(self, before: RunInfo, model: str, state: Mapping[str, Any]) -> None:
        """Give a thread the model it had `before` where another one failed that has answered nothing."""
        if model != before.model and model not in state.get("usage", {}).get("models", {}):
            self.update(before.thread_id, context=before.context, began_with=before.began_with)

    def remove(self, thread: str) -> None:
        """Forget a thread; the folder of its manifest goes whole."""
        import shutil

        shutil.rmtree(self.path(thread))

    def all(self) -> list[RunInfo]:
        """Return every manifest, newest first; one that cannot be read is listed as such, not hidden."""
        found = [self._listed(folder.name) for folder in self.root.glob("*") if (folder / MANIFEST).exists()]
        return sorted(found, key=lambda info: (-info.updated, info.thread_id))

    def _listed(self, thread: str) -> RunInfo:
        try:
            info = self.load(thread)
        except StateError as error:
            return RunInfo(thread, "", UNREADABLE, stop_reason=error.what)
        return info or RunInfo(thread, "", UNREADABLE, stop_reason="no manifest")

    def cancel(self, thread: str) -> None:
        """Ask the process that runs a thread to stop at its next step."""
        (self.path(thread) / CANCEL).touch()

    def cancelled(self, thread: str) -> bool:
        """Tell whether a stop was asked for."""
        return (self.path(thread) / CANCEL).exists()

    def clear_cancel(self, thread: str) -> None:
        """Forget a request to stop."""
        (self.path(thread) / CANCEL).unlink(missing_ok=True)
