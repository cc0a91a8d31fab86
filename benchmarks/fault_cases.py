"""The faults of a model's server, by battery: what is said, and what must come of it.

Every case is put to a reasoner over real HTTP; waits are counted, not slept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from ddax.reasoning import protocol as p
from ddax.reasoning.testing import Say
from ddax.types import Passage

ADA = Passage("m1", "a.txt", "Ada", "Ada Lovelace was born in 1815 in London.")
PREDICT = p.PredictRequest("t", {"name": "search", "args": {"query": "x"}, "intent": "birth"}, ())
EXPAND = p.ExpandRequest("t", "i", 0, (ADA,), (ADA,), (), ("search", "visit"))
QUOTE = {"passage": "P1", "quote": "born in 1815"}
FORECAST = {"expected": "a page", "confidence": 0.5}


def child(needs: Any = (), **changed: Any) -> dict[str, Any]:
    """Return a child of a plan with some keys changed."""
    args = [{"name": "query", "value": 'Ada {born} \\ "when"'}]
    call = {"name": "search", "args": args, "intent": "birth"}
    return {
        "title": "Find it",
        "expected": "a page",
        "prior": 0.5,
        "action": call,
        "needs": list(needs),
        **changed,
    }


def plan(*children: Any) -> dict[str, Any]:
    """Return a plan."""
    return {"children": list(children)}


REQUESTS: dict[str, tuple[Any, Any]] = {
    "expand": (EXPAND, plan(child(), child([0], title="Grüße – “read” it"))),
    "extract": (
        p.ExtractRequest("t", "birth", (ADA,)),
        {"claims": [{"text": "Born 1815.", "score": 0.9, **QUOTE}], "summary": "her birth"},
    ),
    "judge": (
        p.JudgeRequest("t", "i", "r", "e", (ADA,), rubric=("support",)),
        {
            "reasons": [{"criterion": "support", "score": 1, "reason": "quoted"}],
            "value": 0.8,
            "confidence": 0.7,
        },
    ),
    "merge": (
        p.MergeRequest("t", "i", (), (ADA,), final=True),
        {"sentences": [{"text": "In 1815.", "citations": [QUOTE]}], "found": True, "short": "1815"},
    ),
    "propose_patches": (
        p.PatchRequest("g", "x = 1\n", ("f",)),
        {"candidates": [{"hypothesis": "h", "reasoning": "r", "code": "x = {'a': \"b\"}\n"}]},
    ),
    "predict": (PREDICT, FORECAST),
    "argue": (
        p.ArgueRequest("t", "opponent", "i", "r", "e", (ADA,)),
        {"text": "No.", "citations": [QUOTE], "strength": 0.4},
    ),
    "reflect": (p.ReflectRequest("t", "a", "e", "x", 0.9, "policy"), {"text": "Search first."}),
    "mutate_patch": (
        p.MutateRequest("g", p.CodeCandidate("h", "x = 1\n", "r"), "no"),
        {"candidates": [{"hypothesis": "h", "reasoning": "r", "code": "x = 3\n"}]},
    ),
    "ask": (p.AskRequest("t", "s", ()), {"text": "a or b?"}),
}
CUT = ("expand", "extract", "judge", "merge", "propose_patches")
"""The five replies that are cut at every byte."""


Wanted = Literal["whole", "part", "error", "part or error"]


class Case(NamedTuple):
    """A fault: its battery, the request it meets, what the server says, and which reply must come.

    That is the "whole" one, at least a "part" of it with nothing that it does not say, or an "error".
    """

    battery: str
    name: str
    method: str
    says: tuple[Say, ...]
    end: Wanted


def statuses() -> Iterator[Case]:
    """L1: every status, with every Retry-After."""
    for status in (400, 401, 403, 404, 413, 422):
        yield Case("L1", f"{status}", "predict", (Say("no", status=status),) * 3, "error")
    for status in (408, 409, 425, 429, 500, 502, 503, 504, 529):
        yield Case("L1", f"{status} once", "predict", (Say("no", status=status), Say(FORECAST)), "whole")
        yield Case("L1", f"{status} for good", "predict", (Say("no", status=status),) * 4, "error")
    far = ("1000000000", "Fri, 31 Dec 2999 23:59:59 GMT")  # nobody waits for these
    for said in ("0", "1", *far, "x", "-5", "nan"):
        busy = Say("no", status=429, headers={"retry-after": said})
        end: Wanted = "error" if said in far else "whole"
        yield Case("L1", f"429 retry-after {said}", "predict", (busy, Say(FORECAST)), end)
    yield Case("L2", "reset in the body, once", "predict", (Say(FORECAST, cut=True), Say(FORECAST)), "whole")
    yield Case("L2", "reset in the body, for good", "predict", (Say(FORECAST, cut=True),) * 4, "error")


def cuts(every: int) -> Iterator[Case]:
    """L3: five good replies cut at every byte, then asked again well, or cut again."""
    for method in CUT:
        good = Say(REQUESTS[method][1])
        data = json.dumps(REQUESTS[method][1], ensure_ascii=False).encode()
        for size in range(0, len(data), every):
            cut = Say(data[:size].decode("utf-8", "ignore"))
            yield Case("L3", f"{method} cut at {size}", method, (cut, good), "part")
            yield Case("L3", f"{method} cut at {size} twice", method, (cut, cut, cut), "part or error")


MALFORMED = {
    "empty": "", "words": "I cannot help.", "single quotes": "{'a': 1}", "NaN": '{"a": NaN}',
    "1e999": '{"a": 1e999}', "digits": '{"a": ' + "9" * 5000 + "}",
    "Infinity": '{"a": -Infinity}', "twice a key": '{"a": 1, "a": 2}', "comment": '{"a": 1 /* x */}',
    "deep": '{"a": ' + "[" * 100_000 + "}", "long": '{"a": "' + "x" * 10_000_000 + '"}', "list": "[1, 2]",
    "extra key": '{"zzz": 1}', "null": "null", "two objects": '{"a": 1} {"b": 2}',
    "surrogate": '{"text": "\\ud800"}', "number": "3", "tags": "<|im_end|>{",
}  # fmt: skip


def malformed() -> Iterator[Case]:
    """L4: malformed replies to every request, good ones oddly wrapped, and plans without sense."""
    for method, (_, good) in REQUESTS.items():
        text = json.dumps(good)
        for name, said in MALFORMED.items():
            yield Case("L4", f"{method}: {name}", method, (Say(said),) * 3, "error")
        for name, said in (
            ("fenced", f"```json\n{text}\n```"),
            ("BOM", f"\ufeff{text}"),
            ("chatty", f"Sure: {text} Ok."),
        ):
            yield Case("L4", f"{method}: {name}", method, (Say(said),), "whole")

    def calls(action: str, name: str, value: str) -> dict[str, Any]:
        args = [{"name": name, "value": value}]
        return plan(child(action={"name": action, "args": args, "intent": "birth"}))

    odd = {
        "unknown action": plan(child(action={"name": "rm", "args": [], "intent": "birth"})),
        "unknown id": plan(child([7])), "itself": plan(child([0])), "circle": plan(child([1]), child([0])),
        "negative prior": plan(child(prior=-1)), "huge prior": plan(child(prior=1e308)),
        "before the first": plan(child([-1])), "address": calls("visit", "source", "http://x"),
        "unknown argument": calls("search", "z", ""),
    }  # fmt: skip
    for name, value in odd.items():
        yield Case("L4", f"plan: {name}", "expand", (Say(value),) * 3, "part")


def endings() -> Iterator[Case]:
    """L5: replies that end oddly, and tool calls nobody asked for; L8: usage that is missing or wrong."""
    call = ("predict", json.dumps(FORECAST))
    for name, says, answered in (
        ("refusal", (Say("", refusal="no"),), False),
        ("empty", (Say(""), Say("")), False),
        ("length", (Say('{"expected": "a', finish_reason="length"), Say(FORECAST)), True),
        ("length twice", (Say("{", finish_reason="length"),) * 3, False),
        ("content filter", (Say("", finish_reason="content_filter"),), False),
        ("tool call without arguments", (Say("", tools=(("predict", ""),)),) * 3, False),
        ("tool call instead of text", (Say("", tools=(call,)),), True),
        ("tool in another case", (Say("", tools=(("PREDICT", call[1]),)),), True),
        ("64 tool calls", (Say("", tools=(call,) * 64), Say(FORECAST)), True),
        ("another tool", (Say("", tools=(("rm", "{}"),)),) * 3, False),
        ("no completion", (Say(raw=b"{}"),) * 3, False),
        ("a page", (Say(raw=b"<html>"),) * 3, False),
        ("nothing at all", (Say(raw=b""),) * 3, False),
    ):
        yield Case("L5", name, "predict", says, "whole" if answered else "error")
    for name, usage in (
        ("none", None), ("empty", {}), ("negative", {"prompt_tokens": -5, "completion_tokens": -5}),
        ("huge", {"prompt_tokens": 10**12, "completion_tokens": 1}), ("words", {"prompt_tokens": "many"}),
        ("odd cache", {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 99}}),
    ):  # fmt: skip
        yield Case("L8", f"usage {name}", "predict", (Say(FORECAST, usage=usage),), "whole")


def all_cases(every: int) -> list[Case]:
    """Return the cases of L1 to L5 and L8; replies are cut at every `every`-th byte."""
    return [*statuses(), *cuts(every), *malformed(), *endings()]
