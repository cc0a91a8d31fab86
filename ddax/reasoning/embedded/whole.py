"""The sentence that says all that a question asks, whatever its document is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ddax.reasoning.embedded.antecedent import SUBJECT, Placed, antecedent, placed, states
from ddax.reasoning.embedded.changes import CHANGED
from ddax.reasoning.embedded.columns import HOW, of_other_size
from ddax.reasoning.embedded.evidence import Weighed, fit_of_title
from ddax.reasoning.embedded.extremes import extreme, higher
from ddax.reasoning.embedded.fields import asked_field
from ddax.reasoning.embedded.implied import dated, implied, numbered, released
from ddax.reasoning.embedded.reasons import claimed, gives_reason, only_says_what
from ddax.reasoning.embedded.rows import asked_cell
from ddax.reasoning.embedded.sentences import Sentence, goes_back
from ddax.reasoning.embedded.sizes import measured
from ddax.reasoning.embedded.spans import DATE, LIVED, led_as_place, people_in
from ddax.reasoning.embedded.touched import LEAST_FIT
from ddax.text.question import Question, said_of
from ddax.text.units import PAID, PRICE
from ddax.text.words import FUNCTION_WORDS, contains_phrase, denies, stem, terms, words

LEAST_TERMS = 2
"""One word alone may stand in any sentence, also in one that is about something else."""
_ASKED = frozenset({"person", "date", "number", "place", "thing", "open", "yes_no", "name"})
_TIME = re.compile(
    r"\d|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|noon|midnight|today"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:dai|week|month|quarter|year)ly|every|weekends?)\b",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r"\b(?:once|twice|times|every|each|always|never|hourly|daily|weekly|monthly|quarterly|yearly|annually)\b",
    re.IGNORECASE,
)
FORM = frozenset(terms("year date number name value amount true"))
"""What only says in which form an answer is asked for."""
_PAY = frozenset(terms("cost costs pay paid"))
_LAST = frozenset(terms("take takes last lasts"))
_SPENT = _PAY | _LAST | frozenset(terms("per go goes get gets need needs needed require required"))
"""What only says what an amount is: "How much is paid per kilometre?", "How long does it take?"."""
_NUMBER = r"(?<!\d)(?<!\d[.,])(?<!\d[.,][.,])\d[\d.,]*+"
_AMOUNT = re.compile(rf"{_NUMBER}\s*(?:[^\W\d_]{{1,12}}\s+(?:of\s+)?)?(?P<what>[^\W\d_]+)")
"""How much of what: "20 g salt", "2 eggs"."""
_AMOUNT_OF = re.compile(
    rf"{_NUMBER}\s+[^\W\d_]{{1,12}}\s+(?:of\s+)?[^\W\d_]+ (?P<last>[^\W\d_]+)\s*(?:[,;.(]|$)"
)
"""The same of what has a word before it: "1.2 litres of vegetable stock"."""
_LONG = (
    re.compile(
        r"(?<![^\W\d_])([^\W\d_]+) (?:of|lasts?|takes?|lasted|took) "
        r"(?:(?:about|around|up to|at (?:most|least)|only) )?"
        r"(?:\d|(?:an?|half|one|two|three|four|five|six|seven|eight|nine|ten|twelve|several|a few)"
        r" (?:an? )?(?:second|minute|hour|day|night|week|month|year)s?\b)"
    ),
    re.compile(
        r"(?<!\d)\d+[ -](?:second|minute|hour|day|night|week|month|year|metre|meter|mile)[ -]([^\W\d_]+)"
    ),
)
"""What is so long: "an interval of 20 minutes", "a 20-minute interval"."""
_HOW_LONG = re.compile(r"\bhow long\b", re.IGNORECASE)
_SIZED = re.compile(
    r"\b(?:depth|height|length|width|breadth|thickness|weight|span) of (?:(?:about|around|up to|only) )?\d",
    re.IGNORECASE,
)
"""A size by its name: "a depth of 3.80 metres"."""
_LED = re.compile(
    r"(?:\b(?:is|are|was|were|at|for|costs?|paid|up to|only|just|sold|offered|available|rented|hired|charged"
    r"|priced|separately)\s+){1,12}$",
    re.IGNORECASE,
)
"""What may stand between a thing and its price."""
_COST_OF = re.compile(
    r"\b(?:cost|price|fee|charge)s? (?:of|for) (?P<what>[^.;,\d]{1,40}?)"
    r" (?:is|are|was|were|amount(?:s|ed) to)\b",
    re.IGNORECASE,
)
_WHILE = re.compile(
    r"\b(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|quarters?|years?|decades?|centur(?:y|ies)"
    r"|[smhd]|min|takes?|took|lasts?|lasted)\b",
    re.IGNORECASE,
)
"""What a sentence says that tells how long something takes."""
_IS_A = (
    r"(?: \([^()]*\))?,? (?:(?:is|are|was|were) (?:an?|the|one|any|how|when|where|what)"
    r"|means?|denotes?|stands for|refers to)\b"
)
"""What stands in a definition behind the word that is defined."""
_LIFE = frozenset(terms("born birth die died death"))
_LETTERED = re.compile(r"(?<![\w-])[^\W\d_A-Z][\w-]+ (?!I\b)[A-Z]\b(?!['’.])")
_HE = frozenset(["he", "his", "she", "her"])
_WHO_IS = re.compile(r"\W*who(?:['’]s| is| was| are| were) (?:the|our|your)\b", re.IGNORECASE)
_BY = re.compile(r"\bby (?:the |an? |its |his |her |their |some |several |\w+ )?[a-z]{3,}s?\b")
"""Who did what is said in the passive, without a name: "founded by eleven teachers"."""
_ADDRESS = re.compile(r"(?<!\S)\S+@\S+|https?://\S+")
"""What holds a name without being about it: "security@skein.example"."""
_NO = frozenset(["no", "nor", "neither"])
_WITHOUT = re.compile(r"\bwithout(?: (?:an?|the|any))? (?P<what>\w+(?: \w+)?)", re.IGNORECASE)
_BESIDES = re.compile(
    r"(?:,? (?:and|but)"
    r" (?:(?:was|were|is|are|has|have|had|did|does|do|will|would|can|could)(?: not|n['’]t)|never)|, not)"
    r" (?P<denied>[^;]+)$"
)
"""What a sentence denies at its end of what it is about."""


Told = tuple[Weighed, ...]
"""A sentence, after the one that says who or what its "it" or "she" is."""


def whole(question: Question, weighed: Sequence[Weighed]) -> list[Told]:
    """Find the sentences that say every word asked, best first, or the row whose cell is asked for.

    What gives the reason that is asked for, and what changes something, comes before the others.
    """
    needed = needed_terms(question)
    if rows := higher(question, weighed):
        return [tuple(rows)]
    if question.kind not in _ASKED or not needed:
        return []
    if record := _of_record(question, weighed):
        return [record]
    heads = [item for item in weighed if dated(item.sentence) and needed <= item.terms]
    if heads and question.kind == "date":
        return [(head,) for head in heads]
    defined: list[Told] = [(item,) for item in weighed if defines(question, item.sentence)]
    if defined:
        return defined
    openings = (item for item in weighed if fit_of_title(question, item.sentence) == 1)
    if any(question.kind != "name" or not needed.isdisjoint(item.terms) for item in openings):
        # The opening of its own document says what a thing is.
        return []
    among = placed(weighed)
    enough = len(needed) >= LEAST_TERMS
    able = [item for item in weighed if enough or _is_one(question, item, needed)]
    answers = [item for item in able if _answers(question, item)]
    found = [told for item in answers if (told := together(question, item, among, needed))]
    return sorted(found, key=lambda told: _rank(question, told[-1].sentence))


def _of_record(question: Question, weighed: Sequence[Weighed]) -> Told:
    """Return the row or the object whose cell or field is asked for; nothing where there is none."""
    if cell := asked_cell(question, weighed) or extreme(question, weighed):
        return (cell[0],)
    field = asked_field(question, weighed)
    return field[0] if field else ()


def defines(question: Question, line: Sentence) -> bool:
    """Tell whether a sentence says what the thing is of which a definition is asked."""
    if not question.subject or line.label:
        return False
    subject = re.escape(question.subject.strip())
    return re.match(rf"(?:(?:an?|the) )?{subject}{_IS_A}", line.plain, re.IGNORECASE) is not None


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


def _rank(question: Question, line: Sentence) -> tuple[bool, bool]:
    """Put first what gives a reason where it is asked why, and what says that it changes something."""
    return question.asks_why and not gives_reason(line), CHANGED.search(line.text) is None


def together(question: Question, item: Weighed, among: Placed, needed: AbstractSet[str]) -> Told:
    """Return a sentence, with the one it goes on from, where they say all that is needed; else nothing."""
    # Two dates behind a name do not tell where.
    own = item.terms if question.kind == "place" else _said(item, needed)
    named = antecedent(item, among)
    if needed <= own and (named is None or named.unmeant.isdisjoint(needed)):
        return (item,) if named is None else (named, item)
    # What the first of the two says alone is no answer of the second.
    if named is not None and not needed <= named.terms:
        both = (own | named.terms) - item.unmeant - named.unmeant
        return (named, item) if needed <= both else ()
    return ()


def _said(item: Weighed, needed: AbstractSet[str]) -> frozenset[str]:
    """Return the words of a sentence; the two dates behind a name that is needed tell of birth and death."""
    lived = LIVED.search(item.sentence.text)
    named = terms(item.sentence.text[: lived.start()])[-1:] if lived else []
    return item.terms | _LIFE if named and set(named) <= needed else item.terms


def mismeasured(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether all that measures the thing asked about measures another size of it."""
    needed = needed_terms(question)
    told = [item.sentence.text for item in weighed if _counts(item) and needed <= item.terms]
    return bool(told) and all(of_other_size(question, text) for text in told)


