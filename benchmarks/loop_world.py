"""A world where the obvious action never works: a locked door that is pushed again and again.

The reasoner is a plain one, as models often are: it proposes the obvious once more, a little harder, as
long as nobody asks it for more. Only where it is asked for new ideas (a temperature of at least
`INVENTIVE`) does it look under the mat. In half of the worlds there is a key; in the others nothing helps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ddax.actions.protocol import Action, Library
    from ddax.graph.builder import Builder
    from ddax.graph.sessions import LocalServices
    from ddax.memory.protocol import Embedder
    from ddax.reasoning.protocol import Reasoner

INVENTIVE = 0.6
SAME = 3
"""Equal outcomes in a row at which the plain repeat counter stops."""
STEPS = 60


@dataclass(frozen=True)
class World:
    """Whether there is a key, and whether the world answers each push in other words."""

    name: str
    key: bool
    wordy: bool

    def pushed(self, force: int) -> str:
        """Return what a push brings; it never opens the door."""
        ways = ("It creaks and stays shut", "It does not move", "Nothing happens", "It holds")
        more = f" {ways[force % len(ways)]} at push {force}." if self.wordy else ""
        return f"The door is still shut.{more}"


@dataclass(frozen=True)
class Tried:
    """How a run in a world went."""

    opened: bool
    pushes: int
    steps: int
    status: str
    reason: str
    stagnant: bool


def worlds(n: int) -> list[World]:
    """Return n worlds of each kind."""
    return [
        World(f"{'key' if key else 'no key'}, {'wordy' if wordy else 'plain'}, {k}", key, wordy)
        for k in range(n) for key in (True, False) for wordy in (True, False)
    ]  # fmt: skip


def _reasoner(world: World, offset: int) -> Reasoner:
    from ddax.reasoning import protocol as p
    from ddax.types import ActionCall, Proposal

    class Plain:
        """Propose the obvious; something else only where it is asked to be inventive."""

        name = "plain"
        pushes = offset
        opened = False

        async def expand(self, request: p.ExpandRequest) -> p.Expansion:
            if self.opened:
                return p.Expansion(())
            inventive = request.temperature >= INVENTIVE
            call = ActionCall(name="look", args={"place": f"under the mat, {self.pushes}"}, intent="")
            if not inventive:
                self.pushes += 1
                call = ActionCall(name="push", args={"force": self.pushes}, intent="")
            title = "look under the mat" if inventive else f"push the door, force {self.pushes}"
            expected = "A key lies there; it opens." if inventive else "The door opens."
            leaf = Proposal(title, expected=expected, action=call)
            again = Proposal(f"go on after {title}", expected="The door opens.", needs=(0,))
            return p.Expansion((leaf, again))

        async def judge(self, request: p.JudgeRequest) -> p.Judgment:
            self.opened = self.opened or "opens the door" in request.result
            value = 0.95 if "opens the door" in request.result else 0.2
            return p.Judgment(value, 0.9, (("coverage", value, "so it is"),))

        async def argue(self, request: p.ArgueRequest) -> p.Argument:
            return p.Argument("It speaks for itself.", (), 0.5)

        async def extract(self, request: p.ExtractRequest) -> p.Extraction:
            return p.Extraction((), "")

        async def predict(self, request: p.PredictRequest) -> p.Prediction:
            return p.Prediction("The door opens.", 0.9)

        async def merge(self, request: p.MergeRequest) -> p.Synthesis:
            opened = self.opened
            return p.Synthesis(
                "The key opens the door." if opened else "It stays shut.", (), opened, float(opened)
            )

        async def reflect(self, request: p.ReflectRequest) -> p.Lesson:
            return p.Lesson("Pushing does not open it.")

        async def ask(self, request: p.AskRequest) -> p.Question:
            return p.Question("What lies under the mat?")

        async def propose_patches(self, request: p.PatchRequest) -> p.Patches:
            return p.Patches(())

        async def mutate_patch(self, request: p.MutateRequest) -> p.Patches:
            return p.Patches(())

    return Plain()


def _actions(world: World) -> tuple[Action, ...]:
    from pydantic import BaseModel

    from ddax.actions.protocol import Action, ActionContext, ActionResult

    class Push(BaseModel):
        """How hard."""

        force: int

    class Look(BaseModel):
        """Where."""

        place: str

    async def push(context: ActionContext, arguments: Push) -> ActionResult:
        return ActionResult(world.pushed(arguments.force))

    async def look(context: ActionContext, arguments: Look) -> ActionResult:
        return ActionResult("A key lies there. It opens the door." if world.key else "Dust, and no key.")

    return (
        Action("push", push, Push, "none", "Push the door."),
        Action("look", look, Look, "none", "Look somewhere."),
    )


def counting(services: LocalServices) -> Builder:
    """Build the graph with a plain repeat counter: `SAME` equal outcomes in a row end the run."""
    from ddax.graph.builder import build_graph, splice

    seen: list[str] = []

    async def repeats(state: dict[str, Any]) -> dict[str, Any]:
        texts = [o["text"] for o in state.get("outcomes", {}).values() if o["action"] != "merge"]
        seen.extend(texts)
        if texts and len(seen) >= SAME and len(set(seen[-SAME:])) == 1:
            return {"status": "stopped", "stop_reason": f"the same outcome {SAME} times"}
        return {}

    return splice(build_graph(services), "repeats", repeats, after="metacognition", before="select")


async def live(
    world: World, home: Path, *, mood: dict[str, Any], tabu: float, embedder: Embedder, library: Library,
    number: int, build: Callable[[LocalServices], Builder] | None = None,
) -> Tried:  # fmt: skip
    """Run the real graph in a world."""
    from ddax import Context, build_graph, open_agent
    from ddax.graph.services import Parts

    context = Context.model_validate({
        "namespace": f"door-{number}",
        "seed": number,
        "mood": {"engine": "numpy", **mood},
        "budget": {"max_steps": STEPS, "max_depth": 40},
        "debate": {"ask": "always"},  # its reasoner learns from the judging whether the door is open
        "evolution": {"history_penalty_multiplier": tabu},
    })  # fmt: skip
    parts = Parts(
        reasoner=_reasoner(world, number), actions=_actions(world), embedder=embedder, library=library
    )
    async with open_agent(context, home=home, parts=parts, build=build or build_graph) as agent:
        result = await agent.run("Get through the door.", thread=f"door-{number}")
        state = await agent.state(f"door-{number}")
        memory = (await agent.services.session(context)).memory
        rows = await memory.rows("moods", limit=10_000)
    pushes = [i for i in state["ideas"].values() if i["kind"] == "leaf" and i["action"]["name"] == "push"]
    stagnant = any(row["belief"][3] == max(row["belief"]) for row in rows)
    return Tried(
        result["status"] == "done",
        len(pushes),
        result["steps"],
        result["status"],
        result["stop_reason"],
        stagnant,
    )
