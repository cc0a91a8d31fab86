"""The forms of an order to the reader of a text: phrases that suffice alone, and signs that do together.

Leaves out how a text is written out before it is looked at (`ddax.memory.gate.instructions`).
"""

from __future__ import annotations

from collections.abc import Iterable

from ddax.memory.gate.order_signs import any_of, is_order, small

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


def gives_orders(forms: Iterable[str]) -> bool:
    """Tell whether one of the forms of a text gives an order to its reader."""
    return any(_FOUND.search(form) or is_order(form) for form in dict.fromkeys(map(small, forms)))
