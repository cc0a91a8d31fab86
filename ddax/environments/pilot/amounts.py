"""Sliders and spinners: bring one to a number by writing, by arrow keys, or by the controls beside it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import partial

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.words import (
    BOXES,
    FIELD,
    LIKE,
    amount,
    content,
    likeness,
    nth,
    numbers,
    ordinal,
    tokens,
    without_places,
    written,
)

SLIDERS, SPINNERS = frozenset({"slider", "handle"}), frozenset({"spinbutton"})
MAX_STEPS = 220
NEAR = 40
"""Pixels between a spinner and a control of it at most."""
UP = frozenset({"+", "▲", "△", "up", "increase", "increment", "plus"})
DOWN = frozenset({"-", "−", "–", "▼", "▽", "down", "decrease", "decrement", "minus"})
"""The words and signs of the controls of a spinner."""
BESIDES = frozenset({"quantity", "value", "by", "one", "the", "step", "number", "amount", "of", "count"})
"""Words of such a control besides its direction and those of its spinner."""
LOOKS = frozenset(
    """angle arrow bi btn button caret chevron control default fa far fas fill glyphicon icon icons input lg
    mdi outline primary qty secondary sm square triangle""".split()  # noqa: SIM905
)
"""Words by which the attributes of a control without a name say how it looks, and not what it does."""
PARTS = frozenset({"spin", "spinner", "stepper", "touchspin"})
"""Words by which they say that it is a part of a spinner."""
_NO_NAME = frozenset({"combination", "number", "percent", "position", "value"})
"""Words for a number, and for no slider."""
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_LIST = re.compile(rf"[\[(]\s*({NUMBER.pattern}(?:\s*,\s*{NUMBER.pattern})+)\s*[\])]")
_ASIDE = re.compile(r"\((?:[^()]|\([^()]*\))*+\)|\[[^\[\]]*\]")
_FROM = re.compile(rf"\bfrom\s+{NUMBER.pattern}(?=\s+to\b)")
Step = Callable[[Pilot, Node, bool], Awaitable[bool]]
"""Make one step up or down; False where there is no way to."""


async def set_amount(pilot: Pilot, order: Order) -> bool | None:
    """Set the sliders or spinners of an order to its numbers; None where it speaks of none."""
    words, wanted = set(tokens(order.text)), amounts(order.text)
    kind = SLIDERS if words & {"slider", "sliders"} else SPINNERS if words & {"spinner", "spinners"} else None
    pool = pilot.nodes(kind or SLIDERS | SPINNERS)
    if not pool or not wanted or (not kind and (order.quotes or len(wanted) > 1)):
        return None
    if len(wanted) > 1:
        several = bool(words & {"sliders", "spinners"}) or _LIST.search(order.text) is not None
        pairs = zip(pool, wanted, strict=False)
        matched = several and len(pool) == len(wanted)
        return matched and all([await bring(pilot, node, to) for node, to in pairs])
    node = _meant(pilot, pool, order) if kind else _named(pool, _name(order), least=0.6)
    if not kind and node and any(n is not node and label_of(n) == label_of(node) for n in pool):
        pilot.unclear(n for n in pool if label_of(n) == label_of(node))
        return False
    if node is None or (not kind and _rivalled(pilot, node, pool, order)):
        return False if kind else None
    return await bring(pilot, node, wanted[0])


def amounts(text: str) -> list[float]:
    """Return the numbers of a text, those of a list one by one.

    Left out are places as “2nd”, what is in brackets beside others, and where an amount comes “from”.
    """
    listed = _LIST.search(text)
    if listed:
        return [float(one) for one in NUMBER.findall(listed[1])]
    told = _FROM.sub(" ", without_places(text))
    return numbers(_ASIDE.sub(" ", told)) or numbers(told)


def _rivalled(pilot: Pilot, node: Node, pool: list[Node], order: Order) -> bool:
    """Tell whether another field answers to an order as well, or what can be chosen answers better."""
    said = content(without_places(order.text))
    best = likeness(said, label_of(node))
    others = [n for n in pilot.nodes(FIELD | {"combobox"}) if n not in pool]
    if any(likeness(said, label_of(n)) >= best for n in others):
        return True
    offers = pilot.nodes(BOXES | {"button", "combobox"}) if order.verb == "choose" else []
    return any(likeness(said, text) > best for n in offers for text in (n.name, *n.options))


def _meant(pilot: Pilot, pool: list[Node], order: Order) -> Node | None:
    """Return the one that an order speaks of, by place or name; one without a name is named by its kind."""
    place, name = ordinal(order.text), _name(order)
    if place:
        return nth(pool, place)
    if name and any(map(label_of, pool)):
        return _named(pool, name, least=LIKE)
    if len(pool) > 1:
        pilot.unclear(pool)
        return None
    return pool[0]


def _named(pool: list[Node], name: str, *, least: float) -> Node | None:
    best = max(pool, key=lambda node: likeness(name, label_of(node)))
    return best if likeness(name, label_of(best)) >= least else None


def _name(order: Order) -> str:
    words = content(without_places(_ASIDE.sub(" ", order.text))).split()
    return " ".join(word for word in words if not numbers(word) and not _NO_NAME & set(tokens(word)))


async def bring(pilot: Pilot, node: Node, wanted: float, text: str = "") -> bool:
    """Bring a slider or spinner to a number; what it shows then is what counts."""
    if shown(pilot, node) == wanted:
        pilot.settled = True
        return True
    if bounds := _outside(node, wanted):
        pilot.misread(f"“{label_of(node)}” takes a number {bounds}", f"Give a number {bounds}")
        return False
    pilot.focus = node
    if node.tag == "input":
        await pilot.do("type", node.id, text or written(wanted))
    came = await _by_steps(pilot, node, wanted, _key) or await _by_steps(pilot, node, wanted, _control)
    now = pilot.seen.node(node.id)
    return came and (now is None or "invalid" not in now.state)


def _outside(node: Node, wanted: float) -> str:
    """Return the range of a slider or spinner in words where a number lies outside of it, else nothing."""
    least, most = map(amount, node.bounds or ("", ""))
    if (least is None or wanted >= least) and (most is None or wanted <= most):
        return ""
    if least is None or most is None:
        return f"up to {node.bounds[1]}" if least is None else f"from {node.bounds[0]} on"
    return f"from {node.bounds[0]} to {node.bounds[1]}"


async def _by_steps(pilot: Pilot, node: Node, wanted: float, step: Step) -> bool:
    """Go step by step as long as each brings the number nearer."""
    for _ in range(MAX_STEPS):
        now = shown(pilot, node)
        if now is None or now == wanted:
            return now == wanted
        pilot.max_moves += 1
        if not await step(pilot, node, now < wanted):
            return False
        after = shown(pilot, node)
        if after is None or abs(after - wanted) >= abs(now - wanted):
            return False
    return False


async def _key(pilot: Pilot, node: Node, up: bool) -> bool:
    keys = ("ArrowUp", "ArrowDown") if node.role in SPINNERS else ("ArrowRight", "ArrowLeft")
    return await pilot.do("press", node.id, keys[0 if up else 1]) != "refused"


async def _control(pilot: Pilot, node: Node, up: bool) -> bool:
    words = UP if up else DOWN
    near = [
        one
        for one in pilot.nodes({"button", "clickable", "icon", "shape", "image"})
        if not one.submits and is_control(one, words, set(tokens(label_of(node)))) and gap(node, one) <= NEAR
    ]
    best = min(near, key=partial(gap, node), default=None)
    return best is not None and await pilot.do("click", best.id) != "refused"


def is_control(control: Node, way: frozenset[str], label: set[str]) -> bool:
    """Tell whether a control says that it leads a way and nothing else; without a name, by its attributes.

    A direction that stands in the label of the spinner is part of what that is called, as in “Top up”.
    """
    name = control.name.strip()
    said = set(tokens(name or control.hints)) or {name}
    known = way | label | BESIDES | (frozenset() if name else LOOKS)
    return bool(said & way - label) and (said <= known or (not name and bool(said & PARTS)))


def gap(one: Node, other: Node) -> float:
    """Return the pixels between two elements, along and across."""
    (x, y, w, h), (to_x, to_y, to_w, to_h) = one.box, other.box
    return max(0, to_x - x - w, x - to_x - to_w) + max(0, to_y - y - h, y - to_y - to_h)


def shown(pilot: Pilot, node: Node) -> float | None:
    """Return the number that a slider or spinner has, or else the one that stands behind it."""
    now = pilot.seen.node(node.id)
    if now is None:
        return None
    if numbers(now.value) or now.role not in SLIDERS:
        return next(iter(numbers(now.value)), None)
    nodes = list(pilot.seen.nodes)
    texts = [n for n in nodes if n.role in ("text", "label", "status") and len(numbers(n.own or n.name)) == 1]
    behind = [n for n in texts if nodes.index(n) > nodes.index(now)]
    pick = next(iter(behind or pilot.match.near(now, texts)), None)
    return numbers(pick.own or pick.name)[0] if pick else None
