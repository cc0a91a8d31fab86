"""The field of an object that a question names: "What is the port of gull-api?"."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.objects import MAX_QUOTED, Field, records
from ddax.reasoning.embedded.pairs import of_settings, paired
from ddax.reasoning.embedded.rows import MEASURES, RELATION, fits
from ddax.text.question import Question, said_of
from ddax.text.words import contains_phrase, terms, words

_KINDS = frozenset({"person", "date", "number", "place", "thing", "open"})
_LIGHT = frozenset(terms("use used run running listen listening set configured assigned"))
"""What only says that a thing has a value."""


def asked_field(question: Question, weighed: Sequence[Weighed]) -> tuple[tuple[Weighed, ...], str] | None:
    """Find what an object says of itself by name and by the field asked for, and the value.

    None where objects of this name say different values, and where a word of the question is said by none.
    """
    if question.kind not in _KINDS or RELATION.search(question.text):
        return None
    found = [one for fields in _objects(weighed) if (one := _of_object(question, fields))]
    return found[0] if len({value for _, value in found}) == 1 else None


def lacks_field(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether an object or row that is named says nothing of the field that another one says."""
    if question.kind not in _KINDS or any(
        "{" not in item.sentence.text for item in _saying(question, weighed)
    ):
        return False
    known = [*_objects(weighed), *_rows(weighed)]
    named = [fields for fields in known if _called(question, fields)]
    if not named or any(_of_object(question, fields) for fields in named):
        return False
    left = _left(question, [field for fields in named for field in _called(question, fields)])
    saying = [fields for fields in known if any(_says(question, field, left) for field in fields)]
    return bool(saying) and not any(fields in named for fields in saying)


def _objects(weighed: Sequence[Weighed]) -> Iterator[list[Field]]:
    yield from records(weighed)
    pages = {(item.sentence.passage.source, item.sentence.passage.start): item for item in weighed}
    for item in pages.values():
        yield from paired(item)


def _rows(weighed: Sequence[Weighed]) -> list[list[Field]]:
    """Return the rows of tables as objects: what stands in their cells, by the names of the columns."""
    rows = ((item, item.sentence.cells) for item in weighed)
    return [[Field(name, cell, item) for name, cell in cells if cell] for item, cells in rows if cells]


def _saying(question: Question, weighed: Sequence[Weighed]) -> list[Weighed]:
    """Return the sentences that say all words of a question; rows and settings do so by their names alone."""
    lines = [item for item in weighed if not item.sentence.label and not item.sentence.cells]
    told = [item for item in lines if not of_settings(item.sentence)]
    return [item for item in told if item.terms.issuperset(question.terms)]


def _called(question: Question, fields: Sequence[Field]) -> list[Field]:
    """Return the fields of an object whose value a question names."""
    asked = words(question.text)
    return [field for field in fields if _is_named(field, asked)]


def _left(question: Question, called: Sequence[Field]) -> set[str]:
    """Return the words of a question that ask for a field: neither a name nor what stands above."""
    lines = [field.said.sentence for field in called]
    above = " ".join(f"{line.passage.title} {line.heading.plain if line.heading else ''}" for line in lines)
    known = terms(f"{above} {' '.join(f'{field.value} {field.path}' for field in called)}")
    return set(question.terms) - set(known) - MEASURES - _LIGHT


def _of_object(question: Question, fields: Sequence[Field]) -> tuple[tuple[Weighed, ...], str] | None:
    called = _called(question, fields)
    if not called:
        return None
    left, inside = _left(question, called), max((field.above for field in called), key=len)
    own = [field for field in fields if field not in called and field.path.startswith(inside)]
    told = [field for field in own if _says(question, field, left)]
    told = [field for field in told if set(terms(field.path.removeprefix(inside))) <= left] or told
    if len(told) != 1 or not fits(question, told[0].value):
        return None
    return _quoted(called[0], told[0]), told[0].value


def _is_named(field: Field, asked: list[str]) -> bool:
    """Tell whether a question says the whole value of a field, which is a name."""
    return any(map(str.isalpha, field.value)) and contains_phrase(asked, words(field.value))


def _says(question: Question, field: Field, left: set[str]) -> bool:
    return bool(left) and left <= said_of(question, field.path)


def _quoted(name: Field, told: Field) -> tuple[Weighed, ...]:
    """Return what is quoted: the object, or from one of its two fields to the other where it is long."""
    if name.said.sentence.item:
        return _lines(name.said, told.said)
    line = told.said.sentence
    if len(line.text.split()) <= MAX_QUOTED:
        return (told.said,)
    places = [place for field in (name, told) if (place := _place(field, line.text))]
    if len(places) < 2:
        return (told.said,)
    start, end = min(first for first, _ in places), max(last for _, last in places)
    return (replace(told.said, sentence=replace(line, text=line.text[start:end], start=line.start + start)),)


def _lines(name: Weighed, told: Weighed) -> tuple[Weighed, ...]:
    """Return two lines of a passage with those between them as one quote; the two where that is long."""
    first, last = sorted((name.sentence, told.sentence), key=lambda line: line.start)
    page = first.passage
    text = page.text[first.start - page.start : last.end - page.start]
    if page != last.passage or len(text.split()) > MAX_QUOTED:
        return (name, told)
    return (replace(told, sentence=replace(first, text=text)),)


def _place(field: Field, text: str) -> tuple[int, int] | None:
    """Return where a field stands in the text of its object, as it is written."""
    key = re.escape(json.dumps(field.path.rsplit(".", 1)[-1], ensure_ascii=False))
    value = re.escape(field.value)
    match = re.search(rf'{key}\s*:\s*(?:"{value}"|{value}\b)', text)
    return match.span() if match else None
