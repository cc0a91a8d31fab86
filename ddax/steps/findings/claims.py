"""Claims that are in doubt: which they are, how one is verified, and how the answer marks the rest.

A claim is a finished leaf that read a document. It is flagged where its value is below `WEAK` or where
the support check found that another claim of the task contradicts it. What became of it stands in the
idea's `reason`, in the words below; the rest of the evidence is in the log of claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ddax.debate.gate import WEAK
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.ideas.idea import MARK_BYTES, Ideas, Patch, clip
from ddax.types import ActionCall, Entailment, EntailmentCheck, Hit, Idea, JsonDict, Proposal, Relation

CERTAIN = 0.5
"""Confidence of the support check from which its word counts."""
MAX_VERIFY = 2
"""Verify leaves of one task; what is left in doubt is marked in the answer."""
HEARD = 5
"""Independent documents a claim is compared with."""
VERIFY, QUERY_CHARS = "verify: ", 300
CONFLICT, SUPPORTED, CONTRADICTED = "conflicts with", "supported by", "contradicted by"


@dataclass(frozen=True)
class Verification:
    """What independent documents say about a claim: the relation, how sure, and by which document."""

    claim: str
    relation: Relation
    confidence: float
    source: str
    title: str
    text: str

    def mark(self) -> str:
        """Return the words that are left at the claim; none where nothing settles it."""
        if self.relation == "neutral":
            return ""
        by = SUPPORTED if self.relation == "entailment" else CONTRADICTED
        return clip(f"{by} {self.title}", MARK_BYTES)

    def outcome(self) -> str:
        """Return the outcome of the verify leaf in words."""
        if self.relation == "neutral":
            return "No independent document settles it."
        by = "agrees" if self.relation == "entailment" else "contradicts it"
        return f"An independent document {by} ({self.title}): {self.text}"


def claims(ideas: Ideas, root: str) -> list[Idea]:
    """Return the claims of a task that have been valued, in the order of their ids."""
    return [
        i
        for i in dag.subtree(ideas, root)
        if i["kind"] == "leaf" and i["status"] == "done" and i["N"] > 0 and i["action"]["name"] == "visit"
    ]


def verifications(ideas: Ideas, root: str) -> list[str]:
    """Return the ids of the claims that have a verify leaf."""
    leaves = [i for i in dag.subtree(ideas, root) if i["kind"] == "leaf"]
    return [claim_of(leaf["action"]) for leaf in leaves if claim_of(leaf["action"])]


def in_conflict(claim: Idea) -> bool:
    """Tell whether another claim contradicts this one and nothing has settled it."""
    return claim.get("reason", "").startswith(CONFLICT)


def to_verify(ideas: Ideas, root: str, *, weak: bool) -> Idea | None:
    """Return the claim to verify next, or None: one in conflict first, then, if asked for, a weak one.

    Of the weak ones the best valued: the answer is most likely to rest on it, while what is valued
    least hardly bears on the task and is left aside by the synthesis.
    """
    known = verifications(ideas, root)
    if len(known) >= MAX_VERIFY:
        return None
    rest = [
        c
        for c in claims(ideas, root)
        if c["id"] not in known and any(a["status"] == "waiting" for a in dag.ancestors(ideas, c["id"]))
    ]
    fighting = [c for c in rest if in_conflict(c)]
    if fighting:
        return min(fighting, key=lambda c: (c["V"], dag.sort_key(c["id"])))
    doubtful = [c for c in rest if c["V"] < WEAK] if weak else []
    return max(doubtful, key=lambda c: (c["V"], dag.sort_key(c["id"])), default=None)


def verify_leaf(claim: Idea) -> Proposal:
    """Return the leaf that looks for what independent documents say about a claim."""
    query = clip(claim.get("result", "") or claim["title"], QUERY_CHARS)
    call = ActionCall(name="search", args={"query": query}, intent=VERIFY + claim["id"])
    return Proposal(
        f"verify: {claim['title']}",
        expected=f"An independent document agrees ({claim['title']}): {query}",
        action=call,
    )


def claim_of(call: ActionCall) -> str:
    """Return the id of the claim an action verifies; "" where it verifies none."""
    intent = call.get("intent", "")
    return intent.removeprefix(VERIFY) if intent.startswith(VERIFY) else ""


def compare(
    claim: str, query: str, hits: Sequence[Hit], own: Iterable[str], check: EntailmentCheck
) -> Verification:
    """Compare a claim with what documents other than its own say; the surest word counts.

    Of a contradiction and an agreement that are equally sure the contradiction is reported.
    """
    mine = set(own)
    best = Verification(claim, "neutral", 0.0, "", "", "")
    for hit in [h for h in hits if h.source not in mine and h.doc_id not in mine][:HEARD]:
        said = check(hit.snippet, query)
        if said.relation == "neutral" or said.confidence < CERTAIN:
            continue
        if (said.confidence, said.relation == "contradiction") > (
            best.confidence,
            best.relation == "contradiction",
        ):
            text = " ".join(hit.snippet.split())[:200]
            best = Verification(claim, said.relation, said.confidence, hit.source, hit.title, text)
    return best


def conflicts(ideas: Ideas, root: str, new: Iterable[str], check: EntailmentCheck) -> Patch:
    """Return the patch that flags new claims and earlier ones that contradict each other."""
    patch: Patch = {}
    fresh = set(new)
    known = claims(ideas, root)
    for claim in (c for c in known if c["id"] in fresh):
        for other in known:
            later = dag.sort_key(other["id"]) >= dag.sort_key(claim["id"])
            if other["id"] in fresh and later:
                continue  # itself, or a pair that is looked at from the other side
            said = check(other.get("result", ""), claim.get("result", ""))
            if said.relation == "contradiction" and said.confidence >= CERTAIN:
                patch |= _flag(claim, other) | _flag(other, claim)
    return patch


def _flag(claim: Idea, other: Idea) -> Patch:
    return {} if claim.get("reason") else {claim["id"]: Idea(reason=f"{CONFLICT} {other['id']}")}


def felt(relation: Relation, confidence: float) -> EntailmentCheck:
    """Return a support check that says what a verification has found."""
    return lambda premise, hypothesis: Entailment(relation, confidence)


def doubts(state: State, citations: Sequence[JsonDict]) -> list[JsonDict]:
    """Return the claims the answer rests on that are still in doubt, and why."""
    ideas, root = state["ideas"], state["work"]["root"]
    cited = {str(c["source"]): str(c["title"]) for c in citations}
    found: list[JsonDict] = []
    verified = verifications(ideas, root)
    for claim in claims(ideas, root):
        source = str(claim["action"]["args"].get("source", ""))
        why = _doubt(claim, tried=claim["id"] in verified) if source in cited else ""
        if why:
            found.append({"idea": claim["id"], "title": cited[source], "source": source, "why": why})
    return found


def _doubt(claim: Idea, *, tried: bool) -> str:
    """Return why a claim is in doubt, in words; "" where it is not."""
    reason, weak = claim.get("reason", ""), claim["V"] < WEAK
    if reason.startswith(SUPPORTED) or not (weak or reason):
        return ""
    said = reason or f"worth little by itself (valued {claim['V']:.2f})"
    if reason.startswith(CONTRADICTED):
        return said
    return f"{said}; {'no independent document settles it' if tried else 'not verified'}"
