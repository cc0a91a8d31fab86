"""The second call of a request whose reply was of no use: a repair, or more room for the reply.

Leaves out whether there is one, and what becomes of its reply (`call`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ddax.reasoning.language.acting import CALL_AGAIN
from ddax.reasoning.language.provider.channel import Order, Said
from ddax.reasoning.language.provider.efforts import LESS
from ddax.reasoning.language.quote import block, shorten
from ddax.reasoning.language.replies.schemas import Unfit
from ddax.reasoning.language.usage import thought
from ddax.reasoning.prompts import render

MARK = 60
"""Bytes of the words that stand for what is cut off a reply."""


def repaired(
    order: Order, said: Said, fault: Unfit, *, most: int, room: Callable[[Order], int | None]
) -> Order | None:
    """Return the same request, with the bad reply as data and what is wrong with it; None: it does not fit.

    `most` are the characters of a reply that are quoted; `room` says how many bytes a request leaves for
    them, None where that is not known.
    """

    def ask(reply: str) -> Order:
        if order.native:
            again = CALL_AGAIN.format(fault=fault)
        else:
            again = render("repair", fault=str(fault), reply=block("reply", reply)).user
        return replace(order, messages=[*order.messages, ("human", again)])

    left, size = room(ask("")), len(said.text.encode("utf-8", "replace"))
    if left is None or 0 <= size <= left or (order.native and left >= 0):
        return ask(shorten(said.text, most))
    if left < MARK:
        return None
    fitting = len(said.text.encode("utf-8", "replace")[: left - MARK].decode("utf-8", "ignore"))
    return ask(shorten(said.text, min(most, fitting)))


def roomier(order: Order, said: Said, *, effort: bool, limit: int, room: int | None) -> Order | None:
    """Return a call with less thought or a larger limit; None where neither can be.

    `effort` says whether the model takes one, `limit` the usual output limit (0: there is none to raise),
    `room` the tokens that the window leaves, None where it is not known.
    """
    less = LESS.get(order.effort, "")
    if thought(said) and less and effort:
        return replace(order, effort=less)
    now = order.output or limit
    more = 2 * now if room is None else min(2 * now, room)
    return replace(order, output=more) if limit and more >= now + now // 4 else None
