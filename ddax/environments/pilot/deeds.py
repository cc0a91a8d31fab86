"""Press the control of a verb in the row or card that an order speaks of: “Delete report.pdf”.

Every word of an order must be met: on the control, in its row, or, for where it is, on the page around the
rows. What is left over, or fits several rows, stops the order: a guess would be the control of another row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ddax.environments.browser.seen import ACTED_ON, Node
from ddax.environments.pilot.asked import CONSENTS, Asked, asked_of, names_of
from ddax.environments.pilot.confirming import confirm
from ddax.environments.pilot.counting import COUNTED, is_plus, press_times
from ddax.environments.pilot.doors import counts, doors, opens_menu
from ddax.environments.pilot.naming import give_name, named
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.paging import goes_on, next_page
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import OPENED, click
from ddax.environments.pilot.prices import price_in
from ddax.environments.pilot.rows import (
    Row,
    above_of,
    beside,
    holders_of,
    inside,
    lines_of,
    node_words,
    rows_of,
    section,
    words_of,
)
from ddax.environments.pilot.steppers import count_of, stepper, to_count
from ddax.environments.pilot.switches import is_on
from ddax.environments.pilot.titled import titled
from ddax.environments.pilot.words import (
    BOXES,
    EMPTY,
    FIELD,
    KINDS,
    ORDINALS,
    nth,
    ordinal,
    plain,
    superlative,
)

_PRESSED = frozenset({"button", "link", "clickable", "icon"})
_SHOWS = frozenset({"view", "filter", "list"})
"""Verbs that a control need not bear: “Show the completed items” is the link “Completed”."""
_BOXED = frozenset({"listitem", "row", "option", "article", "group", "form", "dialog", "alertdialog"})
"""Roles of what holds a control and what it is about."""
_ALONE = frozenset({"save", "send", "submit", "apply", "continue", "search", "confirm"})
"""Verbs that may stand for a control that is called more."""
STRUCK = frozenset({"s", "del", "strike"})
"""Tags of what no longer holds."""
_MORE = frozenset({"more", "another", "extra"})
_THAT = frozenset({"it", "them", "that", "this"})


async def deed(pilot: Pilot, order: Order) -> bool:
    """Press what an order names, in the row it speaks of; look for it behind what is closed."""
    order, name = named(order)
    asked = replace(asked_of(order), name=name)
    opened: set[str] = set()
    for _ in range(OPENED):
        rows = fits(pilot, asked)
        if len(rows) > 1 and _THAT & set(order.outside.casefold().split()):
            focus = pilot.focus.id if pilot.focus else ""
            rows = [row for row in rows if focus in {part.id for part in row.parts}] or rows
        if len(rows) > 1:
            pilot.unclear(row.control for row in rows)
        if rows:
            return len(rows) == 1 and await _carry_out(pilot, asked, rows[0])
        menu = await _menu(pilot, asked)
        if menu is not None:
            return await _carry_out(pilot, asked, Row(menu, (menu,)))
        door = _door(pilot, asked, opened)
        if door is None or await pilot.do("click", door.id) == "refused":
            return False
        opened.add(_key(door))
    return False


def _key(node: Node) -> str:
    return f"{node.role}:{node.name or node.hints}:{round(node.box[0])}:{round(node.box[1])}"


def _door(pilot: Pilot, asked: Asked, opened: set[str]) -> Node | None:
    """Return what was not opened yet, at last the next page of a list; nothing that sends a form."""
    pager, pages = next_page(pilot), not (asked.name or superlative(set(asked.words))[0])
    rows = (n for n in pilot.nodes({"button", "clickable"}) if opens_menu(n) or n.name.strip() == "+")
    named = Counter(plain(n.name) for n in rows)  # one of several belongs to its row alone
    single = [n for n in doors(pilot, " ".join(asked.words[1:])) if named[plain(n.name)] < 2]
    closed = (n for n in single if n != pager and not n.submits and _key(n) not in opened)
    last = pager if pager and pages and not (pager.submits or pager.form[0]) else None
    return next(closed, last)


def fits(pilot: Pilot, asked: Asked) -> list[Row]:
    """Return the controls that an order can mean, each with its row."""
    said = set(asked.words)
    pool = [(n, names_of(n, asked.verb)) for n in pilot.nodes(ACTED_ON - FIELD - {"combobox", "option"})]
    heads = _heads(pilot)
    named = [(n, words) for n, words in pool if words and words <= said and _bears(n, words, asked, heads)]
    groups: dict[frozenset[str], list[Node]] = {}
    for node, words in named:
        groups.setdefault(frozenset(words), []).append(node)
    for name in sorted(groups, key=len, reverse=True):
        words = set(name)
        rest = said - words - EMPTY - KINDS - ({asked.verb} & _SHOWS)
        if asked.verb in CONSENTS:
            rest -= {"all"}
        if _counts(pilot, asked, rest):
            return _counted(pilot, lines_of(pilot.seen, groups[name]), asked.place)
        found = in_rows(pilot, groups[name], rest)
        if not found and asked.verb in COUNTED and count_of(asked.words[1:2]):
            found = in_rows(pilot, groups[name], rest - {asked.words[1]})
        found = [row for row in found if not how_many(asked, row) or _takes_count(pilot, asked, row)]
        if found:
            return found
    return _longer(pilot, asked) or titled(pilot, asked.verb, said - KINDS, names_of) or _pluses(pilot, asked)


def _pluses(pilot: Pilot, asked: Asked) -> list[Row]:
    """Return the rows in which a plus is all there is to add one more of what an order names."""
    if asked.verb not in COUNTED:
        return []
    rest = set(asked.words[1:]) - EMPTY - KINDS - _MORE
    rest -= {asked.words[1]} if count_of(asked.words[1:2]) else set()
    found = [n for n in pilot.nodes(_PRESSED) if is_plus(n)]
    return in_rows(pilot, found, rest) if len(found) > 1 and rest else []


def _counts(pilot: Pilot, asked: Asked, rest: set[str]) -> bool:
    """Tell whether an order says a row by its place alone, beside what a heading says of all of them."""
    told = {word for word in rest if word not in ORDINALS and not ordinal(word)}
    return bool(asked.place) and told <= _heads(pilot)


def _heads(pilot: Pilot) -> set[str]:
    """Return the words of the headings and the title of a page."""
    heads = {word for n in pilot.seen.nodes if n.role == "heading" for word in words_of(n.name)}
    return heads | set(words_of(pilot.seen.title))


def _counted(pilot: Pilot, rows: Sequence[Row], place: int) -> list[Row]:
    """Return the row at a place; none where there is none, or the last of a list that goes on is meant."""
    row = None if place < 0 and goes_on(pilot) else nth(rows, place)
    return [row] if row else []


def how_many(asked: Asked, row: Row) -> int:
    """Return the number right behind the verb, 0 where a name in a row has it beside the same word."""
    word, behind = (*asked.words, "", "", "")[1:3]
    texts = [words_of(part.own or part.name) for part in row.parts]
    named = any(pair in ((word, behind), (behind, word)) for words in texts for pair in pairwise(words))
    return count_of([word]) if behind and not named else 0


def _takes_count(pilot: Pilot, asked: Asked, row: Row) -> bool:
    """Tell whether a row has a stepper, or its control can be pressed as often as is asked."""
    return asked.verb in COUNTED or stepper(pilot, row.parts) is not None


def _longer(pilot: Pilot, asked: Asked) -> list[Row]:
    """Return the only control that begins with a verb said alone, as “Save changes” for “save”."""
    if asked.verb not in _ALONE or set(asked.words[1:]) - EMPTY:
        return []
    longer = [n for n in pilot.nodes({"button"}) if words_of(n.name)[:1] == [asked.verb]]
    return [Row(longer[0], (longer[0],))] if len(longer) == 1 else []


def _bears(node: Node, words: set[str], asked: Asked, heads: set[str]) -> bool:
    """Tell whether a control does what the verb of an order says."""
    if asked.verb in words:
        return node.role not in BOXES
    shown = set(asked.words[1:]) - EMPTY - KINDS
    return asked.verb in _SHOWS and words in (shown, shown - heads)


def in_rows(pilot: Pilot, controls: Sequence[Node], rest: set[str]) -> list[Row]:
    """Return the rows of some controls in which the rest of what an order says stands."""
    best, rest = superlative(rest)
    if len(controls) == 1:
        one = Row(controls[0], _around(pilot, controls[0]))
        met = not best and not _unmet(pilot, one, rest, set())
        return [one] if met else []
    rows = rows_of(pilot.seen, controls)
    bare = [Row(node, (node,)) for node in controls if node.id not in {row.control.id for row in rows}]
    if not rows:
        return bare if not rest else []
    rows += bare
    parts = [part for row in rows for part in row.parts]
    within = {part.id for part in parts}
    within |= beside(pilot.seen, within | {box.id for part in parts for box in part.boxes})
    around = (n for n in pilot.seen.nodes if n.id not in within or n.role == "columnheader")
    outside = node_words(around) | set(words_of(pilot.seen.title))
    whole = [row for row in rows if not _unmet(pilot, row, rest, outside)]
    own = {row.control.id: rest & row.words() for row in whole}  # they may stand elsewhere on the page too
    whole = [row for row in whole if not any(own[row.control.id] < other for other in own.values())]
    whole = _below(pilot, whole, rest) if len(whole) > 1 else whole
    return _by_price(pilot, whole, low=best == "least") if best else whole


def _below(pilot: Pilot, rows: list[Row], rest: set[str]) -> list[Row]:
    """Return the rows below the heading that an order names: “the card in Done”; all where it names none."""
    nodes = list(pilot.seen.nodes)
    above = [node_words(n for n in section(nodes, row.control) if n.role == "heading") for row in rows]
    told = [(row, (words & rest) - row.words()) for row, words in zip(rows, above, strict=True)]
    most = max((len(own) for _, own in told), default=0)
    return [row for row, own in told if len(own) == most]


def _unmet(pilot: Pilot, row: Row, rest: set[str], outside: set[str]) -> set[str]:
    """Return the words that stand neither in a row nor around the rows; how many is met by a stepper."""
    left = rest - row.words() - outside
    counts = {word for word in rest if count_of([word])}
    return left - counts if counts and stepper(pilot, row.parts) else left


def _around(pilot: Pilot, control: Node) -> tuple[Node, ...]:
    """Return what the only control of its name is about: its own row or box, and its section before it.

    What stands in another row of a list is not, nor below another heading of the same level: a button below a
    list is about none of its rows.
    """
    nodes = list(pilot.seen.nodes)
    above = above_of(control, holders_of(pilot.seen))
    foreign = beside(pilot.seen, above)
    for node in nodes:
        is_row = node.role in ("listitem", "row", "option", "gridcell") and node.id not in above
        if is_row or node.parent in foreign:
            foreign.add(node.id)
    box = next((group for group in above if group in {n.id for n in nodes if n.role in _BOXED}), "")
    # The label of what is not chosen says nothing of what is sent.
    foreign |= {n.parent for n in nodes if n.role in BOXES and not is_on(n)}
    near = [*section(nodes, control), *(inside(pilot.seen, box) if box else ())]
    return tuple(n for n in near if n.id not in foreign and n.role not in ACTED_ON)


def _by_price(pilot: Pilot, rows: Sequence[Row], *, low: bool) -> list[Row]:
    """Return the row of the lowest or highest price; none where one has no price, or the list goes on."""
    priced: list[tuple[float, Row]] = []
    for row in rows:
        held = (part for part in row.parts if part.tag not in STRUCK)
        price = price_in(" | ".join(part.own or part.name for part in held))
        if price is None:
            return []
        priced.append((price, row))
    if not priced or goes_on(pilot):
        return []
    best = (min if low else max)(price for price, _ in priced)
    return [row for price, row in priced if price == best]


def menu_rows(pilot: Pilot, asked: Asked) -> list[Row]:
    """Return the rows with a menu that an order can mean."""
    rest, openers = _told_apart(asked), _openers(pilot)
    if _counts(pilot, asked, rest):
        return _counted(pilot, lines_of(pilot.seen, openers), asked.place)
    return [row for row in rows_of(pilot.seen, openers) if rest and rest <= node_words(row.parts)]


def _partly(pilot: Pilot, asked: Asked) -> list[Row]:
    """Return the rows with a menu that say the most of an order: “reset the password” may be its entry."""
    rest = _told_apart(asked)
    rows = [(row, len(rest & row.words())) for row in rows_of(pilot.seen, _openers(pilot))]
    most = max((met for _, met in rows), default=0)
    return [row for row, met in rows if met == most] if most else []


def _told_apart(asked: Asked) -> set[str]:
    """Return the words of an order, but its verb, by which one row is told from another."""
    return {word for word in asked.words[1:] if word not in EMPTY | KINDS}


def _openers(pilot: Pilot) -> list[Node]:
    closed = [n for n in pilot.nodes({"button", "clickable"}) if opens_menu(n)]
    return [n for n in closed if not counts(pilot.seen, n)]


async def _menu(pilot: Pilot, asked: Asked) -> Node | None:
    """Open the menu of the row an order speaks of, and return the control that comes with it."""
    rows = menu_rows(pilot, asked) or _partly(pilot, asked)
    if len(rows) != 1:
        return None
    before, rest = {node.id for node in pilot.seen.nodes}, _told_apart(asked) - rows[0].words()
    if await pilot.do("click", rows[0].control.id) != "changed":
        return None
    came = [n for n in pilot.nodes(ACTED_ON - FIELD) if n.id not in before and n.name]
    said = {asked.verb, *rest} if not asked.place else {asked.verb}
    known = [n for n in came if said <= names_of(n, "") <= set(asked.words)]
    return known[0] if len(known) == 1 else None


async def _carry_out(pilot: Pilot, asked: Asked, row: Row) -> bool:
    """Set how many where a row counts, press its control, and answer what the page asks because of it."""
    if is_plus(row.control) and _MORE & set(asked.words):
        return await press_times(pilot, row.control, count_of(asked.words[1:2]) or 1, sure=True)
    unmet = (word for word in asked.words[1:] if word not in row.words())
    count = how_many(asked, row) or count_of(unmet)
    steps = stepper(pilot, row.parts) if count else None
    if steps and not await to_count(pilot, steps, count):
        return False
    if not steps and is_plus(row.control):
        return await press_times(pilot, row.control, count or 1, sure=True)
    if not steps and count > 1 and asked.verb in COUNTED and count_of(asked.words[1:2]) == count:
        return await press_times(pilot, row.control, count)
    for _ in range(asked.times):
        before = pilot.seen
        if await click(pilot, row.control) != "changed":
            return False
        known = {node.id for node in before.nodes}
        boxes = [n for n in pilot.seen.nodes if n.id not in known and n.role in ("dialog", "alertdialog")]
        if asked.name and not await give_name(pilot, asked.name, known):
            return False
        if boxes and not asked.name and not await confirm(pilot, asked, known, row):
            return False
    return True
