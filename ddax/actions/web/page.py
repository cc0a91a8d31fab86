"""One page of HTML as text: what a reader would see of its main part, its tables, links and date.

What a reader would not see of it is taken out by `ddax.actions.sources.formats.visible`, as of a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ddax.actions.sources.formats.extract import Extracted, NotText, decoded, extract, joined
from ddax.actions.sources.formats.markup import parsed, text_of
from ddax.actions.sources.formats.visible import INVISIBLE, seen
from ddax.actions.web.blocked import challenge

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

ASIDE = "nav,aside,footer,form,dialog,menu,[role=navigation],[role=banner],[role=contentinfo],[role=search]"
MAIN = "main,article,[role=main],[itemprop=articleBody]"
ENOUGH = 200
"""Characters that a main part must have to be taken for it."""
COMMENT = re.compile(r"<!--(.*?)(?:-->|$)", re.DOTALL)
DAY = re.compile(r"(?<!\d)(?:19|20)\d\d-[01]\d-[0-3]\d(?!\d)")
STATED = re.compile(r'"date(?:Published|Modified|Created)"\s*:\s*"([^"]{8,40})"')
DATES = (
    ("meta[property='article:published_time'],meta[itemprop=datePublished],meta[name='dc.date' i],"
     "meta[name='date' i],meta[name='citation_publication_date' i],meta[property='og:updated_time']",
     "content"),
    ("time[datetime]", "datetime"),
)  # fmt: skip


class Page(NamedTuple):
    """What was read: `hidden` elements and invisible signs taken out, `hidden_chars` of text in them.

    `date` is the day it states, as YYYY-MM-DD, or ""; `fields` are what it says of itself; `scripts` says
    that scripts would make more of it;
    `challenge` says why it is taken for a refusal.
    """

    title: str
    text: str
    links: tuple[str, ...] = ()
    date: str = ""
    tables: int = 0
    hidden: int = 0
    hidden_chars: int = 0
    comments: int = 0
    scripts: bool = False
    challenge: str = ""
    fields: Mapping[str, Any] = MappingProxyType({})


def read_page(
    content: bytes, kind: str, *, fallback: str, base: str = "", charset: str = "", whole: bool = False
) -> Page:
    """Turn bytes into a page; `kind` is one of `extract`; raises NotText.

    `whole` reads all of it as `extract` reads a file: of HTML not its main part alone.
    """
    if whole:
        return _page(extract(content, kind, fallback=fallback, base=base, charset=charset))
    if kind == "html":
        page = from_html(decoded(content, charset), base)._replace(challenge=challenge(content))
        page = page._replace(title=" ".join(page.title.split())[:200])
    else:
        page = _page(extract(content, kind, fallback=fallback, base=base, charset=charset))
    text, unseen = INVISIBLE.subn("", page.text)
    title = INVISIBLE.sub("", page.title) or fallback
    return page._replace(title=title, text=text, hidden=page.hidden + unseen)


def _page(found: Extracted) -> Page:
    return Page(found.title, found.text, found.links, fields=dict(found.fields))


def from_html(markup: str, base: str) -> Page:
    """Read the main part of a page, a paragraph a block and a line a row of a table."""
    comments = [found.strip() for found in COMMENT.findall(markup)]
    tree = parsed(markup)
    date, scripts = date_of(tree, markup), tree.css_first("script") is not None
    left = seen(tree)
    links = joined(left.links, base)
    return Page(
        left.title, main_text(tree), links, date, left.tables, left.hidden, left.hidden_chars,
        sum(map(bool, comments)), scripts,
    )  # fmt: skip


def main_text(tree: LexborHTMLParser) -> str:
    """Return the text of the main part: a stated one that is large enough, else all but the rims."""
    if tree.body is None:
        return ""
    stated = [text_of(node) for node in tree.css(MAIN)]
    longest = max(stated, key=len, default="")
    if len(longest) >= ENOUGH:
        return longest
    whole = text_of(tree.body)
    for node in reversed(tree.css(ASIDE)):
        node.remove()
    rest = text_of(tree.body)
    return rest if len(rest) >= min(ENOUGH, len(whole) // 3) else whole


def date_of(tree: LexborHTMLParser, markup: str) -> str:
    """Return the first day the page states of itself, or ""."""
    for selector, name in DATES:
        for node in tree.css(selector)[:5]:
            if found := DAY.search((node.attributes.get(name) or "").replace("/", "-")):
                return found.group()
    stated = STATED.search(markup)
    found = DAY.search(stated.group(1)) if stated else None
    return found.group() if found else ""


__all__ = ["NotText", "Page", "read_page"]
