"""A message as text: who wrote to whom, when and on what, its words, and what is attached to it."""

from __future__ import annotations

from collections.abc import Iterator
from email import policy
from email.message import EmailMessage, Message
from email.parser import BytesParser
from typing import Any

from ddax.actions.sources.formats.encodings import decoded_text
from ddax.actions.sources.formats.front_matter import field_lines, plain
from ddax.actions.sources.formats.visible import seen_text

HEADERS = ("From", "To", "Cc", "Date", "Subject")
MOST_PARTS = 200


def read_mail(content: bytes) -> tuple[str, str, dict[str, Any]]:
    """Return the subject of a message, its text and its headers as fields; raises ValueError for none."""
    message = BytesParser(policy=policy.default).parsebytes(content)
    found = {name: _header(message, name) for name in HEADERS}
    fields = plain({name: value for name, value in found.items() if value})
    if not fields:
        raise ValueError("it has no headers of a message")
    parts = list(_parts(message))
    names = [name for name, _ in parts if name]
    body = "\n\n".join(text.strip() for _, text in parts if text.strip())
    if names:
        fields["Attachments"] = names
    return found["Subject"], f"{field_lines(fields)}{body}\n", fields


def _header(message: Message[Any, Any], name: str) -> str:
    try:
        return " ".join(str(message.get(name) or "").split())
    except (ValueError, IndexError, AttributeError):  # the parser of headers fails at some that are broken
        return ""


def _parts(message: Message[Any, Any]) -> Iterator[tuple[str, str]]:
    """Yield the parts of a message: the name of an attachment, and the words of what is text.

    Of a text that stands there plainly and as a page, the plain one is read.
    """
    if not isinstance(message, EmailMessage):
        return
    body = message.get_body(preferencelist=("plain", "html"))
    if body is not None:
        yield "", _words(body)
    if not message.is_multipart():
        return
    for number, part in enumerate(message.iter_attachments()):
        if number >= MOST_PARTS:
            return
        name = part.get_filename() or ""
        if part.get_content_type() == "message/rfc822":
            inner = part.get_content()
            yield name, "\n".join(text for _, text in _parts(inner))
        elif part.get_content_type() == "text/plain":
            yield name, f"{name}:\n\n{_words(part)}" if name else _words(part)
        else:
            yield name, ""


def _words(part: Any) -> str:
    """Return the text of a part; of a page what is seen of it."""
    content = part.get_payload(decode=True) or b""
    text = decoded_text(content, part.get_content_charset() or "") or ""
    return seen_text(text) if part.get_content_type() == "text/html" else text
