"""The state of the graph: every key, its type, and its reducer where two nodes may write it.

Plain, small values only: text longer than a few hundred characters lives in the memory by id.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Annotated, Any, NotRequired, Self, TypeVar

from langchain_core.messages import AnyMessage, RemoveMessage
from langgraph.channels import DeltaChannel
from langgraph.graph.message import REMOVE_ALL_MESSAGES, _messages_delta_reducer
from pydantic import Field
from typing_extensions import TypedDict

from ddax.actions.sources.skipping import SkippedRow
from ddax.ideas.idea import merge_ideas
from ddax.ideas.requirements import Requirement
from ddax.types import ActionCall, Idea, JsonDict, NodeName, Relation, Usage

SNAPSHOT_FREQUENCY = 500
"""Updates of the ideas between two full snapshots in the checkpoint store, at least."""
MESSAGE_FREQUENCY = 40
"""Updates of the messages between two full snapshots, at least; a turn makes two."""
MESSAGES_AN_UPDATE = 4

Kept = TypeVar("Kept", bound=Sized)


class SpreadDelta(DeltaChannel[Kept]):
    """A value stored as changes, and whole the more seldom the longer it is.

    So what its snapshots take, spread over the updates between them, is the same on an old thread as on a
    new one: that of `share` entries an update.
    """

    share = 1
    _least = 1

    @property
    def snapshot_frequency(self) -> int:
        """Return the updates between two snapshots."""
        return max(self._least, len(self.value) // self.share if isinstance(self.value, Sized) else 0)

    @snapshot_frequency.setter
    def snapshot_frequency(self, least: int) -> None:
        self._least = least

    def copy(self) -> Self:
        """Return a channel of the same value, that is stored whole as seldom as this one."""
        return self._alike(super().copy())

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """Return a channel of a stored value, that is stored whole as seldom as this one."""
        return self._alike(super().from_checkpoint(checkpoint))

    def _alike(self, new: Self) -> Self:
        new._least = self._least  # and not what the length of the value has made of it
        return new


IdeasChannel = Annotated[dict[str, Idea], SpreadDelta(merge_ideas, snapshot_frequency=SNAPSHOT_FREQUENCY)]
"""The one place that knows how ideas are stored: only what a step changed is written."""


class MessagesDelta(SpreadDelta[list[AnyMessage]]):
    """Chat messages, stored as changes; one that removes all messages empties the list, as clients expect.

    The reducer is LangGraph's own: by it LangGraph knows to give each message an id before it is stored.
    """

    share = MESSAGES_AN_UPDATE

    def __init__(self, reducer: Any, typ: Any = None, *, snapshot_frequency: int = MESSAGE_FREQUENCY) -> None:
        super().__init__(reducer, typ, snapshot_frequency=snapshot_frequency)

    def update(self, values: Sequence[Any]) -> bool:
        emptied, rest = _since_emptied(values)
        if emptied:
            self.value = []
        return super().update(rest) or emptied

    def replay_writes(self, writes: Sequence[Any]) -> None:
        emptied, rest = _since_emptied([value for _, _, value in writes])
        if emptied:
            self.value = []
        super().replay_writes([("", self.key, value) for value in rest])


def _since_emptied(values: Sequence[Any]) -> tuple[bool, list[Any]]:
    """Tell whether one of the writes removes all messages, and return what was written behind it."""
    for at in reversed(range(len(values))):
        found = values[at] if isinstance(values[at], list) else [values[at]]
        for place in reversed(range(len(found))):
            one = found[place]
            if isinstance(one, RemoveMessage) and one.id == REMOVE_ALL_MESSAGES:
                return True, [found[place + 1 :], *values[at + 1 :]]
    return False, list(values)


MessagesChannel = Annotated[list[AnyMessage], MessagesDelta(_messages_delta_reducer)]
"""The one place that knows how messages are stored: a checkpoint does not hold those of before again."""


class Work(TypedDict, total=False):
    """The task being worked on; the whole text is kept in the memory under `id`.

    `taught` are lessons a human gave during it, `requirements` what it demands. `trunk` is, in a fork, the
    id of the task that it and all its other forks come from. `skipped` is what its sources hold and was
    not read, a row for each reason. `road` is `quick` while a model is asked for nothing but the answer.
    `read_as` is what a follow-up means, where it leaves that to the turn before it.
    """

    id: str
    root: str
    thread: str
    text: str
    opened: float
    taught: list[str]
    requirements: list[Requirement]
    code: str
    trunk: str
    skipped: list[SkippedRow]
    road: str
    read_as: str


class Decision(TypedDict, total=False):
    """A choice of `select`: the next node, on which ideas, by which rule, and the best eight scores.

    `top` has every term of the best score, and of the others the total.

    `hash` names the full terms in the memory's decision log and chains to the decision before. `surprise`
    in [0, 1] is why a part is planned anew, where it is.
    """

    step: int
    next: NodeName
    rule: str
    focus: list[str]
    top: list[JsonDict]
    mode: str
    hash: str
    surprise: float


class Outcome(TypedDict, total=False):
    """What came of an idea in this step: at most 260 bytes, the rest in the memory.

    `relation` and `confidence` are of a verification: how independent documents relate to the claim.
    `settles` says that an action has checked it and that it solves the task, `unread` that the claims of its
    pages are taken with those of the other leaves of the step.
    """

    idea: str
    ok: bool
    text: str
    expected: str
    action: str
    relation: Relation
    confidence: float
    settles: bool
    unread: bool


class Answer(TypedDict, total=False):
    """The answer: `found` is False where the sources do not carry one.

    `doubts` are the claims it rests on that are weak or contradicted: `idea`, `title`, `source`, `why`.
    `spans` say of each statement of the text what it rests on (`ddax.debate.support.Support.row`): nothing of
    it stands in the text. `carried` has for each the number of its first citation, 0 for one that none
    carries; `short_unsupported` says that only such statements say the short answer. `notes` are what a
    reader has to know of how it came about, `data` is the answer in the form that was asked for.
    `nearest` are passages that the text is to show (`ddax.types.Nearest`).
    """

    text: str
    short: str
    found: bool
    support: float
    citations: list[JsonDict]
    doubts: list[JsonDict]
    carried: list[int]
    short_unsupported: bool
    spans: list[JsonDict]
    notes: list[str]
    data: Any
    nearest: list[JsonDict]


def add_numbers(old: JsonDict | None, new: JsonDict) -> JsonDict:
    """Add two flat dicts of numbers; None (an unknown price) stays None, beside it the sum of known ones."""
    merged = dict(old or {})
    for key, value in new.items():
        before = merged.get(key, 0)
        merged[key] = None if value is None or before is None else before + value
    if merged.get("usd", 0.0) is None:
        known = Usage.of_row(old or {}).known_usd + Usage.of_row(new).known_usd
        merged |= {"priced_usd": known} if known else {}
    return merged


def join(old: JsonDict | None, new: JsonDict) -> JsonDict:
    """Join two dicts; `Overwrite({})` empties."""
    return {**(old or {}), **new}


class LeafPacket(TypedDict):
    """What one leaf gets from the router; a checkpoint of an older release may lack the last ones."""

    leaf: str
    action: ActionCall
    expected: str
    step: int
    usage: JsonDict
    origins: list[str]
    protect: bool
    work: Work
    title: NotRequired[str]
    size: NotRequired[int]
    """The bytes the idea takes, which leave the rest to its result and its evidence."""
    left: NotRequired[int]
    """Ideas that stay open beside the leaves of this step: with none, no value of it decides anything."""
    beside: NotRequired[int]
    """The leaves of this step, this one among them."""
    after: NotRequired[str]
    """The hash of the decision that sent it: a thread that was gone back in has others of the same step."""
    known: NotRequired[list[JsonDict]]
    """What the ideas found that a leaf needs: `id`, `title`, `status`, `result`, `origins`."""
    turn: NotRequired[str]
    """The place of a call in a leaf of several turns: the turn and the call in it."""


class Input(TypedDict, total=False):
    """What a run takes: a task, or chat messages whose last human one is the task."""

    task: Annotated[str, Field(description="The question or task; or leave it out and send messages.")]
    messages: MessagesChannel


class State(TypedDict, total=False):
    """The state of one thread."""

    schema: int
    """Version of this layout."""
    task: str
    """The task as given, clipped; a new value opens a new root."""
    messages: MessagesChannel
    """Chat messages, for clients that speak them: the task in, the answer out."""
    work: Work
    ideas: IdeasChannel
    step: int
    """Passes of `select` in this task."""
    focus: list[str]
    """Ideas the next node works on."""
    decision: Decision
    outcomes: Annotated[dict[str, Outcome], join]
    """Outcomes of this step by idea id; emptied by `select`."""
    verdicts: Annotated[dict[str, JsonDict], join]
    """Verdicts of this step by idea id; emptied by `select`."""
    mind: JsonDict
    """x, x*, rigidity and protect state (`ddax.dynamics.state.Mind`)."""
    mood: JsonDict
    """Belief and cognitive action (`ddax.metacognition.controller.MoodState`)."""
    questions: Annotated[dict[str, JsonDict], join]
    """Questions to a human that wait to be asked, by the idea they are about; `protect` takes
    out what it has settled."""
    usage: Annotated[JsonDict, add_numbers]
    """model_calls, tokens, usd and seconds spent in this task; priced_usd beside a usd of None."""
    failures: Annotated[dict[str, JsonDict], join]
    """Failed ideas by id with their cause."""
    answer: Answer
    metrics: JsonDict
    """What debates and answers of humans came to in this task; written by `reflect`."""
    status: str
    """running, done, not_found, stopped, failed or waiting."""
    stop_reason: str


Update = dict[str, Any]
"""What a node returns: only the keys it changes."""
