"""Values behind their labels, as on a card: "Phone: 555 0199", "Wifi: network Seagull, password tern-42"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from ddax.reasoning.embedded.columns import sizes_of
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.pairs import of_settings
from ddax.reasoning.embedded.rows import MEASURES, RELATION, fits
from ddax.text.question import Question
from ddax.text.table_rows import BAR, cells_of
from ddax.text.units import PRICE
from ddax.text.words import terms

MOST_WORDS = 12
"""A longer value is a sentence."""
SHORT_WORDS = 6
"""Words of a value that is a short answer at most."""
_KINDS = frozenset({"person", "date", "number", "place", "thing"})
_LABELLED = re.compile(
    r"[ \t]*(?:[-*+•][ \t]+|\d{1,3}[.)][ \t]+)?(?:\*\*|__)?(?P<label>[^\W\d_][\w /&'’().-]{0,40}?|\d{2,5})"
    r"(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]+(?P<value>\S.*?)[ \t]*"
)
_PART = re.compile(r"(?P<name>[^\W\d_]+) (?P<value>\S.*)")
"""One of several values behind a label, each after its name."""
_JOINED = re.compile(r"\b(wi|e|check)-(fi|mail|in|out)\b", re.IGNORECASE)
_SAME = {
    "mail": "email", **dict.fromkeys(terms("telephone tel"), *terms("phone")),
    **dict.fromkeys(terms("absent excused"), *terms("apologies")),
}  # fmt: skip
"""Labels by another word, as stems."""
_SAID_TOO = {"email": frozenset(terms("address")), "phon": frozenset(terms("call reach"))}
"""What a question may say beside a label: an email address."""
_ASKING = MEASURES | frozenset(
    terms("mean means stand stands send sends sent work works took kept wrote last lasted take takes")
)
"""What only asks for the value of a label: what an error means, who sent apologies or took the minutes."""
_IS_OF = {"minut": frozenset(terms("meeting session"))}
"""What a page is about by what it is called: the minutes are of a meeting."""
_PAYING = frozenset(terms("cost costs price pay paid charge charged"))
_NAME = r"(?<![\w.'’-])[A-Z\u00c0-\u00de][\w.'’-]++"
_ROLE = re.compile(
    rf"[-*+•][ \t]+(?P<name>(?:(?:Dr|Prof|Mr|Mrs|Ms)\.? )?{_NAME}(?: {_NAME})+)"
    r"(?:, | [–—-] | \()(?P<role>[a-z][\w -]{2,40})\)?"
)
"""A person and a role: "- Dr Amir Saleh, orthodontist"."""
_IN_BRACKETS = re.compile(rf"(?P<name>{_NAME}(?: {_NAME}){{0,8}}) \((?P<role>[a-z][\w -]{{2,30}})\)")
"""One of several persons with a role: "Present: Ines Moreau (chair), Sam Oduya (minutes)"."""
_CALLED = re.compile(
    rf"(?P<name>{_NAME}(?: {_NAME}){{0,8}}) \((?:hereinafter |referred to as |called |the )*"
    r"[\"“„'](?P<role>[^\W\d_][\w -]{2,30})[\"”“'],?\)"
)
"""Who a contract calls by a word: "Norddata AG ("Provider")"."""
_AMOUNT = re.compile(r"(?:[^\W\d_]{1,13}\.? ){0,2}[<>~≈±]?\s*+(?:[£$€]\s*+)?[+-]?\d")
"""What a value begins with that is a number."""
_PHONE = re.compile(r"\+?\d[\d ()/-]{5,}\d")
_VALUES = frozenset(
    terms(
        "value values detail details data entry info information field property properties item feature "
        "features attribute parameter characteristic specification"
    )
)
"""What the columns of a table of labels are called, if they are."""
_GENERAL = frozenset(
    terms(
        "contact contacts address details information info general about overview reach us get touch key "
        "facts data summary profile imprint card fee fees price prices cost costs rate rates charges tariff "
        "tariffs team staff people board crew members hours dates schedule rules house basics "
        "specification specifications technical properties settings environment options errors status "
        "codes booking extras ticket tickets admission entry entrance access location directions arrival "
        "plan plans agenda programme program itinerary"
    )
)
"""What a heading says that is about nothing else than its page."""


@dataclass(frozen=True)
class _Value:
    """A value, the words of its label as stems, and the line that says both."""

    label: frozenset[str]
    value: str
    said: Weighed


def asked_label(question: Question, weighed: Sequence[Weighed]) -> tuple[tuple[Weighed, ...], str] | None:
    """Find the value whose label a question names, where what else it names is what the page is about.

    None where labels that fit have different values. The short answer is empty for a long value.
    """
    if question.kind not in _KINDS or question.german or RELATION.search(question.text):
        return None
    found = [one for one in _labelled(question, weighed) if _is_of_page(question, one)]
    if len({one.value for one in found}) != 1:
        return None
    value = found[0].value
    is_short = question.kind == "person" or len(value.split()) <= SHORT_WORDS
    return (found[0].said,), value if is_short else ""


def of_another_part(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether only what stands under another heading has the label that a question names.

    The manager of a museum is not told by what its page says of the café.
    """
    if question.kind not in _KINDS or question.german:
        return False
    found = list(_labelled(question, weighed))
    lines = {(one.said.sentence.passage.source, one.said.sentence.start) for one in found}
    asked = frozenset(question.terms) - MEASURES
    others = (
        item for item in weighed
        if (item.sentence.passage.source, item.sentence.start) not in lines and asked <= item.terms
    )  # fmt: skip
    return bool(found) and not any(_is_of_page(question, one) for one in found) and not any(others)


