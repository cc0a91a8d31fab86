"""The node `evolve`: repair the code of the task by a population search over patches.

The repair becomes a leaf of the root with its merge; nothing is written to the user's files. The
diff is the answer, kept whole in the memory. What the task said not to touch is no target: the program
runs with it, and no patch changes it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import PurePath

from ddax.errors import DdaxError, SandboxError, SourceError
from ddax.graph.ports import Remembers
from ddax.graph.repairs import Repaired, Repairs, needed
from ddax.graph.services import Session
from ddax.graph.state import Answer, Outcome, State, Update
from ddax.ideas import dag, grow
from ddax.ideas.idea import REASON_BYTES, RESULT_BYTES, Patch, apply_patches, clip
from ddax.ideas.requirements import Requirement, forbids
from ddax.memory.protocol import MANY
from ddax.reasoning.sourced import CODE_READ
from ddax.steps.choices.stuck_code import PROPOSED, REPAIR
from ddax.steps.findings.gather import task_text, usage_row
from ddax.types import ActionCall, Idea, JsonDict, Proposal, Record
from ddax.wording import amount

ANSWER_CHARS = 20_000


async def evolve(state: State, *, session: Session) -> Update:
    """Search for a patch that makes the failing tests pass, and end the task with it."""
    repairs = needed(session.repairs)
    grown = _leaf(state)
    leaf = next(i for i, fields in grown.items() if fields.get("kind") == "leaf")
    try:
        result = await _repair(state, session, repairs)
    except (SandboxError, SourceError) as error:
        return _failed(grown, leaf, error, session.paid)
    text = _summary(result)
    await _remember(state, session, leaf, result)
    await _learn(state, session, leaf, result, repairs)
    outcome = Outcome(
        idea=leaf,
        ok=result.solved,
        text=clip(text, RESULT_BYTES),
        expected="every test passes",
        action=REPAIR,
    )
    update: Update = {
        "ideas": _settled(
            state,
            grown,
            leaf,
            Idea(
                status="done" if result.solved else "failed",
                result=clip(text, RESULT_BYTES),
                origins=sorted(CODE_READ),
            ),
        ),
        "outcomes": {leaf: outcome},
        "usage": usage_row(result.usage),
    }
    if result.solved:
        update["answer"] = Answer(text=text[:ANSWER_CHARS], short="", found=True, support=1.0, citations=[])
    elif result.proposed:  # shown, and no answer: a person has to choose
        update["answer"] = Answer(text=text[:ANSWER_CHARS], short="", found=False, support=0.0, citations=[])
    if not result.solved:
        update["failures"] = {leaf: {"idea": leaf, "title": REPAIR, "cause": clip(text, REASON_BYTES)}}
    return update


async def _repair(state: State, session: Session, repairs: Repairs) -> Repaired:
    root = state["work"]["code"]
    if not await asyncio.to_thread(repairs.find, (root,)):
        raise SourceError(
            f"The code in {root!r} is gone.",
            why="It was there when the task was opened, and no code with tests is there now.",
            mend="Put the folder back and resume: ddax resume",
        )
    reasoner = (
        None
        if session.reasoner.name == "embedded"
        else session.metered(state["work"]["id"], state.get("usage", {}))
    )
    return await repairs.repair(
        root,
        goal=await task_text(state, session),
        may_change=partial(_free, root=root, requirements=state["work"].get("requirements", [])),
        learned=await session.memory.rows(repairs.log, limit=MANY, committed_before=state["work"]["opened"]),
        settings=session.settings.evolution,
        reasoner=reasoner,
        rng=session.rng(state["step"], "evolve"),
        clock=session.monotonic,
    )


def _free(files: Iterable[str], root: str, requirements: Sequence[Requirement]) -> tuple[str, ...]:
    """Return the files that may change: those which no requirement names, nor a folder they lie in.

    Raises SourceError where none is left.
    """
    words = {name: forbids(requirements, _addresses(PurePath(root), name)) for name in files}
    free = tuple(name for name, said in words.items() if not said)
    if not free:
        raise SourceError(
            f"every file of {root!r} is one not to touch.",
            why=f"The task says: {'; '.join(dict.fromkeys(words.values()))}.",
            mend="Allow a file to change.",
        )
    return free


def _addresses(root: PurePath, name: str) -> list[str]:
    """Return what a file may be called: by its path, and by the folders it lies in up to the root."""
    path = root / name
    return [p.as_posix() for p in (path, *path.parents) if p.is_relative_to(root)]


def _leaf(state: State) -> Patch:
    """Return the patch that adds the repair as a leaf of the root."""
    root = state["ideas"][state["work"]["root"]]
    call = ActionCall(name=REPAIR, args={"root": state["work"]["code"]}, intent="make the failing tests pass")
    proposal = Proposal("repair the code against its tests", expected="every test passes", action=call)
    return grow.expansion(state["ideas"], root, [proposal], step=state["step"])


def _settled(state: State, grown: Patch, leaf: str, ended: Idea) -> Patch:
    """Return the patch in which the leaf has ended; a repaired task is done, with all that was open."""
    patch = apply_patches(grown, [{leaf: ended}])
    if ended["status"] != "done":
        return patch
    root = state["work"]["root"]
    ideas = apply_patches(state["ideas"], [patch])
    merge = dag.current_merge(ideas, root)
    rest = grow.abandon(ideas, root, "the code is repaired")
    done = Idea(status="done", result=ended["result"], origins=ended["origins"])
    closed = {root: done} | ({merge["id"]: done} if merge is not None else {})
    return apply_patches(patch, [rest, closed])


def _failed(grown: Patch, leaf: str, cause: DdaxError, paid: JsonDict) -> Update:
    reason = clip(str(cause), REASON_BYTES)
    ended = Idea(
        status="failed", reason=reason, error={"kind": type(cause).__name__}, origins=sorted(CODE_READ)
    )  # fmt: skip
    outcome = Outcome(idea=leaf, ok=False, text=reason, expected="every test passes", action=REPAIR)
    return {
        "ideas": apply_patches(grown, [{leaf: ended}]),
        "outcomes": {leaf: outcome},
        "failures": {leaf: {"idea": leaf, "title": REPAIR, "cause": reason}},
        "usage": paid,
    }


def _summary(result: Repaired) -> str:
    before, after = result.tests_before, result.tests_after
    counts = f"{before[0]} of {before[1]} before, {after[0]} of {after[1]} after"
    head = f"{result.hypothesis} Tests passed: {counts}."
    tried = f"{amount(result.tried, 'candidate')} tried; the verdict is {result.trust}."
    if result.solved:
        return f"{head} {tried}\n\n{result.diff}"
    if result.proposed:
        return "\n\n".join([f"{PROPOSED}: {result.reasoning}. {tried}", *result.proposed])
    return f"No repair was found. {head} {tried}"


async def _remember(state: State, session: Remembers, leaf: str, result: Repaired) -> None:
    row = {
        "task": state["work"]["id"],
        "idea": leaf,
        "solved": result.solved,
        "diff": result.diff,
        "hypothesis": result.hypothesis,
        "tried": result.tried,
        "before": list(result.tests_before),
        "after": list(result.tests_after),
        "held_out": list(result.held_out),
        "failed": [clip(line, REASON_BYTES) for line in result.failures],
        "status": result.status,
        "trust": result.trust,
        "caveats": list(result.caveats),
    }
    await session.memory.log("repairs", row, key=f"{state['work']['id']}:{leaf}")
    if result.solved:
        thought = Record(
            "internal_thought",
            f"{result.hypothesis} {result.reasoning}",
            title="a repair that held",
            task=state["work"]["id"],
            idea=leaf,
            step=state["step"],
            created=state["work"]["opened"],
            meta={"kind": "repair", "origins": sorted(CODE_READ)},
        )
        await session.memory.put([thought])


async def _learn(state: State, session: Remembers, leaf: str, result: Repaired, repairs: Repairs) -> None:
    """Note which edits have held, for the repairs of later tasks."""
    task = state["work"]["id"]
    for operator in result.operators:
        rule = repairs.rule_row(operator, task)
        await session.memory.log(repairs.log, rule, key=f"{task}:{leaf}:{operator}")
