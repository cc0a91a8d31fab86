"""Bytes to plain text and a title: HTML, PDF, and everything that is text already."""

from __future__ import annotations

import codecs
import hashlib
import io
import logging
import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from ddax.actions.sources.markdown import as_shown, with_bars
from ddax.actions.sources.markup import parsed, text_of
from ddax.actions.sources.seen import INVISIBLE, seen
from ddax.actions.sources.tables import as_table
from ddax.actions.sources.values import as_values
from ddax.types import Document

MAX_CHARS = 10_000_000
MAX_PAGES = 2000
MAX_LINKS = 200
SNIFFED = 8192
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]++(.*[^ \t#\r\n])[ \t#\r]*$", re.MULTILINE)
UNDERLINED = re.compile(r"^(?=\S)(.{1,200})\n(?:={3,}|-{3,}|~{3,}|\*{3,}|\^{3,})[ \t]*$", re.MULTILINE)
LINK = re.compile(r"\]\(<?((?:[^)\s>\]]|\](?!\())++)>?(?:\s+\"[^\"]*\")?\)")


FULL_LINE = 0.6
"""Share of the longest line of a page from which a line is one of a paragraph."""
NO_SENTENCE = re.compile(r"[A-Z0-9\u00c0-\u00de].{0,80}[\w)]")
ENDS = (".", "!", "?", ":", "”", '"')


class Extracted(NamedTuple):
    """What was read from a file or page."""

    title: str
    text: str
    links: tuple[str, ...] = ()


class NotText(ValueError):
    """Say why bytes are not a text that can be searched."""


def extract(content: bytes, kind: str, *, fallback: str, base: str = "", charset: str = "") -> Extracted:
    """Turn bytes into text; raises NotText.

    `kind` is `html`, `json`, `markdown`, `pdf`, `table` or `text`.
    """
    if kind == "pdf":
        found = from_pdf(content)
    elif kind == "html":
        found = from_html(decoded(content, charset), base)
    elif kind == "table":
        found = Extracted("", as_table(decoded(content, charset)))
    elif kind == "json":
        found = Extracted("", as_values(decoded(content, charset)))
    else:
        text = decoded(content, charset)
        found = from_text(as_shown(text) if kind == "markdown" else with_bars(text), base)
    title = " ".join(found.title.split())[:200]
    return found._replace(title=title or fallback, text=found.text[:MAX_CHARS])


def document(found: Extracted, source: str) -> Document:
    """Make a document whose id is a hash of title and text."""
    digest = hashlib.sha256(f"{found.title}\n{found.text}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return Document(digest, source, found.title, found.text, found.links)


def decoded(content: bytes, charset: str = "") -> str:
    """Decode by the stated charset, UTF-8, a UTF-16 mark, else Latin-1; raises NotText for binary."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = content.decode("utf-16", "replace")
    elif b"\0" in content[:SNIFFED]:
        raise NotText("it holds NUL bytes")
    else:
        text = first_decoding(content, charset)
    head = text[:SNIFFED]
    if len(CONTROL.findall(head)) > len(head) // 50:
        raise NotText("it holds control characters")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def first_decoding(content: bytes, charset: str) -> str:
    """Decode by the first of charset, UTF-8 and Latin-1 that takes every byte."""
    for name in (charset, "utf-8-sig"):
        try:
            if name:
                return content.decode(name)
        except (UnicodeError, LookupError):
            continue
    return content.decode("latin-1")


def from_text(text: str, base: str = "") -> Extracted:
    """Read plain text or markup: the title is the first heading, `# X` or underlined."""
    found = [match for match in (HEADING.search(text), UNDERLINED.search(text)) if match]
    first = min(found, key=lambda match: match.start(), default=None)
    return Extracted(first.group(1).strip() if first else "", text, joined(LINK.findall(text), base))


def from_html(markup: str, base: str = "") -> Extracted:
    """Read a page, all of it that is `seen`, as `markup` writes it."""
    tree = parsed(markup)
    left = seen(tree)
    text = text_of(tree.body) if tree.body else ""
    return Extracted(INVISIBLE.sub("", left.title), INVISIBLE.sub("", text), joined(left.links, base))


def from_pdf(content: bytes) -> Extracted:
    """Read the text layer of a PDF, pages separated by an empty line."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    hush("pypdf")
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise NotText("it is encrypted")
        pages = [parted(reader.pages[i].extract_text()) for i in range(min(len(reader.pages), MAX_PAGES))]
        title = str((reader.metadata.title if reader.metadata else "") or "")
    except NotText:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError,
            NotImplementedError, OverflowError, ImportError) as exc:  # fmt: skip
        # pypdf lets the errors of its own walk through damaged objects pass.
        raise NotText(f"it is a damaged PDF ({type(exc).__name__}: {str(exc)[:100]})") from exc
    text = "\n\n".join(page.strip() for page in pages if page.strip())
    if not text:
        raise NotText("it is a PDF without a text layer")
    return Extracted(title or opening(text), text)


def parted(page: str) -> str:
    """Set the headings of a page apart by empty lines, which the layer of text of a PDF has lost.

    A heading is a short line without a mark at its end, behind what ends a sentence and before a full line.
    """
    lines = [line.rstrip() for line in page.strip().splitlines()]
    full = FULL_LINE * max(map(len, lines), default=0)
    found = list[str]()
    for place, line in enumerate(lines):
        before, behind = lines[place - 1] if place else "", [*lines, ""][place + 1]
        heads = NO_SENTENCE.fullmatch(line) and len(line) < full <= len(behind) and behind[:1].isupper()
        found += ["", line, ""] if heads and (not before or before.endswith(ENDS)) else [line]
    return "\n".join(found).strip()


def opening(text: str) -> str:
    """Return the heading with which a text begins, or nothing."""
    first, _, rest = text.partition("\n")
    return first if rest.startswith("\n") and NO_SENTENCE.fullmatch(first) else ""


def hush(library: str) -> None:
    """Keep what a library logs off stderr where nobody has set up logging: our error says it once."""
    logger = logging.getLogger(library)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def joined(links: Iterable[str], base: str) -> tuple[str, ...]:
    """Resolve links against a base, each once, without fragments of the page itself."""
    found: dict[str, None] = {}
    for link in links:
        try:
            target = urljoin(base, link.strip()) if base else link.strip()
            scheme = urlsplit(target).scheme
        except ValueError:
            continue
        target = target.split("#")[0]
        if target and scheme in ("", "http", "https"):
            found[target] = None
        if len(found) >= MAX_LINKS:
            break
    return tuple(found)
