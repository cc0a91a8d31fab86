"""What an order asks of a control: the words that have to be met, and those that a control says."""

from __future__ import annotations

from dataclasses import dataclass

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.rows import words_of, words_of_name
from ddax.environments.pilot.words import lettered, ordinal

_LITTLE = frozenset("a an the to of for from with as your my this it its now here".split())  # noqa: SIM905
"""Words on a control that an order may leave out."""
CONSENTS = frozenset({"accept", "reject", "decline", "allow", "deny"})
"""Verbs for which a control may say “all”: “Accept the cookies”."""


@dataclass(frozen=True)
class Asked:
    """What an order says: its words, its verb, and how often it is to be done."""

    words: tuple[str, ...]
    times: int = 1
    place: int = 0
    """The place that it counts to, 0 where it counts nothing."""
    name: str = ""
    """What is to be written where the page asks for it then."""

    @property
    def verb(self) -> str:
        return self.words[0] if self.words else ""


def asked_of(order: Order) -> Asked:
    """Read an order as words that must be met."""
    words = words_of(f"{order.word} {order.text}")
    times = 2 if "twice" in words else 1
    return Asked(tuple(word for word in words if word != "twice"), times, ordinal(order.outside))


def names_of(node: Node, verb: str) -> set[str]:
    """Return the words of a control that an order must say; without a name those of its attributes."""
    if node.name:
        little = _LITTLE | ({"all"} if verb in CONSENTS else set())
        words = set(words_of_name(node.name)) - little
        return {word for word in words if lettered(word)} or words
    return {verb} & set(words_of(node.hints))
