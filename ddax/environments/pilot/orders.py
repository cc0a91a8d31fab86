"""Read a task as a row of orders: a verb each, the words it goes with, what stands in quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ddax.environments.pilot.words import MONTHS
from ddax.text.question import is_question

VERBS: dict[str, str] = {
    "click": "press", "press": "press", "hit": "press", "push": "press", "tap": "press", "buy": "buy",
    "submit": "submit", "confirm": "submit",
    "select": "choose", "choose": "choose", "pick": "choose", "check": "choose", "tick": "choose",
    "mark": "choose", "uncheck": "uncheck", "untick": "uncheck", "deselect": "uncheck",
    "unselect": "uncheck",
    "enter": "enter", "type": "enter", "write": "enter", "fill": "enter", "input": "enter", "put": "enter",
    "set": "enter", "change": "enter", "paste": "paste", "copy": "copy", "solve": "solve",
    "expand": "expand", "open": "press", "close": "close", "switch": "find", "find": "find",
    "navigate": "find", "go": "go", "visit": "go", "search": "search", "look": "find",
    "focus": "focus", "highlight": "mark_text", "scroll": "scroll", "drag": "drag", "move": "drag",
    "sort": "sort", "wait": "wait", "reply": "message", "respond": "message", "answer": "message",
    "forward": "message", "delete": "message", "remove": "message", "star": "message", "send": "message",
    "order": "order", "generate": "generate", "give": "style", "log": "login", "sign": "login",
    "make": "style", "rate": "style",
    "hover": "hover", "keep": "hover", "book": "deed", "like": "deed", "read": "read", "tell": "read",
    "extract": "read", "create": "deed", "use": "use", "draw": "deed", "guess": "deed", "add": "deed",
    "save": "deed", "check out": "deed", "continue": "deed", "proceed": "deed",
    "reject": "deed", "decline": "deed",
    "accept": "deed", "agree": "deed", "subscribe": "deed", "invite": "deed", "rename": "deed",
    "turn": "switch", "enable": "switch", "disable": "switch",
    "activate": "switch", "deactivate": "switch",
}  # fmt: skip
"""What each verb asks for."""
_QUOTED = re.compile(
    r"„([^„“”]*)[“”]|“([^“”]*)”|\"([^\"]*)\"|(?<!\w)'([^']+)'(?!\w)|(?<!\w)‘([^‘]+?)’(?!\w)|«([^«»]*)»"
)
_HELD = re.compile(r"⟦(\d+)⟧")
_VERB = (
    r"(?!push\s+(?:notification|message|alert)s?\b|confirm\s+(?:the\s+|your\s+|my\s+)?password\W+(?:\w+\s+)?⟦)"
    rf"(?:{'|'.join(sorted(VERBS, key=len, reverse=True))})(?!-)"
)
_TITLES = ("Mr", "Mrs", "Ms", "Dr", "Prof")
_SHORT = ("[A-Z]", "Sept", *(name[:3].capitalize() for name in MONTHS))
_BEHIND_SHORT = "|".join(rf"(?<=\b{short})" for short in _SHORT)
_BEHIND_WHOLE = "".join(rf"(?<!\b{short})" for short in (*_TITLES, *_SHORT))
_SENTENCE = re.compile(
    rf"(?<=[^\d\s]){_BEHIND_WHOLE}[.;!?](?=\s|$)|(?<=\d)[.;!?](?=\s+[A-Z]|\s*$)"
    rf"|(?:{_BEHIND_SHORT})[.;!?](?=\s+(?i:{_VERB}|please|then|do|don|you|never)\b|\s*$)"
)
"""What ends a sentence: not the point of “Mr. Hill”, that of “J. Hill” or “Jan. 3” only before an order."""
_NEXT = re.compile(
    rf"(?:(?<!\s)\s+)?,\s*(?:(?:and|then|and then|to)\s+)?(?=(?:{_VERB})\b)"
    rf"|(?<!\s)\s+(?:and then|then|and)\s+(?=(?:{_VERB})\b)"
    r"|(?<!\s)\s+and\s+(?=(?!(?:then|the|an?|my|its?|their|all|any)\b)[a-z]+\s+(?:(?:the|my)\s|(?:it|them)\b))"
    r"|(?:(?<!\s)\s+)?,\s*(?=[a-z]+\s+(?:it|them)\b)"
    r"|(?:(?<!\s)\s+)?,\s*(?:and\s+)?then\s+(?=[a-z]+(?:\s+(?:the|all|my|it|them)\b[^,]*)?\W*$)"
    r"|(?<!\s)\s+and\s+(?=(?:comment|reply|post)\s+⟦)"
    rf"|(?<!\s)\s+to\s+(?=(?:find|enter|delete|search)\b(?!\s+it))",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"((?:for|beside|next\s+to|using|(?:in|on)\s+the\s+(?:row|line|card|entry))\b[^,]*),"
    rf"\s*(?:please\s+)?(?=(?:{_VERB})\b)",
    re.IGNORECASE,
)
"""What a sentence says first of whom or what its order is about."""
_UNPARTED = re.compile(
    r"(?=(?:please\s+)?(?:scroll|enter|type|write|fill|select|choose|pick|check|tick|set)\b)(.*\s"
    r"(?!(?:to|not|never|or|when|where|i|you|we|can|could|may|must|should|would)\s)\S+)\s+"
    r"((?:click|press|hit|tap)\s+(?:the\s+)?(?:submit|ok|save|send|done|continue|log ?in)(?:\s+button)?\W*)",
    re.IGNORECASE,
)
"""An order to send behind another one, with no word between them: “… to the bottom press Submit”."""
_THEN = re.compile(
    r"(?=(?:please\s+)?(select|choose|pick|click|press|tap|hit)\b)(.+?)(?:,\s*(?:and\s+)?|\s+(?:and\s+)?)then\s+"
    r"(?=(?:on\s+)?(?:the|an?|⟦))",
    re.IGNORECASE,
)
"""An order with what it names next, without its verb again: “Choose 9 May, then the 14:00 slot”."""
_CHANGED = re.compile(
    r"^(?:update|edit|adjust|raise|lower|increase|decrease|reduce|dim|turn (?:up|down))\b(?=.*\sto\s+\S)",
    re.IGNORECASE | re.DOTALL,
)
"""Verbs that say the same as “change” where a value follows."""
_TURNED_TO = re.compile(r"^turn (.+?) (?:up|down) (?=to \S)", re.IGNORECASE)
"""“Turn the volume up to 80”."""
_SETS = re.compile(r"(?:please\s+)?(set|change|fill in)\b", re.IGNORECASE)
_ALSO = re.compile(
    r"(?<=⟧)\s*(?:,\s*(?:and\s+)?|and\s+)(?=(?:⟦\d+⟧|[^⟦⟧,]+?)\s(?:to|with)\s+⟦)"
    r"|(?:,\s*(?:and\s+)?|(?<!\s)\s+and\s+)(?=(?:the|my)\s[^⟦⟧,]+?\s(?:to|with)\s)",
    re.IGNORECASE,
)
"""What stands before one more field and its value, both behind one verb."""
_WRITES = re.compile(r"(?:please\s+)?(enter|type|write|put|input)\b(?=.*\s(?:into|in|as)\s)", re.IGNORECASE)
_WRITTEN_ALSO = re.compile(
    r"(?:,\s*+(?:and\s++)?|(?<!\s)\s+and\s+)"
    r"(?=(?:⟦\d+⟧|[^\s⟦⟧,]+)\s+(?:into|in|as)\s|[^⟦⟧,]{1,40}?(?<!\s)\s+as\s+(?:the|my)\s)",
    re.IGNORECASE,
)
"""What stands before one more value and its field, both behind one verb."""
_NOT = re.compile(r"(?:do\s+not|don['’]t|not|never|instead\s+of|rather\s+than)\b", re.IGNORECASE)
"""How an order begins that says what is to be left alone."""
_INSTEAD = re.compile(r",(?!\s*or\b)\s*|(?<!\s)\s+but\s+", re.IGNORECASE)
_COURTESY = re.compile(
    r"(?:[,;]\s*|(?<=[\w⟧])\s+|^)please\W*$"
    r"|(?:[,;]\s*|^)(?:many\s+)?(?:thanks|thank\s+you)(?:\s+(?:a lot|very much))?\W*$",
    re.IGNORECASE,
)
"""What a sentence ends with out of politeness; without a mark before it “thanks” may be what is written."""
_AND = r"(?:(?:(?<!\s)\s+)?,\s*(?:(?:and|but)\s+)?|(?<!\s)\s+(?:and|but)\s+)"
_AND_NOT = re.compile(rf"{_AND}(?=(?:do\s+not|don['’]t|never)\s+(?:{_VERB})\b)", re.IGNORECASE)
_BUT_NOT = re.compile(
    rf"{_AND}(?=not\b)|(?:,|(?<![\s,]))\s+(?=(?:instead\s+of|rather\s+than)\b)", re.IGNORECASE
)
"""What stands between an order and what is to be left alone; the second where nothing is to be written."""
_KEPT_FROM = re.compile(
    r"(?:\b(?:not|never|avoid|forbidden|refuse)\b|n['’]t\b)[^,]{0,200}\bto\s*$", re.IGNORECASE
)
"""What keeps from the order behind it, as “Be careful not to …”."""
_EXCEPTS = re.compile(
    r"\b(?:but|except|excluding|unless|without|other\s+than|apart\s+from|besides|or)\b", re.IGNORECASE
)
_KIND = r"(?:button|file|folder|icon|item|link|page|row|tab|text)s?"
_KIND_OR_KIND = re.compile(
    rf"\b(?:one|two|three|\d+) or (?:more|less)\b|\b{_KIND} or (?:an? |the )?{_KIND}\b", re.IGNORECASE
)
"""What leaves nothing open, though it says “or”."""
_NAMING = frozenset({"press", "choose", "uncheck", "submit", "switch", "message"})
"""Kinds of orders that name something and have nothing to write."""
_DOING = frozenset({"goal", "deed", "buy"})
"""Kinds of orders of which a control bears the verb."""
_DOES = re.compile(
    r"(?:please\s+)?(?:click|press|tap|enter|type|fill|submit|log in|sign in|tick|untick|uncheck|deselect)\b"
    r"(?!.*\b(?:is|are|was|were|has|have)\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:please|kindly|then|and|now|also|finally|lastly|firstly|afterwards|just|simply|carefully"
    r"|go ahead and"
    r"|you (?:should|must|need to|have to)|i (?:want|need|would like) you to|i['’]d like you to"
    r"|(?:could|can|would|will) you|(?:make|be) sure to|remember to|your (?:task|job) is to),?"
    rf"|(?:first|next),?(?=\s+(?:{_VERB})\b))\s+",
    re.IGNORECASE,
)
"""What may stand before an order and says nothing of it."""


@dataclass(frozen=True)
class Order:
    """One thing to do: what kind (`verb`), the words behind it, the words before it, what stood in quotes.

    `outside` is `text` with a `_` for each sign of what stood in quotes.
    """

    verb: str
    word: str
    text: str
    quotes: tuple[str, ...] = ()
    before: str = ""
    outside: str = ""

    @property
    def quote(self) -> str:
        """Return what was quoted first, empty where nothing was."""
        return self.quotes[0] if self.quotes else ""

    @property
    def excepts(self) -> str:
        """Return the word by which an order leaves out, or open, some of what it names; else nothing."""
        return self.exception if self.verb in _NAMING else ""

    @property
    def exception(self) -> str:
        """Return such a word of an order that has nothing to write, also where it names nothing."""
        said = _KIND_OR_KIND.sub("_", self.outside)
        found = _EXCEPTS.search(said) if self.verb in _NAMING | _DOING else None
        return found[0] if found else ""


def is_both(task: str) -> bool:
    """Tell whether a question stands behind orders, of which only the question would be heard."""
    *before, _ = [part for part in _SENTENCE.split(_QUOTED.sub("⟦0⟧", task)) if part.strip()] or [""]
    return bool(before) and is_question(task) and any(_DOES.match(part.strip()) for part in before)


def read_orders(task: str) -> list[Order]:
    """Split a task into its orders; words without a known verb become the order `goal`."""
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(next(part for part in found.groups() if part is not None))
        return f"⟦{len(held) - 1}⟧"

    found: list[Order] = []
    for sentence in _SENTENCE.split(_QUOTED.sub(hold, task)):
        for clause in _clauses(_COURTESY.sub("", sentence.strip())):
            found += _orders(clause, held)
    return found


def _orders(clause: str, held: list[str]) -> Iterator[Order]:
    """Yield the order of a clause, and what it says is not to be done instead."""
    if not clause.strip(" ,."):
        return
    order, parts = _order(clause, held), _BUT_NOT.split(clause, maxsplit=1)
    if order.verb in _NAMING and len(parts) > 1:
        yield from (_order(part, held) for part in parts)
    else:
        yield order


def _clauses(sentence: str) -> Iterator[str]:
    """Yield the orders of a sentence as text, and as one of them what it says is to be left alone."""
    sentence = _begun(sentence)
    if _NOT.match(sentence):
        yield from _spared(sentence)
        return
    said, *left = _AND_NOT.split(sentence, maxsplit=1)
    for clause in _parted(said):
        yield from _each_field(clause)
    for part in left:
        yield from _clauses(part)


def _parted(said: str) -> list[str]:
    """Return the orders of a sentence, a place that is said first behind the order it is about."""
    place = _PLACE.match(said)
    clauses = _NEXT.split(said[place.end() :] if place else said)
    if place:
        clauses[0] = f"{clauses[0].rstrip(' ,.')} {place[1][:1].lower()}{place[1][1:]}"
    sends = _UNPARTED.fullmatch(clauses[-1])
    return [*clauses[:-1], *(sends.groups() if sends else clauses[-1:])]


def _each_field(clause: str) -> Iterator[str]:
    """Yield an order as text, one for each field where several stand behind one verb."""
    if then := _THEN.match(clause):
        yield then[2]
        yield from _each_field(f"{then[1]} {clause[then.end() :]}")
        return
    if verb := _SETS.match(clause):
        first, *also = _ALSO.split(clause)
    else:
        verb = _WRITES.match(clause)
        first, *also = _WRITTEN_ALSO.split(clause) if verb else [clause]
        if any(not re.search(r"\s(?:into|in|as)\s", part) for part in (first, *also)):
            first, also = clause, []
    yield first
    yield from (f"{verb[1]} {part}" for part in also if verb)


def _spared(sentence: str) -> Iterator[str]:
    """Yield what is not to be done as one order, up to where a sentence says what is to be done instead."""
    left, *rest = _INSTEAD.split(sentence, maxsplit=1)
    yield left
    for part in rest:
        yield from _clauses(part)


def _order(clause: str, held: list[str]) -> Order:
    """Read one order; what it says is not to be done is the order `spare`."""
    text = _CHANGED.sub("change", _TURNED_TO.sub(r"change \1 ", _begun(clause.strip(" ,."))))
    first = re.match(rf"({_VERB})\b\s*", text, re.IGNORECASE)
    first = first or re.search(rf"(?:^|,\s*|\bto\s+)({_VERB})\b\s*", text, re.IGNORECASE)
    quotes = tuple(held[int(found[1])] for found in _HELD.finditer(text))
    if _NOT.match(text) or (first and _KEPT_FROM.search(text[: first.start(1)])):
        return Order("spare", "", _shown(text, held), quotes)
    before, word, rest = text[: first.start()] if first else "", "", text
    if first is not None:
        word, rest = first[1].lower(), text[first.end() :]
    outside = _shown(rest, ["_" * len(one) for one in held]).strip()
    kind = VERBS.get(word, "goal")
    return Order(kind, word, _shown(rest, held).strip(), quotes, _shown(before, held).strip(" ,"), outside)


def _begun(text: str) -> str:
    """Return a text from where it says what is to be done."""
    while found := _LEAD.match(text):
        text = text[found.end() :]
    return text


def _shown(text: str, held: list[str]) -> str:
    """Return a text with its quotes in their places."""
    return _HELD.sub(lambda at: held[int(at[1])], text)
