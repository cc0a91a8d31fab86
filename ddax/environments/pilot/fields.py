"""Write, choose and set: the fields of a form by their labels, places and kinds."""

from __future__ import annotations

import re
from datetime import date

from ddax.environments.browser.seen import ACTED_ON, Node
from ddax.environments.pilot.amounts import NUMBER, bring, set_amount
from ddax.environments.pilot.calendar import CALENDAR_WORDS, pick_day, showing
from ddax.environments.pilot.dates import find_date, find_time, month_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import SURE, click, doors, press_named, press_path, press_place
from ddax.environments.pilot.suggest import Edges, complete, edges, equal_to, is_closed, suggests, take
from ddax.environments.pilot.values import field_value, given, looked_up, wanted_value
from ddax.environments.pilot.words import (
    BOXES,
    FIELD,
    content,
    likeness,
    nth,
    ordinal,
    plain,
    roles,
    tokens,
)

NO_NAME = frozenset(
    """search area bar editor prompt dialog form page answer response reply guess solution entry empty blank
    only left right top bottom upper lower uppercase lowercase case letters on at your my the""".split()  # noqa: SIM905
)
"""Words that say where a field is, of what kind, or how to write, and not how it is called."""
ALIKE = 0.35
"""Likeness by meaning from which a label is another word for the name of a field."""


async def enter(pilot: Pilot, order: Order) -> bool:
    """Write what an order says into the field it names."""
    moved = await set_amount(pilot, order)
    if moved is not None:
        return moved
    fields = list(pilot.nodes(FIELD | {"combobox"}))
    if not fields:
        return False
    if "corresponds" in order.text or "each label" in order.text:
        return await enter_looked_up(pilot, fields)
    named = named_fields(order, fields)
    if named:
        return all([await fill(pilot, node, value) for node, value in named])
    parts = edges(order)
    if parts.start or parts.end:
        return await completed(pilot, parts, fields)
    value = wanted_value(pilot, order)
    if value is None:
        return False
    low = order.text.casefold()
    if "both" in low or "all fields" in low:
        return all([await fill(pilot, node, value) for node in fields if "readonly" not in node.state])
    node = the_field(pilot, where_of(order, value), fields, value)
    return node is not None and await fill(pilot, node, value)


async def completed(pilot: Pilot, parts: Edges, fields: list[Node]) -> bool:
    """Take the suggestion that begins and ends as an order says, in the field it names."""
    pool = [n for n in fields if suggests(n)] or fields
    node = the_field(pilot, parts.where, pool, parts.start)
    return node is not None and await complete(pilot, node, parts)


async def enter_looked_up(pilot: Pilot, fields: list[Node]) -> bool:
    """Write into each field what the page says beside the same label."""
    for node in fields:
        name = node.name or node.before
        value = looked_up(pilot.match, name.strip(" :"))
        if value is None or not await fill(pilot, node, value):
            return False
    return True


def named_fields(order: Order, fields: list[Node]) -> list[tuple[Node, str]]:
    """Return the fields whose names stand before a quote, each with it; none for fewer than two."""
    if len(order.quotes) < 2:
        return []
    pairs = [(n, v) for n in fields if (v := field_value(order, (n.name or n.before).strip(" :")))]
    return pairs if len(pairs) > 1 else []


def where_of(order: Order, value: str) -> str:
    """Return the words of an order about the field: those behind the value, else those before it."""
    name = given(order)
    into = f"into {name[0]}" if name else ""
    if _named_field(into):
        return into
    found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", order.text)
    if found is None:
        return order.text
    before, after = order.text[: found.start()], order.text[found.end() :]
    return after if after.strip(" ,.;:\"'") else into or before


