"""What a question asks: its words, the names in it, the kind of answer wanted, the options offered."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ddax.text import german
from ddax.text.words import (
    FUNCTION_WORDS,
    WORD,
    clip_task,
    fold,
    stem,
    term_of,
    terms,
    without_things,
    words,
)

AnswerKind = Literal[
    "person", "date", "place", "number", "yes_no", "choice", "thing", "open", "name"
]  # fmt: skip
NAMED = frozenset(
    ["function", "method", "class", "module", "package", "library", "command", "exception", "error",
     "decorator", "type", "object", "constant", "option", "tool"]
)  # fmt: skip
"""What is asked for by its name in a program: a document titled by such a name can be the answer."""

LOOK_BACK = 200
"""Characters before a name in which the end of the sentence before it is looked for."""
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{2,80})[\"”“»]")
_PARTICLES = ("of", "the", "de", "la", "le", "von", "van", "da", "del", "&")
_NAME = re.compile(
    r"(?:\b[a-z]{1,3}(?=[A-Z]))?(?:[A-Z\u00c0-\u00de][\w.'’&-]*|[A-Z]{2,})"
    rf"(?:\s+(?:(?:{'|'.join(_PARTICLES)})\s+){{0,3}}"
    r"(?:[A-Z\u00c0-\u00de][\w.'’&-]*|\d+(?:\.\d+)*))*"
)
_OPENERS = frozenset(
    """
    who whom whose which what when where why how is are was were do does did can could has have had will
    would name in on at of for from by to with tell give find list state if this that these the a an and or
    between both after before during until since under over through as please
    """.split()  # noqa: SIM905
)
_GERMAN = """
wie wo wer wen wem was wann warum wieso weshalb wessen welch welche welcher welches welchem welchen wieviel
wieviele woher wohin womit wodurch wofür worin woran worauf woraus wovon wozu ist sind seit ab bis mit von
für aus bei nach um im am gibt wird wurde wurden kann nenne
"""
_FRENCH = """
qui que quoi quel quelle quels quelles quand comment combien pourquoi lequel laquelle où est est-ce sont
qu'est-ce qu’est-ce dans depuis pour avec par selon sur
"""
_SPANISH = """
qué quién quiénes cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas quien quienes cual cuales
cuando donde como cuanto cuanta cuantos cuantas en por para desde hasta según
"""
_FOREIGN_OPENERS = frozenset(f"{_GERMAN} {_FRENCH} {_SPANISH}".split())
"""What other languages begin a question with; without what titles begin with, as "Die Hard" does."""
_ENGLISH = frozenset(
    [
        "the", "of", "and", "to", "with", "by", "is", "are", "were", "did", "does", "who", "whom", "whose",
        "which", "what", "when", "where", "why", "how",
    ]
)  # fmt: skip
"""Words that make a question English, where "Wem" is a town and "Wen" a family."""
_IDENTIFIER = re.compile(r"\b[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+\b|\b[A-Za-z]\w*_\w+\b")
_DEFINITION = re.compile(
    r"^\s*what\s+(?:is|are|does|do)\s+(?:an?\s+|the\s+)?(?P<subject>[^?]{2,80}?)(?:\s+(?:do|mean|for))?\s*\??\s*$",
    re.I,
)
_WHY = re.compile(r"\W*why\b", re.I)
_MODALS = frozenset({"may", "might", "must", "shall", "should"})
_YES_NO = re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b", re.I)
_MODAL = re.compile(
    rf"(?:{'|'.join(sorted(_MODALS))})\s+(?!(?:and|or|of|is|was|has|had)\b)(?:I\b|[Tt]he\b|(?-i:[^\W\d_A-Z]))",
    re.IGNORECASE,
)
"""What opens a question of leave or duty, where "May West", "May 1968" and "Must-see" are names."""
_KINDS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = (
    ("date", re.compile(r"\b(?:when|(?:what|which) (?:year|date|month|day|decade|century))\b", re.I)),
    (
        "number",
        re.compile(
            r"\b(?:how (?:many|much|old|long|far|tall|high|big|large|deep|wide|broad|thick|heavy|fast"
            r"|loud|noisy|severe)|what (?:number|percentage|population)"
            r"|what (?:do|does|did|will|would) [^?]{1,200} costs?)\b",
            re.I,
        ),
    ),
    (
        "place",
        re.compile(
            r"\b(?:where|(?:what|which) (?:\w+ )?(?:city|town|village|country|state|county|province|region"
            r"|continent|island|nation|district|borough|location|place))\b",
            re.I,
        ),
    ),
    (
        "person",
        re.compile(
            r"\b(?:who|whom|whose|(?:what|which) (?:\w+ ){0,2}(?:actor|actress|person|man|woman|author|writer"
            r"|singer|director|player|president|artist|politician|king|queen|scientist|composer|musician))\b",
            re.I,
        ),
    ),
)  # fmt: skip
_SUBORDINATE = re.compile(r"(?m:^)((?>.*?\b(?:what|which|how)\b).*(?<!\band)(?<!\bor) )when\b", re.I)
"""What asks for something else than a time, and says when that is: "What is raised when it is empty?"."""
_OR = re.compile(
    r"[,:]\s*+(?:the\s++)?([^\s,:?][^,:?]{0,59}?),?(?<!\s)\s+or\s++(?:the\s++)?([^,?]{1,60}?)\s*+[?\"”.]*+\s*$",
    re.I,
)
_OR_NAMES = re.compile(r"[\"“]([^\"“”]+)[\"”]\s+or\s+[\"“]([^\"“”]+)[\"”]", re.I)
_COMPARISON = re.compile(
    r"\b(?:first|earlier|later|older|younger|oldest|larger|bigger|smaller|longer|shorter|higher|taller|more|fewer"
    r"|further|farther|closer|nearer|north|south|east|west|recently|last|before|same|heavier|lighter|cheaper"
    r"|dearer|faster|slower|deeper|wider|narrower|newer)\b",
    re.I,
)
_NAMED = re.compile(
    rf"\b(?:what|which)\s+(?!(?:does|do|did|can|could|will|would|has|have)\b)(?:[\w'’-]+\s+){{0,3}}?"
    rf"({'|'.join(sorted(NAMED))})\b",
    re.I,
)
"""What is asked for by name, where "What does error 409 mean?" names it itself."""
_AMOUNT = re.compile(
    r"\bhow\s+(many|much|old|long|far|tall|high|big|large|often|frequently|fast|soon|deep|wide"
    r"|broad|thick|heavy|loud|noisy|severe)\b",
    re.I,
)
"""What only says which measure is asked for: "every 90 days" tells how often, and says no "often"."""
_HAPPENS = re.compile(
    r"\W*what\s+(?:(?:will|would|should)\s+)?happen(?:s|ed)?\s+(?:if|when|to|at|on|in|after|before|during)\b",
    re.I,
)
"""What asks for a consequence, which need not say that it happens."""
_FORMED = frozenset({"person", "date", "place", "number", "name", "thing", "open"})
"""Kinds of answers for which a verb may be said in another form."""
_BOUND = re.compile(r"\b(?:before|after)\s+(1\d{3}|20\d\d)\b", re.I)
"""A year that is only set against the one that is told."""
_FIRST = re.compile(r"\b(?:what|which)\s+([\w'’-]+)", re.I)
_OPERATOR = re.compile(rf"{_COMPARISON.pattern}|\b(?:nationality|came|come|out)\b", re.I)
_HEAD = re.compile(
    r"\b(?:what|which)\s+((?:[\w'’.&-]+\s+){0,4}?[\w'’-]+?)\s+"
    r"(?:is|are|was|were|did|does|do|has|have|had|that|who|which|of|in|by|for|to|from|with|serves?|can|will|would)\b",
    re.I,
)


_ASKS = re.compile(
    r"(?:what|which|who|whose|whom|when|where|why|how|is|are|was|were|does|did|has|have)\b", re.IGNORECASE
)
_FRAME = re.compile(
    r"^\W*(?:(?:hi|hello|hey|please|excuse me|sorry)\b[,.!:]?\s+)*"
    r"(?:(?:can|could|would|will) you (?:(?:please|kindly) )?(?:tell|show|say)|tell"
    r"|do you (?:happen to )?know|i(?:['’]d| would) like to know|i (?:want|need) to know|i wonder"
    r"|i(?:['’]m| am) wondering)"
    r"(?: me| us)?(?:,? please)?[,:]?\s+(?=(?:who|whom|whose|what|when|where|which|why|how)\b)",
    re.IGNORECASE,
)
"""What asks for an answer politely, before the question."""
_COURTESY = re.compile(r"(?:,|(?<=[.?!]))\s*(?:please|thanks|thank you)\s*+([.?!]*+)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Question:
    """A question taken apart; `names` are its entities in order, `head` the noun asked for.

    `subject` is what a definition is asked of; `forms` give, where it is asked who does something, each
    term and the stem by which it meets its other forms, which are German ones where it is `german`.
    """

    text: str
    terms: tuple[str, ...]
    names: tuple[str, ...]
    kind: AnswerKind
    options: tuple[str, ...]
    head: str
    subject: str = ""
    forms: tuple[tuple[str, str], ...] = ()
    german: bool = False

    @property
    def compares(self) -> bool:
        """Tell whether two or more named things are set against each other."""
        return self.kind in ("choice", "yes_no") and len(self.names) > 1

    @property
    def asks_why(self) -> bool:
        """Tell whether a reason is asked for."""
        return _WHY.match(self.text) is not None


@lru_cache(maxsize=256)
def analyse(task: str) -> Question:
    """Take a task apart; linear in its length, capped at `MAX_QUESTION` characters."""
    text = _COURTESY.sub(r"\1", _FRAME.sub("", clip_task(task), count=1))
    options = _options(text)
    if german.is_german(text):
        return _german(text)
    kind, head, defined = _kind(text, options), _head(text), _DEFINITION.match(text)
    if head in NAMED and (kind == "thing" or _NAMED.match(text)):
        kind = "name"
    content = _content(text, kind, head)
    return Question(
        text=text,
        terms=content,
        names=_names(text),
        kind=kind,
        options=options,
        head=head,
        subject=defined["subject"] if defined and kind == "thing" else "",
        forms=_forms(text, content) if kind in _FORMED else (),
    )


def is_question(task: str) -> bool:
    """Tell whether a task asks for something to be read, rather than done."""
    text = task.strip()
    return text.endswith("?") or _ASKS.match(text) is not None


def _german(text: str) -> Question:
    """Take a German question apart."""
    content = tuple(german.content(text, list(dict.fromkeys(terms(text)))))
    forms = tuple((term, german.form_of(term)) for term in content)
    return Question(
        text, content, _names(text), german.kind_of(text), (), german.head_of(text), forms=forms, german=True
    )


def said_of(question: Question, text: str) -> frozenset[str]:
    """Return the terms of a text, and those of a question that it says in another form."""
    text = without_things(text, question.text)
    own = frozenset(terms(text))
    if not question.forms:
        return own
    form_of = german.form_of if question.german else term_of
    met = {form_of(word) for word in words(text) if word not in FUNCTION_WORDS}
    return own.union(term for term, form in question.forms if form in met)


def unmet(names: Iterable[str], said: AbstractSet[str]) -> list[str]:
    """Return the words of names of which nothing is `said`, as they are written, each once.

    Words that name nothing by themselves ("of", "von") and single letters are left out.
    """
    found: dict[str, str] = {}
    for word in (match.group() for name in names for match in WORD.finditer(name)):
        own = terms(word)
        if own and word not in _FOREIGN_OPENERS and word not in _PARTICLES and said.isdisjoint(own):
            found.setdefault(fold(word), word)
    return list(found.values())


def _forms(text: str, content: Iterable[str]) -> tuple[tuple[str, str], ...]:
    known = frozenset(content)
    return tuple(
        sorted(
            {(own, form) for word in words(text) if (own := stem(word)) in known for form in _forms_of(word)}
        )
    )


def _forms_of(word: str) -> tuple[str, ...]:
    """Return the stems of a word; "found" may be a form of "find", where it is none of "founded"."""
    return (term_of(word), "find") if word == "found" else (term_of(word),)


def _content(text: str, kind: AnswerKind, head: str) -> tuple[str, ...]:
    """Return the content words, without those that only say how to compare or what is to be named."""
    found = dict.fromkeys(terms(text))
    if kind == "name" and len(found) > 1:
        found.pop(stem(head), None)
    if _HAPPENS.match(text) and len(found) > 1:
        found.pop("happen", None)
    for word in _AMOUNT.findall(text):
        if len(found) > 1:
            found.pop(stem(word.lower()), None)
    if kind not in ("choice", "yes_no"):
        return tuple(found)
    operators = {stem(fold(match.group())) for match in _OPERATOR.finditer(text)}
    operators.update(_BOUND.findall(text))
    return tuple(term for term in found if term not in operators)


def _names(text: str) -> tuple[str, ...]:
    found = [(m.start(), m.group(1).strip(" ,.?!")) for m in _QUOTED.finditer(text)]
    bare = _QUOTED.sub(lambda m: " " * len(m.group()), text)
    found.extend((match.start(), match.group()) for match in _IDENTIFIER.finditer(bare))
    bare = _IDENTIFIER.sub(lambda m: " " * len(m.group()), bare)
    foreign = "?" in text and _ENGLISH.isdisjoint(words(text))
    for match in _NAME.finditer(bare):
        begins = _begins(bare[max(0, match.start() - LOOK_BACK) : match.start()])
        modal = _asks_leave(text, match.start())
        name = _trim(_asked(match.group(), modal=modal, foreign=foreign) if begins else match.group())
        if name:
            found.append((match.start(), name))
    ordered = [name for _, name in sorted(found)]
    return tuple(dict.fromkeys(name for name in ordered if name))[:12]


def _begins(before: str) -> bool:
    """Tell whether a sentence begins after a text."""
    return before.rstrip(' \t¿¡"“„«(')[-1:] in ("", *".!?:;\n")


def _asks_leave(text: str, start: int = 0) -> bool:
    """Tell whether "may" or "must" asks whether something is allowed or due, and names nothing."""
    return text.rstrip(' \t\n"”)').endswith("?") and _MODAL.match(text, start) is not None


def _asked(name: str, *, modal: bool, foreign: bool) -> str:
    """Drop the word a question begins with, also in another language; one in capitals is an acronym."""
    first, _, rest = name.partition(" ")
    asks = (modal or first == "Should") or (foreign and first.lower() in _FOREIGN_OPENERS)
    return rest if asks and not first.isupper() else name


def _trim(name: str) -> str:
    """Drop question words in front of a name and possessives behind it."""
    parts = name.split()
    while parts and parts[0].lower().strip("'’.,") in _OPENERS:
        parts.pop(0)
    kept = " ".join(parts).rstrip(" .,'’-")
    kept = re.sub(r"['’]s$", "", kept)
    return "" if fold(kept) in FUNCTION_WORDS or len(kept) < 2 else kept


def _options(text: str) -> tuple[str, ...]:
    match = _OR_NAMES.search(text) or _OR.search(text)
    if match is None or not _COMPARISON.search(text):
        return ()
    return tuple(part.strip(" \"“”'?.,") for part in match.groups())


def _kind(text: str, options: tuple[str, ...]) -> AnswerKind:
    if options:
        return "choice"
    if _YES_NO.match(text.lstrip()) or _asks_leave(text.lstrip()):
        return "yes_no"
    if _WHY.match(text):
        return "open"
    asked = _SUBORDINATE.sub(r"\1", text)
    starts: list[tuple[int, AnswerKind]] = [
        (match.start(), kind) for kind, pattern in _KINDS if (match := pattern.search(asked))
    ]
    if starts:
        return min(starts)[1]
    return "thing" if re.search(r"\b(?:what|which)\b", text, re.I) else "open"


def _head(text: str) -> str:
    match = _NAMED.search(text) or _HEAD.search(text) or _FIRST.search(text)
    return fold(match.group(1).split()[-1]) if match else ""
