"""What counts as an answer in `answers`: its questions, and how a claim and what is shown are judged.

A claim is what is asserted: the short answer where there is one, else the first statement. What is quoted
beside it is shown, and no part of it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.hotpot import normal

PARTS = ("looked_at", "unseen")
QUESTIONS = "questions.jsonl"
COMPUTED = ("count", "sum")
"""Kinds whose answer stands in no row: only a claim can say it."""
CLAIM, SHORT = 60, 25
"""Words of a claim at most, and of one whose answer is a short word or number that may stand anywhere."""
SHOWN, SHOWN_WORDS = 3, 120
"""Passages that count as shown, and the words of each that do."""
PARAGRAPH = 80
"""Words of a paragraph of the baseline at most."""
_OWN = (".py.txt", ".toml.txt")
"""Endings of documents that the tools of this project would take for files of its own."""

Variant = str | tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """A question, the variants that count as right (a tuple: all of it), and the file that carries them."""

    collection: str
    question: str
    answers: tuple[Variant, ...]
    file: str
    kind: str
    answerable: bool
    before: str = ""


@dataclass(frozen=True)
class Told:
    """What came back: whether it is a claim, its short answer and first statement, what is shown beside."""

    claimed: bool
    short: str
    statement: str
    passages: tuple[str, ...]
    score: float = 0.0
    cpu: float = 0.0


def load(folder: Path) -> list[Case]:
    """Read the questions of a part."""
    rows = map(json.loads, (folder / QUESTIONS).read_text(encoding="utf-8").splitlines())
    return [
        Case(
            row["collection"], row["question"],
            tuple(tuple(each) if isinstance(each, list) else each for each in row["answers"]),
            row["file"], row["kind"], row["answerable"], row.get("before", ""),
        )
        for row in rows
    ]  # fmt: skip


def laid_name(name: str) -> str:
    """Return the name under which a document is laid out."""
    return name.removesuffix(".txt") if name.endswith(_OWN) else name


def lay(collection: Path, place: Path) -> Path:
    """Copy a collection into a folder of its own name, and return it."""
    folder = place / collection.name
    folder.mkdir(parents=True)
    for path in sorted(collection.iterdir()):
        shutil.copyfile(path, folder / laid_name(path.name))
    return folder


def told(result: Mapping[str, Any], *, cpu: float = 0.0) -> Told:
    """Read off a result what it claims and what it shows."""
    claimed = result["status"] == "done"
    text, spans = result["answer"], result["spans"]
    statement = text[spans[0]["start"] : spans[0]["end"]] if spans else text
    quotes = [citation["quote"] for citation in result["citations"]]
    if not claimed and not quotes:  # passages of a text that claims nothing, behind its first paragraph
        quotes = text.split("\n\n")[1:]
    return Told(
        claimed, result["short"], statement if claimed else "", tuple(quotes[:SHOWN]), result["support"], cpu
    )


def right(case: Case, it: Told) -> bool:
    """Tell whether a claim says the answer; a wrong short answer beside a right sentence is wrong."""
    if not it.claimed or not case.answerable:
        return False
    if not it.short:
        return any(_says(case.kind, gold, it.statement) for gold in case.answers)
    return any(
        _says(case.kind, gold, it.short)
        or (_says(case.kind, gold, it.statement) and _within(it.short, _joined(gold)))
        for gold in case.answers
    )


def shown(case: Case, passages: Sequence[str]) -> bool:
    """Tell whether the answer stands in the first passages, as far as these are read."""
    if not case.answerable or case.kind in COMPUTED:
        return False
    text = "\n".join(" ".join(each.split()[:SHOWN_WORDS]) for each in passages[:SHOWN])
    golds = [gold for gold in case.answers if not _bare(gold)]
    return any(all(_within(piece, text) for piece in _pieces(gold)) for gold in golds)


def _says(kind: str, gold: Variant, text: str) -> bool:
    words = normal(text).split()
    if _bare(gold):
        return bool(words) and len(words) <= CLAIM and normal(_joined(gold)) in (words[0], words[-1])
    limit = SHORT if kind in COMPUTED or min(map(len, _pieces(gold))) < 4 else CLAIM
    return len(text.split()) <= limit and all(_within(piece, text) for piece in _pieces(gold))


def _within(piece: str, text: str) -> bool:
    """Tell whether a piece stands in a text by whole words; one of signs alone, as it is written."""
    plain = normal(piece)
    return f" {plain} " in f" {normal(text)} " if plain else piece.strip() in text


def _bare(gold: Variant) -> bool:
    return normal(_joined(gold)) in ("yes", "no")


def _pieces(gold: Variant) -> tuple[str, ...]:
    return (gold,) if isinstance(gold, str) else gold


def _joined(gold: Variant) -> str:
    return " ".join(_pieces(gold))


def paragraphs(name: str, text: str) -> Iterator[str]:
    """Cut a document as the baseline reads it: in paragraphs, long ones by lines, tables in rows."""
    lines = text.splitlines()
    if name.endswith((".csv", ".tsv")) and lines:
        yield from (f"{lines[0]}\n{line}" for line in lines[1:] if line.strip(" |-"))
        return
    for block in text.split("\n\n"):
        yield from _windows(block.splitlines())


def _windows(lines: Iterable[str]) -> Iterator[str]:
    kept: list[str] = []
    for word in (word for line in lines for word in [*line.split(), "\n"]):
        kept.append(word)
        count = sum(each != "\n" for each in kept)
        if count >= PARAGRAPH or (word == "\n" and count > PARAGRAPH * 3 // 4):
            yield " ".join(kept).strip()
            kept = []
    if any(each != "\n" for each in kept):
        yield " ".join(kept).strip()
