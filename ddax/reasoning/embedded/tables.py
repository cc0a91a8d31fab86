"""Records as tables: the rows of a table, and the objects of a JSON, YAML or TOML file, by their columns."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import Sentence
from ddax.text.chunks import CHUNK_CHARS, SENTENCE_CHARS
from ddax.text.units import pointed, quantity
from ddax.text.words import terms, words

_FIELD = re.compile(r"[-*] (?:(?P<path>[\w .\[\]-]*?)\.)?(?P<key>[\w -]{1,40}): (?P<value>\S.*)")
"""A value as JSON, YAML and TOML are read: "- servers[0].port: 8080"."""
_OPEN = re.compile(r'\{\s*"')
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str)
MAX_OBJECTS = 64
"""Objects that are read of one passage."""
_SUM = re.compile(
    r"\W*(?:(?:grand |sub-?)?total|sum|overall|all|average|mean|gesamt|insgesamt|summe)\b", re.IGNORECASE
)
"""What the row of a sum is called."""

SIZES: tuple[frozenset[str], ...] = tuple(
    frozenset(terms(row))
    for row in (
        "cost costs price priced paid pay charge fee cheap expensive dear much preis kostet teuer billig",
        "weight weigh weighs mass heavy light gewicht wiegt schwer leicht",
        "length long short duration länge lang kurz",
        "time duration long short fast slow quick dauer zeit schnell langsam",
        "height high tall altitude elevation low höhe hoch niedrig",
        "width wide narrow breadth broad breite breit schmal",
        "depth deep shallow tiefe tief",
        "speed fast slow quick geschwindigkeit tempo",
        "age old young alter alt jung",
        "year built born founded established opened launched released date new old young jahr baujahr",
    )
)
"""What columns are called that say the same, with the adjectives that compare by them."""
_PARTED = re.compile(r"[,;/&]| and ")


@dataclass(frozen=True)
class Row:
    """One entity with its values, and the lines that say them."""

    cells: tuple[str, ...]
    lines: tuple[Weighed, ...]
    said: tuple[frozenset[str], ...] = field(repr=False)

    @property
    def name(self) -> str:
        """Return what the row is called: its first cell."""
        return self.cells[0]

    @cached_property
    def parts(self) -> tuple[frozenset[str], ...]:
        """Return the words of each cell, and of each of several things that one cell lists."""
        return tuple(said_in(part) for cell in self.cells for part in _PARTED.split(cell))


@dataclass(frozen=True)
class Table:
    """Rows under the same columns; `whole` tells that no row is missing, `about` what stands above it."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    about: str
    whole: bool

    @cached_property
    def named(self) -> tuple[frozenset[str], ...]:
        """Return the words of each column's name."""
        return tuple(frozenset(terms(name)) for name in self.columns)

    @cached_property
    def called(self) -> int:
        """Return the column whose cells name the rows: the first in words and no codes, else the first."""
        worded = (
            sum(not re.search(r"\d", row.cells[place]) for row in self.rows) * 2 > len(self.rows)
            for place in range(len(self.columns))
        )
        return next((place for place, named in enumerate(worded) if named), 0)

    def values(self, place: int, rows: Sequence[Row]) -> list[float]:
        """Return the value of each row in a column, in one unit; none where one has none."""
        cells = pointed([row.cells[place] for row in rows]) or []
        told = [quantity(cell, self.columns[place]) for cell in cells]
        known = [one for one in told if one is not None]
        return [value for _, value in known] if len(known) == len(rows) and len(kinds_of(known)) == 1 else []

    def kind(self, place: int, row: Row) -> str:
        """Return what the value of a row in a column measures; "" where it is a bare number or none."""
        told = quantity(row.cells[place], self.columns[place])
        return told[0] if told else ""


def said_in(cell: str) -> frozenset[str]:
    """Return the words of a cell, with single letters: "Lantern M" is no "Lantern S"."""
    return frozenset(terms(cell)) | {word for word in words(cell) if len(word) == 1}


def kinds_of(told: Iterable[tuple[str, float]]) -> set[str]:
    """Return what some values measure."""
    return {kind for kind, _ in told}


def tables(found: Sequence[Weighed]) -> list[Table]:
    """Return the tables among some lines, and the objects that are listed field by field."""
    ordered = sorted(found, key=lambda item: (item.sentence.passage.source, item.sentence.start))
    return [*_of_rows(ordered), *_of_fields(ordered), *_of_json(ordered)]


def _of_rows(ordered: Sequence[Weighed]) -> list[Table]:
    by: dict[tuple[str, int], list[Weighed]] = {}
    for item in ordered:
        line = item.sentence
        if line.cells and line.header is not None and not line.code:
            by.setdefault((line.passage.source, line.header.start), []).append(item)
    return [_table(items) for items in by.values()]


