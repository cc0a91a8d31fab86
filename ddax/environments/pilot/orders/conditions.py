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
    "over": "above",     "least": "least",
}  # fmt: skip
_AGAIN = frozenset({"generate", "roll", "throw", "draw", "spin", "shuffle"})
"""Deeds of which chance decides what comes, so that they may be done again."""


def until_of(clause: Clause, act: Act, verb: str, body: str) -> tuple[str, Until | None]:
    """Part what the page has to show from what is pressed for it."""
    if act not in ("press", "deed"):
        return body, None
    if found := _WHEN.fullmatch(body):
        wanted = _numbers(found["shown"].replace("$", "").replace("€", ""))
        return (found["what"], replace(wanted, of=found["of"])) if wanted else (body, None)
    if found := _UNTIL.fullmatch(body):
        shown = found["shown"]
        mark = HELD.fullmatch(shown)
        until = _numbers(shown) or Until(said=shown, text=clause.quotes[int(mark[1])] if mark else shown)
        return found["what"], replace(until, said=release(shown, clause.quotes))
    if verb in _AGAIN and (wanted := _numbers(body)):
        return _WANTED.sub("number ", _KIND.sub("", body)), wanted
    return body, None


def _numbers(text: str) -> Until | None:
    """Read which numbers are wanted: “less than 7”, “between 2 and 5”, “odd”, a number alone."""
    kind, found = _KIND.search(text), _WANTED.search(text)
    parity = {"odd": 1, "even": 0}[kind[1].lower()] if kind else None
    if found is None:
        alone = re.fullmatch(r"-?\d+(?:\.\d+)?", text)
        number = float(alone[0]) if alone else None
        if number is None and parity is None:
            return None
        return Until(text, parity=parity) if number is None else Until(text, least=number, most=number)
    if found["low"]:
        return Until(text, least=float(found["low"]), most=float(found["high"]), parity=parity)
    bound = _BOUNDS[found["how"].lower().split()[0] if "least" not in found["how"] else "least"]
    bound = "most" if found["how"].lower() == "at most" else bound
    return replace(Until(text, parity=parity), **{bound: float(found["number"])})  # type: ignore[arg-type]  # all bounds are numbers
