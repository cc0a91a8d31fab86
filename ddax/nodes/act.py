"""The node `act`: execute one leaf action once, with retries, a time-out and a typed failure.

A leaf of several turns is a chain of such calls (`steps.leaves.leaf_turns`), each of which is done by `once`.
The node runs once for each leaf `select` sent. It raises only where the run is to stop: its siblings are
cancelled then. What was begun and what came of it is in the ledger (`steps.accounts.leaf_ledger`), so that a
resumed run finds what was done.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from typing import Any, cast

from langgraph.runtime import Runtime
from numpy.random import Generator

from ddax.actions.protocol import ActionContext, ActionResult
from ddax.configs.settings import Context
from ddax.errors import ActionError, Blocked, DdaxError, StateError, Unavailable
from ddax.graph.ports import Acts, Remembers
from ddax.graph.services import Session
from ddax.graph.state import LeafPacket, Outcome, Update
from ddax.ideas.calls import content_of
from ddax.ideas.dag import held
from ddax.ideas.idea import REASON_BYTES, RESULT_BYTES, clip
from ddax.ideas.origins import TOOL, Origins, join, read
from ddax.memory.gate.instructions import without_orders
from ddax.memory.records import LARGE
from ddax.steps.accounts.leaf_ledger import Entry, intend, look_up, note_unknown, settle
from ddax.steps.accounts.long_arguments import stowed, whole
from ddax.steps.act.cooling_sources import cool, refuse_cooling
from ddax.steps.act.leaf_time import LeafTime
from ddax.steps.findings.claims import CONFLICT, Verification, claim_of, compare
from ddax.steps.findings.gather import CLAIMS, HITS, hit_row, whole_text
from ddax.steps.findings.leaf_reading import keep, place_of
from ddax.steps.leaves.failure_rows import failed, failure
from ddax.steps.leaves.leaf_turns import UNFINISHED, whole_told, work
from ddax.steps.leaves.permission import Asked, Held, approved, asked, brought
from ddax.steps.leaves.plain_questions import approval
from ddax.steps.leaves.world_seen import keep_picture
from ddax.types import MENTION, Effect, Hit, Idea, JsonDict, Record

SHOWN = "shown"
"""The log of what a dry run would have done."""
ATTEMPTS = 3
MAYBE_DONE = "unknown outcome, it may have been done"
"""How the failure of a write or a payment begins that nobody knows the outcome of."""
BACKOFF_SECONDS = 0.5
VERIFY_FROM = 0.55
"""Confidence from which on a contradiction is worth a verify idea."""


async def act(packet: LeafPacket, runtime: Runtime[Context], *, session: Session) -> Update:
    """Execute one leaf action, or the calls of one of several turns, and store what they brought."""
    action = session.actions.get(packet["action"]["name"])
    if action is not None and action.chain:
        try:
            packet = {**packet, "action": await whole(packet["action"], session)}
            found = await _begun(packet, session, _key(packet, runtime)) or await work(packet, session, once)
        except StateError as lost:
            found = failure("lost_argument", str(lost))
    else:
        found = await once(packet, session, _key(packet, runtime))
    return _wait(packet, found) if isinstance(found, Held) else _update(packet, found)


async def _begun(packet: LeafPacket, session: Session, key: str) -> JsonDict | Held | None:
    """Return the row or the question of a leaf of several turns that may not begin as it is."""
    leaf, call = packet["leaf"], packet["action"]
    entry = await look_up(
        session, "none", work=packet["work"], leaf=leaf, step=packet["step"], action=call, key=key
    )
    return await _stopped(packet, session, entry, "none")


async def once(packet: LeafPacket, session: Session, key: str) -> JsonDict | Held:
    """Execute one call under the guard and the ledger; return its row, or why it waits for a human.

    `key` is its place: of a call that was done there before, the row is given again.
    """
    async with session.admission:
        entry = await _admit(packet, session, key)
    if not isinstance(entry, Entry):
        return entry
    await intend(session, entry)
    row: JsonDict = session.redactor.value(
        await _perform({**packet, "action": entry.action}, session, entry.idem)
    )
    if row.get("unknown"):
        await note_unknown(session, entry, session.actions[entry.action["name"]].effect, "failed")
    await settle(session, entry, row)
    return row


async def _admit(packet: LeafPacket, session: Session, key: str) -> Entry | JsonDict | Held:
    """Return the entry of an action that may be done; of one that is not to be done now, its row."""
    try:
        packet = {**packet, "action": await whole(packet["action"], session)}
    except StateError as lost:
        return failure("lost_argument", str(lost))
    name = packet["action"]["name"]
    effect = session.actions[name].effect if name in session.actions else "none"
    entry = await look_up(
        session, effect, work=packet["work"], leaf=packet["leaf"], step=packet["step"],
        action=packet["action"], key=key, chained="turn" in packet,
    )  # fmt: skip
    if entry.done is not None:
        return entry.done
    stopped = await _stopped(packet, session, entry, effect) if name in session.actions else None
    return entry if stopped is None else stopped


async def _stopped(
    packet: LeafPacket, session: Session, entry: Entry, effect: Effect
) -> JsonDict | Held | None:
    """Return the row of an action that is shown or refused, or the question, instead of doing it."""
    call = packet["action"]
    seen = await asked(
        call, session, task=packet["work"]["id"], before=packet["origins"], protect=packet["protect"]
    )
    if session.settings.dry_run and seen.outward:
        return await _shown(packet, session, effect, seen)
    if seen.permission.ruling == "deny":
        return failure("not_allowed", f"{call['name']} is not allowed: {seen.permission.reason}")
    held = await _hold(packet, session, entry, effect, seen)
    if held:
        return Held(held, seen, call, await stowed(call, session))
    if session.hands_off and session.actions[call["name"]].lasting:
        return await _shown(packet, session, effect, seen)
    return None


def _key(packet: LeafPacket, runtime: Runtime[Context]) -> str:
    info = runtime.execution_info
    return (
        f"{info.task_id}" if info is not None else f"{packet['work']['id']}:{packet['leaf']}:{packet['step']}"
    )


async def _hold(packet: LeafPacket, session: Session, entry: Entry, effect: Effect, seen: Asked) -> str:
    """Return why the action must wait for a human; empty where it may run."""
    name, call = packet["action"]["name"], packet["action"]
    if seen.permission.ruling == "allow" and entry.begun is None:
        return ""
    passed = await approved(
        session, task=packet["work"]["id"], leaf=packet["leaf"], call=call, turn=packet.get("turn", "")
    )
    if entry.begun is not None:
        # An approval from before it was begun says nothing of doing it twice.
        meant = any(int(row.get("step", 0)) > entry.begun for row in passed)
        meant = meant or session.actions[name].repeatable
        await note_unknown(session, entry, effect, "done again" if meant else "asked")
        if not meant:
            return "unknown outcome: it was started before and its result is not known"
    if seen.permission.ruling == "allow" or passed:
        return ""
    return f"approval: {seen.permission.reason}"


async def _shown(packet: LeafPacket, session: Remembers, effect: Effect, seen: Asked) -> JsonDict:
    """Keep what would have been done, and let the run go on as if it had been."""
    call, task = packet["action"], packet["work"]["id"]
    row = {
        "task": task, "leaf": packet["leaf"], "step": packet["step"], "action": call["name"],
        "args": call["args"], "effect": effect, "ruling": seen.permission.ruling,
        "reason": seen.permission.reason, "origins": read(seen.arguments),
    }  # fmt: skip
    place = packet.get("turn", packet["step"])
    await session.memory.log(SHOWN, row, key=f"{task}:{packet['leaf']}:{place}")
    told = f"dry run: {call['name']} was not done"
    return {
        "ok": True, "text": told, "evidence": [], "usage": {}, "origins": packet["origins"], "shown": True,
    }  # fmt: skip


def _wait(packet: LeafPacket, held: Held) -> Update:
    leaf, (kind, _, cause) = packet["leaf"], held.reason.partition(": ")
    question = {
        "idea": leaf, "kind": kind, "text": approval(held.call, packet.get("title", ""), cause),
        "details": {"reason": cause}, "action": dict(held.stowed), "effect": held.seen.reach,
        "origins": read(held.seen.arguments), "bound": content_of(held.call)[:12], **held.more,
    }  # fmt: skip
    update: Update = {
        "ideas": {leaf: Idea(status="waiting", reason=clip(held.reason, REASON_BYTES))},
        "questions": {leaf: question},
    }
    return {**update, "usage": held.usage} if held.usage else update


async def _perform(packet: LeafPacket, session: Session, key: str) -> JsonDict:
    """Run the action and turn every way it can end into a row."""
    limit = _limit(packet, session)
    try:
        async with limit:
            result = await _with_retries(packet, session, key)
            stored = await _store(packet, session, result)
            return {**stored, "usage": session.paid}
    except BaseException as error:
        if _ends_the_run(error):
            raise
        late = limit.expired() and not isinstance(error, DdaxError)
        # A trace shows lines of source, which are read from the disk.
        row = (
            failure("timeout", limit.told, "")
            if late
            else await asyncio.to_thread(failed, error, session.redactor.text)
        )
        if _may_be_done(packet, session, error):
            row |= {"text": clip(f"{MAYBE_DONE}: {row['text']}", RESULT_BYTES), "unknown": True}
        if late:
            return {**row, "usage": session.paid}
    # What went wrong outside is told in the words of the other side.
    origins = read(_origins(packet, session, None))
    return {**row, "origins": origins, "usage": session.paid}


def _ends_the_run(error: BaseException) -> bool:
    """Tell whether the run is stopped from outside; what an action stops of its own is its failure.

    A model that is not to be asked for long stops it too: a resumed run does the leaf again.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt | GeneratorExit | Unavailable)


