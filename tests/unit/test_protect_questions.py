"""Protect asks what is most useful to know, and the answer changes ideas, memory and trust."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.cli.backend import run_folder
from ddax.cli.main import run_command
from ddax.dynamics.question import expected_change, leanings
from ddax.dynamics.rigidity import enter_protect
from ddax.dynamics.score import Terms, all_misaligned
from ddax.errors import UsageError
from ddax.graph.results import fitting_answer
from ddax.ideas.idea import apply_patches
from ddax.nodes import protect as module
from ddax.nodes import select as selecting
from ddax.nodes.expand import expand
from ddax.nodes.protect import protect
from ddax.nodes.select import select
from ddax.reasoning import protocol as p
from ddax.steps.choices.frontier import Descent
from ddax.steps.findings.gather import lessons
from ddax.steps.leaves.human_answers import CHOSEN, HumanAnswer, unfit
from ddax.types import Idea
from tests.cases import cases

floats = st.lists(st.floats(-3, 3), min_size=1, max_size=8)


@given(floats, st.integers(0, 1000))
def test_the_expected_change_is_that_of_the_two_answers(total: list[float], seed: int) -> None:
    pi = leanings(np.array(total))
    belief = np.random.default_rng(seed).random(len(total))
    assert pi.sum() == pytest.approx(1.0)
    for k, change in enumerate(expected_change(pi, belief)):
        yes = np.eye(len(pi))[k]
        no = np.where(np.arange(len(pi)) == k, 0.0, pi)
        no = no / no.sum() if no.sum() > 1e-12 else no
        by_hand = belief[k] * 0.5 * np.abs(yes - pi).sum()
        by_hand += (1 - belief[k]) * (0.5 * np.abs(no - pi).sum() if no.sum() > 0 else 1.0)
        assert change == pytest.approx(by_hand, abs=1e-6)


def test_nothing_is_learned_from_what_is_known() -> None:
    assert expected_change(np.array([1.0, 0.0]), np.array([1.0, 0.0])).tolist() == [0.0, 0.0]
    assert leanings(np.zeros(0)).tolist() == []


async def stiff(kit: Any, *, human: bool = True) -> Any:
    """Return a session and a state in protect, with three open leaves; 0.2 is least believed in."""
    children = [kit.leaf(f"tower {k}", query=f"tower {k}") for k in range(3)]
    session = kit.session(
        {"expand": [p.Expansion(tuple(children))], "ask": [p.Question("Is it?")]}, human=human
    )
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    values = {"0.1": Idea(Q=0.5, N=1), "0.2": Idea(Q=0.0, N=1, P=1.0), "0.3": Idea(Q=0.5, N=1)}
    ideas = apply_patches(state["ideas"], [values])
    return session, {**state, "ideas": ideas, "step": 2, "mind": dict(enter_protect(state["mind"]))}


async def test_the_question_is_about_the_idea_whose_answer_changes_most(kit: Any, asks: Any) -> None:
    session, state = await stiff(kit)
    await kit.update(protect, state, session)
    changes = [c["expected_change"] for c in asks[0]["candidates"]]
    assert asks[0]["about"] == asks[0]["candidates"][0]["id"] == asks[0]["idea"]
    assert changes == sorted(changes, reverse=True) and len(changes) == 3
    assert set(asks[0]["options"]) == {"go on", "choose", "edit", "veto", "teach", "stop"}
    ((_, request),) = [r for r in session.reasoner.requests if r[0] == "ask"]
    first = state["ideas"][asks[0]["about"]]["action"]["args"]["query"]
    assert request.situation.partition(": ")[2].startswith(f"“{first}”"), "what most depends on is first"
    assert "May I search for these three queries" in request.situation
    assert asks[0]["details"]["rigidity"] == round(state["mind"]["rho"], 4)


@pytest.mark.parametrize("choice", ["choose", "edit", "veto"])
async def test_the_answer_changes_the_idea_it_is_about(kit: Any, asks: Any, choice: str) -> None:
    asks[-1] = {"choice": choice, "idea": "0.3", "arguments": {"query": "y"} if choice == "edit" else None}
    session, state = await stiff(kit)
    after = await kit.after(protect, state, session)
    idea = after["ideas"]["0.3"]
    if choice == "veto":
        assert (idea["status"], idea["reason"]) == ("abandoned", "vetoed by a human")
    elif choice == "edit":
        assert idea["action"]["args"] == {"query": "y"}
    else:
        assert idea["reason"] == CHOSEN
        assert (await kit.update(select, after, session))["focus"] == ["0.3"]
    assert after["mind"]["protect"] is False
    (row,) = await session.memory.rows("answered")
    assert row["idea"] == "0.3"


@cases("answer", "told")
async def test_changed_arguments_that_the_action_does_not_take_are_asked_for_again(
    kit: Any, monkeypatch: pytest.MonkeyPatch, answer: Any, told: str
) -> None:
    asked: list[Any] = []
    answers = iter([answer, {"choice": "edit", "idea": "0.3", "arguments": {"query": "y"}}])

    def interrupt(question: Any, **_: Any) -> Any:
        asked.append(question)
        return next(answers)

    monkeypatch.setattr(module, "interrupt", interrupt)
    session, state = await stiff(kit)
    after = await kit.after(protect, state, session)
    assert after["ideas"]["0.3"]["action"]["args"] == {"query": "y"}
    assert "problem" not in asked[0] and told in asked[1]["problem"]


async def test_what_was_taught_is_used_at_once_and_by_later_tasks(kit: Any, asks: Any) -> None:
    asks[-1] = {"choice": "teach", "lesson": "Towers in Belmark are never in Trondby."}
    session, state = await stiff(kit)
    after = await kit.after(protect, state, session)
    lesson = "Towers in Belmark are never in Trondby."
    assert (await lessons(after, session, "tower"))[0] == lesson
    kit.now += 3600
    later = await kit.opened(session, "Where is the tower in Belmark?")
    assert lesson in await lessons(later, session, "towers in Belmark")


async def test_with_nobody_there_the_conservative_path_is_counted(kit: Any) -> None:
    session, state = await stiff(kit, human=False)
    after = await kit.after(protect, state, session)
    assert (after["mind"]["conservative"], after["mind"]["asked"]) == (1, True)
    from ddax.graph.results import result_of

    assert result_of("t", after)["protect"]["conservative"] == 1
    assert result_of("t", after)["protect"]["entries"] == 1


async def test_the_approval_most_rests_on_is_asked_for_first(kit: Any, asks: Any) -> None:
    asks[-1] = {"choice": "veto"}
    plan = (kit.leaf("a"), kit.leaf("b"), kit.leaf("c", needs=(1,)))
    session = kit.session({"expand": [p.Expansion(plan)]}, human=True)
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    waits = {i: Idea(status="waiting", reason="approval") for i in ("0.1", "0.2")}
    question = {"kind": "approval", "text": "?", "action": {"name": "x", "args": {}, "intent": ""}}
    state = {
        **state, "step": 2, "ideas": apply_patches(state["ideas"], [waits]),
        "questions": {i: {"idea": i, **question} for i in waits},
    }  # fmt: skip
    after = await kit.after(protect, state, session)
    assert asks[0]["about"] == "0.2"
    assert [after["ideas"][i]["status"] for i in ("0.1", "0.2", "0.3")] == [
        "waiting",
        "abandoned",
        "abandoned",
    ]


@cases("answer", "wrong")
def test_an_answer_must_fit_the_question(answer: dict[str, Any], wrong: str) -> None:
    question = {"about": "0.1", "candidates": [{"id": "0.1"}, {"id": "0.2"}]}
    assert unfit(HumanAnswer.model_validate(answer), question).startswith(wrong or "")
    assert bool(unfit(HumanAnswer.model_validate(answer), question)) == bool(wrong)
    assert unfit(HumanAnswer(choice="edit", arguments={}), {"options": ["go on", "stop"]}).startswith(
        "choice"
    )
    assert unfit(HumanAnswer(choice="edit", arguments={}), {"about": ""}).startswith("idea")


@pytest.mark.parametrize("answer", [{"choice": "choose"}, {"choice": "edit"}, {"choice": "teach"}])
def test_an_answer_must_be_whole(answer: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="needs"):
        HumanAnswer.model_validate(answer)


async def test_misaligned_candidates_lead_into_protect_once(kit: Any, monkeypatch: Any) -> None:
    session, state = await stiff(kit)
    calm = {**state, "mind": {**state["mind"], "protect": False, "asked": False, "entries": 0}}
    found = Descent(
        focus=["0.1"],
        terms=[
            {"id": "0.1", "at": "0", "total": -1.0}
            | dict.fromkeys(("alignment", "value", "exploration", "tabu"), 0.0)
        ],
        misaligned=True,
    )
    monkeypatch.setattr(selecting, "descend", lambda *_: found)
    after = await kit.after(select, calm, session)
    assert (after["decision"]["next"], after["decision"]["rule"]) == (
        "protect",
        "all candidates are misaligned",
    )
    assert after["mind"]["protect"] and after["mind"]["entries"] == 1
    left = {**after, "mind": {**after["mind"], "protect": False}}
    found.focus = ["0.1"]
    assert (await kit.after(select, left, session))["decision"]["next"] == "act", "the same ones warn once"


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6), st.floats(-1, 1))
def test_misaligned_is_the_sources_threshold(cosine: list[float], minimum: float) -> None:
    zero = np.zeros(len(cosine))
    terms = Terms(zero, zero + 9.0, zero, zero, zero + 9.0, np.array(cosine), zero)
    assert all_misaligned(terms, minimum) == (max(cosine) < minimum)


@pytest.fixture
def waiting(kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a way to run commands on a thread `t` that waits because all were misaligned."""
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    plan = (kit.leaf("tower"), kit.leaf("harbour"))
    settings = {"human": True, "selection": {"min_alignment": 1.0, "c": 0.0}}
    with kit.agent(tmp_path, kit.script(*plan), **settings) as agent:
        assert agent.run_sync(kit.question, thread="t")["status"] == "waiting"
    return lambda *words: run_command(
        words, opener=lambda _: kit.agent(tmp_path, kit.script(*plan), **settings)
    )


