"""From the reply to a merge to a document: the text as the model wrote it, and what it gave for each piece.

A model writes the quotes first and then the answer, with their numbers behind what they carry, as in [1].
The numbers are taken out of the text: what carries a piece stands beside it, never in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from pydantic import Field

from ddax.reasoning import protocol as p
from ddax.reasoning.language.quote import clean, ground
from ddax.reasoning.language.replies.grounding import Named, citations
from ddax.reasoning.language.replies.schemas import CitationWire, Unfit, Wire
from ddax.reasoning.statements import Statement, is_json, parts, statements
from ddax.types import Citation

ANSWER_CHARS = 200_000
FEW = 2
"""Words of a statement that may stand in a passage by chance."""
_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(
    rf"[ \t]?(?:\[(?P<said>own|P?\d{{1,3}}(?:\s*[,;]\s*P?\d{{1,3}})*)\](?![(:]|\[(?!(?:own|P?\d)))"
    rf"|{_OPEN}(?P<set>[\d,]*){_CLOSE})"
)
_QUOTED_AS = ("citations", "citation", "quotes", "sources")
_INLINE = re.compile(r"`[^`\n]+`")
_ITEM = re.compile(r"\A\s*(?:[-*+•]|\d{1,3}[.)])\s")
_KINDS = (("heading", re.compile(r"\A\s*#{1,6}\s")), ("row", re.compile(r"\A\s*\|")), ("item", _ITEM),
          ("code", re.compile(r"\A\s*(?:```|~~~)")), ("quotation", re.compile(r"\A\s*>")))  # fmt: skip


class MergeWire(Wire):
    """A synthesis: the quotes it rests on, whether they answer, the text, and the short answer or ""."""

    ALIASES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "quotes": ("citations", "evidence"), "answer": ("text", "document", "response", "content"),
    }  # fmt: skip
    DROPS: ClassVar = ("short",)
    SPARES: ClassVar[Mapping[str, Any]] = {
        "quotes": [], "found": lambda found: bool(str(found.get("answer", "")).strip()), "short": ""
    }  # fmt: skip

    quotes: list[CitationWire]
    found: bool
    answer: str = Field(max_length=ANSWER_CHARS)
    short: str = Field(max_length=1000)

    @classmethod
    def reformed(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read a reply in sentences with quotes of their own as well."""
        return _of_sentences(given)


