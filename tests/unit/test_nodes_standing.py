"""Trust in a run: seats and recall as of the opening, dissents and overrides in the files, once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ddax.actions.protocol import ActionContext
from ddax.actions.registry import action
from ddax.configs.settings import Actions
from ddax.debate.living import LivingRubrics
from ddax.debate.records import Speech, Verdict
from ddax.debate.roles import Debater
from ddax.errors import ActionError, NotAllowed
from ddax.graph.counterfactual import compare_override
from ddax.memory.agents.agent_store import AgentStore
from ddax.memory.agents.dissents import LoggedDissent
from ddax.memory.agents.overrides import Overrides
from ddax.reasoning import protocol as p
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.steps.accounts import participants
from ddax.steps.protect import human_decisions
from ddax.types import Citation, Effect, Record

QUOTE = "The harbour of Trondby was built in 1712."
WORDS = f"Support is weak: {QUOTE}"


def with_agents(kit: Any, tmp_path: Path, **settings: Any) -> tuple[Any, AgentStore]:
    agents = AgentStore(tmp_path / "agents", clock=lambda: kit.now)
    rubrics = LivingRubrics(tmp_path / "rubrics", clock=lambda: kit.now)
    return replace(kit.session(**settings), agents=agents, rubrics=rubrics), agents


def debated(text: str = WORDS, *, strength: float = 0.9, value: float = 0.4) -> Verdict:
    argument = p.Argument(text, (Citation("o1", "s", "t", QUOTE),), strength)
    reasons = (("coverage", 0.9, ""), ("support", 0.2, ""))
    roles = {"proponent": "J", "opponent": "O", "judges": "J"}
    speech = Speech("opponent", "O", argument, argument)
    return Verdict(
        value, 0.6, 0.5, 0.9, debated=True, reasons=reasons, transcript=(speech,), roles=roles,
        first={"J": 0.6}, raw={"J": value}, models={"J": "scripted"},
    )  # fmt: skip


async def disputed(kit: Any, session: Any, **options: Any) -> Any:
    """Return the state of a task in which the result of the root was disputed."""
    state = await kit.opened(session, step=1)
    outcome = {
        "idea": "0",
        "ok": True,
        "text": "The harbour was built in 1812.",
        "expected": "a year",
        "action": "visit",
    }
    await participants.hear(state, session, outcome, debated(**options))
    row = {"task": state["work"]["id"], **debated().row()}
    await session.memory.log("debates", row, key="d")
    return state


def ended(state: Any, *cited: str) -> Any:
    answer = {"found": True, "support": 0.9, "citations": [{"passage_id": c} for c in cited]}
    state["ideas"]["0"]["evidence"] = ["o9"]
    return {**state, "answer": answer}


@pytest.mark.parametrize(("cited", "right"), [("o1", True), ("o9", False)])
async def test_a_dissent_is_judged_by_what_the_answer_rests_on(
    kit: Any, tmp_path: Path, cited: str, right: bool
) -> None:
    session, agents = with_agents(kit, tmp_path)
    state = ended(await disputed(kit, session), cited)
    measures = await participants.settle(state, session)
    assert (measures["dissents"], measures["dissent_impact"]) == (1, 1.0)
    assert measures["dissents_verified"] == int(right)
    (entry,) = agents.load("O")["dissent_history"]
    assert (entry["verified_better"], entry["rubric_citations"], entry["impact"]) == (
        right,
        ["support"],
        True,
    )
    assert entry["depth_score"] > 0.5
    assert entry["context"]["moved"] == {"J": -0.2}
    (silent,) = agents.load("J")["agreement_history"]
    assert silent["right"] is not right
    assert [agents.load(n)["rounds_participated"] for n in "OJ"] == [1, 1]


async def test_settling_again_writes_nothing(kit: Any, tmp_path: Path) -> None:
    session, _ = with_agents(kit, tmp_path)
    state = ended(await disputed(kit, session), "o1")
    first = await participants.settle(state, session)
    files = {path: path.read_text() for path in (tmp_path / "agents").glob("*.json")}
    kit.now += 60
    assert await participants.settle(state, session) == first
    assert {path: path.read_text() for path in files} == files


async def test_without_an_answer_nobody_was_right_and_conceding_is_no_dissent(
    kit: Any, tmp_path: Path
) -> None:
    session, agents = with_agents(kit, tmp_path)
    state = await disputed(kit, session, strength=0.1)
    assert (await participants.settle(state, session))["dissents"] == 0
    assert agents.load("O")["dissent_history"] == []
    assert agents.trust("O") == pytest.approx(0.6)


async def test_seats_and_recall_go_by_trust_as_the_task_opened(kit: Any, tmp_path: Path) -> None:
    session, agents = with_agents(kit, tmp_path)
    for number in range(30):
        agents.log_round("bad", f"{number}")
        agents.log_agreement("bad", round_id=f"{number}", right=False)
        said = LoggedDissent(text="no", citations=[], impact=False, supported=False, verified_better=False)
        agents.log_dissent("bad", said, round_id=f"{number}")
    thoughts = [
        Record(
            "internal_thought",
            f"the harbour wall, seen by {who}",
            writer=who,
            task="earlier",
            created=kit.now - 9,
        )
        for who in ("bad", "new")
    ]
    await session.memory.put(thoughts)
    kit.now += 10
    state = await kit.opened(session, "the harbour wall", step=1)
    before = await participants.writers(state, session)
    for number in range(30, 60):
        agents.log_agreement("new", round_id=f"{number}", right=False)
    assert await participants.writers(state, session) == before
    assert before["bad"] < 0.8
    from ddax.steps.findings.gather import recall

    hits = {hit.record.writer: hit for hit in await recall(state, session, "the harbour wall")}
    assert (hits["bad"].trust, hits["new"].trust) == (before["bad"], 1.0)
    debaters = [Debater(name, ScriptedReasoner({}, name=name)) for name in ("bad", "new")]
    bad, new = await participants.panel(state, session, *debaters)
    assert (round(bad.trust / 0.6, 6), bad.rounds) == (before["bad"], 30)
    assert (new.trust, new.rounds) == (0.6, 0)


async def test_answers_of_a_human_are_overrides_approvals_and_lessons(kit: Any, tmp_path: Path) -> None:
    session, agents = with_agents(kit, tmp_path, trust={"propose_from": 0.5})
    state = await kit.opened(session, step=3)
    action = {"name": "send", "args": {"to": "x"}, "intent": ""}

    async def answer(step: int, choice: str, arguments: Any = None, lesson: str = "") -> None:
        made = human_decisions.choice_on(action, "0", choice=choice, arguments=arguments)
        for _ in range(2):  # a resumed node does it again
            await human_decisions.note_answer({**state, "step": step}, session, made, by="Ann", lesson=lesson)

    await answer(3, "veto", lesson="Never write to x.")
    kit.now += 1
    await answer(4, "go on", {"to": "y"})
    veto, changed = (one.entry for one in Overrides(agents).all())
    assert (veto["human_decision"], veto["human"]) == ("veto", "human:Ann")
    assert '"y"' in changed["human_decision"]
    assert session.rubrics.load("default")["proposals"][0]["change"]["name"] == "never-write-x"
    await answer(5, "go on")
    assert [one.entry["regret_by"] for one in Overrides(agents).all()] == ["revert", "revert"]
    (approval,) = agents.load("scripted")["agreement_history"]
    assert approval["kind"] == "approval"
    measures = await participants.settle(state, session)
    assert (measures["escalations"], measures["overrides"], measures["regret_rate"]) == (3, 2, 1.0)
    assert measures["escalation_usefulness"] == 0.0


@pytest.mark.parametrize("lesson", ["\N{THUMBS UP SIGN}", "It should be this, please.", "..."])
async def test_a_lesson_that_says_nothing_to_look_for_proposes_nothing(
    kit: Any, tmp_path: Path, lesson: str
) -> None:
    session, agents = with_agents(kit, tmp_path, trust={"propose_from": 0.0})
    state = await kit.opened(session, step=3)
    made = human_decisions.choice_on(
        {"name": "send", "args": {}, "intent": ""}, "0", choice="veto", arguments=None
    )
    await human_decisions.note_answer(state, session, made, by="Ann", lesson=lesson)
    assert [one.entry["human_decision"] for one in Overrides(agents).all()] == ["veto"]
    assert session.rubrics.load("default")["proposals"] == []


def visit_that_spends() -> Any:
    from ddax.actions.protocol import Action
    from ddax.actions.visit import visit

    return Action("order", visit.function, visit.arguments, "spends", "Order a page.")


@pytest.mark.parametrize("effect", ["writes", "spends"])
async def test_the_rest_of_a_comparison_is_shown_where_it_writes_or_spends(
    kit: Any, tmp_path: Path, effect: Effect
) -> None:
    read: list[str] = []
    done: list[str] = []

    @action(effect="reads")
    async def peek(context: ActionContext, where: str) -> str:
        """Look."""
        read.append(where)
        return f"seen {where}"

    @action(effect=effect)
    async def post(context: ActionContext, text: str) -> str:
        """Post."""
        done.append(text)
        raise ActionError("refused", kind="tool")  # what is paid for is known, and would not be done again

    tell = kit.leaf("tell", "post", needs=(0,), text="Corvane Tower")
    script = kit.script(kit.leaf("look", "peek", where="there"), tell)
    words = Actions(allow=("post",), ask=("peek",))
    async with kit.agent(tmp_path, script, actions=(peek, post), human=True) as agent:
        agent.context = agent.context.model_copy(update={"actions": words})
        await agent.run(kit.question, thread="t")
        edit = {"choice": "edit", "arguments": {"where": "elsewhere"}, "by": "Ann"}
        result = await agent.resume("t", answer=edit)
        while result["status"] == "waiting":
            result = await agent.resume("t", answer={"choice": "go on"})
        agents = (await agent.services.session(agent.context)).agents
        event = Overrides(agents).all()[0].entry["id"]
        before = [*read]
        found = await compare_override(agent, event)
        assert (read, done, found.shown) == ([*before, "there"], ["Corvane Tower"], ("post",))
        assert await kit.memory.rows("shown") == []
        again = await compare_override(agent, event, allow_effects=True)
        assert (done, again.shown) == (["Corvane Tower"] * 2, ())


async def test_an_override_is_settled_by_running_the_agents_own_choice(kit: Any, tmp_path: Path) -> None:
    def merged(request: p.MergeRequest) -> p.Synthesis:
        return kit.synthesis(found=any("Trondby" in e.text for e in request.evidence))(request)

    script = {**kit.script(kit.leaf("the page", "order", source="Ilse Maran")), "merge": [merged]}
    async with kit.agent(tmp_path, script, actions=(visit_that_spends(),), human=True) as agent:
        result = await agent.run(kit.question, thread="t")
        assert result["status"] == "waiting"
        result = await agent.resume(
            "t", answer={"choice": "go on", "arguments": {"source": "Belmark"}, "by": "Ann"}
        )
        while result["status"] == "waiting":
            result = await agent.resume("t", answer={"choice": "veto"})
        assert result["metrics"]["overrides"] >= 1
        agents = (await agent.services.session(agent.context)).agents
        event = Overrides(agents).all()[0].entry["id"]
        before, rows = await agent.state("t"), await kit.memory.rows("ledger")
        with pytest.raises(NotAllowed):
            await compare_override(agent, event)
        found = await compare_override(agent, event, allow_effects=True)
        assert (await agent.state("t"), await kit.memory.rows("ledger")) == (before, rows)
    assert (found.own, found.human, found.regretted) == (0.9, 0.0, True)
    assert found.own_answer == "Trondby"
    assert Overrides(agents).get(event).entry["regret_by"] == "counterfactual"
    assert agents.trust("human:Ann") < 0.6


async def test_the_other_way_teaches_the_judges_nothing(kit: Any, tmp_path: Path) -> None:
    script = kit.script(kit.leaf("the page", "order", source="Ilse Maran"))
    async with kit.agent(tmp_path, script, actions=(visit_that_spends(),), human=True) as agent:
        await agent.run(kit.question, thread="t")
        await agent.resume("t", answer={"choice": "veto", "by": "Ann"})
        session = await agent.services.session(agent.context)
        before = {name: session.judges.rows(name) for name in session.judges.names()}
        await compare_override(agent, Overrides(session.agents).all()[0].entry["id"], allow_effects=True)
        assert {name: session.judges.rows(name) for name in session.judges.names()} == before


def test_long_calls_are_equal_where_all_of_them_is() -> None:
    long = "word " * 1000
    action = {"name": "mail", "args": {"body": long}, "intent": ""}
    same = human_decisions.choice_on(action, "0", choice="go on", arguments={"body": long})
    other = human_decisions.choice_on(action, "0", choice="go on", arguments={"body": f"{long}more"})
    assert same.human == same.own != other.human
    assert len(other.human) <= human_decisions.TEXT
