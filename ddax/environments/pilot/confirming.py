"""What a page asks because of an order: whether it is meant, or the name of what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ddax.environments.browser.seen import ACTED_ON, Node
from ddax.environments.pilot.asked import Asked, asked_of, names_of
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.naming import named
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.rows import Row, node_words, words_of
from ddax.environments.pilot.words import EMPTY, FIELD, KINDS

_YES = frozenset({"ok", "okay", "yes", "confirm", "continue"})
_ASKS = frozenset({"sure", "really", "confirm"})
"""Words by which a box asks again for what was begun."""
_TYPED = re.compile(
    r"\b(?i:type|enter|write|input)\b[^.?!]{0,200}?(?:(?P<name>\bname\b)|[“\"‘'](?P<said>[^“”\"‘’']+)[”\"’']|"
    r"\b(?P<word>[A-Z]{4,})\b)[^.?!]{0,200}?\bto (?:confirm|continue|proceed|delete)\b"
)
"""How a box asks for the name of what it is about, or for a word, to be written before it goes on."""


def _is_next(pilot: Pilot, asked: Asked, came: Sequence[Node]) -> bool:
    """Tell whether the next order names a control of a box that came, and so answers it."""
    said = {word for order in _behind(pilot, asked)[:1] for word in words_of(f"{order.word} {order.text}")}
    names = [names_of(n, "") for n in came if n.role in ("button", "link", "clickable")]
    return any(words and words <= said for words in names)


def _behind(pilot: Pilot, asked: Asked) -> list[Order]:
    """Return the orders behind the one that is carried out."""
    done = [at for at, order in enumerate(pilot.orders) if asked.words == asked_of(named(order)[0]).words]
    return pilot.orders[done[-1] + 1 :] if done else []


async def confirm(pilot: Pilot, asked: Asked, known: set[str], row: Row) -> bool:
    """Say yes to the box that a page opened to ask; False where it asks for more than that."""
    came = [n for n in pilot.seen.nodes if n.id not in known]
    if _is_next(pilot, asked, came):
        return True
    if any(node.role in FIELD for node in came) and not await _typed(pilot, asked, came, row):
        return bool(_behind(pilot, asked))
    said = set(asked.words)
    told = node_words(n for n in came if n.role not in ACTED_ON)
    again = bool(told & (_ASKS | said - EMPTY))
    agree = [
        n for n in came
        if n.role in ("button", "link", "clickable") and (words := names_of(n, ""))
        and ((again and words <= _YES) or (asked.verb in words and words <= said | _YES))
    ]  # fmt: skip
    before = {node.id for node in pilot.seen.nodes}
    if len(agree) != 1 or await click(pilot, agree[0]) != "changed":
        return False
    pilot.agreed = True
    more = [n for n in pilot.seen.nodes if n.id not in before and n.role in ("dialog", "alertdialog")]
    return not more or await confirm(pilot, asked, before, row)


async def _typed(pilot: Pilot, asked: Asked, came: Sequence[Node], row: Row) -> bool:
    """Write what a box wants written to go on: a word that it says, or the name that the order said too."""
    told = " ".join(node.own or node.name for node in came if node.role not in ACTED_ON)
    wanted, fields = _TYPED.search(told), [node for node in came if node.role in FIELD]
    if wanted is None or len(fields) != 1:
        return False
    name = wanted["said"] or wanted["word"] or _title(asked, row)
    return bool(name) and await fill(pilot, fields[0], name)


def _title(asked: Asked, row: Row) -> str:
    """Return the text of a row that is all that an order says of it, as the page writes it."""
    said = set(asked.words[1:]) - EMPTY - KINDS
    texts = [part.own.strip() or part.name for part in row.parts if part.role not in ACTED_ON]
    return next((text for text in texts if said and set(words_of(text)) - KINDS == said), "")
