"""Press or drag what an order names; look for it behind tabs, sections, menus and next pages."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import ACTED_ON, Node
from ddax.environments.pilot.doors import counts, doors, opens_menu
from ddax.environments.pilot.match import Found, is_another
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.paging import is_pager, next_page
from ddax.environments.pilot.pilot import Came, Pilot
from ddax.environments.pilot.rows import Row, lines_of
from ddax.environments.pilot.words import FIELD, content, kin, lettered, nth, ordinal, plain, roles, tokens

SURE = 0.55
"""Likeness from which an element is taken to be the one that is meant."""
WHOLE = 0.9
"""Likeness from which several that are called otherwise are no matter of a guess."""
TRIES = 3
INFLECTED = 0.75
"""Kinship from which two words are forms of one: “seats” and “seat”, not “preview” and “previous”."""
TURNS = frozenset({"next", "previous", "first", "last"})
"""Names of what turns pages: they are not looked for by turning pages."""
NAMED = 6
"""Controls told of where none is called as an order says."""
OPENED = 15
"""Tabs, sections and pages looked behind at most."""
MENU_SECONDS = "0.4"
"""How long a menu is waited for below the pointer."""
_ARTICLES = frozenset({"a", "an", "the", "this", "that", "on"})
_THE = re.compile(r"(?:on\s+)?(?:the|this|that)\b", re.IGNORECASE)
_ONTO = re.compile(r"\s(?:on|in)?to\s", re.IGNORECASE)
_PRESSED = frozenset({"button", "clickable", "icon", "menuitem"})
SUBMITS = ("submit", "ok", "send", "save", "done", "search", "go", "login", "log in", "sign in", "continue")
_SENDS = tuple(name for name in SUBMITS if name not in ("search", "go"))
"""What sends a form that is not known: a search that stands beside it does not."""


async def press(pilot: Pilot, order: Order) -> bool:
    """Press what an order names."""
    text = _object(order)
    if ">" in text and not order.quotes:
        return await press_path(pilot, [part.strip() for part in text.split(">")])
    wanted = order.quote or content(text)
    role, place = roles(text.replace(order.quote, "") if order.quote else text), ordinal(text)
    if "each" in tokens(order.text) or "all" in tokens(order.text):
        place = 0
    if place and not wanted and not role and len(tokens(text)) == 1:
        return await press_named(
            pilot, text.strip(" .,;:"), role
        )  # “First” is a name, “the first one” a place
    if place:
        return await press_place(pilot, wanted, role, place)
    if not wanted and not role:
        return pilot.focus is not None and await press_node(pilot, pilot.focus)
    looks = pilot.match.painted(tokens(text)) if not order.quotes else []
    if looks and len(looks) < len(pilot.seen.nodes) and _speaks_of_looks(text):
        return await click(pilot, looks[0]) != "refused"
    about = context(order, pilot)
    if about:
        return await press_within(pilot, about, wanted, role)
    is_kind = bool(order.quote) and not _is_name(order.quote) and not is_called(pilot, order.quote)
    if is_kind or not wanted:
        return await _press_kind(pilot, order, role or roles(order.quote))
    known = len(pilot.failed)
    if await press_named(pilot, wanted, role):
        return True
    if len(pilot.failed) == known and not is_called(pilot, wanted):
        _tell_what_there_is(pilot, wanted)
    return False


async def _press_kind(pilot: Pilot, order: Order, role: frozenset[str]) -> bool:
    """Press what an order calls by its kind alone: of several “a button” is any, “the button” none."""
    words = [word for word in tokens(order.text) if word not in _ARTICLES]
    pool = [n for n in pilot.nodes(ACTED_ON) if plain(n.name) in words] or _of_kind(pilot, words, role)
    if len(pool) > 1 and _THE.match(order.text):
        pilot.unclear(pool)
        return False
    return bool(pool) and await _try(pilot, [Found(node, 1.0) for node in pool])


def _of_kind(pilot: Pilot, words: list[str], role: frozenset[str]) -> list[Node]:
    """Return the elements of some roles; where words say text or text area, the fields of that tag."""
    pool = pilot.nodes(role)
    tag = "textarea" if "textarea" in words else "input" if {"text", "input"} & set(words) else ""
    return [n for n in pool if tag in ("", n.tag)] or pool


def _is_name(quote: str) -> bool:
    """Tell whether a quote is what something is called, and no word for a kind of things, as “radio”."""
    return bool(quote) and not roles(quote)


def _object(order: Order) -> str:
    text = order.text
    for lead in ("on the ", "on ", "the ", "down "):
        if text.casefold().startswith(lead):
            text = text[len(lead) :]
    return text


def _speaks_of_looks(text: str) -> bool:
    from ddax.environments.pilot.match import FORMS
    from ddax.environments.pilot.words import color_table

    return any(word.removesuffix("s") in FORMS or word in color_table() for word in tokens(text))


def context(order: Order, pilot: Pilot) -> list[str]:
    """Return the words that say which row, card or person an order is about."""
    words = f"{order.before} {order.text}".split()
    return [word.strip(".,;:") for word in words if word.startswith("@") and len(word) > 2]


async def press_named(pilot: Pilot, wanted: str, role: frozenset[str]) -> bool:
    """Press the best match, the next one where nothing changed; look further where none is good.

    What is not called so is left alone, however near it is: pressing it would be a guess.
    """
    ranked = pilot.match.rank(wanted, role)
    if ranked and ranked[0].score >= SURE and not _leads_on(pilot, wanted, ranked[0].node):
        return await _try(pilot, ranked)
    looked_for = (lettered(wanted) or not wanted) and plain(wanted) not in TURNS
    found = await explore(pilot, wanted, role) if looked_for else None
    if found is not None:
        return await press_node(pilot, found)
    near = [one for one in ranked if not is_another(wanted, pilot.match.label(one.node))]
    if said := [one for one in near if _is_said(wanted, pilot.match.label(one.node))]:
        return await _try(pilot, said)
    if near and (rivals := _rivals(pilot, near)):
        pilot.unclear(rivals)
    return False


def _is_said(wanted: str, label: str) -> bool:
    """Tell whether a label has the words of an order, but for one, as “Seat 2A” those of “take seats 2A”."""
    asked, said = tokens(wanted), tokens(label)
    missed = [word for word in asked if not any(kin(word, one) >= INFLECTED for one in said)]
    return len(missed) <= (len(said) > 1) and all(
        any(kin(w, one) >= INFLECTED for one in asked) for w in said
    )


def _tell_what_there_is(pilot: Pilot, wanted: str) -> None:
    """Note that nothing is called as an order says, and what can be pressed instead."""
    names = dict.fromkeys(pilot.match.label(node) for node in pilot.nodes(_PRESSED | {"link"}))
    there = ", ".join(f"“{pilot.cut(name, 40)}”" for name in list(filter(None, names))[:NAMED])
    if wanted and there:
        pilot.misread(f"nothing is called “{wanted}”; there are {there}", "Say it in the words of the page")


async def _try(pilot: Pilot, ranked: list[Found]) -> bool:
    """Press the best until something changes; True also where a control was pressed and nothing shows.

    Then only what lies on it or below it is tried: another control of the same name does something else. A
    field or a list that was pressed did nothing yet.
    """
    one_name = [one.node for one in ranked if _same_name(one.node, ranked[0].node)]
    if one_name and one_name[0].role == "link" and len({node.href for node in one_name}) == 1:
        one_name = one_name[:1]  # a picture and a title that lead to the same page
    if rows := lines_of(pilot.seen, one_name):
        return await _press_in_line(pilot, rows)
    best, pressed = ranked[0].score, list[Node]()
    if best < WHOLE and (rivals := _rivals(pilot, ranked)):
        pilot.unclear(rivals)
        return False
    for one in [one for one in ranked if one.score >= best - 0.15][:TRIES]:
        if any(node.role not in FIELD and not _overlap(one.node, node) for node in pressed):
            continue
        came = await click(pilot, one.node)
        if came == "changed":
            return True
        if came == "unchanged" and one.node.role in ACTED_ON and one.node.tag != "select":
            pressed.append(one.node)
    return bool(pressed)


def _rivals(pilot: Pilot, ranked: list[Found]) -> list[Node]:
    """Return the controls that answer best, where several do so alike and are called otherwise."""
    least = ranked[0].score - (0.0 if ranked[0].score >= SURE else 0.03)  # meaning tells no seat from another
    best = [one.node for one in ranked if one.score >= least and one.node.role in _PRESSED]
    return best if len({plain(pilot.match.label(node)) for node in best}) > 1 else []


def _same_name(one: Node, other: Node) -> bool:
    pressed = one.role in _PRESSED or one.role == "link"
    return pressed and (one.role, plain(one.name)) == (other.role, plain(other.name))


async def _press_in_line(pilot: Pilot, rows: list[Row]) -> bool:
    """Press the control in the row that was just looked for; of several rows none is guessed."""
    focus = pilot.focus.id if pilot.focus else ""
    meant = [row for row in rows if focus in {part.id for part in row.parts}]
    if len(meant) != 1:
        pilot.unclear(row.control for row in rows)
        return False
    return await click(pilot, meant[0].control) != "refused"


def _overlap(one: Node, other: Node) -> bool:
    (x, y, w, h), (to_x, to_y, to_w, to_h) = one.box, other.box
    return x < to_x + to_w and to_x < x + w and y < to_y + to_h and to_y < y + h


async def press_node(pilot: Pilot, node: Node) -> bool:
    """Press one element and say whether anything changed by it."""
    return await click(pilot, node) == "changed"


async def click(pilot: Pilot, node: Node) -> Came:
    """Press one element and say what came of it."""
    pilot.focus = node
    return await pilot.do("click", node.id)


def is_called(pilot: Pilot, text: str) -> bool:
    """Tell whether a control is called as a text says, whole."""
    wanted = plain(content(text))
    return bool(wanted) and any(plain(content(n.name)) == wanted for n in pilot.nodes(ACTED_ON))


async def press_whole(pilot: Pilot, order: Order) -> bool:
    """Press what is called as an order says, verb and all, as “Create account”; nothing else is tried."""
    wanted = plain(content(f"{order.word} {order.text}"))
    node = next((n for n in pilot.nodes(ACTED_ON) if plain(content(n.name)) == wanted), None)
    return node is not None and await press_node(pilot, node)


async def drag(pilot: Pilot, order: Order) -> bool:
    """Drag what is named onto what is named behind “to”, and see that something moved."""
    ranked = [pilot.match.rank(content(name) or name) for name in ends(order)]
    if not ranked or not all(found and found[0].score >= SURE for found in ranked):
        return await press_whole(pilot, order)
    source, target = (found[0].node for found in ranked)
    came = await pilot.do("drag", source.id, target.id)
    after = pilot.seen.node(source.id)
    moved = after is not None and after.box != source.box
    return came == "changed" or (came == "unchanged" and moved)


def ends(order: Order) -> tuple[str, ...]:
    """Return what an order has dragged and where to; nothing where it does not say both."""
    if len(order.quotes) == 2:
        between = order.text.split(order.quotes[0], 1)[-1].rsplit(order.quotes[1], 1)[0]
        return order.quotes if _ONTO.search(between) else ()
    parts = tuple(_ONTO.split(order.text))
    return parts if len(parts) == 2 else ()


async def press_place(pilot: Pilot, wanted: str, role: frozenset[str], place: int) -> bool:
    """Press the n-th of the elements that answer; where pages follow, count on over them."""
    for _ in range(OPENED):
        pool = [n for n in pilot.nodes(role or ACTED_ON) if not is_pager(n) and n.role != "icon"]
        named = (
            [one.node for one in pilot.match.rank(wanted, role, among=pool) if one.score >= SURE]
            if wanted
            else []
        )
        pool = [n for n in pool if n in named] or pool
        pool = repeated(pool)
        node = nth(pool, place)
        if node is not None:
            return await click(pilot, node) != "refused"
        pager = next_page(pilot)
        if pager is None or not pool:
            return False
        place -= len(pool)
        if await pilot.do("click", pager.id) != "changed":
            return False
    return False


def repeated(pool: list[Node]) -> list[Node]:
    """Keep the elements that stand in a list: those of the commonest kind, left edge and look."""
    groups: dict[tuple[str, str, float], list[Node]] = {}
    for node in pool:
        groups.setdefault((node.role, node.tag, round(node.box[0])), []).append(node)
    best = max(groups.values(), key=len, default=pool)
    return best if len(best) > 1 else pool


async def press_within(pilot: Pilot, about: list[str], wanted: str, role: frozenset[str]) -> bool:
    """Press what is named in the row or card that some words stand in, or in the menu of that row."""
    anchors = pilot.match.rows(about)
    if not anchors:
        return await press_named(pilot, wanted, role)
    return await press_near(pilot, anchors[0], wanted) or await _press_in_menu(pilot, anchors[0], wanted)


async def _press_in_menu(pilot: Pilot, anchor: Node, wanted: str) -> bool:
    """Open the menu that stands nearest to an element, and press what comes with it and is called so."""
    closed = [n for n in pilot.nodes({"button", "clickable", "icon"}) if opens_menu(n)]
    menus = pilot.match.near(anchor, [n for n in closed if not counts(pilot.seen, n)])
    known = {node.id for node in pilot.seen.nodes}
    came_of = await click(pilot, menus[0]) if menus else "refused"
    if came_of == "unchanged":  # an icon that loads another picture below the pointer loses the press
        came_of = await click(pilot, menus[0])
    if came_of != "changed":
        return False
    came = [node for node in pilot.seen.nodes if node.id not in known]
    sure = [one for one in pilot.match.rank(wanted, among=came) if one.score >= SURE]
    return bool(sure) and await press_node(pilot, sure[0].node)


async def press_near(pilot: Pilot, anchor: Node, wanted: str) -> bool:
    """Press the control of a name that belongs to an element: the nearest one at its height or below it."""
    named = [one for one in pilot.match.rank(wanted) if one.score > 0.3]
    best = max((one.score for one in named), default=0.0)
    pool = [one.node for one in named if one.score >= best - 0.1]
    near = pilot.match.near(anchor, pool)
    return bool(near) and await click(pilot, near[0]) != "refused"


async def press_path(pilot: Pilot, parts: list[str]) -> bool:
    """Go down a menu: hold the pointer over each part and press the last."""
    for index, part in enumerate(parts):
        ranked = pilot.match.rank(part, frozenset({"menuitem", "treeitem"}))
        if not ranked:
            return False
        node = ranked[0].node
        if index == len(parts) - 1:
            return await press_node(pilot, node)
        await pilot.do("hover", node.id)
        if not any(one.score >= SURE for one in pilot.match.rank(parts[index + 1])):
            await pilot.do("wait", "page", MENU_SECONDS)
        if not any(one.score >= SURE for one in pilot.match.rank(parts[index + 1])):
            await pilot.do("click", node.id)
    return True


async def explore(pilot: Pilot, wanted: str, role: frozenset[str]) -> Node | None:
    """Look behind what can be opened until an element answers surely."""
    opened: set[str] = set()
    for _ in range(OPENED):
        found = pilot.match.rank(wanted, role)
        if found and found[0].score >= SURE and not _leads_on(pilot, wanted, found[0].node):
            return found[0].node
        door = next((n for n in doors(pilot, wanted) if _key(n) not in opened), None)
        if door is None:
            return None
        opened.add(_key(door))
        await _open(pilot, door)
    return None


def _leads_on(pilot: Pilot, wanted: str, node: Node) -> bool:
    """Tell whether an element is closed and called less than what is wanted, which may be behind it.

    So the closed “Leave” is not “Sick leave”.
    """
    said = tokens(pilot.match.label(node))
    missed = [word for word in tokens(wanted) if not any(kin(word, other) for other in said)]
    return "collapsed" in node.state and bool(missed)


async def _open(pilot: Pilot, door: Node) -> None:
    """Open what something may be behind: a part of a menu by the pointer, a press may close it again."""
    if door.role == "menuitem":
        known = {node.id for node in pilot.seen.nodes}
        await pilot.do("hover", door.id)
        if known >= {node.id for node in pilot.seen.nodes}:
            await pilot.do("wait", "page", MENU_SECONDS)
        if not known >= {node.id for node in pilot.seen.nodes}:
            return
    await pilot.do("click", door.id)


def _key(node: Node) -> str:
    return (
        f"{node.role}:{node.name or node.hints}:{round(node.box[0])}" if not is_pager(node) else f"{node.id}"
    )


async def submit(pilot: Pilot, order: Order | None = None) -> bool:
    """Press what sends a form: what an order names, else what sends the form that was filled last."""
    text = (order.quote or content(order.text)) if order else ""
    buttons = pilot.nodes({"button"}) + list(pilot.nodes({"clickable", "link"}))
    form = pilot.focus.form[0] if pilot.focus else ""
    own = [n for n in buttons if form and n.form[0] == form]
    for pool, names in ((buttons, (text,)), (own, SUBMITS), (buttons, _SENDS if order else SUBMITS)):
        named = [n for name in names for n in pool if name and plain(n.name) == plain(name)]
        if named:
            return await press_node(pilot, named[0])
    sends = [n for n in own or buttons if n.submits] or [n for n in buttons if n.role == "button" and n.name]
    if len(sends) > 1:
        pilot.unclear(sends)
    return len(sends) == 1 and await press_node(pilot, sends[0])
