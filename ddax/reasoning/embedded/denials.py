"""What a question takes for granted and a sentence denies: "When was it electrified?" - "It never was"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ddax.reasoning.embedded.antecedent import placed
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.whole import LEAST_TERMS, needed_terms, together, whole
from ddax.text.question import Question
from ddax.text.words import denies, fold, term_of, terms, words

_KINDS = frozenset({"person", "date", "number", "place", "thing"})
_AUX = r"(?:was|were|is|are|has|have|had|did|does|do|could|would|will|can)"
_DENIED = re.compile(
    rf"(?:\b(?:{_AUX}|but|and) not(?! only\b)|\b{_AUX}n['’]t|\bnever)(?: yet| ever)?(?: been| be)?"
    r"(?: \w+ly)? (?P<verb>[^\W\d_]+)(?P<rest>[^.;]*)",
    re.IGNORECASE,
)
"""What is denied by a sentence, with what it says behind."""
_BOUND = re.compile(
    r"[^,]*?\b(?:until|till|before|by|for|in|on|since|after|again|longer|but|except|because)\b", re.I
)
"""What limits what is denied: "was not electrified until 1962"."""


def denying(question: Question, weighed: Sequence[Weighed]) -> list[Weighed]:
    """Find the sentences that deny all that is asked, where none affirms it."""
    needed = needed_terms(question)
    if question.kind not in _KINDS or len(needed) < LEAST_TERMS or denies(words(question.text)):
        return []
    deny = [item for item in weighed if not item.sentence.label and _denies(question, item)]
    if not deny or whole(question, weighed):
        return []
    among = placed(weighed)
    return [item for item in deny if together(question, item, among, needed)]


def _denies(question: Question, item: Weighed) -> bool:
    """Tell whether a sentence denies what is done in a question, at all times and of all of it."""
    named = {term for name in question.names for term in terms(name)}
    forms = {form for term, form in question.forms if term not in named}
    return any(
        term_of(fold(denied["verb"])) in forms and not _BOUND.match(denied["rest"])
        for denied in _DENIED.finditer(item.sentence.plain)
    )
