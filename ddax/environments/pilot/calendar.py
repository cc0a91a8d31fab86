"""Pick a day in a calendar: the one a field opens, or one that stands on the page.

A calendar is known by its numbers, which stand in seven columns under a line that names a month and a year.
Only what stands in it is pressed: a control of that line that leads to the month before or after, and a day.
What sends a form is not pressed, and a calendar that asks to be confirmed is left as it is.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.dates import find_date, find_month, month_of, writes
from ddax.environments.pilot.pilot import Pilot, leads
from ddax.environments.pilot.words import FIELD, tokens

TURNS = 120
"""Presses of arrows at most."""
FEWEST = 28
"""Days of the shortest month."""
PRESSED = frozenset({"link", "button", "clickable", "gridcell"})
"""Roles by which a day or an arrow says that it can be pressed."""
CALENDAR_WORDS = frozenset({"date", "day", "calendar", "datepicker"})
"""Words of a control or a field that is there for a date."""
OPENS = frozenset({"choose", "select", "pick", "open", "show", "change", "toggle", "calendar", "datepicker"})
"""Words by which a button says that it opens a calendar."""
OPENING = OPENS | CALENDAR_WORDS | {"a", "the", "for"}
"""Words of a button that does no more; besides those that open, the words of its field are harmless too."""
ENDS = frozenset(
    """add apply cancel clear close confirm delete dismiss ok remove reset save send submit times trash x
    xmark × ✕ ✖ ✗ ❌""".split()  # noqa: SIM905
)
"""Words and signs of a control, its attributes too, that does something else to a date."""
WORDS = {-1: frozenset({"prev", "previous"}), 1: frozenset({"next"})}
SIGNS = {-1: frozenset("<‹«←◀◄❮"), 1: frozenset(">›»→▶►❯")}
"""What the controls to the month before and after are called and show."""
SPANS = frozenset({"month", "months", "year", "years"})
"""What a control turns by, where it says so."""
TURNING = frozenset(
    """a the to go show see view move turn switch jump navigate change forward forwards back backward
    backwards calendar control left right pagedown pageup +""".split()  # noqa: SIM905
)
"""Words of a control that turns a calendar, besides where to."""
FARTHER = frozenset({"year", "years", "«", "»", "<<", ">>"})
"""What marks a control that may turn by more than a month."""
_FOUR_DIGITS = re.compile(r"\d{4}")
_NUMBER = re.compile(r"0?[1-9]|[12]\d|3[01]")


@dataclass(frozen=True)
class Day:
    """A number of a calendar: what is pressed for it, the cell it fills, whether it can be chosen."""

    number: int
    node: Node
    cell: Node
    can: bool
    label: date | None = None


@dataclass(frozen=True)
class Month:
    """A month that is shown: its days from the first on, and the elements of the line that names it."""

    year: int
    month: int
    days: tuple[Day, ...]
    head: tuple[Node, ...]

    def before(self, wanted: date) -> int:
        """Return how many months a day lies behind this one, below 0 for one that is past."""
        return (wanted.year - self.year) * 12 + wanted.month - self.month


async def pick_day(pilot: Pilot, wanted: date, field: Node | None = None) -> bool:
    """Press a day in the calendar of a field, and see that the field shows it; or in any, without a field."""
    other = await _opened(pilot, field) if field is not None else frozenset[str]()
    month = await _turned(pilot, wanted, other)
    if month is None:
        return False
    day = month.days[wanted.day - 1]
    if not day.can:
        pilot.failed.append(f"the calendar does not let {wanted} be chosen")
        return False
    came = await pilot.do("click", day.node.id)
    if field is None:
        return came == "changed" or (came == "unchanged" and day.node.role in PRESSED)
    held = pilot.seen.node(field.id)
    if held is not None and not writes(held.value, wanted):
        pilot.failed.append(f"the field shows {held.value!r} after {wanted} was pressed in its calendar")
        return False
    return came != "refused"


async def _opened(pilot: Pilot, field: Node) -> frozenset[str]:
    """Open the calendar of a field, by it or by a button beside it; return what is no part of it."""
    before = frozenset(node.id for node in pilot.seen.nodes)
    await pilot.do("click", field.id)
    if not months(pilot.seen.nodes):
        near = [n for n in pilot.nodes(PRESSED | {"icon", "image"}) if level(n, field)]
        beside = [n for n in near if opens(n, field) and not leads(n, pilot.seen.url)]
        for button in pilot.match.near(field, beside)[:1]:
            await pilot.do("click", button.id)
    return before if showing(pilot.seen, before) else frozenset()


def opens(node: Node, field: Node) -> bool:
    """Tell whether a control says that it opens the calendar of a field and nothing else."""
    words, hints = set(tokens(node.name.split(",")[0])), set(tokens(node.hints))
    known = OPENING | set(tokens(f"{field.name} {field.before}")) if words & OPENS else OPENING
    ends = ENDS & (words | hints | set(node.name.split()))
    return words <= known and not ends and not node.submits and bool(CALENDAR_WORDS & (words | hints))


async def _turned(pilot: Pilot, wanted: date, other: frozenset[str]) -> Month | None:
    """Turn a calendar to the month of a day, as long as it gets nearer; None where it does not get there."""
    await _select_parts(pilot, wanted, other)
    last, reason = 12 * date.max.year, ""
    for _ in range(TURNS):
        shown = showing(pilot.seen, other)
        if not shown:
            reason = "no calendar is seen"
            break
        near = min(shown, key=lambda month: abs(month.before(wanted)))
        away = near.before(wanted)
        if away == 0:
            return near
        reason = f"the calendar shows {near.year}-{near.month:02d} and comes no nearer to {wanted}"
        arrow = turner(shown, away, pilot.seen.url)
        if arrow is None or abs(away) >= last:
            break
        last = abs(away)
        pilot.max_moves += 1
        await pilot.do("click", arrow.id)
    pilot.failed.append(reason)
    return None


async def _select_parts(pilot: Pilot, wanted: date, other: frozenset[str]) -> None:
    """Set the year and then the month in lists of the calendar's head, where it has such lists."""
    parts = (
        (lists_years, lambda text: text == str(wanted.year)),
        (lists_months, lambda text: month_of(text) == wanted.month),
    )
    for lists, means in parts:
        heads = [n for month in showing(pilot.seen, other)[:1] for n in month.head if lists(n, month)]
        meant = next(((n, option) for n in heads for option in n.options if means(option)), None)
        if meant is not None and meant[0].value != meant[1]:
            await pilot.do("select", meant[0].id, meant[1])


