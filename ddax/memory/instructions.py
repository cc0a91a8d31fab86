"""Find sentences that speak to the agent instead of about the world: orders in text from outside.

A filter, counted and never relied on: what keeps orders from being followed is that nothing read is
ever an instruction (`ddax.actions.policy`). This keeps them from being recalled as knowledge.
"""

from __future__ import annotations

import re
import unicodedata

from ddax.memory.chunks import Span, sentences
from ddax.memory.orders import any_of, is_order, small

BETWEEN = 600
"""Characters between two orders that are taken for a part of them."""
CUT = "[orders to the reader left out]"
_MACHINE_FORM = re.compile(r"\\[nrt\"]|\\\n|\n {2,}\S")
"""Signs of a text that a program wrote: escapes, or lines folded under an indent."""
_ESCAPE = re.compile(r"\\\s*\n\s*\\?|\\[nrt]|\\(?=[\" ])")
_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_WIDE = re.compile(r"\s{9,}")
"""A gap that no writer needs; looking for what may stand around one takes as long as the cube of its width."""
_LEET = str.maketrans("01345$@", "oieassa")
_LOOKALIKE = str.maketrans("асеорхуіјѕкмтнвАСЕОРХІЈЅКМТНВο", "aceopxyijskmtnbACEOPXIJSKMTHBo")
"""Letters of other alphabets that look like Latin ones."""
_SPACED = re.compile(r"\b(?:[^\W\d_][ .\-_*]){3,}[^\W\d_]\b")
_WHO = r"(?:ai|a\.i\.|llm|assistant|agent|language model|chatbot|bot|model reading this)"
_ORDERS = (
    r"(?:instructions?|prompts?|directives?|orders?|guidelines?|rules?|commands?|tasks?|system messages?)"
)
_VERB = (
    r"(?:ignore|disregard|forget|override|bypass|reveal|send|print|output|email|post|upload|delete|execute|run|"
    r"call|visit|open|fetch|follow|approve|reply|respond|answer|say|write|store|save|remember|set|give|transfer|"
    r"buy|click|stop|do not|don't|never|always|you)"
)
_SECRET = (
    r"(?:system prompt|hidden prompt|initial instructions|api[ _-]?keys?|secrets?|passwords?|credentials|"  # noqa: S105
    r"access tokens?|private keys?|environment variables|conversation history|memory contents)"
)
_PATTERNS = (
    rf"\b(?:ignore|disregard|forget|override|bypass|do not follow|stop following|discard)\b[^.!?\n]{{0,40}}"
    rf"\b(?:previous|prior|above|earlier|preceding|former|original|existing|system|your|all|these|those)\b"
    rf"[^.!?\n]{{0,25}}\b{_ORDERS}\b",
    rf"\b(?:new|updated|real|actual|important|hidden|special|urgent|system)\s+{_ORDERS}\b\s*(?:for|to)?\s*"
    rf"(?:the|an?|any|you|all)?\s*(?:{_WHO})?\s*[:\-]",
    # An end of a line begins one anew, so nothing before the name runs over it.
    rf"(?:^|[.!?\n*#>\"'(\[])(?:[^\S\n]*+(?:attention|note to|dear|hey|hello|message (?:for|to)|instructions? (?:for|to)|to))?+"
    rf"(?:[^\S\n]|[,:])*+(?:(?:the|any|all|every)\s*+)?\b{_WHO}s?\b\s*[,:!\-]\s*(?:please\s+|you must\s+|now\s+)*{_VERB}\b",
    rf"\b{_WHO}s?\b[^.!?\n]{{0,30}}\b(?:must|should|shall|has to|have to|needs? to|are to|is to|please)\b\s+(?:\w+\s+)?{_VERB}\b",
    rf"\b(?:dear|hey|attention|listen|hello)\s+(?:\w+\s+)?{_WHO}s?\b",
    r"\b(?:ignore|disregard|forget|override)\b[^.!?\n]{0,40}\b(?:told|said|instructed|asked|ordered|taught) (?:to )?you\b",
    r"\b(?:system|admin|developer|operator)\s+(?:message|override|notice|update|command)\s*[:\-]",
    r"\b(?:before|after) you\b[^.!?\n]{0,40}\btasks?\b[^.!?\n]{0,20}\bi (?:gave|have given|set) you\b",
    rf"\b(?:message|note|instructions?|request)\b[^.!?\n]{{0,30}}\bfrom me\b[^.!?\n]{{0,40}}\bto you,? {_WHO}s?\b",
    rf"\bif you(?:'re| are)\s+(?:an?|the)\s+(?:\w+\s+)?{_WHO}\b",
    rf"\b{_WHO}s?\b\s+(?:reading|processing|summari[sz]ing|parsing|visiting|seeing)\s+this\b",
    r"\b(?:from now on,? you|you will now act|act as if you (?:are|were)|pretend (?:to be|you are)|"
    r"you must now)\b",
    rf"\b(?:reveal|print|send|show|output|leak|email|post|exfiltrate|repeat|include|upload|forward|append)\b"
    rf"[^.!?\n]{{0,40}}\b(?:your|the agent's|the user's|all|any|stored)\b[^.!?\n]{{0,20}}\b{_SECRET}\b",
    r"<\|?(?:im_start|im_end|system|endoftext|assistant|user)\|?>|\[/?inst\]|<</?sys>>|<system>|"
    r"(?<!#)#{2,}\s*(?:system|instruction|assistant)\b|\b(?:begin|end) (?:system|admin|instructions?)\b",
    r"(?:^|\n)[^\S\n]*+(?:system|developer|admin(?:istrator)?)\s*+(?:(?:prompt|message|override|note|notice)\s*+)?:\s*\S",
    r"\b(?:do not|don't|never)\s+(?:tell|mention|inform|reveal|disclose|let)\b[^.!?\n]{0,30}\b(?:the\s+)?"
    r"(?:users?|humans?|operators?|developers?)\b",
    r"\b(?:set|raise|increase|change|update)\b[^.!?\n]{0,30}\b(?:trust(?: score)?|trust_score)\b[^.!?\n]{0,20}\d",
    r"\b(?:store|save|remember|memori[sz]e|add|write)\b[^.!?\n]{0,40}\b(?:in|to|into|as)\b[^.!?\n]{0,15}"
    r"\b(?:your|long[- ]term|persistent|the agent's)\s+(?:memory|rules?|knowledge)\b",
    r"\bin (?:all|any|every) (?:future|later|subsequent) (?:tasks?|sessions?|conversations?|answers?|runs?|replies)\b"
    r"[^.!?\n]{0,60}\b(?:you|always|must|should|recommend|say|answer|send|use|visit)\b",
    r"\byour (?:new|real|only|true|actual) (?:task|goal|objective|purpose|instructions?|role|mission)\b",
    r"\b(?:mark|approve|rate|score|judge|grade)\b[^.!?\n]{0,30}\b(?:this|itself|it)\b[^.!?\n]{0,30}"
    r"\b(?:as (?:approved|verified|trusted|correct|safe)|10/10|full marks|highest)\b",
    r"\b(?:ignoriere|vergiss|missachte)\b[^.!?\n]{0,40}\b(?:anweisung|instruktion|befehl|regel)",
    r"\b(?:ignore[zr]?|oublie[zr]?)\b[^.!?\n]{0,40}\b(?:instructions|consignes)\b",
    r"\b(?:ignora|olvida|omite)\b[^.!?\n]{0,40}\b(?:instrucciones|instruções|istruzioni|órdenes)\b",
)
_FOUND = any_of(_PATTERNS)


