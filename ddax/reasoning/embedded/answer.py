"""The answer: which sentences to say within 60 words, the short answer, and when to refuse."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded.affirm import affirmed
from ddax.reasoning.embedded.antecedent import bound
from ddax.reasoning.embedded.apart import apart
from ddax.reasoning.embedded.cards import of_another_part
from ddax.reasoning.embedded.changes import changes, overtaken
from ddax.reasoning.embedded.compare import compared
from ddax.reasoning.embedded.denials import denying
from ddax.reasoning.embedded.evidence import Weighed, fit_of_title, weigh
from ddax.reasoning.embedded.extremes import asks_extreme, extreme
from ddax.reasoning.embedded.fields import asked_field, lacks_field
from ddax.reasoning.embedded.nearest import nearest
from ddax.reasoning.embedded.order import begun, from_top, opened
from ddax.reasoning.embedded.others import told_of_others
from ddax.reasoning.embedded.outright import outright
from ddax.reasoning.embedded.reasons import gives_reason, only_says_what, unreasoned
from ddax.reasoning.embedded.rows import asked_cell, lacking, said_aside, unknown_row
from ddax.reasoning.embedded.sentences import HEADING_WORDS, Sentence, of_one_part
from ddax.reasoning.embedded.short import short_of
from ddax.reasoning.embedded.sizes import measured_first, unmeasured
from ddax.reasoning.embedded.subject import unmentioned
from ddax.reasoning.embedded.support import Support, measure, unsaid
from ddax.reasoning.embedded.touched import not_of_relative, with_unit
from ddax.reasoning.embedded.whole import Told, mismeasured, mispriced, needed_terms, rivals, whole
from ddax.text.mentions import shares
from ddax.text.question import Question, said_of, unmet
from ddax.text.words import bare_title, contains_phrase, terms, words
from ddax.types import Citation, Passage

MAX_WORDS = 60
"""Words of an answer text."""
MAX_SENTENCES = 8
"""Sentences chosen at most; no more fit into the words."""
LEAST_SHARE = 0.5
"""A sentence says more only from this share of the best score on."""
WHOLE = 0.999
"""Coverage of a sentence that says every word of the question."""
MAX_SURE = 3
"""Sentences that say all that is asked, of which several are told: they need not agree."""
_NUMBERED = re.compile(r"[#\s*]*(?:\d+\.)*\d+[.)]?\s")
"""The number of a heading, which tells nothing of what is asked."""
LEAST_WORDS = 8
"""A fragment shorter than this is not worth a citation."""


@dataclass(frozen=True)
class Answer:
    """An answer text with the quotes it is made of; `found` is False where it refuses, and shows passages."""

    text: str
    citations: tuple[Citation, ...]
    found: bool
    support: Support
    short: str
    nearest: tuple[str, ...] = ()


def answer(question: Question, passages: Sequence[Passage], vectors: Vectors, *, threshold: float) -> Answer:
    """Answer from passages, or refuse.

    Refused is what has support under the threshold, a name that is not mentioned, or nothing to quote.
    """
    weighed = weigh(question, passages, vectors)
    weighed = [item for item in weighed if not said_aside(question, item, weighed)]
    strength = measure(question, weighed)
    absent = unmentioned(question, weighed, vectors)
    missing = bool(absent) or strength.value < threshold or bool(unsaid(question, passages))
    missing = missing or apart(question, weighed) or _beside(question, weighed)
    missing = missing or unreasoned(question, weighed)
    plain = outright(question, weighed)
    if plain or (weighed and not missing):
        alone = _told_alone(question, *plain) if plain else _alone(question, weighed)
        text, citations, short = alone or _quoted(question, passages, weighed, vectors)
        if citations:
            return Answer(text, citations, True, strength, short)
    said = refusal(question, weighed, absent=absent)
    return Answer(said, (), False, strength, "", nearest(weighed))


def _beside(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether what was read says another field, part, size or relative of what is asked, or no size."""
    return (
        lacks_field(question, weighed)
        or not_of_relative(question, weighed)
        or of_another_part(question, weighed)
        or mismeasured(question, weighed)
        or mispriced(question, weighed)
        or unmeasured(question, weighed, needed_terms(question))
    )


