"""Leaf actions: a typed function, its argument schema, its effect; and what it is given to work with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, get_args

from pydantic import BaseModel

from ddax.configs.secrets import Redactor
from ddax.errors import UsageError
from ddax.ideas.origins import Origins, join
from ddax.memory.protocol import Memory
from ddax.types import Document, Effect, Hit, Picture, Record

EFFECTS: tuple[Effect, ...] = get_args(Effect)
Inside = Callable[[Any, Any], bool]
"""Whether a read of these arguments over this library stays on the machine."""


class Library(Protocol):
    """The sources of a task: folders, files, URLs and the documentation of Python modules.

    All methods are safe to call from several leaves at once; blocking work runs in a thread.
    """

    specs: tuple[str, ...]
    outside: bool
    """A search also asks somebody outside, who sees its query."""

    async def search(self, query: str, *, intent: str = "", k: int = 10, mode: str = "hybrid") -> list[Hit]:
        """Find documents; mode is lexical, dense or hybrid.

        Lexical answers at once, the best few
        hundred candidates are embedded and their vectors kept.
        """
        ...

    async def read(self, source: str) -> Document:
        """Return a whole document by its URI or path, or fetch a URL; raises ActionError."""
        ...

    async def mentioned(self, text: str, *, limit: int = 10) -> list[Hit]:
        """Find documents whose title is mentioned in a text (following entities)."""
        ...

    def holds(self, source: str, text: str) -> bool | None:
        """Tell whether a source says a text now; None where it is none of the sources."""
        ...

    async def warm(self, limit: int | None = None) -> int:
        """Make vectors ahead of need and return their number; may be cancelled, changes no result."""
        ...

    def describe(self) -> str:
        """Say in one line what the sources are."""
        ...


@dataclass(frozen=True)
class ActionContext:
    """What an action may use; nothing else is reachable from it."""

    library: Library
    memory: Memory
    task: str
    task_text: str
    idea: str
    step: int
    now: float
    key: str
    """Stable across retries and a resume, for what spends also across forks; the idempotency key to send."""
    sees: bool = False
    """The model that plans takes pictures: one of what was seen is worth taking."""
    redactor: Redactor = field(default_factory=Redactor, repr=False)
    """What cuts a text so that no part of a secret is left of it."""


@dataclass(frozen=True)
class ActionResult:
    """What an action brought: a summary, rows for the memory (observations or thoughts), pages.

    `sources` are the URIs it actually read. The engine stores `records` (chunking is done by
    `ddax.text.chunks`) and links them to the idea. `picture` shows what was seen, without a secret.
    `settles` says that it solves the task, as an action that checks may find out: nothing else is done then.
    """

    summary: str
    records: tuple[Record, ...] = ()
    pages: tuple[Document, ...] = ()
    sources: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    picture: Picture | None = None
    settles: bool = False


@dataclass(frozen=True)
class Action:
    """A registered action. `arguments` is a pydantic model; `effect` says what it does outside.

    `inside` says that what it reads is the user's own, so that nothing leaves by it. `brings` names the
    origins of what it returns; without it they are those of the sources it read, or the tool itself.
    `described` are the origins of its name and its words on itself, which whoever plans gets to read: none
    where they are part of the program.
    """

    name: str
    function: Callable[..., Awaitable[ActionResult]]
    arguments: type[BaseModel]
    effect: Effect
    doc: str
    idempotent: bool = False
    """The other side does nothing twice under one `ActionContext.key`: safe to do again where nobody knows
    whether it was done.
    """
    inside: bool | Inside = False
    brings: tuple[str, ...] = ()
    origin: str = "ddax"
    """Where the action itself comes from: ddax, a distribution, a file, or an MCP server."""
    unsent: tuple[str, ...] = ()
    """Arguments that are used here and go nowhere: it does not matter where their values come from."""
    described: tuple[str, ...] = ()
    about: str | None = None
    """All that its author says of it; None where it is part of the program, whose prompts say it."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema it came with, where `arguments` holds less."""
    chain: bool = False
    """It is a leaf of several turns, whose calls are chosen one after the other."""
    told: bool = False
    """The user asked for it in so many words when the run was started: it is not asked for again."""

    def __post_init__(self) -> None:
        """Refuse an effect that no policy knows; raises UsageError."""
        if self.effect not in EFFECTS:
            raise UsageError(
                f"The action {self.name!r} has the effect {self.effect!r}.",
                why=f"An effect is one of: {', '.join(EFFECTS)}.",
                mend="Give it the one that says what it does outside.",
            )

    @property
    def own_schema(self) -> Mapping[str, Any]:
        """The JSON schema of its arguments as its author wrote it."""
        return self.arguments.model_json_schema() if self.schema is None else self.schema

    @property
    def lasting(self) -> bool:
        """Whether it changes something outside."""
        return self.effect in ("writes", "spends")

    @property
    def repeatable(self) -> bool:
        """Whether it may be done again, unasked, where nobody knows if it was done."""
        return self.idempotent or not self.lasting

    def stays_inside(self, library: Library, arguments: BaseModel) -> bool:
        """Tell whether a read of these arguments stays on the machine or in the user's own accounts."""
        return self.inside(library, arguments) if callable(self.inside) else self.inside


def of_descriptions(actions: Iterable[Action]) -> Origins:
    """Return where what actions say of themselves comes from."""
    return join(*(action.described for action in actions))