class OwnWire(Wire):
    """An answer from what the model knows: its working out, whether it can be done, text and short answer."""

    ALIASES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "work": ("reasoning", "thoughts", "steps"), "answer": ("text", "document", "response", "content"),
    }  # fmt: skip
    DROPS: ClassVar = ("work", "short")
    SPARES: ClassVar[Mapping[str, Any]] = {
        "work": "", "found": lambda found: bool(str(found.get("answer", "")).strip()), "short": ""
    }  # fmt: skip

    work: str = Field(default="", max_length=ANSWER_CHARS)
    found: bool
    answer: str = Field(max_length=ANSWER_CHARS)
    short: str = Field(max_length=1000)

    @classmethod
    def reformed(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Pass over quotes: there is nothing they could stand in. Sentences are read as a text."""
        return {key: value for key, value in _of_sentences(given).items() if key != "quotes"}

    @property
    def quotes(self) -> list[CitationWire]:
        """Return no quotes."""
        return []


OwnWire.__name__ = MergeWire.__name__  # a reply is named for its request


class _Mark(NamedTuple):
    """Where in the clean text a mark stood, and what it said: numbers of quotes, or `own`."""

    place: int
    said: str


def _of_sentences(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return sentences with quotes of their own as a text with numbers; any other reply as it is."""
    sentences = given.get("sentences") if "answer" not in given else None
    if not isinstance(sentences, list):
        return given
    quotes: list[Any] = []
    texts: list[str] = []
    for one in sentences:
        first = len(quotes) + 1
        quotes += _quotes_of(one)
        numbers = ",".join(map(str, range(first, len(quotes) + 1)))
        said = one.get("text", one.get("sentence", "")) if isinstance(one, Mapping) else one
        texts.append(f"{said}{_OPEN}{numbers}{_CLOSE}")
    rest = {key: value for key, value in given.items() if key != "sentences"}
    return {**rest, "quotes": quotes, "answer": joined(texts)}


def _quotes_of(sentence: Any) -> list[Any]:
    """Return the quotes of a sentence, in whatever form they are given."""
    if not isinstance(sentence, Mapping):
        return []
    given: Any = next((sentence[key] for key in _QUOTED_AS if sentence.get(key)), [])
    if not given and "quote" in sentence:
        given = {key: sentence[key] for key in ("passage", "source", "quote") if key in sentence}
    if isinstance(given, Mapping) and not {"passage", "source", "quote", "text"} & set(given):
        return [{"passage": passage, "quote": quote} for passage, quote in given.items()]
    return list(given) if isinstance(given, list) else [given]


def joined(texts: Sequence[str]) -> str:
    """Join pieces of a document: sentences by a blank, rows and items by a line, blocks by an empty one."""
    before = ["", *texts[:-1]][: len(texts)]
    return "".join(
        (_between(last, text) if last.strip() else "") + text
        for last, text in zip(before, texts, strict=True)
    )


def _between(before: str, after: str) -> str:
    plain = re.sub(f"{_OPEN}[^{_OPEN}{_CLOSE}]*{_CLOSE}", "", before)
    if plain.endswith("\n") or after.startswith("\n"):
        return ""
    last, first = _kind(plain.rstrip().rpartition("\n")[2]), _kind(after.lstrip("\n").partition("\n")[0])
    if last == first:
        return {"": " ", "row": "\n", "item": "\n", "quotation": "\n"}.get(last, "\n\n")
    return "\n\n"


def _kind(line: str) -> str:
    """Return which block a line belongs to; "" for one of a paragraph."""
    return next((name for name, pattern in _KINDS if pattern.match(line)), "")


def synthesis(reply: MergeWire | OwnWire, request: p.MergeRequest, passages: Named) -> p.Synthesis:
    """Read a synthesis; where no quote of it stands in what was read, nothing was found.

    What a reasoner may know of itself needs no quote where nothing was read, or where the task allows it.
    """
    text, marks = _unmarked(_told(clean(reply.answer)), reply.quotes)
    if reply.found and not text.strip():
        raise Unfit("found is true and there is no answer")
    found = [citations([quote], passages) for quote in reply.quotes]
    cited = list(dict.fromkeys(one for each in found for one in each))
    whole = statements(text, [one.quote for one in cited])
    stated = [*_stated(whole, text, marks, reply.quotes, found, cited)]
    stated = [*_word_for_word(whole, text, stated, passages, cited)]
    free = request.own or request.brief.knowledge == "allow"
    if not reply.found or not (cited or free):
        return p.Synthesis(f"Not found in what was read: {request.idea}", (), False, 0.0)
    held = sum(bool(one.citations) and not one.own for one in stated)
    support = min(1.0, max(held, len(cited) if not marks else 0) / max(1, len(whole)))
    short = " ".join(clean(reply.short).split())
    return p.Synthesis(text, tuple(cited), True, support, short, stated=tuple(stated))


def _told(text: str) -> str:
    """Return a text without white space around it, and without a fence around JSON."""
    inner = text.strip()
    if inner.startswith("```") and inner.endswith("```") and inner.count("```") == 2:
        bare = inner.partition("\n")[2].removesuffix("```").strip()
        return bare if is_json(bare) else inner
    return inner


def _unmarked(text: str, quotes: Sequence[CitationWire]) -> tuple[str, list[_Mark]]:
    """Return a text without the marks behind its statements, and where they stood; code keeps brackets."""
    kept, marks, out = [*_code(text)], list[_Mark](), ""
    place = 0
    for mark in _MARK.finditer(text):
        said = mark["set"] if mark["said"] is None else mark["said"]
        coded = any(start <= mark.start() < end for start, end in kept)
        if (coded and mark["set"] is None) or not _is_mark(said, quotes):
            continue
        out += text[place : mark.start()]
        place = mark.end()
        marks.append(_Mark(len(out), said))
    return out + text[place:], marks


def marked(text: str, quotes: Sequence[CitationWire]) -> set[int]:
    """Return the numbers of the quotes that the marks of a text name."""
    _, marks = _unmarked(_told(clean(text)), quotes)
    return {n for mark in marks if mark.said != "own" for n in _numbers(mark.said, quotes)}


def _is_mark(said: str, quotes: Sequence[CitationWire]) -> bool:
    """Tell whether all that a mark names is there."""
    names = {quote.passage for quote in quotes}
    parts_of = [part.strip() for part in re.split(r"[,;]", said) if part.strip()]
    return said == "own" or all(
        part in names if part.startswith("P") else 0 < int(part) <= len(quotes) for part in parts_of
    )


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Return where code stands in a text."""
    yield from ((start, end) for start, end, fenced in parts(text) if fenced)
    yield from (match.span() for match in _INLINE.finditer(text))


def _stated(
    whole: Sequence[Statement], text: str, marks: Sequence[_Mark], quotes: Sequence[CitationWire],
    found: Sequence[tuple[Citation, ...]], cited: Sequence[Citation],
) -> Iterator[p.Stated]:  # fmt: skip
    """Return the statements that marks stand behind, with the citations they name."""
    follows = [*(one.start for one in whole[1:]), len(text) + 1]
    for one, following in zip(whole, follows[-len(whole) :] if whole else [], strict=True):
        mine = [mark.said for mark in marks if one.start < mark.place <= max(following, one.end)]
        numbers = [n for said in mine if said != "own" for n in _numbers(said, quotes)]
        named = [cited.index(c) + 1 for n in numbers for c in found[n - 1]]
        if named or "own" in mine:
            yield p.Stated(text[one.start : one.end], tuple(dict.fromkeys(named)), own="own" in mine)


def _numbers(said: str, quotes: Sequence[CitationWire]) -> Iterator[int]:
    """Return the numbers of the quotes a mark names, by themselves or by their passage."""
    for part in filter(None, (part.strip() for part in re.split(r"[,;]", said))):
        if part.startswith("P"):
            yield from (n for n, quote in enumerate(quotes, 1) if quote.passage == part)
        else:
            yield int(part)


def _word_for_word(
    whole: Sequence[Statement], text: str, stated: Sequence[p.Stated], passages: Named, cited: list[Citation]
) -> Iterator[p.Stated]:
    """Add the statements that were given no quote and stand in a passage as they are, and cite them."""
    given = {one.text: one for one in stated}
    for one in whole:
        said = text[one.start : one.end]
        if said in given:
            yield given[said]
        elif len(said.split()) > FEW and (place := _place_of(said, passages)):
            if place not in cited:
                cited.append(place)
            yield p.Stated(said, (cited.index(place) + 1,))


def _place_of(said: str, passages: Named) -> Citation | None:
    return next((found for passage in passages.values() if (found := ground(said, passage))), None)
