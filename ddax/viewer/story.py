"""A thread as a story: its moments one by one, each with what it changed in the DAG of ideas.

Folds checkpoints as the store lists them, so that a run is read once, whole or from a moment on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ddax.dynamics.pressure import PressureWeights
from ddax.ideas.idea import apply_patches
from ddax.metacognition.matrices import STATES
from ddax.steps.choices.stuck_code import TEST, pressure_at
from ddax.types import MODEL_KEY, Idea, JsonDict

if TYPE_CHECKING:
    from langgraph.checkpoint.base import CheckpointTuple

    from ddax.graph.savers.pruning import Store

IDEAS = "ideas"
BRANCH, SENDS, START = "branch:to:", "__pregel_tasks", "__start__"
NUMBERS = ("epsilon", "surprise", "raw_surprise", "delta_x")
SHOWN = ("id", "parent", "kind", "status", "title", "Q", "N", "needs", "depth", "supersedes", "joined")
"""What a picture of the DAG needs of an idea."""


@dataclass
class Story:
    """The DAG as it stands, and what the newest moment was told from."""

    ideas: dict[str, Idea] = field(default_factory=dict)
    last: str = ""
    pending: Sequence[Mapping[str, Any]] = ()
    next: tuple[str, ...] = ()
    weights: PressureWeights = field(default_factory=PressureWeights)
    depth: int = 0
    tested: int = -1

    def tell(self, one: CheckpointTuple) -> JsonDict:
        """Take in the next checkpoint and return its moment, with the patch it made."""
        values = one.checkpoint["channel_values"]
        writes = self.pending
        if not self.last and IDEAS in values:  # older checkpoints were let go of
            writes = [plain(values[IDEAS])]
        patch = apply_patches({}, cast("Any", writes))
        self.ideas = self._patched(patch)
        ran, self.next = self.next, upcoming(values)
        self.last = str(one.checkpoint["id"])
        self.pending = patches(one)
        name = str(values.get("work", {}).get("root", ""))
        root: Mapping[str, Any] = self.ideas.get(name, {})
        return {
            **moment(one, values), "ran": sorted(set(ran)), "next": list(self.next), "patch": patch,
            "ideas": len(self.ideas), "root": name, "value": root.get("Q"),
            "pressure": self._pressure(values),
        }  # fmt: skip

    def _patched(self, patch: Mapping[str, Idea]) -> dict[str, Idea]:
        for key, fields in patch.items():
            self.ideas[key] = cast("Idea", {**self.ideas.get(key, {}), **fields})
            idea = self.ideas[key]
            if "action" in idea:
                self.depth = max(self.depth, int(idea.get("depth", 0)))
                if idea["action"]["name"] == TEST and idea.get("status") == "failed":
                    self.tested = max(self.tested, int(idea.get("step", 0)))
        return self.ideas

    def _pressure(self, values: Mapping[str, Any]) -> float:
        seconds = float(values.get("usage", {}).get("seconds", 0.0))
        stuck = int(values.get("step", 0)) - self.tested - 1 if self.tested >= 0 else 0
        decision = values.get("decision", {})
        value = pressure_at(
            depth=self.depth, seconds=seconds, stuck=max(0, stuck), decision=decision, weights=self.weights
        )
        return round(value, 4)


def weights_of(context: Mapping[str, Any]) -> PressureWeights:
    """Return the weights of pressure that the settings of a thread hold."""
    return PressureWeights(**(context.get("evolution") or {}).get("pressure_weights", {}))


def started(ideas: Mapping[str, Idea], one: CheckpointTuple, weights: PressureWeights) -> Story:
    """Return the story of a thread from a checkpoint on, with the DAG as it stood there."""
    story = Story(ideas=dict(ideas), last=str(one.checkpoint["id"]), pending=patches(one), weights=weights)
    story.next = upcoming(one.checkpoint["channel_values"])
    story.ideas = story._patched(dict(ideas))
    return story


def moment(one: CheckpointTuple, values: Mapping[str, Any]) -> JsonDict:
    """Return the numbers of one moment as plain JSON."""
    mind, mood, usage = values.get("mind", {}), values.get("mood", {}), values.get("usage", {})
    decision = values.get("decision", {})
    return {
        "number": int((one.metadata or {}).get("step", 0)),
        "id": str(one.checkpoint["id"]),
        "at": str(one.checkpoint["ts"]),
        "step": int(values.get("step", 0)),
        "rule": str(decision.get("rule", "")),
        "focus": list(values.get("focus", [])),
        "rho": _round(mind.get("rho")),
        "threshold": _round(mind.get("protect_threshold")),
        "protect": bool(mind.get("protect", False)),
        **{name: _round(mind.get(name)) for name in NUMBERS},
        "forces": [_round(value) for value in mind.get("force_norms", [])],
        "belief": [_round(value) for value in mood.get("belief", [])],
        "mood": str(mood.get("action", "")),
        "usd": usage.get("usd", 0.0),
        "tokens": int(usage.get("tokens", 0)),
        "calls": int(usage.get("model_calls", 0)),
        "seconds": _round(usage.get("seconds", 0.0)),
    }


def upcoming(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the nodes that are next after a checkpoint."""
    names = {key.removeprefix(BRANCH) for key in values if key.startswith(BRANCH)}
    names |= {str(send.node) for send in values.get(SENDS) or ()}
    return tuple(sorted(names | ({START} if START in values else set())))


