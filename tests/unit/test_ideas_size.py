"""An idea whose parts are all as long as they may be fits into graph state, whatever comes of it."""

from __future__ import annotations

from bisect import bisect
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ddax.graph.routing import leaf_packet
from ddax.ideas import dag, grow
from ddax.ideas.idea import REASON_BYTES, Patch, apply_patches, child, clip, merge_idea, root
from ddax.ideas.origins import MAX_NAMED, UNTRUSTED, narrowed, read
from ddax.nodes import act
from ddax.steps.expand.joining import join_twins
from ddax.steps.findings.claims import Verification
from ddax.steps.findings.unmerged import PASSED_ON
from ddax.steps.leaves.failure_rows import failure
from ddax.types import ActionCall, Idea, Proposal

HOSTS = st.lists(st.integers(1, 240).map(lambda n: f"web:{'h' * n}.example"), max_size=MAX_NAMED, unique=True)
TOOLS = st.lists(st.integers(1, 240).map(lambda n: f"tool:{'t' * n}"), max_size=MAX_NAMED, unique=True)
KINDS = st.sampled_from([[], ["file"], ["code", "file", "memory"]])
ORIGINS = st.builds(lambda *parts: read(name for part in parts for name in part), HOSTS, TOOLS, KINDS)
ENDS = st.sampled_from(["done", "contradicts", "failed", "given up"])
ROOT = root(0, "q" * 200)


def leaf_of(address: int, query: int) -> Proposal:
    """Return a leaf of the longest texts, with arguments of these lengths."""
    args = {"source": "a" * address, "query": "q" * query}
    call = ActionCall(name="visit", args=args, intent="i" * 200)
    return Proposal("t" * 200, expected="e" * 300, prior=1 / 3, action=call)


def longest(query: int) -> Proposal:
    """Return the leaf with the longest address that an idea has room for."""
    lengths = range(dag.MAX_IDEA_BYTES)
    first_too_long = bisect(lengths, False, key=lambda n: not grow.has_room(ROOT, leaf_of(n, query)))
    return leaf_of(first_too_long - 1, query)


def ended(ideas: dict[str, Idea], how: str, origins: list[str]) -> Patch:
    """Return what comes of the leaf, as the node `act` writes it."""
    if how == "given up":
        return grow.abandon(ideas, "0.1", "r" * 300)
    packet: Any = leaf_packet({"ideas": ideas}, "0.1")  # type: ignore[typeddict-item]
    row = {"ok": True, "text": "x" * 260, "evidence": [f"{k:064}" for k in range(6)], "usage": {}}
    if how == "failed":
        row = failure("k" * 300, "c" * 300, "a trace")
    patch: Patch = act._update(packet, {**row, "origins": origins, "contradicts": how == "contradicts"})[
        "ideas"
    ]
    return patch


def taken(ideas: dict[str, Idea], patch: Patch) -> dict[str, Idea]:
    """Return the ideas after a patch that graph state takes."""
    dag.check_patch(ideas, patch)
    return apply_patches(ideas, [patch])


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 300), ORIGINS, ORIGINS, ENDS)
def test_a_leaf_at_all_its_limits_holds_whatever_comes_of_it(
    query: int, before: list[str], brought: list[str], how: str
) -> None:
    ideas = taken({"0": ROOT}, grow.expansion({"0": ROOT}, ROOT, [longest(query)], step=999, origins=before))
    ideas = taken(ideas, {"0.1": Idea(status="waiting", reason=clip("w" * 300, REASON_BYTES))})
    ideas = taken(ideas, {"0.1": Idea(status="open", reason="approved")})
    ideas = taken(ideas, ended(ideas, how, brought))
    if ideas["0.1"]["status"] == "done":
        claim = Verification("0.1", "contradiction", 1.0, "s" * 200, "T" * 300, "t")
        ideas = taken(ideas, {"0.1": Idea(reason=claim.mark())})
    taken(ideas, {"0.1": Idea(Q=0.512345, N=9999, V=1e-06)})
    known = brought if how != "given up" and brought else before
    assert narrowed(ideas["0.1"].get("origins", [])) == narrowed(known), "no kind is lost"


@settings(max_examples=100, deadline=None)
@given(ORIGINS, st.integers(0, 3))
def test_a_merge_and_its_idea_hold_what_they_rest_on_whatever_it_comes_from(
    origins: list[str], depth: int
) -> None:
    parent = ROOT
    for _ in range(depth):
        parent = child(parent, 99, "t" * 200, expected="e" * 300, prior=1 / 3, step=999, needs=[])
    room = grow.room_for_children({"0": ROOT}, parent)
    needs = [f"{parent['id']}.{k}" for k in range(1, room + 1)]
    me = merge_idea(parent, room + 1, needs=needs, step=999, supersedes=f"{parent['id']}.{room}")
    evidence = [f"{k:064}" for k in range(6)]
    done = Idea(status="done", result="x" * 260, evidence=evidence, origins=origins, reason=PASSED_ON)
    for idea in (me, dag.originating(parent, origins)):
        ideas = {**dict.fromkeys(needs, ROOT), "0": ROOT, idea["id"]: idea}
        patch = dag.held(done, dag.size_of(idea))
        held = taken(ideas, {idea["id"]: Idea(**{**patch, "Q": 0.512345, "N": 9999, "V": 1e-06})})[idea["id"]]
        assert narrowed(held.get("origins", [])) == narrowed(origins), "no kind is lost"
        assert held["result"] == done["result"] and dag.size_of(held) <= dag.MAX_IDEA_BYTES


async def test_a_leaf_without_room_for_another_name_is_joined_all_the_same_and_it_is_told(kit: Any) -> None:
    session, proposal = kit.session(), longest(100)
    ideas: dict[str, Idea] = {"0": ROOT}
    for number in (1, 2):
        ideas[f"0.{number}"] = child(ROOT, number, "part", expected="", prior=0.5, step=1, needs=[])
    ideas = apply_patches(
        ideas, [grow.expansion(ideas, ideas["0.1"], [proposal], step=1, origins=sorted(UNTRUSTED))]
    )
    small = leaf_of(20, 20)
    ideas = apply_patches(ideas, [grow.expansion(ideas, ideas["0.1"], [small], step=1)])
    joined = await join_twins(ideas, ideas["0.2"], [proposal, replace(small, title="small")], session=session)
    assert not joined.proposals and list(joined.patch) == ["0.1.3"]
    assert joined.reasons[proposal.title].endswith("not noted there: no room")
    assert joined.reasons["small"] == "the same action as 0.1.3"