def mispriced(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether every price read is said to be of something else: "The cost of one inspection was ..."."""
    if _PAY.isdisjoint(question.terms):
        return False
    needed = needed_terms(question)
    priced = [
        item.sentence.text for item in weighed if PRICE.search(item.sentence.text) and needed & item.terms
    ]
    return bool(priced) and all(
        (of := _COST_OF.search(text)) and said_of(question, of["what"]).isdisjoint(needed) for text in priced
    )


def _counts(item: Weighed) -> bool:
    """Tell whether a sentence says a number that is no year."""
    return any(span.fit == 1 for span in item.spans)


def lettered(question: Question) -> list[list[str]]:
    """Return the names that a single letter tells from others, as words: "Class B" is no "Class A"."""
    named = [words(name) for name in (*question.names, *_LETTERED.findall(question.text))]
    return [
        name
        for name in named
        if len(name) > 1 and len(name[-1]) == 1 and name[-1].isalpha() and name[0] not in FUNCTION_WORDS
    ]


def needed_terms(question: Question) -> frozenset[str]:
    """Return the words of a question that an answer has to be about."""
    spent = {"number": _SPENT, "date": _SPENT - _PAY}.get(question.kind, frozenset[str]())
    return frozenset(question.terms) - FORM - spent


def _answers(question: Question, item: Weighed) -> bool:
    """Tell whether a sentence states something of the kind that is asked for."""
    text = _ADDRESS.sub("", item.sentence.text)
    own = said_of(question, f"{text} {implied(question, item.sentence)}")
    # Where only its heading says what is asked, it is about something else; "it" is what the heading names.
    about = goes_back(item.sentence) or not own.isdisjoint(terms(question.text))
    if not states(item.sentence) or not _fits(question, item) or not about:
        return False
    if not all(contains_phrase(words(item.sentence.titled), name) for name in lettered(question)):
        return False
    told = claimed(item.sentence) if question.asks_why else _told_of(question, item.sentence)
    said = set(words(told)) - set(words(question.text))
    denied = denies(said) or not _NO.isdisjoint(said) or _is_without(question, told)
    return question.kind == "yes_no" or not denied or CHANGED.search(item.sentence.text) is not None


def _is_without(question: Question, told: str) -> bool:
    """Tell whether a sentence says to be without what is asked about; "without delay" denies nothing else."""
    asked = frozenset(question.terms)
    return any(not said_of(question, found["what"]).isdisjoint(asked) for found in _WITHOUT.finditer(told))


def _told_of(question: Question, line: Sentence) -> str:
    """Return a sentence without what it denies of something that is not asked: "and was not rebuilt"."""
    behind = _BESIDES.search(line.text)
    if behind is None or "longer" in (said := terms(behind["denied"])):
        return line.text
    asked = not said or not said_of(question, behind["denied"]).isdisjoint(question.terms)
    return line.text if asked else line.text[: behind.start()]


def _fits(question: Question, item: Weighed) -> bool:
    """Tell whether a sentence says anything that has the form of an answer."""
    text = item.sentence.text
    if only_says_what(question, item.sentence) or of_other_size(question, text):
        return False
    if not measured(question, item):
        return False
    if re.search(r"\bhow often\b", question.text, re.IGNORECASE):
        return _OFTEN.search(text) is not None
    if question.kind == "number" and not all(form.search(item.sentence.told) for form in _measured(question)):
        return False
    if question.kind == "date":
        timed = _TIME.search(text) is not None and not DATE.search(text)
        return bool(item.spans) or timed or released(item.sentence)
    if question.kind == "person" and _BY.search(text):
        return True
    named = question.kind in ("person", "number") or (question.kind == "place" and question.head)
    return bool(item.spans) or not named  # "born in a city" names no city


def _measured(question: Question) -> list[re.Pattern[str]]:
    """Return what an amount has to say that is paid, or that something takes."""
    asked = frozenset(question.terms)
    return [form for verbs, form in ((_PAY, PAID), (_LAST, _WHILE)) if not verbs.isdisjoint(asked)]


def _is_one(question: Question, item: Weighed, needed: AbstractSet[str]) -> bool:
    """Tell whether the amount in a sentence is of the one thing that is asked about."""
    return (
        _is_priced(question, item, needed)
        or _is_measured(question, item, needed)
        or _is_amount(question, item, needed)
        or (needed <= item.terms and numbered(question, item.sentence.text))
        or _is_role(question, item, needed)
    )


def _is_measured(question: Question, item: Weighed, needed: AbstractSet[str]) -> bool:
    """Tell whether a sentence begins with the one thing asked about, and measures it: "64 metres deep"."""
    if question.kind != "number":
        return False
    so_long = (stem(found.lower()) for form in _LONG for found in form.findall(item.sentence.text))
    if _HOW_LONG.search(question.text) and any(needed <= {found} for found in so_long):
        return True
    if (how := HOW.match(question.text)) is None:
        return False
    begins = set(terms(" ".join(words(item.sentence.plain)[:SUBJECT])))
    if needed <= begins and _SIZED.search(item.sentence.text):
        return True
    measured = rf"\d\s+[^\W\d]+\s+{re.escape(how[1])}\b"
    return needed <= begins and re.search(measured, item.sentence.text, re.IGNORECASE) is not None


def _is_amount(question: Question, item: Weighed, needed: AbstractSet[str]) -> bool:
    """Tell whether a sentence says how much there is of the one thing asked about: "20 g salt"."""
    if question.kind != "number" or not re.search(r"\bhow (?:much|many)\b", question.text, re.IGNORECASE):
        return False
    text = item.sentence.text
    return any(
        needed <= {stem(found[name].lower())}
        for form, name in ((_AMOUNT, "what"), (_AMOUNT_OF, "last"))
        for found in form.finditer(text)
    )


def _is_role(question: Question, item: Weighed, needed: AbstractSet[str]) -> bool:
    """Tell whether a name stands right behind the one role asked for: "the coach Malte Rieck"."""
    if question.kind != "person" or _WHO_IS.match(question.text) is None:
        return False
    text = item.sentence.text
    fronts = (words(text[: span.start])[-1:] for span in item.spans if span.fit >= LEAST_FIT)
    return any(needed == set(map(stem, front)) for front in fronts)


def _is_priced(question: Question, item: Weighed, needed: AbstractSet[str]) -> bool:
    """Tell whether an amount of money stands right behind the one thing whose price is asked for."""
    if _PAY.isdisjoint(question.terms):
        return False
    text = item.sentence.text
    fronts = (_LED.sub("", text[: price.start()]) for price in PRICE.finditer(text))
    return any(not needed.isdisjoint(map(stem, words(front)[-1:])) for front in fronts)


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
