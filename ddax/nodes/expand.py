"""The node `expand`: one reasoner call turns an open idea into a small sub-DAG with its merge.

In the mode `verify` (forced by the mood) it adds one leaf that checks the least supported claim,
without a reasoner call. Expand only expands: it executes nothing and draws no conclusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ddax.errors import ReasonerError
from ddax.graph.services import Session
from ddax.graph.state import State, Update
from ddax.ideas import dag, grow
from ddax.ideas.idea import REASON_BYTES, clip, fitted
from ddax.metacognition.effects import effects_of
from ddax.nodes.coding import TEST
from ddax.nodes.gather import evidence, findings, found, task_text, usage_row, visited
from ddax.reasoning.budget import usage_of
from ddax.reasoning.protocol import ExpandRequest, Expansion
from ddax.types import NO_PARENT, ActionCall, Idea, Proposal

EMPTY_RESULT = "nothing left to look into here"


async def expand(state: State, *, session: Session) -> Update:
    """Turn the idea in focus into children and a merge."""
    ideas, parent = state["ideas"], state["ideas"][state["focus"][0]]
    if state["decision"].get("mode") == "verify":
        return {"ideas": _verify(state, parent)}
    try:
        reply = await session.metered(state["work"]["id"], state.get("usage", {})).expand(
            await _request(state, session, parent)
        )
    except ReasonerError as error:
        return _failed(state, parent, error)
    children = (*reply.children, *_first_tests(state, parent))
    proposals = _within_caps(state, session, _unseen(state, children), taken_apart=_taken_apart(reply))
    update: Update = {"usage": usage_row(reply.usage)}
    if proposals:
        update["ideas"] = grow.expansion(ideas, parent, proposals, step=state["step"])
    else:
        update["ideas"] = {parent["id"]: Idea(status="done", result=EMPTY_RESULT)}
    return update


def _first_tests(state: State, parent: Idea) -> tuple[Proposal, ...]:
    """Return the leaf that runs the tests, at the root of a task that has code; after what is planned."""
    root = state["work"].get("code", "")
    if not root or parent["parent"] != NO_PARENT:
        return ()
    call = ActionCall(name=TEST, args={"root": root}, intent="see which tests fail")
    return (Proposal("run the tests", expected="all tests pass", action=call),)


async def _request(state: State, session: Session, parent: Idea) -> ExpandRequest:
    settings, work = session.settings, state["work"]
    steer = effects_of(state.get("mood", {}), settings.mood)
    read = visited(state["ideas"], work["root"])
    needs = [n for idea in [parent, *dag.ancestors(state["ideas"], parent["id"])] for n in idea["needs"]]
    return ExpandRequest(
        task=await task_text(state, session),
        idea=parent["title"],
        depth=parent["depth"],
        evidence=await evidence(state, session, parent["title"]),
        hits=await found(state, session),
        read=read,
        actions=tuple(session.actions),
        lessons=tuple(work.get("lessons", [])),
        findings=await findings(state, session, needs),
        width=max(1, settings.selection.branching + steer.branching),
        reads_left=max(0, settings.budget.max_reads - len(read)),
        max_depth=settings.budget.max_depth,
        temperature=steer.temperature,
        seed=settings.seed,
    )


def _unseen(state: State, proposals: tuple[Proposal, ...]) -> list[Proposal]:
    """Drop proposals whose action this task has already planned, and keep `needs` in step."""
    leaves = [i for i in dag.subtree(state["ideas"], state["work"]["root"]) if i["kind"] == "leaf"]
    seen = {_same(leaf["action"]) for leaf in leaves}
    kept: list[int] = []
    for index, proposal in enumerate(proposals):
        if proposal.action is not None:
            if _same(proposal.action) in seen:
                continue
            seen.add(_same(proposal.action))
        kept.append(index)
    return _renumbered(proposals, kept)


def _same(call: ActionCall) -> str:
    # As it will be stored: a long text is clipped there, and must still be known again.
    arguments = {k: v for k, v in fitted(call)["args"].items() if k != "intent"}
    return f"{call['name']} {sorted(arguments.items())!r}".casefold()


def _renumbered(proposals: Sequence[Proposal], kept: list[int]) -> list[Proposal]:
    """Return the proposals that are kept, their needs pointing at each other again."""
    place = {old: new for new, old in enumerate(kept)}
    return [
        replace(proposals[k], needs=tuple(place[n] for n in proposals[k].needs if n in place)) for k in kept
    ]


def _taken_apart(reply: Expansion) -> bool:
    """Tell whether a reply takes an idea apart into several others, with no action yet."""
    return len(reply.children) > 1 and all(p.action is None for p in reply.children)


def _within_caps(
    state: State, session: Session, proposals: list[Proposal], *, taken_apart: bool
) -> list[Proposal]:
    """Cut what the caps on ideas, reads and depth do not allow.

    Inner ideas whose leaves are all gone are nothing new, unless the reply took the idea apart.
    """
    budget, work = session.settings.budget, state["work"]
    room = budget.max_ideas - len(dag.subtree(state["ideas"], work["root"])) - 1
    reads = budget.max_reads - len(visited(state["ideas"], work["root"]))
    deep = state["ideas"][state["focus"][0]]["depth"] + 1 >= budget.max_depth
    kept: list[int] = []
    for index, proposal in enumerate(proposals):
        visit = proposal.action is not None and proposal.action["name"] == "visit"
        if len(kept) >= room or (visit and reads <= 0) or (deep and proposal.action is None):
            continue
        reads -= visit
        kept.append(index)
    some = taken_apart or any(proposals[k].action is not None for k in kept)
    return _renumbered(proposals, kept) if some else []


def _verify(state: State, claim: Idea) -> dict[str, Idea]:
    """Return the patch that adds a leaf which looks for independent support of a claim."""
    ideas = state["ideas"]
    home = next(i for i in dag.ancestors(ideas, claim["id"]) if i["status"] == "waiting")
    query = clip(claim.get("result", "") or claim["title"], 300)
    call = ActionCall(name="search", args={"query": query}, intent=f"verify: {clip(claim['title'], 80)}")
    proposal = Proposal(f"verify: {claim['title']}", expected=query, prior=1.0, action=call)
    return grow.expansion(ideas, home, [proposal], step=state["step"])


def _failed(state: State, parent: Idea, error: ReasonerError) -> Update:
    cause = clip(str(error), REASON_BYTES)
    lost = Idea(status="failed", reason=cause, error={"kind": type(error).__name__})
    return {
        "ideas": grow.give_up(state["ideas"], state["work"]["root"], {parent["id"]: lost}),
        "failures": {parent["id"]: {"idea": parent["id"], "title": parent["title"], "cause": cause}},
        "usage": usage_row(usage_of(error)),
    }