def patches(one: CheckpointTuple) -> list[Mapping[str, Any]]:
    """Return the patches of ideas that what ran after a checkpoint has written."""
    return [plain(value) for _, channel, value in one.pending_writes or () if channel == IDEAS]


def plain(value: Any) -> Any:
    """Return a stored value of the ideas without its wrapping."""
    return getattr(value, "value", value)


async def chain(store: Store, thread: str, after: str = "") -> list[CheckpointTuple] | None:
    """Return the checkpoints of a thread behind one of them, oldest first, with that one in front.

    Without `after` all of them. None where `after` is not on the way to the newest.
    """
    found: list[CheckpointTuple] = []
    wanted = ""
    async for one in _listed(store, thread):
        if wanted and one.checkpoint["id"] != wanted:
            continue  # left behind by a way that was not gone on
        found.append(one)
        if one.checkpoint["id"] == after:
            return found[::-1]
        parent = (one.parent_config or {}).get("configurable", {}).get("checkpoint_id", "")
        wanted = str(parent)
        if not wanted:
            break
    return None if after else found[::-1]


async def _listed(store: Store, thread: str) -> AsyncIterator[CheckpointTuple]:
    """List the checkpoints newest first, a page at a time, so that writers are not kept waiting.

    The first page has the newest alone: who watches a thread mostly finds that there is nothing behind.
    """
    config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    before: Any = None
    limit = 1
    while True:
        page = [one async for one in store.alist(config, before=before, limit=limit)]
        for one in page:
            yield one
        if len(page) < limit:
            return
        before, limit = page[-1].config, PAGE


PAGE = 32


def small(idea: Mapping[str, Any]) -> JsonDict:
    """Return what a picture needs of an idea, or of a patch of one."""
    row = {key: idea[key] for key in SHOWN if key in idea}
    if "action" in idea:
        row["action"] = str(idea["action"]["name"])
    return row


def picture(ideas: Mapping[str, Mapping[str, Any]]) -> list[JsonDict]:
    """Return the rows of a picture of the DAG."""
    return [small(idea) for idea in ideas.values()]


def thinned(rows: Sequence[JsonDict], most: int) -> list[JsonDict]:
    """Return at most so many rows, evenly taken, the last always among them."""
    if len(rows) <= most:
        return list(rows)
    step = -(-len(rows) // most)
    return [*rows[: len(rows) - 1 : step], rows[-1]]


def without_patches(rows: Iterable[JsonDict]) -> list[JsonDict]:
    """Return moments as a timeline needs them."""
    return [{key: value for key, value in row.items() if key != "patch"} for row in rows]


def spent(usage: Mapping[str, Any]) -> JsonDict:
    """Return the sums of a usage row, without its details."""
    return {key: value for key, value in usage.items() if "." not in key and not key.startswith(MODEL_KEY)}


def state_names() -> tuple[str, ...]:
    """Return the names of the four states of mind, in the order of a belief."""
    return tuple(STATES)


def _round(value: Any) -> float | None:
    return None if value is None else round(float(value), 6)
