"""The node `merge`: synthesise the finished children of an expansion into their parent.

Merge only merges. A failed branch is a finding like any other ("this failed, because"); at the root
the synthesis is the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from ddax.errors import ReasonerError, Unavailable
from ddax.graph.services import Session
from ddax.graph.state import Answer, Outcome, State, Update, Work
from ddax.ideas import dag, grow
from ddax.ideas.idea import MAX_EVIDENCE, REASON_BYTES, RESULT_BYTES, Patch, apply_patches, clip
from ddax.ideas.origins import join, read
from ddax.reasoning.budget import usage_of
from ddax.reasoning.protocol import Finding, MergeRequest, Synthesis
from ddax.reasoning.sourced import FIXED, TOLD, of_passages, of_request, sourced
from ddax.steps.choices.learned_rules import carried, followed, of_rules
from ddax.steps.findings import quick_road as road
from ddax.steps.findings.earlier_turns import earlier, of_turns
from ddax.steps.findings.final_answer import answer_of, form_of, supported
from ddax.steps.findings.from_knowledge import all_own
from ddax.steps.findings.gather import (
    CLAIMS,
    asked,
    brief_of,
    citation_row,
    evidence,
    findings,
    of_chain,
    of_ideas,
    read_pages,
    recall,
    thought_origins,
    thoughts,
    told_text,
    usage_row,
)
from ddax.steps.findings.long_reading import fitted
from ddax.steps.findings.own_tools import as_said
from ddax.steps.findings.quote_check import synthesis
from ddax.steps.findings.report import report, wants_report
from ddax.steps.findings.solved import heard
from ddax.steps.findings.unmerged import PASSED_ON, of_nothing, passed_on, whole_needs
from ddax.steps.merge.carried_answer import settled
from ddax.types import NO_PARENT, Idea, Passage, Record

NOTHING = "nothing to merge"
"""The action of an outcome that no judge is asked about: nothing was found, and nothing put together."""


async def merge(state: State, *, session: Session) -> Update:
    """Synthesise what the merge in focus needs, and pass it to its parent."""
    begun = _begun(state)
    ideas = apply_patches(state["ideas"], [begun])
    me = ideas[max(begun, key=dag.sort_key)] if begun else ideas[state["focus"][0]]
    parent = ideas[me["parent"]]
    live = dag.current_merge(ideas, parent["id"])
    closing = live is not None and live["id"] == me["id"]
    final = closing and parent["parent"] == NO_PARENT
    needs = heard(ideas, whole_needs(ideas, me["needs"]))
    said = await findings(state, session, needs)
    origins = join(of_ideas(ideas, needs), await of_rules(state, session))
    between = closing and not begun and not final
    passed = passed_on(state, session, said) if between else None
    nothing = of_nothing(session, parent, said) if between else None
    try:
        reply = await carried(state, session, parent, said) or passed or nothing
        spoken = await as_said(state, session, said, needs) if final and reply is None else None
        reply = spoken[0] if spoken else reply
        if reply is None:
            request = await _request({**state, "ideas": ideas}, session, me, said, needs, final=final)
            origins = join(origins, of_request(request))
            reply = await _synthesis(state, request, session)
    except Unavailable:
        raise  # as in `expand`
    except ReasonerError as error:
        return _failed(me, parent, error, closing=closing, begun=begun)
    known = read(origins)
    update: Update = {}
    remembering = _remember(state, session, me, reply, known, thought=reply is not passed)
    if final:  # both wait for the encoder, and neither for the other
        marking = _marked(state, session, reply, spoken[1] if spoken else None)
        memory_ids, update["answer"] = await asyncio.gather(remembering, marking)
    else:
        memory_ids = await remembering
    goes_on = final and road.has_room(ideas, state["work"], session) and road.goes_on(state, reply, session)
    text = clip(reply.text, RESULT_BYTES)
    done = Idea(status="done", result=text, evidence=memory_ids)
    if known:
        done["origins"] = known
    expected = parent.get("expected", "") or parent["title"]
    action = NOTHING if reply is nothing else "merge"
    outcome = Outcome(idea=me["id"], ok=reply.found, text=text, expected=expected, action=action)
    ended = _ended(me, parent, done, closing=closing and not goes_on, passed=reply is passed)
    if goes_on:
        ended = apply_patches(
            ended, [road.planned_on(apply_patches(ideas, [ended]), parent, step=state["step"])]
        )
        update["work"] = Work(**{**state["work"], "road": road.PLANNED})
    return {
        **update,
        "ideas": apply_patches(begun, [ended]),
        "outcomes": {me["id"]: outcome},
        "usage": usage_row(reply.usage),
    }


async def _marked(state: State, session: Session, reply: Synthesis, known: Answer | None) -> Answer:
    """Return the answer of a run with what carries each of its statements."""
    return known or await supported(answer_of(reply), state, session, stated=reply.stated)


async def _synthesis(state: State, request: MergeRequest, session: Session) -> Synthesis:
    """Ask for a synthesis; on the quick road a model for the last one alone, with what matters for it."""
    if not road.is_quick(state["work"]):
        if request.final and wants_report(session):  # each section chooses from its own passages
            return await report(state, request, session)
        return await synthesis(state, await _fitting(state, request, session), session)
    if not request.final:
        return await session.free.merge(road.plain(request))
    one, read = await road.for_one_call(request, session)
    if request.final and wants_report(session):
        return await report(state, replace(one, settling=False), session)
    return await settled(await synthesis(state, one, session), read, one, road.plain(request), session)


async def _fitting(state: State, request: MergeRequest, session: Session) -> MergeRequest:
    """Return a request with what its findings quote, and of all else what bears most on the question."""
    cited = {citation.passage_id for finding in request.findings for citation in finding.citations}
    first = sorted(request.evidence, key=lambda passage: passage.id not in cited)
    question = f"{request.task[: road.ASKED]} {request.idea}"
    kept = await fitted(first, question, session, task=state["work"]["id"], what=f"merge of {request.idea}")
    ids = {passage.id for passage in kept}
    return replace(request, evidence=tuple(passage for passage in request.evidence if passage.id in ids))


def _ended(me: Idea, parent: Idea, done: Idea, *, closing: bool, passed: bool) -> Patch:
    """Return the patch in which the merge has ended, and with it its parent where it closes that."""
    mine = Idea(**{**done, "reason": PASSED_ON}) if passed else done
    patch: Patch = {me["id"]: dag.held(mine, dag.size_of(me))}
    if closing:
        patch[parent["id"]] = dag.held(done, dag.size_of(parent))
    return patch


def _begun(state: State) -> Patch:
    """Return the patch that begins an interim merge, where the mood asks for one; else empty."""
    if state["decision"].get("mode") != "interim":
        return {}
    return grow.interim_merge(state["ideas"], state["ideas"][state["focus"][0]], step=state["step"])


async def _request(
    state: State, session: Session, me: Idea, said: Sequence[Finding], needs: Sequence[str], *, final: bool
) -> MergeRequest:
    parent = state["ideas"][me["parent"]]
    title = parent["title"]
    recalled = await recall(state, session, title)
    request = MergeRequest(
        task=await told_text(state, session),
        idea=title,
        findings=tuple(said),
        evidence=await _rests_on(state, session, asked(state["work"]) if final else title),
        thoughts=thoughts(recalled),
        final=final,
        seed=session.settings.seed,
        brief=brief_of(state, session),
        own=await all_own(state, session),
        form=form_of(session) if final else None,
        earlier=earlier(state, session.redactor.text),
    )
    return sourced(
        request,
        task=TOLD,
        brief=TOLD,
        form=TOLD,
        fault=FIXED,
        kind=FIXED,
        idea=of_chain(state["ideas"], parent),
        findings=of_ideas(state["ideas"], needs),
        evidence=of_passages(request.evidence),
        thoughts=thought_origins(recalled),
        earlier=of_turns(state) if request.earlier else FIXED,
    )


async def _rests_on(state: State, session: Session, text: str) -> tuple[Passage, ...]:
    if await followed(state, session):
        return await read_pages(state, session)
    return await evidence(state, session, text)


async def _remember(
    state: State, session: Session, me: Idea, reply: Synthesis, origins: list[str], *, thought: bool
) -> list[str]:
    """Keep the citations, and the synthesis where it is a new thought; return what the idea links to."""
    work = state["work"]
    row = {
        "task": work["id"],
        "idea": me["id"],
        "step": state["step"],
        "citations": [citation_row(c) for c in reply.citations],
    }
    await session.memory.log(CLAIMS, row, key=f"{work['id']}:{me['id']}")
    if not (reply.found and reply.text.strip()):
        return []
    cited = list(dict.fromkeys(c.passage_id for c in reply.citations))
    if not thought:
        return cited[:MAX_EVIDENCE]
    record = Record(
        "internal_thought",
        reply.text,
        title=me["title"],
        task=work["id"],
        idea=me["id"],
        step=state["step"],
        writer=session.reasoner.name,
        created=work["opened"],
        meta={"kind": "merge", "support": reply.support, "cites": cited, "origins": origins},
    )
    stored = await session.memory.put([record])
    return [*stored, *cited][:MAX_EVIDENCE]


def _failed(me: Idea, parent: Idea, error: ReasonerError, *, closing: bool, begun: Patch) -> Update:
    cause = clip(str(error), REASON_BYTES)
    lost = Idea(status="failed", reason=cause, error={"kind": type(error).__name__})
    patch = apply_patches(begun, [{me["id"]: lost}])
    if closing:
        patch[parent["id"]] = lost
    return {
        "ideas": patch,
        "failures": {me["id"]: {"idea": me["id"], "title": me["title"], "cause": cause}},
        "usage": usage_row(usage_of(error)),
    }
