"""What the embedded reasoner does with a browser: one leaf that does the task, and its word on it."""

from __future__ import annotations

from ddax.reasoning.protocol import ExpandRequest, Expansion, MergeRequest, Synthesis
from ddax.text.question import is_question
from ddax.types import ActionCall, Proposal
from ddax.wording import NOT_DONE

BROWSE = "browse"


def plan(request: ExpandRequest) -> Expansion | None:
    """Propose to browse at the root; None where there is no browser or it was used."""
    if BROWSE not in request.actions or request.depth > 0 or request.read or request.findings:
        return None
    call = ActionCall(name=BROWSE, args={"task": request.task[:4000]}, intent=request.task[:400])
    return Expansion((Proposal(f"in the browser: {request.task}"[:110], request.task[:300], 1.0, call),))


def outcome(request: MergeRequest) -> Synthesis | None:
    """Return what was done in the browser as the answer; None for a question, which pages answer."""
    done = [f for f in request.findings if f.action == BROWSE]
    if not done:
        return None
    finding = done[-1]
    if finding.status != "done":
        return Synthesis(f"{NOT_DONE} {finding.result}", finding.citations, False, 0.0)
    if is_question(request.task):
        return None
    return Synthesis(finding.result, finding.citations, True, 1.0)
