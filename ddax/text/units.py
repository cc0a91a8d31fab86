"""Units: what they measure and how much one of them is, and the quantity that a cell of a table says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ddax.text.words import stem

LENGTH, AREA, VOLUME, MASS, TIME, SPEED = "length", "area", "volume", "mass", "time", "speed"
TEMPERATURE, DATA, BITS, PEOPLE = "temperature", "data", "bits", "people"
HEADS = ("people", "inhabitants", "residents")
"""Words that count the same: who lives somewhere."""
_UNITS = {
    LENGTH: {
        "m metre metres meter meters": 1.0, "km kilometre kilometres kilometer kilometers": 1000.0,
        "mi mile miles": 1609.344, "ft foot feet": 0.3048, "yd yard yards": 0.9144, "dm": 0.1,
        "cm centimetre centimetres centimeter centimeters": 0.01, "in inch inches": 0.0254,
        "mm millimetre millimetres millimeter millimeters": 0.001, "µm μm micrometre micrometres": 1e-6,
    },
    AREA: {
        "km2 km²": 1e6, "ha hectare hectares": 1e4, "acre acres": 4046.856, "m2 m²": 1.0,
        "mi2 mi²": 2589988.0, "cm2 cm²": 1e-4, "mm2 mm²": 1e-6, "ft2 ft²": 0.09290304,
    },
    VOLUME: {
        "l L litre litres liter liters": 1.0, "ml mL millilitre millilitres milliliter milliliters": 0.001,
        "cl cL": 0.01, "dl dL": 0.1, "hl hL hectolitre hectolitres": 100.0, "m3 m³": 1000.0,
        "cm3 cm³": 0.001,
    },
    MASS: {
        "g gram grams gramme grammes": 1.0, "kg kilo kilos kilogram kilograms kilogramme kilogrammes": 1000.0,
        "mg milligram milligrams": 0.001, "t tonne tonnes": 1e6,
        "lb lbs pound pounds": 453.59237, "oz ounce ounces": 28.349523125,
    },
    TIME: {
        "s sec secs second seconds": 1 / 60, "ms millisecond milliseconds": 1 / 60_000,
        "minute minutes min mins": 1.0, "h hr hrs hour hours": 60.0, "day days": 1440.0,
        "week weeks": 10_080.0, "month months": 43_830.0, "year years yr yrs": 525_960.0,
    },
    SPEED: {
        "m/s": 1.0, "km/h kph kmh": 1 / 3.6, "mph": 0.44704, "ft/s": 0.3048, "kn knot knots": 1852 / 3600,
    },
    TEMPERATURE: {"K kelvin": 1.0, "°C ℃ celsius": 1.0, "°F ℉ fahrenheit": 5 / 9},
    DATA: {
        "B byte bytes": 1.0, "KB kB kb": 1e3, "MB mb": 1e6, "GB gb": 1e9, "TB tb": 1e12,
        "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
    },
    BITS: {"bit bits": 1.0, "Kb kbit": 1e3, "Mb Mbit": 1e6, "Gb Gbit": 1e9, "Tb Tbit": 1e12},
    PEOPLE: {" ".join(HEADS): 1.0},
    "EUR": {"€ EUR euro euros": 1.0}, "USD": {"$ US$ USD dollar dollars": 1.0}, "GBP": {"£ GBP": 1.0},
    "CHF": {"CHF Fr. franken": 1.0}, "JPY": {"¥ JPY yen": 1.0}, "INR": {"₹ INR rupee rupees": 1.0},
}  # fmt: skip
_SIGN, _CODE = "[€$£¥₹]", "EUR|USD|GBP|CHF"
_COIN = r"euros?|dollars?|pounds?|cents?|pence|francs?|crowns?|kron(?:er|or|a)|yen|yuan|rupees?"
PRICE = re.compile(
    rf"(?:{_SIGN}|\b(?:{_CODE})) ?\d[\d.,]*|(?<![\w.,])\d[\d.,]* ?(?:{_SIGN}|(?:{_COIN}|{_CODE})\b)",
    re.IGNORECASE,
)
"""An amount of money."""
PAID = re.compile(
    rf"{_SIGN}|\b(?:{_COIN}|{_CODE}|prices?|fees?|fares?|costs?|free|pay(?:s|able)?|charge[ds]?)(?!\w)",
    re.IGNORECASE,
)
"""What a sentence says that tells what is paid."""
_UNIT = {
    unit: (kind, factor)
    for kind, rows in _UNITS.items()
    for row, factor in rows.items()
    for unit in row.split()
}
_ZERO = {
    **dict.fromkeys(("°c", "℃", "celsius"), 273.15),
    **dict.fromkeys(("°f", "℉", "fahrenheit"), 459.67 * 5 / 9),
}
"""What the zero of a scale of temperature is in kelvin."""
_SQUARE = re.compile(
    r"(?:square|sq\.?)\s+(km|kilomet(?:re|er)s?|mi|miles?|met(?:re|er)s?|m|feet|foot|ft)\b", re.IGNORECASE
)
_NAMED = re.compile(r"US\$|[€$£¥₹℃℉]|°[CF]\b|[^\W\d_]+(?:/[^\W\d_]+)?[²³23]?")
_SCALE = re.compile(r"(thousand|million|billion)\b[\s-]*", re.IGNORECASE)
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_CELL = re.compile(
    r"(?P<front>[^\d+\-−.,]{0,6}\.?)\s*(?P<number>[+\-−]?\d+(?:,\d{3})*(?:\.\d+)?)[\s-]*"
    r"(?P<unit>\D{0,24}[23²³]?)"
)
_COMMA = re.compile(
    r"(?<![\d.,])(?:\d+,(?:\d{1,2}|\d{4,})|0,\d+|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,})(?![\d.,]*\d)"
)
_POINT = re.compile(r"(?<![\d.,])(?:\d+\.(?:\d{1,2}|\d{4,})|0\.\d+|\d{1,3}(?:,\d{3})+\.\d+)(?![\d.,]*\d)")
_DOTTED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}\.\d{3}(?![\d.,]*\d)")
"""Decimals behind a comma, behind a point, and what may be three decimals or a thousand."""
_SWAPPED = str.maketrans(".,", ",.")
_ABOUT = re.compile(r"(?:~|≈|ca?\.?|about)$", re.IGNORECASE)
_BOUND = re.compile(r"[<>≤≥]|\b(?:over|under|up to|from|to)\b", re.IGNORECASE)
"""What makes of a number a bound of the one that is meant."""
_NEXT = re.compile(r"(?<=[^\W\d_])\s+(?=\d)")
"""Where a smaller unit follows: "5 ft 11 in"."""
_PER = re.compile(r"(?:(?<!\s)\s+)?/\s*")
_OF_COLUMN = re.compile(r"(?:[(\[]\s*(?:in )?|\bin |, )([^()\[\],]{1,20}?)[)\]]?\s*$")
_SHORT = 3
"""Letters of a unit in which case tells: a MW is no mW."""


def unit_of(text: str) -> tuple[str, float]:
    """Return the kind of a unit and how much one of it is; no kind where it is not known.

    Lengths come in m, areas in m², volumes in l, masses in g, times in minutes, speeds in m/s.
    """
    if square := _SQUARE.fullmatch(text):
        return _UNIT[f"{_short(square.group(1))}2"]
    exact = _UNIT.get(text)
    return exact or (_UNIT.get(text.lower(), ("", 1.0)) if len(text) > 1 else ("", 1.0))


def unit_before(text: str) -> str:
    """Return the unit with which a text begins, as it is written; empty for none that is known."""
    match = _SQUARE.match(text) or _NAMED.match(text)
    return match.group() if match and unit_of(match.group())[0] else ""


def scaled(text: str) -> tuple[float, int]:
    """Return how many thousands or more a text begins with, and where it goes on."""
    scale = _SCALE.match(text)
    return (_SCALES[scale.group(1).lower()], scale.end()) if scale else (1.0, 0)


def is_money(kind: str) -> bool:
    """Tell whether a kind is a currency."""
    return len(kind) == 3 and kind.isupper()


def quantity(cell: str, column: str = "") -> tuple[str, float] | None:
    """Return the kind and value of a cell that says nothing else; a number without a unit has its column's.

    Values of one kind can be compared. A unit that is not known is a kind of its own.
    """
    text = _PER.sub("/", cell.strip())
    pieces = [one] if (one := _single(text)) else [_single(piece) for piece in _NEXT.split(text)]
    known = [piece for piece in pieces if piece is not None]
    if len(known) < len(pieces):
        return None
    kind, value, _ = known[0]
    if len(known) > 1:
        joined = kind in _UNITS and all(own == kind for own, _, _ in known)
        smaller = all(one[2] > two[2] for one, two in pairwise(known))
        return (kind, sum(own for _, own, _ in known)) if joined and smaller else None
    called = _OF_COLUMN.search(column)
    if not kind and called and unit_of(called[1].strip())[0]:
        return _joined("", value, called[1].strip())[:2]
    return kind, value


def pointed(column: Sequence[str]) -> list[str] | None:
    """Return the cells of a column with a point before decimals; None where no cell tells what a mark is.

    A comma stands before decimals in "19,50 €", a point in "19.50 €"; "1.200 €" beside "900 €" may be either.
    """
    text = "\n".join(column)
    comma, point = _COMMA.search(text), _POINT.search(text)
    if comma and not point:
        return [cell.translate(_SWAPPED) for cell in column]
    alike = len(column) > 1 and all(map(_DOTTED.search, column))
    return list(column) if not comma and (point or alike or not _DOTTED.search(text)) else None


def _single(text: str) -> tuple[str, float, float] | None:
    """Return the kind, the value, and how much one unit is, of one number with what stands around it."""
    match = _CELL.fullmatch(text)
    if match is None or _BOUND.search(match["front"]) or _BOUND.search(match["unit"]):
        return None
    front = _ABOUT.sub("", match["front"].strip()).strip()
    times, end = scaled(match["unit"])
    value = float(match["number"].replace(",", "").replace("−", "-")) * times
    unit = match["unit"][end:].strip()
    return _joined(front, value, unit if unit_of(unit)[0] else unit.rstrip(".*†"))


def _joined(front: str, value: float, unit: str) -> tuple[str, float, float]:
    """Return the kind of what stands before and behind a value, and the value in the unit of this kind."""
    currency = unit_of(front)[0]
    if front and is_money(currency) and not unit:
        return currency, value, 1.0
    kind, factor = unit_of(unit)
    if kind and not front:
        return kind, value * factor + _ZERO.get(unit.lower(), 0.0), factor
    own = unit if len(unit) <= _SHORT else " ".join(map(stem, unit.lower().split()))
    return (f"{currency or front} {own}".strip(), value, 1.0)


def _short(unit: str) -> str:
    own = unit.lower()
    return "km" if own[0] == "k" else "ft" if own[0] == "f" else "mi" if own.startswith("mi") else "m"
