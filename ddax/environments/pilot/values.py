"""What an order wants written: said, looked up in a table, counted out of a text, or worked out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.match import Matcher, label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.words import FIELD, content, likeness, nth, plain, tokens, written

_SUM = re.compile(r"(-?(?<!\d)\d+)\s*([+\-x×*÷/−])\s*(-?\d+)\s*=?")
_SAID = re.compile(
    r"(?:the (?:number|text|word|value|date|time|name|city)\s++)?(.+?)(?<!\s)\s+"
    r"(?:into|in|as|on|to|for)\s+(?:the|a|your|both|all|its)?\s*",
    re.IGNORECASE,
)
_TO = re.compile(r"(.+?)(?<!\s)\s+to(?:\s+(.+)|$)", re.IGNORECASE | re.DOTALL)
_WITH = re.compile(r"(?:in\s++)?(.+?)(?<!\s)\s+with(?:\s+(.+)|$)", re.IGNORECASE | re.DOTALL)
_GIVEN = {"set": _TO.fullmatch, "change": _TO.fullmatch, "fill": _WITH.fullmatch}
_WORKED_OUT = frozenset({"answer", "result", "solution"})
"""What an order has written that the page must be asked for."""
_IS_FOR = r"\s(?:as|into|in)\s+"
_ANOTHER = r"(?:(?:(?<!\s)\s+)?,\s*(?:and\s+)?|(?<!\s)\s+and\s+|$)"
"""What stands between a value with its field and the next one."""
_EQUATION = re.compile(r"^(.*?)=(.*)$")
_SIGNS = str.maketrans({"x": "*", "×": "*", "÷": "/", "−": "-", "–": "-"})


def wanted_value(pilot: Pilot, order: Order) -> str | None:
    """Return what is to be written, None where the page must say it and does not."""
    text, low = order.text, order.outside.casefold()
    spoken, quote = said(order) or "", quoted(order)
    is_told = bool(quote) and quote in spoken
    if not is_told and (_WORKED_OUT & set(tokens(spoken)) or tokens(low)[:1] == ["it"]):
        return worked_out(pilot) if not pilot.clip else pilot.clip
    if quote:
        return _cased(quote, low)
    if "word in" in low or "that into" in low:
        return pilot.clip or None
    found = re.search(r"\bvalue (?:of|for|from) (.+?)(?:(?<!\s)\s+(?:into|in|to)\b|$)", text)
    if found:
        return looked_up(pilot.match, content(found[1]) or found[1])
    if "text below" in low or "text above" in low or "following text" in low or "word below" in low:
        return shown_text(pilot)
    return spoken or None


def said(order: Order) -> str | None:
    """Return what an order says outright: the words before the field they go into, or behind what is set."""
    name = given(order)
    found = _SAID.match(order.text)
    value = (name[1] if name else found[1] if found else order.text).strip(" ,.")
    return value or None


def given(order: Order) -> tuple[str, str] | None:
    """Return the field and the value of an order that names the field first: set it to, fill it with."""
    found = _GIVEN[order.word](order.outside.strip(" ,.")) if order.word in _GIVEN else None
    if found is None:
        return None
    name, value = (order.text[slice(*found.span(part))] for part in (1, 2))
    return name, value if found[2] else ""


def written_each(order: Order, fields: Sequence[Node]) -> list[Order]:
    """Return an order for each field of “Ann Lee as the name, 5 Low Road as the street”; none for one."""
    if order.quotes or order.word not in ("enter", "type", "write", "put", "input"):
        return []
    names = sorted((re.escape(name) for n in fields if (name := plain(label_of(n)))), key=len, reverse=True)
    if not names:
        return []
    field = rf"(?:(?:the|your|my)\s+)?(?:{'|'.join(names)})(?:\s+field)?"
    one = rf"((?:(?!{_IS_FOR}).)+{_IS_FOR}{field}){_ANOTHER}"
    text, found = order.text.strip(" ."), list[str]()
    while text and (part := re.match(one, text, re.IGNORECASE)):
        found.append(part[1])
        text = text[part.end() :]
    whole = len(found) > 1 and not text
    return [replace(order, text=part, outside=part) for part in found] if whole else []


def quoted(order: Order) -> str:
    """Return the quote that is to be written: the first, of a field named first the one behind its name."""
    name = given(order)
    if name is None:
        return order.quote
    value = name[1]
    behind = [quote for quote in order.quotes if quote in value]
    return min(behind, key=lambda quote: (value.find(quote), -len(quote)), default="")


def _cased(value: str, low: str) -> str:
    if "upper case" in low or "uppercase" in low or "capital letters" in low:
        return value.upper()
    return value.lower() if "lower case" in low or "lowercase" in low else value


def looked_up(match: Matcher, key: str) -> str | None:
    """Return what stands beside a key: in its row of a table, or after its label."""
    cells = [
        n
        for n in match.seen.nodes
        if n.role in ("cell", "rowheader", "columnheader", "definition", "term", "text", "label")
    ]
    best = max(cells, key=lambda n: likeness(key, n.name or n.own), default=None)
    if best is None or likeness(key, best.name or best.own) < 0.6:
        return None
    same_row = [
        n
        for n in cells
        if n.parent == best.parent and n.box[0] > best.box[0] and abs(n.box[1] - best.box[1]) < best.box[3]
    ]
    near = min(same_row, key=lambda n: n.box[0], default=None)
    return (near.name or near.own) if near else None


def worked_out(pilot: Pilot) -> str | None:
    """Work out the sum or the equation that a page shows."""
    lines = [n.own or n.name for n in pilot.seen.nodes if n.role not in FIELD]
    for line in lines:
        solved = solve(line)
        if solved is not None:
            return solved
    return solve(" ".join(lines))


def solve(line: str) -> str | None:
    """Solve `2 x 4 =` or a linear `x + 2 = 43`; None where a line is neither."""
    text = re.sub(r"\s+", " ", line).strip()
    equation = _EQUATION.match(text)
    if (
        equation
        and equation[2].strip()
        and re.search(r"[a-z]", text)
        and re.fullmatch(r"[-+*/×÷−\dx-z\s=().]+", text)
    ):
        return _linear(equation[1], equation[2])
    found = _SUM.search(text)
    if not found:
        return None
    left, sign, right = int(found[1]), found[2].translate(_SIGNS), int(found[3])
    if sign == "/" and right == 0:
        return None
    value = {"+": left + right, "-": left - right, "*": left * right, "/": left / right if right else 0}[sign]
    return written(value) if isinstance(value, float) else str(value)


def _linear(left: str, right: str) -> str | None:
    """Solve an equation of one letter by its two values at 0 and at 1."""
    letter = next((sign for sign in left + right if sign.isalpha()), "")

    def side(text: str, at: int) -> float | None:
        total, sign = 0.0, 1.0
        for part in re.findall(r"[+\-−]|[^\s+\-−]+", text):
            if part in "+-−":
                sign = 1.0 if part == "+" else -1.0
                continue
            factor = re.fullmatch(rf"(\d*(?:\.\d*)?)\*?{letter}|(\d+(?:\.\d*)?)", part.replace("×", "*"))
            if factor is None:
                return None
            total += sign * (float(factor[1] or 1) * at if factor[2] is None else float(factor[2]))
            sign = 1.0
        return total

    values = [side(left, 0), side(right, 0), side(left, 1), side(right, 1)]
    if any(value is None for value in values):
        return None
    at0, at1 = (values[0] or 0) - (values[1] or 0), (values[2] or 0) - (values[3] or 0)
    return written(-at0 / (at1 - at0)) if at1 != at0 else None


def shown_text(pilot: Pilot) -> str | None:
    """Return the text that a page shows for reading: before its first field."""
    fields = pilot.nodes(FIELD)
    if fields and fields[0].before:
        return fields[0].before
    texts = [n.own for n in pilot.seen.nodes if n.role in ("text", "paragraph") and n.own]
    return texts[0] if texts else None


def long_text(pilot: Pilot, place: int = 0) -> str:
    """Return the n-th filled text area or else paragraph; without a place the longest paragraph."""
    held = [n.value for n in pilot.nodes({"textbox"}) if n.value and n.tag == "textarea"]
    shown = [
        n.name or n.own
        for n in pilot.seen.nodes
        if n.role in ("text", "paragraph") and len(tokens(n.name or n.own)) > 1
    ]
    if not place:
        return held[0] if held else max(shown, key=len, default="")
    return nth(held or shown, place) or ""


def word_of(text: str, place: int) -> str:
    """Return the n-th word of a text without the signs at its ends."""
    words = [word.strip(".,;:!?\"'()") for word in text.split()]
    return nth(words, place) or ""


def slots(task: str, labels: list[str]) -> dict[str, str]:
    """Return what a sentence says for each of some labels: `directed by Holloway` for Director."""
    words = task.replace(",", " ").rstrip(".").split()
    found: dict[str, str] = {}
    used: set[int] = set()
    for label in labels:
        for index, word in enumerate(words):
            if any(akin(plain(word), key) for key in tokens(label)):
                value = _after(words, index)
                if value:
                    found[label] = value[0]
                    used |= {index, *value[1]}
                    break
    rest = [label for label in labels if label not in found]
    free = [i for i, word in enumerate(words) if i not in used and plain(word) not in STOP]
    if len(rest) == 1 and free:
        found[rest[0]] = words[free[0]]
    return found


STOP = frozenset("search for find look up show me the a an in by of from with movies films books all".split())  # noqa: SIM905


_DATED = {"year": "date", "day": "date"}
"""Words for a part of a date, or for how exact one is."""


def akin(word: str, key: str) -> bool:
    """Tell whether a word of an order speaks of a word of a label, as “directed” of “director”."""
    word, key = (_DATED.get(one, one) for one in (word, key))
    return len(key) > 2 and (word == key or (len(word) > 4 and len(key) > 4 and word[:6] == key[:6]))


def _after(words: list[str], index: int) -> tuple[str, set[int]] | None:
    taken = index + 1
    while taken < len(words) and plain(words[taken]) in ("by", "of", "is", "the", "in", "from"):
        taken += 1
    return (words[taken], set(range(index, taken + 1))) if taken < len(words) else None


def field_value(order: Order, name: str) -> str | None:
    """Return what an order with several quotes says for one field: the quote behind its name."""
    text = order.text
    for quote in order.quotes:
        start = text.find(quote)
        before = text[:start].rstrip(" \"'“").split()
        if before and plain(before[-1]) and likeness(plain(before[-1]), name) >= 0.6:
            return quote
    return None
