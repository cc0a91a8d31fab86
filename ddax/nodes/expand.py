"""The node `expand`: one reasoner call turns an open idea into a small sub-DAG with its merge.

Where a rule that worked before fits the task, its plan is taken and no reasoner is asked; nor is a model
before the documents were searched, or the world looked at (`ddax.steps.expand.first_step`).

Modes, chosen by `select`: `verify` (forced by the mood) adds one leaf that checks the least supported
claim, without a reasoner call; `wider` proposes more children under a waiting idea; `replan` plans
anew what rests on a surprising idea (`ddax.steps.choices.replan`). Expand only expands: it executes nothing
and draws no conclusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ddax.actions.described import tools_of
from ddax.actions.protocol import of_descriptions
from ddax.errors import ReasonerError, Unavailable
from ddax.graph.ports import Acts, Asks
from ddax.graph.services import Session
from ddax.graph.state import State, Update
from ddax.ideas import dag, grow
from ddax.ideas.idea import REASON_BYTES, TITLE_BYTES, Patch, apply_patches, clip
from ddax.ideas.origins import Origins, join, read
from ddax.ideas.requirements import demanded_visits, forbids, merged, parse, same_place, told_by
from ddax.metacognition.effects import effects_of
from ddax.reasoning.budget import FREE, usage_of
from ddax.reasoning.protocol import ExpandRequest, Expansion
from ddax.reasoning.sourced import FIXED, TOLD, of_passages, of_request, sourced
from ddax.steps.accounts.ceremonies import Chance, holds
from ddax.steps.accounts.long_arguments import stowed_all
from ddax.steps.choices.learned_rules import by_rule, of_rules
from ddax.steps.choices.replan import parent_of, without_old_plan
from ddax.steps.choices.stuck_code import TEST
from ddax.steps.choices.weak_branches import log_cuts
from ddax.steps.choices.wider_or_deeper import NO_MORE
from ddax.steps.expand.curiosity import with_curiosity
from ddax.steps.expand.first_step import first_step
from ddax.steps.expand.joining import Joined, join_twins, renumbered
from ddax.steps.expand.unread_hits import idle, unread
from ddax.steps.findings.claims import verify_leaf
from ddax.steps.findings.earlier_turns import earlier, of_turns
from ddax.steps.findings.from_knowledge import at_once
from ddax.steps.findings.gather import (
    brief_of,
    evidence,
    findings,
    found,
    lessons,
    of_chain,
    of_ideas,
    of_lessons,
    read_by,
    told_text,
    usage_row,
    visited,
)
from ddax.steps.findings.own_tools import use_tools
from ddax.steps.findings.quick_road import PLANNED, is_quick, plain
from ddax.steps.findings.unmerged import EMPTY
from ddax.steps.leaves.world_seen import same_view, seen_last, viewed
from ddax.types import NO_PARENT, ActionCall, Idea, Proposal, Usage

READING = frozenset({"search", "visit"})
"""Actions that no plan needs where there is nothing to search and to read."""


async def expand(state: State, *, session: Session) -> Update:
    """Turn the idea in focus into children and a merge."""
    if len(state["focus"]) > 1:
        return await _together(state, session, [state["ideas"][idea_id] for idea_id in state["focus"]])
    mode, focus = state["decision"].get("mode", ""), state["ideas"][state["focus"][0]]
    if mode == "verify":
        return {"ideas": _verify(state, focus)}
    parent = parent_of(state["ideas"], focus) if mode == "replan" else focus
    if (known := at_once(state, session, parent, mode)) is not None:
        return {"ideas": known}
    reply = await by_rule(state, session, parent, mode) or await use_tools(state, session, parent, mode)
    reply = reply or await first_step(state, session, parent, mode)
    origins = await _known(state, session, parent)
    if reply is None:
        request = await _request(state, session, parent)
        origins = join(origins, of_request(request))
        if not _is_worth(state, session, focus, mode, request):
            return {"ideas": {parent["id"]: Idea(reason=NO_MORE)}} if mode == "wider" else {}
        try:
            reply = await _plan(state, request, session)
        except Unavailable:
            raise  # all that is left would fail alike: the run breaks off, to be resumed
        except ReasonerError as error:
            return _failed(state, parent, error) if parent["status"] == "open" else _kept(parent, error)
        if not is_quick(state["work"]):
            reply, asked = await with_curiosity(state, session, reply)
            origins = join(origins, asked)
    planned = await _usable(state, session, parent, reply)
    grown = _planned(state, parent, focus, planned, mode, read(origins))
    update: Update = {"usage": usage_row(reply.usage), "ideas": grown}
    if reply.requirements and (demands := _from_model(state, reply, await told_text(state, session))):
        update["work"] = demands
    return update


async def _together(state: State, session: Session, parents: Sequence[Idea]) -> Update:
    """Plan several ideas by one call; where its reply is of no use, the first of them by itself."""
    request = await _request(state, session, parents[0], parents[1:])
    _is_worth(state, session, parents[0], "", request)
    try:
        reply = await _plan(state, request, session)
    except Unavailable:
        raise
    except ReasonerError as error:
        alone = await expand(State(**{**state, "focus": [parents[0]["id"]]}), session=session)
        paid = Usage.of_row(alone.get("usage", {})) + usage_of(error)
        return {**alone, "usage": usage_row(paid)}
    came, patch = of_request(request), Patch()
    for parent, children in zip(parents, (reply.children, *reply.others), strict=True):
        now = State(**{**state, "ideas": apply_patches(state["ideas"], [patch])})
        origins = join(await _known(now, session, parent), came)
        planned = await _usable(now, session, parent, Expansion(children))
        patch = apply_patches(patch, [_planned(now, parent, parent, planned, "", read(origins))])
    return {"usage": usage_row(reply.usage), "ideas": patch}


async def _usable(state: State, session: Session, parent: Idea, reply: Expansion) -> Joined:
    """Return what may grow of a plan; where it would do nothing, with what was found and not read."""
    reply = _without_repeats(state, parent, reply)
    planned = await _kept_of(state, session, parent, reply)
    if idle(planned.proposals) and (first := await unread(state, session, parent)):
        planned = await _kept_of(state, session, parent, replace(reply, children=(*reply.children, *first)))
    return planned


async def _known(state: State, session: Session, parent: Idea) -> Origins:
    """Return where everything comes from that a plan under an idea may hold, whoever makes it."""
    ideas = state["ideas"]
    return join(
        read_by(ideas, state["work"]["root"]), of_chain(ideas, parent), await of_rules(state, session)
    )


def _is_worth(state: State, session: Session, focus: Idea, mode: str, request: ExpandRequest) -> bool:
    """Tell whether a plan is worth its price: a first one always, since nothing is done without it."""
    if is_quick(state["work"]):
        return True
    if mode == "replan":
        # A run that was left off before decisions told it goes on as it did then: any is enough.
        change, why = state["decision"].get("surprise", 1.0), "a surprise"
    elif mode == "wider":
        change, why = 1 - focus["Q"], "how far what is planned falls short of a full value"
    else:
        change, why = 1.0, "nothing is planned here yet"
    told = sum(len(passage.text) for passage in request.evidence) + len(request.task)
    return holds(
        state, session, Chance("plan", focus["id"], change=change, characters=told, needed=not mode, why=why)
    )


async def _plan(state: State, request: ExpandRequest, session: Asks) -> Expansion:
    """Ask for a plan: on the quick road no model."""
    if is_quick(state["work"]):
        return await session.free.expand(plain(request))
    return await session.metered(state["work"]["id"], state.get("usage", {})).expand(request)


def _without_repeats(state: State, parent: Idea, reply: Expansion) -> Expansion:
    """Leave out of ideas without any action those that stand above: taken apart so, it has no end."""
    if any(p.action is not None for p in reply.children):
        return reply  # such an idea may go on from what the actions bring
    above = {i["title"].casefold() for i in (parent, *dag.ancestors(state["ideas"], parent["id"]))}
    titles = [clip(p.title, TITLE_BYTES).casefold() for p in reply.children]
    kept = [k for k, title in enumerate(titles) if title not in above]
    return replace(reply, children=tuple(renumbered(reply.children, kept)))


async def _kept_of(state: State, session: Session, parent: Idea, reply: Expansion) -> Joined:
    """Return what is left of a plan: without what is planned already, forbidden or beyond the caps."""
    children = (*reply.children, *_first_tests(state, parent), *_demanded(state, session, parent))
    children = await stowed_all(children, session)
    joined = await join_twins(state["ideas"], parent, children, session=session)
    await log_cuts(state, session, state["step"], joined.reasons, kind="joined")
    allowed = await _allowed(state, session, joined, parent)
    return _within_caps(state, session, allowed, parent, taken_apart=_taken_apart(reply))


def _planned(
    state: State, parent: Idea, focus: Idea, planned: Joined, mode: str, origins: list[str]
) -> Patch:
    """Return the patch that grows what was planned; where it is nothing, the idea ends or stays."""
    ideas = state["ideas"]
    if not planned.proposals:
        if parent["status"] == "open":
            return {parent["id"]: Idea(status="done", result=EMPTY)}
        return {parent["id"]: Idea(reason=NO_MORE)} if mode == "wider" else {}
    patch = planned.patch
    also = dict(planned.also_needs)
    if mode == "replan":
        patch = apply_patches(patch, [without_old_plan(ideas, focus["id"], planned.again)])
        if focus["status"] == "done":
            fresh = [k for k, p in enumerate(planned.proposals) if not p.needs]
            also |= {k: [*also.get(k, ()), focus["id"]] for k in fresh}
    grown = grow.expansion(
        ideas, parent, planned.proposals, step=state["step"], also_needs=also, origins=origins
    )
    return grow.give_up(ideas, state["work"]["root"], apply_patches(patch, [grown]))


def _demanded(state: State, session: Acts, parent: Idea) -> tuple[Proposal, ...]:
    """Return, at the root, a visit for each source the task demands and nobody has planned to read."""
    if parent["parent"] != NO_PARENT or "visit" not in session.actions:
        return ()
    planned = visited(state["ideas"], state["work"]["root"])
    wanted = [
        source
        for source in demanded_visits(state["work"].get("requirements", []))
        if not any(same_place(source, known) for known in planned)
    ]
    return tuple(
        Proposal(
            f"read: {source}",
            expected=f"What {source} says about: {state['work']['text'][:120]}",
            action=ActionCall(name="visit", args={"source": source}, intent=state["work"]["text"][:120]),
        )
        for source in wanted
    )


async def _allowed(state: State, session: Session, joined: Joined, parent: Idea) -> Joined:
    """Drop what a requirement forbids and what no idea can hold, and log it."""
    requirements = state["work"].get("requirements", [])
    refused: dict[str, str] = {}
    large: dict[str, str] = {}
    kept: list[int] = []
    for k, proposal in enumerate(joined.proposals):
        values = proposal.action["args"].values() if proposal.action is not None else ()
        words = forbids(requirements, [v for v in values if isinstance(v, str)])
        if words:
            refused[proposal.title] = f"the task says: {words}"
        elif not grow.has_room(parent, proposal, joined.also_needs.get(k, ())):
            large[proposal.title] = "its address or its arguments are too long for an idea"
        else:
            kept.append(k)
    await log_cuts(state, session, state["step"], refused, kind="forbidden")
    await log_cuts(state, session, state["step"], large, kind="large")
    return _subset(joined, kept) if refused or large else joined


def _subset(joined: Joined, kept: list[int]) -> Joined:
    also = {new: joined.also_needs[old] for new, old in enumerate(kept) if old in joined.also_needs}
    return replace(joined, proposals=renumbered(joined.proposals, kept), also_needs=also)


def _from_model(state: State, reply: Expansion, task: str) -> dict[str, object]:
    """Return the work with the requirements the reasoner read out of the task; empty without news."""
    known = state["work"].get("requirements", [])
    read = [r for words in reply.requirements for r in parse(words, origin="model")]
    told = [r for r in read if told_by(task, r)]
    together = merged(known, told)
    return {**state["work"], "requirements": together} if len(together) > len(known) else {}


def _first_tests(state: State, parent: Idea) -> tuple[Proposal, ...]:
    """Return the leaf that runs the tests, at the root of a task that has code; after what is planned."""
    root = state["work"].get("code", "")
    if not root or parent["parent"] != NO_PARENT:
        return ()
    call = ActionCall(name=TEST, args={"root": root}, intent="see which tests fail")
    return (Proposal("run the tests", expected="all tests pass", action=call),)


async def _request(
    state: State, session: Session, parent: Idea, others: Sequence[Idea] = ()
) -> ExpandRequest:
    settings, work = session.settings, state["work"]
    steer = effects_of(state.get("mood", {}), settings.mood, human=settings.human)
    read = visited(state["ideas"], work["root"])
    needs = [n for idea in [parent, *dag.ancestors(state["ideas"], parent["id"])] for n in idea["needs"]]
    view = await seen_last(state, session)
    known = await evidence(state, session, parent["title"])
    views = await viewed(state, session) if view is not None else ()
    request = ExpandRequest(
        task=await told_text(state, session),
        idea=parent["title"],
        depth=parent["depth"],
        evidence=known if view is None else tuple(p for p in known if not same_view(p, view)),
        hits=await found(state, session),
        read=tuple(dict.fromkeys((*read, *views))),
        actions=tuple(name for name in session.actions if session.reads or name not in READING),
        lessons=await lessons(state, session, parent["title"]),
        findings=await findings(state, session, needs),
        width=max(1, settings.selection.branching + steer.branching),
        reads_left=_reads_left(state, session),
        max_depth=settings.budget.max_depth,
        temperature=steer.temperature,
        seed=settings.seed,
        seen=view,
        brief=brief_of(state, session),
        earlier=earlier(state, session.redactor.text),
        tools=tools_of(session.actions.values()) if session.reasoner.name not in FREE else (),
        others=tuple(other["title"] for other in others),
    )
    before, every = read_by(state["ideas"], work["root"]), dag.subtree(state["ideas"], work["root"])
    return sourced(
        request,
        task=TOLD,
        brief=TOLD,
        idea=of_chain(state["ideas"], parent),
        others=join(*(of_chain(state["ideas"], other) for other in others)),
        evidence=of_passages(request.evidence),
        hits=of_passages(request.hits),
        read=join(before, of_ideas(state["ideas"], (i["id"] for i in every))),
        actions=of_descriptions(session.actions.values()),
        tools=of_descriptions(session.actions.values()),
        lessons=await of_lessons(state, session, request.lessons),
        findings=of_ideas(state["ideas"], needs),
        seen=before,
        earlier=of_turns(state) if request.earlier else FIXED,
    )


def _reads_left(state: State, session: Session) -> int:
    """Return how many documents may still be visited.

    What was read without a model on the quick road leaves as many again to the plan that goes on from it.
    """
    most = session.settings.budget.max_reads * (2 if state["work"].get("road") == PLANNED else 1)
    return max(0, most - len(visited(state["ideas"], state["work"]["root"])))


def _taken_apart(reply: Expansion) -> bool:
    """Tell whether a reply takes an idea apart into several others, with no action yet."""
    return len(reply.children) > 1 and all(p.action is None for p in reply.children)


def _within_caps(
    state: State, session: Session, joined: Joined, parent: Idea, *, taken_apart: bool
) -> Joined:
    """Cut what the caps on ideas, reads and depth do not allow.

    Inner ideas whose leaves are all gone are nothing new, unless the reply took the idea apart.
    """
    budget, work = session.settings.budget, state["work"]
    room = budget.max_ideas - len(dag.subtree(state["ideas"], work["root"])) - 1
    room = min(room, grow.room_for_children(state["ideas"], parent))
    reads = _reads_left(state, session)
    deep = parent["depth"] + 1 >= budget.max_depth
    kept: list[int] = []
    for index, proposal in enumerate(joined.proposals):
        visit = proposal.action is not None and proposal.action["name"] == "visit"
        if len(kept) >= room or (visit and reads <= 0) or (deep and proposal.action is None):
            continue
        reads -= visit
        kept.append(index)
    some = taken_apart or any(joined.proposals[k].action is not None for k in kept)
    return _subset(joined, kept if some else [])


def _verify(state: State, claim: Idea) -> dict[str, Idea]:
    """Return the patch that adds a leaf which looks for independent support of a claim."""
    ideas = state["ideas"]
    home = next(i for i in dag.ancestors(ideas, claim["id"]) if i["status"] == "waiting")
    return grow.expansion(
        ideas, home, [verify_leaf(claim)], step=state["step"], origins=claim.get("origins", ())
    )


def _kept(parent: Idea, error: ReasonerError) -> Update:
    """Leave a waiting idea with the plan it has, where a better one could not be had."""
    cause = clip(str(error), REASON_BYTES)
    return {
        "ideas": {parent["id"]: Idea(reason=NO_MORE)},
        "failures": {
            f"{parent['id']}:plan": {"idea": parent["id"], "title": parent["title"], "cause": cause}
        },
        "usage": usage_row(usage_of(error)),
    }


def _failed(state: State, parent: Idea, error: ReasonerError) -> Update:
    cause = clip(str(error), REASON_BYTES)
    lost = Idea(status="failed", reason=cause, error={"kind": type(error).__name__})
    return {
        "ideas": grow.give_up(state["ideas"], state["work"]["root"], {parent["id"]: lost}),
        "failures": {parent["id"]: {"idea": parent["id"], "title": parent["title"], "cause": cause}},
        "usage": usage_row(usage_of(error)),
    }
