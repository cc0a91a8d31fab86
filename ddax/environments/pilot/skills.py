"""What each kind of order asks of a page, and the order in which a task's orders are carried out."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.pilot.agreeing import agree_first
from ddax.environments.pilot.amounts import set_amount
from ddax.environments.pilot.asked import asked_of
from ddax.environments.pilot.best import press_best
from ddax.environments.pilot.cells import edit_cell
from ddax.environments.pilot.choosing import choose, untick
from ddax.environments.pilot.closing import close
from ddax.environments.pilot.colours import pick_colour
from ddax.environments.pilot.consent import asked_for
from ddax.environments.pilot.copying import copy, paste
from ddax.environments.pilot.deeds import deed, fits
from ddax.environments.pilot.dropdowns import set_offered
from ddax.environments.pilot.editors import style
from ddax.environments.pilot.fields import enter, fill
from ddax.environments.pilot.filling import fill_form
from ddax.environments.pilot.finding import find
from ddax.environments.pilot.forms import give, login, search
from ddax.environments.pilot.generated import generate
from ddax.environments.pilot.going import go_to, in_tab
from ddax.environments.pilot.labelled import labelled
from ddax.environments.pilot.later import when_shown
from ddax.environments.pilot.leaving import leave_field
from ddax.environments.pilot.letters import answer, chat, letter
from ddax.environments.pilot.lists import move_in_list
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.messages import MESSAGE_WORDS, message, speaks_of_mail, spoken_of
from ddax.environments.pilot.moving import expand, focus, mark_text, scroll, solve
from ddax.environments.pilot.multiples import set_several
from ddax.environments.pilot.named_rows import move_by_menu, press_in_row
from ddax.environments.pilot.opening import open_in_row
from ddax.environments.pilot.options import choose_options
from ddax.environments.pilot.ordering import order_items
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.paging import SCROLLS, further, looks_further, see_all
from ddax.environments.pilot.pilot import Pilot, Skill
from ddax.environments.pilot.posting import post, posts
from ddax.environments.pilot.pressing import (
    click,
    context,
    drag,
    is_called,
    press,
    press_near,
    press_node,
    submit,
)  # fmt: skip
from ddax.environments.pilot.ranges import set_range
from ddax.environments.pilot.ratings import rate
from ddax.environments.pilot.repeats import repeat_password
from ddax.environments.pilot.rewording import reworded
from ddax.environments.pilot.rowfields import in_row, made
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.several import deeds, pressed_each
from ddax.environments.pilot.sorting import press_sorted, sort
from ddax.environments.pilot.switches import closed, switch, turned
from ddax.environments.pilot.theirs import theirs
from ddax.environments.pilot.trips import trip
from ddax.environments.pilot.values import given
from ddax.environments.pilot.waiting import wait
from ddax.environments.pilot.wholes import carried_whole
from ddax.environments.pilot.words import (
    FIELD,
    LIKE,
    content,
    likeness,
    numbers,
    tokens,
)

INTO = frozenset({"into", "in", "as", "on"})
_ONTO = frozenset({"on", "cart", "wishlist"})
"""Words by which something is put somewhere by a control, and not written."""
POINTERS = frozenset({"mouse", "pointer", "cursor"})
_RANGED = frozenset({"enter", "choose", "deed", "search", "find", "goal"})
"""Kinds of orders that may say both ends of a range."""
_HIDDEN = frozenset({"enter", "choose", "uncheck", "goal"})
"""Kinds of orders of which the field or box may lie behind a tab or in a section."""
WHOLE = 0.9
"""Likeness from which a control is called what an order says, whole."""


async def carry_out(pilot: Pilot) -> None:
    """Carry out the orders of a task one after the other, up to the first that cannot be."""
    done = 0
    if speaks_of_mail(pilot) and await message(pilot, pilot.orders[0]):
        done = spoken_of(pilot)
    for place in range(done + 1, len(pilot.orders) + 1):
        pilot.place = place
        agree_first(pilot)
        order = pilot.orders[place - 1]
        before, agreed = len(pilot.failed), pilot.agreed
        if _leaves_out(pilot, order) or not await _carried_out(pilot, order):
            _explain(pilot, order)
            pilot.fail(order)
        if len(pilot.failed) > before:
            pilot.leave(pilot.orders[place:])
            return
        pilot.agreed &= not agreed
    await leave_field(pilot)


async def _carried_out(pilot: Pilot, order: Order) -> bool:
    """Carry out one order; where nothing was found for it, scroll on as long as something new comes."""
    order = reworded(pilot, await in_tab(pilot, order))
    await see_all(pilot, order)
    if (whole := await carried_whole(pilot, order)) is not None:
        return whole
    if not await choose_options(pilot, order):
        return False
    if order.verb in ("press", "submit") and not await repeat_password(pilot):
        return False
    opened = set[str]()
    for _ in range(SCROLLS):
        moves, failed = len(pilot.moves), len(pilot.failed)
        if await _skill(order)(pilot, order):
            return True
        if len(pilot.moves) == moves and await when_shown(pilot, order, _skill(order), failed):
            return True
        tried = len(pilot.moves) > moves or len(pilot.failed) > failed
        if not tried and order.verb in _HIDDEN and (door := closed(pilot, opened)):
            opened.add(door.id)
            if await click(pilot, door) != "refused":
                continue
        if tried or not looks_further(pilot, order) or not await further(pilot):
            return False
    return False


def _leaves_out(pilot: Pilot, order: Order) -> bool:
    """Tell whether an order says what it does not mean, as “all but”, where nothing is called so."""
    left, said = set(tokens(order.excepts)), set(tokens(order.text))
    names = (set(tokens(name)) for node in pilot.seen.nodes for name in (node.name, *node.options))
    return bool(left) and not any(left <= words <= said for words in names)


def _explain(pilot: Pilot, order: Order) -> None:
    """Note what of an order that was not carried out is not understood."""
    word = order.exception
    if word and not any(set(tokens(word)) <= set(tokens(node.name)) for node in pilot.seen.nodes):
        pilot.misread(f"“{word}” is not understood", f"Name what is meant, without “{word}”")


def _skill(order: Order) -> Skill:
    words = tokens(order.text)
    if (order.verb == "press" and words[:1] == ["submit"]) or order.verb == "submit":
        return _submit
    if turned(order):
        return _switch
    if posts(order):
        return _post
    return _ranged if order.verb in _RANGED else SKILLS[order.verb]


async def _switch(pilot: Pilot, order: Order) -> bool:
    """Turn on or off what an order names; “Deactivate Ben Cole” may be the entry of a menu instead."""
    moves = len(pilot.moves)
    if await switch(pilot, order):
        return True
    named = order.word in ("activate", "deactivate", "enable", "disable")
    return named and len(pilot.moves) == moves and await deeds(pilot, order)


async def _ranged(pilot: Pilot, order: Order) -> bool:
    ranged = await set_range(pilot, order)
    return await SKILLS[order.verb](pilot, order) if ranged is None else ranged


async def _post(pilot: Pilot, order: Order) -> bool:
    posted = await post(pilot, order)
    return await SKILLS[order.verb](pilot, order) if posted is None else posted


async def _submit(pilot: Pilot, order: Order) -> bool:
    """Send a form, or press what an order to confirm names; what the last order agreed to already is done."""
    if order.word == "confirm" and pilot.agreed and not content(order.text):
        return True
    named = order.word in ("confirm", "submit") and len(fits(pilot, asked_of(order))) == 1
    return await (deed if named else submit)(pilot, order)


async def _enter(pilot: Pilot, order: Order) -> bool:
    """Write what an order says; “Change the password” says nothing to write, and is a control if anything."""
    if pilot.agreed and order.outside.rstrip(" .").endswith("to confirm"):
        return True
    for way in (letter, chat, fill_form):
        written = await way(pilot, order)
        if written is not None:
            return written
    if found := in_row(pilot, order):
        return await fill(pilot, *found)
    for way in (set_several, edit_cell, set_offered):
        if (done := await way(pilot, order)) is not None:
            return done
    onto = (
        order.word == "put" and not order.quotes and _ONTO & {*tokens(order.outside), *words_of(order.text)}
    )
    if onto and not any(likeness(content(order.text), label_of(n)) > LIKE for n in pilot.nodes(FIELD)):
        return await deeds(pilot, order)
    says_field = given(order) is not None or INTO & set(tokens(order.text)) or numbers(order.text)
    empty = order.word in ("set", "change") and not order.quotes and not says_field
    return await (deed if empty else enter)(pilot, order)


async def _press(pilot: Pilot, order: Order) -> bool:
    """Press one thing, or each of several."""
    words = tokens(order.text)
    about = context(order, pilot)
    if about and ("all" in words or "posts" in words or numbers(order.text)):
        return await _press_each(pilot, order, about)
    sorts = {"ascending", "descending", "increasing", "decreasing"} & set(words)
    if sorts and not is_called(pilot, order.quote or order.text):
        return await press_sorted(pilot, down="descending" in words or "decreasing" in words)
    best = await press_best(pilot, order)
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


async def _press_or_theirs(pilot: Pilot, order: Order) -> bool:
    if order.word == "open" and not order.quotes and len(fits(pilot, asked_of(order))) == 1:
        return await deed(pilot, order)
    if several := pressed_each(pilot, order):
        for one in several:
            if not await _press_or_theirs(pilot, one):
                return False
        return True
    beside = await press_in_row(pilot, order)
    if beside is not None:
        return beside
    behind = await theirs(pilot, order)
    if behind is not None:
        return behind
    opened = await open_in_row(pilot, order) if order.word == "open" else None
    return opened if opened is not None else await _press(pilot, order)


async def _style(pilot: Pilot, order: Order) -> bool:
    """Give a text of an editor a style, or a thing its stars; else do what a control says."""
    for way in (style, rate):
        done = await way(pilot, order)
        if done is not None:
            return done
    if found := made(pilot, order):
        return await fill(pilot, *found)
    return await _goal(pilot, order)


async def _drag(pilot: Pilot, order: Order) -> bool:
    if found := in_row(pilot, order):
        return await fill(pilot, *found)
    for skill in (set_amount, move_in_list, move_by_menu):
        moved = await skill(pilot, order)
        if moved is not None:
            return moved
    return await drag(pilot, order)


async def _hover(pilot: Pilot, order: Order) -> bool:
    if order.word == "keep" and not POINTERS & set(tokens(order.text)):
        return await _goal(pilot, order)
    looks = pilot.match.painted(tokens(order.text))
    return bool(looks) and await pilot.do("hover", looks[0].id) != "refused"


async def _deed(pilot: Pilot, order: Order) -> bool:
    """Book or search a trip where the page has a form for one, else do what a control says."""
    if choice := asked_for(pilot.seen, order):
        return await press_node(pilot, choice)
    booked = await trip(pilot, order) if order.word == "book" else None
    return booked if booked is not None else await give(pilot, order)


async def _search(pilot: Pilot, order: Order) -> bool:
    found = await trip(pilot, order)
    return found if found is not None else await search(pilot, order)


async def _buy(pilot: Pilot, order: Order) -> bool:
    """Press what buys the thing an order names, else what goes with the most or the least of something."""
    return await give(pilot, order) or (not pilot.moves and bool(await press_best(pilot, order)))


async def _message(pilot: Pilot, order: Order) -> bool:
    """Do what is said with a row of a list, else with the message that a task speaks of."""
    for way in (letter, answer, chat):
        written = await way(pilot, order)
        if written is not None:
            return written
    failed = len(pilot.failed)
    if await (give if order.quotes else deeds)(pilot, order):
        return True
    if len(pilot.failed) > failed:
        return False
    mail = MESSAGE_WORDS & set(tokens(pilot.task)) or order.word not in ("delete", "remove", "star")
    return bool(mail) and not pilot.moves and await message(pilot, order)


async def _nothing(pilot: Pilot, order: Order) -> bool:
    return True


async def _use(pilot: Pilot, order: Order) -> bool:
    """Leave what is to be used for a later order to that one; else apply it, or do what a control says."""
    if not order.quotes and pilot.behind:
        return True
    applies = [n for n in pilot.nodes({"button"}) if words_of(n.name)[:1] == ["apply"]]
    return await (give if applies else _goal)(pilot, replace(order, word="apply") if applies else order)


async def _read(pilot: Pilot, order: Order) -> bool:
    """Leave what is to be read to the answer; “Tell Ann “Hi”” is a message."""
    if order.word == "tell" and order.quotes:
        return await _message(pilot, order)
    return order.word != "tell" or not re.match(r"(?!I\b)[A-Z][a-z]+\s+(?:that|to)\b", order.text)


async def _goal(pilot: Pilot, order: Order) -> bool:
    """Do what a sentence without a known verb is about: what a control says that bears all of its words."""
    if turned(order):
        return await switch(pilot, order)
    if choice := asked_for(pilot.seen, order):
        return await press_node(pilot, choice)
    if (filled := await fill_form(pilot, order)) is not None:
        return filled
    if found := in_row(pilot, order) or made(pilot, order) or labelled(pilot, order):
        return await fill(pilot, *found)
    wanted = order.quote or content(order.text, mail=True)
    sure = [
        one.node for one in pilot.match.rank(wanted) if likeness(wanted, pilot.match.label(one.node)) >= WHOLE
    ]
    if len(sure) == 1 and not order.quotes:
        return await press_node(pilot, sure[0])
    return await give(pilot, order)


async def _choose(pilot: Pilot, order: Order) -> bool:
    """Choose what an order names, or press the control in its row that bears the verb, as “Mark as paid”."""
    bears = [n for n in pilot.nodes({"button", "link", "menuitem"}) if tokens(n.name)[:1] == [order.word]]
    if bears and (order.word == "mark" or len(fits(pilot, asked_of(order))) == 1):
        return await deed(pilot, order)
    picked = await pick_colour(pilot, order)
    if picked is not None:
        return picked
    if order.word == "mark" and (found := in_row(pilot, order)):
        return await fill(pilot, *found)
    best = await press_best(pilot, order)
    return best if best is not None else await choose(pilot, order)


SKILLS: dict[str, Skill] = {
    "press": _press_or_theirs, "submit": _submit, "choose": _choose, "enter": _enter, "expand": expand,
    "close": close, "find": find, "focus": focus, "mark_text": mark_text, "scroll": scroll,
    "copy": copy, "paste": paste, "solve": solve, "wait": wait, "search": _search,
    "generate": generate, "order": order_items, "style": _style, "hover": _hover, "go": go_to,
    "use": _use, "read": _read, "spare": _nothing, "message": _message, "login": login, "goal": _goal,
    "uncheck": untick, "drag": _drag, "sort": sort, "deed": _deed, "buy": _buy, "switch": switch,
}  # fmt: skip
"""How each kind of order is carried out."""