def lists_years(node: Node, month: Month) -> bool:
    """Tell whether an element is a list that shows the year of a calendar."""
    return node.tag == "select" and node.value == str(month.year)


def lists_months(node: Node, month: Month) -> bool:
    """Tell whether an element is a list that shows the month of a calendar, and lists no other numbers.

    Numbers are months where there are twelve and the list has no other name: others count guests or nights.
    """
    other = set(filter(str.isalpha, tokens(node.name or node.before))) - SPANS
    counts = node.value.isdecimal() and (len(node.options) != 12 or other)
    return node.tag == "select" and month_of(node.value) == month.month and not counts


def showing(seen: PageSeen, other: frozenset[str] = frozenset()) -> list[Month]:
    """Return the months that a page shows in what is none of some other elements."""
    return months([node for node in seen.nodes if node.id not in other])


def months(nodes: Sequence[Node]) -> list[Month]:
    """Return the months that elements show, in their order: numbers from 1 on under the name of a month."""
    days = numbered(nodes)
    found = []
    for place, first in enumerate(days):
        run = _run(days[place:]) if first.number == 1 else []
        if len(run) < FEWEST:
            continue
        head, named = _head(nodes, run)
        if first.label is not None:
            named = (first.label.year, first.label.month)
        if named is not None and len(run) >= (length := monthrange(*named)[1]):
            found.append(Month(*named, _choosable(run[:length]), head))
    return found


def _run(days: Sequence[Day]) -> list[Day]:
    """Return the days that follow each other from the first on, each in the column of a week before."""
    run: list[Day] = []
    for day in days:
        fits = len(run) < 7 or abs(center(day.cell)[0] - center(run[-7].cell)[0]) < day.cell.box[2] / 2
        if day.number == len(run) + 1 and fits:
            run.append(day)
    return run


def _choosable(run: Sequence[Day]) -> tuple[Day, ...]:
    """Return days, plain text among ones that can be pressed as not to be chosen."""
    pressed = [day for day in run if day.node.role in PRESSED]
    return tuple(replace(day, can=day.can and (len(pressed) < 2 or day in pressed)) for day in run)


def numbered(nodes: Sequence[Node]) -> list[Day]:
    """Return what may be a day of a calendar: the numbers from 1 to 31 that stand alone, in their order."""
    by_id = {node.id: node for node in nodes}
    leaves = [n for n in nodes if n.role not in FIELD | {"rowheader"} and _NUMBER.fullmatch(_text(n))]
    chains = [list(_upward(leaf, by_id)) for leaf in leaves]
    held = Counter(node.id for chain in chains for node in chain)
    return [_day(chain[0], [n for n in chain if held[n.id] == 1]) for chain in chains]


def _text(node: Node) -> str:
    return node.own or (node.name if node.tag == "input" else "")


def _upward(node: Node | None, by_id: dict[str, Node]) -> Iterable[Node]:
    while node is not None:
        yield node
        node = by_id.get(node.parent)


