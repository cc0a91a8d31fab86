"""What a reader would see of a page of HTML; the rest is taken out and counted.

An agent that reads a page can be told things by it that nobody else notices. Colours and sizes that
only a style sheet from elsewhere sets are not known here; the browser knows them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ddax.actions.sources.formats.markup import parsed, part, text_of
from ddax.actions.sources.formats.styles import hidden_selectors, hides, same_colour

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MARK = "data-ddax-hidden"
UNREAD = "script,style,noscript,template,svg,iframe,object,head,del,s,strike"
"""What says nothing to a reader, or nothing that holds: a struck text does not."""
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Signs that show as nothing: soft hyphens, marks of direction, tags, and variation selectors beyond 16."""


class Seen(NamedTuple):
    """What is left in a tree: its title, links as written and tables, and how much was hidden."""

    title: str
    links: list[str]
    tables: int
    hidden: int
    hidden_chars: int


def seen(tree: LexborHTMLParser) -> Seen:
    """Leave in a tree what a reader would see, its blocks and lines parted by signs."""
    named = tree.css_first("title")
    title = named.text(deep=True) if named else None
    hidden, chars = without_hidden(tree)
    for node in reversed(tree.css(UNREAD)):
        node.remove()
    if title is None:
        heading = tree.css_first("h1")
        title = heading.text(deep=True) if heading else ""
    links = [str(node.attributes.get("href") or "") for node in tree.css("a[href]")]
    return Seen(title, links, part(tree), hidden, chars)


def without_hidden(tree: LexborHTMLParser) -> tuple[int, int]:
    """Take out what is not seen and return how many elements with text, and how much text."""
    for selector in hidden_selectors([node.text() for node in tree.css("style")]):
        try:
            found = tree.css(selector)
        except ValueError:  # a selector this parser does not know hides nothing here
            continue
        for node in found:
            node.attrs[MARK] = "1"
    for node in tree.css("[style],font[color]"):
        if hides(node.attributes.get("style") or "") or same_colour(node):
            node.attrs[MARK] = "1"
    count = chars = 0
    # Removing frees what lies below a node, so the deepest, last in document order, go first.
    for node in reversed(tree.css(f"[hidden],[aria-hidden=true],input[type=hidden],[{MARK}]")):
        if node.tag in ("html", "body"):
            continue
        text = node.text(deep=True).strip() if node.tag not in ("script", "style") else ""
        count, chars = count + bool(text), chars + len(text)
        node.remove()
    return count, chars


def seen_text(markup: str) -> str:
    """Return what of a page is seen, as text."""
    tree = parsed(markup)
    seen(tree)
    return INVISIBLE.sub("", text_of(tree.body)) if tree.body else ""
