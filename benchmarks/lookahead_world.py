"""A world in which some writes do harm: one bill, five accounts it might be paid into, nothing taken back.

One account is the right one, the others only send the money back or lose it for good. The plan names all
five and prefers none. The forecaster knows the world as well as it is told to: with the given quality it
says what a payment would bring, otherwise what the other outcomes would be. Leaves out what is measured
of it (`search24_ablation`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ddax.actions.protocol import Action, Library
    from ddax.memory.protocol import Embedder
    from ddax.reasoning.protocol import Reasoner

ACCOUNTS = ("Ash", "Birch", "Cedar", "Elm", "Fir")
PAID, BACK, GONE = "The bill is paid.", "The money came back.", "The money is lost for good."
WORTH = {PAID: 1.0, BACK: 0.4, GONE: 0.0}
"""What the reasoner thinks of each outcome, seen or imagined."""
HARMFUL = 0.5
"""The chance that a wrong account loses the money."""
ROLLOUTS = 12
"""The default of `selection.lookahead`."""


@dataclass
class World:
    """What each account would do, what the forecaster says it would do, and what was paid so far."""

    brings: dict[str, str]
    foreseen: dict[str, str]
    paid: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Lived:
    """How a run went: payments that lost the money, all payments, whether the bill is paid, model calls."""

    harm: int
    payments: int
    solved: bool
    calls: int


def world(seed: int, quality: float) -> World:
    """Return a world; the same seed gives the same accounts whatever the forecaster's quality."""
    rng = np.random.default_rng(seed)
    right = int(rng.integers(len(ACCOUNTS)))
    lost, luck = rng.random(len(ACCOUNTS)) < HARMFUL, rng.random(len(ACCOUNTS))
    other = rng.integers(1, len(WORTH), len(ACCOUNTS))
    brings, foreseen, outcomes = {}, {}, list(WORTH)
    for k, name in enumerate(ACCOUNTS):
        brings[name] = PAID if k == right else GONE if lost[k] else BACK
        wrong = outcomes[(outcomes.index(brings[name]) + int(other[k])) % len(outcomes)]
        foreseen[name] = brings[name] if luck[k] < quality else wrong
    return World(brings, foreseen)


def _reasoner(here: World) -> Reasoner:
    from ddax.reasoning import protocol as p
    from ddax.types import ActionCall, Proposal, Usage

    class Payer:
        """Propose every account alike; value an outcome by its words."""

        name = "payer"

        async def expand(self, request: p.ExpandRequest) -> p.Expansion:
            calls = [ActionCall(name="pay", args={"account": a}, intent="pay the bill") for a in ACCOUNTS]
            return p.Expansion(
                tuple(
                    Proposal(f"pay into {call['args']['account']}", expected=PAID, action=call)
                    for call in calls
                )
            )

        async def judge(self, request: p.JudgeRequest) -> p.Judgment:
            value = next((worth for text, worth in WORTH.items() if text in request.result), 0.5)
            return p.Judgment(value, 0.9, (("coverage", value, "so it is"),), Usage(1, 10))

        async def predict(self, request: p.PredictRequest) -> p.Prediction:
            return p.Prediction(here.foreseen[request.action["args"]["account"]], 1.0, Usage(1, 10))

        async def merge(self, request: p.MergeRequest) -> p.Synthesis:
            done = PAID in [here.brings[name] for name in here.paid]
            return p.Synthesis(PAID if done else "It is not paid.", (), done, float(done), usage=Usage(1, 10))

        async def argue(self, request: p.ArgueRequest) -> p.Argument:
            return p.Argument("It speaks for itself.", (), 0.5)

        async def extract(self, request: p.ExtractRequest) -> p.Extraction:
            return p.Extraction((), "")

        async def reflect(self, request: p.ReflectRequest) -> p.Lesson:
            return p.Lesson("Some accounts are not what they seem.")

        async def ask(self, request: p.AskRequest) -> p.Question:
            return p.Question("Which account is the right one?")

        async def propose_patches(self, request: p.PatchRequest) -> p.Patches:
            return p.Patches(())

        async def mutate_patch(self, request: p.MutateRequest) -> p.Patches:
            return p.Patches(())

    return Payer()


def _action(here: World) -> Action:
    from pydantic import BaseModel

    from ddax.actions.protocol import Action, ActionContext, ActionResult

    class Pay(BaseModel):
        """Where the money goes."""

        account: str

    async def pay(context: ActionContext, arguments: Pay) -> ActionResult:
        here.paid.append(arguments.account)
        return ActionResult(here.brings[arguments.account])

    return Action("pay", pay, Pay, "writes", "Pay the bill into an account.")


async def live(
    here: World, home: Path, *, rollouts: int, embedder: Embedder, library: Library, number: int
) -> Lived:
    """Run the real graph in a world, one action at a time, with so many imagined rollouts before a write."""
    from ddax import Context, build_graph, open_agent
    from ddax.graph.services import Parts

    context = Context.model_validate({
        "namespace": f"bill-{number}",
        "seed": number,
        "selection": {"lookahead": rollouts},
        "actions": {"allow": ["pay"]},
        "mood": {"enabled": False},
        "budget": {"max_parallel": 1, "max_steps": 40},
        "debate": {"ask": "always"},  # what an outcome is worth is what its reasoner says of it
    })  # fmt: skip
    parts = Parts(reasoner=_reasoner(here), actions=(_action(here),), embedder=embedder, library=library)
    async with open_agent(context, home=home, parts=parts, build=build_graph) as agent:
        thread = f"bill-{number}"
        await agent.run(f"Pay the bill. The accounts are {', '.join(ACCOUNTS)}.", thread=thread)
        state = await agent.state(thread)
    brought = [here.brings[name] for name in here.paid]
    return Lived(brought.count(GONE), len(brought), PAID in brought, int(state["usage"]["model_calls"]))
