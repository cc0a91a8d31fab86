"""Values are asked of a model where they can change what is done next, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.graph.state import Outcome
from ddax.nodes.evaluate import evaluate
from ddax.nodes.reflect import policy_error, value_error
from ddax.reasoning import protocol as p
from ddax.types import Idea, Record
from tests.cases import cases

PAGE = "The tower of Belmark was built in 1712. It has three bells."
TASK = "Who painted the chapel of Trondby?"


async def after_leaves(kit: Any, *statuses: str, **settings: Any) -> tuple[Any, dict[str, Any]]:
    """Return a session whose judge gives 0.9, and the state with leaves of which the first has just ended."""
    from ddax.nodes.expand import expand

    replies = {
        "expand": [p.Expansion(tuple(kit.leaf(f"q{k}") for k in range(len(statuses))))],
        "judge": [kit.judgment(0.9)],
        "argue": [p.Argument("So it is.", (), 0.5)],
    }
    given = {"debate": {"ask": "deciding", **settings.pop("debate", {})}}
    session = kit.session(replies, repeat=True, **given, **settings)
    state = await kit.after(expand, await kit.opened(session, TASK, focus=["0"], step=1), session)
    for number, status in enumerate(statuses, start=1):
        patch = {f"0.{number}": Idea(status=status)}  # type: ignore[typeddict-item]
        state = kit.reduced(state, {"ideas": patch})
    return session, {**state, "step": 3, "outcomes": {"0.1": outcome()}}


def outcome(text: str = "what came", *, action: str = "search") -> Outcome:
    return Outcome(idea="0.1", ok=True, text=text, expected="what should", action=action)


def judged(session: Any) -> int:
    return sum(method == "judge" for method, _ in session.reasoner.requests)


@pytest.mark.parametrize("settings", [{}, {"budget": {"max_parallel": 2}}])
async def test_no_model_is_asked_for_a_value_where_nothing_is_left_to_choose(
    kit: Any, settings: dict[str, Any]
) -> None:
    session, state = await after_leaves(kit, "done", "open", "open", **settings)
    found = await kit.after(evaluate, state, session)
    assert judged(session) == 0
    assert found["verdicts"]["0.1"]["estimated"] is True
    assert found["ideas"]["0.1"]["N"] == 1
    rows = await session.memory.rows("debates")
    assert [(row["calls"], row["raw"], row["models"]) for row in rows] == [(0, {}, {})]


@cases("settings")
async def test_a_model_is_asked_where_more_is_open_than_is_done_at_once_or_the_settings_say_so(
    kit: Any, settings: dict[str, Any]
) -> None:
    session, state = await after_leaves(kit, "done", "open", "open", **settings)
    found = await kit.after(evaluate, state, session)
    assert judged(session) == 1
    assert found["ideas"]["0.1"]["V"] == 0.9
    assert "estimated" not in found["verdicts"]["0.1"]


@pytest.mark.parametrize(
    ("said", "asked"),
    [(PAGE, 0), (PAGE[:52] + "…", 0), (PAGE[:30] + "…", 0), ("It is painted all in gold.", 1)],
)
async def test_of_claims_a_model_values_those_alone_that_their_page_does_not_carry(
    kit: Any, said: str, asked: int
) -> None:
    session, state = await after_leaves(kit, "done")
    (page,) = await session.memory.put([Record("observation", PAGE, source="Tower", title="Tower")])
    state = kit.reduced(state, {"ideas": {"0.1": Idea(evidence=[page])}})
    state = {**state, "outcomes": {"0.1": outcome(said, action="visit")}}
    found = await kit.after(evaluate, state, session)
    assert judged(session) == asked
    assert found["ideas"]["0.1"]["V"] == (0.9 if asked else 0.5)


def test_a_value_that_no_judge_gave_teaches_nothing_alone() -> None:
    row = {"idea": "0.1", "action": "search", "value": 0.9, "before": 0.1, "epsilon": 0.2, "estimated": True}
    ideas = {"0.1": Idea(id="0.1", kind="leaf", parent="0", Q=0.1, N=2)}
    assert policy_error(row) == 0.2
    assert policy_error({**row, "before": None}) == 0.0
    assert value_error(row, ideas) == 0.0
    assert policy_error({**row, "action": "merge"}) == 0.0, "a merge is not chosen"
    del row["estimated"]
    assert policy_error(row) == value_error(row, ideas) == pytest.approx(0.8)
    assert policy_error({**row, "action": "merge"}) == pytest.approx(0.8), "a judge said so"


def test_what_a_check_settled_in_other_words_than_forecast_teaches_nothing() -> None:
    row = {"idea": "0.1", "action": "check", "value": 1.0, "before": None, "epsilon": 0.9, "settles": True}
    assert policy_error(row) == 0.0
    assert policy_error({**row, "before": 0.2}) == pytest.approx(0.8), "it was thought to be worth little"
    del row["settles"]
    assert policy_error(row) == 0.9


async def test_what_was_read_and_the_rules_are_asked_for_once_a_step(
    kit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, state = await after_leaves(kit, "done", "done", "done", debate={"ask": "always"})
    pages = [Record("observation", f"{PAGE} {n}", source="a.md", created=1.0) for n in range(3)]
    ids = await session.memory.put(pages)
    leaves = ("0.1", "0.2", "0.3")
    for leaf, page in zip(leaves, ids, strict=True):
        state = kit.reduced(state, {"ideas": {leaf: Idea(evidence=[page])}})
    state["outcomes"] = {leaf: {**outcome(), "idea": leaf} for leaf in leaves}
    asked: list[str] = []
    for name in ("get", "rows"):
        monkeypatch.setattr(session.memory, name, noted(getattr(session.memory, name), asked))
    await kit.after(evaluate, state, session)
    assert asked.count("get") == asked.count("rule_plans") == 1
    requests = [request for method, request in session.reasoner.requests if method == "judge"]
    assert [passage.id for request in requests for passage in request.evidence] == ids


def noted(ask: Any, asked: list[str]) -> Any:
    async def asking(first: Any, *more: Any, **named: Any) -> Any:
        asked.append(first if isinstance(first, str) else ask.__name__)
        return await ask(first, *more, **named)

    return asking