def _may_be_done(packet: LeafPacket, session: Acts, error: BaseException) -> bool:
    """Tell whether an action that failed may have changed something all the same.

    Only one that says of itself that the same call would fail again has surely done nothing.
    """
    action = session.actions.get(packet["action"]["name"])
    refused = isinstance(error, ActionError) and not error.retriable
    return action is not None and action.lasting and not refused


def _limit(packet: LeafPacket, session: Session) -> LeafTime:
    """Return how long a leaf may take."""
    own, budget = session.settings.budget.leaf_seconds, session.settings.budget.max_seconds
    return LeafTime(own, budget - session.seconds(packet["work"]["thread"], packet["usage"]), budget)


def _origins(packet: LeafPacket, session: Acts, result: ActionResult | None) -> Origins:
    """Return what the leaf rests on after its action: what its plan had read, and what it brought."""
    call = packet["action"]
    return join(packet["origins"], brought(session.actions.get(call["name"]), call, result))


async def _with_retries(packet: LeafPacket, session: Session, key: str) -> ActionResult:
    context = await _context(packet, session, key)
    rng: Generator | None = None
    action = session.actions.get(packet["action"]["name"])
    attempts = ATTEMPTS if action is None or action.repeatable else 1
    for attempt in range(attempts):
        await refuse_cooling(packet["action"], session)
        try:
            found = await session.actions.execute(packet["action"], context)
            return await _cleaned(found, session)
        except Blocked as error:
            await cool(packet["action"], session, error)
            raise
        except ActionError as error:
            if not error.retriable or attempt == attempts - 1:
                raise
            rng = rng or session.rng(packet["step"], packet["leaf"], "retry")
            await asyncio.sleep(BACKOFF_SECONDS * 2**attempt * (0.5 + rng.random()))
    raise ActionError("the action was not attempted.", kind="error")


