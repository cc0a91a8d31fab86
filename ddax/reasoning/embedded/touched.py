"""The short answer of one sentence: the span that the words of the question touch, and who does what."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sizes import measures
from ddax.reasoning.embedded.spans import LIVED, Span
from ddax.text.question import Question, said_of
from ddax.text.units import HEADS, PEOPLE, unit_before, unit_of
from ddax.text.words import (
    FUNCTION_WORDS,
    WORD,
    bare_title,
    denies,
    fold,
    is_past,
    stem,
    term_of,
    terms,
    words,
)

LEAST_FIT = 0.8
"""Fit to the kind that a short answer needs: a full name, a date, a count."""
REACH = 40
"""Characters before a span in which the words that lead to it stand."""
_MUCH = re.compile(r"\bhow much\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"\bhow many (?:(?:different|new|other|thousand|million|square)\s+)*([^\W\d_]+)", re.IGNORECASE
)
_SIGN = re.compile(r"(?:US)?[€$£¥₹]\s?$")
"""A currency before its amount."""
_PEOPLE = frozenset(map(stem, HEADS))
_PATIENT = re.compile(
    r"\bwhom?\s+(?:did|does|do)\b|\bwho\s+(?:is|are|was|were|has been|have been)\b.{0,200}\bby\s+\w",
    re.IGNORECASE,
)
"""What asks for whom something was done to, and not for who did it."""
_TRANSITIVE = re.compile(r"\bwho\s+(\w+)\s+(?!(?:in|on|at|for|to|with|from|as|under|by)\b)", re.IGNORECASE)
"""What asks who did something to what it names: "Who succeeded Lee?"."""
_BIRTH = re.compile(r"\b(?:born|birth)\b", re.IGNORECASE)
_DEATH = re.compile(r"\b(?:die|died|death)\b", re.IGNORECASE)
_DOUBTED = frozenset(
    ["myth", "legend", "false", "falsely", "wrongly", "allegedly", "reportedly", "supposedly", "claim",
     "claims", "claimed", "rumour", "rumours", "rumor", "rumors", "perhaps", "maybe", "possibly", "probably",
     "might", "if", "unless", "whether", "cancelled", "canceled", "postponed"]
)  # fmt: skip
"""Words of a sentence that says a thing by hearsay, as likely, on a condition, or calls it off."""
_UNDONE = re.compile(
    r"\b(?:was|were) to (?:be|have)\b|\b(?:would|could|should) (?:not )?have\b"
    r"|\b(?:planned|intended|proposed|meant|supposed|thought|believed) (?:to|that)\b"
    r"|\b(?:said|(?:some|many|people) say)\b",
    re.IGNORECASE,
)
"""What stands before a thing that was to be done or is said to have been."""
_BOUNDS = frozenset(["before", "after", "than", "least", "most", "over", "under", "nearly", "almost"])
"""Words before a number or a date that is not the one asked for, but a bound of it."""
_RELATED = (
    "wife|husband|widow|widower|son|daughter|father|mother|brother|sister|friend|deputy"
    "|assistant|rival|neighbour|neighbor|successor|predecessor"
)
"""Who stands to another one as what they are called by."""
_RELATION = re.compile(rf"\b(?:{_RELATED})\b", re.IGNORECASE)
_ANOTHER = re.compile(
    rf"\b(?:(?:{_RELATED}) of (?:the |an? )?"
    r"|(?:vice|deputy|assistant|acting)[ -])$",
    re.IGNORECASE,
)
"""What speaks of another one than the word behind it: "the wife of the mayor", "the vice president"."""
_WHICH = re.compile(r"\b(\w+), (?:which|who)\b")
"""What goes on about the word before it."""
_JOIN = re.compile(r"\s*+(?:,\s*+)?(?:or|and|to|[–—-])\s*")
"""What makes of two numbers or dates a range or a choice: "60 to 80", "1 July or 2 July"."""
_FORMER = frozenset(["former", "formerly", "previous", "previously", "first", "then", "once"])
_HELD = frozenset(
    map(term_of, ["lead", "own", "manage", "rule", "govern", "head", "chair", "president", "mayor"])
)
"""What somebody is for a time: who was it need not be it."""
_TENSES = frozenset(["is", "are", "has", "have", "was", "were", "had", "will"])
_NAMING = frozenset(["by", "is", "are", "was", "were", "been"])
"""Words between a verb or a role and the name of who it is."""
_BESIDE = re.compile(r"\b(?:of|for|from|with|by|to|and|or)\W*$", re.IGNORECASE)
"""What makes the name behind it a part of the subject."""
_ROLE = re.compile(r"(?:er|or)s?$")
_MUTUAL = frozenset(map(term_of, ["marry", "meet"]))
"""What two do to each other."""
_DONE_BY = re.compile(r"\b(\w+) by whom?\b", re.IGNORECASE)
"""The verb of a question that asks at its end: "in a film directed by who?"."""
_PRESENT = re.compile(r"\bwho\s+(\w+)", re.IGNORECASE)
_IS = re.compile(r"\bwho\s+(?:is|are)\b", re.IGNORECASE)
_DOES = re.compile(r"(?:,? who)?(?: has| have| had| also| both)* ([^\W\d_]+)\b")
"""A verb behind its subject."""
_MARK = re.compile(r"[^\w\s'’-]")
"""What ends an object."""
_MORE = re.compile(r",? and (?:his|her|their|its|a|an|others?|two|three|four|several|some|many)\b")
"""What joins to a name someone who is not named like it."""
_NO_CLAUSE = re.compile(
    r"\W*$|[.,;:()!?…]"
    r"| (?:in|on|at|as|for|from|to|with|after|before|during|while|who|when|under|since|until)\b"
)
"""What may follow the last of several names: a verb would make it the first of another clause."""


def of_relative(question: Question, item: Weighed) -> bool:
    """Tell whether it is asked about the daughter or the like of somebody, whom a sentence does not name."""
    return any(stem(fold(who)) not in item.terms for who in _RELATION.findall(question.text))


def not_of_relative(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether it is asked what the daughter or the like of somebody did, and read what that one did.

    "Ida Voss died in 1978" does not tell when her daughter died.
    """
    whose = [name for name in question.names if _whose(name).search(question.text)]
    if not whose:
        return False
    relatives = {stem(fold(who)) for who in _RELATION.findall(question.text)}
    did = frozenset(question.terms) - frozenset(terms(" ".join(question.names))) - relatives
    saying = [item for item in weighed if did and did <= said_of(question, item.sentence.text)]
    return bool(saying) and all(
        relatives.isdisjoint(item.terms) and any(item.sentence.plain.startswith(name) for name in whose)
        for item in saying
    )


