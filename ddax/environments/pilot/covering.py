"""A form by an order that says all of it: “Book Dr. Ruiz on 4 March 2027 at 10:30 for a check-up”.

Every word of the order has to be met: by an option, by a field for a day, a time, an address or a number, by
the name of a field with what stands behind it, by the button that bears the verb, or by a heading. Where one
word is left over, or goes with two fields alike, nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.asked import CONSENTS, asked_of
from ddax.environments.pilot.fields import fill, is_dated, select
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.options import group_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.posting import posts
from ddax.environments.pilot.pressing import click, press_node
from ddax.environments.pilot.repeats import asks_again
from ddax.environments.pilot.rows import above_of, words_of, words_of_name
from ddax.environments.pilot.suggest import is_search
from ddax.environments.pilot.switches import is_on
from ddax.environments.pilot.wording import Wording, wording
from ddax.environments.pilot.words import EMPTY, FIELD, KINDS

_COVERS = frozenset({"goal", "deed", "message", "order", "buy", "search", "find", "style"})
"""Kinds of orders that may fill and send a form."""
_SENDS = ("submit", "send", "post", "publish")
_SAYS: dict[str, tuple[str, ...]] = {
    "find": ("search",), "search": ("find",), "get": ("buy",), "schedule": ("book",),
    "calculate": ("convert",),
    **dict.fromkeys(("leave", "write", "post", "give", "make", "send", "submit"), _SENDS),
}  # fmt: skip
"""Verbs that a button may say otherwise."""
_MONEY = frozenset({"eur", "usd", "gbp", "pound", "chf", "franc", "yen", "kr"})
_LITTLE = frozenset("a an the to of for from with my now here it all".split())  # noqa: SIM905
_MAX = frozenset({"maximum", "max", "to", "until", "highest"})
_MIN = frozenset({"minimum", "min", "from", "lowest"})
_MOST = frozenset({"most", "to", "under", "below", "maximum", "max", "than"})
_LEAST = frozenset({"least", "from", "over", "minimum", "min"})
"""Words of the label of a field for a bound, and words before such a bound."""
_GLUE = (
    _MOST | _LEAST | frozenset({"at", "up", "and", "named", "called", "me", "want", "saying", "say", "text"})
)
"""Words that tell how another one is meant."""
_MANY = frozenset({"quantity", "amount", "number", "count", "piece", "many", "sum"})
"""Words of the label of a field for how many or how much."""
_PLACES = frozenset({"city", "town", "location", "where", "place", "destination", "area", "region"})
_WHAT_FOR = frozenset({"reason", "purpose", "subject", "note", "comment", "topic", "occasion"})
_WHO = frozenset({"name", "guest", "customer", "recipient", "person"})
_BEHIND = {
    "in": _PLACES,
    "near": _PLACES,
    "around": _PLACES,
    "for": _WHAT_FOR | _WHO,
    "called": _WHO,
    "named": _WHO,
}
"""What the field is for that takes what stands behind a word."""
_TO, _FROM = frozenset({"to", "into", "in"}), frozenset({"from"})
_ASIDE = re.compile(r"\s*\([^)]*\)|(?:\s*[—–,|]|:)\s.*$")
"""What stands behind the name of an option: a price, an explanation."""


@dataclass(frozen=True)
class _Option:
    """Something that can be chosen: a radio or a box, or one line of a list."""

    node: Node
    name: str

    @property
    def keys(self) -> list[str]:
        return [word for word in words_of(_ASIDE.sub("", self.name) or self.name) if word not in EMPTY]


@dataclass
class _Plan:
    """What is to be chosen and written before a button is pressed."""

    button: Node
    fields: list[Node]
    options: list[_Option]
    chosen: list[_Option] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)

    def free(self) -> list[Node]:
        """Return the fields for which nothing was said yet."""
        return [n for n in self.fields if n.id not in self.written]


async def cover(pilot: Pilot, order: Order) -> bool | None:
    """Choose and write all that an order says, then press the button that bears its verb; else None."""
    if (order.verb not in _COVERS and not posts(order)) or order.exception:
        return None
    plans = [one for one in _plans(pilot, order) if one.chosen or len(one.written) > 1]
    if len(plans) != 1 or _missing(pilot, plans[0]):
        return None
    plan = plans[0]
    for option in plan.chosen:
        if not await _take(pilot, option):
            return False
    for id, value in plan.written.items():
        now = pilot.seen.node(id)
        if now is None or not await fill(pilot, now, value):
            return False
    button = pilot.seen.node(plan.button.id)
    return button is not None and await press_node(pilot, button)


async def _take(pilot: Pilot, option: _Option) -> bool:
    now = pilot.seen.node(option.node.id)
    if now is None:
        return False
    if now.tag == "select":
        return now.value == option.name or await select(pilot, now, [option.name])
    return is_on(now) or await click(pilot, now) != "refused"


def _plans(pilot: Pilot, order: Order) -> Iterator[_Plan]:
    """Yield a plan for each button that bears the verb of an order and whose form takes all that it says."""
    verb = asked_of(order).verb
    if verb in CONSENTS | {"agree"}:
        return
    verbs = (verb, *_SAYS.get(verb, ()))
    for button in pilot.nodes({"button"}):
        words = [word for word in words_of_name(button.name) if word not in _LITTLE]
        said = wording(order)
        keys = {word.key for word in said.words} | KINDS
        if words[:1] not in [[one] for one in verbs] or not set(words[1:]) <= keys:
            continue
        plan = _Plan(button, _of_form(pilot, button), _options(pilot, button))
        if _covers(pilot, plan, said, {verb, *words}):
            yield plan


def _of_form(pilot: Pilot, button: Node) -> list[Node]:
    pool = (n for n in pilot.nodes(FIELD) if "readonly" not in n.state and not asks_again(n))
    return [n for n in pool if n.form[0] == button.form[0] and n.type != "password"]


def _options(pilot: Pilot, button: Node) -> list[_Option]:
    """Return what can be chosen in the form of a button, the longest names first."""
    own = [n for n in pilot.nodes({"radio", "checkbox", "combobox"}) if n.form[0] == button.form[0]]
    found = [_Option(n, label_of(n) or n.after) for n in own if n.tag != "select" and n.role != "combobox"]
    found += [_Option(n, one) for n in own if n.tag == "select" for one in n.options]
    return sorted((one for one in found if one.keys), key=lambda one: -len(one.keys))


def _covers(pilot: Pilot, plan: _Plan, said: Wording, known: set[str]) -> bool:
    """Fill a plan with all that an order says; False where something is left over or has no one place."""
    known = known | _GLUE | KINDS | _told(pilot)
    for way in (_days, _addresses, _numbers, _choices, _quotes):
        if not way(pilot, plan, said):
            return False
    known |= _labels(pilot, plan)
    return _names(plan, said, known) and _rest(pilot, plan, said, known | _labels(pilot, plan))


def _told(pilot: Pilot) -> set[str]:
    """Return the words of the title, the headings and the groups of a page."""
    said = [n.name or n.own for n in pilot.seen.nodes if n.role == "heading"]
    return set(words_of(" ".join([pilot.seen.title, *said])))


def _labels(pilot: Pilot, plan: _Plan) -> set[str]:
    """Return the words by which what is chosen and written is called, its groups among them."""
    above = {n.id: n for n in pilot.seen.nodes}
    parents = {n.id: n.parent for n in pilot.seen.nodes}
    groups = [above[id] for one in plan.chosen for id in above_of(one.node, parents) if id in above]
    named = [n.name or n.before for n in groups if n.role in ("group", "radiogroup")]
    named += [label_of(one.node) for one in plan.chosen if one.node.tag == "select"]
    named += [label_of(n) or n.sample for n in plan.fields if n.id in plan.written]
    return set(words_of(" ".join(named)))


def _days(pilot: Pilot, plan: _Plan, said: Wording) -> bool:
    """Give the day and the time to the only fields for them; a time may be an option too."""
    for at in said.of_kind("day"):
        dated = [n for n in plan.free() if is_dated(n)]
        if len(dated) != 1:
            return False
        plan.written[dated[0].id] = said.words[at].key
        said.met.add(at)
    for at in said.of_kind("time"):
        timed = [n for n in plan.free() if n.type == "time" or "time" in words_of(label_of(n))]
        hours = [one for one in plan.options if one.keys[:1] in ([said.words[at].key], [said.words[at].text])]
        if len(timed) + len(hours) != 1:
            return False
        plan.written |= {n.id: said.words[at].key for n in timed}
        plan.chosen += hours
        said.met.add(at)
    return True


def _addresses(pilot: Pilot, plan: _Plan, said: Wording) -> bool:
    for at in said.of_kind("email"):
        mail = [n for n in plan.free() if n.type == "email" or "email" in words_of(label_of(n) or n.sample)]
        if len(mail) != 1:
            return False
        plan.written[mail[0].id] = said.words[at].text
        said.met.add(at)
    return True


def _numbers(pilot: Pilot, plan: _Plan, said: Wording) -> bool:
    """Give each number to the field or the list that goes with the word beside it, or with a bound."""
    for at in said.of_kind("number"):
        beside = {said.before(at), *(word.key for word in said.words[at + 1 : at + 2])} - {""} - EMPTY
        number = said.words[at].text
        lists = [
            one for one in plan.options
            if one.keys[:1] == [number] and beside & {*one.keys[1:], *words_of(label_of(one.node))}
        ]  # fmt: skip
        fields = _counting(plan, said, at, beside)
        if len(lists) + len(fields) != 1:
            return False
        plan.chosen += lists
        plan.written |= {n.id: number for n in fields}
        behind = "".join(word.key for word in said.words[at + 1 : at + 2])
        counted = lists and lists[0].keys[1:2] == [behind]
        priced = fields and behind in _MONEY and not any(_MONEY & set(one.keys) for one in plan.options)
        said.met |= {at, at + 1} if counted or priced else {at}
    return True


def _counting(plan: _Plan, said: Wording, at: int, beside: Collection[str]) -> list[Node]:
    """Return the field for a number: by a word beside it, by a bound before it, else the one for how many."""
    labels = {
        n.id: set(words_of(" ".join([label_of(n) or n.sample]))) for n in plan.free() if not is_dated(n)
    }
    pool = [n for n in plan.free() if n.id in labels and n.type != "email"]
    if named := [n for n in pool if labels[n.id] & set(beside)]:
        return named
    lead = {word.key for word in said.words[max(0, at - 2) : at]}
    for words, bounds in ((_MOST, _MAX), (_LEAST, _MIN)):
        if lead & words and (bounded := [n for n in pool if labels[n.id] & bounds]):
            return bounded
    return [n for n in pool if labels[n.id] & _MANY]


def _choices(pilot: Pilot, plan: _Plan, said: Wording) -> bool:
    """Choose every option that an order says whole; where several lists have it, by “from” or “to”."""
    heads = _told(pilot)
    for option in plan.options:
        places = said.find(option.keys)
        alike = [one for one in plan.options if one.keys == option.keys and not _has(plan, one.node)]
        if not places or not alike or set(option.keys) <= heads:
            continue
        if len(alike) > 1:
            alike = _by_way(alike, said.before(places[0]))
        if len(alike) != 1:
            return False
        plan.chosen.append(alike[0])
        said.met |= set(places)
    radios = [group_of(pilot, one.node) for one in plan.chosen if one.node.role == "radio"]
    return len(set(radios)) == len(radios)


def _has(plan: _Plan, node: Node) -> bool:
    """Tell whether one option of a list was chosen."""
    return node.tag == "select" and any(one.node.id == node.id for one in plan.chosen)


def _by_way(options: Sequence[_Option], before: str) -> list[_Option]:
    """Return the options of lists that are called as the word before them says: “to GBP” of “To”."""
    ways = _TO if before in _TO else _FROM
    return [one for one in options if ways & set(label_of(one.node).casefold().split()[:1])]


def _quotes(pilot: Pilot, plan: _Plan, said: Wording) -> bool:
    """Give each quote to the field that is named beside it, else to the only one for text that is free."""
    for at in said.of_kind("quote"):
        texts = [n for n in plan.free() if n.role != "spinbutton" and not is_search(n) and not is_dated(n)]
        beside = {said.before(at), *(word.key for word in said.words[at + 1 : at + 4])} - EMPTY - {""}
        named = [n for n in texts if beside & set(words_of_name(label_of(n) or n.sample))]
        areas = [n for n in texts if n.tag == "textarea"]
        meant = named or areas or texts
        if len(meant) != 1:
            return False
        plan.written[meant[0].id] = said.words[at].text
        said.met.add(at)
    return True


def _names(plan: _Plan, said: Wording, known: Collection[str]) -> bool:
    """Give words side by side to the field that is named before them, or by what stands before them."""
    for run in list(said.runs(known)):
        texts = [n for n in plan.free() if n.type in ("", "text", "search", "tel") and not is_dated(n)]
        for size in range(min(3, len(run) - 1), 0, -1):
            head = {said.words[at].key for at in run[:size]}
            named = [n for n in texts if head == set(words_of_name(label_of(n) or n.sample)) - EMPTY]
            if len(named) == 1:
                plan.written[named[0].id] = said.text(run[size:])
                said.met |= set(run)
                break
        else:
            _by_lead(plan, said, run, texts)
    return True


def _by_lead(plan: _Plan, said: Wording, run: Sequence[int], texts: Sequence[Node]) -> None:
    """Give words to the only field for what the word before them leads to: “in Bergen” to the city."""
    wanted = _BEHIND.get(said.before(run[0]), frozenset[str]())
    meant = [n for n in texts if wanted & set(words_of_name(label_of(n) or n.sample))]
    if len(meant) == 1:
        plan.written[meant[0].id] = said.text(run)
        said.met |= set(run)


def _rest(pilot: Pilot, plan: _Plan, said: Wording, known: Collection[str]) -> bool:
    """Meet what is left by the only option that has all of it, as “the park” by “City park”."""
    left = said.left(known)
    keys = {said.words[at].key for at in left}
    if not keys:
        return True
    one_of = (one for one in plan.options if one.node.role != "checkbox" and not _has(plan, one.node))
    pool = [one for one in one_of if keys <= set(one.keys)]
    if len(pool) != 1:
        return False
    plan.chosen.append(pool[0])
    said.met |= set(left)
    return not said.left(known)


def _missing(pilot: Pilot, plan: _Plan) -> bool:
    """Tell whether the form asks for more than an order says."""
    own = [n for n in plan.fields if "required" in n.state and not n.value and n.id not in plan.written]
    if own:
        pilot.misread(f"the form also asks for “{pilot.cut(label_of(own[0]), 60)}”", "Say this too")
    return bool(own)