@pytest.mark.parametrize("flags", [(), ("--by", "Ann"), ("--json",)])
def test_no_choice_approves_nothing_and_the_question_is_shown(
    waiting: Any, capsys: Any, flags: tuple[str, ...]
) -> None:
    assert waiting("answer", "t", *flags) == 2
    out, err = capsys.readouterr()
    told = out if "--json" in flags else err
    assert "no choice is given" in told.lower() and "ddax answer t CHOICE" in told
    assert "go on, choose, edit, veto, teach, stop" in out
    assert "Question: " in out or "--json" in flags
    assert [info.status for info in run_folder().all()] == ["waiting"]


@pytest.mark.parametrize("answer", [{}, {"choice": 3}, {"choice": "teach", "lesson": "x"}, {"lesson": "x"}])
def test_an_answer_is_told_the_choices_its_question_takes(answer: dict[str, Any]) -> None:
    question = {"kind": "rest", "options": ["go on", "stop"]}
    with pytest.raises(UsageError, match="choice: this question takes go on, stop") as refused:
        fitting_answer(answer, question)
    assert refused.value.mend == 'Give {"choice": "go on" | "stop"}.'
    asks = {"about": "0.1", "options": ["go on", "edit", "veto", "stop"]}
    with pytest.raises(UsageError, match="'edit' needs 'arguments'") as refused:
        fitting_answer({"choice": "edit"}, asks)
    assert refused.value.mend.endswith('"veto" | "stop"}, with "arguments" as it needs.')


@pytest.mark.parametrize("by", ["", " ", "\n\t"])
def test_who_answers_has_a_name_before_the_answer_is_taken_in(by: str) -> None:
    with pytest.raises(UsageError, match="does not fit: by: "):
        fitting_answer({"choice": "veto", "by": by}, {"about": "0.1", "options": ["go on", "veto"]})


def test_answer_goes_on_from_the_shell(waiting: Any, capsys: Any) -> None:
    assert waiting("answer", "t", "choose", "--idea", "0.9", "--json") == 2
    assert "this question is about 0" in capsys.readouterr().out
    assert waiting("answer", "t", "--lesson", "Look at the harbour.", "--arguments", "{") == 2
    capsys.readouterr()
    code = waiting("answer", "t", "--lesson", "Look at the harbour.", "--json")
    printed = json.loads(capsys.readouterr().out)
    while code == 8:
        code = waiting("answer", "t", "go on", "--json")
        printed = json.loads(capsys.readouterr().out)
    assert (code, printed["status"], printed["answer"]) == (0, "done", "Trondby.")
    assert printed["protect"]["entries"] >= 1
    assert waiting("answer", "t") == 2
    assert "waits for no answer" in capsys.readouterr().err