def the_field(pilot: Pilot, where: str, fields: list[Node], value: str) -> Node | None:
    """Return the field that words mean: by place, by name, by the kind of value, else the only free one."""
    pool = _of_kind(where, fields)
    place = ordinal(where)
    if place and "word" not in where:
        return next((n for n in pool if ordinal(_label(n)) == place), None) or nth(pool, place)
    name = content(where.replace('"', " "), mail=True)
    ranked = sorted(pool, key=lambda n: -likeness(name, _label(n)))
    if name and ranked and likeness(name, _label(ranked[0])) > 0.4:
        return ranked[0]
    if name := _named_field(where):
        return _called(pilot, name, pool)
    if find_date(value):
        pool = [n for n in pool if is_dated(n)] or pool
    return _only(pilot, where, pool)


def _of_kind(where: str, fields: list[Node]) -> list[Node]:
    """Return the fields of the kind that words speak of, all where there is none of it."""
    kinds, words = roles(where) & FIELD, set(tokens(where))
    tag = "textarea" if words & {"area", "textarea"} else "input" if "input" in words else ""
    pool = [n for n in fields if not kinds or n.role in kinds] or fields
    return [n for n in pool if tag in ("", n.tag)] or pool


def _only(pilot: Pilot, where: str, pool: list[Node]) -> Node | None:
    """Return the one field that an order without a name can mean; which of several is not guessed."""
    pool = [n for n in pool if n.tag != "select"] or pool
    free = [n for n in pool if not n.value and "readonly" not in n.state] or pool
    if "search" not in tokens(where):
        free = [n for n in free if n.role != "searchbox"] or free
    if len(free) > 1:
        pilot.unclear(free)
    return free[0] if len(free) == 1 else None


def _label(node: Node) -> str:
    return node.name or node.before


def _called(pilot: Pilot, name: str, pool: list[Node]) -> Node | None:
    """Return the field that goes by a name, also by its meaning; else one that has no name."""
    meant = [one.node for one in pilot.match.rank(name, among=pool) if one.score >= ALIKE]
    bare = [n for n in pool if not _label(n)]
    return next(iter(meant or bare), None)


def _named_field(where: str) -> str:
    """Return how an order names the field it means, as in “into the phone field”; empty where it does not."""
    behind = re.search(r"\b(?:into|in|as)\b(.+)$", where)
    words = content(behind[1], mail=True).split() if behind else []
    return " ".join(word for word in words if plain(word) not in NO_NAME)


async def fill(pilot: Pilot, node: Node, value: str) -> bool:
    """Bring a value into a field, whatever kind of field it is; False where the field does not take it."""
    day = find_date(value)
    if "readonly" in node.state:
        return day is not None and await pick_day(pilot, day, node)
    if node.role == "combobox" and node.tag == "select":
        return await select(pilot, node, [value])
    if node.type == "date" and day:
        value = day.isoformat()
    elif node.type == "time":
        value = find_time(value) or value
    elif node.type == "color" and not value.startswith("#"):
        from ddax.environments.pilot.words import color_table

        color = color_table().get(plain(value))
        if color is None:
            return False
        value = "#{:02x}{:02x}{:02x}".format(*color)
    if await _write(pilot, node, value):
        return True
    return day is not None and node.type != "date" and await pick_day(pilot, day, node)


async def _write(pilot: Pilot, node: Node, value: str) -> bool:
    """Write a value, or take the suggestion that equals it; False where the field does not hold it then."""
    if node.role == "spinbutton" and NUMBER.fullmatch(value):
        return await bring(pilot, node, float(value), value)
    came = await take(pilot, node, value, equal_to(value, node))
    written = came == "not offered" and not is_closed(node)
    return came == "taken" or (written and _took(pilot.seen.node(node.id), value))


def _took(node: Node | None, value: str) -> bool:
    """Tell whether a field holds what was written; what is hidden or gone with its page cannot be told."""
    if node is None or node.tag not in ("input", "textarea") or node.type == "password" or not value:
        return True
    meant, held = ("".join(filter(str.isalnum, text.casefold())) for text in (value, node.value))
    return not meant or meant in held or (bool(held) and held in meant)


