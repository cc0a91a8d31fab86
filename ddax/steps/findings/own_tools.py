"""Tasks for which the user's own tools are all there is: they are used at once.

A plan of calls made blind names tools before it knows what they say. So the task itself is the aim of one
leaf, in which a model calls a tool, looks, and calls again; what it says at the end is the answer. With
effort `deep`, and in a conversation under way, a model plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ddax.actions.work import WORK, is_tool
from ddax.debate.support import CARRIED
from ddax.graph.services import Session
from ddax.graph.state import Answer, State
from ddax.ideas import dag
from ddax.ideas.idea import TITLE_BYTES, Ideas, clip
from ddax.memory.protocol import MANY
from ddax.reasoning.budget import FREE
from ddax.reasoning.protocol import Expansion, Finding, Synthesis
from ddax.steps.accounts.leaf_ledger import TURNS
from ddax.steps.findings.earlier_turns import earlier
from ddax.steps.findings.final_answer import answer_of, form_of, supported
from ddax.steps.findings.gather import asked, read_pages, task_text
from ddax.steps.findings.report import wants_report
from ddax.types import NO_PARENT, ActionCall, Citation, Idea, JsonDict, Proposal

NO_CALL = "No tool was called, though the task had nothing but tools to go by."
AGAIN = "The model went on calling {}, which brought the same each time: that is taken for its result."
QUOTED = 400
"""Characters up to which what a tool said is quoted whole."""
MOST = 8
"""Results that an answer cites at once; of more, and of longer ones, a model chooses what to quote."""


async def use_tools(state: State, session: Session, parent: Idea, mode: str) -> Expansion | None:
    """Return one leaf of several turns for the whole task; None where a model is to plan."""
    if mode or parent["parent"] != NO_PARENT or dag.children(state["ideas"], parent["id"]):
        return None
    if not _has_tools_alone(session) or state["work"].get("code") or session.settings.effort == "deep":
        return None
    if earlier(state, session.redactor.text):  # a plan is told of it, and says what is meant now
        return None
    task = await task_text(state, session)
    call = ActionCall(name=WORK.name, args={"aim": task}, intent=asked(state["work"]))
    return Expansion(
        (Proposal(clip(task, TITLE_BYTES), expected=f"What was asked for: {task}", action=call),)
    )


async def told_of_tools(state: State, session: Session) -> tuple[str, ...]:
    """Return what an answer notes of the user's tools: that none was called, or one again and again."""
    if WORK.name not in session.actions:
        return ()
    rows = await session.memory.rows(TURNS, task=state["work"]["id"], limit=MANY)
    return _uncalled(state, session, rows), _insisted(state["ideas"], rows)


def _uncalled(state: State, session: Session, rows: Sequence[JsonDict]) -> str:
    if not _has_tools_alone(session) or state["work"].get("code"):
        return ""
    tools = {name for name, action in session.actions.items() if is_tool(action)}
    called = {call["name"] for row in rows for call in row["calls"]}
    ideas = dag.subtree(state["ideas"], state["work"]["root"])
    called |= {idea["action"]["name"] for idea in ideas if idea["kind"] == "leaf"}
    return "" if called & tools else NO_CALL


def _insisted(ideas: Ideas, rows: Sequence[JsonDict]) -> str:
    """Name the calls that ended their leaf, where its model said nothing but the same call."""
    last = {row["leaf"]: row for row in sorted(rows, key=lambda row: int(row["turn"]))}
    ended = [row for leaf, row in last.items() if row["calls"] and _is_done(ideas.get(leaf))]
    return AGAIN.format(", ".join(dict.fromkeys(row["calls"][0]["name"] for row in ended))) if ended else ""


def _is_done(leaf: Idea | None) -> bool:
    return leaf is not None and leaf["status"] == "done" and not leaf.get("error")


def _has_tools_alone(session: Session) -> bool:
    acts = callable(getattr(session.reasoner, "act", None)) and session.reasoner.name not in FREE
    return acts and WORK.name in session.actions and not session.reads and session.world is None


async def as_said(
    state: State, session: Session, said: Sequence[Finding], needs: Sequence[str]
) -> tuple[Synthesis, Answer] | None:
    """Return what the only leaf said, and as the answer with what its tools said; else None."""
    if len(needs) != 1 or len(said) != 1 or not _is_whole(state["ideas"], needs[0], said[0]):
        return None
    if _has_form(state, session):
        return None
    pages, text = await read_pages(state, session), said[0].result.strip()
    if not text or not 0 < len(pages) <= MOST or any(len(page.text) > QUOTED for page in pages):
        return None  # what bears on the task is to be chosen
    cited = tuple(
        Citation(page.id, page.source, page.title, page.text, page.start, page.start + len(page.text))
        for page in pages
    )
    reply = Synthesis(text, cited, True, 0.0)
    answer = await supported(answer_of(reply), state, session)
    carried = [row["status"] in CARRIED for row in answer["spans"]]
    support = sum(carried) / max(1, len(carried))
    return replace(reply, support=support), Answer(**{**answer, "support": support})


def _is_whole(ideas: Ideas, need: str, said: Finding) -> bool:
    """Tell whether a finding is the result of a leaf of several turns that came to its end."""
    leaf = ideas[need]
    if leaf["kind"] != "leaf" or leaf["action"]["name"] != WORK.name or leaf.get("error"):
        return False
    return said.status == "done"


def _has_form(state: State, session: Session) -> bool:
    return wants_report(session) or form_of(session) is not None or bool(state["work"].get("requirements"))
