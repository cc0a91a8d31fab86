"""The sentence that says all that a question asks, whatever its document is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ddax.reasoning.embedded.antecedent import Placed, antecedent, goes_back, placed, states
from ddax.reasoning.embedded.evidence import Weighed, fit_of_title
from ddax.reasoning.embedded.question import Question, said_of
from ddax.reasoning.embedded.reasons import LEAST_COVER, gives_reason, only_says_what
from ddax.reasoning.embedded.rows import asked_cell
from ddax.reasoning.embedded.sentences import Sentence
from ddax.reasoning.embedded.spans import DATE, LIVED, led_as_place, people_in
from ddax.reasoning.embedded.text import contains_phrase, denies, terms, words

LEAST_TERMS = 2
"""One word alone may stand in any sentence, also in one that is about something else."""
FEW_TERMS = 3
"""So few words of a question without a name stand in one sentence, or in two that belong together."""
_ASKED = frozenset({"person", "date", "number", "place", "thing", "open", "yes_no"})
_TIME = re.compile(
    r"\d|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|noon|midnight|today"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:dai|week|month|quarter|year)ly|every|weekends?)\b",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r"\b(?:once|twice|times|every|each|always|never|hourly|daily|weekly|monthly|quarterly|yearly|annually)\b",
    re.IGNORECASE,
)
_FORM = frozenset(terms("year date number name value amount true"))
"""What only says in which form an answer is asked for."""
_SPENT = frozenset(terms("take takes last lasts cost costs pay paid per go goes"))
"""What only says what an amount is: "How much is paid per kilometre?", "How long does it take?"."""
_CHANGED = re.compile(
    r"\b(?:correction|corrected|instead|updated|revised|rescheduled|postponed|replaced by)\b", re.IGNORECASE
)
"""What says that an earlier statement holds no more."""
_OF_YEAR = re.compile(r",?\s+\d{4}$")
"""The year at the end of a date, which a change of the day need not say again."""
_LIFE = frozenset(terms("born birth die died death"))
_WHO = re.compile(r"who\b", re.IGNORECASE)
_HE = frozenset(["he", "his", "she", "her"])
_NO = frozenset(["no", "nor", "neither", "without"])


Told = tuple[Weighed, ...]
"""A sentence, after the one that says who or what its "it" or "she" is."""


def whole(question: Question, weighed: Sequence[Weighed]) -> list[Told]:
    """Find the sentences that say every word asked, best first, or the row whose cell is asked for.

    What gives the reason that is asked for, and what changes something, comes before the others.
    """
    needed = needed_terms(question)
    if question.kind not in _ASKED or not needed:
        return []
    if cell := asked_cell(question, weighed):
        return [(cell[0],)]
    if any(fit_of_title(question, item.sentence) == 1 for item in weighed):
        # The opening of its own document says what a thing is.
        return []
    among = placed(weighed)
    answers = [item for item in weighed if len(needed) >= LEAST_TERMS and _answers(question, item)]
    found = [told for item in answers if (told := _together(item, among, needed))]
    return sorted(found, key=lambda told: _rank(question, told[-1].sentence))


def rivals(question: Question, weighed: Sequence[Weighed], sure: Sequence[Told]) -> list[Told]:
    """Find what says the same of what the question names, where only its document says the name."""
    named = {term for name in question.names for term in terms(name)}
    rest = needed_terms(question) - named
    if not sure or not named or len(rest) < LEAST_TERMS:
        return []
    told = {id(item) for one in sure for item in one}
    others = (item for item in weighed if id(item) not in told and rest <= item.terms)
    return [
        (item,)
        for item in others
        if item.spans and _answers(question, item) and named <= set(terms(item.sentence.passage.text))
    ]


def overtaken(short: str, question: Question, weighed: Sequence[Weighed]) -> list[Told]:
    """Find what is about the same and says that a short answer was changed: “from 14 June to 21 June”."""
    if not short:
        return []
    day = re.escape(_OF_YEAR.sub("", short) or short)
    changed = re.compile(rf"\bfrom\s+(?:the\s+)?{day}\b[^.;]{{0,40}}?\bto\s+\S", re.IGNORECASE)
    among = placed(weighed)
    found = [item for item in among.values() if changed.search(item.sentence.text)]
    return [
        (item,) if source is None else (source, item)
        for item in found
        for source in [antecedent(item, among)]
        if max(item.cover, source.cover if source else 0.0) >= LEAST_COVER
    ]


def _rank(question: Question, line: Sentence) -> tuple[bool, bool]:
    """Put first what gives a reason where it is asked why, and what says that it changes something."""
    return question.asks_why and not gives_reason(line), _CHANGED.search(line.text) is None


def _together(item: Weighed, among: Placed, needed: AbstractSet[str]) -> Told:
    """Return a sentence, with the one it goes on from, where they say all that is needed; else nothing."""
    own, named = _said(item, needed), antecedent(item, among)
    if needed <= own:
        return (item,) if named is None else (named, item)
    # What the first of the two says alone is no answer of the second.
    if named is not None and needed <= own | named.terms and not needed <= named.terms:
        return (named, item)
    return ()


def _said(item: Weighed, needed: AbstractSet[str]) -> frozenset[str]:
    """Return the words of a sentence; the two dates behind a name that is needed tell of birth and death."""
    lived = LIVED.search(item.sentence.text)
    named = terms(item.sentence.text[: lived.start()])[-1:] if lived else []
    return item.terms | _LIFE if named and set(named) <= needed else item.terms


def apart(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether all words of a plain question about one thing are said, but never of this thing.

    "Who designed the mill?" is not answered by what says who designed the bridge beside it.
    """
    needed = frozenset(question.terms) - _FORM
    named = {term for name in question.names for term in terms(name)}
    plain = len(needed - named) <= (question.kind == "person" and _WHO.match(question.text) is not None)
    one = plain if len(question.names) == 1 else not question.names and len(needed) <= FEW_TERMS
    if question.kind not in ("person", "date", "number") or not one:
        return False
    said = frozenset[str]().union(*(item.terms for item in weighed))
    if len(needed) < LEAST_TERMS or not needed <= said or whole(question, weighed):
        return False
    among = placed(weighed)
    return not any(needed <= item.terms or _together(item, among, needed) for item in weighed)