def instruction_spans(text: str) -> list[Span]:
    """Return the sentences of a text that hold an order to its reader, merged where they touch."""
    if _MACHINE_FORM.search(text) and _suspicious(_flowing(text)):
        return [Span(0, len(text))]  # where its sentences begin and end cannot be told
    if not _suspicious(text):
        return []
    found: list[Span] = []
    for span in sentences(text):
        if _suspicious(text[span.start : span.end]):
            # What stands between two orders belongs to them: they say before and after it that it is one.
            if found and len(text[found[-1].end : span.start].strip()) <= BETWEEN:
                found[-1] = Span(found[-1].start, span.end)
            else:
                found.append(span)
    # An order that runs over the border of sentences belongs to none of them: the whole text goes.
    return found or [Span(0, len(text))]


def without(text: str, spans: list[Span]) -> list[Span]:
    """Return what is left of a text beside some spans, without the white space around it."""
    left: list[Span] = []
    start = 0
    for span in [*spans, Span(len(text), len(text))]:
        piece = text[start : span.start]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            left.append(Span(start + lead, start + len(piece.rstrip())))
        start = span.end
    return left


def without_orders(text: str) -> str:
    """Return a text without the sentences that hold an order to its reader, and say so where there were any."""
    orders = instruction_spans(text)
    if not orders:
        return text
    left = " ".join(text[span.start : span.end] for span in without(text, orders))
    return f"{left} {CUT}".strip()


def _suspicious(text: str) -> bool:
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).replace("’", "'")
    plain = _WIDE.sub(_narrow, plain)
    forms = (plain, plain.translate(_LEET), plain.translate(_LOOKALIKE), _SPACED.sub(_closed, plain))
    return any(_FOUND.search(form) or is_order(form) for form in dict.fromkeys(map(small, forms)))


def _flowing(text: str) -> str:
    """Return text out of JSON or YAML as it was before: escapes and folded lines undone."""
    return " ".join(_ESCAPE.sub(" ", text).split())


def _narrow(match: re.Match[str]) -> str:
    """Return the one sign that stands for a wide gap; an end of a line stays one."""
    return "\n" if "\n" in match.group() else " "


def _closed(match: re.Match[str]) -> str:
    """Return letters that stand apart as the word they make."""
    return re.sub(r"[\W_]", "", match.group())
