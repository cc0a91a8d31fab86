"""Each word of an order by something of a form: a field, an option, a label, or nothing that is left over."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import is_dated
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.options import group_of
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.plans import Option, Plan, called, labels_of, told
from ddax.environments.pilot.ranges import FIRST, LAST
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.suggest import is_search
from ddax.environments.pilot.values import akin
from ddax.environments.pilot.wording import Wording
from ddax.environments.pilot.words import EMPTY, KINDS

_MAX = frozenset({"maximum", "max", "to", "until", "highest"})
_MIN = frozenset({"minimum", "min", "from", "lowest"})
_MOST = frozenset({"most", "to", "under", "below", "maximum", "max", "than"})
_LEAST = frozenset({"least", "from", "over", "minimum", "min", "since"})
"""Words of the label of a field for a bound, and words before such a bound."""
_GLUE = _MOST | _LEAST
_GLUE |= frozenset("at up and until till through named called titled me want saying say text old".split())  # noqa: SIM905
"""Words that tell how another one is meant."""
_MANY = frozenset({"quantity", "amount", "number", "count", "piece", "many", "sum", "value"})
"""Words of the label of a field for how many or how much."""
_PRICES = frozenset({"price", "cost", "amount", "budget", "fee", "rent", "salary", "total"})
_PEOPLE = frozenset("person people guest adult passenger traveller visitor seat party".split())  # noqa: SIM905
_MONEY = frozenset({"eur", "usd", "gbp", "pound", "chf", "franc", "yen", "kr"})
_PLACES = frozenset({"city", "town", "location", "where", "place", "destination", "area", "region"})
_WHAT_FOR = frozenset("reason purpose subject note comment topic occasion what description".split())  # noqa: SIM905
_REASONS = _WHAT_FOR - {"what", "subject", "topic"}
_WHO = frozenset({"name", "guest", "customer", "recipient", "person", "payee", "beneficiary"})
_TITLES = frozenset({"title", "name", "subject", "summary", "what", "headline"})
_KEYWORDS = frozenset({"keyword", "search", "query", "ingredient", "role", "position", "job"})
_FIRMS = frozenset({"company", "organisation", "organization", "employer", "firm"})
_STARTS = frozenset({"from", "origin", "start", "departure", "pick-up", "pickup"})
_STOPS = frozenset({"to", "destination", "arrival", "drop-off"})
_BEHIND = {
    **dict.fromkeys(("in", "near", "around"), _PLACES),
    **dict.fromkeys(("called", "named", "titled", "labelled", "labeled"), _TITLES | {"label"}),
    "for": _WHAT_FOR | _WHO | _KEYWORDS, "as": _WHO | _KEYWORDS, "with": _KEYWORDS, "under": _WHO,
    "from": _STARTS | _WHO | _FIRMS, "of": _FIRMS, "at": _FIRMS | _PLACES, "to": _STOPS | _WHO,
    "by": frozenset({"author", "by", "artist", "director", "brand"}),
}  # fmt: skip
"""What the field is for that takes what stands behind a word."""
_TO, _FROM = frozenset({"to", "into", "in"}), frozenset({"from"})
_ENDS = frozenset({"with", "and", "for", "at", "on", "from", "in", "to", "by", "under"})
"""Words before which a value without quotes ends."""
_FORMS = frozenset({"s", "es", "d", "ed", "ing", "r", "er", "ment"})
"""Endings of other forms of a word."""
_WRITTEN = frozenset({"", "text", "search", "tel"})
"""Kinds of fields for words without quotes."""


def meet(pilot: Pilot, plan: Plan, said: Wording, known: Collection[str]) -> bool:
    """Fill a plan with all that an order says; False where something is left over or has no one place."""
    if not said.words:  # an order that could not be read says nothing that could be met
        return False
    words = {*_GLUE, *KINDS, *known, *told(pilot)}
    for way in (_labelled, _days, _times, _addresses, _numbers, _choices, _quotes):
        if not way(pilot, plan, said):
            return False
    _names(plan, said, _known(pilot, plan, said, words))
    return _rest(plan, said, _known(pilot, plan, said, words))


def _known(pilot: Pilot, plan: Plan, said: Wording, words: set[str]) -> set[str]:
    """Return some words, and those of an order that speak of what is chosen or written."""
    labels = labels_of(pilot, plan)
    return words | labels | {w.key for w in said.words if any(_speaks_of(w.key, label) for label in labels)}


def _speaks_of(word: str, label: str) -> bool:
    """Tell whether a word is another form of one of a label, as “starting” of “start”."""
    long, short = max(word, label, key=len), min(word, label, key=len)
    return akin(word, label) or (len(short) > 3 and long.startswith(short) and long[len(short) :] in _FORMS)


def _labelled(pilot: Pilot, plan: Plan, said: Wording) -> bool:
    """Give what stands behind the label of a field to it: “phone 555 123”, “IBAN DE44 …”, “name Dahl”."""
    for node in (n for n in plan.free() if n.type in _WRITTEN and n.role == "textbox" and not is_dated(n)):
        keys = [word for word in words_of(label_of(node) or node.sample) if word not in EMPTY]
        places = said.find(keys) if keys else []
        value = said.value_behind(places[-1], _ENDS) if places else []
        if value and not said.words[value[0]].text[:1].islower():
            plan.written[node.id] = said.text(value)
            said.met |= {*places, *value}
    return True


def _days(pilot: Pilot, plan: Plan, said: Wording) -> bool:
    """Give a day to the only field for one, two days to those for the first and the last."""
    return _by_ends(plan, said, said.of_kind("day"), [n for n in plan.free() if is_dated(n)])


def _times(pilot: Pilot, plan: Plan, said: Wording) -> bool:
    """Give a time to the only field for one, two to those for both ends, or choose it from a list."""
    times, timed = said.of_kind("time"), [n for n in plan.free() if n.type == "time" or "time" in called(n)]
    for at in list(times):
        hours = [one for one in plan.open() if one.keys[:1] in ([said.words[at].key], [said.words[at].text])]
        if len(hours) == 1 and not timed:
            plan.chosen += hours
            said.met.add(at)
            times.remove(at)
    return _by_ends(plan, said, times, timed)


def _by_ends(plan: Plan, said: Wording, places: Sequence[int], fields: Sequence[Node]) -> bool:
    """Give one value to the only field for it, or the first; two to the first and the last."""
    if 0 < len(places) < 3 and len(fields) > 1:
        words = [(n, {*called(n), "".join(sorted(called(n)))}) for n in fields]
        ends = [[n for n, own in words if own & end] for end in (FIRST, LAST)]
        fields = [one[0] for one in ends if len(one) == 1]
        fields = fields[: len(places)] if len(fields) == 2 else []
    if len(places) != len(fields) and places:
        return False
    for at, node in zip(places, fields, strict=False):
        plan.written[node.id] = said.words[at].key
        said.met.add(at)
    return True


def _addresses(pilot: Pilot, plan: Plan, said: Wording) -> bool:
    """Give an e-mail address to the only field for one."""
    for at in said.of_kind("email"):
        mail = [n for n in plan.free() if n.type == "email" or "email" in called(n)]
        if len(mail) != 1:
            return False
        plan.written[mail[0].id] = said.words[at].text
        said.met.add(at)
    return True


def _numbers(pilot: Pilot, plan: Plan, said: Wording) -> bool:
    """Give each number to the field or the list that goes with the word beside it, or with a bound."""
    for at in said.of_kind("number"):
        behind = "".join(word.key for word in said.words[at + 1 : at + 2] if not said.words[at].ends)
        beside = {said.before(at), behind} - {""} - EMPTY
        lists = _listed(
            plan, said.words[at].text, beside | (_PEOPLE if beside & _PEOPLE or not beside else set())
        )
        fields = _counting(plan, said, at, beside) if not lists else []
        if len(lists) + len(fields) > 1:
            return False
        if not lists and not fields:
            continue  # a house number, a year in a name: met by its words or left over
        plan.chosen += lists
        plan.written |= {n.id: said.words[at].text for n in fields}
        counted = lists and (lists[0].keys[1:2] == [behind] or behind in _PEOPLE | _MONEY)
        priced = fields and behind in _MONEY and not any(_MONEY & set(one.keys) for one in plan.options)
        said.met |= {at, at + 1} if counted or priced else {at}
    return True


def _listed(plan: Plan, number: str, beside: Collection[str]) -> list[Option]:
    """Return the options for a number whose other words or whose list is called as the words beside it."""
    options = [one for one in plan.open() if one.keys[:1] == [number]]
    named = [one for one in options if set(beside) & {*one.keys[1:], *words_of(label_of(one.node))}]
    priced = [one for one in options if one.keys == [number] and _MONEY & set(beside) and _has_sign(one.name)]
    return named or priced


def _has_sign(name: str) -> bool:
    return any(sign in name for sign in "€$£") or bool(_MONEY & set(words_of(name)))


def _counting(plan: Plan, said: Wording, at: int, beside: Collection[str]) -> list[Node]:
    """Return the field for a number: by a word beside it, by a bound before it, else the one for how many."""
    pool = [n for n in plan.free() if not is_dated(n) and n.type not in ("email", "time")]
    if money := _MONEY & set(beside):  # dollars are no matter of a field for euros
        pool = [n for n in pool if money & called(n) or not _MONEY & called(n)]
    lead = {word.key for word in said.words[max(0, at - 1) : at] if not word.ends}
    bounds = [end for words, end in ((_MOST, _MAX), (_LEAST, _MIN)) if lead & words]
    bounded = [n for n in pool if any(called(n) & end for end in bounds)]
    named = [n for n in pool if called(n) & (set(beside) - _MONEY)]
    people = _PEOPLE if set(beside) & _PEOPLE or not beside else frozenset[str]()
    much = _PRICES if set(beside) & _MONEY else frozenset[str]()
    many = [n for n in pool if called(n) & people or called(n) & much or _is_many(called(n) - EMPTY)]
    return [n for n in bounded if n in named] or named or bounded or many


def _is_many(label: set[str]) -> bool:
    """Tell whether a label is for how many or how much and says nothing else."""
    return bool(label & _MANY) and label <= _MANY | _MONEY


def _choices(pilot: Pilot, plan: Plan, said: Wording) -> bool:
    """Choose every option that an order says whole; where several lists have it, by “from” or “to”."""
    heads = told(pilot)
    for option in plan.options:
        places = said.find(option.keys) or said.joined(option.name)
        alike = [one for one in plan.open() if one.keys == option.keys]
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


def _by_way(options: Sequence[Option], before: str) -> list[Option]:
    """Return the options of lists that are called as the word before them says: “to GBP” of “To”."""
    ways = _TO if before in _TO else _FROM
    return [one for one in options if ways & set(label_of(one.node).casefold().split()[:1])]


def _quotes(pilot: Pilot, plan: Plan, said: Wording) -> bool:
    """Give each quote to the field that is named beside it, else to the only one for text that is free."""
    for at in said.of_kind("quote"):
        meant = next(filter(None, _quoted(plan, said, at)), [])
        if len(meant) != 1:
            return False
        plan.written[meant[0].id] = said.words[at].text
        said.met.add(at)
    return True


def _quoted(plan: Plan, said: Wording, at: int) -> Iterator[list[Node]]:
    """Yield the fields that a quote may be for, the surest first.

    One right behind what is made is its title: “a ticket “No heating””.
    """
    texts = [n for n in plan.free() if n.role != "spinbutton" and not is_search(n) and not is_dated(n)]
    before, behind = said.before(at), [word.key for word in said.words[at + 1 : at + 4]]
    yield [n for n in texts if before in called(n) - EMPTY]
    yield [n for n in texts if behind[:1] in (["as"], ["into"], ["in"]) and set(behind) & called(n) - EMPTY]
    yield [n for n in texts if before in KINDS | {"titled", "called", "named"} and called(n) & _TITLES]
    yield [n for n in texts if n.tag == "textarea"]
    yield [n for n in texts if _BEHIND.get(before, frozenset[str]()) & called(n)]
    yield texts


def _names(plan: Plan, said: Wording, known: Collection[str]) -> None:
    """Give words side by side to the field that the word before them means: “in Bergen”, “the name Cy Ott”.

    Behind a colon they go to the only field for text that is left.
    """
    for run in list(said.runs(known)):
        texts = [n for n in plan.free() if n.type in _WRITTEN and not is_dated(n)]
        first = said.words[run[0]].key
        named = [n for n in texts if first in called(n) - EMPTY] if len(run) > 1 else []
        value = run[1:] if len(named) == 1 and not said.words[run[1]].text[:1].islower() else run
        meant = named if value is not run else _led(said, run, texts)
        if not meant and len(run) == 2 and (both := _of_two(said, run, texts)):
            plan.written |= {node.id: said.words[at].text for node, at in zip(both, run, strict=True)}
            said.met |= set(run)
        if len(meant) == 1 and any(said.words[at].kind == "word" for at in value):
            plan.written[meant[0].id] = said.text(value)
            said.met |= set(run)


def _of_two(said: Wording, run: Sequence[int], texts: Sequence[Node]) -> list[Node]:
    """Return the fields for the first and the last name of somebody; none where there are not both."""
    who = run[0] == 1 or _BEHIND.get(said.before(run[0]), frozenset[str]()) & _WHO
    named = all(said.words[at].text[:1].isupper() for at in run)
    both = [[n for n in texts if {part, "name"} <= called(n)] for part in ("first", "last")]
    return [one[0] for one in both] if who and named and all(len(one) == 1 for one in both) else []


def _led(said: Wording, run: Sequence[int], texts: Sequence[Node]) -> list[Node]:
    """Return the fields that the word before some others leads to; a name right behind the verb is who."""
    name = all(said.words[at].text[:1].isupper() for at in run)
    wanted = _BEHIND.get(said.before(run[0]), _WHO if run[0] == 1 and name else frozenset[str]())
    wanted -= _REASONS if name else frozenset[str]()  # a name is no reason
    meant = [n for n in texts if wanted & called(n)]
    behind_colon = run[0] > 0 and said.words[run[0] - 1].colon
    return meant or [n for n in texts if behind_colon and n.role == "textbox"]


def _rest(plan: Plan, said: Wording, known: Collection[str]) -> bool:
    """Meet what is left by the only option that has all of it, as “the park” by “City park”."""
    left = said.left(known)
    keys = {said.words[at].key for at in left}
    if not keys:
        return True
    open_ = ((one, keys - called(one.node) if one.node.tag == "select" else keys) for one in plan.open())
    pool = [one for one, rest in open_ if one.node.role != "checkbox" and rest and rest <= set(one.keys)]
    if len(pool) != 1:
        return False
    plan.chosen.append(pool[0])
    said.met |= set(left)
    return not said.left(known)