def _quoted(
    question: Question, passages: Sequence[Passage], weighed: Sequence[Weighed], vectors: Vectors
) -> tuple[str, tuple[Citation, ...], str]:
    """Return the text of an answer, its quotes, and the short answer."""
    about = shares(question.names, passages)
    order = opened(question, chosen(question, sayable(question, weighed), vectors, about), weighed)
    order = from_top(question, measured_first(question, order), weighed)
    lead, deciding = compared(question, weighed) if question.kind in ("yes_no", "choice") else ("", [])
    decided = None if lead else _decided(question, weighed)
    sure = [(decided[0],)] if decided else whole(question, weighed)[:MAX_SURE]
    sure = [(item,) for item in deciding] if lead else sure
    more = [] if decided or lead else rivals(question, weighed, sure)
    firm = [*sure, *more][:MAX_SURE]
    order = telling(question, begun(order, [item for told in firm for item in told]), firm)
    if order and order[0].sentence.cells and not (lead or decided) and _open(question, order[0], weighed):
        return "", (), ""
    short = lead or (decided[1] if decided else short_of(question, sure, more, order))
    if later := overtaken(short, weighed):
        order, short = begun(order, [item for told in later for item in told]), ""
    if changed := changes(question, order, weighed):
        order, short = begun([item for item in order if not item.sentence.label], changed), ""
    short = short if lead or decided else with_unit(question, short, order)
    text, citations = pack(lead, bound(order, weighed), asked=frozenset(question.terms))
    if question.kind == "name" and short:
        citations = _name_first(order[0].sentence, weighed, citations)
    return text, citations, short


def _open(question: Question, row: Weighed, weighed: Sequence[Weighed]) -> bool:
    """Tell whether a row leaves open what is asked: one of several says nothing of the others."""
    return asks_extreme(question) or bool(lacking(question, row, weighed))


def _decided(question: Question, weighed: Sequence[Weighed]) -> tuple[Weighed, str] | None:
    """Find what one sentence or one row decides: yes or no, the cell asked for, the end of a column."""
    return affirmed(question, weighed) or asked_cell(question, weighed) or extreme(question, weighed)


def _alone(question: Question, weighed: Sequence[Weighed]) -> tuple[str, tuple[Citation, ...], str] | None:
    """Tell with nothing beside it what denies all that is asked, a cell of nobody, or an object's field."""
    unknown = unknown_row(question, weighed)
    if denied := [unknown] if unknown else denying(question, weighed)[:1]:
        told, short = tuple(denied), ""
    elif field := asked_field(question, weighed):
        told, short = field
    else:
        return None
    return _told_alone(question, bound(told, weighed), short)


def _told_alone(
    question: Question, told: Sequence[Weighed], short: str
) -> tuple[str, tuple[Citation, ...], str]:
    """Return what is told with nothing beside it, its quotes, and the short answer."""
    return (*pack("", told, asked=frozenset(question.terms)), short)


def _name_first(
    said: Sentence, weighed: Sequence[Weighed], citations: tuple[Citation, ...]
) -> tuple[Citation, ...]:
    """Quote where the document says its name, before what it says of it."""
    title = said.passage.title
    for item in weighed:
        line = item.sentence
        if line.label and line.passage.source == said.passage.source and line.text.startswith(title):
            return (line.citation(), *(quote for quote in citations if quote != line.citation()))
    return citations


def refusal(question: Question, weighed: Sequence[Weighed], *, absent: str = "") -> str:
    """Say that the sources do not answer, and what is missing; `absent` is a thing that nothing mentions."""
    said = frozenset[str]().union(*(said_of(question, item.sentence.titled) for item in weighed))
    missing = (unmet(question.names, said) or told_of_others(question, _texts(weighed)))[:6]
    about = frozenset[str]().union(*(item.terms for item in weighed))
    if missing:
        tail = f"nothing read mentions {', '.join(missing)}"
    elif absent:
        tail = f"nothing read mentions {absent}"
    elif unmet(question.names, about) or apart(question, weighed):
        other = f"than {' or '.join(question.names)}" if question.names else "than the question names"
        tail = f"what was read is about another one {other}"
    elif unreasoned(question, weighed):
        tail = "what was read says what is so, not why"
    else:
        tail = "what was read does not carry an answer" if weighed else "nothing was read"
    return f"Not found in the sources: {tail}."