def lettered(question: Question) -> list[list[str]]:
    """Return the names that a single letter tells from others, as words: "Class B" is no "Class A"."""
    named = [words(name) for name in question.names]
    return [name for name in named if len(name) > 1 and len(name[-1]) == 1 and name[-1].isalpha()]


def needed_terms(question: Question) -> frozenset[str]:
    """Return the words of a question that an answer has to be about."""
    spent = _SPENT if question.kind in ("date", "number") else frozenset[str]()
    return frozenset(question.terms) - _FORM - spent


def _answers(question: Question, item: Weighed) -> bool:
    """Tell whether a sentence states something of the kind that is asked for."""
    own = said_of(question, item.sentence.text)
    # Where only its heading says what is asked, it is about something else; "it" is what the heading names.
    about = goes_back(item.sentence) or not own.isdisjoint(terms(question.text))
    if not states(item.sentence) or not _fits(question, item) or not about:
        return False
    if not all(contains_phrase(words(item.sentence.titled), name) for name in lettered(question)):
        return False
    said = set(words(item.sentence.text)) - set(words(question.text))
    denied = denies(said) or not _NO.isdisjoint(said)
    return question.kind == "yes_no" or not denied or _CHANGED.search(item.sentence.text) is not None


def _fits(question: Question, item: Weighed) -> bool:
    """Tell whether a sentence says anything that has the form of an answer."""
    text = item.sentence.text
    if only_says_what(question, item.sentence):
        return False
    if re.search(r"\bhow often\b", question.text, re.IGNORECASE):
        return _OFTEN.search(text) is not None
    if question.kind == "date":
        return bool(item.spans) or (_TIME.search(text) is not None and not DATE.search(text))
    named = question.kind in ("person", "number") or (question.kind == "place" and question.head)
    return bool(item.spans) or not named  # "born in a city" names no city


def two_named(question: Question, told: Told) -> bool:
    """Tell whether "he" or "she" may be another person than whom the question names."""
    first, last = told[0].sentence, told[-1].sentence
    if first is last or _HE.isdisjoint(words(last.plain)[:1]):
        return False
    asked = set(words(question.text))
    others = (span for span in people_in(first.text) if not set(words(span.text)) <= asked)
    return any(
        " " in span.text and not DATE.search(span.text) and not led_as_place(first.text, span.start)
        for span in others
    )
