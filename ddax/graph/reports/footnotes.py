"""An answer as a person reads it: with the number of its source behind each statement, and what they mean.

The answer itself has none of it. Nothing is set into code or JSON, which would break.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ddax.reasoning.reports import body_of
from ddax.reasoning.statements import is_json, parts

LEGEND = {
    "paraphrase": "≈  in other words than the quote",
    "knowledge": "[m]  what the model knows itself, from no source",
    "unchecked": "[?]  not checked: no quote was found that says it",
    "contradicted": "[!]  against what its quote says",
}
"""What the marks say, in the order in which they are explained."""


class Footnoted(NamedTuple):
    """An answer with its marks, and what of them needs a word."""

    text: str
    legend: list[str]


def footnoted(result: Mapping[str, Any]) -> Footnoted:
    """Return the answer of a result as a person reads it."""
    spans = _shown(result)
    used = {span["status"] for span in spans}
    legend = [words for status, words in LEGEND.items() if status in used]
    return Footnoted(marked(str(result["answer"]), spans), legend)


def report_of(result: Mapping[str, Any]) -> str:
    """Return a report with the numbers of its own list of sources behind its statements; else the answer.

    A statement of several quotes names the source of each once. One that nothing carries gets no number.
    """
    text = str(result["answer"])
    if body_of(text) == text or not result.get("citations"):
        return text
    named = [(str(one.get("title", "")).strip(), one["source"]) for one in result["citations"]]
    places = {one: number for number, one in enumerate(dict.fromkeys(named), 1)}
    spans = [
        {
            **span,
            "status": "supported",
            "citations": sorted({places[named[n - 1]] for n in span["citations"]}),
        }
        for span in result.get("spans") or []
        if span.get("citations")
    ]
    return marked(text, spans)


def without_sources(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result whose report lacks its list of sources: for who shows them with their quotes below."""
    return {**result, "answer": body_of(str(result["answer"]))} if result.get("citations") else result


def _shown(result: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the spans that get a mark: none where all say the same of themselves, which a note tells."""
    spans = result.get("spans") or []
    only = {span["status"] for span in spans}
    return [] if only == {"knowledge"} or is_json(str(result["answer"])) else spans


def marked(text: str, spans: Sequence[Mapping[str, Any]]) -> str:
    """Return a text with a mark behind each of its statements; code gets none."""
    coded = [(start, end) for start, end, fenced in parts(text) if fenced]
    out, place = "", 0
    for span in spans:
        begin, end = int(span["start"]), int(span["end"])
        if any(start < end <= last for start, last in coded) or not place <= begin <= end <= len(text):
            continue
        said = text[place:end]
        core = said.rstrip(".!?。！？")
        out += f"{core} {_mark(span)}{said[len(core) :]}" if core.strip() else said
        place = end
    return out + text[place:]


def _mark(span: Mapping[str, Any]) -> str:
    numbers = ", ".join(map(str, span.get("citations", ())))
    marks = {
        "supported": f"[{numbers}]", "paraphrase": f"[≈{numbers}]", "knowledge": "[m]",
        "unchecked": f"[?{numbers}]",
        "contradicted": f"[!{numbers}]",
    }  # fmt: skip
    return marks.get(str(span["status"]), "[?]")