def _texts(weighed: Sequence[Weighed]) -> list[str]:
    return list(dict.fromkeys(f"{i.sentence.passage.title}\n{i.sentence.passage.text}" for i in weighed))


def sayable(question: Question, weighed: Sequence[Weighed]) -> list[Weighed]:
    """Leave out what is no answer.

    Those are lines that only lead to others, headings that say no date or number of what is asked, and rows
    that only say what is so where it is asked why.
    """
    kept = [
        item
        for item in weighed
        if not item.sentence.text.endswith((":", "：", ","))
        and not only_says_what(question, item.sentence)
        and (not item.sentence.label or _dates(question, item))
    ]
    return kept or [item for item in weighed if not item.sentence.label]


def _dates(question: Question, label: Weighed) -> bool:
    """Tell whether a heading says the date or number of what is asked: "3.1.0 (2024-06-30)"."""
    said = said_of(question, label.sentence.text)
    if question.kind not in ("date", "number") or said.isdisjoint(question.terms):
        return False
    numbered = _NUMBERED.match(label.sentence.text)
    return any(span.start >= (numbered.end() if numbered else 0) for span in label.spans)


def telling(question: Question, order: Sequence[Weighed], sure: Sequence[Told] = ()) -> list[Weighed]:
    """Keep what says more: of the same part of a document, of a linked one, or of a word still open.

    Beside a sentence that answers whole, only its own part goes on, and beside those that are `sure` to
    answer only what stands next to them. What is far weaker than the best is dropped, if it is no reason
    that is asked for.
    """
    if not order:
        return []
    first, least = order[0], LEAST_SHARE * max(item.score for item in order)
    answered = first.cover >= WHOLE or fit_of_title(question, first.sentence) == 1
    begins = len({id(item) for told in sure for item in told})
    kept, asked = list(order[: max(1, begins)]), frozenset(question.terms)
    said = set[str]().union(*(item.terms for item in kept))
    for item in order[len(kept) :]:
        weak = item.score < least and not (question.asks_why and gives_reason(item.sentence))
        if weak or item.sentence.label:
            continue
        new = not (answered or sure) and ((item.terms & asked) - said or _linked(question, item, kept))
        near = not sure or abs(item.sentence.place - sure[0][-1].sentence.place) == 1
        if new or (near and _goes_on(item.sentence, first.sentence)):
            kept.append(item)
            said |= item.terms
    return kept


def _goes_on(line: Sentence, first: Sentence) -> bool:
    """Tell whether a sentence says more of the same: the part's own, and no other row of a table."""
    return of_one_part(line, first) and not (line.item and first.item)


def _linked(question: Question, item: Weighed, kept: Sequence[Weighed]) -> bool:
    """Tell whether a document names one of those kept, is named by it or by the question, or is one."""
    page, title = item.sentence.passage, words(bare_title(item.sentence.subject))
    others = [other.sentence for other in kept]
    own = [other for other in others if page.source == other.passage.source]
    if any(of_one_part(item.sentence, other) for other in own):
        return True
    if own and item.sentence.subject == page.title:
        return False
    return contains_phrase(words(question.text), title) or any(
        contains_phrase(words(other.passage.text if other not in own else other.text), title)
        or (other not in own and contains_phrase(words(page.text), words(bare_title(other.subject))))
        for other in others
    )


def chosen(
    question: Question, weighed: Sequence[Weighed], vectors: Vectors, about: Mapping[str, float]
) -> list[Weighed]:
    """Order the sentences to say: each next one continues the first and says what none before it did.

    The sum of likeness to the question joined with the best sentence (the second hop), the share of the
    question's words that are new, and, at half weight each, the plain likeness, the fit of a span, and how
    far its document is about what the question names (`about`, by source).
    """
    if not weighed:
        return []
    lines = [item.sentence.titled for item in weighed]
    bears = [about.get(item.sentence.passage.source, 0.0) for item in weighed]
    lead = max(range(len(weighed)), key=lambda i: weighed[i].score + bears[i] / 2)
    hops = vectors.likeness(f"{question.text} {lines[lead]}", lines)
    asked, said = frozenset(question.terms), frozenset[str]()
    rest, order = list(range(len(weighed))), list[Weighed]()
    while rest and len(order) < MAX_SENTENCES:
        new = {i: len((weighed[i].terms & asked) - said) / max(1, len(asked)) for i in rest}
        best = max(
            rest, key=lambda i: float(hops[i]) + new[i] + (weighed[i].like + weighed[i].fit + bears[i]) / 2
        )
        rest.remove(best)
        order.append(weighed[best])
        said |= weighed[best].terms
    return order


