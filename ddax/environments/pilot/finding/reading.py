"""Read from the page what an order only points to: “the 4th word of the text”, “the value of X”, “that”."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.locate import in_row, meant, written
from ddax.environments.pilot.finding.looks import seen_as
from ddax.environments.pilot.finding.match import FIELDS, usable
from ddax.environments.pilot.finding.sums import worked_out
from ddax.environments.pilot.orders.frames import Frame, Value
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import Word, as_words, has_phrase, key, keys, nth, ordinal, said

_NTH = re.compile(
    r"(?:the\s+)?(?P<nth>\w+)\s+(?P<part>word|letter|character|digit|number|sentence|line)"
    r"(?:\s+(?:in|of|from)\s+(?P<where>\S.*))?",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"(?:the\s+)?(?:value|content|contents|text)\s+(?:in|of|from)\s+(?P<where>\S.*)", re.IGNORECASE
)
_COUNT = re.compile(r"(?:the )?(?:total )?(?:number|count) of (?P<what>[\w -]{1,40})", re.IGNORECASE)
_THAT = re.compile(
    r"it|that|this|(?:the|your|my) (?:answer|result|solution)|the\s+same"
    r"|(?:the|that|this)\s+(?:same\s+)?(?:word|letter|number|value|text|sentence)",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"(?:the |this |that )?(?:following )?text(?: shown| written)?(?: below| above)?", re.IGNORECASE
)
_POINTS = re.compile(r"(?:the|your|their|its|this|that) ")
"""How a value begins that is somewhere on the page, or nowhere: it is not written as it is said."""
_PARTS = {
    "word": r"[^\W_](?:[\w'’-]*\w)?", "letter": r"[^\W\d_]", "character": r"\S", "digit": r"\d",
    "number": r"-?\d+(?:[.,]\d+)*", "sentence": r"[^.!?]+[.!?]?", "line": r"[^\n]+",
}  # fmt: skip
"""What counts as a part of a text, by the word for it."""
_TEXTS = frozenset({"text", "paragraph", "label", "cell", "listitem", "status", "heading"})
_SHORT = 3
"""Words up to which a text is a label, where a paragraph is looked for."""


SUMS = frozenset({"solve", "calculate", "compute", "work out"})


async def mark(pilot: Pilot, frame: Frame) -> None:
    """Mark the text that is named, whole or the part of it that stands in quotes."""
    quoted = said(word for word in frame.words if word.group >= 0)
    number = ordinal(frame.words)
    texts = [n for n in pilot.seen.nodes if n.role in _TEXTS and (len(n.own.split()) > 1 or quoted)]
    texts = [n for n in texts if quoted in n.own] if quoted else _of_kind(texts)
    if abs(number) > len(texts) or (not number and len(texts) != 1):
        raise NotDone(f"it is not said which text is meant of {len(texts)}")
    node = texts[number - 1 if number > 0 else number]
    await pilot.do("mark", node.id, quoted)


def _of_kind(texts: list[Node]) -> list[Node]:
    return [node for node in texts if node.tag in ("p", "pre", "blockquote")] or texts


async def read(pilot: Pilot, frame: Frame) -> None:
    """Keep what some words point to, for an order behind that says “it”."""
    if frame.verb in SUMS:
        pilot.kept = worked_out([node.own for node in pilot.seen.nodes if node.own])
        return
    found = value_at(pilot, said(frame.words))
    pilot.kept = _text_of(pilot, frame.words) if found is None else found
    if not pilot.kept or pilot.kept.endswith("…"):
        raise NotDone("the text is not seen whole, or empty")


def beside(pilot: Pilot, name: Sequence[str]) -> str:
    """Return what stands in the cell behind the one with a name; raises NotDone where there is none."""
    cells = [node for node in pilot.seen.nodes if node.role in ("cell", "gridcell", "rowheader")]
    found = [
        other.text
        for node, other in pairwise(cells)
        if node.parent == other.parent and keys(node.text) == tuple(name)
    ]
    if len(found) != 1:
        raise NotDone(f"“{' '.join(name)}” does not stand once in a table with its value")
    return found[0]


def looked_up(pilot: Pilot, value: Value) -> Value:
    """Return a value, or what it points to on the page; raises NotDone where that is not there."""
    found = None if value.exact else value_at(pilot, value.text)
    if found is None and not value.exact and _POINTS.match(value.text):
        raise NotDone(f"it is not found what “{value.text}” is", "Put what is to be written in quotes")
    return value if found is None else Value(found, True)


def value_at(pilot: Pilot, text: str) -> str | None:
    """Return what some words point to; None where they point to nothing and are meant as they are."""
    if _THAT.fullmatch(text):
        return pilot.kept or None
    if counted := _COUNT.fullmatch(text):
        return _count(pilot, as_words(counted["what"]))
    if nth := _NTH.fullmatch(text):
        number = ordinal([Word(nth["nth"], key(nth["nth"]))])
        return (
            _nth(_text_of(pilot, as_words(nth["where"] or "")), number, nth["part"].lower())
            if number
            else None
        )
    if _BELOW.fullmatch(text):
        return _text_of(pilot, ())
    whole = _WHOLE.fullmatch(text)
    return _text_of(pilot, as_words(whole["where"])) if whole else None


def _count(pilot: Pilot, order: Sequence[Word]) -> str:
    """Return how many things are drawn that look so, or bear the words in their attributes; all are alike."""
    drawn = seen_as(pilot, order)
    if drawn is None:
        wanted = {word.key for word in order if not word.is_stop}
        drawn = [n for n in pilot.seen.nodes if not (n.name or n.own) and wanted <= {*keys(n.hints)}]
        drawn = drawn if len({(node.role, node.hints, node.box[2:]) for node in drawn}) == 1 else []
    if not drawn or not pilot.seen.whole:
        raise NotDone(f"it is not seen how many “{said(order)}” there are")
    return str(len(drawn))


def _nth(text: str, number: int, part: str) -> str:
    """Return a part of a text by its place."""
    parts = [found[0].strip() for found in re.finditer(_PARTS[part], text) if found[0].strip()]
    if (chosen := nth(parts, number)) is None:
        raise NotDone(f"the text has only {len(parts)} of “{part}”")
    return chosen


def _in_single_signs(pilot: Pilot) -> list[str]:
    """Return the text that stands in single signs side by side."""
    signs = [node for node in pilot.seen.nodes if node.role == "text" and len(node.own) == 1]
    beside = len({node.boxes for node in signs}) == 1 and len(signs) > 1
    return ["".join(node.own for node in signs)] if beside else []


def _text_of(pilot: Pilot, order: Sequence[Word]) -> str:
    """Return the text that some words name: of a field, behind a label, under a heading, or the only one."""
    named = [word for word in order if word.is_solid and word.key != "paragraph" and not ordinal([word])]
    field = meant(pilot, order, written) if order else None
    if not named and field is None:
        return _only(pilot, order)
    field = field or in_row(pilot, order, written)
    if field is not None and field.value:
        return field.whole or field.value
    names = tuple(word.key for word in named)
    nodes = [node for node in pilot.seen.nodes if node.role not in FIELDS and node.role != "label"]
    said_ = (names, tuple(word.key for word in order))
    heads = [at for at, node in enumerate(nodes[:-1]) if keys(node.text) in said_]
    under = [node for node in _paragraphs(pilot) if has_phrase(_over(pilot, node), names)]
    if len(heads) != 1 and len(under) != 1:
        raise NotDone(f"“{said(named)}” is not found on the page with a value")
    behind = nodes[heads[0] + 1] if len(heads) == 1 else under[0]
    return behind.text


def _over(pilot: Pilot, node: Node) -> Sequence[str]:
    head = pilot.page.heading(node)
    return keys(head.text) if head is not None else ()


def _only(pilot: Pilot, order: Sequence[Word]) -> str:
    """Return the one text of the page, or of its fields where the words say “field”."""
    number = ordinal(order)
    if any(word.key in ("field", "textbox", "textarea", "box", "input") for word in order):
        fields = usable(pilot.page, lambda node: node.role in ("textbox", "searchbox"))
        texts = [node.whole or node.value for node in fields if number or node.value]
    else:
        short = [node.own for node in pilot.seen.nodes if node.role == "paragraph" or node.tag == "p"]
        texts = short if number else [node.own for node in _paragraphs(pilot)] or _in_single_signs(pilot)
    if number:
        if (chosen := nth(texts, number)) is None:
            raise NotDone(f"there are only {len(texts)} of these texts")
        return chosen
    if len(texts) != 1:
        raise NotDone(f"it is not said which text is meant of {len(texts)}")
    return texts[0]


def _paragraphs(pilot: Pilot) -> list[Node]:
    """Return the texts that are more than a label."""
    texts = [node for node in pilot.seen.nodes if node.role in _TEXTS and len(node.own.split()) > _SHORT]
    marked = [node for node in texts if node.tag in ("p", "pre", "blockquote", "article")]
    return marked or [node for node in texts if node.role != "heading"] or texts