async def choose(pilot: Pilot, order: Order) -> bool:
    """Choose what an order names: options, boxes, a place in a menu, a number on a slider, a day."""
    text = order.text
    day = find_date(text)
    if day is not None:
        return await choose_day(pilot, order, day)
    if ">" in text and not order.quotes:
        return await press_path(pilot, [part.strip() for part in text.split(">")])
    moved = await set_amount(pilot, order)
    if moved is not None:
        return moved
    fields, parts = pilot.nodes(FIELD | {"combobox"}), edges(order)
    if (parts.start or parts.end) and any(map(suggests, fields)):
        return await completed(pilot, parts, fields)
    place, role = ordinal(text), roles(text)
    if place and role:
        return await press_place(pilot, "", role, place)
    values = values_of(order)
    if not values:
        return True  # nothing is to be chosen
    return await choose_values(pilot, values, order)


async def choose_day(pilot: Pilot, order: Order, day: date) -> bool:
    """Choose a day in the field an order names, else in the calendar that stands on the page."""
    fields, stands = pilot.nodes(FIELD), bool(showing(pilot.seen))
    dated = [n for n in fields if is_dated(n)]
    if not dated and not stands:
        dated = [n for n in fields if "readonly" in n.state]
    words = _words_beside(order.text)
    if not dated or (stands and not words and "calendar" in tokens(order.text)):
        return await pick_day(pilot, day)
    target = _dated(pilot, _named_field(order.text), words, dated)
    return target is not None and await fill(pilot, target, day.isoformat())


def is_dated(node: Node) -> bool:
    """Tell whether a field is there for a date."""
    return node.type == "date" or bool(
        CALENDAR_WORDS & set(tokens(f"{node.name} {node.before} {node.hints}"))
    )


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
        return _called(pilot, name, dated)
    met = {n.id: sum(likeness(word, _label(n)) >= SURE for word in words) for n in dated}
    best = [n for n in dated if met[n.id] == max(met.values())]
    if len(best) > 1:
        pilot.unclear(best)
    return best[0] if len(best) == 1 else None


def values_of(order: Order) -> list[str]:
    """Return what an order enumerates."""
    if order.quotes:
        return list(order.quotes)
    text = re.sub(r"\s+(?:from|in|on|with|using)\s+(?:the|a)\b.*$", "", order.text)
    text = re.sub(r"^(?:the|all|any)\s+(?:options?|items?|boxes|words?|of)\s+", "", text)
    parts = [part.strip(" ,.") for part in re.split(r",\s*(?:and\s+)?|\s+and\s+", text)]
    return [part for part in parts if part and plain(part) not in ("nothing", "none")]


async def choose_values(pilot: Pilot, values: list[str], order: Order) -> bool:
    """Choose each of some values where a select, a box or another control offers it."""
    selects = [n for n in pilot.seen.nodes if n.tag == "select" and "disabled" not in n.state]
    for node in selects:
        names = [best_option(node, value) for value in values]
        if all(names):
            return await select(pilot, node, [name for name in names if name])
    offers = offering(pilot, values, order)
    if offers is not None:
        return await take(pilot, offers, values[0], equal_to(values[0], offers)) == "taken"
    boxes = pilot.nodes(BOXES)
    if all(_is_for_a_box(pilot, boxes, value, order) for value in values):
        return await tick(pilot, boxes, values, order)
    looks = shades(pilot, order.text)
    if looks:
        return "refused" not in [await click(pilot, node) for node in looks]
    return all([await _pick(pilot, value, order) for value in values])


async def _pick(pilot: Pilot, value: str, order: Order) -> bool:
    """Press what answers to a value; a box is ticked, and left alone if it does not bear what is quoted."""
    ranked = pilot.match.rank(value)
    best = ranked[0].node if ranked and ranked[0].score >= SURE else None
    if best is None or best.role not in BOXES:
        return await press_named(pilot, value, frozenset(), quoted=bool(order.quotes))
    return _bears(best, value, order) and await tick(pilot, [best], [value], order)