def _whose(name: str) -> re.Pattern[str]:
    """Match where a question speaks of a relative of a name: "Ida Voss's daughter", "the wife of Ida"."""
    named = re.escape(name)
    return re.compile(rf"{named}(?:['’]s?)? (?:{_RELATED})\b|\b(?:{_RELATED}) of {named}", re.IGNORECASE)


def touched(question: Question, item: Weighed) -> str:
    """Return the span that the words of the question touch; of two, none can be told without a model."""
    lived = LIVED.search(item.sentence.text) if question.kind == "date" else None
    if (
        lived is not None
        and _of_asked(question, item, lived)
        and any(span.start in lived.span("born") + lived.span("died") for span in item.spans)
    ):
        return _lived(question, lived)
    asked, counted = frozenset(question.terms), _COUNTED.search(question.text)
    near = {
        span.text: leads
        for span in item.spans
        if span.fit >= LEAST_FIT
        and measures(question, item.sentence.text, span)
        and not _of_another(span, item, asked)
        and ((leads := _told(question, span, item)) or _followed(span, item, asked))
        and (counted is None or _counts(span, item, stem(counted.group(1).lower())))
    }
    return next((text for text, leads in near.items() if leads and len(near) == 1), "")


def with_unit(question: Question, short: str, order: Sequence[Weighed]) -> str:
    """Return a number as its sentence says it, with the unit or the currency beside it: "4 euros".

    How much is not told by a number word alone, which counts something: "two monthly rents".
    """
    if question.kind != "number" or _COUNTED.search(question.text):
        return short
    found = ((item.sentence.text, span) for item in order for span in item.spans if span.text == short)
    told = next((_measured(text, span) for text, span in found), short)
    return "" if told.isalpha() and _MUCH.search(question.text) else told


