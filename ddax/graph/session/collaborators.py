"""Open the parts of a session by name: the one place where settings become collaborators."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddax.actions.protocol import Library
from ddax.configs.secrets import Redactor
from ddax.configs.settings import Context, Identity
from ddax.debate.panel import Seat
from ddax.errors import of_setting
from ddax.graph.services import ALL_ROWS, Clock, Parts, Session
from ddax.graph.session.worlds import actions_of, find_world, loaded_by, world_of
from ddax.memory.protocol import Embedder, Memory
from ddax.reasoning.from_settings import can_act, check_output, named_reasoner
from ddax.reasoning.protocol import Reasoner
from ddax.types import EntailmentCheck, JsonDict

if TYPE_CHECKING:
    from ddax.actions.registry import Registry
    from ddax.actions.sources.files import Tell
    from ddax.actions.web.client import Web
    from ddax.debate.living import LivingRubrics
    from ddax.environments.protocol import Environment
    from ddax.memory.agents.agent_store import AgentStore
    from ddax.memory.embed.checked import CheckedEmbedder
    from ddax.memory.gate.write_gate import GatedMemory
    from ddax.memory.home import Home
    from ddax.metacognition.controller import Controller

SOON_SECONDS = 0.2
"""Seconds after which reading the sources is likely to take longer: a process of its own reads Python's."""


async def open_session(
    settings: Context,
    home: Home | None,
    parts: Parts,
    *,
    clock: Clock,
    monotonic: Clock,
    soon: Sequence[str] = (),
    served: bool = False,
    told: Tell | None = None,
) -> Session:
    """Open every part the settings name that is not given ready-made; what fails leaves nothing open.

    A home in use is told before anything waits for it, and wrong settings before a source is read. What
    the first node asks the encoder for, also the texts in `soon`, is embedded while the rest opens. `told`
    hears how many files were read, and of how many.
    """
    from ddax.configs.identities import load_identity
    from ddax.debate.living import LivingRubrics
    from ddax.debate.panel import load_panel
    from ddax.memory.embed.checked import CheckedEmbedder
    from ddax.memory.home import opened_home
    from ddax.memory.share.reaching import held

    place = home if home is not None else await asyncio.to_thread(opened_home)
    identity = await loaded_by("identity", load_identity, settings.identity)
    seats = await loaded_by("debate.panel", load_panel, settings.debate.panel)
    rubrics = LivingRubrics(place.rubrics, clock=clock)
    # A task reads it as it opens; one that cannot be read is refused before there is a thread.
    await loaded_by("trust.rubric", rubrics.current, settings.trust.rubric)
    async with contextlib.AsyncExitStack() as undo, contextlib.AsyncExitStack() as ours:
        if parts.memory is None:
            await ours.enter_async_context(held(place.memory, clock=clock))
        given = parts.embedder
        if given is None:
            given = await asyncio.to_thread(_embedder, place.cache)
        embedder = given if isinstance(given, CheckedEmbedder) else CheckedEmbedder(given)
        opened = _Opening(settings, place, parts, embedder, clock, monotonic, undo, served, told)
        async with _embedding(embedder, (identity.statement, *soon)):
            session = await opened.session(identity, seats, rubrics)
        undo.pop_all()
    return session


