"""A book (EPUB) as text: its chapters in the order they are read, each as a page of the web would be."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

from ddax.actions.sources.formats.archives import opened
from ddax.actions.sources.formats.encodings import decoded_text, wide_text
from ddax.actions.sources.formats.front_matter import plain
from ddax.actions.sources.formats.visible import seen_text

CONTAINER = "META-INF/container.xml"
PAGES = ("application/xhtml+xml", "text/html")
FIELDS = ("creator", "date", "publisher", "language", "identifier", "subject")
MOST_XML = 5_000_000


def read_book(content: bytes) -> tuple[str, str, dict[str, Any]]:
    """Return the title of a book, its text, and what it says of itself; raises ValueError for none."""
    with opened(content) as book:
        try:
            place = _tree(book, CONTAINER).find(".//{*}rootfile")
            package = _tree(book, str(place.attrib["full-path"]) if place is not None else "")
        except (KeyError, ElementTree.ParseError) as exc:
            raise ValueError(f"it is no book ({exc})") from exc
        root = posixpath.dirname(str(place.attrib["full-path"])) if place is not None else ""
        said = {node.tag.rpartition("}")[2]: (node.text or "").strip() for node in package.iter()}
        chapters = [chapter.strip() for chapter in _chapters(book, package, root)]
    fields = plain({name: said[name] for name in FIELDS if said.get(name)})
    return said.get("title", ""), "\n\n".join(filter(None, chapters)) + "\n", fields


def _chapters(book: zipfile.ZipFile, package: ElementTree.Element, root: str) -> Iterator[str]:
    items = {str(node.get("id")): node for node in package.iterfind(".//{*}manifest/{*}item")}
    order = [items.get(str(node.get("idref"))) for node in package.iterfind(".//{*}spine/{*}itemref")]
    for item in order:
        if item is None or item.get("media-type") not in PAGES:
            continue
        name = posixpath.normpath(posixpath.join(root, unquote(str(item.get("href", "")))))
        if name in book.namelist():
            data = book.read(name)
            yield seen_text(decoded_text(data) or wide_text(data) or "")


def _tree(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    """Read a part that lists others; the system's parser refuses entities that unfold without end."""
    raw = book.read(name)
    if len(raw) > MOST_XML or b"<!ENTITY" in raw:
        raise ValueError("its list of contents is not one")
    return ElementTree.fromstring(raw)  # noqa: S314  # without entities, in a process of its own
