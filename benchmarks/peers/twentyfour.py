"""The Game of 24 as the scripted model plays it: steps it proposes, and a noisy opinion of what they leave.

Proposals and opinions are those of `benchmarks.game24`: they depend on the numbers alone, so that every
framework hears the same of the same numbers, in whatever form it asks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from benchmarks.game24 import GOAL, Scorer, State, propose, steps
from benchmarks.model_server import Reply

NOISE, SEED, PROPOSED = 0.3, 0, 10
SURE, LIKELY = 0.7, 0.4
"""Opinions from which on the words of tree-of-thoughts are used."""
TASK = "Use each of the numbers {numbers} once and plain arithmetic to make 24."
GIVES = "gives 24"


def reply(body: Mapping[str, Any], text: str) -> Reply | None:
    """Answer what is asked about the game; None for anything else."""
    form = ((body.get("response_format") or {}).get("json_schema") or {}).get("name", "")
    if form:
        return _formed(form, body) if "to make 24." in text else None
    lines = [line.strip() for line in text.strip().splitlines()]
    if lines[-1] == "Possible next steps:":
        return Reply(
            "\n".join(line for line, _ in proposals(lines[-2].removeprefix("Input:"))), kind="propose"
        )
    if "Evaluate if given numbers can reach 24" in text:
        return Reply(_word(opinion(read(lines[-1]))), kind="value")
    if lines[-1] == "Judge:":
        return Reply("sure" if _right(lines[-3], lines[-2]) else "impossible", kind="value")
    if "Steps:" in text and "(left:" in lines[-1]:
        return Reply(f"Answer: {expression(text.rpartition('Steps:')[2])} = 24", kind="propose")
    return None


def read(numbers: str) -> State:
    """Read numbers that stand with spaces between them."""
    return tuple(sorted(Fraction(n) for n in numbers.split()))


@cache
def proposals(numbers: str) -> tuple[tuple[str, float], ...]:
    """Return proposed steps in the words of tree-of-thoughts, each with the opinion of what it leaves."""
    state = read(numbers)
    known = steps(state) if len(state) > 1 else ()
    rng = np.random.default_rng([SEED, *(abs(hash(n)) % 2**31 for n in state)])
    drawn = sorted(propose(known, PROPOSED, rng)) if known else []
    return tuple((_said(state, known[k].state), opinion(known[k].state)) for k in drawn)


@cache
def opinion(state: State) -> float:
    """Return what the model thinks of numbers, in [0, 1]; of a single number it is sure."""
    return Scorer(NOISE, SEED).score(state)


def _word(value: float) -> str:
    return "sure" if value >= SURE else "likely" if value >= LIKELY else "impossible"


def _said(before: State, after: State) -> str:
    """Say a step: which two numbers became which one."""
    for i, a in enumerate(before):
        for j, b in enumerate(before):
            rest = [n for k, n in enumerate(before) if k not in (i, j)]
            for sign, made in _made(a, b) if i != j else ():
                if tuple(sorted([*rest, made])) == after:
                    return f"{a} {sign} {b} = {made} (left: {' '.join(map(str, after))})"
    raise KeyError(f"{after} is no step from {before}")


def _made(a: Fraction, b: Fraction) -> list[tuple[str, Fraction]]:
    found = [("+", a + b), ("-", a - b), ("*", a * b)]
    return [*found, ("/", a / b)] if b else found


def solves(numbers: str, told: str) -> bool:
    """Tell whether steps, one after the other, lead from the numbers to 24; checked by arithmetic alone.

    Of several solutions the first counts.
    """
    told = next((part for part in told.split("Worked out:") if STEP.search(part)), "")
    state = read(numbers)
    for a, sign, b, made, left in STEP.findall(told):
        x, y = Fraction(a), Fraction(b)
        rest = list(state)
        if x not in rest:
            return False
        rest.remove(x)
        if y not in rest:
            return False
        rest.remove(y)
        results = dict(_made(x, y))
        if results.get(sign) != Fraction(made) or tuple(sorted([*rest, Fraction(made)])) != read(left):
            return False
        state = read(left)
    return state == (GOAL,)


STEP = re.compile(r"(-?[\d/]+) ([-+*/]) (-?[\d/]+) = (-?[\d/]+) \(left: ([-\d/ ]+)\)")


def expression(told: str) -> str:
    """Return one expression for steps."""
    known: dict[str, list[str]] = {}
    said = ""
    for a, sign, b, made, _ in STEP.findall(told):
        left = known[a].pop() if known.get(a) else a
        right = known[b].pop() if known.get(b) else b
        said = f"({left} {sign} {right})"
        known.setdefault(made, []).append(said)
    return said


def _right(numbers: str, answer: str) -> bool:
    """Tell whether an answer uses the numbers of the last puzzle of a prompt and is 24."""
    given = re.findall(r"\d+", numbers)
    words = answer.removeprefix("Answer:").split("=")[0]
    if sorted(re.findall(r"\d+", words)) != sorted(given) or set(words) - set("0123456789+-*/() "):
        return False
    try:
        return bool(abs(eval(words) - 24) < 1e-9)  # digits, signs and brackets alone
    except (SyntaxError, ZeroDivisionError):
        return False


def _formed(form: str, body: Mapping[str, Any]) -> Reply:
    """Answer a request of ours: a plan is the proposals with the opinions as priors."""
    from benchmarks.peers.script import formed
    from ddax.reasoning import rote

    said: Any
    if form == "expand":
        idea = rote.blocks(body).get("idea") or rote.task_of(body)  # the root's idea is the task
        said = {"children": _children(idea)}
    elif form == "plans":
        rows = [row.partition(" ") for row in rote.blocks(body)["ideas"].splitlines()]
        plans = [{"idea": int(number), "children": _children(idea)} for number, _, idea in rows]
        said = {"plans": [plan for plan in plans if plan["children"]] or plans[:1]}
    elif form == "judge":
        said = rote.ANSWERS["judge"](body)
        value = 1.0 if GIVES in rote.blocks(body).get("result", "") else 0.1
        said |= {"value": value, "confidence": 1.0}
        said["reasons"] = [{**reason, "score": value} for reason in said["reasons"]]
    elif form == "judges":
        found = [json.loads(row) for row in rote.blocks(body)["results"].splitlines()]
        alone = rote.ANSWERS["judge"](body)
        said = {"judgments": [_valued(alone, one["result"], one["number"]) for one in found]}
    else:
        said = formed(form, body)
    return Reply(
        json.dumps(said),
        kind={"expand": "propose", "plans": "propose", "judge": "value", "judges": "value"}.get(form, form),
    )


def _valued(alone: Mapping[str, Any], result: str, number: int) -> dict[str, Any]:
    """Return the judgment of one of several results."""
    value = 1.0 if GIVES in result else 0.1
    reasons = [{**reason, "score": value} for reason in alone["reasons"]]
    return {"number": number, "reasons": reasons, "value": value, "confidence": 1.0}


def _children(idea: str) -> list[dict[str, Any]]:
    return [_child(line, prior, idea) for line, prior in proposals(_left(idea)) if prior > 0]


def _left(idea: str) -> str:
    left = re.findall(r"\(left: ([-\d/ ]+)\)", idea)
    return left[-1] if left else " ".join(re.findall(r"\d+", idea.split("once")[0]))


def _child(line: str, prior: float, idea: str) -> dict[str, Any]:
    path = f"{idea}; {line}" if "(left:" in idea else line
    done = line.endswith("(left: 24)")
    args = [{"name": "steps", "value": path}]
    action = {"name": "check", "args": args, "intent": "see that it is right"} if done else None
    expected = "It is right." if done else f"24 can be made of {line.partition('left: ')[2].rstrip(')')}."
    return {"title": path, "expected": expected, "prior": round(prior, 3), "needs": [], "action": action}
