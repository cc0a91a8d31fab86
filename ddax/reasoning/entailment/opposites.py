"""Words that exclude each other, from `opposites.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources

from ddax.configs.documents import safe_load
from ddax.reasoning.entailment.words import root_of

PREFIXES = ("un", "in", "im", "dis", "non")


@lru_cache(maxsize=1)
def opposites() -> Mapping[str, frozenset[str]]:
    """Return, for each stem, the stems it excludes."""
    text = resources.files("ddax.reasoning.entailment").joinpath("opposites.yaml").read_text("utf-8")
    found: dict[str, set[str]] = {}
    # YAML reads a bare on, off, yes or no as a truth value; a whole line of two words stays text.
    for line in safe_load(text)["pairs"]:
        left, right = (root_of(word) for word in str(line).split())
        found.setdefault(left, set()).add(right)
        found.setdefault(right, set()).add(left)
    return {word: frozenset(others) for word, others in found.items()}


def opposed(word: str, others: Iterable[str]) -> bool:
    """Tell whether a stem excludes one of the others, by the list or by a prefix ("unsafe", "disable")."""
    known = opposites().get(word, frozenset())
    return any(other in known or _turned(word, other) or _turned(other, word) for other in others)


def _turned(word: str, other: str) -> bool:
    """Tell whether a word is another one with a negating prefix; a short rest is more likely chance."""
    return len(other) >= 5 and word.endswith(other) and word.removesuffix(other) in PREFIXES