def _measured(text: str, span: Span) -> str:
    gap = 1 if text.startswith((" ", "-"), span.end) else 0
    unit = unit_before(text[span.end + gap :])
    if unit and unit.lower() != "in" and unit_of(unit)[0] != PEOPLE:
        return text[span.start : span.end + gap + len(unit)]
    sign = _SIGN.search(text, 0, span.start)
    return text[sign.start() : span.end] if sign else span.text


def _of_asked(question: Question, item: Weighed, lived: re.Match[str]) -> bool:
    """Tell whether two dates stand behind the name of whom is asked for, and not of somebody else."""
    return set(words(item.sentence.text[: lived.start()])[-1:]) <= set(words(question.text))


def _lived(question: Question, lived: re.Match[str]) -> str:
    """Return the one of the two dates behind a name that is asked for."""
    if _BIRTH.search(question.text):
        return lived["born"]
    return lived["died"] if _DEATH.search(question.text) else ""


def _of_another(span: Span, item: Weighed, asked: frozenset[str]) -> bool:
    """Tell whether a word of the question stands alone in another clause than a span, set off by a ";"."""
    text, start, clauses = item.sentence.text, 0, []
    for clause in text.split(";"):
        clauses.append((start <= span.start < start + len(clause) + 1, frozenset(terms(clause))))
        start += len(clause) + 1
    own = frozenset[str]().union(*(said for mine, said in clauses if mine))
    rest = frozenset[str]().union(*(said for mine, said in clauses if not mine))
    return bool(asked & rest - own)


def _told(question: Question, span: Span, item: Weighed) -> bool:
    """Tell whether a sentence says the span of what is asked; of a person, whether it did it."""
    if _denied(question, span, item):
        return False
    before = _before(span, item)
    if question.kind != "person":
        return bool(before) and (stem(before[-1]) in question.terms or _says(question, before[-1]))
    verb = _DONE_BY.search(question.text)
    led = bool(before) and (
        term_of(before[-1]) == term_of(verb.group(1).lower()) if verb else _says(question, before[-1])
    )
    return (led and _led_to(question, span, item, before)) or _does(question, span, item)


def _denied(question: Question, span: Span, item: Weighed) -> bool:
    """Tell whether a sentence denies, doubts or bounds what it says of a span, or says it of another time."""
    text, asked = item.sentence.text, set(words(question.text))
    before = words(text[: span.start])
    front = set(before) - asked
    if denies(front) or "longer" in front or _BOUNDS.intersection(set(before[-1:]) - asked):
        return True
    if item.sentence.aside - asked or _of_other(question, text[: span.start]):
        return True
    if question.kind != "person" and _one_of_two(span, item):
        return True
    if text.endswith(("?", "？")) or _DOUBTED & (set(words(text)) - asked):
        return True
    if (undone := _UNDONE.search(text, 0, span.start)) and not set(words(undone.group())) <= asked:
        return True
    return not _FORMER.isdisjoint(front) and (
        _asks_present(question) or _IS.search(question.text) is not None
    )


def _of_other(question: Question, front: str) -> bool:
    """Tell whether what leads to a span is about another one than is asked: his wife, what he bought."""
    asked = set(words(question.text))
    gone_on = _WHICH.findall(front)
    if gone_on and asked.isdisjoint(words(gone_on[-1])):
        return True
    first = next((m.start() for m in WORD.finditer(front) if stem(fold(m.group())) in question.terms), 0)
    another = _ANOTHER.search(front, max(0, first - REACH), first)
    return another is not None and not set(words(another.group())[:1]) <= asked


def _one_of_two(span: Span, item: Weighed) -> bool:
    """Tell whether a span is one end of a range, or one of two to choose from."""
    ends = (sorted((span, own), key=lambda end: end.start) for own in item.spans if own is not span)
    return any(_JOIN.fullmatch(item.sentence.text, one.end, other.start) for one, other in ends)


def _says(question: Question, word: str) -> bool:
    """Tell whether a question says a word in any form."""
    return any(form == term_of(word) for _, form in question.forms)


def _before(span: Span, item: Weighed) -> list[str]:
    """Return the words that lead to a span: "directed by John Ford", "founded in 1941"."""
    before = words(item.sentence.text[max(0, span.start - REACH) : span.start])[-5:]
    while before and (before[-1] in FUNCTION_WORDS or before[-1].isdigit()):
        before.pop()
    return before