@dataclass(frozen=True)
class _Opening:
    """What the parts of one session are opened with."""

    settings: Context
    place: Home
    parts: Parts
    embedder: CheckedEmbedder
    clock: Clock
    monotonic: Clock
    undo: contextlib.AsyncExitStack
    served: bool
    told: Tell | None = None

    async def session(self, identity: Identity, seats: tuple[Seat, ...], rubrics: LivingRubrics) -> Session:
        """Open the parts in the order of what they cost, and put them together."""
        from ddax.actions.work import with_work
        from ddax.configs.calibration import load_calibration
        from ddax.debate.outcomes import JudgeStore
        from ddax.dynamics.state import projection
        from ddax.dynamics.surprise import UNMEASURED
        from ddax.memory.embed.ahead import Ahead
        from ddax.memory.pictures import PictureStore
        from ddax.reasoning.entailment import open_check
        from ddax.reasoning.free import open_free

        settings, embedder, place = self.settings, self.embedder, self.place
        controller = await self.controller()
        world = await self.world()
        actions = await self.actions(world)
        chained = with_work(actions, denied=settings.actions.deny)
        reasoner = self.parts.reasoner or await self.reasoner(chained)
        actions = chained if can_act(reasoner) else actions
        check_output(settings, reasoner)
        models = sorted({seat.model for seat in seats} - {""})
        with of_setting("debate.panel"):
            benches = {model: await self.reasoner(actions, model=model) for model in models}
        web = await self.web()
        library = await self.retrieving(self.parts.library or await self.library(web))
        check = await asyncio.to_thread(open_check, embedder, settings.support)
        scale = await asyncio.to_thread(
            load_calibration, embedder.name, embedder.fingerprint, fallback=UNMEASURED
        )
        redactor = await asyncio.to_thread(Redactor.of_process)
        agents = self.agents()
        memory = await self.memory(agents, check, redactor)
        fill = self.parts.library is None and settings.recall.fill_behind
        return Session(
            settings=settings,
            identity=identity,
            embedder=embedder,
            reasoner=reasoner,
            free=open_free(embedder),
            library=library,
            actions=actions,
            controller=controller,
            projection=projection(embedder.dim, settings.selection.state_dim),
            scale=scale,
            clock=self.clock,
            monotonic=self.monotonic,
            ahead=Ahead(embedder),
            world=world,
            web=web,
            check=check,
            redactor=redactor,
            agents=agents,
            rubrics=rubrics,
            judges=JudgeStore(place.path / "judges", clock=self.clock),
            seats=seats,
            benches=benches,
            memory=memory,
            served=self.served,
            reads=bool(library.specs or settings.web.search or self.parts.brings_sources),
            pictures=PictureStore(place.cache / "pictures"),
            # It embeds what searches have not needed yet, and ends with the session.
            behind=asyncio.create_task(library.warm(), name="ddax-fill-behind") if fill else None,
        )

    async def world(self) -> Environment | None:
        """Open the world among the sources, where it is there."""
        world = await asyncio.to_thread(world_of, self.settings, self.served)
        if world is not None:
            self.undo.push_async_callback(world.close)
            await find_world(self.settings, self.served)
        return world

    async def actions(self, world: Environment | None) -> Registry:
        """Register the actions of the settings, of the world and of the caller, and our own."""
        from ddax.actions.registry import open_registry
        from ddax.graph.session.unknown_names import check_named

        named = await actions_of(self.settings, self.place, world)
        files = self.settings.actions.files
        found = await asyncio.to_thread(open_registry, (*named, *self.parts.actions), files=files)
        check_named(self.settings.actions, found)
        return found

    async def reasoner(self, actions: Registry, *, model: str = "") -> Reasoner:
        """Open the reasoner of the settings, or the same with another model."""
        settings = self.settings.model_copy(update={"model": model}) if model else self.settings
        given = (self.place, self.embedder, actions, self.clock, self.monotonic, self.parts.objects)
        reasoner = await asyncio.to_thread(named_reasoner, settings, *given)
        close = getattr(reasoner, "close", None)
        if close is not None:
            self.undo.push_async_callback(close)
        return reasoner

    async def web(self) -> Web:
        """Open the way to the web."""
        web = await asyncio.to_thread(_web, self.settings, self.place, self.clock, self.monotonic)
        self.undo.push_async_callback(web.close)
        return web

    async def library(self, web: Web) -> Library:
        """Open the documents that can be searched; where that takes long, load the index meanwhile."""
        reading = asyncio.create_task(
            _library(
                self.settings, self.embedder, self.place, web, self.clock, parts=self.parts, told=self.told
            )
        )
        try:
            await asyncio.wait({reading}, timeout=SOON_SECONDS)
            if not reading.done():
                await asyncio.to_thread(_load_index, self.place.memory)
            return await reading
        finally:
            reading.cancel()
            await asyncio.wait({reading})  # it writes into the caches, which are closed next

    async def retrieving(self, library: Library) -> Library:
        """Return a library that also asks the retriever that was given, where one was."""
        if self.parts.retriever is None:
            return library
        from ddax.actions.sources.brought import RetrievedLibrary
        from ddax.actions.sources.documents import ExtractCache

        cache = await asyncio.to_thread(ExtractCache, self.place.cache)
        return RetrievedLibrary(library, self.parts.retriever, self.embedder, cache)

    async def controller(self) -> Controller:
        """Open the controller of the mood with the matrices the settings name."""
        from ddax.metacognition.controller import Controller
        from ddax.metacognition.versions import find_matrices

        mood = self.settings.mood
        matrices = await asyncio.to_thread(find_matrices, mood.matrices, self.place.common)
        controller = await asyncio.to_thread(
            Controller, engine=mood.engine, policy_len=mood.policy_len, matrices=matrices
        )
        self.undo.callback(controller.close)
        return controller

    def agents(self) -> AgentStore:
        """Open the files of the agents."""
        from ddax.memory.agents.agent_store import AgentStore

        return AgentStore(
            self.place.agents,
            clock=self.clock,
            embedder=self.embedder,
            formula=self.settings.trust.formula,
            regret_hours=self.settings.trust.regret_hours,
        )

    async def memory(self, agents: AgentStore, check: EntailmentCheck, redactor: Redactor) -> GatedMemory:
        """Open the memory behind its write gate."""
        from ddax.memory.gate.write_gate import GatedMemory
        from ddax.memory.share.remote import RemoteMemory

        memory = self.parts.memory
        if isinstance(memory, RemoteMemory):
            memory = memory.trusting(_trust(agents))
        if memory is None:
            memory = await _memory(self.settings, self.place, self.embedder, self.clock, agents)
            self.undo.push_async_callback(memory.close)
        return memory if isinstance(memory, GatedMemory) else GatedMemory(memory, check, redactor)


