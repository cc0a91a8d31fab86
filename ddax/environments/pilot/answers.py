"""Tell what an order wants to be told, in the words of the page; what is not there is not told."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.locate import in_row
from ddax.environments.pilot.finding.match import FIELDS, find, runs
from ddax.environments.pilot.finding.relations import NOWHERE
from ddax.environments.pilot.orders.frames import Frame
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import Word, has_phrase, keys, said

SHAPES: dict[str, re.Pattern[str]] = {
    "year": re.compile(r"\b(?:1[5-9]|20)\d\d\b"),
    "price": re.compile(r"[$€£¥]\s?\d[\d.,]*|(?<![\d.,])\d[\d.,]*+\s?(?:€|EUR|USD|GBP)"),
    "phone": re.compile(r"\+?\d[\d\s()/-]{5,}\d"),
    "email": re.compile(r"(?<![^\s@<>])[^\s@<>]{1,64}@[^\s@<>]{1,200}\.\w+"),
    "date": re.compile(
        r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}\.? \w+ \d{4}\b"
        r"|\b\w+ \d{1,2}, \d{4}\b"
    ),
}  # fmt: skip
"""What an answer looks like, by the word that asks for it."""
SAYING = frozenset({"message", "it", "text", "page", "alert", "answer", "result", "say", "said"})
EMPTY = frozenset(
    "what who where when which how is was are were the she he they do did it say said name".split()  # noqa: SIM905
)
LIVE = frozenset({"alert", "status", "log"})


async def tell(pilot: Pilot, frame: Frame) -> None:
    """Tell what is asked for; raises NotDone where the page does not say it."""
    asked = [word for word in frame.words if word.group >= 0 or (word.key not in EMPTY and not word.is_stop)]
    said_so = _message(pilot) if all(word.key in SAYING for word in asked) else ""
    for _ in range(2):
        answer = _labelled(pilot, frame.words) or _in_table(pilot, frame.words) or _sentence(pilot, asked)
        if answer := said_so or answer:
            pilot.answers.append(answer)
            return
        await pilot.look()  # it may still be on its way
    raise NotDone(f"“{pilot.cut(said(frame.words), 80)}” was not found on the page")


def _message(pilot: Pilot) -> str:
    """Return what the page said last: in an alert, in a live region, or anew."""
    alerts = [note.partition(": ")[2] for note in pilot.notes if note.startswith("the page said:")]
    live = [node.text for node in pilot.seen.nodes if node.role in LIVE and node.text]
    if alerts or live:
        return (live or alerts)[-1]
    new = [
        node.text
        for node in pilot.fresh()
        if node.role in ("text", "paragraph", "heading", "label") and node.text
    ]
    return new[0] if len(new) == 1 else ""


def _labelled(pilot: Pilot, order: Sequence[Word]) -> str:
    """Return the value behind a label, as of “Total: $5”, beside what the order names with it."""
    asked = [word for word in order if word.group >= 0 or not word.is_stop]
    page, found = pilot.page, list[tuple[int, str]]()
    for at in range(1, len(asked) + 1):
        name, rest = asked[:at], asked[at:]
        if not any(word.key not in EMPTY for word in name):
            continue
        for node in pilot.seen.nodes:
            if node.role in FIELDS or not has_phrase(keys(node.text), [word.key for word in name]):
                continue
            value = _behind(pilot, node, [word.key for word in name])
            if not value:
                continue
            levels = [page.level(node, [word.key for word in run]) for run in runs(rest, ())]
            if NOWHERE not in levels:
                found.append((max(levels, default=0), value))
    if not found:
        return ""
    least = min(size for size, _ in found)
    values = list(dict.fromkeys(value for size, value in found if size == least))
    return values[0] if len(values) == 1 else ""


def _behind(pilot: Pilot, node: Node, name: Sequence[str]) -> str:
    """Return what stands behind a label: in its own text, or in the element that follows."""
    said_ = re.fullmatch(r"(.{1,60}?) ?[:=] ?(.*)", " ".join(node.text.split()))
    if said_ and keys(said_[1]) == tuple(name):
        if said_[2]:
            return f"{said_[1]}: {said_[2]}"
        at = pilot.page.place(node)
        after = pilot.seen.nodes[at + 1 : at + 2]
        return f"{said_[1]}: {after[0].text}" if after and after[0].text else ""
    return ""


def _in_table(pilot: Pilot, order: Sequence[Word]) -> str:
    """Return the cell of the column that is named, in the row that is named."""
    heads = [node for node in pilot.seen.nodes if node.role == "columnheader"]
    hits = find(pilot.page, order, heads)
    for hit in hits:
        rest = [word for at, word in enumerate(order) if at not in hit.used]
        column = {node.id for node in pilot.page.column(hit.node)}
        cell = in_row(pilot, rest, lambda node, column=column: node.id in column)  # type: ignore[misc]
        if cell is not None:
            return cell.text
    return ""


def _sentence(pilot: Pilot, asked: Sequence[Word]) -> str:
    """Return the one text that has all words of what is asked for, and looks as the answer has to."""
    shapes = [SHAPES[word.key] for word in asked if word.key in SHAPES]
    solid = [word.key for word in asked if word.key not in SHAPES and word.key not in ("number", "amount")]
    wants_number = any(word.key in ("number", "amount", "total", "count") for word in asked)
    for lot in (pilot.fresh(), pilot.seen.nodes):
        met = [
            text
            for text in dict.fromkeys(node.text for node in lot if node.role not in {*FIELDS, "button"})
            if text
            and all(one in keys(text) for one in solid)
            and all(shape.search(text) for shape in shapes)
            and (not wants_number or re.search(r"\d", text))
        ]
        if len(met) == 1 and (solid or shapes) and keys(met[0]) != tuple(solid):
            return met[0]
    return ""
