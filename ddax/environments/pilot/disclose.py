"""Open what hides text on a page that is read for a question: closed sections, tabs, buttons that name it.

Nothing outside comes of it. A section and a tab only show what is there. Another button is pressed in a
browser that lets nothing be sent, where a word of the question is on it, and never as a part of a form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.protocol import Move
from ddax.errors import ActionError

MOST = 8
"""Things opened on one page at most."""
STEM = 4
"""Letters from which a word counts as the beginning of another one."""
SHOWING = frozenset({"summary", "tab"})
"""Roles that are there to show what is hidden."""
LEAVE = frozenset({"no_such_move", "covered", "hidden", "page_failed", "timeout"})
"""Ways a press may fail that leave the page to be read as it is."""
NOT_TELLING = frozenset(
    {"the", "a", "of", "in", "is", "what", "which", "who", "how", "does", "do", "was", "and", "to"}
)
"""Words that say nothing of what a question is about."""


async def disclosed(world: BrowserWorld, seen: PageSeen, task: str) -> tuple[PageSeen, str]:
    """Return the page as it is in the end, and its text with all that was brought to light, no line twice.

    Each line is a paragraph, so that a heading or a button is no part of the sentence behind it. It ends
    early where an opening leads to another page, which is not read here.
    """
    lines = dict.fromkeys((await world.extract()).splitlines())
    here, tried = seen.url.split("#")[0], set[str]()
    while len(tried) < MOST:
        node = likeliest(candidates(seen, task, sends=world.options.writes), task, tried)
        if node is None:
            break
        tried.add(node.id)
        try:
            seen = await world.act(Move("click", node.id))
            if seen.dialog:
                seen = await world.act(Move("dismiss", "dialog"))
        except ActionError as error:
            if error.kind not in LEAVE:
                raise
            seen = await world.observe()
        if seen.dialog or seen.url.split("#")[0] != here:
            break
        lines |= dict.fromkeys(await _shown(world, lines))
    return seen, "\n\n".join(lines)


async def _shown(world: BrowserWorld, known: Iterable[str]) -> list[str]:
    """Return the lines of the main part, or where it has no new one, those of the whole page."""
    main, known = (await world.extract()).splitlines(), set(known)
    return main if set(main) - known else (await world.extract(whole=True)).splitlines()


def candidates(seen: PageSeen, task: str, *, sends: bool) -> list[Node]:
    """Return what can be opened with no effect outside; `sends` says that the browser lets data out."""
    words = telling(task)
    return [
        node
        for node in seen.nodes
        if "disabled" not in node.state and (_shows(node) or (not sends and _names(node, words)))
    ]


def _shows(node: Node) -> bool:
    closed = "collapsed" in node.state if node.role != "tab" else not node.state & {"selected", "current"}
    return closed and not node.form[0] and (node.role in SHOWING or node.role in ("button", "clickable"))


def _names(node: Node, words: set[str]) -> bool:
    """Tell whether a button outside of forms has a word of the question on it."""
    pressed = node.role in ("button", "clickable") and not node.submits and not node.form[0]
    return pressed and "expanded" not in node.state and bool(shared(node.name or node.own, words))


def likeliest(nodes: Iterable[Node], task: str, tried: set[str]) -> Node | None:
    """Return what answers best to a task by its words, the first of its like; None where all were tried."""
    words = telling(task)
    left = [node for node in nodes if node.id not in tried]
    return max(left, key=lambda node: shared(node.name or node.own, words), default=None)


def telling(text: str) -> set[str]:
    """Return the words of a text that say what it is about."""
    return {found.casefold() for found in re.findall(r"\w+", text)} - NOT_TELLING


def shared(name: str, words: set[str]) -> float:
    """Return how much of a name stands in some words: 0 for nothing."""
    said = telling(name)
    return len({word for word in said if _in(word, words)}) / (1 + len(said))


def _in(word: str, words: set[str]) -> bool:
    """Tell whether a word is among others but for its ending: opening and open, hours and hour."""
    return word in words or any(
        len(a) >= STEM and b.startswith(a) for other in words for a, b in ((word, other), (other, word))
    )
