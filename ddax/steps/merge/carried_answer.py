"""Whether what one call cites carries its answer, as a reading without a model sees it.

That reading finds an answer in the right sentences of most questions, and in other sentences of hardly any.
So it is asked once more, over what the model cites alone; it costs nothing. Where it finds nothing there and
found something before, the answer is followed by what it found, as a quotation: a reader sees both. With the
effort `quick`, where nothing else checks an answer, a short one is always followed by what both rest on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ddax.graph.ports import Asks
from ddax.graph.services import Session
from ddax.ideas.requirements import without_wording
from ddax.reasoning.protocol import MergeRequest, Stated, Synthesis
from ddax.reasoning.statements import is_json
from ddax.types import Citation, Passage

WORDS = 60
"""Words of an answer together with what follows it; a longer answer is a document, and stands alone."""
LEAST = 5
"""Words of a sentence that say something where there is no room for more."""
_WORD = re.compile(r"\S+")


async def settled(
    reply: Synthesis, read: Synthesis, asked: MergeRequest, plain: MergeRequest, session: Session
) -> Synthesis:
    """Return the reply to the one call, followed by what carries it where a reader is to see that.

    `asked` is the request to the model, `read` the reply of the reading without it to `plain`.
    """
    if not reply.found or _has_form(reply, asked):
        return reply
    quick, first = session.settings.effort == "quick", read.citations if read.found else ()
    if first and not await _carries(reply, plain, session):
        return _followed(reply, (*first, *reply.citations) if quick else first)
    return _followed(reply, (*reply.citations, *first)) if quick else reply


async def _carries(reply: Synthesis, plain: MergeRequest, session: Asks) -> bool:
    said = _cited(reply)
    return bool(said) and (await session.free.merge(replace(plain, evidence=said, findings=()))).found


def _has_form(reply: Synthesis, asked: MergeRequest) -> bool:
    """Tell whether an answer has a form that nothing may follow: one that was asked for, JSON, blocks."""
    ordered = asked.form is not None or without_wording(asked.task) != asked.task
    return ordered or bool(reply.data) or is_json(reply.text) or "\n" in reply.text.strip()


def _cited(reply: Synthesis) -> tuple[Passage, ...]:
    """Return what a reply cites as passages, one for each that it cites from."""
    quotes: dict[str, list[Citation]] = {}
    for one in reply.citations:
        quotes.setdefault(one.passage_id, []).append(one)
    return tuple(
        Passage(name, of[0].source, of[0].title, f"# {of[0].title}\n\n" + " ".join(c.quote for c in of))
        for name, of in quotes.items()
    )


def _followed(reply: Synthesis, citations: Sequence[Citation]) -> Synthesis:
    """Return a reply with what is cited behind it, as much as fits."""
    more = [*_fitting(dict.fromkeys(citations), reply.text)]
    if not more:
        return reply
    cited = [*dict.fromkeys((*reply.citations, *more))]
    stated = [Stated(_line(one), (cited.index(one) + 1,)) for one in more]
    text = "\n\n".join([reply.text.strip(), *(f"> {_line(one)}" for one in more)])
    return replace(reply, text=text, citations=tuple(cited), stated=(*reply.stated, *stated))


def _fitting(citations: Iterable[Citation], text: str) -> Iterator[Citation]:
    """Return the citations that fit, the last of them cut between words."""
    room = WORDS - len(text.split())
    for one in citations:
        words = [*_WORD.finditer(one.quote)]
        fits = min(room - 1, len(words))  # the sign of a quotation counts as a word
        if fits < min(LEAST, len(words)) or _line(one) in text:
            continue
        room -= fits + 1
        end = words[fits - 1].end()
        yield one if fits == len(words) else replace(one, quote=one.quote[:end], end=one.start + end)


def _line(one: Citation) -> str:
    return " ".join(one.quote.split())
