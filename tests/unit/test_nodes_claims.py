"""Claims in doubt: flagged, verified by the engine, settled by the support check, or marked in the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ddax.graph.state import Outcome
from ddax.ideas import dag
from ddax.ideas.idea import apply_patches
from ddax.nodes.act import act
from ddax.nodes.close import close
from ddax.nodes.expand import expand
from ddax.nodes.metacognition import metacognition
from ddax.nodes.select import select
from ddax.reasoning import protocol as p
from ddax.steps.findings.claims import MAX_VERIFY, compare, conflicts, doubts, to_verify, verify_leaf
from ddax.steps.findings.gather import citation_row
from ddax.types import Citation, Entailment, Hit, Idea
from tests.cases import cases

CLAIM = "Ilse Maran died in 1970."


def says(relation: str, confidence: float = 0.9) -> Any:
    return lambda premise, hypothesis: Entailment(relation, confidence)  # type: ignore[arg-type]


async def read(kit: Any, *, check: Any = None, **settings: Any) -> tuple[Any, dict[str, Any]]:
    """Return a session and a state in which 0.1 to 0.3 were read, and 0.4 is still to be read."""
    titles = ("Ilse Maran", "Corvane Tower", "Belmark", "Trondby")
    replies = {
        "expand": [p.Expansion(tuple(kit.leaf(f"read: {t}", "visit", source=t) for t in titles))],
        "judge": [kit.judgment()],
    }
    session = replace(kit.session(replies, **settings), check=check or says("neutral", 0.0))
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    done = {
        f"0.{k}": Idea(status="done", N=1, V=v, result=text)
        for k, v, text in ((1, 0.4, CLAIM), (2, 0.9, "It was built."), (3, 0.2, "A hill town."))
    }
    return session, {**state, "ideas": apply_patches(state["ideas"], [done]), "step": 4}


def verifying(state: dict[str, Any]) -> dict[str, Any]:
    return {**state, "mood": {"action": "VERIFY", "step": state["step"]}}


async def test_a_verify_leaf_compares_what_it_finds_with_the_claim_and_settles_it(kit: Any) -> None:
    kit.pages["Annals"] = "The annals say that Ilse Maran died in the year 1970."
    session, state = await read(kit, check=says("entailment"))
    await session.memory.log(
        "claims", {"task": state["work"]["id"], "idea": "0.1",
                   "citations": [{"source": "Ilse Maran", "passage_id": "x"}]}, key="0.1",
    )  # fmt: skip
    state = await kit.after(expand, await kit.after(select, verifying(state), session), session)
    leaf = next(i for i in state["ideas"].values() if i["title"].startswith("verify:"))
    packet = {**kit.packet(leaf["id"], "search", state=state), "action": leaf["action"]}
    update = await act(packet, kit.runtime(session), session=session)
    assert update["ideas"]["0.1"]["reason"].startswith("supported by ")
    assert "Ilse Maran" not in update["ideas"]["0.1"]["reason"], "a claim does not support itself"
    outcome = update["outcomes"][leaf["id"]]
    assert (outcome["relation"], outcome["confidence"]) == ("entailment", 0.9)
    after = {**kit.reduced(state, update), "verdicts": {}, "mood": {}}
    felt = await kit.update(metacognition, after, session)
    assert felt["mood"]["observation"] == "CONFIRMATION"


@cases("relation", "confidence", "mark", "observation")
def test_the_comparison(relation: str, confidence: float, mark: str, observation: str | None) -> None:
    hits = [Hit("a", "A", "A", "own words", 0.9), Hit("b", "B", "B", "other words", 0.5)]
    asked: list[tuple[str, str]] = []

    def check(premise: str, hypothesis: str) -> Entailment:
        asked.append((premise, hypothesis))
        return Entailment(relation, confidence)  # type: ignore[arg-type]

    found = compare("0.1", CLAIM, hits, ["A"], check)
    assert asked == [("other words", CLAIM)], "a claim's own document is no independent one"
    assert found.mark() == mark
    assert (found.relation != "neutral") == (observation is not None)


def test_of_what_is_found_the_surest_word_counts_and_a_contradiction_wins_a_tie() -> None:
    words = {
        "one": Entailment("entailment", 0.7),
        "two": Entailment("contradiction", 0.7),
        "three": Entailment("entailment", 0.6),
    }
    hits = [Hit(t, t, t, t, 0.5) for t in words]
    found = compare("0.1", CLAIM, hits, [], lambda premise, _: words[premise])
    assert (found.relation, found.source) == ("contradiction", "two")


async def test_a_verification_that_settles_nothing_surprises_nobody_and_has_no_value(kit: Any) -> None:
    from ddax.nodes.evaluate import evaluate

    session, state = await read(kit)
    state = await kit.after(expand, await kit.after(select, verifying(state), session), session)
    leaf = next(i for i in state["ideas"].values() if i["title"].startswith("verify:"))
    packet = {**kit.packet(leaf["id"], "search", state=state), "action": leaf["action"]}
    update = await act(packet, kit.runtime(session), session=session)
    outcome = update["outcomes"][leaf["id"]]
    assert outcome["expected"] == outcome["text"] == "No independent document settles it."
    assert "0.1" not in update["ideas"]
    valued = await kit.update(evaluate, kit.reduced(state, update), session)
    assert valued["verdicts"] == {} and not valued["ideas"].get("0", {}).get("N")


async def test_at_most_two_claims_are_verified(kit: Any) -> None:
    _, state = await read(kit)
    ideas, seen = state["ideas"], []
    while (claim := to_verify(ideas, "0", weak=True)) is not None:
        seen.append(claim["id"])
        number = f"0.{10 + len(seen)}"
        leaf = Idea(**{**claim, "id": number, "action": verify_leaf(claim).action, "title": "verify: x"})
        ideas = {**ideas, number: leaf}
    assert seen == ["0.1", "0.3"][:MAX_VERIFY], "the one the answer is most likely to rest on comes first"


async def test_claims_that_contradict_each_other_are_flagged_on_both_sides(kit: Any) -> None:
    _, state = await read(kit)

    def check(premise: str, hypothesis: str) -> Entailment:
        pair = {premise, hypothesis} == {CLAIM, "A hill town."}
        return Entailment("contradiction" if pair else "neutral", 0.8)

    patch = conflicts(state["ideas"], "0", ["0.1", "0.3"], check)
    assert patch == {"0.1": {"reason": "conflicts with 0.3"}, "0.3": {"reason": "conflicts with 0.1"}}
    assert conflicts(state["ideas"], "0", ["0.2"], check) == {}
    assert conflicts(state["ideas"], "0", ["0.1", "0.3"], says("contradiction", 0.4)) == {}


async def test_a_conflict_is_felt_as_a_contradiction(kit: Any) -> None:
    session, state = await read(kit, check=says("contradiction"))
    outcomes = {
        k: Outcome(idea=k, ok=True, text=state["ideas"][k]["result"], expected="x", action="visit")
        for k in ("0.1", "0.2")
    }
    update = await kit.update(metacognition, {**state, "outcomes": outcomes, "verdicts": {}}, session)
    assert update["mood"]["observation"] == "CONTRADICTION"
    assert update["ideas"]["0.1"]["reason"] == "conflicts with 0.2"
    rows = await session.memory.rows("moods")
    assert rows[0]["conflicts"] == ["0.1", "0.2", "0.3"]


async def at_the_end(kit: Any, **settings: Any) -> tuple[Any, dict[str, Any]]:
    session, state = await read(kit, **settings)
    last = {"0.4": Idea(status="done", N=1, V=0.9), "0.1": Idea(reason="conflicts with 0.2")}
    return session, {**state, "ideas": apply_patches(state["ideas"], [last])}


async def test_a_claim_in_conflict_is_verified_before_the_task_is_closed(kit: Any) -> None:
    session, state = await at_the_end(kit)
    update = await kit.update(select, state, session)
    decision = update["decision"]
    assert (decision["next"], decision["mode"], update["focus"]) == ("expand", "verify", ["0.1"])
    after = await kit.after(expand, kit.reduced(state, update), session)
    dag.check(after["ideas"])
    again = await kit.update(select, after, session)
    assert again["decision"]["next"] == "act", "once is enough"


@pytest.mark.parametrize("off", [{"enabled": False}, {"verify": False}])
async def test_verifying_can_be_switched_off(kit: Any, off: dict[str, bool]) -> None:
    session, state = await at_the_end(kit, mood={"engine": "numpy", **off})
    assert (await kit.update(select, state, session))["decision"]["next"] == "merge"
    assert (await kit.update(select, verifying(state), session))["decision"]["next"] == "merge"


async def test_what_is_still_in_doubt_is_marked_in_the_answer(kit: Any) -> None:
    session, state = await at_the_end(kit)
    marks = {"0.2": Idea(V=0.1, reason="supported by Annals"), "0.3": Idea(reason="contradicted by Annals")}
    ideas = apply_patches(state["ideas"], [marks, {"0": Idea(status="done")}])
    cited = [Citation("id", t, t, "x") for t in ("Ilse Maran", "Corvane Tower", "Belmark")]
    rows = [citation_row(c) for c in cited]
    answer = {"text": "So.", "short": "", "found": True, "support": 0.9, "citations": rows}
    update = await kit.update(close, {**state, "ideas": ideas, "answer": answer}, session)
    assert [(d["idea"], d["why"]) for d in update["answer"]["doubts"]] == [
        ("0.1", "conflicts with 0.2; not verified"), ("0.3", "contradicted by Annals"),
    ]  # fmt: skip
    unmarked = apply_patches(state["ideas"], [{"0.1": Idea(V=0.3, reason="")}])
    said = doubts({**state, "ideas": unmarked}, rows[:1])
    assert [d["why"] for d in said] == ["worth little by itself (valued 0.30); not verified"]
    assert doubts({**state, "ideas": ideas}, []) == [], "what the answer does not rest on is not its doubt"
