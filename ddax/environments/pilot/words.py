"""The words of orders: ordinals, numbers, colours, and which roles a word such as button stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeVar

T = TypeVar("T")

ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "last": -1,
}  # fmt: skip
NUMBERS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10,
}  # fmt: skip
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
FIELD = frozenset({"textbox", "searchbox", "spinbutton"})
BOXES = frozenset({"checkbox", "radio", "switch", "option", "menuitemcheckbox", "menuitemradio"})
ROLE_WORDS: dict[str, frozenset[str]] = {
    "button": frozenset({"button"}),
    "link": frozenset({"link", "clickable"}),
    "tab": frozenset({"tab", "link"}),
    "checkbox": frozenset({"checkbox"}),
    "radio": frozenset({"radio"}),
    "textbox": FIELD, "textfield": FIELD, "field": FIELD, "input": FIELD, "textarea": frozenset({"textbox"}),
    "text": FIELD, "dropdown": frozenset({"combobox"}), "list": frozenset({"combobox", "listbox"}),
    "menu": frozenset({"button", "menuitem", "clickable"}),
    "slider": frozenset({"slider", "handle"}), "spinner": frozenset({"spinbutton"}),
    "section": frozenset({"tab", "summary", "heading"}),
    "icon": frozenset({"icon", "image", "clickable"}), "image": frozenset({"image", "icon"}),
    "paragraph": frozenset({"text", "paragraph"}), "card": frozenset({"clickable", "icon"}),
    "result": frozenset({"link", "clickable"}),
}  # fmt: skip
"""The roles a word of an order stands for."""
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT = {
    **{name[:3]: name for name in (*MONTHS, *DAYS)},
    "sept": "september", "tues": "tuesday", "thur": "thursday", "thurs": "thursday",
    "qty": "quantity", "amt": "amount", "dept": "department", "addr": "address", "tel": "telephone",
}  # fmt: skip
"""How days, months and what heads a column are called for short."""
TICKS = frozenset({"tick", "check", "select", "untick", "uncheck", "deselect", "unselect"})
"""What is done with the box of a thing, and not with the thing."""
EMPTY = frozenset(
    """a an the of on in into to from with for and or that this it its your their them is are be as by at
    please labeled labelled named called titled below above following item items box boxes element widget one
    corresponding it, who whose page window form then which shown using up coloured colored color""".split()  # noqa: SIM905
)
PARTICLES = frozenset({"in", "on", "up"})
"""Words that belong to a verb where nothing follows them; “out”, “off” and “down” are kept anywhere."""
KINDS = frozenset(
    """about album article book card column comment document email entry event file film folder item
    line list message movie note person photo picture post product project record result row slot song
    task ticket track user video only just also me my i now again please beside next""".split()  # noqa: SIM905
)
"""Words for a kind of things, and others by which nothing is told from another of its kind."""
_OF_TWO = (
    (re.compile(r"\bradio[ -]?button(s?)\b", re.IGNORECASE), r"radio\1"),
    (re.compile(r"\bcheck[ -]box(es)?\b", re.IGNORECASE), r"checkbox\1"),
    (re.compile(r"\btext[ -](area|box|field)", re.IGNORECASE), r"text\1"),
    (re.compile(r"\bdrop[ -]down\b", re.IGNORECASE), "dropdown"),
)
"""Role words of two words, each as one: the second alone would be another role."""
_OTHER_NAME = frozenset({"a", "e", "i", "o", "ia", "ie", "us", "ez"})
"""Endings that make another name of a name, and no other form of a word."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[@#+\-<>$]\w*", re.UNICODE)
_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?")
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def lettered(text: str) -> bool:
    """Tell whether a text has a letter or a digit at all, and is no sign alone."""
    return any(map(str.isalnum, text))


def plain(text: str) -> str:
    """Return a text in lower case with single spaces and without signs at its ends."""
    return re.sub(r"\s+", " ", text).strip(" \t.,;:!?\"'()[]“”").casefold()


def ordinal(text: str) -> int:
    """Return the place a text counts to (1 is the first, -1 the last), 0 where it counts nothing."""
    found = _ORDINAL.search(text)
    if found:
        return int(found[1])
    return next((ORDINALS[word] for word in tokens(text) if word in ORDINALS), 0)


def nth(pool: Sequence[T], place: int) -> T | None:
    """Return what stands at a place as `ordinal` counts it; None where nothing stands there."""
    return pool[place - 1 if place > 0 else place] if 0 < abs(place) <= len(pool) else None


def roles(text: str) -> frozenset[str]:
    """Return the roles that the last role word of a text stands for."""
    for word in reversed(tokens(joined(text))):
        one = (
            word
            if word in ROLE_WORDS
            else word.removesuffix("es")
            if word.removesuffix("es") in ROLE_WORDS
            else word.removesuffix("s")
        )
        if one in ROLE_WORDS:
            return ROLE_WORDS[one]
    return frozenset()


def joined(text: str) -> str:
    """Return a text with each role word of two words as one: a radio button is no button."""
    for pair, one in _OF_TWO:
        text = pair.sub(one, text)
    return text


def content(text: str, *, mail: bool = False) -> str:
    """Return a text without determiners, role words and ordinals: what it names, e-mail too if `mail`.

    Its last word stays where it belongs to the verb before it: “Log in” is not “Log”.
    """
    spelled = joined(text).split()
    last = len(spelled) - 1 if len(spelled) > 1 and plain(spelled[-1]) in PARTICLES else -1
    kept = [
        word for place, word in enumerate(spelled)
        if place == last
        or (plain(word) not in EMPTY and plain(word) not in ORDINALS and not _ORDINAL.fullmatch(plain(word))
        and not ROLE_WORDS.keys() & {plain(word).removesuffix(end) for end in ("", "s", "es")}
        and (mail or plain(word) not in ("email", "mail")))
    ]  # fmt: skip
    return " ".join(kept).strip(" ,.;:")


