"""What becomes of what servers send: replies and errors in every form that was seen, over real HTTP.

Each case of `data/wires.yaml` is asked once over the scripted server. It ends right, in an error that names
a mend, or wrong; counted are the calls that are paid for beyond the first, and what is thrown away whole for
a slip in one part.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from benchmarks.core import ROOT, Figure, Options, Result, Target

if TYPE_CHECKING:
    from pathlib import Path

    from ddax.reasoning.language import LanguageReasoner
    from ddax.reasoning.testing import Say

NAME = "wires"
DESCRIPTION = "what becomes of replies and errors in the forms that servers send them"
CASES = ROOT / "benchmarks" / "data" / "wires.yaml"
PLAIN = {"content-type": "text/plain"}


@dataclass(frozen=True)
class Case:
    """One behaviour of a server, and what must come of it."""

    id: str
    sends: Sequence[Mapping[str, Any]]
    ask: str = "ask"
    want: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    refuses: Mapping[str, Any] = field(default_factory=dict)
    reported: tuple[str, ...] = ()
    stream: bool = False
    part: bool = False
    extra: int = 0
    effort: str = ""
    idle: float = 30.0


@dataclass(frozen=True)
class Fate:
    """How a case ended: `right`, `named` (an error with a mend, where one was due) or `wrong`, and why."""

    case: Case
    end: str
    why: str = ""
    paid: int = 0

    @property
    def extra(self) -> int:
        """Return the calls that were paid for beyond the first."""
        return max(0, self.paid - 1)

    @property
    def thrown(self) -> bool:
        """Whether the whole was thrown away for a slip in one part."""
        return self.case.part and self.end != "right"


def cases(table: Path = CASES) -> list[Case]:
    """Read a table."""
    import yaml

    rows = yaml.safe_load(table.read_text(encoding="utf-8"))
    return [Case(reported=tuple(row.pop("from", ())), **row) for row in rows]


class Server:
    """Answers the requests of one case, and counts those that are paid for."""

    def __init__(self, case: Case) -> None:
        self.case, self.paid = case, 0
        self._left = [say for sent in case.sends for say in _said(sent)]

    def answer(self, body: Mapping[str, Any]) -> Say:
        """Refuse what the case refuses, else send the next reply."""
        from ddax.reasoning.testing import Say

        refuses = self.case.refuses
        wanted = refuses.get("has", [])
        if any(_has(body, what) for what in ([wanted] if isinstance(wanted, str) else wanted)):
            return Say(status=refuses["status"], raw=str(refuses["body"]).encode(), headers=PLAIN)
        if not self._left:
            return Say("the script is exhausted", status=418)
        needs, say = self._left.pop(0)
        if any(body.get(key) != value for key, value in needs.items()):
            return Say(f"asked in the same way again, without {needs}", status=418)
        self.paid += say.status == 200 and b'"error"' not in (say.raw or b"")
        return say


def _has(body: Mapping[str, Any], what: str) -> bool:
    roles = [message["role"] for message in body["messages"]]
    if what == "system":
        return bool({"system", "developer"} & set(roles))
    if what == "two in a row":
        return any(one == other for one, other in pairwise(roles))
    return not body.get("stream") if what == "no stream" else what in body


def _said(sent: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Say]]:
    """Return what one line of a case sends, as often as it says."""
    from ddax.reasoning.testing import Say

    common: dict[str, Any] = {"thought": sent.get("thought", ""), "finish_reason": sent.get("finish", "stop")}
    if "status" in sent:
        say = Say(status=sent["status"], raw=str(sent["body"]).encode(), headers=PLAIN)
    elif "raw" in sent:
        say = Say(raw=str(sent["raw"]).encode())
    elif "events" in sent:
        pieces = tuple(_event(event) for event in sent["events"])
        say = Say(pieces=pieces, pause=sent.get("pause", 0.0))
    elif "tool" in sent:
        say = Say(tools=((sent["tool"], sent["args"]),) * sent.get("times_called", 1))
    else:
        say = Say(sent["json"] if "json" in sent else sent["text"], **common)
    for _ in range(sent.get("times", 1)):
        yield sent.get("needs", {}), say


def _event(event: Any) -> bytes:
    text = event if isinstance(event, str) else f"data: {json.dumps(event)}"
    return f"{text}\n\n".encode()


def _requests() -> dict[str, Any]:
    from ddax.reasoning import protocol as p
    from ddax.types import Passage

    ada = Passage("m1", "a.txt", "Ada", "Ada Lovelace was born in 1815 in London.")
    action = {"name": "search", "args": {"query": "Ada"}, "intent": "birth"}
    return {
        "ask": p.AskRequest("t", "s", ()),
        "predict": p.PredictRequest("t", action, (ada,)),  # type: ignore[arg-type]  # a plain dict
        "expand": p.ExpandRequest("t", "i", 0, (ada,), (), (), ("search",), width=5),
        "extract": p.ExtractRequest("t", "birth", (ada,), limit=3),
        "judge": p.JudgeRequest("t", "birth", "In 1815.", "a year", (ada,), rubric=("support",)),
        "merge": p.MergeRequest("t", "birth", (), (ada,), final=True),
        "reflect": p.ReflectRequest("t", "search", "a page", "nothing", 0.9, "policy"),
        "patches": p.PatchRequest("add", "x = 1", ("x != 2",), n=3),
    }


def _told(ask: str, reply: Any) -> dict[str, Any]:
    """Return of a reply what cases ask for."""
    if ask == "expand":
        return {
            "titles": [child.title for child in reply.children],
            "needs": [list(child.needs) for child in reply.children],
            "actions": [child.action["name"] if child.action else "" for child in reply.children],
        }
    if ask == "extract":
        return {"claims": [claim.citation.quote for claim in reply.claims]}
    if ask == "judge":
        return {"value": reply.value, "criteria": [name for name, _, _ in reply.reasons]}
    if ask == "merge":
        return {"found": reply.found, "answer": reply.text}
    if ask == "patches":
        return {"codes": [candidate.code for candidate in reply.candidates]}
    return dict(vars(reply))


async def fate_of(case: Case) -> Fate:
    """Ask one case, and say how it ended."""
    from ddax.errors import DdaxError
    from ddax.reasoning.testing import FakeOpenAI

    served = Server(case)
    with FakeOpenAI(answer=served.answer) as server:
        reasoner = _opened(case, server.base_url)
        pieces: list[str] = []
        asked: Any = reasoner.bound(_keeper(), hear=pieces.append) if case.stream else reasoner
        method = "propose_patches" if case.ask == "patches" else case.ask
        try:
            reply = await getattr(asked, method)(_requests()[case.ask])
        except DdaxError as error:
            named = bool(case.error) and case.error in str(error) and bool(error.mend)
            return Fate(case, "named" if named else "wrong", str(error), served.paid)
        finally:
            await reasoner.close()
    told = _told(case.ask, reply)
    differs = {key: told.get(key) for key, value in case.want.items() if told.get(key) != value}
    right = not differs and not case.error
    return Fate(case, "right" if right else "wrong", "" if right else f"{differs or told}", served.paid)


def _opened(case: Case, address: str) -> LanguageReasoner:
    from ddax.configs.models import ModelRecord, Models
    from ddax.reasoning.factory import Extras, open_reasoner
    from ddax.reasoning.language import Limits

    opened: Any = open_reasoner(
        ModelRecord(name="openai:gpt-4.1", base_url=address), embedder=None,  # type: ignore[arg-type]  # not asked
        prices={}, clock=time.monotonic, extras=Extras(environment={}),
        models=Models(cache=False, effort=case.effort),  # type: ignore[arg-type]  # a word of the table
        limits=Limits(first_wait=0.0, idle_seconds=case.idle, attempt_seconds=60.0),
    )  # fmt: skip
    return opened  # type: ignore[no-any-return]  # a language reasoner


def _keeper() -> Any:
    from ddax.configs.settings import Budget
    from ddax.reasoning.budget import BudgetKeeper

    return BudgetKeeper(Budget(), clock=time.monotonic)


async def fates() -> list[Fate]:
    """Ask every case."""
    return [await fate_of(case) for case in cases()]


def run(options: Options) -> Result:
    """Ask every case, and count how they ended; the short form is the whole."""
    found = asyncio.run(fates())
    n, ends = len(found), ("right", "named", "wrong")
    counts = {end: sum(fate.end == end for fate in found) for end in ends}
    thrown = sum(fate.thrown for fate in found)
    dear = sum(fate.extra > fate.case.extra for fate in found)
    cited = sum(bool(fate.case.reported) for fate in found)
    figures = (
        Figure("behaviours", n, target=Target(">=", 60)),
        Figure("right", counts["right"], "of all", n=n),
        Figure("an error that names its mend, where one is due", counts["named"], "of all", n=n),
        Figure("wrong", counts["wrong"], "of all", Target("<=", 0), n=n),
        Figure("thrown away for one part", thrown, "of all", Target("<=", 0), n=n),
        Figure("paid calls beyond the first, at most", max(f.extra for f in found), "", Target("<=", 1), n=n),
        Figure("cases with more paid calls than they need", dear, "of all", Target("<=", 0), n=n),
        Figure("behaviours reported on a public tracker", cited, "of all", n=n),
    )  # fmt: skip
    return Result(NAME, figures, notes=tuple(map(_line, found)))


def _line(fate: Fate) -> str:
    who = ", ".join(fate.case.reported) or "uncited"
    why = f": {fate.why[:160]}" if fate.end == "wrong" else ""
    return f"{fate.end}, {fate.extra} more paid, {fate.case.id} ({who}){why}"
