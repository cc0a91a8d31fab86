"""A model that answers every request by rote: for whole runs over a fake server, with no key.

It plans a search and a reading of what was found, quotes first sentences, and finds every result good.
It reads only what it is sent, as a model does. Give `reply` to `ddax.reasoning.testing.FakeOpenAI`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Body = Mapping[str, Any]
_BEGIN = re.compile(r"\[BEGIN DATA (\w+) (\w+)\]\n")
_END = re.compile(r"\n\[END DATA (\w+)\]")
_SENTENCE = re.compile(r"(?<![^.!?\n])[^.!?\n]{12,}[.!?]")


def reply(body: Body) -> dict[str, Any]:
    """Return the reply to a request as a value that fits its schema; raises KeyError for an unknown one."""
    return ANSWERS[request_of(body)](body)


def request_of(body: Body) -> str:
    """Return which request a body makes, by the form it asks for."""
    form = body.get("response_format")
    if form:
        return str(form["json_schema"]["name"])
    return str(body["tools"][0]["function"]["name"])


def blocks(body: Body) -> dict[str, str]:
    """Return the texts that are marked as data, by their label."""
    said = _user(body)
    ends = {end[1]: end.start() for end in _END.finditer(said)}
    return {
        begun[2]: said[begun.end() : ends[begun[1]]] for begun in _BEGIN.finditer(said) if begun[1] in ends
    }


def _user(body: Body) -> str:
    content = body["messages"][1]["content"]
    return str(content if isinstance(content, str) else content[0]["text"])


def _quotes(body: Body) -> list[tuple[str, str]]:
    """Return the first sentence of each passage with its name."""
    found = []
    for label, text in blocks(body).items():
        if re.fullmatch(r"P\d+", label):
            sentence = _SENTENCE.search(text.partition("\n")[2])
            if sentence:
                found.append((label, sentence.group().strip()))
    return found


def task_of(body: Body) -> str:
    """Return the first line of the task of a request."""
    return f"\n{_user(body)}".partition("\nTASK\n")[2].partition("\n")[0]


def _expand(body: Body) -> dict[str, Any]:
    task = task_of(body)
    names = re.findall(r"^(S\d+) ", blocks(body).get("sources", ""), re.MULTILINE)
    limits = re.search(
        r"depth (\d+) of at most \d+, at most (\d+) children(?:, at most (\d+) visits)?", _user(body)
    )
    depth, width, visits = (int(n or 0) for n in limits.groups()) if limits else (0, 5, 5)
    if depth == 0:
        return {"children": [
            _child(f"search for {task[:80]}", "search", {"query": task[:200], "k": "20"}),
            {**_child("read what was found", "", {}), "action": None, "needs": [0]},
        ]}  # fmt: skip
    return {"children": [_child(f"read {n}", "visit", {"source": n}) for n in names[: min(width, visits)]]}


def _child(title: str, action: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    args = [{"name": name, "value": value} for name, value in arguments.items()]
    call = {"name": action, "args": args, "intent": "what bears on the task"}
    return {"title": title, "expected": "a page that bears on it", "prior": 0.5, "action": call, "needs": []}


def _extract(body: Body) -> dict[str, Any]:
    return _claims(_quotes(body))


def _claims(quotes: Sequence[tuple[str, str]]) -> dict[str, Any]:
    claims = [{"text": q, "passage": name, "quote": q, "score": 0.5} for name, q in quotes]
    return {"claims": claims[:3], "summary": claims[0]["text"] if claims else "nothing"}


def _judge(body: Body) -> dict[str, Any]:
    rubric = _user(body).partition("RUBRIC\n")[2].partition("\n\n")[0].splitlines()
    reasons = [{"criterion": json.loads(line), "score": 0.75, "reason": "it is so"} for line in rubric]
    return {"reasons": reasons, "value": 0.75, "confidence": 0.75}


def _merge(body: Body) -> dict[str, Any]:
    sentences = [
        {"text": quote, "citations": [{"passage": name, "quote": quote}]} for name, quote in _quotes(body)[:3]
    ]
    return {"sentences": sentences, "found": bool(sentences), "short": ""}


def _argue(body: Body) -> dict[str, Any]:
    cited = [{"passage": name, "quote": quote} for name, quote in _quotes(body)[:1]]
    return {"text": "The passages bear it out.", "citations": cited, "strength": 0.5}


def _plans(body: Body) -> dict[str, Any]:
    numbers = [line.partition(" ")[0] for line in blocks(body)["ideas"].splitlines()]
    return {"plans": [{"idea": int(number), **_expand(body)} for number in numbers]}


def _numbers(body: Body, label: str) -> list[int]:
    return [int(json.loads(row)["number"]) for row in blocks(body)[label].splitlines()]


def _judges(body: Body) -> dict[str, Any]:
    return {"judgments": [{"number": n, **_judge(body)} for n in _numbers(body, "results")]}


def _extracts(body: Body) -> dict[str, Any]:
    rows = [json.loads(row) for row in blocks(body)["parts"].splitlines()]
    quotes = _quotes(body)
    return {
        "parts": [
            {"number": row["number"], **_claims([one for one in quotes if one[0] in row["passages"]])}
            for row in rows
        ]
    }


ANSWERS: Mapping[str, Callable[[Body], dict[str, Any]]] = {
    "expand": _expand, "plans": _plans, "extract": _extract, "extracts": _extracts, "judges": _judges,
    "judge": _judge, "merge": _merge, "argue": _argue,
    "predict": lambda _: {"expected": "a page that bears on it", "confidence": 0.5},
    "reflect": lambda _: {"text": "Search before reading."},
    "patches": lambda _: {"candidates": []},
    "ask": lambda _: {"text": "Shall I go on?"},
}  # fmt: skip
