"""The vocabulary: records that cross a border between parts of ddax.

Imports nothing of ours. Records are frozen; vectors inside graph state are base64 text (see
``ddax.dynamics.state``). What stands in graph state is a ``TypedDict`` of plain values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict  # typing's own has no JSON schema before Python 3.12

Vector: TypeAlias = NDArray[np.float64]
"""A vector of the state space or of an encoder: `[d]`."""

JsonDict: TypeAlias = dict[str, Any]
Counts: TypeAlias = tuple[tuple[str, int], ...]
"""Counts by their names, in the order of these."""

MemoryType = Literal["internal_thought", "observation"]
Status = Literal["open", "running", "waiting", "done", "failed", "abandoned"]
FINAL: frozenset[str] = frozenset({"done", "failed", "abandoned"})
LOST: frozenset[str] = frozenset({"failed", "abandoned"})
NOT_FOUND = "not_found"
"""The status of a run that read what it could, and found no answer there: nothing has failed."""
IdeaKind = Literal["inner", "leaf", "merge"]
Effect = Literal["none", "reads", "writes", "spends"]
OriginKind = Literal["user", "model", "web", "file", "memory", "tool", "code"]
Relation = Literal["entailment", "contradiction", "neutral"]
NodeName = Literal[
    "open_task", "select", "expand", "act", "merge", "evaluate", "rigidity",
    "metacognition", "protect", "evolve", "reflect", "close",
]  # fmt: skip

ROOT = "0"
"""The id of the first root idea; a follow-up task opens "1", and so on."""
NO_PARENT = ""
MENTION = "mention:"
"""Prefix of the id of a passage that stands for a document named in a page."""


class Entailment(NamedTuple):
    """How a hypothesis relates to a premise, and the check's confidence in [0, 1]."""

    relation: Relation
    confidence: float


EntailmentCheck: TypeAlias = Callable[[str, str], Entailment]
"""The support check: takes premise and hypothesis."""


class ActionCall(TypedDict):
    """A leaf action to be executed: its name, its arguments, and what it is looked up for."""

    name: str
    args: JsonDict
    intent: str


class Idea(TypedDict, total=False):
    """One node of the DAG; at most 1.5 KB, long text lives in the memory under `evidence` ids."""

    id: str
    parent: str
    kind: IdeaKind
    title: str
    status: Status
    reason: str
    until: float
    needs: list[str]
    action: ActionCall
    expected: str
    result: str
    evidence: list[str]
    origins: list[str]
    P: float
    Q: float
    N: int
    V: float
    depth: int
    step: int
    error: JsonDict
    supersedes: str
    joined: list[str]


@dataclass(frozen=True)
class Picture:
    """A JPEG of what was seen, named by the hash of its bytes; `width` and `height` in pixels."""

    digest: str
    width: int
    height: int
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Usage:
    """What a piece of work cost; `usd` is None where the price is unknown.

    `prompt_tokens` are those of `tokens` that were sent, `cached_tokens` those of them the provider
    took from its cache. `hits` are replies given again from our own, which had cost `saved_calls`,
    `saved_tokens` and `saved_usd`. `models` counts the calls by the model that was asked. `priced_usd`
    is what the calls with a known price cost where `usd` is None for the sake of others. `repaired` counts
    what of the replies was mended or left out as they were read. `unshown` are the characters of what was
    read that were left out of prompts, since they do not fit the window of the model. `parts` says what the
    tokens went to.
    """

    model_calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0
    prompt_tokens: int = field(default=0, compare=False)
    cached_tokens: int = field(default=0, compare=False)
    hits: int = field(default=0, compare=False)
    saved_tokens: int = field(default=0, compare=False)
    saved_usd: float = field(default=0.0, compare=False)
    models: tuple[tuple[str, int], ...] = field(default=(), compare=False)
    priced_usd: float = field(default=0.0, compare=False)
    saved_calls: int = field(default=0, compare=False)
    repaired: int = field(default=0, compare=False)
    unshown: int = field(default=0, compare=False)
    parts: tuple[tuple[str, int], ...] = field(default=(), compare=False)

    @property
    def known_usd(self) -> float:
        """Return the dollars of the calls whose price is known."""
        return self.priced_usd if self.usd is None else self.usd

    def __add__(self, other: Usage) -> Usage:
        """Add two costs; an unknown price stays unknown."""
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Usage(
            self.model_calls + other.model_calls,
            self.tokens + other.tokens,
            usd,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.hits + other.hits,
            self.saved_tokens + other.saved_tokens,
            self.saved_usd + other.saved_usd,
            _added(self.models, other.models),
            self.known_usd + other.known_usd if usd is None else 0.0,
            self.saved_calls + other.saved_calls,
            self.repaired + other.repaired,
            self.unshown + other.unshown,
            _added(self.parts, other.parts),
        )

    def row(self) -> JsonDict:
        """Return the numbers graph state adds up: flat, and the details only where there are any."""
        detail = {name: value for name in _DETAILS if (value := getattr(self, name))}
        calls = {MODEL_KEY + name: count for name, count in self.models}
        parts = {PART_KEY + name: count for name, count in self.parts}
        sums = {"model_calls": self.model_calls, "tokens": self.tokens, "usd": self.usd}
        return {**sums, **detail, **calls, **parts}

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Usage:
        """Return the usage that a row of graph state stands for."""
        models, parts = _named(row, MODEL_KEY), _named(row, PART_KEY)
        detail = {name: row.get(name) or 0 for name in _DETAILS}
        calls, tokens = int(row.get("model_calls") or 0), int(row.get("tokens") or 0)
        return cls(calls, tokens, row.get("usd", 0.0), **detail, models=models, parts=parts)


