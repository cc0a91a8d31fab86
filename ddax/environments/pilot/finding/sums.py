"""Work out the sum or the equation that a page shows: “7 x 3 =”, “5 + x = 39”."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from ddax.environments.pilot.pilot import NotDone

_NUMBER = r"-?\d+(?:\.\d+)?"
_SUM = re.compile(rf"({_NUMBER})\s*([-+*/x×·÷−])\s*({_NUMBER})\s*=?\s*\??", re.IGNORECASE)
_EQUATION = re.compile(rf"({_NUMBER}|[a-z])\s*([-+−])\s*({_NUMBER}|[a-z])\s*=\s*({_NUMBER})", re.IGNORECASE)
_DOES: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
}  # fmt: skip
_SIGNS = {"x": "*", "×": "*", "·": "*", "÷": "/", "−": "-"}


def worked_out(texts: Sequence[str]) -> str:
    """Return what the only sum or equation among some texts comes to; raises NotDone where there is none."""
    found = [answer for text in texts if (answer := _sum(text) or _solved(text))]
    if len(found) != 1:
        raise NotDone(f"there are {len(found)} sums on the page, and not one")
    return found[0]


def _sum(text: str) -> str:
    found = _SUM.fullmatch(text.strip())
    if found is None:
        return ""
    sign = _SIGNS.get(found[2].lower(), found[2])
    if sign == "/" and Fraction(found[3]) == 0:
        raise NotDone("nothing can be divided by 0")
    return _said(_DOES[sign](Fraction(found[1]), Fraction(found[3])))


def _solved(text: str) -> str:
    """Return the unknown of an equation of one step."""
    found = _EQUATION.fullmatch(text.strip())
    if found is None or found[1].isalpha() == found[3].isalpha():
        return ""
    minus, whole = found[2] in "-−", Fraction(found[4])
    if found[1].isalpha():
        return _said(whole + Fraction(found[3]) if minus else whole - Fraction(found[3]))
    return _said(Fraction(found[1]) - whole if minus else whole - Fraction(found[1]))


def _said(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"