def _day(leaf: Node, chain: Sequence[Node]) -> Day:
    """Read a day from its number and from what holds this number alone."""
    inner = [n for n in chain if n.role in PRESSED | {"cell", "text"}] or [leaf]
    node = next((n for role in (("link", "button"), PRESSED) for n in inner if n.role in role), inner[0])
    off = any("disabled" in n.state or "disabled" in tokens(n.hints) or n.submits for n in inner)
    number = int(_text(leaf))
    labels = (find_date(n.name) for n in inner)
    label = next((label for label in labels if label is not None and label.day == number), None)
    return Day(number, node, inner[-1], not off, label)


def _head(nodes: Sequence[Node], run: Sequence[Day]) -> tuple[tuple[Node, ...], tuple[int, int] | None]:
    """Return the line that stands nearest over some days and names a month, and the year and month it names.

    Where no line does, it is all that stands close over them.
    """
    left, top, right, low = bounds(run)
    wide = [node for node in nodes if left <= center(node)[0] <= right]
    over = [n for n in wide if 2 * top - low <= n.box[1] and n.box[1] + n.box[3] <= top + 3]
    for node in sorted(over, key=lambda node: -center(node)[1]):
        line = [other for other in wide if level(node, other)]
        said = [words_of(other) for other in line if not turns(other)]
        named = next(filter(None, map(find_month, [*said, " ".join(said)])), None)
        if named is not None:
            return tuple(line), named
    return tuple(over), None


def words_of(node: Node) -> str:
    """Return the words an element shows, of a list what is chosen in it."""
    return node.value or node.own or node.name


def bounds(run: Sequence[Day]) -> tuple[float, float, float, float]:
    """Return the left, upper, right and lower end of some days, with the width of one more on either side."""
    boxes = [day.cell.box for day in run]
    more = boxes[0][2]
    return (
        min(x for x, _, _, _ in boxes) - more, min(y for _, y, _, _ in boxes),
        max(x + width for x, _, width, _ in boxes) + more, max(y + height for _, y, _, height in boxes),
    )  # fmt: skip


def center(node: Node) -> tuple[float, float]:
    """Return the middle of an element."""
    return node.box[0] + node.box[2] / 2, node.box[1] + node.box[3] / 2


def level(one: Node, other: Node) -> bool:
    """Tell whether two elements stand in one line."""
    return abs(center(one)[1] - center(other)[1]) <= min(one.box[3], other.box[3]) / 2 + 2


def turner(shown: Sequence[Month], away: int, url: str = "") -> Node | None:
    """Return the control in the head of some months that leads nearer to one so many months behind them.

    A “Next” that says no more may be that of a form, and is the last choice. What stands in a link or a
    button does what this does.
    """
    heads, way = {node.id: node for month in shown for node in month.head}, 1 if away > 0 else -1

    def leads_on(node: Node) -> bool:
        return turns(node) == way and not (node.submits or "disabled" in node.state or _strays(node, url))

    def held_by(node: Node) -> list[Node]:
        return [one for one in _upward(node, heads) if one.role in ("link", "button")]

    pool = [node for node in heads.values() if all(map(leads_on, (node, *held_by(node))))]
    years = abs(away) >= 12
    return min(pool, key=lambda n: (_farther(n) != years, _is_bare(n), n.role not in PRESSED), default=None)


def _strays(node: Node, url: str) -> bool:
    """Tell whether a link goes to another page and does not say that a month or a year is shown there."""
    told = SPANS & set(tokens(node.name)) or month_of(node.name)
    return not told and leads(replace(node, href=node.href.partition("?")[0]), url.partition("?")[0])


def _is_bare(node: Node) -> bool:
    said = set(tokens(node.name or node.own))
    return bool(said) and said <= WORDS[-1] | WORDS[1]


def turns(node: Node) -> int:
    """Return which way an element leads by what it shows or is called: 1 on, -1 back, 0 neither.

    With other words than of turning, as “Next: pay”, it does something else. Without words its title counts.
    """
    named = bool(tokens(node.name))
    for text in (node.own, node.name, "" if named else node.hints):
        words = set(tokens(text)) - {"<", ">"}
        for way in (-1, 1):
            spare = WORDS[way] | SPANS | (TURNING if words & SPANS or month_of(text) else frozenset())
            plain = text == node.hints or not any(map(_is_other, words - spare))
            if plain and (words & WORDS[way] or SIGNS[way] & set(text)):
                return way
    return 0


def _is_other(word: str) -> bool:
    """Tell whether a word is no month and no year."""
    return not _FOUR_DIGITS.fullmatch(word) and (word.isdecimal() or not month_of(word))


def _farther(node: Node) -> bool:
    return bool(FARTHER & {*tokens(f"{node.name} {node.hints}"), *node.name.split()})
