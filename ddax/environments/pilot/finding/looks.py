"""What things look like, as an order tells them: colour, form, size, side; “all large red circles”."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Sequence

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.match import usable
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import Word, keys, plain, said

COLOURS = {
    "black": "000000", "white": "ffffff", "red": "ff0000", "lime": "00ff00", "blue": "0000ff",
    "yellow": "ffff00", "cyan": "00ffff", "aqua": "00ffff", "magenta": "ff00ff", "fuchsia": "ff00ff",
    "silver": "c0c0c0", "gray": "808080", "grey": "808080", "maroon": "800000", "olive": "808000",
    "green": "008000", "purple": "800080", "teal": "008080", "navy": "000080", "orange": "ffa500",
    "pink": "ffc0cb", "brown": "a52a2a", "violet": "ee82ee", "indigo": "4b0082", "gold": "ffd700",
}  # fmt: skip
"""Colours as CSS names them."""
_HUES = {"red": 0, "orange": 30, "yellow": 60, "green": 120, "cyan": 180, "blue": 240, "magenta": 300}
"""Where the shades of a colour stand on the wheel."""
_GREY = 0.04
"""Saturation below which a colour is a grey."""
_FORMS: dict[str, frozenset[str]] = {
    "circle": frozenset({"circle"}), "ellipse": frozenset({"ellipse", "circle"}),
    "triangle": frozenset({"polygon3"}), "rectangle": frozenset({"rect", "box"}),
    "square": frozenset({"rect", "box"}), "box": frozenset({"rect", "box"}), "line": frozenset({"line"}),
    "polygon": frozenset(f"polygon{n}" for n in range(3, 13)), "pentagon": frozenset({"polygon5"}),
    "hexagon": frozenset({"polygon6"}), "letter": frozenset({"letter"}), "digit": frozenset({"digit"}),
    "number": frozenset({"digit"}),
    "shape": frozenset(),
}  # fmt: skip
_ANY = frozenset({"item", "thing", "figure", "object", "element", "icon", "one"})
_FILL = frozenset({"all", "every", "each", "colored", "coloured", "color", "colour", "shade", "tone"})
_LESS = frozenset({"small", "little", "tiny", "smaller", "smallest"})
_MORE = frozenset({"large", "big", "huge", "larger", "bigger", "largest", "biggest"})
_SIDES = {"left": (0, min), "right": (0, max), "top": (1, min), "upper": (1, min), "bottom": (1, max),
          "lower": (1, max)}  # fmt: skip
_DRAWN = frozenset({"shape", "icon", "clickable", "text"})
_APART = 1.25
"""How much larger a thing is than another one to be called large."""


def seen_as(pilot: Pilot, order: Sequence[Word], *, above: float = 0.0) -> list[Node] | None:
    """Return what looks as some words say, above some pixels; None where they say anything else, too.

    Beside a colour or a size, other words are what it says: “a green M”.
    """
    words = [_one(word.key) for word in order if not _silent(word)]
    looks = {*COLOURS, *_LESS, *_MORE}
    known = {*looks, *_FORMS, *_ANY, *_FILL, *_SIDES}
    name = tuple(word for word in words if word not in known)
    if any(word.group >= 0 for word in order) or not ((looks if name else known - _FILL) & set(words)):
        return None
    drawn = _leaves(pilot, [node for node in usable(pilot.page, _drawn) if form_of(node)])
    nodes = [node for node in drawn if all(_of_form(node, word) for word in words)]
    if name:
        to_the_letter = " ".join(word.text for word in order if _one(word.key) in name)
        nodes = [node for node in nodes if keys(node.text) == name]
        nodes = [node for node in nodes if (node.text) == to_the_letter] or nodes
        if not nodes:
            return None
    nodes = [node for node in nodes if node.box[2] * node.box[3] > above]
    shades = any(word.key in ("shade", "tone") for word in order)
    for word in words:
        if word in COLOURS:
            nodes = _coloured(nodes, word, shades=shades)
        elif word in _LESS | _MORE:
            nodes = _sized(nodes, word, drawn)
        elif word in _SIDES:
            axis, end = _SIDES[word]
            nodes = [end(nodes, key=lambda node: node.box[axis])] if nodes else []
    return nodes


def looked_for(pilot: Pilot, order: Sequence[Word]) -> list[Node]:
    """Return what an order means by its looks: all of them, any one, the only one; [] for no such order."""
    found = seen_as(pilot, order)
    if not found:
        return []
    if any(word.key in ("all", "every", "each") for word in order):
        return found
    if len(found) == 1 or order[0].key in ("a", "an", "any"):
        return found[:1]
    if not {_one(word.key) for word in order} & {*COLOURS, *_FORMS, *_LESS, *_MORE}:
        return []  # “the icon”: it may be called so
    raise NotDone(f"it is not said which one is meant of {len(found)} that are “{said(order)}”")


def _silent(word: Word) -> bool:
    return word.is_stop and word.key not in _SIDES


def _one(word: str) -> str:
    """Return the word for one of what a word names, as “box” for “boxe” of “boxes”."""
    return {"boxe": "box"}.get(word, word)


def _drawn(node: Node) -> bool:
    return node.role in _DRAWN and bool(node.paint) and "disabled" not in node.state


def _leaves(pilot: Pilot, nodes: Sequence[Node]) -> list[Node]:
    """Return what holds nothing else: a thing, and not the panel it lies on."""
    return [node for node in nodes if len(pilot.page.held(node.id)) == 1]


def form_of(node: Node) -> str:
    """Return the form of an element: circle, rect, polygon with its corners, letter, digit, box."""
    paint, sign = dict(node.paint), plain(node.name or node.own)
    form = paint.get("form", "")
    if form == "text" or (not form and len(sign) == 1 and node.role == "text" and not _filled(paint)):
        return "digit" if sign.isdecimal() else "letter" if sign.isalpha() and len(sign) == 1 else ""
    if form == "polygon":
        return f"polygon{paint.get('corners', '')}"
    return form or ("box" if _filled(paint) else "")


def _filled(paint: dict[str, str]) -> bool:
    return not re.fullmatch(r"none|transparent|rgba\(.*, 0\)", paint.get("fill", "none"))


def _of_form(node: Node, word: str) -> bool:
    form = form_of(node)
    if word == "square":
        return form in _FORMS[word] and abs(node.box[2] - node.box[3]) <= 1
    if word == "shape":
        return form not in ("", "letter", "digit")
    return form in _FORMS[word] if word in _FORMS else bool(form)


def _rgb(node: Node) -> tuple[int, int, int] | None:
    paint = dict(node.paint)
    text = paint.get("fill", "") if _filled(paint) else paint.get("stroke", "")
    found = re.findall(r"\d+", text)[:3]
    return (int(found[0]), int(found[1]), int(found[2])) if len(found) == 3 else None


def _coloured(nodes: Sequence[Node], word: str, *, shades: bool) -> list[Node]:
    """Return what has a colour to the letter; its shades where nothing has, or where they are asked for."""
    exact = tuple(int(COLOURS[word][at : at + 2], 16) for at in (0, 2, 4))
    same = [node for node in nodes if _rgb(node) == exact]
    return same if same and not shades else [node for node in nodes if hue_of(_rgb(node)) == word]


def hue_of(found: tuple[int, int, int] | None) -> str:
    """Return the colour that a shade belongs to; "" for a grey."""
    if found is None:
        return ""
    hue, _, saturation = colorsys.rgb_to_hls(*(part / 255 for part in found))
    if saturation < _GREY:
        return ""
    angle = 360 * hue
    return min(_HUES, key=lambda name: min(abs(angle - _HUES[name]), 360 - abs(angle - _HUES[name])))


def _sized(nodes: Sequence[Node], word: str, drawn: Sequence[Node]) -> list[Node]:
    """Return the small or the large ones of some things: of one size, beside all that is drawn."""
    sizes = [max(node.box[2:]) for node in nodes]
    if not sizes:
        return []
    ends = min(sizes), max(sizes)
    if ends[1] < _APART * ends[0]:
        ends = min(max(node.box[2:]) for node in drawn), max(max(node.box[2:]) for node in drawn)
    if ends[1] < _APART * ends[0]:
        return []
    middle = sum(ends) / 2
    if word.endswith(("er", "est")):
        end = ends[word in _MORE]
        return [node for node, size in zip(nodes, sizes, strict=True) if size == end]
    return [node for node, size in zip(nodes, sizes, strict=True) if (size > middle) == (word in _MORE)]
