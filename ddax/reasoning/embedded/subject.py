"""Questions about a kind of thing that nothing read mentions, where the like is said of another kind.

"When is dinner served at the Heron Inn?" is not answered by when breakfast is served there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded.evidence import Weighed
from ddax.text.question import Question
from ddax.text.units import unit_of
from ddax.text.words import FUNCTION_WORDS, contains_phrase, is_past, stem, term_of, terms, words

_KINDS = frozenset({"date", "number", "place"})
LIKE = 0.65
"""Cosine from which two things may be one by two words: shop and store, but not ferry and bridge."""
_OFTEN = r"(?: (?:usually|normally|always|first|last|\w+ly))?"
_SUBJECT = re.compile(
    r"\W*(?:when|where|how (?:much|long|often)|(?:at )?(?:what|which) (?:time|day|month|year))"
    r" (?P<aux>is|are|was|were|do|does|did|will|can)"
    r" (?!(?:i|you|we|he|she|it|they|one|there|this|that|these|those)\b)"
    r"(?:(?:(?P<the>the)|an?|any) )?(?:[a-z'’-]+ )??(?P<noun>[a-z'’-]{3,})"
    rf"{_OFTEN}(?: (?P<verb>[a-z]{{2,}}))?{_OFTEN}(?=\W*$"
    r"|,? (?:at|in|on|for|from|to|with|by|per|during|each|every|after|before|there|here)\b)",
    re.IGNORECASE,
)
"""What asks when, where or for how much a thing is or does something; "the king of" tells of another one."""
_COUNTED = re.compile(
    r"\bhow (?P<how>many|much) (?:[a-z'’-]+ )??(?P<noun>[a-z'’-]{3,})"
    r" (?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|had)\b",
    re.IGNORECASE,
)
"""What is to be counted or measured out: "how much sugar is"."""
_AMOUNTS = frozenset(
    ["money", "time", "times", "space", "room", "memory", "storage", "weight", "distance", "height", "length",
     "people", "persons", "notice", "leave", "work", "more", "less", "cash", "energy", "power", "water"]
)  # fmt: skip
"""What a text tells by a unit or by another word, without saying this one."""
_BEHIND = re.compile(r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|no)) ([a-z]{3,})\b")
"""What is counted."""
_STATED = tuple(
    re.compile(
        rf"(?<![^\W\d_])(?P<the>the )?(?:[^\W\d_]+ ){{{before}}}(?P<noun>[^\W\d_]{{3,}})"
        r"(?P<verb>:| (?:is|are|was|were|will be|can be)\b(?: [^\W\d_]+)?| [^\W\d_]+)",
        re.IGNORECASE,
    )
    for before in (0, 1)
)
"""What a sentence begins with: of what it says something, with a word before it or without, and the verb."""


def unmentioned(question: Question, weighed: Sequence[Weighed], vectors: Vectors) -> str:
    """Return the kind of thing that is asked about, where nothing says it but the like of another kind.

    A thing with its article may be called by its name or by another word, so that only one with its
    article, and unlike it, is another one; a thing without ("dinner", "a sauna") is another one than any.
    """
    if counted := _uncounted(question, weighed, vectors):
        return counted
    asked = _SUBJECT.match(question.text) if question.kind in _KINDS and not question.german else None
    noun = _noun(asked) if asked else ""
    if asked is None or not noun or not set(terms(noun)) <= set(question.terms):
        return ""
    if any(_mentions(noun, item) for item in weighed):
        return ""
    verbs = _verbs(question, noun)
    others = [other for item in weighed if (other := _other(item, verbs, definite=bool(asked["the"])))]
    if asked["the"] and others and max(vectors.likeness(f"the {noun}", others)) >= LIKE:
        return ""
    return noun if others else ""


def _uncounted(question: Question, weighed: Sequence[Weighed], vectors: Vectors) -> str:
    """Return what is to be counted or measured out, where nothing says or counts the same."""
    asked = _COUNTED.search(question.text) if question.kind == "number" and not question.german else None
    noun = asked["noun"].lower() if asked else ""
    if asked is None or noun in _AMOUNTS or unit_of(noun)[0] or stem(noun) not in question.terms:
        return ""
    if not weighed or any(_mentions(noun, item) for item in weighed):
        return ""
    many = asked["how"].lower() == "many"
    others = {word for item in weighed for word in _BEHIND.findall(item.sentence.text)} if many else set()
    like = vectors.likeness(f"the {noun}", [f"the {other}" for other in sorted(others)]) if others else [0.0]
    return "" if max(like) >= LIKE else noun


def _noun(asked: re.Match[str]) -> str:
    """Return the noun of a question; "high tide" has two words before no verb."""
    passive = asked["aux"].lower() in ("is", "are", "was", "were")
    verb = asked["verb"] if passive and asked["verb"] and not is_past(asked["verb"]) else ""
    noun = verb or asked["noun"]
    return "" if noun[:1].isupper() or noun.lower() in FUNCTION_WORDS else noun.lower()


def _verbs(question: Question, noun: str) -> frozenset[str]:
    """Return by which verbs a question may ask what is done: its words but the noun and the names."""
    named = {term for name in question.names for term in terms(name)}
    return frozenset(form for term, form in question.forms if term not in named and term != stem(noun))


def _mentions(noun: str, item: Weighed) -> bool:
    """Tell whether a sentence, or what it stands under, says a noun, also as a part of a longer word."""
    root, line = stem(noun), item.sentence
    said = words(f"{line.titled} {line.passage.title} {line.told}")
    return any(root in word or root == stem(word) for word in said) or (
        "-" in noun and contains_phrase(said, words(noun))
    )


def _other(item: Weighed, verbs: frozenset[str], *, definite: bool) -> str:
    """Return of which thing a sentence says what is asked; empty where it says it of none."""
    if item.sentence.label or item.sentence.cells:
        return ""
    stated = (match for form in _STATED if (match := form.match(item.sentence.plain)))
    return next((f"the {one['noun']}" for one in stated if _is_same(one, verbs, definite=definite)), "")


def _is_same(stated: re.Match[str], verbs: frozenset[str], *, definite: bool) -> bool:
    """Tell whether a sentence says what is asked, by its verb, of a thing."""
    if stated["noun"].lower() in FUNCTION_WORDS or (definite and not stated["the"]):
        return False
    said = words(stated["verb"])
    return not said or (not verbs and said[0] in ("is", "are")) or term_of(said[-1]) in verbs
