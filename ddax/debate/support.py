"""What carries each statement of an answer: data beside the text, nothing is written into it.

`supported` is what a quote says in the same words, `paraphrase` what it says in others, `contradicted`
what is against the quote it was given with, `knowledge` what the model says to know of itself, and
`unchecked` everything else: that nothing carries a statement does not say that it is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ddax.debate.carried import Quotes
from ddax.debate.renderings import Likeness, bare, differs, renders
from ddax.reasoning.entailment.opposites import opposed
from ddax.reasoning.entailment.words import forms, read, says
from ddax.reasoning.protocol import Stated
from ddax.reasoning.statements import Statement, statements
from ddax.types import Citation, EntailmentCheck, JsonDict

Status = Literal["supported", "paraphrase", "knowledge", "unchecked", "contradicted"]
CARRIED: frozenset[Status] = frozenset({"supported", "paraphrase"})
"""What a quote carries."""
FEW = 2
"""Words up to which a statement is an answer alone, which its quote has in a row."""


class Support(NamedTuple):
    """A statement of an answer: its place, what it rests on, and the citations by number from 1."""

    start: int
    end: int
    status: Status
    citations: tuple[int, ...] = ()

    def row(self) -> JsonDict:
        """Return it as the plain values that state and results hold."""
        origin = {"origin": "model"} if self.status == "knowledge" else {}
        return {
            "start": self.start, "end": self.end, "status": self.status,
            "citations": [*self.citations], **origin,
        }  # fmt: skip


@dataclass(frozen=True)
class Means:
    """What statements are checked with; `own` says that nothing was read, so that the model knew it all."""

    check: EntailmentCheck
    likeness: Likeness
    task: str = ""
    least: float = 0.5
    own: bool = False


@dataclass
class _Told:
    """The citations taken apart, and the texts a reasoner gave them with that are not yet placed."""

    citations: Sequence[Citation]
    means: Means
    quotes: Quotes = field(init=False)

    def __post_init__(self) -> None:
        self.quotes = Quotes([citation.quote for citation in self.citations])


def supports(
    text: str, citations: Sequence[Citation], means: Means, *, stated: Sequence[Stated] = ()
) -> list[Support]:
    """Return what carries each statement of a text. Blocking where the check is a model.

    `stated` are the pieces of the text with the quotes that the reasoner gave for them.
    """
    told = _Told(citations, means)
    found = statements(text, [citation.quote for citation in citations])
    given = _given(text, found, stated)
    return [_support(one, told, given.get(one.start)) for one in found]


def _given(text: str, found: Sequence[Statement], stated: Sequence[Stated]) -> Mapping[int, Stated]:
    """Return what the reasoner said of each statement, by the place where it begins."""
    given: dict[int, Stated] = {}
    cursor = 0
    for piece in stated:
        at = text.find(piece.text, cursor)
        if at < 0:
            continue
        end = cursor = at + len(piece.text)
        for one in found:
            if at < one.end and one.start < end:
                before = given.get(one.start, Stated(""))
                cited = tuple(dict.fromkeys((*before.citations, *piece.citations)))
                given[one.start] = Stated(piece.text, cited, own=before.own or piece.own)
    return given


def _support(one: Statement, told: _Told, given: Stated | None) -> Support:
    status, numbers = _status(one, told, given or Stated(""))
    return Support(one.start, one.end, status, numbers)


def _status(one: Statement, told: _Told, given: Stated) -> tuple[Status, tuple[int, ...]]:
    named = tuple(n for n in given.citations if 0 < n <= len(told.citations))
    if said := told.quotes.word_for_word(one.words):
        return "supported", _with(said, named, told, one)
    if one.form == "code":
        inside = [n for n, cited in enumerate(told.citations, 1) if one.words in cited.quote]
        return ("supported", tuple(inside[:1])) if inside else _uncarried(told, given, named)
    if len(forms(one.words)) <= FEW or one.form == "value":
        having = [n for n in _ordered(named, told) if _has(one, told.citations[n - 1])]
        if having:
            return "paraphrase", tuple(having[:1])
    carrying = [n for n in _ordered(named, told) if _carries(one, told, n, named=n in named)]
    if carrying:
        return "paraphrase", tuple(n for n in carrying if n in named) or tuple(carrying[:1])
    if named and _together(one, told, named):
        return "paraphrase", named
    against = tuple(n for n in named if _against(one, told, n))
    return ("contradicted", against) if against else _uncarried(told, given, named)


def _uncarried(told: _Told, given: Stated, named: tuple[int, ...]) -> tuple[Status, tuple[int, ...]]:
    """Return what nothing carries: what the model knows of itself rests on no citation."""
    return ("knowledge", ()) if told.means.own or given.own else ("unchecked", named)


def _ordered(named: Sequence[int], told: _Told) -> list[int]:
    """Return the numbers of all citations, those that were named first."""
    return [*named, *(n for n in range(1, len(told.citations) + 1) if n not in named)]


def _with(said: int, named: Sequence[int], told: _Told, one: Statement) -> tuple[int, ...]:
    """Return the citation that says a statement, with the other ones named for it that bear it out too."""
    more = (n for n in named if n != said and _carries(one, told, n, named=True))
    return (said, *more)


def _has(one: Statement, citation: Citation) -> bool:
    """Tell whether a quote has the words of a short answer, or of a value, in a row."""
    value = one.words.rpartition(": ")[2] if one.form == "value" else one.words
    return says([citation.quote], value)


def _carries(one: Statement, told: _Told, number: int, *, named: bool) -> bool:
    """Tell whether a quote says a statement in other words: the check says so, or nothing is against it.

    That nothing is against it is enough for the quotes that the reasoner named; of others it proves little.
    """
    citation, means, line = told.citations[number - 1], told.means, bare(one.words)
    context = f"{citation.title}. {means.task}"
    found = means.check(citation.quote, line)
    if found.relation == "entailment" and found.confidence >= means.least:
        return not differs(citation.quote, line, means.likeness, context=context)
    if found.relation == "contradiction" and _denies(citation, line, found.confidence, means):
        return False
    return named and renders(citation.quote, line, means.likeness, context=context)


def _together(one: Statement, told: _Told, named: Sequence[int]) -> bool:
    """Tell whether several quotes that were named carry a statement only together."""
    if len(named) < FEW:
        return False
    cited = [told.citations[n - 1] for n in named]
    titles = " ".join(citation.title for citation in cited)
    quote = " ".join(citation.quote for citation in cited)
    context = f"{titles}. {told.means.task}"
    return renders(quote, bare(one.words), told.means.likeness, context=context)


def _against(one: Statement, told: _Told, number: int) -> bool:
    """Tell whether a statement is against the quote it was given with."""
    citation, line = told.citations[number - 1], bare(one.words)
    found = told.means.check(citation.quote, line)
    return found.relation == "contradiction" and _denies(citation, line, found.confidence, told.means)


def _denies(citation: Citation, line: str, confidence: float, means: Means) -> bool:
    """Tell whether a contradiction that the check sees is one: a denial of the opposite is none.

    A denial in other words may be about something else; one that says nothing new is against the quote.
    """
    if confidence < means.least:
        return False
    quote, said = read(citation.quote), read(line)
    if quote.negated == said.negated:
        return True
    unsaid = [word for word in said.content if word not in quote.all]
    return not unsaid and not any(opposed(word, quote.all) for word in said.all)
