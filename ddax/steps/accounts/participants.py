"""Keep account of who took part: trust at the opening, dissents, silence, overrides.

Trust and rubric are read once, when a task opens, and kept in its log, so that a resumed run sees
what the undisturbed one saw. What a debate showed is kept in the task's log and goes to the agents'
files in `reflect`, when it is known how the task ended. Files take in an event once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from ddax.debate.records import Verdict
from ddax.debate.roles import Debater, seated
from ddax.debate.rubric import load_rubric
from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.graph.state import Outcome, State, Work
from ddax.memory.agents.agent_store import Agents, Standing
from ddax.memory.agents.dissents import LoggedDissent, cited_criteria, held_part
from ddax.memory.agents.influence import share
from ddax.memory.agents.overrides import Overrides
from ddax.memory.agents.trust import INITIAL_TRUST
from ddax.memory.protocol import MANY
from ddax.memory.records import clean
from ddax.types import JsonDict

STANDING = "standing"
HEARD = "dissents"
ANSWERED = "answered"
TEXT = 2000
CONCEDES = 0.2
"""An argument against, made with less strength than this, gives the result right."""
PASSES = 0.5
"""A judge who valued a result this high before the debate had nothing against it."""
MOVED = 0.01
WANTING = 0.5
"""A criterion scored below is found wanting."""


async def note_standing(work: Work, session: Session) -> None:
    """Settle the overrides whose time is up, and keep how everybody stands as the task opens."""
    agents, opened, row = session.agents, work["opened"], JsonDict()
    if agents is not None:

        def read(store: Agents = agents) -> dict[str, Standing]:
            Overrides(store).check_reverts(opened)
            return store.standing(opened)

        row["agents"] = await asyncio.to_thread(read)
    name = session.settings.trust.rubric
    if session.rubrics is not None:
        rubric, version = await asyncio.to_thread(session.rubrics.current, name)
    else:
        rubric, version = await asyncio.to_thread(load_rubric, name), 1
    row |= {"task": work["id"], "rubric": list(rubric.names), "rubric_version": version}
    await session.memory.log(STANDING, row, key=work["id"])


async def standing_of(state: State, session: Remembers) -> Mapping[str, Standing]:
    """Return how everybody stood when the task opened."""
    rows = await session.memory.rows(STANDING, task=state["work"]["id"])
    return rows[0].get("agents", {}) if rows else {}


async def rubric_of(state: State, session: Remembers) -> tuple[str, ...]:
    """Return the criteria that were in force when the task opened."""
    rows = await session.memory.rows(STANDING, task=state["work"]["id"])
    return tuple(rows[0]["rubric"] if rows else (await asyncio.to_thread(load_rubric)).names)


async def writers(state: State, session: Session) -> dict[str, float]:
    """Return the factor of each writer in recall: its trust over that of a newcomer, who counts 1."""
    known = await standing_of(state, session)
    return {name: round(it["trust"] / INITIAL_TRUST, 6) for name, it in known.items()}


async def panel(state: State, session: Session, *debaters: Debater) -> list[Debater]:
    """Return the participants of a debate, as they stood when the task opened."""
    return seated(debaters, await standing_of(state, session))


async def hear(state: State, session: Session, outcome: Outcome, verdict: Verdict) -> None:
    """Keep what a debate showed of those who took part, once."""
    if not verdict.debated:
        return
    work, idea = state["work"], state["ideas"][outcome["idea"]]
    about = f"{idea['title']} {outcome['expected']} {work['text'][:TEXT]}"
    criteria = [name for name, _, _ in verdict.reasons]
    wanting = {name for name, score, _ in verdict.reasons if score < WANTING}
    moved = {name: round(value - verdict.first.get(name, value), 4) for name, value in verdict.raw.items()}
    place = f"{work['id']}:{outcome['idea']}:{state['step']}"
    shared = {"task": work["id"], "idea": outcome["idea"], "step": state["step"]}
    for number, speech in enumerate(s for s in verdict.transcript if s.role == "opponent"):
        text = clean(speech.argument.text)[:TEXT]
        quotes = [c.quote for c in speech.kept.citations] if speech.kept is not None else []
        held = await asyncio.to_thread(
            held_part, text, quotes, result=outcome["text"], about=about, check=session.check
        )
        citations = cited_criteria(text, criteria)
        row = {
            **shared, "name": speech.speaker, "text": text, "held": held, "citations": citations,
            "upheld": [name for name in citations if name in wanting], "supported": bool(quotes),
            "impact": verdict.cheap - verdict.value > MOVED, "concedes": speech.argument.strength < CONCEDES,
            "moved": {name: delta for name, delta in moved.items() if name != speech.speaker},
        }  # fmt: skip
        await session.memory.log(HEARD, row, key=f"{place}:{number}")
    speakers = {speech.speaker for speech in verdict.transcript}
    for judge, value in verdict.first.items():
        if judge not in speakers and value >= PASSES:
            await session.memory.log(
                HEARD, {**shared, "name": judge, "concedes": True}, key=f"{place}:{judge}"
            )


async def settle(state: State, session: Session) -> JsonDict:
    """Write what this task showed into the agents' files, and return its measures for the report.

    A dissent was right where the answer was found without the result it disputed, wrong where the
    answer cites what that result rests on; where no answer was found nothing is known of it.
    """
    work = state["work"]["id"]
    heard = await session.memory.rows(HEARD, task=work, limit=MANY)
    answered = await session.memory.rows(ANSWERED, task=work, limit=MANY)
    rows = [(row, _right(state, str(row["idea"]))) for row in heard]
    if session.agents is not None:
        for row, right in rows:
            await asyncio.to_thread(_write, session.agents, state, row, right)
        names = sorted({name for row in await _debates(state, session) for name in _names(row)})
        for name in names:
            await asyncio.to_thread(session.agents.log_round, name, work)
    spoken = [(row, right) for row, right in rows if not row["concedes"]]
    changed = [row for row in answered if row["override"]]
    regretted = await asyncio.to_thread(_regretted, session.agents, [row["override"] for row in changed])
    return {
        "dissents": len(spoken),
        "dissent_impact": share(sum(bool(row["impact"]) for row, _ in spoken), len(spoken)),
        "dissents_verified": sum(right is True for _, right in spoken),
        "overrides": len(changed),
        "regret_rate": share(regretted, len(changed)),
        "escalations": len(answered),
        "escalation_usefulness": share(len(changed) - regretted, len(answered)),
    }


def _write(agents: Agents, state: State, row: JsonDict, right: bool | None) -> None:
    work = state["work"]
    place = round_id(state, int(row["step"]))
    if row["concedes"]:
        silent = None if right is None else not right
        agents.log_agreement(str(row["name"]), round_id=f"{place}/{row['idea']}", right=silent)
        return
    context = {
        "task": work["text"][:200], "artifact_type": "idea", "artifact": f"{work['id']}/{row['idea']}",
        "moved": row["moved"],
    }  # fmt: skip
    said = LoggedDissent(
        text=str(row["text"]), context=context, citations=row["citations"], upheld=row["upheld"],
        impact=bool(row["impact"]), supported=bool(row["supported"]), held=str(row["held"]),
        verified_better=right,
    )  # fmt: skip
    agents.log_dissent(str(row["name"]), said, round_id=place)


def _right(state: State, idea_id: str) -> bool | None:
    """Tell whether a dissent from an idea's result was right, by how the task ended; None: not known."""
    answer = state.get("answer", {})
    if not answer.get("found"):
        return None
    cited = {c["passage_id"] for c in answer.get("citations", [])}
    return not cited & set(state["ideas"][idea_id].get("evidence", []))


async def _debates(state: State, session: Remembers) -> list[JsonDict]:
    rows = await session.memory.rows("debates", task=state["work"]["id"], limit=MANY)
    return [row for row in rows if row["debated"]]


def _names(row: JsonDict) -> set[str]:
    return {str(speech["speaker"]) for speech in row["transcript"]} | set(row["models"])


def _regretted(agents: Agents | None, ids: list[str]) -> int:
    if agents is None or not ids:
        return 0
    return sum(one.entry["regret"] for one in Overrides(agents).all() if one.entry["id"] in ids)


def round_id(state: State, step: int) -> str:
    """Name a round as the source does: the run and the step of it."""
    work = state["work"]
    return f"{work['thread']}/{work['root']}/round_{step}"
