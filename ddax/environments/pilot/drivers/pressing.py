"""Drivers that press: controls by name, what opens, keys, deeds by their verb."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.drivers.asking import NO, YES, called, dialog, press_node
from ddax.environments.pilot.drivers.entering import field_of
from ddax.environments.pilot.drivers.repeating import press_until
from ddax.environments.pilot.finding.locate import MENU_SIGNS, locate, meant, missing, pressed, written
from ddax.environments.pilot.finding.locate import _folded as folded
from ddax.environments.pilot.finding.looks import looked_for
from ddax.environments.pilot.finding.match import (
    BOXES,
    FIELDS,
    OPTIONS,
    find,
    label,
    met,
    names,
    runs,
    usable,
)
from ddax.environments.pilot.finding.reading import value_at
from ddax.environments.pilot.orders.clauses import said_parts
from ddax.environments.pilot.orders.frames import Frame, Value
from ddax.environments.pilot.orders.verbs import VERBS
from ddax.environments.pilot.pilot import NotDone, Pilot, shows
from ddax.environments.pilot.words import Word, key, keys, nth, ordinal, plain, said

NEUTRAL = frozenset({"filter", "use", "go", "make", "keep", "continue", "proceed", "order"})
"""Verbs that say how a thing is used; any other one has to be in the name of what is pressed."""
_BEHIND = re.compile(r": | \d+$")
FOUND = frozenset({"button", "menuitem"})
"""What does a deed when it is pressed, and opens nothing."""
RESULTS = frozenset({"result"})
EVERY = frozenset({"all", "every", "each"})
PAGES = 20
"""Pages of a list that are turned at most."""
_MIDDLE = frozenset({"center", "centre", "middle"})
_SORTED = re.compile(
    r"(?:^| )(?:in |from )?(?:(?P<up>ascending|increasing|rising|alphabetical|numerical"
    r"|lowest to highest|smallest to largest)"
    r"|(?P<down>descending|decreasing|falling|highest to lowest|largest to smallest))(?: order)?$"
)
SEEKS = frozenset({"switch between", "navigate through", "look through", "browse through"})
"""Ways to say that what is meant may have to be looked for in what is folded away."""


async def press(pilot: Pilot, frame: Frame) -> None:
    """Press what is called so, as often as is said."""
    if not frame.words:
        raise NotDone("it is not said what to press")
    if pilot.seen.dialog:
        await dialog(pilot, replace(frame, act="dialog", on=_says_yes(frame.words)))
        return
    if frame.until:
        await press_until(pilot, frame.words, frame.until)
        return
    way = _in_order(frame.words)
    if way and named(pilot, frame.words, frame.words) is None:
        await _press_sorted(pilot, *way)
        return
    frame = replace(frame, words=_without_purpose(pilot, _without_middle(frame.words)))
    every = any(word.key in EVERY and word.group < 0 for word in frame.words)
    if every and await _press_all(pilot, frame.words):
        return
    if ordinal(frame.words) and any(word.key in RESULTS and word.group < 0 for word in frame.words):
        await _press_result(pilot, ordinal(frame.words))
        return
    parts = said_parts(frame.words)
    if len(parts) > 1 and all(named(pilot, part, part) is not None for part in parts):
        for part in parts:
            await press_node(pilot, await locate(pilot, part, pressed))
        return
    alike = [] if named(pilot, frame.words, frame.words) else looked_for(pilot, frame.words)
    nodes = _some(pilot, frame.words) or alike
    if not nodes:
        nodes = [_button(pilot, frame.words) or await locate(pilot, frame.words, pressed, text=True)]
    for node in nodes:
        await press_node(pilot, node)


def _some(pilot: Pilot, order: Sequence[Word]) -> list[Node]:
    """Return as many as are said of what stands in rows alike, as “Like on 2 posts”; [] for no number."""
    counted = [at for at, word in enumerate(order[:-1]) if word.counts and order[at + 1].is_kind]
    if len(counted) != 1 or named(pilot, order, order) is not None:
        return []
    at = counted[0]
    rest = (*order[:at], *order[at + 1 :])
    hits = met(pilot.page, rest, pressed)
    hits = [hit for hit in hits if hit.fit == hits[0].fit and hit.size == hits[0].size]
    if len(hits) < order[at].counts:
        raise NotDone(f"there are only {len(hits)} of “{said(rest)}”")
    return [hit.node for hit in hits[: order[at].counts]]


def _says_yes(order: Sequence[Word]) -> bool:
    """Tell whether the words name the yes of a question, and not its no."""
    text = " ".join(word.key for word in order if word.is_solid)
    if text not in (*YES, *NO):
        raise NotDone("the page asks something, and has no such button", "Say it, as “… and confirm”")
    return text in YES


def _button(pilot: Pilot, order: Sequence[Word]) -> Node | None:
    """Return the one control that is called so and is no field: a field of its name is not pressed for it."""
    fields = met(pilot.page, order, written)
    return meant(pilot, order, lambda n: pressed(n) and n.role not in FIELDS) if fields else None


def _without_middle(order: Sequence[Word]) -> tuple[Word, ...]:
    """Drop “the middle of”: what is pressed is pressed there."""
    solid = [at for at, word in enumerate(order) if not word.is_stop]
    if len(solid) > 1 and order[solid[0]].group < 0 and order[solid[0]].key in _MIDDLE:
        return tuple(order[solid[1] :])
    return tuple(order)


def _without_purpose(pilot: Pilot, order: Sequence[Word]) -> tuple[Word, ...]:
    """Drop what something is pressed for, as “to mark it as important”, where no control is called so."""
    keys_ = [word.key if word.group < 0 else "" for word in order]
    at = next((n for n in range(1, len(order) - 1) if keys_[n] == "to" and keys_[n + 1] in VERBS), 0)
    if not at or named(pilot, order, order) is not None:
        return tuple(order)
    place = keys_.index("within", at) if "within" in keys_[at:] else len(order)
    return (*order[:at], *order[place:])


def _in_order(order: Sequence[Word]) -> tuple[list[Word], bool] | None:
    """Part “X in ascending order” into what is pressed and whether it goes down."""
    text = " ".join(word.key if word.group < 0 else "|" for word in order)
    found = _SORTED.search(text)
    if found is None:
        return None
    size = len(found[0].split())
    return list(order[:-size]), bool(found["down"])


async def _press_sorted(pilot: Pilot, order: Sequence[Word], down: bool) -> None:
    """Press those of a kind one after another, by what they say."""
    nodes = usable(pilot.page, pressed)
    kinds = {word.key for word in order}
    found = [node for node in nodes if _counted(node) is not None] if "number" in kinds else []
    if not found and "letter" in kinds:
        found = [node for node in nodes if len(label(node)) == 1 and label(node).isalpha()]
    found = found or [hit.node for hit in met(pilot.page, order, pressed)]
    if len(found) < 2:
        raise NotDone(f"there are no several of “{said(order)}” to press in order")
    done: set[str] = set()
    for wanted in sorted(
        found, key=lambda node: (_counted(node) or 0.0, label(node).casefold()), reverse=down
    ):
        name = label(wanted)
        there = [one for one in usable(pilot.page, pressed) if label(one) == name and one.id not in done]
        there = there or _turned_over(pilot, wanted)  # a page may draw itself anew
        if not there:
            raise NotDone(f"“{name}” went before it was pressed")
        done.add(there[0].id)
        await press_node(pilot, there[0])


def _turned_over(pilot: Pilot, was: Node) -> list[Node]:
    """Return what says nothing and stands where a thing stood, as a card that lies face down now."""
    silent = usable(pilot.page, lambda one: pressed(one) and not one.text)
    return [one for one in silent if all(abs(a - b) < 2 for a, b in zip(one.middle, was.middle, strict=True))]


def _counted(node: Node) -> float | None:
    found = re.fullmatch(r"\D{0,10}?(-?\d+(?:\.\d+)?)\D{0,10}", label(node))
    return float(found[1]) if found else None


async def _press_result(pilot: Pilot, number: int) -> None:
    """Press the nth entry of the list that came last, on the page of it where it stands."""
    ids: set[str] = set()
    for _ in range(PAGES):
        links = [node for node in pilot.seen.nodes if node.role == "link" and len(node.name) > 2]
        new = [n for n in links if n.id not in ids and (ids or n in pilot.fresh())] or links
        ids = {node.id for node in pilot.seen.nodes}
        if (node := nth(new, number)) is not None:
            await press_node(pilot, node)
            return
        if not new or not (turns := _turns(pilot)):
            break
        number -= len(new)
        await press_node(pilot, turns[0])
    raise NotDone("there are not so many results")


async def _turn_to(pilot: Pilot, order: Sequence[Word]) -> None:
    """Turn the pages of a list until one says what is looked for, where it has pages and none says it yet."""
    wanted = next((tuple(word.key for word in run) for run in runs(order, ())), ())
    for _ in range(PAGES):
        turns = _turns(pilot)
        if not wanted or pilot.page.saying(wanted) or len(turns) != 1:
            return
        if not await press_node(pilot, turns[0]):
            return


def _turns(pilot: Pilot) -> list[Node]:
    """Return what turns to the next page of a list."""
    return usable(pilot.page, lambda n: pressed(n) and bool(called(n) & {">", "next", "›", "»"}))


async def _press_all(pilot: Pilot, order: Sequence[Word]) -> bool:
    """Press each of those that are called so; False where the order names one thing after all."""
    if named(pilot, order, order) is not None:
        return False
    hits = met(pilot.page, [word for word in order if word.key not in EVERY or word.group >= 0], pressed)
    row = 2 * min((hit.size for hit in hits), default=0)
    hits = [hit for hit in hits if hit.size <= row]  # those of one row or card each
    if len(hits) < 2 and not (hits and _of_kind(order)):
        return False
    for hit in [hit for hit in hits if hit.fit == hits[0].fit]:
        await press_node(pilot, hit.node)
    return True


def _of_kind(order: Sequence[Word]) -> bool:
    """Tell whether “all” is said of a kind, as “on all posts”: there may be one alone."""
    solid = [word for word in order if not word.is_stop]
    return any(one.key in EVERY and other.is_kind for one, other in pairwise(solid))


async def open_(pilot: Pilot, frame: Frame) -> None:
    """Open what is called so: a section, a tab, a tree item, a menu, a page; it has to show."""
    order = frame.words
    if frame.verb in SEEKS or any(word.key == "find" and word.group < 0 for word in order[-1:]):
        if not pilot.behind:
            raise NotDone("it is not said what is to be done there")
        pilot.seeking = True
        return
    if not order and pilot.behind:
        pilot.seeking = True  # “find and click …”
        return
    if frame.verb.startswith("focus"):
        await _focus(pilot, order)
        return
    if [word.key for word in order] == ["back"]:
        await pilot.do("back", "page")
        return
    if frame.verb == "find" and pilot.behind and (found := value_at(pilot, said(order))) is not None:
        pilot.kept = found
        return
    if frame.verb == "find" and pilot.behind:
        await _turn_to(pilot, order)
    solid = [word for word in order if word.is_solid]
    if not solid:
        closed = usable(pilot.page, lambda node: folded(node, links=False))
        closed = [node for node in closed if len(pilot.page.held(node.id)) == 1] or closed
        if len(closed) != 1:
            raise missing(pilot, order, lambda node: folded(node, links=False), "closed section")
        await press_node(pilot, closed[0])
        return
    if ordinal(order) and any(word.key in RESULTS for word in order):
        await _press_result(pilot, ordinal(order))
        return
    whole = (Word(frame.verb, key(frame.verb)), *order)
    node = meant(pilot, whole, pressed) if frame.verb else None
    only_found = frame.verb == "find" and bool(pilot.behind)  # it need not be opened
    node = node or _opener(pilot, frame) or _headed(pilot, order)
    node = node or await locate(pilot, order, pressed, text=not only_found)
    if node.state & {"expanded", "selected"} and node.role != "link":
        pilot.settled = True
        return
    is_deed = node.role in FOUND and "find" not in keys(label(node)) and not folded(node, links=False)
    if frame.verb == "find" and is_deed:
        pilot.settled = True  # it is found, and nobody said to press it
        return
    before = shows(pilot.seen)
    await press_node(pilot, node)
    if shows(pilot.seen) == before:
        raise NotDone(f"“{label(node)}” was pressed, and nothing opened")


def _headed(pilot: Pilot, order: Sequence[Word]) -> Node | None:
    """Return the one thing to open whose name goes on behind what is said: “Ann: lunch”, “Bills 2”."""
    if any(word.group >= 0 for word in order):
        return None
    nodes = usable(pilot.page, lambda node: pressed(node) and node.role not in BOXES | OPTIONS)
    heads = [replace(node, name=_BEHIND.split(label(node), maxsplit=1)[0]) for node in nodes]
    hits = [hit for hit in find(pilot.page, order, heads) if not hit.left]
    return pilot.node(hits[0].node.id) if len(hits) == 1 else None


async def _focus(pilot: Pilot, order: Sequence[Word]) -> None:
    """Set the focus into a field."""
    node = await field_of(pilot, order)
    await press_node(pilot, node)
    pilot.field_id = node.id


def _opener(pilot: Pilot, frame: Frame) -> Node | None:
    """Return the one sign that unfolds a menu, where the order says “menu” and nothing is called so."""
    if frame.verb not in ("open", "expand", "unfold", "show") or not any(
        w.key == "menu" for w in frame.words
    ):
        return None
    if met(pilot.page, frame.words, pressed):
        return None
    signs = usable(pilot.page, lambda node: pressed(node) and plain(node.name or node.own) in MENU_SIGNS)
    return signs[0] if len(signs) == 1 else None


async def key_(pilot: Pilot, frame: Frame) -> None:
    """Press a key where the last value was written, else where the page has its focus."""
    value = frame.value or Value("", False)
    if not value.exact and frame.words:
        node = meant(pilot, frame.words, pressed)
        if node is not None:
            await press_node(pilot, node)
            return
    there = pilot.node(pilot.field_id)
    for _ in range(frame.count):
        await pilot.do("press", there.id if there else "page", value.text)


def named(pilot: Pilot, order: Sequence[Word], verb: Sequence[Word]) -> Node | None:
    """Return the one control that has the verb in its name and stands with the rest."""
    try:
        node = meant(pilot, order, pressed)
    except NotDone:
        return None
    return node if node is not None and has_verb(node, verb) else None


def has_verb(node: Node, verb: Sequence[Word]) -> bool:
    """Tell whether a control is called by a verb, or the verb says only how a thing is used."""
    whole = "".join(word.key for word in verb)
    said_ = [keys(name) or (name,) for name in names(node)]
    return any(verb[0].key in one or "".join(one).startswith(whole) for one in said_) or whole in NEUTRAL
