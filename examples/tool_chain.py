"""Several calls of a tool in one leaf: each is chosen by what the one before brought.

The model is a script here, so that it runs without a key; in its place `Context(model="openai:...")` names a
real one.
"""

from __future__ import annotations

import asyncio

from ddax import Context, open_agent
from ddax.actions.registry import action
from ddax.graph.services import Parts
from ddax.reasoning import protocol as p
from ddax.reasoning.acting import Acted, Call
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.types import ActionCall, Proposal

STREET = {7: "Ask at number 3.", 3: "Ask at number 12.", 12: "Ada lives here."}


@action(effect="none")
def knock(number: int) -> str:
    """Knock at the door with a number, and hear what is said."""
    return STREET[number]


def plan(request: p.ExpandRequest) -> p.Expansion:
    """Plan one leaf for all of it, however many calls it takes."""
    aim = ActionCall(name="work", args={"aim": "find Ada's house, first ask at number 7"}, intent="her house")
    return p.Expansion((Proposal("ask from door to door", "the number of her house", action=aim),))


def next_call(request: p.ActRequest) -> Acted:
    """Knock where the last answer says; tell the number where she lives."""
    if not request.done:
        return Acted((Call("knock", {"number": 7}),))
    last = request.done[-1]
    if "Ada lives here" in last.text:
        return Acted(text=f"Ada lives at number {last.call.args['number']}.")
    return Acted((Call("knock", {"number": int(last.text.rstrip(".").split()[-1])}),))


def answer(request: p.MergeRequest) -> p.Synthesis:
    """Say what was found."""
    return p.Synthesis(request.findings[0].result, (), True, 1.0)


async def main() -> None:
    """Ask for a house that only one neighbour after the other leads to."""
    judged = p.Judgment(0.9, 0.9, (("coverage", 0.9, "it says where"),))
    script = {"expand": [plan], "act": [next_call], "judge": [judged], "merge": [answer]}
    parts = Parts(actions=(knock,), reasoner=ScriptedReasoner(script, repeat=True))
    async with open_agent(Context(), parts=parts) as agent:
        result = await agent.run("Where does Ada live?", thread="street")
        print(result["status"], result["answer"])


if __name__ == "__main__":
    asyncio.run(main())
