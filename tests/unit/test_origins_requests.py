"""Every field of every request carries where it comes from, into what is planned from it.

`SEEDS` says for each field that can hold text how something private gets into it. A new field makes the
first test fail until it has a line there, and `sourced` until its node says where it comes from.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from langchain_core.messages import AIMessage, HumanMessage

import ddax
from ddax.actions.protocol import ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.actions.work import with_work
from ddax.configs.settings import Debate
from ddax.debate.roles import Debater
from ddax.debate.verdict import Case, evaluate_outcome
from ddax.errors import InvariantError
from ddax.ideas.origins import PRIVATE, kind_of, read
from ddax.memory.records import LEDGER, REFLECTIONS
from ddax.nodes.act import act
from ddax.nodes.evaluate import evaluate
from ddax.nodes.expand import expand
from ddax.nodes.merge import merge
from ddax.nodes.reflect import reflect
from ddax.reasoning import protocol as p
from ddax.reasoning.acting import Call
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.reasoning.sourced import CODE_READ, TOLD, of_request, sourced, text_fields
from ddax.steps.accounts.participants import STANDING
from ddax.steps.expand.curiosity import _request as curious
from ddax.steps.findings.earlier_turns import of_turns
from ddax.steps.findings.gather import HITS, of_earlier
from ddax.steps.findings.leaf_reading import _request as to_extract
from ddax.steps.leaves.permission import asked
from ddax.steps.protect.best_question import question_of
from ddax.steps.select.lookahead import Lookahead, _value
from ddax.types import ActionCall, Passage, Record

TASK = "Where does the harbour of Trondby get its water from?"
MARK = "zx-4711-vault of the harbour water"
METHODS: Mapping[str, Any] = {
    name: get_type_hints(getattr(p.ActingReasoner, name))["request"] for name in p.METHODS
}
FIELDS = [(method, name) for method, kind in METHODS.items() for name in sorted(text_fields(kind))]

SEEDS: Mapping[tuple[str, str], str] = {
    ("act", "task"): "told", ("act", "brief"): "told", ("act", "intent"): "leaf", ("act", "tools"): "tool",
    ("act", "done"): "call", ("act", "findings"): "known",
    ("expand", "task"): "told", ("expand", "idea"): "idea", ("expand", "evidence"): "page",
    ("expand", "hits"): "hit", ("expand", "read"): "visit", ("expand", "actions"): "tool",
    ("expand", "lessons"): "lesson", ("expand", "findings"): "need", ("expand", "seen"): "leaf",
    ("expand", "brief"): "told", ("expand", "tools"): "tool", ("expand", "earlier"): "turn",
    ("expand", "others"): "another",
    ("predict", "task"): "told", ("predict", "action"): "leaf", ("predict", "evidence"): "page",
    ("extract", "task"): "told", ("extract", "intent"): "leaf", ("extract", "passages"): "page",
    ("extract", "others"): "case",
    ("argue", "task"): "told", ("argue", "idea"): "case", ("argue", "result"): "case",
    ("argue", "expected"): "case", ("argue", "evidence"): "case", ("argue", "heard"): "case",
    ("judge", "task"): "told", ("judge", "idea"): "leaf", ("judge", "result"): "leaf",
    ("judge", "expected"): "leaf", ("judge", "evidence"): "page", ("judge", "arguments"): "case",
    ("judge", "lessons"): "value lesson", ("judge", "rubric"): "criterion",
    ("judge", "others"): "case",
    ("merge", "task"): "told", ("merge", "idea"): "idea", ("merge", "findings"): "leaf",
    ("merge", "evidence"): "page", ("merge", "thoughts"): "thought", ("merge", "brief"): "told",
    ("merge", "earlier"): "turn",
    ("merge", "form"): "told", ("merge", "fault"): "fixed", ("merge", "kind"): "fixed",
    ("reflect", "task"): "told", ("reflect", "action"): "fixed", ("reflect", "expected"): "leaf",
    ("reflect", "actual"): "leaf",
    ("propose_patches", "goal"): "told", ("propose_patches", "code"): "code",
    ("propose_patches", "failures"): "code", ("propose_patches", "shown"): "code",
    ("propose_patches", "called"): "code", ("propose_patches", "tried"): "code",
    ("mutate_patch", "goal"): "told", ("mutate_patch", "candidate"): "code",
    ("mutate_patch", "report"): "code", ("mutate_patch", "shown"): "code",
    ("ask", "task"): "told", ("ask", "situation"): "open leaf", ("ask", "options"): "fixed",
    ("ask", "evidence"): "page",
}  # fmt: skip
"""`told` are the user's own words, `fixed` the program's; what is not these is tried with a private seed."""
TRIED = [place for place, seed in SEEDS.items() if seed not in ("told", "fixed", "code", "case")]


@action(effect="reads")
async def outside(context: ActionContext, query: str) -> ActionResult:
    """Ask somebody outside."""
    return ActionResult("asked")


def test_every_field_that_can_hold_text_has_its_seed() -> None:
    assert sorted(SEEDS) == sorted(FIELDS)


def filled(hint: Any) -> Any:
    """Return a value of a type with the mark in every text of it."""
    if hint is str:
        return MARK
    if hint is bytes:
        return MARK.encode()
    if hint in (int, float, bool):
        return hint(1)
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    if get_origin(hint) in (Union, UnionType):
        return filled(next(kind for kind in get_args(hint) if kind is not type(None)))
    if get_origin(hint) is tuple:
        inner = get_args(hint)
        return tuple(filled(kind) for kind in inner if kind is not Ellipsis)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return hint(
            **{f.name: filled(hints[f.name]) for f in fields(hint) if f.name not in ("origins", "usage")}
        )
    return {"name": "outside", "args": {"query": MARK}, "intent": MARK} if hint is ActionCall else {MARK: 1}


async def ruling(kit: Any, request: p.Request, session: Any = None) -> str:
    """Return what the policy says where the mark leaves in an action that was planned from a request."""
    session = session or kit.session({}, actions=(outside,))
    state = await kit.opened(session, TASK)
    call = ActionCall(name="outside", args={"query": MARK}, intent="")
    before = read(of_request(request))
    found = await asked(call, session, task=state["work"]["id"], before=before, protect=False)
    return str(found.permission.ruling)


@pytest.mark.parametrize(("method", "field"), FIELDS)
async def test_a_private_field_makes_the_policy_ask(kit: Any, method: str, field: str) -> None:
    request = filled(METHODS[method])
    names = text_fields(METHODS[method])
    assert MARK in repr(getattr(request, field))
    private = sourced(request, **{name: {"file"} if name == field else TOLD for name in names})
    assert await ruling(kit, private) == "ask"
    assert await ruling(kit, sourced(request, **dict.fromkeys(names, TOLD))) == "allow"
    assert await ruling(kit, request) == "ask", "a request that says nothing may hold anything"
    with pytest.raises(InvariantError, match=field):
        sourced(request, **dict.fromkeys(names - {field}, TOLD))


def test_a_new_field_needs_an_origin() -> None:
    @dataclass(frozen=True)
    class Longer(p.AskRequest):
        turns: tuple[str, ...] = ()

    request = Longer(TASK, "", ())
    with pytest.raises(InvariantError, match="turns"):
        sourced(request, task=TOLD, situation=(), options=(), evidence=())
    assert of_request(sourced(request, task=TOLD, situation=(), options=(), evidence=(), turns={"file"})) == {
        "user", "file",
    }  # fmt: skip


def names_called(function: ast.AST) -> set[str]:
    calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    return {called.id for called in calls if isinstance(called, ast.Name)}


def test_whoever_makes_a_request_says_where_it_comes_from() -> None:
    """In the code of the engine: each is made where `sourced` is called."""
    kinds, made = {kind.__name__ for kind in METHODS.values()}, set()
    for part in ("nodes", "steps", "debate", "evolution", "graph", "actions"):
        for path in sorted((Path(ddax.__file__).parent / part).rglob("*.py")):
            for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    called = names_called(function)
                    made |= called & kinds
                    assert not called & kinds or "sourced" in called, f"{path.name}: {function.name}"
    assert made == kinds


async def world(kit: Any, seed: str) -> tuple[Any, dict[str, Any]]:
    """Return a session and a state in which one thing is private."""
    tool = replace(outside, described=("tool:bank",) if seed == "tool" else ())
    judged = p.Judgment(0.5, 0.5, (("coverage", 0.5, "so"),))
    session = kit.session(
        {
            "expand": [p.Expansion(())], "merge": [kit.synthesis()], "reflect": [p.Lesson("")],
            "judge": [judged], "ask": [p.Question("And?")], "predict": [p.Prediction("water", 0.9)],
            "argue": [p.Argument("so", (), 0.1)],
        },
        actions=(tool,), repeat=True,
    )  # fmt: skip
    if seed in ("lesson", "value lesson"):
        kind = "policy" if seed == "lesson" else "value"
        row = {"kind": kind, "text": MARK, "task": "u", "idea": "0", "about": TASK, "origins": ["file"]}
        await session.memory.log(REFLECTIONS, row, key="l")
    if seed == "thought":
        row = Record("internal_thought", f"{TASK} {MARK}", task="u", meta={"origins": ["file"]})
        await session.memory.put([row])
    kit.now += 10
    state = await kit.opened(session, TASK, focus=["0"], step=3)
    root, task = state["ideas"]["0"], state["work"]["id"]
    came = {"origins": ["file"]}
    call = ActionCall(name="visit", args={"source": "https://w.example/"}, intent=MARK)
    leaf = {
        **root, "id": "0.1", "parent": "0", "kind": "leaf", "status": "done", "title": "harbour water",
        "result": MARK, "step": 1, "depth": 1, "expected": MARK, "action": call,
    }  # fmt: skip
    if seed == "page":
        row = Record(
            "observation",
            f"{TASK} {MARK}",
            source="private.md",
            task=task,
            idea="0.1",
            step=1,
            meta={"kind": "page"},
        )
        leaf["evidence"] = await session.memory.put([row])
    if seed == "hit":
        hit = {"id": "h", "source": "private.md", "title": "t", "text": MARK, "score": 0.5}
        await session.memory.log(HITS, {"task": task, "idea": "0.1", "step": 1, "hits": [hit]}, key="h")
    if seed == "criterion":
        (row,) = await session.memory.rows(STANDING)
        row["rubric"] = [*row["rubric"], MARK]
        session.memory._logs.pop(STANDING)
        await session.memory.log(STANDING, row, key="s")
    ideas = {**state["ideas"], "0": {**root, **(came if seed == "idea" else {})}}
    ideas["0.1"] = {**leaf, **(came if seed in ("leaf", "visit") else {})}
    if seed in ("need", "visit", "open leaf"):  # not final yet, so that nothing else says it was read
        status = "open" if seed == "open leaf" else "running"
        ideas["0.1"] |= {"status": status, **came}
    if seed == "need":
        ideas["0"] = {**ideas["0"], "needs": ["0.1"]}
    if seed == "turn":  # an answer of this thread, made from what a finished task of it had read
        ideas["1"] = {**root, "id": "1", "status": "done", **came}
        return session, {**state, "ideas": ideas, "messages": turn()}
    return session, {**state, "ideas": ideas}


def turn() -> list[Any]:
    return [HumanMessage("Where is the vault?"), AIMessage(MARK)]


async def requests(kit: Any, method: str, seed: str) -> list[Any]:
    """Drive the node that makes requests of a method; return those it made."""
    session, state = await world(kit, seed)
    leaf = state["ideas"]["0.1"]
    if method == "expand" and seed == "another":  # a second idea that the same call plans
        other = {
            **state["ideas"]["0"],
            "id": "0.3",
            "parent": "0",
            "title": MARK,
            "depth": 1,
            "origins": ["file"],
        }
        session.reasoner._replies["expand"] = [p.Expansion((), others=((),))]
        both = {**state, "ideas": {**state["ideas"], "0.3": other}, "focus": ["0", "0.3"]}
        await kit.update(expand, both, session)
    elif method == "expand":
        await kit.update(expand, state, session)
    elif method == "merge":
        joint = {
            **state["ideas"]["0"], "id": "0.2", "parent": "0", "kind": "merge", "status": "open",
            "needs": ["0.1"], "depth": 1, "origins": [],
        }  # fmt: skip
        ideas = {**state["ideas"], "0": {**state["ideas"]["0"], "status": "waiting"}, "0.2": joint}
        await kit.update(merge, {**state, "ideas": ideas, "focus": ["0.2"]}, session)
    elif method == "act":
        return await asked_in_turns(kit, session, state, seed)
    elif method == "reflect":
        row = {"task": state["work"]["id"], "idea": "0.1", "step": 1, "action": "visit", "expected": MARK,
               "actual": MARK, "epsilon": 0.95, "value": None, "before": None, "ok": True}  # fmt: skip
        await session.memory.log(LEDGER, row, key="e")
        await kit.update(reflect, state, session)
    elif method == "judge":
        outcome = {"idea": "0.1", "ok": True, "text": MARK, "expected": MARK, "action": "visit"}
        await kit.update(evaluate, {**state, "outcomes": {"0.1": outcome}}, session)
    elif method == "predict":
        await _value(state, session, leaf, Lookahead())
    elif method == "extract":
        packet = {**kit.packet("0.1", "visit", state=state), "origins": leaf.get("origins", [])}
        return [await to_extract(packet, await session.memory.get(leaf.get("evidence", [])), session)]
    elif seed == "page" or method != "ask":
        return [await curious(state, session)]
    else:
        mind = {**state["mind"], "hot": 1}
        await question_of({**state, "mind": mind}, session)
    return [request for name, request in session.reasoner.requests if name == method]


async def asked_in_turns(kit: Any, session: Any, state: dict[str, Any], seed: str) -> list[Any]:
    """Drive a leaf of several turns, in which one thing is private; return its last request."""
    brings = ("file",) if seed == "call" else ("web:w.example",)
    tool = replace(session.actions["outside"], effect="none", brings=brings)
    session = replace(session, actions=with_work(session.actions.beside(tool)))
    session.reasoner._replies["act"] = [p.Acted((Call("outside", {"query": "x"}),)), p.Acted((), MARK)]
    packet = kit.packet("0.1", "work", state=state, aim=MARK)
    packet["origins"] = ["file"] if seed == "leaf" else []
    known = {"id": "0.0", "title": "t", "status": "done", "result": MARK}
    packet["known"] = [{**known, "origins": ["file"] if seed == "known" else []}]
    await kit.update(act, packet, session)
    return [request for name, request in session.reasoner.requests if name == "act"][-1:]


@pytest.mark.parametrize(("method", "field"), TRIED)
async def test_a_node_says_of_a_field_what_is_private_in_it(kit: Any, method: str, field: str) -> None:
    made = await requests(kit, method, SEEDS[method, field])
    assert made
    assert {await ruling(kit, request) for request in made} == {"ask"}


@pytest.mark.parametrize("method", sorted({method for method, _ in TRIED}))
async def test_where_nothing_is_private_a_node_says_so(kit: Any, method: str) -> None:
    made = await requests(kit, method, "")
    assert made
    assert not [name for request in made for name in of_request(request) if kind_of(name) in PRIVATE]


async def test_a_debate_carries_where_its_case_comes_from() -> None:
    judge = p.Judgment(0.5, 0.1, (("coverage", 0.5, "so"),))
    reasoner = ScriptedReasoner(
        {"judge": [judge], "argue": [p.Argument("so", (p.Citation("m", "s", "t", "water"),), 0.9)]},
        repeat=True,
    )
    for origins, known in (({"file"}, {"file"}), (None, {"memory"})):
        reasoner.requests.clear()
        evidence = (Passage("m", "s", "t", "water", 0, 5),)
        case = Case(TASK, "i", "water", "water", evidence)
        await evaluate_outcome(
            case if origins is None else replace(case, origins=frozenset(origins)),
            [Debater("scripted", reasoner)], settings=Debate(gate="always"), rng=np.random.default_rng(0),
        )  # fmt: skip
        assert {name for name, _ in reasoner.requests} == {"judge", "argue"}
        assert all(of_request(request) == known for _, request in reasoner.requests)


async def test_earlier_turns_carry_what_their_tasks_had_read(kit: Any) -> None:
    session = kit.session({})
    state = await kit.opened(session, TASK)
    first = {**state["ideas"]["0"], "status": "done", "origins": ["file"]}
    later = {**state["ideas"]["0"], "id": "1"}
    turned = {**state, "ideas": {"0": first, "1": later}, "work": {**state["work"], "root": "1"}}
    assert of_earlier(turned) == {"user", "file"}
    assert of_earlier(state) == TOLD


async def test_an_answer_that_a_front_end_brings_along_may_be_private(kit: Any) -> None:
    state = await kit.opened(kit.session({}), TASK)
    assert of_turns({**state, "messages": turn()[:1]}) == TOLD
    assert {kind_of(name) for name in of_turns({**state, "messages": turn()})} & PRIVATE


def test_what_is_known_of_code_is_private() -> None:
    assert {kind_of(name) for name in CODE_READ} & PRIVATE
