"""Choose what an order names: options of lists, boxes, days, suggestions, places in a menu."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from ddax.environments.browser.seen import ACTED_ON, Node
from ddax.environments.pilot.amounts import set_amount
from ddax.environments.pilot.boxes import CALLED, beside_of, boxes_beside, of_group, of_rows
from ddax.environments.pilot.calendar import CALENDAR_WORDS, pick_day, showing
from ddax.environments.pilot.dates import find_date, month_of
from ddax.environments.pilot.doors import doors
from ddax.environments.pilot.dropdowns import built, take_offered
from ddax.environments.pilot.fields import (
    NO_NAME,
    best_option,
    called,
    completed,
    fill,
    is_dated,
    is_day,
    named_field,
    select,
    where_of,
)
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.named_rows import press_in_row
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import SURE, click, press_named, press_path, press_place
from ddax.environments.pilot.rows import rows_of, words_of
from ddax.environments.pilot.suggest import edges, equal_to, suggests, take
from ddax.environments.pilot.words import (
    BOXES,
    EMPTY,
    FIELD,
    LIKE,
    TICKS,
    content,
    likeness,
    ordinal,
    plain,
    roles,
    tokens,
)

_ONLY = re.compile(r"(?:only|just)\s.+|.+\sonly", re.IGNORECASE)
_ONLY_WORD = re.compile(r"^(?:only|just)\s+|(?<!\s)\s+only$", re.IGNORECASE)
_OF_MENU = re.compile(r"(?>(?P<what>.+?) (?:from|in|under) the )(?P<menu>.+?) menu", re.IGNORECASE)
_NAMES_FIELD = re.compile(r"\b(?:as|for)\s+(?:the|my)\b", re.IGNORECASE)
"""Words behind which stands the list that something is chosen in."""
_AS = re.compile(r"(?<!\s)\s+(?:as|for)\s+(?:the\s+|my\s+)?((?s:.+))$", re.IGNORECASE)


async def choose(pilot: Pilot, order: Order) -> bool:
    """Choose what an order names, and where it says “only”, nothing else of the same group."""
    if _ONLY.fullmatch(order.outside.strip(" .")) is None:
        return await _choose(pilot, order)
    text, outside = (_ONLY_WORD.sub("", part.strip(" .")) for part in (order.text, order.outside))
    order = replace(order, text=text, outside=outside)
    meant = [n for n in boxes_of(pilot, pilot.nodes(BOXES), values_of(order), order) if n.role != "radio"]
    others = beside_of(pilot, meant) if meant else []
    if others is None:
        pilot.misread("what else of the same kind there is cannot be told", "Name what is to be unticked too")
        return False
    if not await _choose(pilot, order):
        return False
    return "refused" not in [await click(pilot, node) for node in others if is_ticked(node)]


async def _choose(pilot: Pilot, order: Order) -> bool:
    """Choose options, boxes, a place in a menu, a number on a slider, a day."""
    text = order.text
    day = find_date(text)
    if day is not None:
        return await choose_day(pilot, order, day)
    if not order.quotes and not is_day(pilot, text):
        return False
    menu = None if order.quotes else _OF_MENU.fullmatch(text.strip(" ."))
    if menu is not None and (opens := _opener(pilot, menu["menu"])) is not None:
        return await _from_menu(pilot, opens, menu["what"])
    if ">" in text and not order.quotes:
        return await press_path(pilot, [part.strip() for part in text.split(">")])
    moved = await set_amount(pilot, order)
    if moved is not None:
        return moved
    fields, parts = pilot.nodes(FIELD | {"combobox", "listbox"}), edges(order)
    if (parts.start or parts.end) and any(map(suggests, fields)):
        return await completed(pilot, parts, fields)
    place, role = ordinal(text), roles(text)
    if place and role:
        return await press_place(pilot, "", role, place)
    values = values_of(order, [*fields, *built(pilot)])
    if not values:
        return True  # nothing is to be chosen
    return await choose_values(pilot, values, order)


def _opener(pilot: Pilot, name: str) -> Node | None:
    """Return the one control that opens a menu called so; a list has none."""
    found = [n for n in pilot.nodes({"button", "menuitem", "clickable"}) if likeness(name, n.name) >= CALLED]
    return found[0] if len(found) == 1 else None


async def _from_menu(pilot: Pilot, opens: Node, what: str) -> bool:
    """Open a menu, unless what is to be chosen shows already, and press that."""
    shown = any(likeness(what, n.name) >= CALLED for n in pilot.nodes({"menuitem", "option", "link"}))
    if not shown and await click(pilot, opens) == "refused":
        return False
    return await press_named(pilot, what, frozenset())


async def choose_day(pilot: Pilot, order: Order, day: date) -> bool:
    """Choose a day in the field an order names, else in the calendar that stands on the page."""
    fields, stands = pilot.nodes(FIELD), bool(showing(pilot.seen))
    dated = [n for n in fields if is_dated(n)]
    if not dated and not stands:
        dated = [n for n in fields if "readonly" in n.state]
    words = _words_beside(order.text)
    if not dated or (stands and not words and "calendar" in tokens(order.text)):
        return await pick_day(pilot, day)
    target = _dated(pilot, named_field(order.text), words, dated)
    return target is not None and await fill(pilot, target, day.isoformat())


def _words_beside(text: str) -> list[str]:
    """Return the words of an order with a date that may name its field: all but those of the date."""
    words = [plain(word) for word in content(text, mail=True).split()]
    return [
        word
        for word in words
        if not (word in NO_NAME | CALENDAR_WORDS or any(map(str.isdigit, word)) or month_of(word))
    ]


def _dated(pilot: Pilot, name: str, words: list[str], dated: list[Node]) -> Node | None:
    """Return the field for a date that a name means, else most of some words; of several none is guessed."""
    if name := " ".join(word for word in name.split() if plain(word) in words):
        return called(pilot, name, dated)
    met = {n.id: sum(likeness(word, label_of(n)) >= SURE for word in words) for n in dated}
    best = [n for n in dated if met[n.id] == max(met.values())]
    if len(best) > 1:
        pilot.unclear(best)
    return best[0] if len(best) == 1 else None


def values_of(order: Order, fields: Sequence[Node] = ()) -> list[str]:
    """Return what an order enumerates, without the field behind “as” or “for”."""
    if order.quotes:
        return list(order.quotes)
    place = r"(?<!\s)\s+(?:from|in|on|with|using)\s+(?:the|a)\b(?s:.*)$"
    text = re.sub(place, "", order.text, flags=re.IGNORECASE)
    text = re.sub(r"^(?:the|all|any)\s+(?:options?|items?|boxes|words?|of)\s+", "", text, flags=re.IGNORECASE)
    named = [re.split(r"(?<!\s)\s+(?:of|for)\s+", found[1])[0] for found in _AS.finditer(text)]
    if any(likeness(name, label_of(n)) >= SURE for name in named for n in fields):
        text = _AS.sub("", text)
    for name in (re.escape(label_of(n).split("(")[0].strip().lower()) for n in fields if n.tag == "select"):
        text = re.sub(rf"^(?:the\s+|my\s+)?{name}\s+(?=\S)", "", text) if name else text
    parts = [part.strip(" ,.") for part in re.split(r"(?i),\s*(?:and\s+)?|(?<!\s)\s+and\s+", text)]
    return [part for part in parts if part and plain(part) not in ("nothing", "none")]


async def choose_values(pilot: Pilot, values: list[str], order: Order) -> bool:
    """Choose each of some values where a select, a box or another control offers it."""
    lists = listing(pilot, values, order)
    if len(lists) > 1:
        pilot.unclear(lists)
        return False
    if lists:
        return await select(pilot, lists[0], values)
    offered = await take_offered(pilot, values[0], order) if len(values) == 1 else None
    if offered is not None:
        return offered
    offers = offering(pilot, values, order)
    if offers is not None:
        return await take(pilot, offers, values[0], equal_to(values[0], offers)) == "taken"
    boxes = pilot.nodes(BOXES)
    if all(_is_for_a_box(pilot, boxes, value, order) for value in values):
        return await tick(pilot, boxes, values, order)
    looks = shades(pilot, order.text)
    if looks:
        return "refused" not in [await click(pilot, node) for node in looks]
    if len(values) > 1 and not doors(pilot) and not all(_is_shown(pilot, value) for value in values):
        return False  # half of what is said is another thing
    return all([await _pick(pilot, value, order) for value in values])


def _is_shown(pilot: Pilot, value: str) -> bool:
    return any(one.score >= LIKE for one in pilot.match.rank(value))


def listing(pilot: Pilot, values: list[str], order: Order) -> list[Node]:
    """Return the selects that offer all of some values: where the order names one, that one alone."""
    beside = order.text
    for value in values:
        beside = beside.replace(value, " ", 1)
    selects = [n for n in pilot.seen.nodes if n.tag == "select" and "disabled" not in n.state]
    named = [n for n in selects if likeness(content(beside, mail=True), label_of(n)) > LIKE]
    found = [n for n in named or selects if all(best_option(n, value) for value in values)]
    words = set(words_of(beside)) - EMPTY - {word for n in found for word in words_of(label_of(n))}
    meant = [row.control for row in rows_of(pilot.seen, found) if words and words <= row.words()]
    return meant if len(found) > 1 and len(meant) == 1 else found


async def _pick(pilot: Pilot, value: str, order: Order) -> bool:
    """Press what answers to a value; a box is ticked, and left alone if it does not bear what is quoted."""
    ranked = pilot.match.rank(value)
    best = ranked[0].node if ranked and ranked[0].score >= SURE else None
    if best is not None and best.tag == "select":  # a press opens it, and chooses nothing
        return False
    if best is None or best.role not in BOXES:
        if order.verb == "choose" and _NAMES_FIELD.search(order.outside):
            return False  # a list that does not offer it
        beside = await press_in_row(pilot, order) if best is not None else None
        if beside is not None:
            return beside
        return await press_named(pilot, value, frozenset())
    return _bears(best, value, order) and await tick(pilot, [best], [value], order)


def _bears(box: Node, value: str, order: Order) -> bool:
    """Tell whether a box has every word of a value, where that is quoted."""
    return not order.quotes or set(tokens(value)) <= set(tokens(label_of(box)))


def _is_for_a_box(pilot: Pilot, boxes: list[Node], value: str, order: Order) -> bool:
    """Tell whether a box bears a value, and no control of another kind is called more like it."""
    if order.word in TICKS and (of_group(pilot, boxes, value) or boxes_beside(pilot, boxes, value)):
        return True
    others = pilot.nodes(ACTED_ON - BOXES)
    best = max((likeness(value, label_of(n)) for n in boxes if _bears(n, value, order)), default=-1.0)
    rival = max((likeness(value, label_of(n)) for n in others), default=0.0)
    return best >= (rival if rival >= SURE else 0.0)


def offering(pilot: Pilot, values: list[str], order: Order) -> Node | None:
    """Return the field that suggests in which a value is to be chosen: the one named, or the only control.

    One that is not named must be empty, and nothing closed on the page that the value may be behind.
    """
    pool = [n for n in pilot.nodes(FIELD | {"combobox"}) if suggests(n)]
    if len(values) != 1 or not pool:
        return None
    where = where_of(order, values[0])
    named = [n for n in pool if likeness(content(where), label_of(n)) > LIKE]
    if named or any(found.score >= SURE for found in pilot.match.rank(values[0])):
        return named[0] if named else None
    free = len(pool) == 1 and not pool[0].value and not doors(pilot)
    return pool[0] if free and not named_field(where) else None


def shades(pilot: Pilot, text: str) -> list[Node]:
    """Return the elements of a colour, where an order speaks of one."""
    from ddax.environments.pilot.words import color_table, hue, rgb

    names = [word for word in tokens(text) if word in color_table()]
    if not names:
        return []
    pool = [
        (n, rgb(dict(n.paint).get("fill", "")))
        for n in pilot.nodes({"icon", "shape", "clickable"})
        if n.paint
    ]
    return [n for n, color in pool if color is not None and hue(color) in names]


async def tick(pilot: Pilot, boxes: list[Node], values: list[str], order: Order) -> bool:
    """Tick the boxes that are named, and see that they are ticked; one of another make may not tell."""
    meant = boxes_of(pilot, boxes, values, order)
    came = [await click(pilot, node) for node in meant if not is_ticked(node)]
    after = [pilot.seen.node(node.id) for node in meant]
    off = any(node is not None and node.tag == "input" and not is_ticked(node) for node in after)
    pilot.settled |= bool(meant) and not came
    return bool(meant) and "refused" not in came and not off


async def untick(pilot: Pilot, order: Order) -> bool:
    """Take the ticks off the boxes that an order names, and see that they are off; the same with options."""
    if (left := _without(pilot, values_of(order))) is not None:
        return await select(pilot, *left)
    meant = boxes_of(pilot, pilot.nodes(BOXES), values_of(order), order)
    came = [await click(pilot, node) for node in meant if is_ticked(node)]
    pilot.settled |= bool(meant) and not came
    after = [pilot.seen.node(node.id) for node in meant]
    return bool(meant) and not any(node is not None and is_ticked(node) for node in after)


def _without(pilot: Pilot, values: list[str]) -> tuple[Node, list[str]] | None:
    """Return the list in which some values are chosen, with what else is; None where nothing else is."""
    lists = [n for n in pilot.nodes({"listbox"}) if n.options and not n.value.endswith("…")]
    for node in lists:
        chosen = [option for option in node.options if option in node.value.split(", ")]
        names = [best_option(node, value) for value in values]
        rest = [option for option in chosen if option not in names]
        if rest and set(names) <= set(chosen):
            return node, rest
    return None


def is_ticked(node: Node) -> bool:
    """Tell whether a box is ticked or an option is chosen."""
    return bool({"checked", "selected"} & node.state)


def boxes_of(pilot: Pilot, boxes: list[Node], values: list[str], order: Order) -> list[Node]:
    """Return the boxes that are named; none if one is missing.

    Where an order speaks of what is alike, it is by meaning, but not for what stands in quotes.
    """
    meant: list[Node] = []
    text = order.text
    for value in values:
        if every := of_group(pilot, boxes, value) or of_rows(pilot, boxes, value):
            meant += every
            continue
        alike = "similar" in text or "related" in text or "synonym" in text
        named = re.sub(r"^(?:words? )?(?:similar|related|close) to\s+", "", value)
        ranked = pilot.match.rank(named, BOXES, among=boxes, by_meaning=alike)
        good = (one for one in ranked if alike or _is_called(one.node, value, boxes))
        sure = [one for one in good if one.score >= (0.6 if alike else SURE)]
        if not sure and not alike and (others := boxes_beside(pilot, boxes, value)):
            meant += others
            continue
        if not sure and (order.quotes or not alike):
            return []
        meant += [one.node for one in (sure if alike and sure else (sure or ranked)[:1])]
    return list(dict.fromkeys(meant))


def _is_called(box: Node, value: str, boxes: list[Node]) -> bool:
    """Tell whether a box bears what is named, and no other box what it leaves out of that.

    “Call Bob” is not “Call Ann”, nor beside “Extra large” is “extra small” the box “Small”.
    """
    label = label_of(box) or box.after
    if not label:
        return True
    left = set(tokens(content(value))) - set(tokens(label))
    others = {word for n in boxes if n is not box for word in tokens(label_of(n) or n.after)}
    return not left & others and max(likeness(value, label), likeness(content(value), label)) >= LIKE
