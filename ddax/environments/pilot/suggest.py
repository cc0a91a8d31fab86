"""Fields that suggest while one writes: take the suggestion that is meant, and read the field again.

A suggestion is what was not shown before: an option, or for a field that says that it suggests anything to
press below it. A field for searching is left alone, since a suggestion there leads away.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot, leads
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.words import plain, tokens

WRITTEN = frozenset({"input", "textarea"})
"""Tags of fields that are written into."""
LOOKS = 4
PAUSE = "0.3"
"""Seconds between two looks for suggestions that come late."""
_SIGNS = frozenset({"autocomplete", "autosuggest", "typeahead"})
_PRESSED = frozenset({"menuitem", "clickable", "listitem", "link"})
_EDGE = r"\b{verb}\w*\s+with\s+({value})"
_OF_FIELD = re.compile(
    r"\b(?:(?:text)?(?:field|box)|input|dropdown|combobox|label)\s+(?:(?:that|which)\s+|whose\s[\w ]+)?$",
    re.IGNORECASE,
)
"""What stands before an edge that is not that of a value, but of the name of a field."""
Fits: TypeAlias = Callable[[str], bool]
"""Tell whether a suggestion is the one that is meant."""
Taken: TypeAlias = Literal["taken", "not offered", "refused"]
"""What came of a value for a field: a suggestion was taken, none fits, the page did not take it."""


class Edges(NamedTuple):
    """What a value starts and ends with, empty where it is not said, and the words about its field."""

    start: str
    end: str
    where: str


def suggests(node: Node) -> bool:
    """Tell whether a field says that it offers values while one writes."""
    if node.tag == "select" or is_search(node):
        return False
    offers = node.role == "combobox" or "suggests" in node.state or bool(node.options)
    return offers or bool(_SIGNS & set(tokens(node.hints)))


def is_search(node: Node) -> bool:
    """Tell whether a field is for searching."""
    return node.role == "searchbox" or "search" in (node.type, *tokens(f"{node.name} {node.hints}"))


def equal_to(value: str, node: Node) -> Fits:
    """Return what a suggestion must be for a value that is said outright; for a search none is taken."""
    return lambda name: not is_search(node) and plain(name) == plain(value)


def edges(order: Order) -> Edges:
    """Return what an order says its value starts and ends with, and the words behind that.

    "The field that starts with “Na”" says so of a field, and nothing of a value.
    """
    quoted = "|".join(re.escape(quote) for quote in sorted(order.quotes, key=len, reverse=True))
    value = quoted or r"[^\s,.]+"
    found = [
        re.search(_EDGE.format(verb=verb, value=value), order.text, re.IGNORECASE)
        for verb in ("(?:start|begin)", "end")
    ]
    found = [None if one and _OF_FIELD.search(order.text[: one.start()]) else one for one in found]
    start, end = (one[1] if one else "" for one in found)
    return Edges(start, end, order.text[max(one.end() if one else 0 for one in found) :])


async def complete(pilot: Pilot, node: Node, edges: Edges) -> bool:
    """Write the beginning of a value, else its end, and take the suggestion that has both."""
    start, end, _ = edges

    def fits(name: str) -> bool:
        low = name.casefold()
        return low.startswith(start.casefold()) and low.endswith(end.casefold())

    for text in dict.fromkeys((start, start[: max(1, len(start) - 1)]) if start else (end,)):
        came = await take(pilot, node, text, fits, asked=True)
        if came != "not offered":
            return came == "taken"
    return False


async def take(pilot: Pilot, node: Node, text: str, fits: Fits, *, asked: bool = False) -> Taken:
    """Write a text into a field and press the suggestion that fits; `asked`: the order speaks of one."""
    asked = asked or suggests(node)
    known = {one.id for one in pilot.seen.nodes}
    listed = next(filter(fits, node.options), "")
    pilot.focus = node
    move = ("click", node.id) if is_closed(node) else ("type", node.id, listed or text)
    if await pilot.do(*move) == "refused":
        return "refused"
    if node.options:
        if not listed:
            return "not offered"
        return "taken" if _took(pilot, node, plain(listed), "", known) else "refused"
    came: Taken = "not offered"
    for look in range(LOOKS):
        if look and came == "not offered" and not asked:
            break
        if look:
            await pilot.do("wait", "page", PAUSE)
        found = [one for one in offered(pilot, node, known, asked) if fits(_name(one))]
        came = await _press(pilot, node, found, text) if found else came
        # What is refused and gone stood in a list that the page has written anew since.
        if found and (came != "refused" or any(pilot.seen.node(one.id) for one in found)):
            return came
    return came


def is_closed(node: Node) -> bool:
    """Tell whether a list is opened by a press, since nothing can be written into it."""
    return node.role == "combobox" and node.tag not in WRITTEN


def offered(pilot: Pilot, node: Node, known: set[str], asked: bool) -> list[Node]:
    """Return what a page suggests for a field: of what was not known, options; where asked, what is below.

    A button below it, and what stands in one, does something else.
    """
    new = [n for n in pilot.seen.nodes if n.id not in known and "disabled" not in n.state]
    options = [n for n in new if n.role == "option"]
    if options or not asked:
        return options
    below = [n for n in new if _below(node, n) and not leads(n, pilot.seen.url)]
    opened = {n.id for n in new}
    within = {one.id for n in new if n.role == "button" for one in (n, *pilot.match.below(n))}
    return [n for n in below if n.id not in within and (n.role in _PRESSED or n.parent in opened)]


def _below(field: Node, node: Node) -> bool:
    x, y, width, height = field.box
    return node.box[1] >= y + height / 2 and node.box[0] < x + width and node.box[0] + node.box[2] > x


def _name(node: Node) -> str:
    return node.name or node.own


async def _press(pilot: Pilot, node: Node, found: list[Node], typed: str) -> Taken:
    """Press the innermost of what fits, and see that the field took it."""
    outer = {one.parent for one in found}
    choice = next(one for one in found if one.id not in outer)
    known = {one.id for one in pilot.seen.nodes}
    if await click(pilot, choice) == "refused":
        return "refused"
    pilot.focus = node
    return "taken" if _took(pilot, node, plain(_name(choice)), plain(typed), known) else "refused"


def _took(pilot: Pilot, node: Node, name: str, typed: str, known: set[str]) -> bool:
    """Tell whether a field shows what was taken, not just what was typed, or a new element beside it does."""
    after = pilot.seen.node(node.id)
    if after is None:
        return True
    held = plain(after.value or after.own)
    if held:
        return name in held or (held in name and held != typed)
    return any(plain(_name(one)) == name for one in pilot.seen.nodes if one.id not in known)