async def _cleaned(found: ActionResult, session: Session) -> ActionResult:
    """Return a result without secrets; a large one does not hold up the leaves beside it."""
    large = sum(len(page.text) for page in found.pages) > LARGE
    clean = session.redactor.value
    return cast(ActionResult, await asyncio.to_thread(clean, found) if large else clean(found))


async def _context(packet: LeafPacket, session: Session, key: str) -> ActionContext:
    work = packet["work"]
    return ActionContext(
        library=session.library,
        memory=session.memory,
        task=work["id"],
        task_text=work.get("read_as") or await whole_text(session, work["id"]),
        idea=packet["leaf"],
        step=packet["step"],
        now=work["opened"],
        key=key,
        sees=session.sees,
        redactor=session.redactor,
    )


async def _store(packet: LeafPacket, session: Session, result: ActionResult) -> JsonDict:
    """Store rows, pages, hits and claims; return the result row."""
    for page in result.pages:
        await session.memory.put_page(page)
    if result.picture is not None:
        await keep_picture(packet["work"]["id"], packet["leaf"], packet["step"], result.picture, session)
    origins = read(_origins(packet, session, result))
    task, leaf, step = packet["work"]["id"], packet["leaf"], packet["step"]
    if result.hits:
        visit = packet["action"]["name"] == "visit"
        hits = [hit_row(hit, MENTION if visit else "") for hit in result.hits]
        await session.memory.log(
            HITS, {"task": task, "idea": leaf, "step": step, "hits": hits}, key=place_of(packet)
        )
    kept = await keep(packet, [_stamped(r, origins, packet, session) for r in result.records], session)
    origins = read(join(origins, kept.origins))
    row = {"ok": True, "evidence": kept.linked, "origins": origins, "settles": result.settles}
    row["contradicts"] = await _contradicts(session, kept.ids, task)
    told = kept.summary
    if claim_of(packet["action"]):
        verified = await _verified(packet, session, result.hits)
        told, row["verified"] = verified.outcome(), {**asdict(verified), "mark": verified.mark()}
    told = told or (without_orders(result.summary) if origins else result.summary)
    row |= {"unread": True} if kept.waits else {}
    if "turn" in packet:
        row["told"] = whole_told(result, session.redactor.cut, clean=bool(origins))
    return {**row, "text": clip(told, RESULT_BYTES)}