def _table(items: Sequence[Weighed]) -> Table:
    first = items[0].sentence
    columns = tuple(name for name, _ in first.cells)
    rows = [_row(item, len(columns)) for item in items]
    kept = tuple(row for row in rows if row.name and not _SUM.match(row.name))
    above = f"{first.subject} {first.heading.plain if first.heading else ''} {first.intro}"
    return Table(columns, kept, above, _is_whole([item.sentence for item in items]))


def _row(item: Weighed, size: int) -> Row:
    cells = [cell for _, cell in item.sentence.cells]
    cells += [""] * (size - len(cells))
    return Row(tuple(cells), (item,), tuple(map(said_in, cells)))


def _is_whole(rows: Sequence[Sentence]) -> bool:
    """Tell whether the rows stand behind each other, and no other can follow the last one."""
    header, page = rows[0].header, rows[-1].passage
    if header is None or rows[0].start - header.end > len(header.text) + 8:
        return False
    if any(later.start - row.end > 2 for row, later in pairwise(rows)):
        return False
    behind = page.text[rows[-1].end - page.start :].strip("| \t\r\n")
    return bool(behind) or len(page.text) <= CHUNK_CHARS - SENTENCE_CHARS


def _of_fields(ordered: Sequence[Weighed]) -> list[Table]:
    """Return the objects of each list of a document as rows: "- servers[0].port: 8080"."""
    objects: dict[tuple[str, str], dict[str, dict[str, Weighed]]] = {}
    for item in ordered:
        match = _FIELD.fullmatch(item.sentence.text) if item.sentence.item else None
        if match is not None and "[" in (path := match["path"] or ""):
            name, _, rest = path.partition("]")
            key = f"{rest.lstrip('.')} {match['key']}".strip()
            group = objects.setdefault((item.sentence.passage.source, name.partition("[")[0]), {})
            group.setdefault(f"{name}]", {})[key] = item
    return [_objects(name, rows) for (_, name), rows in objects.items()]


def _objects(name: str, objects: dict[str, dict[str, Weighed]]) -> Table:
    columns = list(dict.fromkeys(key for fields in objects.values() for key in fields))
    columns.sort(key=lambda key: key.lower() not in ("name", "id", "title"))
    first = next(iter(next(iter(objects.values())).values())).sentence
    rows = []
    for fields in objects.values():
        cells = tuple(_value(fields[key]) if key in fields else "" for key in columns)
        rows.append(Row(cells, tuple(fields.values()), tuple(map(said_in, cells))))
    numbers = [int(key.partition("[")[2].rstrip("]") or 0) for key in objects if key[-2:-1].isdigit()]
    whole = numbers == [*range(len(objects))] and len(first.passage.text) <= CHUNK_CHARS - SENTENCE_CHARS
    return Table(tuple(columns), tuple(rows), f"{first.subject} {name}", whole)


def _value(item: Weighed) -> str:
    match = _FIELD.fullmatch(item.sentence.text)
    return match["value"] if match else ""


def _of_json(ordered: Sequence[Weighed]) -> list[Table]:
    """Return the objects of JSON that a text shows, each as one row."""
    tables = []
    pages = {(i.sentence.passage.source, i.sentence.passage.start): i for i in ordered}
    for item in pages.values():
        page, rows = item.sentence.passage, list[tuple[dict[str, str], Sentence]]()
        for match in itertools.islice(_OPEN.finditer(page.text), MAX_OBJECTS):
            try:
                value, end = _DECODER.raw_decode(page.text, match.start())
            except (ValueError, RecursionError):
                continue
            text = page.text[match.start() : end]
            fields = dict(_flat(value, ""))
            if fields:
                line = replace(
                    item.sentence, text=text, start=page.start + match.start(), label=False, item=True,
                    header=None, intro="", code=False,
                )  # fmt: skip
                rows.append((fields, line))
        if rows:
            tables.append(_of_records(rows, item))
    return tables


def _of_records(rows: Sequence[tuple[dict[str, str], Sentence]], item: Weighed) -> Table:
    columns = list(dict.fromkeys(key for fields, _ in rows for key in fields))
    columns.sort(key=lambda key: key.lower() not in ("name", "id", "title"))
    told = []
    for fields, line in rows:
        cells = tuple(fields.get(key, "") for key in columns)
        told.append(Row(cells, (replace(item, sentence=line),), tuple(map(said_in, cells))))
    return Table(tuple(columns), tuple(told), item.sentence.subject, whole=False)


def _flat(value: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of an object, those of inner ones by their path; lists are left out."""
    for name, inner in value.items():
        path = f"{above} {name}".strip()
        if isinstance(inner, dict):
            yield from _flat(inner, path)
        elif not isinstance(inner, list):
            yield path, inner if isinstance(inner, str) else json.dumps(inner)
