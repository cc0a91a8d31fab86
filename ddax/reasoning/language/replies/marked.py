"""The one call of the quick road: sentences are told with a number each, and a reply cites numbers.

A number costs a token where a copied quote costs thirty, and what it stands for is verbatim. A reply that
copies quotes all the same is read as one of `document`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from ddax.reasoning import protocol as p
from ddax.reasoning.language.cutting import Sentence as Sentence
from ddax.reasoning.language.cutting import best, gap
from ddax.reasoning.language.quote import block
from ddax.reasoning.language.replies import document
from ddax.reasoning.language.replies.grounding import Named
from ddax.reasoning.language.replies.schemas import CitationWire, Wire
from ddax.text.chunks import sentences
from ddax.types import Passage


class SettleWire(Wire):
    """An answer: the numbers of the sentences it rests on, the text, and the answer alone.

    One without a text says that nothing was found: a word for that, asked for first, is said too soon.
    """

    ALIASES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "cited": ("cites", "numbers", "lines"), "quotes": ("citations", "evidence"),
        "answer": ("text", "document", "response", "content"),
    }  # fmt: skip
    DROPS: ClassVar = ("short",)
    SPARES: ClassVar[Mapping[str, Any]] = {"cited": [], "answer": "", "short": ""}

    cited: list[int]
    answer: str = Field(max_length=document.ANSWER_CHARS)
    short: str = Field(max_length=1000)
    found: SkipJsonSchema[bool] = True
    quotes: SkipJsonSchema[list[CitationWire]] = Field(default_factory=list)

    @classmethod
    def reformed(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read a reply in sentences with quotes of their own as well."""
        return document.MergeWire.reformed(given)


SettleWire.__name__ = document.MergeWire.__name__  # a reply is named for its request


def sentences_of(named: Named, budget: int, about: str) -> list[Sentence]:
    """Return the sentences of passages in order; where they are too long, those that bear on something."""
    every = [Sentence(name, *place) for name, passage in named.items() for place in _places(passage)]
    return best(every, named, budget, about)


def _places(passage: Passage) -> list[tuple[int, int]]:
    """Return where the sentences of a passage stand, without a heading that is its title."""
    places = [(span.start, span.end) for span in sentences(passage.text)]
    headed = places[1:] and passage.text[slice(*places[0])].lstrip("# ") == passage.title
    return places[1:] if headed else places


def told(sentences: Sequence[Sentence], named: Named) -> str:
    """Return passages as data, each sentence with its number behind it; "" for none."""
    return "\n".join(
        block(
            name,
            "\n".join([json.dumps({"title": passage.title or passage.source}, ensure_ascii=False), text]),
        )
        for name, passage in named.items()
        if (text := "".join(_numbered(name, passage, sentences)))
    )


def _numbered(name: str, passage: Passage, sentences: Sequence[Sentence]) -> Iterator[str]:
    """Return the pieces of a passage; what is left out of it is said."""
    text, place = passage.text, 0
    for number, one in enumerate(sentences, 1):
        if one.passage == name:
            before = text[place : one.start]
            if place or before.strip().lstrip("# ") not in ("", passage.title):
                yield gap(before)
            yield f"{text[one.start : one.end]} [{number}]"
            place = one.end
    if place and (missing := len(text[place:].strip())):
        yield f" [... {missing} characters cut]"


def synthesis(
    reply: SettleWire, request: p.MergeRequest, named: Named, sentences: Sequence[Sentence]
) -> p.Synthesis:
    """Read a reply that cites numbers, or one that copies quotes."""
    if reply.quotes and not reply.cited:
        return document.synthesis(_with(reply, reply.quotes), request, named)
    every = [
        CitationWire(passage=one.passage, quote=named[one.passage].text[one.start : one.end])
        for one in sentences
    ]
    used = {*reply.cited, *document.marked(reply.answer, every)}
    nothing = CitationWire(passage="", quote="")
    quotes = [quote if number in used else nothing for number, quote in enumerate(every, 1)]
    return document.synthesis(_with(reply, quotes), request, named)


def _with(reply: SettleWire, quotes: list[CitationWire]) -> document.MergeWire:
    text = reply.answer if reply.answer.strip() else reply.short
    found = reply.found and bool(text.strip())
    return document.MergeWire(quotes=quotes, found=found, answer=text, short=reply.short)
