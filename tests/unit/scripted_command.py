"""A scripted agent behind the real command line, for the tests of commands."""

from __future__ import annotations

import json

from ddax.cli.main import run_command
from ddax.cli.scripted import ScriptedAgent

RESULT = {
    "thread_id": "", "status": "done", "stop_reason": "", "answer": "It is 42.", "short": "42",
    "citations": [{"source": "a.txt", "title": "A", "quote": "the answer is 42"}], "ideas": 3, "steps": 4,
    "usage": {"model_calls": 0, "tokens": 0, "usd": 0.0, "seconds": 0.5}, "rigidity": 0.1, "mood": "EXPLORE",
    "failures": [], "question": None,
}  # fmt: skip
EVENT = {"type": "node", "node": "select", "step": 1, "data": {"decision": {"next": "act", "focus": ["0"]}}}


def agent(**changes) -> ScriptedAgent:
    extra = {key: changes.pop(key) for key in ("events", "error", "pause", "state") if key in changes}
    return ScriptedAgent({**RESULT, **changes}, **{"events": [EVENT], **extra})


def call(capsys, *argv: str, by: ScriptedAgent | None = None) -> tuple[int, str, str]:
    code = run_command(argv, opener=(by or agent()).open)
    out, err = capsys.readouterr()
    return code, out, err


def one_object(text: str) -> dict:
    value, end = json.JSONDecoder().raw_decode(text)
    assert text[end:] == "\n"
    return value
