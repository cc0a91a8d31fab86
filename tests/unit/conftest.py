"""A kit for tests of the state machine: real nodes and parts, pages in memory, a frozen state."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import ExecutionInfo, Runtime
from langgraph.types import Overwrite

from ddax.actions.protocol import Action
from ddax.actions.registry import open_registry
from ddax.configs.identities import load_identity
from ddax.configs.settings import Context
from ddax.dynamics.state import projection
from ddax.dynamics.surprise import UNMEASURED
from ddax.graph.binding import bind
from ddax.graph.builder import build_graph
from ddax.graph.runner import Agent, open_agent
from ddax.graph.services import Parts, Session
from ddax.graph.state import add_numbers, join
from ddax.ideas.idea import apply_patches
from ddax.memory.embed.ahead import Ahead
from ddax.memory.embeddings import HashEmbedder, MiniLmEmbedder
from ddax.memory.fake import DictMemory
from ddax.metacognition.controller import Controller
from ddax.reasoning import protocol as p
from ddax.reasoning.free import FreeReasoner, open_free
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.testing import PAGES, QUESTION, PageLibrary
from ddax.types import ActionCall, Citation, Proposal, Usage

NOW = 1_700_000_000.0
BORN = "born in the city of Trondby"
REDUCERS: Mapping[str, Callable[[Any, Any], Any]] = {
    "outcomes": join, "verdicts": join, "questions": join, "failures": join, "usage": add_numbers,
    "messages": lambda old, new: [*(old or []), *new],
    "ideas": lambda old, new: apply_patches(old, [new]),
}  # fmt: skip


@dataclass
class OneSession:
    """Services that hold one ready session."""

    ready: Session

    async def session(self, context: Context | None) -> Session:
        return self.ready

    async def served(self, context: Context | None, owner: str) -> Session:
        return self.ready

    async def close(self) -> None:
        await self.ready.memory.close()


def reduced(state: Mapping[str, Any], update: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state after an update, as the graph's channels would."""
    after = dict(state)
    for key, value in update.items():
        reset = isinstance(value, Overwrite)
        reducer = REDUCERS.get(key)
        after[key] = value.value if reset else reducer(state.get(key), value) if reducer else value
    return after


def settled(settings: Mapping[str, Any]) -> Context:
    """Return settings under which a script is always asked to judge and to read, or what they say."""
    debate = {"ask": "always", **settings.get("debate", {})}
    models = {"quote_below": 0, **settings.get("models", {})}
    return Context(**{"seed": 7, "mood": {"engine": "numpy"}, **settings, "debate": debate, "models": models})


@dataclass(frozen=True)
class Finished:
    """A home whose thread `t` is done: made by one run of this process, and copied by who needs one."""

    home: Path
    memory: DictMemory
    result: Any


