"""What each kind of order asks of a page, and the order in which a task's orders are carried out."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.amounts import set_amount
from ddax.environments.pilot.choosing import choose, untick
from ddax.environments.pilot.copying import copy, paste
from ddax.environments.pilot.fields import enter, fill
from ddax.environments.pilot.messages import message
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot, Skill
from ddax.environments.pilot.pressing import (
    click,
    context,
    doors,
    drag,
    explore,
    press,
    press_named,
    press_near,
    press_node,
    press_whole,
    submit,
)  # fmt: skip
from ddax.environments.pilot.values import long_text, slots, word_of, worked_out
from ddax.environments.pilot.words import FIELD, content, nth, numbers, ordinal, plain, roles, tokens, written

MESSAGE_WORDS = frozenset({"email", "mail", "message", "inbox"})


async def carry_out(pilot: Pilot) -> None:
    """Carry out the orders of a task one after the other, up to the first that cannot be."""
    mail = MESSAGE_WORDS & set(tokens(pilot.task)) or any(o.verb == "message" for o in pilot.orders)
    if mail and await message(pilot, pilot.orders[0]):
        return
    for place, order in enumerate(pilot.orders, 1):
        before = len(pilot.failed)
        if not await _skill(order)(pilot, order):
            pilot.fail(order)
        if len(pilot.failed) > before:
            pilot.leave(pilot.orders[place:])
            return


def _skill(order: Order) -> Skill:
    words = tokens(order.text)
    if (order.verb == "press" and words[:1] == ["submit"]) or order.verb == "submit":
        return _submit
    return SKILLS[order.verb]


async def _submit(pilot: Pilot, order: Order) -> bool:
    return await submit(pilot, order)


async def _press(pilot: Pilot, order: Order) -> bool:
    """Press one thing, or each of several."""
    words = tokens(order.text)
    about = context(order, pilot)
    if about and ("all" in words or "posts" in words or numbers(order.text)):
        return await _press_each(pilot, order, about)
    if "ascending" in words or "descending" in words or "increasing" in words or "decreasing" in words:
        return await _press_sorted(pilot, down="descending" in words or "decreasing" in words)
    best = await _press_best(pilot, order)
    if best is not None:
        return best
    return await press(pilot, order)


async def _press_each(pilot: Pilot, order: Order, about: list[str]) -> bool:
    """Press the named control of every row that some words stand in, or of as many as are asked for."""
    wanted = order.quote or content(order.text)
    count = int(numbers(order.text)[0]) if numbers(order.text) else 10_000
    anchors = pilot.match.rows(about)
    places = list(range(len(anchors)))[:count]
    for place in places:
        again = pilot.match.rows(about)
        if place >= len(again) or not await press_near(pilot, again[place], wanted):
            return False
    return bool(places)


async def _press_sorted(pilot: Pilot, *, down: bool) -> bool:
    """Press everything that shows a number, in the order of the numbers."""
    pool = [
        n
        for n in pilot.seen.nodes
        if re.fullmatch(r"-?\d+(?:\.\d+)?", n.name.strip()) and n.role not in FIELD
    ]
    rising = sorted(pool, key=lambda n: float(n.name), reverse=down)
    came = [await click(pilot, node) for node in rising]
    return bool(pool) and "refused" not in came


MOST = frozenset(
    {"greatest", "largest", "highest", "biggest", "longest", "maximum", "most", "latest", "newest"}
)
LEAST = frozenset(
    {"smallest", "lowest", "least", "shortest", "cheapest", "minimum", "earliest", "fewest", "fastest"}
)


async def _press_best(pilot: Pilot, order: Order) -> bool | None:
    """Press what goes with the most or the least of something; None where nothing of the kind is asked."""
    words = set(tokens(order.text))
    if not words & (MOST | LEAST):
        return None
    weighed = measures(pilot, order.text)
    if len(weighed) < 2:
        return None
    low = bool(words & LEAST)
    _, anchor = (min if low else max)(weighed, key=lambda pair: pair[0])
    buttons = pilot.nodes({"button", "link"})
    inside = [n for n in buttons if plain(n.name) not in ("submit", "back", "cancel")]
    if anchor.role in ("button", "link", "clickable") or not inside:
        return await press_node(pilot, anchor)
    below = [n for n in inside if n.box[1] >= anchor.box[1] - 1]
    return await press_node(pilot, min(below or inside, key=lambda n: abs(n.box[1] - anchor.box[1])))


def measures(pilot: Pilot, text: str) -> list[tuple[float, Node]]:
    """Return the amounts a page shows of what a text speaks of, each with its element."""
    words = set(tokens(text))
    time = bool(words & {"duration", "shortest", "longest", "fastest"})
    money = bool(words & {"price", "cheapest", "cost", "ticket"}) and not time
    found: list[tuple[float, Node]] = []
    for node in pilot.seen.nodes:
        said = node.own or node.name
        if time:
            span = re.search(r"(?:(\d+)\s*h)?\s*(\d+)\s*m(?:in)?\b|(\d+)\s*h\b", said)
            if span and node.role in ("text", "cell", "clickable"):
                found.append((60 * int(span[1] or span[3] or 0) + int(span[2] or 0), node))
        elif money:
            price = re.search(r"[$€£]\s*(\d[\d,]*(?:\.\d+)?)", said)
            if price:
                found.append((float(price[1].replace(",", "")), node))
        elif re.fullmatch(r"-?\d+(?:\.\d+)?", said.strip()) and node.role not in FIELD:
            found.append((float(said), node))
    return found


async def _find(pilot: Pilot, order: Order) -> bool:
    """Look for what is named; a word of a text is kept for what is written next."""
    low = order.text.casefold()
    if "word in" in low or "word of" in low:
        pilot.clip = word_of(long_text(pilot), ordinal(order.text) or 1)
        return bool(pilot.clip)
    nxt = pilot.orders.index(order) + 1
    if nxt < len(pilot.orders) and pilot.orders[nxt].verb in ("press", "choose") and not order.quotes:
        name = _subject(order)
        if not name:
            return True
        pilot.focus = await explore(pilot, name, frozenset())
        return True
    if order.quotes:
        found = await explore(pilot, order.quote, roles(order.text.replace(order.quote, "")))
        pilot.focus = found
        return found is not None
    return True


def _subject(order: Order) -> str:
    names = [word.strip(".,") for word in order.text.split() if word[:1].isupper()]
    return names[0] if names else ""


LABELS = frozenset({"text", "label", "cell", "columnheader", "rowheader", "heading"})


async def _their(pilot: Pilot, order: Order) -> bool | None:
    """Press the value behind a label, as in "their phone number"; None where none is meant."""
    found = re.search(r"\b(?:their|his|her|its)\s+(.+)$", order.text)
    if not found:
        return None
    words = tokens(found[1])
    pool = [n for n in pilot.seen.nodes if n.role in LABELS]
    labels = [n for n in pool if set(tokens(n.own or n.name)) & set(words)]
    targets = list(pilot.nodes({"link", "clickable", "button"}))
    for label in labels:
        same = [n for n in targets if abs(n.box[1] - label.box[1]) < max(12, label.box[3])] or targets
        return await press_node(pilot, pilot.match.near(label, same)[0]) if same else False
    return None


async def _press_or_theirs(pilot: Pilot, order: Order) -> bool:
    theirs = await _their(pilot, order)
    return theirs if theirs is not None else await _press(pilot, order)


async def _expand(pilot: Pilot, order: Order) -> bool:
    """Open what is closed, unless a later order looks behind it anyway."""
    if any(later.verb in ("press", "find") and (later.quotes) for later in pilot.orders):
        return True
    closed = doors(pilot)
    if not closed:
        return False
    return await pilot.do("click", closed[0].id) != "refused"


async def _close(pilot: Pilot, order: Order) -> bool:
    """Close a box, by what an order says it is closed with."""
    return await press_named(pilot, order.quote or "close", frozenset({"button"}))


async def _focus(pilot: Pilot, order: Order) -> bool:
    field = nth(pilot.nodes(FIELD), ordinal(order.text) or 1)
    return field is not None and await click(pilot, field) != "refused"


async def _mark_text(pilot: Pilot, order: Order) -> bool:
    """Mark the text of a paragraph."""
    pool = [
        n for n in pilot.seen.nodes if n.role in ("text", "paragraph") and len(tokens(n.name or n.own)) > 1
    ]
    text = nth(pool, ordinal(order.text) or 1)
    return text is not None and await pilot.do("mark", text.id) != "refused"


async def _scroll(pilot: Pilot, order: Order) -> bool:
    """Scroll what can be scrolled to where an order says."""
    pool = [n for n in pilot.seen.nodes if n.scrolls[1]]
    where = next((word for word in ("bottom", "top", "up", "down") if word in tokens(order.text)), "down")
    return await pilot.do("scroll", pool[0].id if pool else "page", where) != "refused"


async def _solve(pilot: Pilot, order: Order) -> bool:
    pilot.clip = worked_out(pilot) or ""
    return bool(pilot.clip)


async def _wait(pilot: Pilot, order: Order) -> bool:
    seconds = numbers(order.text)
    return await pilot.do("wait", "page", written(seconds[0] if seconds else 1.0)) != "refused"


async def _search(pilot: Pilot, order: Order) -> bool:
    """Fill a search form with what a sentence says for its fields, and send it."""
    fields = pilot.nodes(FIELD | {"combobox"})
    if not fields:
        return await _goal(pilot, order)
    if order.quotes or len(fields) == 1:
        value = order.quote or re.sub(r"^for\s+", "", order.text)
        filled = await fill(pilot, fields[0], value)
    else:
        filled = await _fill_said(pilot, order, [(n.name or n.before).strip(" :") for n in fields])
    if not filled:
        return False
    asked = any(later.verb in ("submit", "press") for later in pilot.orders[pilot.orders.index(order) + 1 :])
    return asked or await submit(pilot)


async def _fill_said(pilot: Pilot, order: Order, labels: list[str]) -> bool:
    """Fill each field for which a sentence says something."""
    said = slots(order.text, labels)
    for label in labels:
        if label in said:
            fields = pilot.nodes(FIELD | {"combobox"})
            now = next(n for n in fields if (n.name or n.before).strip(" :") == label)
            if not await fill(pilot, now, said[label]):
                return False
    return True


async def _generate(pilot: Pilot, order: Order) -> bool:
    """Press until a number that is shown is as asked."""
    bounds = numbers(order.text)
    words = set(tokens(order.text))
    for _ in range(30):
        await press_named(pilot, "generate", frozenset({"button"}))
        shown = [float(n.own) for n in pilot.seen.nodes if re.fullmatch(r"-?\d+(?:\.\d+)?", n.own.strip())]
        if shown and _as_asked(shown[0], bounds, words):
            return True
    return False


def _as_asked(value: float, bounds: list[float], words: set[str]) -> bool:
    if "odd" in words or "even" in words:
        return (value % 2 == 1) == ("odd" in words)
    if not bounds:
        return False
    if words & {"greater", "more", "larger", "above", "over"}:
        return value > bounds[0]
    if words & {"less", "smaller", "below", "under", "lower"}:
        return value < bounds[0]
    return value == bounds[0]


async def _order_items(pilot: Pilot, order: Order) -> bool:
    """Press the plus of each item that is named."""
    names = [part.strip(" .") for part in re.split(r",\s*", order.text.split(":", 1)[-1])]
    for name in names:
        rows = pilot.match.rows([name])
        plus = [n for n in pilot.seen.nodes if n.name.strip() == "+"]
        if not rows or not plus:
            return False
        if await click(pilot, pilot.match.near(rows[0], plus)[0]) == "refused":
            return False
    return await submit(pilot)


async def _style(pilot: Pilot, order: Order) -> bool:
    """Mark a text in an editor and press the control of a style."""
    found = re.search(r"the text (.+?),? the (?:style|colou?r) (\w+)", order.text)
    box = next((n for n in pilot.nodes({"textbox"}) if n.value), None)
    if not found or box is None:
        return False
    whole = plain(found[1]) in ("everything", "all")
    if await pilot.do("mark", box.id, "" if whole else found[1]) == "refused":
        return False
    tools = [
        n
        for n in pilot.nodes({"button", "clickable", "icon"})
        if plain(found[2]) in tokens(n.hints + " " + n.name)
    ]
    if tools:
        return await press_node(pilot, tools[0])
    return False


async def _drag(pilot: Pilot, order: Order) -> bool:
    moved = await set_amount(pilot, order)
    return moved if moved is not None else await drag(pilot, order)


async def _hover(pilot: Pilot, order: Order) -> bool:
    looks = pilot.match.painted(tokens(order.text))
    return bool(looks) and await pilot.do("hover", looks[0].id) != "refused"


async def _go(pilot: Pilot, order: Order) -> bool:
    """Go to an address, or to what is named on the page."""
    address = re.search(r"https?://\S+", order.text)
    if address:
        return await pilot.do("goto", "page", address[0]) == "changed"
    return await press_named(pilot, order.quote or content(order.text), frozenset({"link"}))


async def _nothing(pilot: Pilot, order: Order) -> bool:
    return True


async def _goal(pilot: Pilot, order: Order) -> bool:
    """Do what a sentence without a known verb is about: press what answers to its words."""
    if not order.text and not order.quotes:
        return False
    wanted = order.quote or content(order.text)
    ranked = pilot.match.rank(wanted)
    return bool(ranked) and ranked[0].score > 0.5 and await press_node(pilot, ranked[0].node)


async def _login(pilot: Pilot, order: Order) -> bool:
    """Log in with what the order says: into the fields of those names, then send."""
    pairs = re.findall(
        r"(?:as|username|user|name|email)\s+\"?([^\s\",]+)\"?|password\s+\"?([^\s\",]+)\"?", order.text
    )
    for node in pilot.nodes(FIELD):
        secret = node.type == "password"
        value = next((b if secret else a for a, b in pairs if (b if secret else a)), "")
        if value and not await fill(pilot, node, value):
            return False
    return await submit(pilot)


async def _choose(pilot: Pilot, order: Order) -> bool:
    best = await _press_best(pilot, order)
    return best if best is not None else await choose(pilot, order)


SKILLS: dict[str, Skill] = {
    "press": _press_or_theirs, "submit": _submit, "choose": _choose, "enter": enter, "expand": _expand,
    "close": _close, "find": _find, "focus": _focus, "mark_text": _mark_text, "scroll": _scroll,
    "copy": copy, "paste": paste, "solve": _solve, "wait": _wait, "search": _search,
    "generate": _generate, "order": _order_items, "style": _style, "hover": _hover, "go": _go,
    "use": _nothing, "read": _nothing, "message": message, "login": _login, "goal": _goal,
    "uncheck": untick, "drag": _drag, "sort": press_whole, "book": press_whole, "create": press_whole,
    "draw": press_whole, "guess": press_whole,
}  # fmt: skip
"""How each kind of order is carried out."""
