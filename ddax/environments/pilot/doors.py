"""What something may be behind: sections, tabs, menus, folders and next pages, but nothing that counts."""

from __future__ import annotations

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.amounts import DOWN, NEAR, NUMBER, gap
from ddax.environments.pilot.paging import next_page
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.words import NUMBERS, plain, tokens

LINE = 200
"""Pixels between the minus and the plus of one number at most."""
_MENUS = ("⋯", "…", "...", "⋮", "☰", "•••")
_PLUS = frozenset({"+", "more"})
"""Names of what opens something, or makes a number more."""
_LESS = DOWN | {"less", "fewer"}
_NUMBERED = frozenset({"text", "status", "output", "textbox"})


def doors(pilot: Pilot, wanted: str = "") -> list[Node]:
    """Return what something may be behind: closed sections, tabs, menus, folders, then the next page.

    Where so many of a thing are `wanted`, a plus is none: it would be one more of another thing.
    """
    seen = pilot.seen.nodes
    closed = [n for n in seen if "collapsed" in n.state and n.role != "combobox"]
    tabs = [n for n in seen if n.role == "tab" and "selected" not in n.state and n not in closed]
    named = [n for n in seen if n.role in ("summary",) and "expanded" not in n.state]
    menus = [
        n
        for n in seen
        if n.role in ("button", "menuitem")
        and plain(n.name) in ("menu", "more", "+", "…", "☰")
        and not (pilot.focus and n.id == pilot.focus.id)  # it was just pressed: again would close it
    ]
    folders = [
        n
        for n in seen
        if n.role in ("treeitem", "clickable")
        and {"folder", "expand", "closed", "tree"} & set(tokens(n.hints))
    ]
    pager = next_page(pilot)
    plus = [n for n in seen if n.name.strip() in ("+", "☰") and n.role in ("shape", "clickable", "text")]
    opens = [n for n in (*menus, *folders, *plus) if not counts(pilot.seen, n)]
    if says_how_many(wanted):
        opens = [n for n in opens if n.name.strip() != "+"]
    return [*closed, *tabs, *named, *opens, *([pager] if pager else [])]


def says_how_many(text: str) -> bool:
    """Tell whether a text begins with a number of things, as “two teapots”."""
    first = text.casefold().split()[:1]
    return any(word.isdecimal() or word in NUMBERS for word in first)


def counts(seen: PageSeen, node: Node) -> bool:
    """Tell whether an element makes a number more and opens nothing.

    Beside it stands that number, or in its line what makes it less.
    """
    if plain(node.name) not in _PLUS and node.own.strip() not in _PLUS:
        return False
    others = [n for n in seen.nodes if n.id != node.id]
    return any(_is_number(n) and gap(n, node) <= NEAR for n in others) or any(
        _makes_less(node, other) for other in others
    )


def _is_number(node: Node) -> bool:
    said = (node.own or node.name if node.role != "textbox" else node.value).strip()
    return node.role == "spinbutton" or (node.role in _NUMBERED and bool(NUMBER.fullmatch(said)))


def _makes_less(plus: Node, other: Node) -> bool:
    """Tell whether an element is the minus to a plus in its line."""
    same = abs(other.box[1] - plus.box[1]) < plus.box[3] and abs(other.box[0] - plus.box[0]) < LINE
    return same and bool({plain(other.name), other.name.strip(), other.own.strip()} & _LESS)


def opens_menu(node: Node) -> bool:
    """Tell whether a control opens the menu of its row."""
    said = set(tokens(node.name or node.hints))
    return node.own.strip() in _MENUS or "more" in said or "collapsed" in node.state
