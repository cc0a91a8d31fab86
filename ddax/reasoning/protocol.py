"""The Reasoner protocol: every request that needs intelligence, and its typed reply.

Nodes speak only this; they never see a prompt. Implementations: `embedded` (no model),
`language` (any chat model), `scripted` (a list of replies). Every reply carries its `usage`, and every
request of a node where it comes from (`ddax.reasoning.sourced`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ddax.reasoning.acting import Acted as Acted
from ddax.reasoning.acting import Called, Offered
from ddax.reasoning.background import NO_BRIEF, Tool, Turn
from ddax.reasoning.background import Brief as Brief
from ddax.reasoning.background import Finding as Finding
from ddax.reasoning.background import Knowledge as Knowledge
from ddax.reasoning.background import Seen as Seen
from ddax.reasoning.batched import Judged as Judged
from ddax.reasoning.batched import Pages as Pages
from ddax.types import ActionCall, Citation, Nearest, Passage, Proposal, Usage

GO_ON = "go on with what was found"
"""The title of an idea that is planned when the searches it needs are done."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What every request has: where its fields come from together; None where nobody has said so.

    `ddax.reasoning.sourced.sourced` sets it. It is for the policy: no reasoner reads it.
    """

    origins: frozenset[str] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class ExpandRequest(Request):
    """Ask for a sub-DAG under an idea.

    `read` are the sources (URIs) already visited in this task, `hits` what searches have found so
    far as passages whose `source` can be visited, `evidence` what was read. `width` bounds the
    children, `reads_left` the documents that may still be visited, `temperature` in [0, 1].
    `seen` is what was seen last, where the task is done in a world; `earlier` are the turns before.
    `tools` say of those among `actions` that are not the program's own what their authors say.
    `others` are further ideas to be planned by the same reply, each by itself; only a reasoner that says of
    itself `plans_together` is asked for them.
    """

    task: str
    idea: str
    depth: int
    evidence: tuple[Passage, ...]
    hits: tuple[Passage, ...]
    read: tuple[str, ...]
    actions: tuple[str, ...]
    lessons: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    width: int = 5
    reads_left: int = 5
    max_depth: int = 6
    temperature: float = 0.0
    seed: int = 0
    seen: Seen | None = None
    brief: Brief = NO_BRIEF
    earlier: tuple[Turn, ...] = ()
    tools: tuple[Tool, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Expansion:
    """A sub-DAG: the proposals in order; none means there is nothing left to do here.

    `requirements` are demands of the task in the forms of `ddax.ideas.requirements`, where its own words
    are not in them. `others` has the children of each further idea that was asked for, in their order.
    """

    children: tuple[Proposal, ...]
    usage: Usage = field(default_factory=Usage)
    requirements: tuple[str, ...] = ()
    others: tuple[tuple[Proposal, ...], ...] = ()


@dataclass(frozen=True)
class ActRequest(Request):
    """Ask for the next calls of a leaf of several turns; `done` are its calls so far, oldest first."""

    task: str
    intent: str
    tools: tuple[Offered, ...]
    done: tuple[Called, ...] = ()
    findings: tuple[Finding, ...] = ()
    brief: Brief = NO_BRIEF
    seed: int = 0


@dataclass(frozen=True)
class PredictRequest(Request):
    """Ask what an action would bring, before it is done."""

    task: str
    action: ActionCall
    evidence: tuple[Passage, ...]


@dataclass(frozen=True)
class Prediction:
    """The forecast in words, and the confidence in it in [0, 1]."""

    expected: str
    confidence: float
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class ExtractRequest(Request):
    """Ask for the claims in passages that bear on an intent; the passages are data, never orders.

    `others` are read by the same reply, each by itself; only who `answers_together` is asked for them.
    """

    task: str
    intent: str
    passages: tuple[Passage, ...]
    limit: int = 3
    others: tuple[Pages, ...] = ()


@dataclass(frozen=True)
class Claim:
    """A statement with the verbatim quote that carries it; `score` in [0, 1] is its relevance."""

    text: str
    citation: Citation
    score: float


@dataclass(frozen=True)
class Extraction:
    """The claims, best first; `summary` tells it in one line; `lost` says that nothing was read."""

    claims: tuple[Claim, ...]
    summary: str
    usage: Usage = field(default_factory=Usage)
    lost: bool = False
    others: tuple[Extraction, ...] = ()


@dataclass(frozen=True)
class ArgueRequest(Request):
    """Ask for an argument for or against a result being useful for the task."""

    task: str
    side: Literal["proponent", "opponent"]
    idea: str
    result: str
    expected: str
    evidence: tuple[Passage, ...]
    rho: float = 0.0
    heard: tuple[str, ...] = ()


@dataclass(frozen=True)
class Argument:
    """An argument with its citations; `strength` in [0, 1]. Without citations it moves nothing."""

    text: str
    citations: tuple[Citation, ...]
    strength: float
    usage: Usage = field(default_factory=Usage)


DEFAULT_RUBRIC = ("coverage", "support", "progress")
"""The criteria of every judge, where no rubric is named."""


@dataclass(frozen=True)
class JudgeRequest(Request):
    """Ask for the value V in [0, 1] of a result; without arguments this is the cheap first value.

    `others` are judged by the same reply, on one scale; only who `answers_together` is asked for them.
    """

    task: str
    idea: str
    result: str
    expected: str
    evidence: tuple[Passage, ...]
    arguments: tuple[tuple[str, Argument], ...] = ()
    lessons: tuple[str, ...] = ()
    rubric: tuple[str, ...] = DEFAULT_RUBRIC
    rho: float = 0.0
    others: tuple[Judged, ...] = ()


@dataclass(frozen=True)
class Judgment:
    """The value in [0, 1], its confidence in [0, 1], a reason per criterion; `lost` where none was given."""

    value: float
    confidence: float
    reasons: tuple[tuple[str, float, str], ...]
    usage: Usage = field(default_factory=Usage)
    lost: bool = False
    others: tuple[Judgment, ...] = ()


@dataclass(frozen=True)
class MergeRequest(Request):
    """Ask for a synthesis of findings; `final` at the root.

    `own` says that there is nothing to read, so that the answer is what the reasoner knows of itself.
    `settling` says that it is the one call of a task: `findings` are a first reading to be checked.
    `form` is the JSON schema of the answer, where one is asked for; `fault` what was wrong with the last one.
    `kind` says which part of a report is asked for, where it is one.
    """

    task: str
    idea: str
    findings: tuple[Finding, ...]
    evidence: tuple[Passage, ...]
    thoughts: tuple[str, ...] = ()
    final: bool = False
    seed: int = 0
    brief: Brief = NO_BRIEF
    own: bool = False
    form: Mapping[str, Any] | None = None
    fault: str = ""
    earlier: tuple[Turn, ...] = ()
    kind: str = ""
    settling: bool = False


@dataclass(frozen=True)
class Stated:
    """A piece of an answer with the citations it was given with, by their number from 1.

    `own` says that the reasoner knows it of itself.
    """

    text: str
    citations: tuple[int, ...] = ()
    own: bool = False


@dataclass(frozen=True)
class Synthesis:
    """A document, and the citations that carry it.

    `found` is False where the support is too weak: `text` then says so. `short` is the short answer
    where the question asks for one, else empty. `support` in [0, 1]. `stated` says which citations were
    given for which piece of the text, `notes` what a reader has to know of how it came about; `data` is
    the answer in the form that was asked for, where one was. `nearest` are passages that are shown where
    nothing was found.
    """

    text: str
    citations: tuple[Citation, ...]
    found: bool
    support: float
    short: str = ""
    usage: Usage = field(default_factory=Usage)
    stated: tuple[Stated, ...] = ()
    notes: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    nearest: tuple[Nearest, ...] = ()


@dataclass(frozen=True)
class ReflectRequest(Request):
    """Ask what is learned from a transition: what was expected against what came."""

    task: str
    action: str
    expected: str
    actual: str
    epsilon: float
    kind: Literal["policy", "value"]


LESSON_WORDS = 100
"""The longest lesson, in words; the prompt of `reflect` says so too."""


@dataclass(frozen=True)
class Lesson:
    """A lesson of at most `LESSON_WORDS` words."""

    text: str
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class PatchRequest(Request):
    """Ask for n distinct repairs of a program.

    `failures` are the failing tests: what they run, the values they met and the tracebacks. `shown` is the
    program with what does not matter left out, where it is long; `called` what it calls in other files.
    `tried` says what was tried before and how close it came.
    """

    goal: str
    code: str
    failures: tuple[str, ...]
    suspicious: tuple[int, ...] = ()
    n: int = 4
    seed: int = 0
    shown: str = ""
    called: str = ""
    tried: tuple[str, ...] = ()


@dataclass(frozen=True)
class CodeCandidate:
    """A repair: what is believed to be wrong, the whole new program text, and why."""

    hypothesis: str
    code: str
    reasoning: str


@dataclass(frozen=True)
class Patches:
    """The candidates proposed, most promising first; may be empty."""

    candidates: tuple[CodeCandidate, ...]
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class MutateRequest(Request):
    """Ask for a changed candidate, given how it failed; `shown` is it without what does not matter."""

    goal: str
    candidate: CodeCandidate
    report: str
    seed: int = 0
    shown: str = ""


@dataclass(frozen=True)
class AskRequest(Request):
    """Ask for the most useful question: to a human, or (`curiosity`) to the sources."""

    task: str
    situation: str
    options: tuple[str, ...]
    evidence: tuple[Passage, ...] = ()
    kind: Literal["human", "curiosity"] = "human"


@dataclass(frozen=True)
class Question:
    """A question in one or two sentences."""

    text: str
    usage: Usage = field(default_factory=Usage)


class Reasoner(Protocol):
    """Everything that needs intelligence.

    Every method raises `ddax.errors.ReasonerError` where it cannot answer, never a default value.
    """

    name: str

    async def expand(self, request: ExpandRequest) -> Expansion: ...
    async def predict(self, request: PredictRequest) -> Prediction: ...
    async def extract(self, request: ExtractRequest) -> Extraction: ...
    async def argue(self, request: ArgueRequest) -> Argument: ...
    async def judge(self, request: JudgeRequest) -> Judgment: ...
    async def merge(self, request: MergeRequest) -> Synthesis: ...
    async def reflect(self, request: ReflectRequest) -> Lesson: ...
    async def propose_patches(self, request: PatchRequest) -> Patches: ...
    async def mutate_patch(self, request: MutateRequest) -> Patches: ...
    async def ask(self, request: AskRequest) -> Question: ...


class ActingReasoner(Reasoner, Protocol):
    """A reasoner that chooses the calls of a leaf of several turns; others are offered no such leaf."""

    async def act(self, request: ActRequest) -> Acted: ...


METHODS: Mapping[str, type] = {
    "expand": Expansion, "predict": Prediction, "extract": Extraction, "argue": Argument, "judge": Judgment,
    "merge": Synthesis, "reflect": Lesson, "propose_patches": Patches, "mutate_patch": Patches,
    "ask": Question, "act": Acted,
}  # fmt: skip
"""Every request method with the type of its reply."""
