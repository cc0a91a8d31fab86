"""Read orders whose parts stand behind small words: a message to somebody, from A to B, up by one."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.pilot.orders.clauses import Clause
from ddax.environments.pilot.orders.frames import Act, Frame
from ddax.environments.pilot.words import NAMED, Word, count_of

_BY = re.compile(
    r"(?P<what>.{1,80}?) (?:to the )?(?P<way>up|down|left|right)(?:wards?)?"
    r"(?: by (?P<count>\w+))?(?: (?:position|place|step|row|column)s?)?",
    re.IGNORECASE,
)
_AND_REST = re.compile(
    r"(?P<what>.{1,80}?) into (?P<there>[^,]{1,80}?),? and"
    r" (?:everything else|the rest|the others|all (?:the )?others?) into (?P<other>.{1,80})",
    re.IGNORECASE,
)
_SO_THAT = re.compile(r" so (?:that )?it is (?:\w+ly )?(?:in|inside|within) ", re.IGNORECASE)
_MAIL = r"(?:the |that |this )?(?:e-?mails?|mails?|messages?|information|it|them)\b"
_ON, _WHO = r"(?:forward|send|give|pass)(?: on)?", r"(?P<who>[^\s⟦⟧]+|⟦\d+⟧)"
_SENT = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_ON} (?P<what>{_MAIL}[^⟦⟧]{{0,80}}?)(?: on| along)? to {_WHO}",
        rf"{_ON}(?: to)? {_WHO} (?P<what>{_MAIL}[^⟦⟧]*)",
        rf"i (?:want|need) (?P<what>{_MAIL}[^⟦⟧]{{0,80}}?) (?:to be )?(?:sent|forwarded) to {_WHO}",
    )
)
"""How an order says that a message goes on to somebody."""
_FROM_TO = re.compile(
    r"(?P<what>[^⟦⟧:]{0,60}?) from:? (?P<from>[^:]{1,60}?) to:? (?P<to>[^:]{1,60}?)"
    r" on (?P<date>[^:]{0,30}\d)",
    re.IGNORECASE,
)


def frame_of(clause: Clause, act: Act, verb: str, body: str, **more: object) -> Frame:
    """Return a frame of one act on what a part of a clause says."""
    frame = Frame(act, clause.said, verb, clause.words(body), tail=clause.tail)
    return replace(frame, **more)  # type: ignore[arg-type]


def forwarded(clause: Clause, text: str) -> Frame | None:
    """Read a message that goes on to somebody as a deed of its own, whatever its verb; None for others."""
    sent = next(filter(None, (form.fullmatch(text) for form in _SENT)), None)
    if sent is None:
        return None
    to = (clause.words("recipient"), clause.value(sent["who"]))
    return frame_of(clause, "deed", "forward", sent["what"], fields=(to,))


def from_to(clause: Clause, act: Act, verb: str, body: str) -> Frame | None:
    """Read “from A to B on D” as fields of these names; None for any other order."""
    found = _FROM_TO.fullmatch(body)
    if found is None:
        return None
    named = [
        (Word(name, name, -1 if name == "date" else NAMED), clause.value(found[name]))
        for name in ("from", "to", "date")
        if found[name]
    ]
    return frame_of(clause, act, verb, found["what"], fields=tuple(((word,), value) for word, value in named))


def dragged(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    """Read what is dragged, and to where: a thing, a place, a way and how far; and where the rest goes."""
    body = re.sub(r" by dragging(?: it)?$", "", body, flags=re.IGNORECASE)
    if (way := _BY.fullmatch(body)) and not re.search(r" to the \w+$", way["what"]):
        step = frame_of(clause, act, verb, way["what"], to=clause.words(way["way"].lower()))
        count = count_of(way["count"] or "one")
        return [] if count is None else [replace(step, count=count)]
    if rest := _AND_REST.fullmatch(body):
        one = frame_of(clause, act, verb, rest["what"], to=clause.words(rest["there"]))
        return [one, replace(one, to=clause.words(rest["other"]), others=True)]
    body = _SO_THAT.sub(" into ", body)
    found = re.fullmatch(r"(.+?) (?:onto|on|into|to|in) (.+)", body, re.IGNORECASE)
    if not found:
        return [frame_of(clause, "deed", verb, body)]
    return [frame_of(clause, act, verb, found[1], to=clause.words(found[2]))]
