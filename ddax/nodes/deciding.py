"""Where a value can change what is done next: only there a model is asked for one. No node of its own.

Values order what may be done and say what is given up, so with nothing left to choose between they decide
nothing. Then the cheap value stands: it is computed from what was read, without a model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from ddax.debate.carried import carriers
from ddax.debate.gate import WEAK
from ddax.debate.records import Verdict
from ddax.dynamics.score import weights_of
from ddax.graph.ports import Asks
from ddax.graph.services import Session
from ddax.graph.state import Outcome, State
from ddax.ideas import dag
from ddax.memory.chunks import sentences
from ddax.nodes.road import is_quick
from ddax.reasoning.budget import FREE
from ddax.reasoning.protocol import JudgeRequest, Judgment

NO_CHOICE = "nothing is left to choose between, so no model was asked"
CUT = "…"
"""How a result that was shortened for the state ends."""


def decides(state: State, session: Session) -> bool:
    """Tell whether what is done next may hang on the values of this step.

    It does where more is open than is done at once, where code is repaired, and where the draw of wider
    or deeper learns from values. A reasoner that costs nothing is always asked; the settings can ask any.
    """
    settings, weights = session.settings, session.settings.selection
    if always_asked(session) or state["work"].get("code"):
        return True
    if is_quick(state["work"]):
        return False
    left = [i for i in dag.live(state["ideas"], state["work"]["root"]) if i["status"] == "open"]
    leaves, inner = (sum(i["kind"] == kind for i in left) for kind in ("leaf", "inner"))
    return inner > 1 or leaves > min(settings.budget.max_parallel, weights.beam)


def always_asked(session: Asks) -> bool:
    """Tell whether values are always asked for, by the reasoner or the settings."""
    settings, weights = session.settings, session.settings.selection
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
    return outcome["action"] == "visit"


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
