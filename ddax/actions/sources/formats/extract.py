"""Bytes to plain text and a title: HTML, PDF, and everything that is text already."""

from __future__ import annotations

import hashlib
import io
import logging
import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from ddax.actions.sources.formats.archives import IMMENSE
from ddax.actions.sources.formats.encodings import decoded_text, wide_text
from ddax.actions.sources.formats.file_kinds import HEADED, KINDS
from ddax.actions.sources.formats.front_matter import field_lines, field_of, front_matter
from ddax.actions.sources.formats.json_text import as_values
from ddax.actions.sources.formats.markdown import as_shown, with_bars
from ddax.actions.sources.formats.markup import parsed, text_of
from ddax.actions.sources.formats.tables import as_table
from ddax.actions.sources.formats.visible import INVISIBLE, seen
from ddax.actions.sources.skipping import DAMAGED, LOCKED, NEEDS, PICTURES
from ddax.types import Document

MAX_CHARS = 10_000_000
METADATA = "metadata"
"""Where the notes of a document have what it says of itself."""
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
    fields: Mapping[str, Any] = MappingProxyType({})
    """What it says of itself: front matter, headers of a message, properties of an office file."""


class NotText(ValueError):
    """Say why bytes are not a text that can be searched."""


def extract(content: bytes, kind: str, *, fallback: str, base: str = "", charset: str = "") -> Extracted:
    """Turn bytes into text; raises NotText.

    `kind` is `html`, `json`, `markdown`, `pdf`, `table`, `text`, or one that `kinds` reads.
    """
    if kind in KINDS:
        found = from_kind(content, kind)
    elif kind == "pdf":
        found = from_pdf(content)
    elif kind == "html":
        found = from_html(decoded(content, charset), base)
    elif kind == "table":
        found = Extracted("", as_table(decoded(content, charset)))
    elif kind == "json":
        found = Extracted("", as_values(decoded(content, charset)))
    else:
        found = from_fronted(decoded(content, charset), kind, base)
    title = " ".join(found.title.split())[:200]
    return found._replace(title=title or fallback, text=found.text[:MAX_CHARS])


def document(found: Extracted, source: str) -> Document:
    """Make a document whose id is a hash of title and text."""
    digest = hashlib.sha256(f"{found.title}\n{found.text}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
    notes = {METADATA: dict(found.fields)} if found.fields else {}
    return Document(digest, source, found.title, found.text, found.links, notes)


def decoded(content: bytes, charset: str = "") -> str:
    """Decode by the stated charset, a mark, UTF-8, else by what it looks like; raises NotText for binary."""
    text = decoded_text(content, charset)
    if text is None:
        text = wide_text(content)
    if text is None:
        raise NotText("it holds NUL bytes")
    head = text[:SNIFFED]
    if len(CONTROL.findall(head)) > len(head) // 50:
        raise NotText("it holds control characters")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def from_fronted(text: str, kind: str, base: str = "") -> Extracted:
    """Read plain text or markup with its front matter, whose fields stand above it a line each."""
    fields, rest = front_matter(text)
    found = from_text(as_shown(rest) if kind == "markdown" else with_bars(rest), base)
    title = field_of(fields, "title", "subject") or found.title
    return found._replace(title=title, text=field_lines(fields) + found.text, fields=fields)


def from_kind(content: bytes, kind: str) -> Extracted:
    """Read a message, a notebook, a book or an office file; raises NotText."""
    try:
        title, text, fields = KINDS[kind](content)
    except ImportError as exc:
        raise NotText(f"{NEEDS} ({exc.name} is not installed)") from exc
    except NotText:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, LookupError, OSError, EOFError,
            RecursionError, NotImplementedError, SyntaxError, AssertionError, zlib.error,
            zipfile.BadZipFile) as exc:  # fmt: skip
        # Libraries of office files let the errors of their own walk through damaged ones pass.
        raise _damaged(exc) from exc
    if not text.strip():
        return Extracted(title, "", fields=fields)
    return Extracted(title or (from_text(text).title if kind in HEADED else ""), text, fields=fields)


def _damaged(error: Exception) -> NotText:
    """Return why a file is not read: in its own words where a reader of ours says what is wrong."""
    said = str(error)[:100] or type(error).__name__
    if said.startswith((DAMAGED, LOCKED, IMMENSE)):
        return NotText(said)
    return NotText(f"{DAMAGED} ({said})")


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
            raise NotText(LOCKED)
        pages = [parted(reader.pages[i].extract_text()) for i in range(min(len(reader.pages), MAX_PAGES))]
        title = str((reader.metadata.title if reader.metadata else "") or "")
    except NotText:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError,
            NotImplementedError, OverflowError, ImportError) as exc:  # fmt: skip
        # pypdf lets the errors of its own walk through damaged objects pass.
        raise _damaged(exc) from exc
    text = "\n\n".join(page.strip() for page in pages if page.strip())
    if not text:
        raise NotText(PICTURES)
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
