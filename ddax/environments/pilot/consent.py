"""Boxes that ask for consent to cookies: the choice that lets the least be kept, where a control says it.

A box is known by its words about cookies or privacy, a choice by having no word but those of such choices.
Of what has to be chosen piece by piece, or can only be agreed to, nothing is pressed here.
"""

from __future__ import annotations

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.words import tokens

_PRESSED = frozenset({"button", "link", "clickable"})
_ABOUT = frozenset({"cookie", "cookies", "consent", "privacy", "tracking", "gdpr"})
"""Words by which a box says what it asks for."""
_NEEDED = frozenset({"necessary", "essential", "essentials", "required", "needed"})
_NO = frozenset({"reject", "decline", "refuse", "deny", "disagree", "without"})
_NOT_NEEDED = frozenset({"non", "optional", "other"})
_LITTLE = frozenset({"only", "just", "except", "but", "nothing"})
_TAKE = frozenset({"accept", "accepting", "allow", "allowing", "use", "keep", "agree", "agreeing", "consent"})
_MORE = frozenset(
    """a all and any are continue cookie cookies i it ones strictly that the them these they this those to
    tracking""".split()  # noqa: SIM905
)
_WORDS = _NEEDED | _NOT_NEEDED | _NO | _LITTLE | _TAKE | _MORE


def wants_least(text: str) -> bool:
    """Tell whether a text is a choice of the necessary cookies alone, or of none."""
    said = set(tokens(text.replace("-", " ")))
    if not said <= _WORDS:
        return False
    if said & _NO:  # “Reject the necessary cookies” is no choice that a box offers
        rest = not said & _NEEDED or bool(said & (_LITTLE | _NOT_NEEDED))
        return rest and not said & _TAKE - {"accepting", "agreeing", "consent"}
    return bool(said & _NEEDED and said & (_LITTLE | _TAKE)) and not said & (_NOT_NEEDED | {"all", "and"})


def least(seen: PageSeen, text: str = "") -> Node | None:
    """Return the only control of a box about cookies that keeps the least; of several what a text names."""
    found = [n for n in seen.nodes if n.role in _PRESSED and n.name and wants_least(n.name)]
    found = [n for n in found if "disabled" not in n.state and _ABOUT & _words_around(seen, n)]
    for kind in (_NO, _NEEDED):
        named = [n for n in found if kind & set(tokens(n.name))]
        if len(found) > 1 and kind & set(tokens(text)) and named:
            found = named
    return found[0] if len(found) == 1 else None


def asked_for(seen: PageSeen, order: Order) -> Node | None:
    """Return the control that keeps no more than the necessary cookies, where an order asks for that."""
    said = f"{order.word} {order.text}"
    asked = {"cookie", "cookies"} & set(tokens(said)) and not order.quotes and wants_least(said)
    return least(seen, said) if asked else None


def _words_around(seen: PageSeen, control: Node) -> set[str]:
    """Return the words of a control, and of the boxes that it stands in."""
    held = {box.id for box in control.boxes} | ({control.parent} if control.parent else set())
    near = (
        n for n in seen.nodes
        if n.id == control.id or n.id in held or n.parent in held or any(box.id in held for box in n.boxes)
    )  # fmt: skip
    return {word for n in near for word in tokens(f"{n.name} {n.own}")}