def kin(one: str, other: str) -> float:
    """Return how akin two words are by their common beginning: 1 the same, 0 unlike as Martin and Martina."""
    if one == other or _SHORT.get(one, one) == _SHORT.get(other, other):
        return 1.0
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    longer = max(len(one), len(other))
    if same == min(len(one), len(other)) and max(one, other, key=len)[same:] in _OTHER_NAME:
        return 0.0
    return same / longer if same >= 4 and same >= 0.6 * min(len(one), len(other)) else 0.0


def likeness(wanted: str, label: str) -> float:
    """Return how well a label answers to what is wanted, in [0, 1]; 0 where their numbers are others."""
    if not wanted or not label:
        return 0.0
    if wanted == label:
        return 1.0
    if wanted.casefold() == label.casefold():
        return 0.98
    if plain(wanted) and plain(wanted) == plain(label):
        return 0.95
    asked, said = tokens(wanted), tokens(label)
    if not asked or not said:
        return 0.0
    numbered, told = counted(wanted), counted(label)
    if numbered and told and not numbered & told:
        return 0.0
    met = sum(max((kin(word, other) for other in said), default=0.0) for word in asked)
    share, cover = met / len(asked), min(1.0, met / len(said))
    if share > 0.99:
        return 0.6 + 0.3 * cover
    if cover > 0.99 and len(said) < len(asked):
        return 0.4 + 0.4 * share
    return 0.5 * 2 * share * cover / (share + cover) if share + cover else 0.0


def counted(text: str) -> set[str]:
    """Return the words of a text with a number in them, a place as its number: “12c”, and “2” for “2nd”."""
    return {word for word in tokens(as_numbers(text)) if any(map(str.isdecimal, word))}


def as_numbers(text: str) -> str:
    """Return a text with its places as numbers, “2nd” as “2”."""
    return _ORDINAL.sub(r"\1", text)


LIKE = 0.4
"""Likeness from which a field is the one that an order names."""


def superlative(rest: set[str]) -> tuple[str, set[str]]:
    """Return whether the least or the most by price is asked for, and the other words."""
    if "cheapest" in rest:
        return "least", rest - {"cheapest"}
    for word in ("least", "most"):
        if {word, "expensive"} <= rest:
            return word, rest - {word, "expensive"}
    return "", rest


def numbers(text: str) -> list[float]:
    """Return the numbers of a text."""
    return [float(found.replace(",", "")) for found in _NUMBER.findall(text)]


def amount(text: str) -> float | None:
    """Return the number that a text is, commas between thousands; None where it is another text."""
    return numbers(text)[0] if _NUMBER.fullmatch(text.strip()) else None


def without_places(text: str) -> str:
    """Return a text without what it counts by, as “2nd”."""
    return _ORDINAL.sub(" ", text)


def written(number: float) -> str:
    """Return a number as one writes it: whole without a point, else with the digits a float is sure of."""
    return str(int(number)) if number.is_integer() else f"{number:.15g}"


@cache
def color_table() -> dict[str, tuple[int, int, int]]:
    """Return the plain colour words with their red, green and blue."""
    rows = """black 0 0 0,white 255 255 255,red 255 0 0,lime 0 255 0,blue 0 0 255,yellow 255 255 0,
    cyan 0 255 255,aqua 0 255 255,magenta 255 0 255,fuchsia 255 0 255,silver 192 192 192,
    gray 128 128 128,grey 128 128 128,
    maroon 128 0 0,olive 128 128 0,green 0 128 0,purple 128 0 128,teal 0 128 128,navy 0 0 128,
    orange 255 165 0,pink 255 192 203,brown 165 42 42,violet 238 130 238,indigo 75 0 130,gold 255 215 0"""
    found = {}
    for row in rows.split(","):
        name, red, green, blue = row.split()
        found[name] = (int(red), int(green), int(blue))
    return found


def rgb(text: str) -> tuple[int, int, int] | None:
    """Read a colour as a browser writes it; None for no colour or a clear one."""
    parts = re.findall(r"[\d.]+", text)
    if not text.startswith("rgb") or len(parts) < 3 or (len(parts) > 3 and float(parts[3]) == 0):
        return None
    return int(float(parts[0])), int(float(parts[1])), int(float(parts[2]))


def hue(color: tuple[int, int, int]) -> str:
    """Return the family of a colour: red, orange, yellow, green, cyan, blue, purple, pink, or gray."""
    import colorsys

    h, light, s = colorsys.rgb_to_hls(*(part / 255 for part in color))
    if s < 0.12 or light < 0.06 or light > 0.96:
        return "black" if light < 0.2 else "white" if light > 0.9 else "gray"
    degrees = h * 360
    bounds: Iterable[tuple[float, str]] = (
        (20, "red"), (42, "orange"), (66, "yellow"), (165, "green"), (195, "cyan"), (262, "blue"),
        (300, "purple"), (335, "pink"), (361, "red"),
    )  # fmt: skip
    return next(name for bound, name in bounds if degrees < bound)


def is_color(name: str, color: tuple[int, int, int]) -> bool:
    """Tell whether a colour goes by a name: nearest among the words, or of that family."""
    table = color_table()
    if name not in table:
        return False
    near = min(table, key=lambda word: sum((a - b) ** 2 for a, b in zip(table[word], color, strict=True)))
    return table[near] == table[name] or hue(color) == name