def _labelled(question: Question, weighed: Sequence[Weighed]) -> Iterator[_Value]:
    """Give the values of the kind asked for whose label a question names, and beside it their page."""
    asked = _asked(question)
    for item in weighed:
        for one in _values(question, item, asked | sizes_of(question)):
            counts = question.kind != "number" or _AMOUNT.match(one.value)
            fit = counts and fits(question, one.value) and not one.said.sentence.aside
            if fit and _left(one, asked) <= _above(one):
                yield one


def _asked(question: Question) -> frozenset[str]:
    left_out = set(terms(question.text)).difference(question.terms)
    return _stems(question.text) - left_out


def _stems(text: str) -> frozenset[str]:
    """Return the words of a label or a question as stems, each by the word that labels have most."""
    return frozenset(_SAME.get(term, term) for term in terms(_JOINED.sub(r"\1\2", text)))


def _values(question: Question, item: Weighed, asked: AbstractSet[str]) -> Iterator[_Value]:
    """Give the values of a sentence whose labels are asked for."""
    line, at = item.sentence, 0
    if line.code or of_settings(line):
        return
    if BAR.search(line.text):
        yield from _of_row(item, asked)
        return
    for text in line.text.split("\n"):
        start = line.start + at + len(text) - len(text.lstrip())
        said = replace(item, sentence=replace(line, text=text.strip(), start=start))
        roles = _of_roles(said) if question.kind == "person" else ()
        found = [one for one in roles if one.label <= asked]
        if not found and (one := _of_line(question, said, asked)):
            found = [one]
        yield from (one for one in found if one.label and one.label <= asked)
        at += len(text) + 1


def _of_roles(said: Weighed) -> Iterator[_Value]:
    """Give the persons of a line that says names and roles, each labelled by the role."""
    text = said.sentence.text
    alone = _ROLE.fullmatch(text)
    for role in [alone] if alone else [*_IN_BRACKETS.finditer(text), *_CALLED.finditer(text)]:
        if label := _stems(role["role"]):
            yield _Value(label, role["name"], said)


def _of_line(question: Question, said: Weighed, asked: AbstractSet[str]) -> _Value | None:
    """Return what a line says behind its label: of several values the one that is named or has the form."""
    pair = _LABELLED.fullmatch(said.sentence.text)
    if pair is None or len(pair["value"].split()) > MOST_WORDS:
        return None
    label, value = _stems(pair["label"]), pair["value"].rstrip(".")
    parts = re.split(r"[,;]\s+", value)
    named = [part for part in map(_PART.fullmatch, parts) if part and _stems(part["name"]) <= asked - label]
    if len(parts) > 1 and named:
        return _Value(label | _stems(named[0]["name"]), named[0]["value"], said)
    called = _stems("phone") & asked - label
    if called and (number := _PHONE.search(value)):
        return _Value(label | called, number[0], said)
    person = question.kind == "person" and any(map(str.isdigit, value))
    return _Value(label, parts[0] if person else value, said)


def _of_row(item: Weighed, asked: AbstractSet[str]) -> Iterator[_Value]:
    """Give the second cell of a row of two whose table has labels in the first."""
    cells, names = cells_of(item.sentence.text), [name for name, _ in item.sentence.cells]
    label = _stems(cells[0])
    if len(cells) == 2 and label and label <= asked and cells[1] and set(terms(" ".join(names))) <= _VALUES:
        yield _Value(label, cells[1], item)


def _left(one: _Value, asked: AbstractSet[str]) -> frozenset[str]:
    """Return what a question says beside a label, and beside what only asks for its value."""
    beside = frozenset[str]().union(*(_SAID_TOO.get(term, frozenset()) for term in one.label))
    paid = _PAYING if PRICE.search(one.value) else frozenset[str]()
    return frozenset(asked) - one.label - _ASKING - beside - paid


def _above(one: _Value) -> frozenset[str]:
    """Return the words of what a value stands under."""
    heading = one.said.sentence.heading
    return _page(one) | _stems(heading.plain if heading else "")


def _page(one: _Value) -> frozenset[str]:
    """Return the words by which the page of a value is called."""
    line = one.said.sentence
    first = line.passage.text.lstrip().split("\n", 1)[0] if line.passage.opens else ""
    called = _stems(f"{line.subject} {line.passage.title} {first if first.startswith('# ') else ''}")
    return called.union(*(_IS_OF.get(term, frozenset()) for term in called))


def _is_of_page(question: Question, one: _Value) -> bool:
    """Tell whether what a value stands under is the page, or named by the question."""
    heading = one.said.sentence.heading
    return heading is None or _stems(heading.plain) <= _page(one) | _asked(question) | _GENERAL
