"""Turn on or off what an order names, and see that it is so; what is so already is left alone."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.doors import doors
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import BOXES, EMPTY

_WAYS = (
    re.compile(r"(?:turn|switch)\s+(?P<way>on|off)\s+(?P<what>.+)", re.IGNORECASE),
    re.compile(r"(?:turn|switch)\s++(?P<what>.+?)(?<!\s)\s+(?P<way>on|off)", re.IGNORECASE),
    re.compile(r"(?P<way>enable|disable|activate|deactivate)\s+(?P<what>.+)", re.IGNORECASE),
    re.compile(
        r"make\s+sure\s++(?:that\s++)?(?P<what>.+?)(?<!\s)\s+(?:is|are)\s+(?:(?:turned|switched)\s+)?"
        r"(?P<way>on|off|enabled|disabled|activated|deactivated)",
        re.IGNORECASE,
    ),
)
_TURNS = re.compile(r"^(?:turn|switch)\s+", re.IGNORECASE)
_EACH_WAY = re.compile(
    r"(?P<what>\S.{0,200}?)(?<!\s)\s+(?P<way>on|off)(?:\s*,\s*(?:and\s+)?|(?<!\s)\s+and\s+|$)", re.IGNORECASE
)
_AND = re.compile(r"(?:(?<!\s)\s+)?,\s*(?:and\s+)?|(?<!\s)\s+and\s+", re.IGNORECASE)
_HIDES = frozenset({"tab", "summary"})
_ON = ("on", "enable", "activate")
_KINDS = frozenset({"switch", "toggle", "checkbox", "box", "option", "setting", "all", "my"})
_ASIDE = re.compile(
    r"(?<!\s)\s*(?:[(:,]|\b(?:about|at|by|during|for|from|if|in|of|on|when|while|with)\b)(?s:.*)$"
    r"|(?<![\W\d])[\W\d]+$",
    re.IGNORECASE,
)
"""What stands behind the word that says what a switch is for."""
_SWITCHES = (BOXES - {"option", "radio", "menuitemradio"}) | {"button"}
_TOGGLED = frozenset({"checked", "selected", "pressed"})


def turned(order: Order) -> tuple[str, bool] | None:
    """Return what an order turns on (True) or off; None where it turns nothing."""
    text = f"{order.word} {order.text}".strip(" .,")
    found = next((match for way in _WAYS if (match := way.fullmatch(text))), None)
    return (found["what"], found["way"].casefold().startswith(_ON)) if found else None


async def switch(pilot: Pilot, order: Order) -> bool:
    """Bring the switch or box that an order names into a state; one that shows none is left alone."""
    wanted = turned(order)
    if wanted is None:
        return False
    if each := _each_way(order):
        return all([await switch(pilot, one) for one in each])
    what, on = wanted
    words = set(words_of(order.quote or what)) - EMPTY - _KINDS
    meant, opened = _meant(pilot, words, on=on), set[str]()
    while not meant and (door := closed(pilot, opened)):
        opened.add(door.id)
        if await click(pilot, door) == "refused":
            break
        meant = _meant(pilot, words, on=on)
    parts = _AND.split(what) if not meant and not order.quotes else []
    if len(parts) > 1:
        way = "on" if on else "off"
        each = [replace(order, word="turn", text=f"{part} {way}", outside=f"{part} {way}") for part in parts]
        return all([await switch(pilot, one) for one in each])
    if len(meant) > 1:
        pilot.unclear(meant)
    if len(meant) != 1:
        return False
    if is_on(meant[0]) != on and await click(pilot, meant[0]) == "refused":
        return False
    after = pilot.seen.node(meant[0].id)
    if after is not None and is_on(after) == on:
        pilot.settled |= is_on(meant[0]) == on
        return True
    return False


def _each_way(order: Order) -> list[Order]:
    """Return an order for each of “the light on and the lamp off”; none where one way is said."""
    said = f"{order.word} {order.text}".strip(" .,")
    parts = list(_EACH_WAY.finditer(_TURNS.sub("", said)))
    whole = len(parts) > 1 and len({part["way"].casefold() for part in parts}) > 1 and not order.quotes
    texts = [f"{part['what']} {part['way']}" for part in parts] if whole else []
    return [replace(order, word="turn", text=text, outside=text) for text in texts]


def _meant(pilot: Pilot, words: set[str], *, on: bool) -> list[Node]:
    """Return the switches that some words mean, else the buttons that stay pressed and are called so."""
    meant = [n for n in pilot.nodes(_SWITCHES) if words and _is_for(words, n)]
    boxes = [n for n in meant if n.role != "button"]
    if boxes or meant:
        return boxes or [n for n in meant if words == set(words_of(n.name)) and (on or is_on(n))]
    # "Push" below the heading "Notifications" is for push notifications.
    rest = words - {word for n in pilot.seen.nodes if n.role == "heading" for word in words_of(n.name)}
    below = pilot.nodes(_SWITCHES - {"button"}) if rest and rest < words else ()
    return [n for n in below if _is_for(rest, n)]


def closed(pilot: Pilot, opened: set[str]) -> Node | None:
    """Return a tab or a section that was not looked behind yet, and sends nothing."""
    return next((n for n in doors(pilot) if n.role in _HIDES and not n.submits and n.id not in opened), None)


def _is_for(words: set[str], switch: Node) -> bool:
    """Tell whether a switch bears all of some words, and they say what it is for.

    “Light alarm” is a switch for an alarm, and not for the light.
    """
    label = switch.name or f"{switch.before} {switch.after}"
    said = words_of(_ASIDE.sub("", label)) or words_of(label)
    return words <= set(words_of(label)) and said[-1] in words


def is_on(node: Node) -> bool:
    """Tell whether a switch, a box or a button that stays pressed is on."""
    return bool(_TOGGLED & node.state)
