"""Find sentences that speak to the agent instead of about the world: orders in text from outside.

A filter, counted and never relied on: what keeps orders from being followed is that nothing read is
ever an instruction (`ddax.actions.policy`). This keeps them from being recalled as knowledge.
"""

from __future__ import annotations

import re
import unicodedata

from ddax.text.chunks import Span, sentences

BETWEEN = 600
"""Characters between two orders that are taken for a part of them."""
CUT = "[orders to the reader left out]"
_MACHINE_FORM = re.compile(r"\\[nrt\"]|\\\n|\n {2,}\S")
"""Signs of a text that a program wrote: escapes, or lines folded under an indent."""
_ESCAPE = re.compile(r"\\\s*\n\s*\\?|\\[nrt]|\\(?=[\" ])")
_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_WIDE = re.compile(r"\s{9,}")
"""A gap that no writer needs; looking for what may stand around one takes the cube of its width."""
_LEET = str.maketrans("01345$@", "oieassa")
_LOOKALIKE = str.maketrans("асеорхуіјѕкмтнвАСЕОРХІЈЅКМТНВο", "aceopxyijskmtnbACEOPXIJSKMTHBo")
"""Letters of other alphabets that look like Latin ones."""
_SPACED = re.compile(r"\b(?:[^\W\d_][ .\-_*]){3,}[^\W\d_]\b")


def instruction_spans(text: str) -> list[Span]:
    """Return the sentences of a text that hold an order to its reader, merged where they touch."""
    if _MACHINE_FORM.search(text) and _suspicious(_flowing(text)):
        return [Span(0, len(text))]  # where its sentences begin and end cannot be told
    if not _suspicious(text):
        return []
    found: list[Span] = []
    for span in sentences(text):
        if _suspicious(text[span.start : span.end]):
            # What stands between two orders belongs to them: they say before and after it that it is one.
            if found and len(text[found[-1].end : span.start].strip()) <= BETWEEN:
                found[-1] = Span(found[-1].start, span.end)
            else:
                found.append(span)
    # An order that runs over the border of sentences belongs to none of them: the whole text goes.
    return found or [Span(0, len(text))]


def without(text: str, spans: list[Span]) -> list[Span]:
    """Return what is left of a text beside some spans, without the white space around it."""
    left: list[Span] = []
    start = 0
    for span in [*spans, Span(len(text), len(text))]:
        piece = text[start : span.start]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            left.append(Span(start + lead, start + len(piece.rstrip())))
        start = span.end
    return left


def without_orders(text: str) -> str:
    """Return a text without the sentences that hold an order to its reader, and say where there were any."""
    orders = instruction_spans(text)
    if not orders:
        return text
    left = " ".join(text[span.start : span.end] for span in without(text, orders))
    return f"{left} {CUT}".strip()


def _suspicious(text: str) -> bool:
    from ddax.memory.gate.order_forms import (
        gives_orders,  # its patterns take long to compile: at the first text
    )

    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).replace("’", "'")
    plain = _WIDE.sub(_narrow, plain)
    forms = (plain, plain.translate(_LEET), plain.translate(_LOOKALIKE), _SPACED.sub(_closed, plain))
    return gives_orders(forms)


def _flowing(text: str) -> str:
    """Return text out of JSON or YAML as it was before: escapes and folded lines undone."""
    return " ".join(_ESCAPE.sub(" ", text).split())


def _narrow(match: re.Match[str]) -> str:
    """Return the one sign that stands for a wide gap; an end of a line stays one."""
    return "\n" if "\n" in match.group() else " "


def _closed(match: re.Match[str]) -> str:
    """Return letters that stand apart as the word they make."""
    return re.sub(r"[\W_]", "", match.group())
