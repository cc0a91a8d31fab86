"""A statement taken apart for the support check: content words, negation, numbers, names.

Negations are kept apart from the content, since they turn a statement over without being part of what
it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ddax.text.words import FUNCTION_WORDS, VERBS, fold, stem

NEGATIONS = frozenset(
    ["not", "no", "never", "none", "neither", "nor", "without", "cannot", "nobody", "nothing", "nowhere",
     "hardly", "longer"]
)  # fmt: skip
COUNTS = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15",
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100",
    "once": "1", "twice": "2",
}  # fmt: skip
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*", re.UNICODE)
_START = re.compile(r"(?:^|[.!?:;]\s+)[\"“„'(]*$")
_IRREGULAR = VERBS | {
    "asleep": "sleep", "beginning": "begin", "born": "born", "children": "child", "dead": "dead",
    "found": "find", "indoors": "indoor", "left": "leave", "losing": "lose", "men": "man",
    "outdoors": "outdoor", "people": "person", "playing": "play", "running": "run", "sitting": "sit",
    "sleeping": "sleep", "standing": "stand", "stopped": "stop", "stopping": "stop", "winning": "win",
    "wives": "wife", "women": "woman",
}  # fmt: skip
"""Forms that do not end as others do, of any word."""


@dataclass(frozen=True)
class Statement:
    """What a text says: stems of its content words in order, its numbers, names and negation.

    `forms` are the content words as written, in the order of `content`; `names` the stems of words with
    a capital inside a sentence; `all` holds every stem, function words included; `order` every stem in
    order.
    """

    content: tuple[str, ...]
    numbers: frozenset[str]
    names: frozenset[str]
    all: frozenset[str]
    forms: tuple[str, ...]
    negated: bool
    order: tuple[str, ...]


@lru_cache(maxsize=4096)
def read(text: str) -> Statement:
    """Take a text apart."""
    content: dict[str, str] = {}
    numbers, names, every = set[str](), set[str](), dict[int, str]()
    negated = False
    for match in _TOKEN.finditer(text):
        word = fold(match.group())
        if word.endswith(("n't", "n’t")) or word in NEGATIONS:
            negated = negated or word != "longer"
            continue
        if word[0].isdigit() or word in COUNTS:
            number = COUNTS.get(word, word.replace(",", ""))
            numbers.add(number)
            every[match.start()] = number
            continue
        root = root_of(word)
        every[match.start()] = root
        if word in FUNCTION_WORDS:
            continue
        content.setdefault(root, word)
        if match.group()[:1].isupper() and not _START.search(text[: match.start()][-4:]):
            names.add(root)
    return Statement(
        tuple(content), frozenset(numbers), frozenset(names), frozenset(every.values()),
        tuple(content.values()), negated, tuple(every.values()),
    )  # fmt: skip


def forms(text: str) -> tuple[str, ...]:
    """Return the words of a text as written, folded, in order."""
    return tuple(fold(match.group()) for match in _TOKEN.finditer(text))


def says(texts: Iterable[str], words: str) -> bool:
    """Tell whether one of the texts has some words in a row."""
    asked = f" {' '.join(forms(words))} "
    return bool(asked.strip()) and any(asked in f" {' '.join(forms(text))} " for text in texts)


def root_of(word: str) -> str:
    """Return the stem by which forms of a word meet: "closes", "closed" and "close" are one."""
    found = _IRREGULAR.get(word, word)
    root = stem(found)
    if len(root) > 4 and root[-1] == root[-2] and root[-1] not in "lsz":
        root = root[:-1]
    return root.removesuffix("e") if len(root) > 3 else root
