"""Read a task as a row of orders: a verb each, the words it goes with, what stands in quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

VERBS: dict[str, str] = {
    "click": "press", "press": "press", "hit": "press", "push": "press", "tap": "press", "buy": "buy",
    "submit": "submit", "confirm": "submit",
    "select": "choose", "choose": "choose", "pick": "choose", "check": "choose", "tick": "choose",
    "mark": "choose", "uncheck": "uncheck", "untick": "uncheck",
    "enter": "enter", "type": "enter", "write": "enter", "fill": "enter", "input": "enter", "put": "enter",
    "set": "enter", "change": "enter", "paste": "paste", "copy": "copy", "solve": "solve",
    "expand": "expand", "open": "press", "close": "close", "switch": "find", "find": "find",
    "navigate": "find", "go": "go", "visit": "go", "search": "search", "look": "find",
    "focus": "focus", "highlight": "mark_text", "scroll": "scroll", "drag": "drag", "move": "drag",
    "sort": "sort", "wait": "wait", "reply": "message", "respond": "message", "answer": "message",
    "forward": "message", "delete": "message", "remove": "message", "star": "message", "send": "message",
    "order": "order", "generate": "generate", "give": "style", "log": "login", "sign": "login",
    "hover": "hover", "keep": "hover", "book": "deed", "like": "deed", "read": "read", "tell": "read",
    "extract": "read", "create": "deed", "use": "use", "draw": "deed", "guess": "deed", "add": "deed",
    "save": "deed",
    "accept": "deed", "agree": "deed", "subscribe": "deed", "invite": "deed", "rename": "deed",
    "turn": "switch", "enable": "switch", "disable": "switch",
    "activate": "switch", "deactivate": "switch",
}  # fmt: skip
"""What each verb asks for."""
_QUOTED = re.compile(r"“([^”]*)”|\"([^\"]*)\"|(?<!\w)'([^']+)'(?!\w)|«([^»]*)»")
_HELD = re.compile(r"⟦(\d+)⟧")
_VERB = "|".join(sorted(VERBS, key=len, reverse=True))
_SENTENCE = re.compile(r"(?<=[^\d\s])[.;!?](?=\s|$)|(?<=\d)[.;!?](?=\s+[A-Z]|\s*$)")
_NEXT = re.compile(
    rf"\s*,\s*(?:(?:and|then|and then|to)\s+)?(?=(?:{_VERB})\b)|\s+(?:and then|then|and)\s+(?=(?:{_VERB})\b)"
    r"|\s+and\s+(?=(?!(?:the|an?|my|its?|their|all|any)\b)[a-z]+\s+(?:the|my)\s)"
    rf"|\s+to\s+(?=(?:find|enter|delete|search)\b(?!\s+it))",
    re.IGNORECASE,
)
_SETS = re.compile(r"(?:please\s+)?(set|change|fill in)\b", re.IGNORECASE)
_ALSO = re.compile(
    r"(?<=⟧)\s*(?:,\s*(?:and\s+)?|and\s+)(?=(?:⟦\d+⟧|[^⟦⟧,]+?)\s(?:to|with)\s+⟦)"
    r"|(?:,\s*(?:and\s+)?|\s+and\s+)(?=the\s[^⟦⟧,]+?\s(?:to|with)\s)",
    re.IGNORECASE,
)
"""What stands before one more field and its value, both behind one verb."""
_WRITES = re.compile(r"(?:please\s+)?(enter|type|write|put|input)\b(?=.*\s(?:into|in|as)\s)", re.IGNORECASE)
_WRITTEN_ALSO = re.compile(
    r"(?:,\s*(?:and\s+)?|\s+and\s+)(?=(?:⟦\d+⟧|[^\s⟦⟧,]+)\s+(?:into|in|as)\s)", re.IGNORECASE
)
"""What stands before one more value and its field, both behind one verb."""
_NOT = re.compile(
    r"(?:please\s+)?(?:you\s+(?:must|should)\s+)?(?:do\s+not|don['’]t|not|never)\b", re.IGNORECASE
)
"""How an order begins that says what is to be left alone."""
_INSTEAD = re.compile(r",\s*|\s+but\s+", re.IGNORECASE)
_ASKS = r"(?:what|which|who|whose|whom|when|where|why|how|is|are|was|were|does|did|has|have)\b"
_DOES = re.compile(
    r"(?:please\s+)?(?:click|press|tap|enter|type|fill|submit|log in|sign in|tick|untick|uncheck)\b"
    r"(?!.*\b(?:is|are|was|were|has|have)\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:please|then|and|now|also|you (?:should|must)|i (?:want|need) you to|could you)\s+", re.IGNORECASE
)


@dataclass(frozen=True)
class Order:
    """One thing to do: what kind (`verb`), the words behind it, the words before it, what stood in quotes."""

    verb: str
    word: str
    text: str
    quotes: tuple[str, ...] = ()
    before: str = ""

    @property
    def quote(self) -> str:
        """Return what was quoted first, empty where nothing was."""
        return self.quotes[0] if self.quotes else ""


def is_question(task: str) -> bool:
    """Tell whether a task asks for something to be read, rather than done."""
    text = task.strip()
    return text.endswith("?") or re.match(_ASKS, text, re.IGNORECASE) is not None


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
        found += [_order(clause, held) for clause in _clauses(sentence.strip()) if clause.strip(" ,.")]
    return found


def _clauses(sentence: str) -> Iterator[str]:
    """Yield the orders of a sentence as text; several fields behind one verb are an order each."""
    if _NOT.match(sentence):
        yield from _spared(sentence)
        return
    for clause in _NEXT.split(sentence):
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
    text = clause.strip(" ,.")
    while _LEAD.match(text):
        text = _LEAD.sub("", text)
    quotes = tuple(held[int(found[1])] for found in _HELD.finditer(text))
    if _NOT.match(text):
        return Order("spare", "", _HELD.sub(lambda at: held[int(at[1])], text), quotes)
    before, word, rest = "", "", text
    first = re.match(rf"({_VERB})\b\s*", text, re.IGNORECASE)
    if first is None:
        first = re.search(rf"(?:^|,\s*|\bto\s+)({_VERB})\b\s*", text, re.IGNORECASE)
        before = text[: first.start()] if first else ""
    if first is not None:
        word, rest = first[1].lower(), text[first.end() :]
    whole = _HELD.sub(lambda held_at: held[int(held_at[1])], rest).strip()
    shown = _HELD.sub(lambda held_at: held[int(held_at[1])], before).strip(" ,")
    return Order(VERBS.get(word, "goal"), word, whole, quotes, shown)
