"""A task that pays: a model behind the real language reasoner, a shop behind a real action.

Everything outside writes what happened to it into one file that no kill can take back.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.reasoning.language.provider.channel import Hear, Mode, Order, Said, name_of

QUESTION = "In which city was the architect of the Corvane Tower born, and when was its harbour built?"
PAGES = {
    "Corvane Tower": "The Corvane Tower is a lookout tower in Belmark. Ilse Maran designed it in 1931.",
    "Ilse Maran": "Ilse Maran was an architect. She was born in the city of Trondby and died in 1970.",
    "Trondby": "Trondby is a port city in the north. Its harbour was built in 1712.",
}
QUOTE = "She was born in the city of Trondby"
_LISTED = re.compile(r'^(S\d+) \{"title": ', re.MULTILINE)
_BLOCK = re.compile(r"\[BEGIN DATA \w+ (P\d+)\]\n(.*?)\n\[END DATA", re.DOTALL)


class Witness:
    """What the outside saw, in order: one JSON line an event, kept whatever becomes of the process."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def note(self, what: str, key: str) -> None:
        """Append one event."""
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(file, json.dumps([what, key]).encode() + b"\n")
        finally:
            os.close(file)

    def events(self) -> list[tuple[str, str]]:
        """Return every event."""
        if not self.path.exists():
            return []
        return [tuple(json.loads(line)) for line in self.path.read_text().splitlines()]


class Wanted(BaseModel):
    """What is ordered."""

    item: str


def shop(witness: Witness) -> Action:
    """Return the action that spends; the shop takes the key and sends nothing twice under it."""

    @action(effect="spends", idempotent=True)
    async def order(context: ActionContext, arguments: Wanted) -> ActionResult:
        """Order an item."""
        witness.note("effect", context.key)
        return ActionResult(f"ordered {arguments.item}")

    return order


class PaidModel:
    """A chat model that answers every request of the protocol by the same plan."""

    first_mode: Mode = "schema"
    takes_tools = True
    native = False
    limited = False
    sees = False
    address = "model:"
    traits = ""
    window = 0
    reads_form = True

    async def say(self, order: Order, hear: Hear | None = None) -> Said:
        """Make one paid call."""
        text = json.dumps(self._reply(name_of(order.wire), order.messages[-1][1], dict(order.choices)))
        return Said(text, {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120})

    async def close(self) -> None:
        """Have nothing to close."""

    def _reply(self, kind: str, prompt: str, choices: Mapping[str, Any]) -> Any:
        quotes = [{"passage": name, "quote": QUOTE} for name, text in _BLOCK.findall(prompt) if QUOTE in text]
        replies: dict[str, Any] = {
            "expand": {"children": [_child(*row) for row in _reading(prompt) or PLAN]},
            "predict": {"expected": "it is ordered", "confidence": 0.9},
            "extract": {
                "claims": [{"text": f"{QUOTE}.", "score": 0.9, **quote} for quote in quotes[:1]],
                "summary": "where she was born",
            },
            "argue": {"text": "It is quoted.", "citations": quotes[:1], "strength": 0.8},
            "judge": {
                "reasons": [
                    {"criterion": c, "score": 0.9, "reason": "so it is"}
                    for c in choices.get("ReasonWire.criterion", ())
                ],
                "value": 0.9,
                "confidence": 0.9,
            },
            "merge": {
                "sentences": [{"text": "She was born in Trondby.", "citations": quotes[:1]}]
                if quotes
                else [],
                "found": bool(quotes),
                "short": "Trondby" if quotes else "",
            },
            "reflect": {"text": "Read the page of the person first."},
            "ask": {"text": "Which one?"},
        }
        return replies[kind]


PLAN = (
    ("find the architect", "search", "query", "architect of the Corvane Tower"),
    ("read where she was born", "search", "query", "Ilse Maran born in the city"),
    ("order a map", "order", "item", "map of Trondby"),
    ("order a book", "order", "item", "book on harbours"),
)


def _reading(prompt: str) -> list[tuple[str, str, str, str]]:
    """Return a visit to each source that a request lists; none before something was found."""
    return [(f"read {name}", "visit", "source", name) for name in _LISTED.findall(prompt)]


def _child(title: str, name: str, argument: str, value: str) -> dict[str, Any]:
    call = {"name": name, "args": [{"name": argument, "value": value}], "intent": title}
    return {"title": title, "expected": f"{title}: {value}", "prior": 0.5, "action": call, "needs": []}