async def open_rows(
    settings: Context, home: Home | None, table: str, *, clock: Clock, **equals: Any
) -> list[JsonDict]:
    """Return the rows of a log of the memory that the settings name, and close it again."""
    from ddax.memory.agents.agent_store import AgentStore
    from ddax.memory.embed.cache import close_files
    from ddax.memory.home import opened_home
    from ddax.memory.share.reaching import held

    place = home if home is not None else await asyncio.to_thread(opened_home)
    async with held(place.memory, clock=clock):
        embedder = await asyncio.to_thread(_embedder, place.cache)
        agents = AgentStore(place.agents, clock=clock, embedder=embedder)
        memory = await _memory(settings, place, embedder, clock, agents)
        try:
            return await memory.rows(table, limit=ALL_ROWS, **equals)
        finally:
            await memory.close()
            await asyncio.to_thread(close_files)


@contextlib.asynccontextmanager
async def _embedding(embedder: Embedder, texts: Sequence[str]) -> AsyncIterator[None]:
    """Embed texts while the block runs; whoever asks for them after it finds them in the cache."""

    def work() -> None:
        embedder.embed(Redactor.of_process().value(list(texts)))

    working = asyncio.create_task(asyncio.to_thread(work))
    try:
        yield
    finally:
        await working


def _embedder(cache: Path) -> Embedder:
    from ddax.memory.embed.cache import CachedEmbedder
    from ddax.memory.embeddings import open_embedder

    return CachedEmbedder(open_embedder(), cache / "vectors.sqlite")


async def _memory(
    settings: Context, home: Home, embedder: Embedder, clock: Clock, agents: AgentStore
) -> Memory:
    from ddax.memory.share.reaching import reach_memory

    return await reach_memory(
        home.memory,
        namespace=settings.namespace,
        embedder=embedder,
        clock=clock,
        recall=settings.recall,
        trust=_trust(agents),
    )


def _trust(agents: AgentStore) -> Callable[[str], float]:
    """Return how much what a writer wrote counts."""
    from ddax.memory.agents.trust import INITIAL_TRUST

    def trust(writer: str) -> float:
        # A newcomer counts 1, so that the least score of a recall means the same for everybody.
        return agents.trust(writer) / INITIAL_TRUST

    return trust


def _web(settings: Context, home: Home, clock: Clock, monotonic: Clock) -> Web:
    from ddax.actions.web.opening import open_web
    from ddax.environments.browser.render import open_rendering

    return open_web(
        settings,
        home.cache / "web",
        os.environ,
        clock=clock,
        monotonic=monotonic,
        rendering=open_rendering,
    )


def _load_index(folder: Path) -> None:
    """Load the index where there is one on disk, so that opening it takes no time."""
    from ddax.memory.store.chroma import ChromaIndex, load

    if ChromaIndex(folder).made:
        load()


async def _library(
    settings: Context,
    embedder: Embedder,
    home: Home,
    web: Web,
    clock: Clock,
    *,
    parts: Parts,
    told: Tell | None,
) -> Library:
    from ddax.actions.sources import Bounds, open_library
    from ddax.actions.sources.brought import documents_of
    from ddax.actions.web.opening import with_search
    from ddax.environments.opening import is_world

    sources = await open_library(
        tuple(source for source in settings.sources if not is_world(source)),
        embedder=embedder,
        cache_dir=home.cache,
        bounds=Bounds(settings.allow_hosts, seconds=settings.budget.max_seconds),
        web=web,
        brought=await asyncio.to_thread(documents_of, parts.documents),
        progress=told,
    )
    return await asyncio.to_thread(
        with_search,
        sources,
        web,
        os.environ,
        provider=parts.search,
        embedder=embedder,
        folder=home.cache / "web",
        clock=clock,
    )