def _named(row: Mapping[str, Any], before: str) -> Counts:
    """Return the counts of a row whose names begin in one way, by the rest of the name."""
    return tuple(sorted((key.removeprefix(before), n) for key, n in row.items() if key.startswith(before)))


def _added(
    one: tuple[tuple[str, int], ...], other: tuple[tuple[str, int], ...]
) -> tuple[tuple[str, int], ...]:
    """Add counts by their names."""
    found = dict(one)
    for name, count in other:
        found[name] = found.get(name, 0) + count
    return tuple(sorted(found.items()))


MODEL_KEY = "model "
"""Before the name of a model in a row of usage: how often it was asked."""
PART_KEY = "part "
"""Before the name of a part in a row of usage: how many tokens it took."""
_DETAILS = (
    "prompt_tokens", "cached_tokens", "hits", "saved_calls", "saved_tokens", "saved_usd", "priced_usd",
    "repaired", "unshown",
)  # fmt: skip


@dataclass(frozen=True)
class Proposal:
    """A proposed child: with an action it is a leaf, without one an inner idea.

    `needs` are the indexes of the siblings it depends on; `prior` is unnormalised P(a|s) > 0;
    `expected` says in words what the outcome should be.
    """

    title: str
    expected: str
    prior: float = 1.0
    action: ActionCall | None = None
    needs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Passage:
    """A piece of stored text that may be quoted.

    `text` is verbatim from the document `source` (its URI or path) between the character offsets
    `start` and `end`; `id` is the memory id it is stored under, `score` its relevance in [0, 1].
    `cut` are the characters before it that were left out: orders to the reader, white space at the front.
    `fenced` tells that it begins inside of a block of code. `origins` are where it comes from, where its
    source does not say so.
    """

    id: str
    source: str
    title: str
    text: str
    start: int = 0
    end: int = 0
    score: float = 0.0
    cut: int = 0
    fenced: bool = False
    origins: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def opens(self) -> bool:
        """Tell whether the document begins with it, but for what was left out."""
        return self.start == self.cut


@dataclass(frozen=True)
class Citation:
    """A verbatim quote of a passage, with its character offsets in the document."""

    passage_id: str
    source: str
    title: str
    quote: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class Nearest:
    """A passage that is shown where nothing is claimed: verbatim text, and its place in words.

    `sentences` are those of it that come nearest, each with its rank among those of all passages.
    """

    passage_id: str
    source: str
    quote: str
    place: str
    sentences: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Hit:
    """A document found by a search: `score` in [0, 1], `snippet` verbatim in the document."""

    doc_id: str
    source: str
    title: str
    snippet: str
    score: float


@dataclass(frozen=True)
class Document:
    """A whole document as plain text; `doc_id` is stable across runs over the same bytes.

    `notes` says of a page what its text does not: the day it states, what was hidden in it.
    """

    doc_id: str
    source: str
    title: str
    text: str
    links: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Record:
    """A row of the memory; its id is a hash of namespace, type, source and text.

    `epsilon` is the surprise in [0, 1] it was met with, `writer` the agent that wrote it, `step`
    the step of task `task` in which it was written; `created` is in seconds since the epoch.
    `valid_from` is since when it holds, 0 for since it was created. `meta` holds plain JSON values only.
    """

    memory_type: MemoryType
    text: str
    source: str = ""
    title: str = ""
    start: int = 0
    end: int = 0
    task: str = ""
    idea: str = ""
    step: int = 0
    writer: str = "agent"
    epsilon: float = 0.0
    created: float = 0.0
    meta: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    valid_from: float = 0.0
