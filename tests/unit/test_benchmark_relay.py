"""The door before a local model: it keeps replies, and its books count each call as it was first paid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.hotpot import Case
from benchmarks.model_questions import HIDDEN, PLAIN, Fate, _figures
from benchmarks.relay import Relay, usage_of

BODY = {"messages": [{"role": "user", "content": "Where?"}], "temperature": 0}
USAGE = {"prompt_tokens": 7, "completion_tokens": 2}


class Counted(Relay):
    """A door before a model that says the same and is counted."""

    asked = 0

    def _asked(self, path: str, body: Any) -> dict[str, Any]:
        self.asked += 1
        return {"status": 200, "type": "application/json", "text": "{}", "seconds": 3.0,
                "tokens_in": 7, "tokens_out": 2}  # fmt: skip


def test_a_kept_reply_is_not_asked_for_again_and_costs_what_it_did(tmp_path: Path) -> None:
    first = Counted("http://127.0.0.1:1", tmp_path)
    first.answer("/v1/chat/completions", BODY)
    again = Counted("http://127.0.0.1:2", tmp_path)
    again.answer("/v1/chat/completions", {**BODY, "model": "another name"})
    assert (first.asked, again.asked) == (1, 0)
    assert again.books()["calls"] == [{"kind": "chat", "tokens_in": 7, "tokens_out": 2, "seconds": 3.0}]
    again.answer("/v1/chat/completions", {**BODY, "temperature": 1})
    assert again.asked == 1
    again.clear()
    assert again.books()["calls"] == []


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"choices": [], "usage": USAGE}),
        f'data: {{"choices": []}}\n\ndata: {json.dumps({"usage": USAGE})}\n\ndata: [DONE]\n\n',
    ],
)
def test_tokens_are_read_from_a_reply_and_from_a_stream(text: str) -> None:
    assert usage_of(text) == (7, 2)


def test_a_reply_that_counts_nothing_has_none() -> None:
    assert usage_of("no JSON") == usage_of('{"error": "no"}') == (0, 0)


def test_the_lead_is_over_the_questions_that_both_were_asked() -> None:
    cases = [Case(f"Question {n}?", "Oslo", frozenset()) for n in range(4)]
    mine = [Fate("In Oslo.", True, 1, 1200, 9.0) for _ in cases]
    other = [Fate("In Oslo.", True, 1, 800, 5.0), Fate("In Bergen.", True, 1, 800, 5.0)]
    refused = [Fate("", False, 1, 900, 7.0), Fate("", False, 1, 900, 7.0)]
    found = {"ddax, quick": mine, PLAIN: other, HIDDEN: refused}
    figures = {one.name: one for one in _figures(cases, found, 0)}
    lead = figures[f"lead over {PLAIN}"]
    assert (lead.value, lead.n) == (0.5, 2)
    assert figures["ddax, quick: tokens a question"].value == 1200
    assert figures["ddax, quick: refused without the supporting documents"].value == 1
    assert figures["ddax: runs that ended in an error or a time-out"].value == 0


@pytest.mark.parametrize("status", [429, 503])
def test_what_may_pass_is_asked_again(tmp_path: Path, status: int) -> None:
    class Busy(Counted):
        def _asked(self, path: str, body: Any) -> dict[str, Any]:
            return {**super()._asked(path, body), "status": status}

    relay = Busy("http://127.0.0.1:1", tmp_path)
    assert [relay.answer("/v1/chat/completions", BODY)[0] for _ in range(2)] == [status, status]
    assert relay.asked == 2


def test_a_quotation_is_no_answer_and_a_failure_no_refusal() -> None:
    cases = [Case("Question?", "Oslo", frozenset())]
    quoted = Fate("In Bergen.\n\n> Oslo is a town.", True, 1, 1200, 9.0)
    failed = Fate("", False, 1, 900, 7.0, error="model: no usable reply")
    figures = {one.name: one for one in _figures(cases, {"ddax, quick": [quoted], HIDDEN: [failed]}, 0)}
    assert figures["ddax, quick: answer in the answer (60 words)"].value == 0
    assert figures["ddax, quick: the same with the quotations behind it"].value == 1
    assert figures["ddax, quick: refused without the supporting documents"].value == 0
    assert figures["ddax: runs that ended in an error or a time-out"].value == 1
