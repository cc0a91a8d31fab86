"""The contract of a reasoner: typed replies within their bounds, quotes that are verbatim, no invention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ddax.errors import ReasonerError
from ddax.reasoning import protocol as p
from ddax.reasoning.acting import Offered
from ddax.reasoning.protocol import METHODS, Reasoner
from ddax.testing.contract import Contract, expect
from ddax.testing.pages import PAGES, QUESTION
from ddax.types import ActionCall, Citation, Passage, Usage

ACTIONS = ("search", "visit", "save", "think")
READ = tuple(Passage(f"m-{t}", t, t, text, 0, len(text), 0.8) for t, text in PAGES.items())
VISIT = ActionCall(name="visit", args={"source": "Ilse Maran"}, intent="where she was born")
QUOTE = Citation("m-Ilse Maran", "Ilse Maran", "Ilse Maran", "She was born in the city of Trondby", 30, 65)
FOUND = p.Finding("0.0", "read Ilse Maran", "done", "She was born in the city of Trondby.", (QUOTE,), "visit")
BROKEN = p.CodeCandidate("the sign is wrong", "def add(a, b):\n    return a - b\n", "read the test")
LOOK_UP = Offered(
    "look_up", "Look a name up in the register.", "- name (string, required)",
    {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)  # fmt: skip
OPTIONAL = ("act",)
"""Methods that a reasoner may lack: it is then offered no leaf of several turns."""
REQUESTS: dict[str, Any] = {
    "expand": p.ExpandRequest(QUESTION, QUESTION, 0, (), (), (), ACTIONS),
    "predict": p.PredictRequest(QUESTION, VISIT, READ),
    "extract": p.ExtractRequest(QUESTION, "where Ilse Maran was born", READ),
    "argue": p.ArgueRequest(QUESTION, "proponent", "read Ilse Maran", FOUND.result, "a city", READ),
    "judge": p.JudgeRequest(QUESTION, "read Ilse Maran", FOUND.result, "a city", READ),
    "merge": p.MergeRequest(QUESTION, QUESTION, (FOUND,), READ, final=True),
    "reflect": p.ReflectRequest(QUESTION, "visit", "a city", "nothing was there", 0.9, "policy"),
    "propose_patches": p.PatchRequest("make the tests pass", BROKEN.code, ("test_add: 1 + 2 == 3",)),
    "mutate_patch": p.MutateRequest("make the tests pass", BROKEN, "test_add failed: -1 == 3"),
    "ask": p.AskRequest(QUESTION, "two sources disagree", ("go on", "stop")),
    "act": p.ActRequest(QUESTION, "find out where Ilse Maran was born", (LOOK_UP,)),
}
"""One request of each kind, over the pages of the kit."""


class ReasonerContract(Contract):
    """What holds for every reasoner; `make` opens one.

    `silent` names the methods it does not answer: they must then raise `ReasonerError`.
    """

    silent: tuple[str, ...] = ()

    def make(self) -> Reasoner:
        """Open a reasoner."""
        raise NotImplementedError

    async def ask(self, method: str) -> Any:
        """Return the reply to the kit's request of a method, None where the method is silent."""
        reasoner = self.make()
        if method in OPTIONAL and not callable(getattr(reasoner, method, None)):
            await self.close(reasoner)
            return None
        try:
            reply = await getattr(reasoner, method)(REQUESTS[method])
        except ReasonerError:
            meant = method in (*self.silent, *OPTIONAL)
            expect(meant, f"{method} did not answer; name it in `silent` if that is meant")
            return None
        finally:
            await self.close(reasoner)
        expect(method not in self.silent, f"{method} is named as silent, and answered")
        kind = METHODS[method]
        expect(isinstance(reply, kind), f"{method} returns {type(reply).__name__}, not {kind.__name__}")
        _plausible(reply.usage)
        return reply

    async def rule_it_has_a_name_and_every_method(self) -> None:
        reasoner = self.make()
        needed = [name for name in METHODS if name not in OPTIONAL]
        lacking = [name for name in needed if not callable(getattr(reasoner, name, None))]
        expect(reasoner.name, "a reasoner has a name: logs and trust are kept by it")
        expect(not lacking, f"the reasoner has no {', '.join(lacking)}")
        await self.close(reasoner)

    async def rule_a_plan_can_be_carried_out(self) -> None:
        reply, request = await self.ask("expand"), REQUESTS["expand"]
        children: tuple[Any, ...] = reply.children if reply else ()
        expect(len(children) <= request.width, f"{len(children)} children, and {request.width} were allowed")
        for index, child in enumerate(children):
            expect(child.title and child.expected, "a child needs a title and an expected outcome")
            expect(child.prior > 0, f"the prior {child.prior} is not above 0")
            expect(
                all(0 <= n < len(children) and n != index for n in child.needs), f"bad needs {child.needs}"
            )
            expect(not child.action or child.action["name"] in ACTIONS, f"unknown action {child.action}")

    async def rule_a_turn_calls_what_is_offered_or_says_what_was_found(self) -> None:
        reply, known = await self.ask("act"), {tool.name for tool in REQUESTS["act"].tools}
        calls: tuple[Any, ...] = reply.calls if reply else ()
        expect(reply is None or calls or reply.text.strip(), "act neither calls a tool nor says anything")
        for call in calls:
            expect(call.name in known, f"act calls {call.name!r}, which is not among {sorted(known)}")
            expect(isinstance(call.args, Mapping), f"the arguments {call.args!r} are no mapping")

    async def rule_quotes_are_verbatim(self) -> None:
        for method in ("extract", "argue", "merge"):
            reply = await self.ask(method)
            claims = reply.claims if method == "extract" and reply else ()
            _verbatim([claim.citation for claim in claims] if method == "extract" else _quotes(reply))

    async def rule_values_lie_between_0_and_1(self) -> None:
        for method, names in BOUNDED.items():
            reply = await self.ask(method)
            for name in names if reply else ():
                value = getattr(reply, name)
                expect(0.0 <= value <= 1.0, f"{method}: {name} is {value}, and lies in [0, 1]")

    async def rule_words_are_given_where_words_are_asked_for(self) -> None:
        for method, name in (
            ("predict", "expected"),
            ("reflect", "text"),
            ("ask", "text"),
            ("merge", "text"),
        ):
            reply = await self.ask(method)
            expect(reply is None or getattr(reply, name).strip(), f"{method} answered with an empty {name}")

    async def rule_repairs_are_distinct_programs(self) -> None:
        for method in ("propose_patches", "mutate_patch"):
            reply = await self.ask(method)
            codes = [candidate.code for candidate in reply.candidates] if reply else []
            expect(len(codes) == len(set(codes)), f"{method} proposed the same program twice")


BOUNDED = {
    "predict": ("confidence",),
    "argue": ("strength",),
    "judge": ("value", "confidence"),
    "merge": ("support",),
}


def _quotes(reply: Any) -> Iterable[Citation]:
    return reply.citations if reply else ()


def _verbatim(citations: Iterable[Citation]) -> None:
    texts = {passage.id: passage.text for passage in READ}
    for citation in citations:
        found = citation.quote in texts.get(citation.passage_id, "")
        expect(found, f"the quote {citation.quote[:80]!r} does not stand in {citation.passage_id!r}")


def _plausible(usage: Usage) -> None:
    expect(usage.model_calls >= 0 and usage.tokens >= 0, f"the usage {usage} is below zero")
    expect(usage.usd is None or usage.usd >= 0, f"the price {usage.usd} is below zero")