def pack(
    lead: str, order: Sequence[Weighed], *, asked: frozenset[str] = frozenset()
) -> tuple[str, tuple[Citation, ...]]:
    """Fill the words allowed: the decided answer first, then the sentences in order."""
    # A decided answer is no quote: it leaves room for the mark that says so.
    room = len(lead.split()) + 1 if lead else 0
    parts, left = ([f"{lead[:1].upper()}{lead[1:]}."] if lead else []), MAX_WORDS - room
    quotes: list[Citation] = []
    told: Sentence | None = None
    for item in order:
        said = _said(item.sentence, told, left, asked)
        if said is None:
            continue
        text, cited = said
        quotes.extend(quote for quote in cited if quote not in quotes)
        if text in parts:  # a second source for what was said
            continue
        parts.append(text)
        left -= len(text.split())
        told = item.sentence
    return " ".join(parts), tuple(quotes)


def _said(
    sentence: Sentence, told: Sentence | None, left: int, asked: frozenset[str]
) -> tuple[str, list[Citation]] | None:
    """Say a sentence with what it needs to be understood, and quote it; None where too little would stay."""
    front, above = _before(sentence, told, asked)
    cited = [sentence.citation(), *above]
    text = ": ".join([*front, sentence.told])
    if len(text.split()) <= left:
        return _ended(text), cited
    room = left - len(" ".join(front).split())
    if room < LEAST_WORDS or sentence.label:
        return None
    # A row without blanks is one word: it is cut behind one of its cells.
    cut = _cut(sentence, room, r"\S+") or _cut(sentence, room, r"[^\s|]+")
    if cut is None:
        return None
    cited[0] = cut.citation()
    return ": ".join([*front, cut.told]) + "…", cited


def _before(
    sentence: Sentence, told: Sentence | None, asked: frozenset[str]
) -> tuple[list[str], list[Citation]]:
    """Return what is said before a sentence, and the quotes of what stands above it.

    The title goes before a sentence of a new document that does not name it, the heading before an item
    of a list or a table, before what it says to hold no more, and before what comes first of a document
    where it says a word asked that this leaves out.
    """
    title, heading = bare_title(sentence.subject), sentence.heading
    front, cited = list[str](), list[Citation]()
    new = told is None or title != bare_title(told.subject)
    if new and not contains_phrase(words(sentence.told), words(title)):
        front.append(title)
    begins = told is None or told.passage.source != sentence.passage.source
    needed = sentence.item or sentence.aside or (begins and _tells(sentence, asked))
    if heading is not None and heading.plain != sentence.subject and needed:
        front.append(heading.plain.rstrip(".:"))
        cited.append(heading.citation())
    if sentence.cells and sentence.header is not None:
        cited.append(sentence.header.citation())
    return front, cited


def _tells(sentence: Sentence, asked: frozenset[str]) -> bool:
    """Tell whether the heading above a sentence says a word asked that the sentence does not say."""
    heading = sentence.heading.plain if sentence.heading else ""
    known = set(terms(f"{sentence.subject} {sentence.text}"))
    one_line = sentence.heading is not None and "\n" not in sentence.heading.text
    return one_line and len(heading.split()) <= HEADING_WORDS and bool((asked & set(terms(heading))) - known)


def _ended(text: str) -> str:
    """Close a text that has no mark at its end, so that the next one does not run into it."""
    return text if text[-1:] in '.!?:;。！？؟…"”’)' else f"{text}."


def _cut(sentence: Sentence, room: int, parts: str) -> Sentence | None:
    """Cut a sentence to its longest beginning said in so many words; marks of layout are no words."""
    best = None
    for match in re.finditer(parts, sentence.text):
        cut = replace(sentence, text=sentence.text[: match.end()])
        said = len(cut.told.split())
        if said > room:
            break
        best = cut if said else best
    return best