def _led_to(question: Question, span: Span, item: Weighed, before: list[str]) -> bool:
    """Tell whether a name behind a verb or a role is the one asked for, and whole."""
    text, after = item.sentence.text, item.sentence.text[span.end :]
    done_by = text[: span.start].endswith(" by ")
    front = words(text[: span.start])
    tense = next((word for word in reversed(front) if word in _TENSES), "")
    if tense in ("was", "were", "had", "will") and _asks_present(question):
        return False
    if not _names(question, [word for word in front if word not in ("a", "an", "the")], before[-1]):
        return False
    if _PATIENT.search(question.text) if done_by else _is_patient(question, before):
        return False
    if _MORE.match(after) or _one_of_list(span, item):
        return False
    return " and " not in span.text or _NO_CLAUSE.match(after) is not None


def _one_of_list(span: Span, item: Weighed) -> bool:
    """Tell whether the name of another one follows at once: "A. Holm, B. Reyes", "Ann Lee & Bo Marr"."""
    others = (other for other in item.spans if other.start > span.end and other.fit >= LEAST_FIT)
    return any(item.sentence.text[span.end : other.start] in (", ", ",\n", " & ") for other in others)


def _names(question: Question, front: list[str], verb: str) -> bool:
    """Tell whether the word before a name lets it be the one asked for: "sold to" names another one."""
    link = front[-1]
    if link not in FUNCTION_WORDS or link in _NAMING or (link == "to" and term_of(verb) in _MUTUAL):
        return True
    return re.search(rf"\b{link}(?: whom?\b|\W*$)", question.text, re.IGNORECASE) is not None


def _is_patient(question: Question, before: list[str]) -> bool:
    """Tell whether what the question names did what is asked, to the one behind the verb."""
    verb = _TRANSITIVE.search(question.text)
    if verb is None or len(before) < 2 or before[-2] in FUNCTION_WORDS or _ROLE.search(before[-1]):
        return False
    asked = term_of(verb.group(1).lower())
    return term_of(before[-1]) == asked and asked not in _MUTUAL and _says(question, before[-2])


def _does(question: Question, span: Span, item: Weighed) -> bool:
    """Tell whether a name is the subject of what is asked, with all else of it as the object."""
    text = item.sentence.text
    verb = _DOES.match(text, span.end)
    if verb is None or _PATIENT.search(question.text):
        return False
    if span.text.startswith("and ") or _BESIDE.search(text, 0, span.start):
        return False
    said, rest = verb.group(1), text[verb.end() :]
    if not _says(question, said) or rest.startswith(" by "):
        return False
    if is_past(said) and " ha" not in verb.group() and _asks_present(question):
        return False
    asked = {term for term, form in question.forms if not term.isdigit() and form != term_of(said)}
    told = set(terms(_object(rest)))
    return told <= asked <= told | set(terms(bare_title(item.sentence.passage.title)))


def _object(rest: str) -> str:
    """Return what stands behind a verb up to the next mark, number or preposition but "of"."""
    found: list[str] = []
    for word in words(_MARK.split(rest)[0]):
        if word[0].isdigit() or (word in FUNCTION_WORDS and word not in ("a", "an", "the", "of")):
            break
        found.append(word)
    return " ".join(found)


def _asks_present(question: Question) -> bool:
    """Tell whether a question asks who does something now: "Who leads it?"."""
    if _IS.search(question.text):
        return any(form in _HELD for _, form in question.forms)
    verb = _PRESENT.search(question.text)
    said = verb.group(1).lower() if verb else ""
    return _says(question, said) and not is_past(said)


def _counts(span: Span, item: Weighed, noun: str) -> bool:
    """Tell whether a number is one of what is counted: "240 passengers", "its passengers: 240"."""
    text = item.sentence.text
    around = text[max(0, span.start - REACH) : span.start], text[span.end : span.end + REACH]
    before, after = (words(part) for part in around)
    nouns = _PEOPLE if noun in _PEOPLE else {noun}
    return not nouns.isdisjoint(map(stem, (*before[-3:], *after[:3])))


def _followed(span: Span, item: Weighed, asked: frozenset[str]) -> bool:
    """Tell whether a word of the question comes soon after the span: "9 euros for guests"."""
    return any(stem(word) in asked for word in words(item.sentence.text[span.end : span.end + REACH])[:3])
