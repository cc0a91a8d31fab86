"""Read until when something is pressed: “until it shows 5”, “a number below 7”, “an odd number”."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.pilot.orders.clauses import Clause
from ddax.environments.pilot.orders.frames import Act, Until
from ddax.environments.pilot.words import HELD, release

_UNTIL = re.compile(
    r"(?s)(?P<what>.+?),? until (?:(?:the )?[^⟦⟧]{0,40}? ?\b(?:shows?|says?|reads?|is|are|reaches|becomes) )?"
    r"(?P<shown>\S.*?)(?: (?:shows|appears|is shown|is reached))?",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"(?s)(?P<what>.{1,80}?) (?:when|once|as soon as) (?:the |its )?(?P<of>[\w ]{1,30}?)"
    r" (?:is|falls|drops|rises|goes|gets) (?P<shown>\S.*)",
    re.IGNORECASE,
)
_KIND = re.compile(r"\b(?:an? )?(odd|even) (?=number\b)|\b(?:is )?(?:odd|even)$", re.IGNORECASE)
_WANTED = re.compile(
    r"(?:\b(?:number|value|amount) |\b)(?:that is |which is )?(?:between (?P<low>-?\d+) and (?P<high>-?\d+)"
    r"|(?P<how>less than|lower than|smaller than|below|under|more than|greater than|higher than|larger than"
    r"|above|over|at least|at most|exactly|equal to) (?P<number>-?\d+(?:\.\d+)?))",
    re.IGNORECASE,
)
_BOUNDS = {
    "less": "below", "lower": "below", "smaller": "below", "below": "below", "under": "below",
    "more": "above", "greater": "above", "higher": "above", "larger": "above", "above": "above",
    "over": "above",
}  # fmt: skip
_PARITY = re.compile(r"\b(odd|even)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\b(?:a|an|the|and|but|number|value|amount|that|which|is)\b", re.IGNORECASE)
"""Words that say no more beside a number that is wanted."""
_AGAIN = frozenset({"generate", "roll", "throw", "draw", "spin", "shuffle"})
"""Deeds of which chance decides what comes, so that they may be done again."""


def until_of(clause: Clause, act: Act, verb: str, body: str) -> tuple[str, Until | None] | None:
    """Part what the page has to show from what is pressed for it; None where that is not understood."""
    if act not in ("press", "deed"):
        return body, None
    if found := _WHEN.fullmatch(body):
        wanted = _numbers(found["shown"].replace("$", "").replace("€", ""))
        return (found["what"], replace(wanted, of=found["of"])) if wanted else None
    if found := _UNTIL.fullmatch(body):
        shown = found["shown"]
        mark = HELD.fullmatch(shown)
        until = _numbers(shown) or Until(said=shown, text=clause.quotes[int(mark[1])] if mark else shown)
        return found["what"], replace(until, said=release(shown, clause.quotes))
    if verb in _AGAIN and (_WANTED.search(body) or _KIND.search(body)):
        wanted = _numbers(body)
        return ("number", wanted) if wanted else None
    return body, None


def _numbers(text: str) -> Until | None:
    """Read which numbers are wanted: “less than 7”, “between 2 and 5”, “odd”, a number alone.

    None where anything else is said beside them: a condition is not kept in part.
    """
    kind, found = _KIND.search(text), list(_WANTED.finditer(text))
    if _ASIDE.sub("", _WANTED.sub("", _KIND.sub("", text))).strip(" .,"):
        alone = re.fullmatch(r"-?\d+(?:\.\d+)?", text)
        return Until(text, least=float(alone[0]), most=float(alone[0])) if alone else None
    if not found and kind is None:
        return None
    until = Until(text, parity={"odd": 1, "even": 0}[_PARITY.findall(text)[0].lower()] if kind else None)
    for one in found:
        until = replace(until, **_bounds(one))  # type: ignore[arg-type]  # all bounds are numbers
    return until


def _bounds(found: re.Match[str]) -> dict[str, float]:
    if found["low"]:
        return {"least": float(found["low"]), "most": float(found["high"])}
    number, how = float(found["number"]), found["how"].lower()
    if how in ("exactly", "equal to"):
        return {"least": number, "most": number}
    return {"most" if how == "at most" else "least" if how == "at least" else _BOUNDS[how.split()[0]]: number}
