"""Write and set: the fields of a form by their labels, places and kinds."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.amounts import bring, set_amount
from ddax.environments.pilot.calendar import CALENDAR_WORDS, pick_day
from ddax.environments.pilot.dates import as_shown, find_date, find_time, no_day
from ddax.environments.pilot.labelled import led
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import SURE
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.steppers import set_count
from ddax.environments.pilot.suggest import (
    Edges,
    complete,
    edges,
    equal_to,
    is_closed,
    is_search,
    suggests,
    take,
)
from ddax.environments.pilot.values import field_value, given, looked_up, wanted_value, written_each
from ddax.environments.pilot.words import (
    EMPTY,
    FIELD,
    LIKE,
    amount,
    content,
    kin,
    likeness,
    nth,
    numbers,
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
_INTO = re.compile(r"^\W*(?:into|in|as|for)\s+(?:the\s+)?", re.IGNORECASE)
ALIKE = 0.35
"""Likeness by meaning from which a label is another word for the name of a field."""


async def enter(pilot: Pilot, order: Order) -> bool:
    """Write what an order says into the field it names."""
    several = each_named(pilot, order)
    if several:
        return all([await enter(pilot, one) for one in several])
    moved = await set_amount(pilot, order)
    if moved is not None:
        return moved
    counted = await set_count(pilot, order)
    if counted is not None:
        return counted
    fields = list(pilot.nodes(FIELD | {"combobox"})) + _colors(pilot, order)
    if not fields:
        return False
    low = order.outside.casefold()
    if "corresponds" in low or "each label" in low:
        return await enter_looked_up(pilot, fields)
    named = named_fields(order, fields)
    if named:
        return all([await fill(pilot, node, value) for node, value in named])
    parts = edges(order)
    if parts.start or parts.end:
        return await completed(pilot, parts, fields)
    if found := led(order, fields):
        return await fill(pilot, *found)
    value = wanted_value(pilot, order)
    if value is None:
        return False
    if "both" in tokens(low) or "all fields" in low:
        return all([await fill(pilot, node, value) for node in fields if "readonly" not in node.state])
    node = the_field(pilot, where_of(order, value), fields, value)
    return node is not None and await fill(pilot, node, value)


def each_named(pilot: Pilot, order: Order) -> list[Order]:
    """Return an order for each field where several that the page has stand behind one verb; none for one."""
    joint = "with" if order.word == "fill" else "to"
    if order.quotes or given(order) is None:
        return written_each(order, pilot.nodes(FIELD | {"combobox"}))
    names = [re.escape(name) for n in pilot.nodes(FIELD | {"combobox", "slider"}) if (name := label_of(n))]
    also = re.compile(
        rf"(?:,\s*(?:and\s+)?|(?<!\s)\s+and\s+)(?=(?:the\s+)?(?:{'|'.join(names)})\s+{joint}\s)",
        re.IGNORECASE,
    )
    found = also.split(order.text) if names else []
    return [replace(order, text=part, outside=part) for part in found] if len(found) > 1 else []


def _colors(pilot: Pilot, order: Order) -> list[Node]:
    """Return the fields for a colour that an order speaks of."""
    said = set(tokens(order.outside))
    return [n for n in pilot.nodes({"color"}) if said & set(tokens(label_of(n)))]


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
    if named_field(into):
        return into
    found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", order.text)
    if found is None:  # it is looked up: words before "into" name what, not the field
        aim = re.search(r"\binto\b.+$", order.text, re.IGNORECASE)
        return aim[0] if aim else order.text
    before, after = order.text[: found.start()], order.text[found.end() :]
    return after if after.strip(" ,.;:\"'") else into or before


def the_field(pilot: Pilot, where: str, fields: list[Node], value: str) -> Node | None:
    """Return the field that words mean: by place, by name, by the kind of value, else the only free one."""
    pool = _of_kind(where, fields)
    whole = [n for n in pool if label_of(n) and plain(label_of(n)) == plain(_INTO.sub("", where))]
    if len(whole) == 1:
        return whole[0]
    words = set(words_of(name := _INTO.sub("", where))) - EMPTY - NO_NAME
    bears = [n for n in pool if words and words <= set(words_of(label_of(n)))]
    if len(bears) == 1 and not ordinal(name):
        return bears[0]
    place = ordinal(where)
    if place and "word" not in where:
        return _at(place, _name_in(where), pool)
    name = content(where.replace('"', " "), mail=True)
    likes = {n.id: likeness(name, label_of(n)) for n in pool}
    best = [n for n in pool if name and likes[n.id] > LIKE and likes[n.id] == max(likes.values())]
    if len({plain(label_of(n)) for n in best}) > 1:  # “name” is the first name as much as the last
        pilot.unclear(best)
        return None
    if best:
        return best[0]
    if name := named_field(where):
        return called(pilot, name, pool)
    if find_date(value):
        pool = [n for n in pool if is_dated(n)] or pool
    return _only(pilot, where, pool)


def _at(place: int, name: str, pool: list[Node]) -> Node | None:
    """Return the field that has a place in its name, else the one at this place of those named."""
    named = [n for n in pool if not name or likeness(name, label_of(n)) > LIKE]
    bears = next((n for n in named if ordinal(label_of(n)) == place), None)
    return bears or nth([n for n in named if not name or not ordinal(label_of(n))], place)


def _of_kind(where: str, fields: list[Node]) -> list[Node]:
    """Return the fields of the kind that words speak of, all where there is none of it."""
    kinds, words = roles(where) & FIELD, set(tokens(where))
    tag = "textarea" if words & {"area", "textarea"} else "input" if "input" in words else ""
    pool = [n for n in fields if not kinds or n.role in kinds] or fields
    return [n for n in pool if tag in ("", n.tag)] or pool


def _only(pilot: Pilot, where: str, pool: list[Node]) -> Node | None:
    """Return the field that an order without a name can mean: the only one, else the only one left empty.

    Of several one for searching is none of them, unless the order speaks of a search.
    """
    pool = [n for n in pool if n.tag != "select"] or pool
    if len(pool) > 1:
        searches = "search" in tokens(where)
        free = [n for n in pool if not n.value and "readonly" not in n.state]
        free = [n for n in free if searches or not is_search(n)]
        if len(free) != 1:
            pilot.unclear(free or pool)
        pool = free
    return pool[0] if len(pool) == 1 else None


def called(pilot: Pilot, name: str, pool: list[Node]) -> Node | None:
    """Return the field that goes by a name, also by its meaning; else the only one that has no name.

    Where several share a word of the name, none of them is guessed: a middle name is neither first nor last.
    """
    words = set(tokens(name)) - EMPTY
    alike = [n for n in pool if words & set(tokens(label_of(n)))]
    if len(alike) > 1:
        pilot.unclear(alike)
        return None
    meant = [one.node for one in pilot.match.rank(name, among=pool, by_meaning=True) if one.score >= ALIKE]
    bare = [n for n in pool if not label_of(n)]
    if not meant and len(bare) > 1:
        pilot.unclear(bare)
    return meant[0] if meant else bare[0] if len(bare) == 1 else None


def named_field(where: str) -> str:
    """Return how an order names the field it means, as in “into the phone field”; empty where it does not."""
    behind = re.search(r"\b(?:into|in|as)\b(.+)$", where, re.IGNORECASE)
    return _name_in(behind[1]) if behind else ""


def _name_in(where: str) -> str:
    """Return the words that name a field: none for its place, its kind, or how to write."""
    return " ".join(word for word in content(where, mail=True).split() if plain(word) not in NO_NAME)


def is_day(pilot: Pilot, text: str) -> bool:
    """Tell whether the date in a text is one, and note it where no calendar has it."""
    if none := no_day(text):
        pilot.misread(f"there is no {none}", "Name a day that the calendar has")
    return not none


async def fill(pilot: Pilot, node: Node, value: str) -> bool:
    """Bring a value into a field, whatever kind of field it is; False where the field does not take it."""
    day = find_date(value)
    if is_dated(node) and not is_day(pilot, value):
        return False
    if "readonly" in node.state:
        return day is not None and await pick_day(pilot, day, node)
    if node.role == "combobox" and node.tag == "select":
        return await select(pilot, node, [value])
    if node.type == "date" and day:
        value = day.isoformat()
    elif day and node.tag == "input":
        value = as_shown(day, f"{node.sample} {label_of(node)}") or value
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
    if node.role == "spinbutton" and value:
        number = amount(value)
        return number is not None and await bring(pilot, node, number, value.replace(",", ""))
    came = await take(pilot, node, value, equal_to(value, node))
    written = came == "not offered" and not is_closed(node)
    return came == "taken" or (written and _holds(pilot.seen.node(node.id), value))


def _holds(node: Node | None, value: str) -> bool:
    """Tell whether a field holds what was written; what is hidden or gone with its page cannot be told."""
    if node is None or node.tag not in ("input", "textarea") or node.type == "password" or not value:
        return True
    meant, held = ("".join(filter(str.isalnum, text.casefold())) for text in (value, node.value))
    if amount(value) is not None and len(numbers(node.value)) == 1:
        return meant == held or [amount(value)] == numbers(node.value)  # 1234 as 1.234, or as 1234.00
    return not meant or meant in held


def is_dated(node: Node) -> bool:
    """Tell whether a field is there for a date."""
    return node.type == "date" or bool(
        CALENDAR_WORDS & set(tokens(f"{node.name} {node.before} {node.hints}"))
    )


def best_option(node: Node, value: str) -> str:
    """Return the option of a select that a value means; empty for none, or where several answer as well."""
    best = max(node.options, key=lambda option: likeness(value, option), default="")
    known = tokens(f"{best} {label_of(node)}")
    words = [word for word in tokens(value) if word not in EMPTY and word != "option"]
    whole = all(any(kin(word, other) for other in known) for word in words)
    alike = {option for option in node.options if likeness(value, option) == likeness(value, best)}
    return best if whole and len(alike) == 1 and likeness(value, best) >= SURE else ""


async def select(pilot: Pilot, node: Node, values: list[str]) -> bool:
    """Choose options of a select by their words; False where it has not all of them, or shows others then."""
    names = [best_option(node, value) or value for value in values]
    pilot.focus = node
    if await pilot.do("select", node.id, "|".join(names)) == "refused":
        return False
    after = pilot.seen.node(node.id)
    return after is None or after.value.endswith("…") or all(name in after.value for name in names)
