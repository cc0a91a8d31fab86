"""Research as the scripted model does it: it knows what to look for, and answers from what it is shown alone.

It reads a supporting page where a list names one, searches for one that a read page names, else for the
question with what is known of it, and gives the answer once it has seen all that carry it; before, none.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.core import data_file
from benchmarks.model_server import Reply

DATA = "DDAX_PEERS_DATA"
"""Environment variable that names the folder of the questions to the server."""
FILE = "hotpot_dev.jsonl"
SEEN = 60
"""Characters of a page by which it is known to have been shown."""
NUMBER = re.compile(r" \[\d+\]")
"""What stands behind a sentence that a request of ours tells."""
NOTHING = "It cannot be answered from what was read."
BETWEEN = re.compile(r"^KIND\nan intermediate result", re.MULTILINE)
"""What a request of ours says that asks for no final answer."""


class Question(NamedTuple):
    """A question, its answer, and the pages that carry it: title and text."""

    text: str
    answer: str
    pages: Sequence[tuple[str, str]]


def reply(body: Mapping[str, Any], text: str) -> Reply | None:
    """Answer a request about one of the questions; None for anything else."""
    asked = next((q for q in questions() if q.text in text), None)
    if asked is None:
        return None
    form = ((body.get("response_format") or {}).get("json_schema") or {}).get("name", "")
    if form:
        return Reply(json.dumps(_formed(form, asked, body, text)), kind=form)
    tools = [tool["function"]["name"] for tool in body.get("tools") or ()]
    if not tools:
        return _planned(asked, text) or Reply(answer_of(asked, text), kind="answer")
    step = _next(asked, text, searched="FOUND" in text)
    if step is not None:
        return Reply(
            tools=((step[0], json.dumps({"query" if step[0] == "search" else "title": step[1]})),),
            kind=step[0],
        )
    if "final_answer" in tools:
        return Reply(tools=(("final_answer", json.dumps({"answer": answer_of(asked, text)})),), kind="answer")
    return Reply(answer_of(asked, text), kind="answer")


def _planned(question: Question, text: str) -> Reply | None:
    """Answer gpt-researcher's two requests before it writes: who it is to be, and what to search for."""
    if "agent_role_prompt" in text:
        role = {"server": "Reader", "agent_role_prompt": "You answer questions from what you read."}
        return Reply(json.dumps(role), kind="role")
    if "search queries to research the following task" not in text:
        return None
    return Reply(json.dumps([question.text, *_queries(question, text)][-3:]), kind="plan")


def read(question: Question, text: str) -> list[str]:
    """Return the titles of the supporting pages that a text shows, with numbers in it or without."""
    plain = NUMBER.sub("", text)
    return [title for title, page in question.pages if page[:SEEN] in plain]


def answer_of(question: Question, text: str) -> str:
    """Return the answer if all that carries it was shown."""
    return question.answer if len(read(question, text)) == len(question.pages) else NOTHING


def _next(question: Question, text: str, *, searched: bool) -> tuple[str, str] | None:
    """Return the next search or reading; None where there is none."""
    if not searched:
        return "search", question.text
    known = read(question, text)
    unread = [title for title, _ in question.pages if title not in known]
    listed = [title for title in unread if f"- {title}" in text]
    if listed:
        return "read", listed[0]
    fresh = [query for query in _queries(question, text) if f"FOUND for {query}" not in text]
    return ("search", fresh[0]) if unread and fresh else None


def _queries(question: Question, shown: str) -> list[str]:
    """Return what to search for: pages that are named but not shown, else what is known of the question."""
    known = read(question, shown)
    named = [title for title, _ in question.pages if title not in known and title in shown]
    told = " ".join(page.partition(". ")[0] for title, page in question.pages if title in known)
    return named or [f"{question.text} {told}".strip()[:200]]


def _formed(form: str, asked: Question, body: Mapping[str, Any], text: str) -> dict[str, Any]:
    from benchmarks.peers.script import formed
    from ddax.reasoning import rote

    if form == "expand":
        return {"children": _children(asked, rote.blocks(body))}
    said = formed(form, body)
    if form == "merge" and not BETWEEN.search(text):
        whole = answer_of(asked, text)
        cited = [s for s in said["sentences"] if whole in s["text"]] or said["sentences"]
        return {
            "sentences": cited,
            "found": bool(cited) and whole != NOTHING,
            "short": whole if whole != NOTHING else "",
        }
    return said


def _children(asked: Question, blocks: Mapping[str, str]) -> list[dict[str, Any]]:
    shown = "\n".join(blocks.values())
    known = read(asked, "\n".join(text for label, text in blocks.items() if label != "sources"))
    unread = [title for title, _ in asked.pages if title not in known]
    rows = [line.split(" ", 1) for line in blocks.get("sources", "").splitlines() if line.startswith("S")]
    listed = {json.loads(row)["title"]: name for name, row in rows}
    if not unread:
        return []
    visits = [
        _child(f"read {title}", "visit", "source", listed[title]) for title in unread if title in listed
    ]
    if visits:
        rest = [title for title in unread if title not in listed]
        return [*visits, *([_later(len(visits))] if rest else [])]
    query = _queries(asked, shown)[0]
    return [_child(f"search for {query}"[:200], "search", "query", query), _later(1)]


def _child(title: str, name: str, argument: str, value: str) -> dict[str, Any]:
    call = {"name": name, "args": [{"name": argument, "value": value}], "intent": title}
    return {"title": title, "expected": "a page that bears on it", "prior": 0.5, "action": call, "needs": []}


def _later(count: int) -> dict[str, Any]:
    later = {"title": "go on with what was found", "expected": "a page that bears on it", "prior": 0.5}
    return {**later, "action": None, "needs": list(range(count))}


@cache
def questions() -> tuple[Question, ...]:
    """Return the questions of the file, none where there is no file."""
    folder = os.environ.get(DATA)
    path = data_file(FILE, Path(folder) if folder else None)
    if path is None:
        return ()
    return tuple(question_of(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


def question_of(row: Mapping[str, Any]) -> Question:
    """Read one line of the file."""
    wanted = {title for title, *_ in row["supporting"]}
    pages = [(p["title"], "".join(p["sentences"]).strip()) for p in row["paragraphs"] if p["title"] in wanted]
    return Question(row["question"], row["answer"], pages)
