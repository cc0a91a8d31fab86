"""Whether a text only asks for a deed, or tells how it is done, that a statement says was done.

The label of a button and a line of help have the words of the deed: "Delete account" does not say that
the account is deleted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddax.reasoning.entailment.words import forms, root_of

_DONE = frozenset({"is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "got", "gets"})
"""What stands before the form of a verb that says it was done."""
_NEAR = 3
"""Words before such a form among which one of these stands."""
_ASKING = frozenset(
    {"to", "please", "can", "may", "might", "must", "shall", "should", "will", "would", "could"}
)
"""What stands before the plain form of a verb that is not yet done; so does nothing, in an order."""
_CLAUSE = re.compile(r"[.!?:;\n]+\s*")


def only_asked(premise: str, hypothesis: str) -> bool:
    """Tell whether a premise has some verb that a hypothesis says was done as an order or a plan alone."""
    return any(_asked(premise, verb) for verb in _done(forms(hypothesis)))


def _done(words: tuple[str, ...]) -> Iterator[str]:
    for place, word in enumerate(words):
        if word.endswith("ed") and _DONE & set(words[max(0, place - _NEAR) : place]):
            yield word


def _asked(premise: str, verb: str) -> bool:
    root, seen = root_of(verb), False
    for words in map(forms, _CLAUSE.split(premise)):
        for place, word in enumerate(words):
            if root_of(word) == root:
                seen = True
                if not _plain(word, verb) or (place and words[place - 1] not in _ASKING):
                    return False
    return seen


def _plain(word: str, verb: str) -> bool:
    """Tell whether a word is the plain form of a verb that ends in "ed"."""
    return verb in (f"{word}ed", f"{word}d", f"{word}{word[-1]}ed", f"{word[:-1]}ied")
