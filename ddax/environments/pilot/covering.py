"""A form by an order that says all of it: “Book Dr. Ruiz on 4 March 2027 at 10:30 for a check-up”.

Every word of the order has to be met: by an option, by a field for a day, a time, an address or a number, by
the name of a field with what stands behind it, by the button that bears the verb, or by a heading. Where one
word is left over, or goes with two fields alike, nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.asked import CONSENTS, asked_of
from ddax.environments.pilot.fields import fill, select
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.meeting import meet
from ddax.environments.pilot.naming import agrees
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.plans import Option, Plan, plan_of, told
from ddax.environments.pilot.posting import posts
from ddax.environments.pilot.pressing import click, press_node
from ddax.environments.pilot.rows import words_of_name
from ddax.environments.pilot.sending import left_empty
from ddax.environments.pilot.switches import is_on
from ddax.environments.pilot.wording import wording
from ddax.environments.pilot.words import KINDS

_COVERS = frozenset({"goal", "deed", "message", "order", "buy", "search", "find", "style"})
"""Kinds of orders that may fill and send a form."""
_SENDS = ("submit", "send", "post", "publish")
_SAYS: dict[str, tuple[str, ...]] = {
    "find": ("search", "view", "filter"), "search": ("find", "view", "filter"), "get": ("buy",),
    "schedule": ("book",), "calculate": ("convert",), "open": ("new", "add"), "add": ("new",),
    "new": ("add",), **dict.fromkeys(("leave", "write", "post", "give", "make", "send", "submit"), _SENDS),
}  # fmt: skip
"""Verbs that a button may say otherwise."""
_LOOKS = frozenset({"find", "search", "view"})
"""Verbs whose button may say besides what its page is about."""
_LITTLE = frozenset("a an the to of for from with my now here it all".split())  # noqa: SIM905
_MAKES = frozenset({"new", "add", "make", "write", "schedule", "plan", "open"})
"""Verbs of what a page may have a control to begin with."""
_NEW = re.compile(r"(?:open|write)\s+(?:an?|one)\s", re.IGNORECASE)
_TOLD = frozenset({"saying", "say", "text", "description", "with"})
_PUT = frozenset({"cart", "wishlist", "favourite", "order"})
"""What something is added to, rather than made."""
_ABOUT_IT = re.compile(r"(?P<verb>assign|give|set|send|address|mark)\s+it\s+(?P<rest>.+)", re.IGNORECASE)
"""What the next order adds to what is made."""


async def cover(pilot: Pilot, order: Order) -> bool | None:
    """Choose and write all that an order says, then press the button that bears its verb; else None."""
    opens = bool(order.quotes) and bool(_NEW.match(f"{order.word} {order.outside}"))
    logs = order.word == "log" and asked_of(order).verb == "log"  # “Log 2 hours”, and not “Log in”
    if not (order.verb in _COVERS or posts(order) or opens or logs) or order.exception:
        return None
    joined = _joined(pilot, order)
    for one in filter(None, (joined, order)):
        plans = [plan for plan in _plans(pilot, one) if plan.chosen or len(plan.written) > 1]
        if len(plans) == 1 and not _missing(pilot, one, plans[0]):
            if one is joined:
                pilot.orders[pilot.place] = replace(pilot.behind[0], verb="spare")
            return await _carry_out(pilot, plans[0])
    return await _begun(pilot, order)


def _joined(pilot: Pilot, order: Order) -> Order | None:
    """Return an order with what the next one says of the same thing, “and assign it to Bo”; else None."""
    behind = next(iter(pilot.behind), None)
    about = _ABOUT_IT.fullmatch(f"{behind.word} {behind.outside}".strip(" .")) if behind else None
    if behind is None or about is None or behind.quotes:
        return None
    more = f", {about['verb']} {about['rest']}"
    return replace(order, text=order.text + more, outside=order.outside + more)


async def _begun(pilot: Pilot, order: Order) -> bool | None:
    """Press the only control that begins what an order makes, and fill what comes; None where none does."""
    said, known = {word.key for word in wording(order).words}, {node.id for node in pilot.seen.nodes}
    quotes, more = len(wording(order).of_kind("quote")), bool(said & _TOLD or ":" in order.outside)
    verb = asked_of(order).verb
    if verb not in _MAKES or not (quotes > 1 or more) or said & _PUT:
        return None
    named = [(n, set(words_of_name(n.name)) - _LITTLE) for n in pilot.nodes({"button", "link"})]
    begins = [n for n, words in named if words & {"new", "add"} and words - {"new", "add"} <= said]
    if len(begins) != 1 or begins[0].submits or await click(pilot, begins[0]) != "changed":
        return None
    came = [n for n in pilot.nodes({"button"}) if n.id not in known and agrees(n)]
    plan = _filled(pilot, order, came[0], words_of_name(begins[0].name)) if len(came) == 1 else None
    return plan is not None and not _missing(pilot, order, plan) and await _carry_out(pilot, plan)


async def _carry_out(pilot: Pilot, plan: Plan) -> bool:
    for option in plan.chosen:
        if not await _take(pilot, option):
            return False
    for id, value in plan.written.items():
        now = pilot.seen.node(id)
        if now is None or not await fill(pilot, now, value):
            return False
    button = pilot.seen.node(plan.button.id)
    return button is not None and await press_node(pilot, button)


async def _take(pilot: Pilot, option: Option) -> bool:
    now = pilot.seen.node(option.node.id)
    if now is None:
        return False
    if now.tag == "select":
        return now.value == option.name or await select(pilot, now, [option.name])
    return is_on(now) or await click(pilot, now) != "refused"


def _plans(pilot: Pilot, order: Order) -> Iterator[Plan]:
    """Yield a plan for each button that bears the verb of an order and whose form takes all that it says."""
    verb = asked_of(order).verb
    if verb in CONSENTS | {"agree"}:
        return
    keys = {word.key for word in wording(order).words} | KINDS
    keys |= told(pilot) if verb in _LOOKS else set()
    for button in pilot.nodes({"button"}):
        words = [word for word in words_of_name(button.name) if word not in _LITTLE]
        bears = words[:1] in [[one] for one in (verb, *_SAYS.get(verb, ()))] and set(words[1:]) <= keys
        if bears or (verb in words and button.submits):
            plan = _filled(pilot, order, button, [verb, *words])
            if plan is not None:
                yield plan


def _filled(pilot: Pilot, order: Order, button: Node, known: Sequence[str]) -> Plan | None:
    """Return a plan for the form of a button that takes all that an order says; None where it does not."""
    plan = plan_of(pilot, button)
    return plan if meet(pilot, plan, wording(order), {asked_of(order).verb, *known}) else None


def _missing(pilot: Pilot, order: Order, plan: Plan) -> bool:
    """Tell whether the form asks for more than an order says; a message is sent with every field filled."""
    own = [n for n in plan.fields if "required" in n.state and not n.value and n.id not in plan.written]
    if order.verb == "message" and (left := left_empty(pilot, plan.button.form[0], plan.written)):
        own = [left]
    if own:
        pilot.misread(f"the form also asks for “{pilot.cut(label_of(own[0]), 60)}”", "Say this too")
    return bool(own)