def _stamped(record: Record, origins: list[str], packet: LeafPacket, session: Acts) -> Record:
    """Return a row that says where it comes from, where its own source does not."""
    action = session.actions.get(packet["action"]["name"])
    if action is not None and action.brings and record.source == TOOL + action.name:
        origins = read(action.brings)  # the author says more than the name of the tool does
    elif record.source:
        return record
    if "origins" in record.meta or not origins:
        return record
    return replace(record, meta={**record.meta, "origins": origins})


async def _verified(packet: LeafPacket, session: Session, hits: tuple[Hit, ...]) -> Verification:
    """Compare the claim a leaf verifies with what documents other than its own say."""
    claim = claim_of(packet["action"])
    rows = await session.memory.rows(CLAIMS, task=packet["work"]["id"], idea=claim)
    own = [str(c[key]) for row in rows for c in row["citations"] for key in ("source", "passage_id")]
    query = str(packet["action"]["args"].get("query", ""))
    return await asyncio.to_thread(compare, claim, query, hits, own, session.check)


async def _contradicts(session: Remembers, ids: list[str], task: str) -> bool:
    """Tell whether what was just stored speaks surely enough against what was there."""
    met = await session.memory.upkeep.relations(ids) if ids else []
    return any(
        r.kind == "contradicts" and r.task == task and r.newer in ids and r.confidence >= VERIFY_FROM
        for r in met
    )


def _update(packet: LeafPacket, row: JsonDict) -> Update:
    """Turn a result row into field patches of the leaf and its outcome."""
    leaf = packet["leaf"]
    patch = Idea(status="done" if row["ok"] else "failed", result=row["text"], evidence=list(row["evidence"]))
    update: dict[str, Any] = {
        "ideas": {leaf: patch},
        "outcomes": {
            leaf: Outcome(
                idea=leaf,
                ok=row["ok"],
                text=row["text"],
                expected=packet["expected"],
                action=packet["action"]["name"],
            )
        },
    }
    if row.get("shown"):  # nobody forecast that nothing would happen: no surprise
        update["outcomes"][leaf]["expected"] = row["text"]
    update["outcomes"][leaf] |= {key: True for key in ("settles", "unread") if row.get(key)}
    if "verified" in row:
        seen = row["verified"]
        outcome = {**update["outcomes"][leaf], "relation": seen["relation"], "confidence": seen["confidence"]}
        if seen["relation"] == "neutral":  # nobody forecast whether it could be settled: no surprise
            outcome["expected"] = row["text"]
        else:
            update["ideas"][seen["claim"]] = Idea(reason=seen["mark"])
        update["outcomes"] = {leaf: outcome}
    if row.get("contradicts"):
        patch["reason"] = f"{CONFLICT} what is remembered"
    if why := row.get("unfinished"):
        patch["reason"], patch["error"] = clip(why, REASON_BYTES), {"kind": UNFINISHED}
        update["failures"] = {leaf: {"idea": leaf, "title": packet["action"]["name"], "cause": why}}
    elif lost := row.get("lost"):
        update["failures"] = {leaf: {"idea": leaf, "title": packet["action"]["name"], "cause": lost}}
    if not row["ok"]:
        error = {"kind": row["kind"], "trace": row["trace"]}
        cause = row.get("cause", row["text"])
        update["ideas"] = {leaf: Idea(status="failed", reason=clip(row["text"], REASON_BYTES), error=error)}
        update["failures"] = {leaf: {"idea": leaf, "title": packet["action"]["name"], "cause": cause}}
    if row.get("origins"):
        update["ideas"][leaf]["origins"] = row["origins"]
    update["ideas"][leaf] = held(update["ideas"][leaf], packet.get("size", 0))
    if row["usage"]:
        update["usage"] = row["usage"]
    return update
