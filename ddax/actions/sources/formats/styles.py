"""Which styles hide a text from a reader, as far as the page itself says so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_RULES = 500
MAX_ABOVE = 12
"""Ancestors that are asked for a background."""
FAR = 900.0
"""Pixels beyond which a shifted text is off every screen."""
NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)")
RULE = re.compile(r"(?<![^{}])([^{}]++)\{([^{}]{0,5000}+)\}")
COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
WHITE = frozenset({"white", "#fff", "#ffffff", "#fffff", "rgb(255,255,255)", "rgba(255,255,255,1)", "snow"})
NOTHING = frozenset({"transparent", "rgba(0,0,0,0)", "#0000", "#00000000"})


def declarations(style: str) -> dict[str, str]:
    """Split an inline style into names and values, in lower case and without spaces inside values."""
    found: dict[str, str] = {}
    for part in style[:10_000].lower().split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip()] = (
                re.sub(r"\s+", "" if "(" in value else " ", value.strip()).split("!")[0].strip()
            )
    return found


def hides(style: str) -> bool:
    """Tell whether a style hides what it is set on: not shown, clear, tiny, clipped, or off the screen."""
    if not style:
        return False
    has = declarations(style)
    if has.get("display") == "none" or has.get("visibility") in ("hidden", "collapse"):
        return True
    if has.get("content-visibility") == "hidden" or _size(has.get("opacity"), 1.0) <= 0.05:
        return True
    if _size(has.get("font-size"), 16.0) <= 1.5 and has.get("font-size", "")[-2:] not in (
        "em",
        "vw",
        "vh",
        "in",
    ):
        return True
    return _clipped(has) or _away(has)


def _clipped(has: dict[str, str]) -> bool:
    clip = has.get("clip", "") + has.get("clip-path", "")
    if re.search(r"rect\((?:0|1)(?:px)?[, ]?(?:0|1)|inset\((?:50|100)%|circle\(0", clip):
        return True
    flat = min(_size(has.get("height") or has.get("max-height"), 99.0), _size(has.get("width"), 99.0))
    return has.get("overflow") in ("hidden", "clip") and flat <= 1.0


def _away(has: dict[str, str]) -> bool:
    if _size(has.get("text-indent"), 0.0) <= -FAR:
        return True
    moved = [_size(has.get(side), 0.0) for side in ("left", "top", "margin-left", "margin-top")]
    other = [_size(has.get(side), 0.0) for side in ("right", "bottom")]
    if has.get("position") in ("absolute", "fixed", "relative") and min(*moved, *other) <= -FAR:
        return True
    if min(moved[2:]) <= -FAR:
        return True
    transform = has.get("transform", "")
    far = any(abs(float(n)) >= FAR for n in NUMBER.findall(transform)) if "translate" in transform else False
    return far or re.search(r"scale\w?\(0(?:\.0+)?[,)]", transform) is not None


def _size(value: str | None, default: float) -> float:
    found = NUMBER.match(value or "")
    return float(found.group()) if found else default


def same_colour(node: LexborNode) -> bool:
    """Tell whether a text has the colour of what it stands on, white where no background is stated."""
    style = declarations(node.attributes.get("style") or "")
    colour = style.get("color") or (node.attributes.get("color") or "").lower()
    if colour in NOTHING:
        return True
    if not colour:
        return False
    above: LexborNode | None = node
    for _ in range(MAX_ABOVE):
        if above is None or above.tag == "html":
            break
        back = _background(above)
        if back:
            return _plain(back) == _plain(colour)
        above = above.parent
    return _plain(colour) == "white"


def _background(node: LexborNode) -> str:
    style = declarations(node.attributes.get("style") or "")
    stated = style.get("background-color") or style.get("background") or node.attributes.get("bgcolor") or ""
    return "" if stated in NOTHING else stated.lower()


def _plain(colour: str) -> str:
    return "white" if colour in WHITE else colour


def hidden_selectors(sheets: list[str]) -> list[str]:
    """Return the selectors of a page's own style sheets that hide; those under @ rules do not count."""
    found: list[str] = []
    for sheet in sheets:
        plain = COMMENT.sub("", sheet[:200_000])
        for selector, body in RULE.findall(_top_level(plain)):
            wanted = selector.strip()
            if wanted and not wanted.startswith("@") and ":" not in wanted and hides(body):
                found.append(wanted)
            if len(found) >= MAX_RULES:
                return found
    return found


def _top_level(sheet: str) -> str:
    """Drop the blocks of @media and the like, which hold only under conditions."""
    kept: list[str] = []
    place = 0
    while (start := sheet.find("@", place)) >= 0:
        kept.append(sheet[place:start])
        brace, semicolon = sheet.find("{", start), sheet.find(";", start)
        if brace < 0 or 0 <= semicolon < brace:
            place = semicolon + 1 if semicolon >= 0 else len(sheet)
            continue
        depth, place = 1, brace + 1
        while depth and place < len(sheet):
            depth += {"{": 1, "}": -1}.get(sheet[place], 0)
            place += 1
    return "".join([*kept, sheet[place:]])
