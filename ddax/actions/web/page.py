"""One page of HTML as text: what a reader would see of its main part, its tables, links and date.

What a reader would not see is taken out and counted: an agent that reads it can be told things by it
that nobody else notices. Colours and sizes that only a style sheet from elsewhere sets are not known
here; the browser knows them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ddax.actions.sources.extract import NotText, decoded, extract, joined
from ddax.actions.sources.markup import parsed, part, text_of
from ddax.actions.web.blocked import challenge
from ddax.actions.web.styles import hidden_selectors, hides, same_colour

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MARK = "data-ddax-hidden"
UNREAD = "script,style,noscript,template,svg,iframe,object,head"
ASIDE = "nav,aside,footer,form,dialog,menu,[role=navigation],[role=banner],[role=contentinfo],[role=search]"
MAIN = "main,article,[role=main],[itemprop=articleBody]"
ENOUGH = 200
"""Characters that a main part must have to be taken for it."""
COMMENT = re.compile(r"<!--(.*?)(?:-->|$)", re.DOTALL)
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Signs that show as nothing: soft hyphens, marks of direction, tags, and variation selectors beyond 16."""
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

    `date` is the day it states, as YYYY-MM-DD, or ""; `scripts` says that scripts would make more of it;
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


def read_page(content: bytes, kind: str, *, fallback: str, base: str = "", charset: str = "") -> Page:
    """Turn bytes into a page; `kind` is `html`, `pdf`, `json` or `text`; raises NotText."""
    if kind == "html":
        page = from_html(decoded(content, charset), base)._replace(challenge=challenge(content))
        page = page._replace(title=" ".join(page.title.split())[:200])
    else:
        page = Page(*extract(content, kind, fallback=fallback, base=base, charset=charset))
    text, unseen = INVISIBLE.subn("", page.text)
    title = INVISIBLE.sub("", page.title) or fallback
    return page._replace(title=title, text=text, hidden=page.hidden + unseen)


def from_html(markup: str, base: str) -> Page:
    """Read the main part of a page, a paragraph a block and a line a row of a table."""
    comments = [found.strip() for found in COMMENT.findall(markup)]
    tree = parsed(markup)
    named = tree.css_first("title") or tree.css_first("h1")
    title, date = (named.text(deep=True) if named else ""), date_of(tree, markup)
    scripts = tree.css_first("script") is not None
    hidden, chars = without_hidden(tree)
    for node in reversed(tree.css(UNREAD)):
        node.remove()
    links = joined((str(node.attributes.get("href") or "") for node in tree.css("a[href]")), base)
    tables = part(tree)
    return Page(
        title, main_text(tree), links, date, tables, hidden, chars, sum(map(bool, comments)), scripts
    )  # fmt: skip


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
