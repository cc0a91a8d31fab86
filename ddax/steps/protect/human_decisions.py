"""Keep account of what humans decided at `protect`: approvals, overrides, proposals.

A veto or changed arguments override the reasoner that proposed the action; letting it pass is an
approval, and undoes an earlier override of the same action at once.
"""

from __future__ import annotations

import asyncio
import json
from typing import NamedTuple

from ddax.debate.living import change_of, telling_words
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.memory.agents.overrides import Overrides, human_name
from ddax.memory.agents.trust import INITIAL_TRUST
from ddax.memory.records import digest
from ddax.steps.accounts.participants import ANSWERED, TEXT, round_id, standing_of
from ddax.types import ActionCall, JsonDict

GO_ON, VETO = "go on", "veto"


class Choice(NamedTuple):
    """What was decided on: `artifact` names it across runs, `own` is what the agent had chosen."""

    artifact: str
    kind: str
    idea: str
    own: str
    human: str


def choice_on(action: ActionCall, idea: str, *, choice: str, arguments: JsonDict | None) -> Choice:
    """Return what a human decided on an action; one whose arguments did not change is let pass."""
    own = call_text(action["name"], action["args"])
    human = choice if choice != GO_ON else call_text(action["name"], arguments or action["args"])
    return Choice(f"{action['name']}#{digest(own)[:12]}", "action", idea, own, human)


def choice_of_run(state: State, choice: str) -> Choice:
    """Return what a human decided on the run as a whole."""
    root = state["work"]["root"]
    return Choice(f"run:{state['work']['thread']}/{root}/{state['step']}", "run", root, GO_ON, choice)


def call_text(name: str, args: JsonDict) -> str:
    """Write an action call as one line of JSON to be read, the same for equal calls alone.

    Unlike `ddax.ideas.calls.action_key` it says what is what, and is cut to a length: a cut one has its hash.
    """
    text = json.dumps({"action": name, "args": args}, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= TEXT else f"{text[: TEXT - 13]}…{digest(text)[:12]}"


async def note_answer(state: State, session: Session, made: Choice, *, by: str, lesson: str) -> None:
    """Keep one answer of a human: in the task's log, and in the files of the agent and the human."""
    work, agents = state["work"], session.agents
    made, lesson = session.redactor.value(made), session.redactor.text(lesson)
    place = f"{round_id(state, state['step'])}/{made.idea}"
    override = ""
    if agents is not None:
        overrides, name = Overrides(agents), session.reasoner.name
        await asyncio.to_thread(overrides.decide, made.artifact, made.human, by=human_name(by))
        if made.human == made.own:
            await asyncio.to_thread(agents.log_agreement, name, round_id=place, kind="approval")
        else:
            context = {
                "task": work["text"][:200], "artifact_type": made.kind, "thread": work["thread"],
                "work": work["id"], "step": state["step"], "idea": made.idea,
            }  # fmt: skip
            entry = await asyncio.to_thread(
                lambda: overrides.log(
                    name,
                    round_id=place,
                    context=context,
                    agent_output=made.own,
                    human_decision=made.human,
                    by=by,
                    artifact=made.artifact,
                )
            )
            override = str(entry["id"])
    row = {
        "task": work["id"], "idea": made.idea, "step": state["step"], "override": override, "by": by,
        "own": made.own, "human": made.human,
    }  # fmt: skip
    await session.memory.log(ANSWERED, row, key=f"{work['id']}:{made.idea}:{state['step']}")
    if override and telling_words(lesson):
        await _propose(state, session, lesson, override=override, by=human_name(by))


async def _propose(state: State, session: Session, lesson: str, *, override: str, by: str) -> None:
    """Propose to the living rubric what the human taught with an override, where its standing carries it."""
    if session.rubrics is None:
        return
    bounds, known = session.settings.trust, await standing_of(state, session)
    standing = known[by]["trust"] if by in known else INITIAL_TRUST
    rubrics = session.rubrics
    await asyncio.to_thread(
        lambda: rubrics.propose(
            bounds.rubric,
            change_of(lesson),
            by=by,
            standing=standing,
            why=f"override {override}",
            propose_from=bounds.propose_from,
            apply_above=bounds.apply_above,
        )
    )