def _bears(box: Node, value: str, order: Order) -> bool:
    """Tell whether a box has every word of a value, where that is quoted."""
    return not order.quotes or set(tokens(value)) <= set(tokens(_label(box)))


def _is_for_a_box(pilot: Pilot, boxes: list[Node], value: str, order: Order) -> bool:
    """Tell whether a box bears a value, and no control of another kind is called more like it."""
    others = pilot.nodes(ACTED_ON - BOXES)
    best = max((likeness(value, _label(n)) for n in boxes if _bears(n, value, order)), default=-1.0)
    rival = max((likeness(value, _label(n)) for n in others), default=0.0)
    return best >= (rival if rival >= SURE else 0.0)


def offering(pilot: Pilot, values: list[str], order: Order) -> Node | None:
    """Return the field that suggests in which a value is to be chosen: the one named, or the only control.

    One that is not named must be empty, and nothing closed on the page that the value may be behind.
    """
    pool = [n for n in pilot.nodes(FIELD | {"combobox"}) if suggests(n)]
    if len(values) != 1 or not pool:
        return None
    where = where_of(order, values[0])
    named = [n for n in pool if likeness(content(where), _label(n)) > 0.4]
    if named or any(found.score >= SURE for found in pilot.match.rank(values[0])):
        return named[0] if named else None
    free = len(pool) == 1 and not pool[0].value and not doors(pilot)
    return pool[0] if free and not _named_field(where) else None


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


def best_option(node: Node, value: str) -> str:
    """Return the option of a select that a value means, empty for none."""
    best = max(node.options, key=lambda option: likeness(value, option), default="")
    return best if likeness(value, best) >= SURE else ""


async def select(pilot: Pilot, node: Node, values: list[str]) -> bool:
    """Choose options of a select by their words; False where it has not all of them."""
    names = [best_option(node, value) or value for value in values]
    pilot.focus = node
    return await pilot.do("select", node.id, "|".join(names)) != "refused"


async def tick(pilot: Pilot, boxes: list[Node], values: list[str], order: Order) -> bool:
    """Tick the boxes that are named."""
    meant = boxes_of(pilot, boxes, values, order)
    came = [await click(pilot, node) for node in meant if not is_ticked(node)]
    return bool(meant) and "refused" not in came


async def untick(pilot: Pilot, order: Order) -> bool:
    """Take the ticks off the boxes that an order names, and see that they are off."""
    meant = boxes_of(pilot, pilot.nodes(BOXES), values_of(order), order)
    for node in meant:
        if is_ticked(node):
            await click(pilot, node)
    after = [pilot.seen.node(node.id) for node in meant]
    return bool(meant) and not any(node is not None and is_ticked(node) for node in after)


def is_ticked(node: Node) -> bool:
    """Tell whether a box is ticked or an option is chosen."""
    return bool({"checked", "selected"} & node.state)


def boxes_of(pilot: Pilot, boxes: list[Node], values: list[str], order: Order) -> list[Node]:
    """Return the boxes that are named, by meaning where no label has a word of them; none if one is missing.

    What is quoted is meant as it stands: nothing else is ticked for it.
    """
    meant: list[Node] = []
    text = order.text
    for value in values:
        ranked = pilot.match.rank(
            re.sub(r"^(?:words? )?(?:similar|related|close) to\s+", "", value), BOXES, among=boxes
        )
        alike = "similar" in text or "related" in text or "synonym" in text
        sure = [one for one in ranked if one.score >= (0.6 if alike else SURE)]
        if not sure and order.quotes:
            return []
        meant += [one.node for one in (sure if alike and sure else (sure or ranked)[:1])]
    return list(dict.fromkeys(meant))
