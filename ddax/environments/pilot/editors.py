"""Text in an editor with a tool bar: mark it, and press the tool of a style or a colour."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import press_node
from ddax.environments.pilot.words import color_table, hue, plain, rgb, tokens

_STYLES: dict[str, frozenset[str]] = {
    "bold": frozenset({"bold", "strong", "b"}),
    "italic": frozenset({"italic", "italics", "i"}),
    "underline": frozenset({"underline", "underlined", "u"}),
    "strike": frozenset({"strike", "strikethrough", "s"}),
}
"""The words of attributes and names that the tool of each style goes by."""
_COLOURS = frozenset({"color", "colour", "picker", "colorpicker"})
_STYLED = re.compile(
    r"(?:the\s++)?(?:(?:text|words?)\s++)?(?P<text>.+?)(?<!\s)\s+(?:(?:the|in)\s+){0,4}(?:(?:style|colou?r)\s+)?"
    r"(?P<style>[a-z]+)",
    re.IGNORECASE,
)
_WHERE = re.compile(r"(?<!\s)\s+(?:using|in|with)\s+the\s+(?:\w+\s+)?editor$", re.IGNORECASE)
_ALL = frozenset(
    {"everything", "all", "it all", "all of it", "all text", "all the text", "whole text", "text"}
)


async def style(pilot: Pilot, order: Order) -> bool | None:
    """Mark a text in the editor and press the tool of its style; None where no editor has that text."""
    found = _STYLED.fullmatch(_WHERE.sub("", order.text.strip(" .")))
    wanted = plain(found["style"]) if found else ""
    name = next((one for one, signs in _STYLES.items() if wanted in signs), "")
    boxes = [n for n in pilot.nodes({"textbox"}) if n.value and n.tag not in ("input", "textarea")]
    if found is None or not (name or wanted in color_table()) or len(boxes) != 1:
        return None
    whole = not order.quotes and plain(found["text"]) in _ALL
    text = _whole(pilot, boxes[0]) if whole else _as_it_stands(found["text"], boxes[0])
    if text is None or await pilot.do("mark", boxes[0].id, text) == "refused":
        return False
    tools = _tools(pilot, _STYLES[name] if name else _COLOURS)
    if len(tools) != 1:
        return False
    if name:
        return await press_node(pilot, tools[0])
    return await _paint(pilot, tools[0], wanted)


def _whole(pilot: Pilot, box: Node) -> str:
    """Return all of an editor's text where it is one piece; empty stands for all of several."""
    return box.value if any(n.own == box.value for n in pilot.match.below(box)) else ""


def _as_it_stands(text: str, box: Node) -> str | None:
    """Return a text as it stands once in an editor, with the comma behind it where that stands there too."""
    for one in (text, text.strip(" ,\"“”'")):
        if box.value.count(one) == 1:
            return one
    return None


def _tools(pilot: Pilot, signs: frozenset[str]) -> list[Node]:
    """Return the tools that have one of some words."""
    pool = pilot.nodes({"button", "clickable", "icon", "combobox"})
    return [n for n in pool if signs & set(tokens(f"{n.hints} {n.name}"))]


async def _paint(pilot: Pilot, tool: Node, colour: str) -> bool:
    """Open the colours of a tool, and press the first that goes by a name."""
    known = {n.id for n in pilot.seen.nodes}
    if not await press_node(pilot, tool):
        return False
    shades = [(n, rgb(dict(n.paint).get("fill", ""))) for n in pilot.seen.nodes if n.id not in known]
    meant = [n for n, shade in shades if shade is not None and hue(shade) == hue(color_table()[colour])]
    return bool(meant) and await press_node(pilot, meant[0])
