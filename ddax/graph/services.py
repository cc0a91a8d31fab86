"""The collaborators of a run: given to `build_graph`, opened at the first node, closed at the end.

`Services` belongs to a process and keeps one `Session` for each combination of settings that needs
its own parts; a session holds everything a node may use. Nothing here is global.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ddax.actions.protocol import Library
from ddax.configs.secrets import Redactor
from ddax.configs.settings import Context, Identity
from ddax.debate.panel import Seat
from ddax.dynamics.aims import Aims
from ddax.dynamics.places import Places
from ddax.graph.repairs import Repairs, open_repairs
from ddax.graph.session.given_parts import Parts as Parts
from ddax.memory.protocol import Embedder, Memory
from ddax.reasoning.entailment.rules import lexical
from ddax.reasoning.free import FreeReasoner
from ddax.reasoning.protocol import Reasoner
from ddax.types import EntailmentCheck, JsonDict, Usage

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ddax.actions.registry import Registry
    from ddax.actions.web.client import Web
    from ddax.debate.living import LivingRubrics
    from ddax.debate.outcomes import JudgeStore
    from ddax.dynamics.surprise import Calibration
    from ddax.environments.protocol import Environment
    from ddax.graph.state import Work
    from ddax.memory.agents.agent_store import Agents
    from ddax.memory.embed.ahead import Ahead
    from ddax.memory.pictures import PictureStore
    from ddax.metacognition.controller import Controller
    from ddax.reasoning.budget import BudgetKeeper, Place

Clock = Callable[[], float]
ALL_ROWS = 1_000_000
ADMITTED_AT_ONCE = 32
"""Leaves that are admitted at a time: of more the first acts later, with fewer the disk syncs more often."""
MAX_PLACES = 20_000
"""Texts whose vectors a session keeps (10 MB); beyond, it starts anew."""


@dataclass(frozen=True)
class Session:
    """Everything a node of one run may use."""

    settings: Context
    identity: Identity
    embedder: Embedder
    reasoner: Reasoner
    memory: Memory
    library: Library
    actions: Registry
    controller: Controller
    projection: NDArray[np.float64]
    scale: Calibration
    clock: Clock
    monotonic: Clock
    free: FreeReasoner
    """The reasoner that asks no model: it costs nothing, and does what needs none."""
    ahead: Ahead
    """Embeds what will be asked for soon, while a model is waited for; closed with the session."""
    check: EntailmentCheck = lexical
    """The support check: how a statement relates to what it rests on."""
    redactor: Redactor = field(default_factory=Redactor)
    """What blots out secrets before a text goes into a prompt, the state or a file."""
    agents: Agents | None = None
    """Who took part in debates, with their trust; None keeps no account of it."""
    world: Environment | None = None
    """The world to act in, where the sources name one; closed with the session."""
    web: Web | None = None
    """The pages of the web, behind the guard; closed with the session."""
    rubrics: LivingRubrics | None = None
    """The rubrics with what humans taught them; None goes by the shipped ones."""
    judges: JudgeStore | None = None
    """What became of judged values, by which later ones are corrected; None corrects nothing."""
    seats: tuple[Seat, ...] = (Seat("judge"),)
    """Who takes part in debates, by name."""
    benches: Mapping[str, Reasoner] = field(default_factory=dict)
    """The reasoners of the models that a seat names for itself."""
    pictures: PictureStore | None = None
    """Pictures of what was seen, by their hash; None keeps none."""
    repairs: Repairs | None = field(default_factory=open_repairs)
    """The repair of code; None where that part of ddax was left out."""
    reads: bool = True
    """Whether there is anything to read: sources, a web that is searched, documents somebody brought."""
    forms: Mapping[str, type[BaseModel]] = field(default_factory=dict)
    """The classes whose schemas answers are asked in, for their own validators."""
    places: Places = field(default_factory=Places)
    """Texts in the state space: every selection needs those of the whole frontier."""
    aims: Aims = field(default_factory=Aims)
    """Directions of the newest frontiers: a selection after a value has changed needs the same."""
    texts: dict[str, str] = field(default_factory=dict)
    """The whole texts of the tasks that run: every leaf asks for its own."""
    ticks: dict[str, float] = field(default_factory=dict)
    keepers: dict[str, BudgetKeeper] = field(default_factory=dict)
    goes: dict[str, object] = field(default_factory=dict)
    """What each task is driven by: LangGraph makes a control anew each time a graph is run or resumed."""
    admission: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(ADMITTED_AT_ONCE))
    """Lets in so many leaves at a time, so that the first ones act while others begin."""
    place: Place | None = None
    """The node that uses the session, set for each of its runs."""
    hands_off: bool = False
    """What writes or spends is shown, not done: the run is there to find something out."""
    behind: asyncio.Task[int] | None = None
    """The filling of vectors behind the run, cancelled when the session closes."""
    served: bool = False
    """The run came over a server: what its context and its state say is a stranger's."""
    users: list[object] = field(default_factory=list)
    """Who uses the session now: it is not closed under them."""

    @contextmanager
    def used(self) -> Iterator[None]:
        """Keep the session open for the length of the block; there is no await between getting and this."""
        user = object()
        self.users.append(user)
        try:
            yield
        finally:
            self.users.remove(user)

    def at(self, place: Place) -> Session:
        """Return the session as the node at a place uses it; each leaf of a step has one of its own."""
        here = copy(self)  # `replace` would set two dozen fields one by one
        object.__setattr__(here, "place", place)
        return here

    @property
    def sees(self) -> bool:
        """Whether pictures of what is seen are of use: the model that plans takes them, and they are kept."""
        return self.pictures is not None and bool(getattr(self.reasoner, "sees", False))

    @property
    def paid(self) -> JsonDict:
        """Return the row of what the node that uses the session has paid so far, also for what failed.

        It is empty where no model was asked.
        """
        return self.place.paid.row() if self.place is not None and self.place.calls else {}

    def rng(self, *path: object) -> np.random.Generator:
        """Return the random generator of one place in the run.

        It depends on the seed and the path alone, so that a resumed run draws what the undisturbed
        one drew.
        """
        name = "/".join(map(str, (self.settings.seed, *path)))
        return np.random.default_rng(int.from_bytes(sha256(name.encode()).digest()[:8], "big"))

    async def encode(self, *texts: str) -> NDArray[np.float64]:
        """Embed texts and project them into the state space: unit vectors `[n, state_dim]`."""
        from ddax.dynamics.state import project

        while new := self.places.without(texts):
            if len(self.places) and len(self.places) + len(new) > MAX_PLACES:
                self.places.clear()
                continue
            raw = await asyncio.to_thread(self.embedder.embed, new)
            self.places.add(new, [project(self.projection, row.astype(np.float64)) for row in raw])
        return self.places.of(texts)

    async def embed(self, *texts: str) -> NDArray[np.float32]:
        """Embed texts in the encoder's own space: `[n, dim]`."""
        return await asyncio.to_thread(self.embedder.embed, list(texts))

    def metered(self, work: str, usage: JsonDict, *, idea: str = "") -> Reasoner:
        """Return the reasoner behind the caps of the budget of one task.

        One keeper serves all leaves of a task, so that they see each other's calls; in a new
        process it counts on from the usage in state. `idea` is the one the cost is noted for.
        """
        from ddax.reasoning.budget import BudgetKeeper
        from ddax.reasoning.plans import metered

        spent = Usage.of_row(usage)
        if work not in self.keepers:
            seconds = float(usage.get("seconds", 0.0))
            self.keepers[work] = BudgetKeeper(
                self.settings.budget, spent, clock=self.monotonic, seconds=seconds
            )
        place = replace(self.place, idea=idea) if idea and self.place else self.place
        return metered(
            self.reasoner, self.keepers[work], spent=spent, settings=self.settings, place=place,
            embedder=self.embedder,
        )  # fmt: skip

    def forget(self, work: str, thread: str) -> None:
        """Drop what was kept for a task that is closed."""
        self.keepers.pop(work, None)
        self.texts.pop(work, None)
        self.ticks.pop(thread, None)
        self.goes.pop(work, None)

    def go_on(self, work: Work, usage: JsonDict, go: object) -> None:
        """Take the time of a task up where its state has it, when a graph is run or resumed.

        Between two goes a human thinks, or nobody does anything: no cap counts that.
        """
        task = work["id"]
        if go is None or self.goes.get(task) is go:
            return
        self.goes[task] = go
        self.ticks[work["thread"]] = self.monotonic()
        if task in self.keepers:
            self.keepers[task].go_on(float(usage.get("seconds", 0.0)))

    def tick(self, thread: str) -> float:
        """Return the seconds since the last tick of a thread in this process; 0 at the first."""
        now = self.monotonic()
        before = self.ticks.get(thread, now)
        self.ticks[thread] = now
        return round(now - before, 3)

    def seconds(self, thread: str, usage: JsonDict) -> float:
        """Return the seconds a run has taken so far: what its usage says, and those since the last tick."""
        now = self.monotonic()
        return float(usage.get("seconds", 0.0)) + now - self.ticks.get(thread, now)


class Services(Protocol):
    """Where nodes get their session from."""

    async def session(self, context: Context | None) -> Session:
        """Return the session of these settings, opened at the first call."""
        ...

    async def served(self, context: Context | None, owner: str) -> Session:
        """Return the session of a run over a server; raises SettingsError for what it may not set."""
        ...

    async def close(self) -> None:
        """Close every session."""
        ...


def as_context(value: object) -> Context:
    """Turn what a client sent as context (a Context or plain JSON) into settings."""
    return value if isinstance(value, Context) else Context.model_validate(value)
