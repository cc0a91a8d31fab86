"""Where a value can change what is done next: only there a model is asked for one.

Values order what may be done and say what is given up, so with nothing left to choose between they decide
nothing. Then the cheap value stands: it is computed from what was read, without a model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from ddax.debate.carried import carriers
from ddax.debate.gate import WEAK
from ddax.debate.records import Verdict
from ddax.dynamics.doubt import by_nearness, by_order
from ddax.dynamics.score import weights_of
from ddax.graph.ports import Asks
from ddax.graph.services import Session
from ddax.graph.state import Outcome, State
from ddax.ideas import dag
from ddax.ideas.idea import Ideas
from ddax.reasoning.budget import FREE
from ddax.reasoning.protocol import JudgeRequest, Judgment
from ddax.steps.accounts.ceremonies import Chance, holds
from ddax.steps.findings.quick_road import is_quick
from ddax.text.chunks import sentences
from ddax.types import Passage

NO_CHOICE = "nothing is left to choose between, so no model was asked"
VISIT = "visit"
CUT = "…"
"""How a result that was shortened for the state ends."""


def decides(state: State, session: Session) -> float:
    """Return the chance that what is done next hangs on the values of this step.

    It is the share of what is open that is not done next in any case. Where code is repaired, and where the
    draw of wider or deeper learns from values, all hangs on them. A reasoner that costs nothing is always
    asked; the settings can ask any.
    """
    if _needed(state, session):
        return 1.0
    if is_quick(state["work"]) or session.settings.debate.ask == "never":
        return 0.0
    settings = session.settings
    left = [i for i in dag.live(state["ideas"], state["work"]["root"]) if i["status"] == "open"]
    leaves, inner = (sum(i["kind"] == kind for i in left) for kind in ("leaf", "inner"))
    at_once = min(settings.budget.max_parallel, settings.selection.beam)
    return max(by_order(inner, 1), by_order(leaves, at_once))


def ordering(state: State, session: Session, read: Mapping[str, tuple[Passage, ...]]) -> list[str]:
    """Return the outcomes that a model is to value because the values order what is open."""
    change = decides(state, session)
    if not change:
        return []
    why, needed = "values order what is open", _needed(state, session)
    return [
        idea
        for idea, evidence in read.items()
        if not state["outcomes"][idea].get("settles")
        and holds(
            state,
            session,
            Chance(
                "judge", idea, change=change, characters=told(state, idea, evidence), needed=needed, why=why
            ),
        )
    ]


def doubted(
    state: State, session: Session, outcome: Outcome, cheap: Verdict, evidence: Sequence[Passage]
) -> bool:
    """Tell whether a model is to look at a result again that was valued without one: a claim in doubt."""
    if is_quick(state["work"]) or session.settings.debate.ask == "never":
        return False
    ideas, idea = state["ideas"], outcome["idea"]
    change = by_nearness(cheap.value, WEAK) if in_doubt(outcome, cheap) else 0.0
    why = f"a claim valued {cheap.value:.2f} without a model" if change else NO_CHOICE
    return holds(
        state,
        session,
        Chance(
            "judge",
            idea,
            change=change,
            stakes=share_of(state, ideas),
            characters=told(state, idea, evidence),
            why=why,
        ),
    )


def share_of(state: State, ideas: Ideas) -> float:
    """Return how much of the answer hangs on one claim: one part of what was read for it."""
    leaves = dag.subtree(ideas, state["work"]["root"])
    read = sum(i["kind"] == "leaf" and i["status"] == "done" and i["action"]["name"] == VISIT for i in leaves)
    return 1 / max(1, read)


def told(state: State, idea: str, evidence: Sequence[Passage]) -> int:
    """Return the characters that a judge of an outcome is told."""
    rests_on = sum(len(passage.text) for passage in evidence)
    return len(state["work"]["text"]) + len(state["outcomes"][idea]["text"]) + rests_on


def _needed(state: State, session: Session) -> bool:
    refused = session.settings.debate.ask == "never" and session.reasoner.name not in FREE
    return not refused and (always_asked(session) or bool(state["work"].get("code")))


def always_asked(session: Asks) -> bool:
    """Tell whether values are always asked for, by the reasoner or the settings."""
    settings, weights = session.settings, session.settings.selection
    if session.reasoner.name not in FREE and settings.debate.ask == "never":
        return False
    asked = session.reasoner.name in FREE or "always" in (settings.debate.ask, settings.debate.gate)
    return asked or weights_of(weights.preset, wider=weights.wider).wider


async def estimates(
    requests: Mapping[str, JudgeRequest], outcomes: Mapping[str, Outcome], session: Session
) -> dict[str, Verdict]:
    """Return the cheap values of results: by coverage, quotes and progress, with no call of a model."""
    found = await session.free.judge_all([*requests.values()])
    verdicts = await asyncio.gather(
        *(
            _estimate(request, outcomes[idea], judgment, session)
            for (idea, request), judgment in zip(requests.items(), found, strict=True)
        )
    )
    return dict(zip(requests, verdicts, strict=True))


async def _estimate(request: JudgeRequest, outcome: Outcome, found: Judgment, session: Session) -> Verdict:
    """Return one cheap value: a claim that its page carries is no weak one, however little it covers."""
    value, why = found.value, NO_CHOICE
    if _is_claim(outcome) and value < WEAK and await asyncio.to_thread(_carried, request, session):
        value, why = WEAK, f"what was read says it; {NO_CHOICE}"
    return Verdict(
        value, value, value, found.confidence, why=why, reasons=found.reasons, calls=0, estimated=True
    )  # fmt: skip


def in_doubt(outcome: Outcome, verdict: Verdict) -> bool:
    """Tell whether a cheap value makes a claim a weak one: that is verified, and marked in the answer."""
    return _is_claim(outcome) and verdict.value < WEAK


def _is_claim(outcome: Outcome) -> bool:
    return outcome["action"] == VISIT


def _carried(request: JudgeRequest, session: Asks) -> bool:
    """Tell whether every sentence of a result follows from what was read; a cut one is left out."""
    text = request.result
    lines = [text[span.start : span.end] for span in sentences(text)]
    if lines and text.endswith(CUT):
        lines = lines[:-1] or [lines[-1].rpartition(" ")[0]]
    pages = [passage.text for passage in request.evidence]
    if lines and all(any(line.strip() in page for page in pages) for line in lines):
        return True  # word for word
    found = carriers(" ".join(lines), pages, session.check, least=session.settings.debate.support)
    return bool(found) and all(found)