@dataclass
class Kit:
    """Builders for sessions, states and replies; `now` is the clock and may be moved."""

    made: dict[bool, Finished] = field(default_factory=dict)
    folder: Path = Path()

    now: float = NOW
    ticks: float = 0.0
    pages: dict[str, str] = field(default_factory=lambda: dict(PAGES))
    question: str = QUESTION
    events: list[dict[str, Any]] = field(default_factory=list)
    memory: DictMemory | None = None

    def session(
        self, replies: Mapping[str, Sequence[Any]] | None = None, *, actions: tuple[Action, ...] = (),
        repeat: bool = False, **settings: Any,
    ) -> Session:  # fmt: skip
        """Return a session over a dict memory, hashed embeddings and a script."""
        context = settled(settings)
        embedder = HashEmbedder()
        return Session(
            settings=context,
            identity=load_identity(context.identity),
            embedder=embedder,
            reasoner=ScriptedReasoner(replies or {}, repeat=repeat),
            memory=DictMemory("test", embedder, lambda: self.now, context.recall),
            library=PageLibrary(self.pages),
            actions=open_registry(actions),
            controller=Controller(engine="numpy"),
            projection=projection(embedder.dim, context.selection.state_dim),
            scale=UNMEASURED,
            clock=lambda: self.now,
            monotonic=lambda: self.ticks,
            free=open_free(embedder),
            ahead=Ahead(embedder),
        )

    def script(self, *children: Proposal, usage: Usage | None = None) -> dict[str, list[Any]]:
        """Return replies, each to be repeated, for a task of one expansion; every judgment costs `usage`."""
        judged = p.Judgment(0.9, 0.9, (("coverage", 0.9, "so it is"),), usage or Usage())
        return {
            "expand": [
                p.Expansion(
                    children
                    or (self.leaf("tower in Belmark"), self.leaf("her life", "visit", source="Ilse Maran"))
                )
            ],
            "extract": [p.Extraction((), "read")],
            "judge": [judged],
            "merge": [self.synthesis()],
            "reflect": [p.Lesson("Look again.")],
            "ask": [p.Question("Which one?")],
        }

    def agent(
        self, home: Path, replies: Mapping[str, Sequence[Any]] | None = None, *,
        actions: tuple[Action, ...] = (), build: Any = build_graph, **settings: Any,
    ) -> Agent:  # fmt: skip
        """Return an agent over a home and this kit's memory; with no replies the embedded reasoner thinks."""
        context = settled(settings)
        embedder = HashEmbedder()
        if self.memory is None:
            self.memory = DictMemory("test", embedder, lambda: self.now, context.recall)
        parts = Parts(
            reasoner=None if replies is None else ScriptedReasoner(replies, repeat=True),
            memory=self.memory, library=PageLibrary(self.pages), embedder=embedder, actions=actions,
        )  # fmt: skip
        clocks = {"clock": lambda: self.now, "monotonic": lambda: self.ticks}
        return open_agent(context, home=home, parts=parts, build=build, **clocks)

    async def finished(self, home: Path, *, embedded: bool = False) -> Any:
        """Fill a home with the thread `t`, done by the script or by the embedded reasoner; return its result.

        It is a copy of one run: of what that wrote on disk, and of what it remembers.
        """
        if embedded not in self.made:
            maker, place = Kit(), self.folder / f"finished-{embedded}"
            async with maker.agent(place, None if embedded else maker.script()) as agent:
                result = await agent.run(maker.question, thread="t")
            assert maker.memory is not None
            self.made[embedded] = Finished(place, maker.memory, result)
        one = self.made[embedded]
        shutil.copytree(one.home, home, dirs_exist_ok=True)
        self.memory = copy.deepcopy(one.memory)
        return copy.deepcopy(one.result)

    def runtime(self, session: Session, *, task_id: str = "task-1") -> Runtime[Context]:
        """Return the runtime a node sees: the thread `t`, and its task id."""
        info = ExecutionInfo(checkpoint_id="c", checkpoint_ns="", task_id=task_id, thread_id="t")
        return Runtime(context=session.settings, execution_info=info, stream_writer=self.events.append)

    async def update(
        self, node: Any, state: Mapping[str, Any], session: Session, *, task_id: str = "task-1"
    ) -> Any:
        """Run a node as the graph runs it, and hold it to leaving its state untouched."""
        before = copy.deepcopy(dict(state))
        update = await bind(node, OneSession(session))(state, self.runtime(session, task_id=task_id))
        assert dict(state) == before, f"{node.__name__} changed its state in place"
        assert json.loads(json.dumps(self.events[-1])) == self.events[-1], "an event is plain JSON"
        return update

    async def after(
        self, node: Any, state: Mapping[str, Any], session: Session, **options: Any
    ) -> dict[str, Any]:
        """Return the state after a node."""
        return reduced(state, await self.update(node, state, session, **options))

    async def opened(self, session: Session, text: str = QUESTION, **keys: Any) -> dict[str, Any]:
        """Return the state of an open task whose root waits to be expanded."""
        from ddax.nodes.open_task import open_task

        state = await self.after(open_task, {"task": text}, session)
        return {**state, "decision": {}, **keys}

    @staticmethod
    def reduced(state: Mapping[str, Any], update: Mapping[str, Any]) -> dict[str, Any]:
        return reduced(state, update)

    @staticmethod
    def packet(leaf: str, name: str, /, *, state: Mapping[str, Any], **args: Any) -> dict[str, Any]:
        """Return what one leaf gets."""
        call = ActionCall(name=name, args=args, intent="")
        return {
            "leaf": leaf,
            "action": call,
            "expected": "something",
            "step": 2,
            "usage": dict(state.get("usage", {})),
            "origins": [],
            "protect": False,
            "work": {k: state["work"][k] for k in ("id", "root", "thread", "opened")},
        }

    @staticmethod
    def leaf(title: str, name: str = "search", /, *, needs: tuple[int, ...] = (), **args: Any) -> Proposal:
        """Return a proposed leaf."""
        given = args or {"query": title}
        return Proposal(
            title, f"expect {title}", action=ActionCall(name=name, args=given, intent=""), needs=needs
        )

    @staticmethod
    def inner(title: str, *needs: int) -> Proposal:
        """Return a proposed inner idea."""
        return Proposal(title, f"expect {title}", needs=needs)

    @staticmethod
    def judgment(value: float = 0.9, confidence: float = 0.9) -> p.Judgment:
        return p.Judgment(value, confidence, (("coverage", value, "so it is"),))

    @staticmethod
    def synthesis(text: str = "Trondby.", *, found: bool = True) -> Callable[[p.MergeRequest], p.Synthesis]:
        """Return a scripted synthesis, which quotes the page that says where she was born, if it is shown."""

        def said(request: p.MergeRequest) -> p.Synthesis:
            shown = [passage for passage in request.evidence if found and BORN in passage.text][:1]
            cited = tuple(Citation(one.id, one.source, one.title, BORN) for one in shown)
            return p.Synthesis(text, cited, found, 0.9 if found else 0.0, short="Trondby" if found else "")

        return said


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to an empty folder, where the environment names no home and no key."""
    monkeypatch.chdir(tmp_path)
    for name in ("DDAX_HOME", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def asks(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Answer what protect asks by the last entry; outside a graph there is nothing that could pause."""
    asked: list[dict[str, Any]] = [{"choice": "go on"}]

    def interrupt(question: dict[str, Any], **_: Any) -> dict[str, Any]:
        asked.insert(0, question)
        return asked[-1]

    monkeypatch.setattr("ddax.nodes.protect.interrupt", interrupt)
    return asked


@pytest.fixture(scope="module")
def reasoner() -> FreeReasoner:
    """Return what thinks without a language model, over the encoder that ships."""
    return open_free(MiniLmEmbedder())


@pytest.fixture(scope="session")
def finished_homes() -> dict[bool, Finished]:
    """Return what `Kit.finished` has made so far."""
    return {}


@pytest.fixture
def kit(finished_homes: dict[bool, Finished], tmp_path_factory: pytest.TempPathFactory) -> Kit:
    """Return a fresh kit."""
    return Kit(finished_homes, tmp_path_factory.getbasetemp())
