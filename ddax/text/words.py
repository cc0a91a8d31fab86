"""Words of a text for comparing: folded, lightly stemmed, without function words, in any script.

Chinese, Japanese and Thai have no spaces: their runs become overlapping pairs of characters.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache, wraps

MAX_QUESTION = 2000
"""Characters of a task that are analysed; a longer task keeps its head and its tail."""
LINE, LINES, WORDS = 500, 4096, 16_384
"""Characters of a text, and how many such texts, whose words stay at hand; and words, whose stems do."""

WORD = re.compile(r"\d+(?:[.,]\d+)+|\w+(?:['’]\w+)?", re.UNICODE)
_JOINED = re.compile(r"\b(?:[A-Za-z]+[A-Z][a-z]+|\w*[A-Za-z]_\w+)\b")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_BRACKETS = re.compile(r"(?<!\s)\s*\([^()]*\)\s*$")

FUNCTION_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "but",
        "nor",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "about",
        "into",
        "onto",
        "over",
        "under",
        "between",
        "among",
        "as",
        "than",
        "then",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "am",
        "do",
        "does",
        "did",
        "done",
        "have",
        "has",
        "had",
        "having",
        "can",
        "could",
        "will",
        "would",
        "shall",
        "should",
        "may",
        "might",
        "must",
        "it",
        "its",
        "he",
        "she",
        "they",
        "them",
        "his",
        "her",
        "their",
        "this",
        "that",
        "these",
        "those",
        "there",
        "here",
        "i",
        "you",
        "we",
        "our",
        "your",
        "my",
        "me",
        "us",
        "who",
        "whom",
        "whose",
        "which",
        "what",
        "when",
        "where",
        "why",
        "how",
        "also",
        "both",
        "either",
        "neither",
        "not",
        "no",
        "so",
        "such",
        "if",
        "while",
        "during",
        "after",
        "before",
        "same",
        "other",
        "another",
        "any",
        "all",
        "some",
        "each",
        "more",
        "most",
        "one",
        "ones",
    ]
)
"""English words that carry no topic; other languages rely on the rarity of their words."""


def fold(text: str) -> str:
    """Lower the case and drop accents and HTML entities."""
    lower = html.unescape(text).lower()
    if lower.isascii():  # as most texts are: nothing to take apart, and a look at each letter costs most
        return lower
    return "".join(char for char in unicodedata.normalize("NFKD", lower) if not unicodedata.combining(char))


VERBS = {
    "became": "become", "began": "begin", "begun": "begin", "bought": "buy", "broke": "break",
    "broken": "break", "brought": "bring", "built": "build", "came": "come", "chose": "choose",
    "chosen": "choose", "died": "die", "drawn": "draw", "drew": "draw", "driven": "drive", "drove": "drive",
    "fallen": "fall", "fell": "fall", "flew": "fly", "flown": "fly", "forbidden": "forbid",
    "fought": "fight", "gave": "give", "given": "give", "gone": "go", "grew": "grow", "grown": "grow",
    "held": "hold", "hid": "hide", "hidden": "hide", "kept": "keep", "laid": "lay", "led": "lead",
    "lost": "lose", "made": "make", "married": "marry", "met": "meet", "paid": "pay", "ran": "run",
    "risen": "rise", "rose": "rise", "sang": "sing", "sank": "sink", "sat": "sit", "sent": "send",
    "shot": "shoot", "shown": "show", "slept": "sleep", "sold": "sell", "spoke": "speak", "spoken": "speak",
    "stole": "steal", "stolen": "steal", "stood": "stand", "sung": "sing", "sunk": "sink", "taken": "take",
    "taught": "teach", "threw": "throw", "thrown": "throw", "took": "take", "went": "go", "won": "win",
    "written": "write", "wrote": "write",
}  # fmt: skip
"""Forms of verbs that do not end as others do; "found" and "left" are other words as well."""
_DOERS = {
    "author": "write", "authored": "write", "authors": "write", "winner": "win", "winners": "win",
}  # fmt: skip
"""Who does what a verb says, by another word."""
_ENDINGS = (
    ("'s", 3),
    ("’s", 3),
    ("ings", 7),
    ("ies", 5),
    ("ied", 5),
    ("ing", 6),
    ("ed", 5),
    ("es", 5),
    ("s", 4),
)
"""What is cut from words of so many letters at least."""
_DOUBLED = re.compile(r"..([bdgmnprt])\1$")
"""What "stop" ends in before "-ed"; "add" and "call" end so themselves."""
_NOT = frozenset(["not", "never", "cannot", "nicht", "nie", "niemals", "kein", "keine", "keinen", "keinem"])
_AGENTS = frozenset(
    ["builder", "commander", "composer", "compressor", "conductor", "converter", "creator", "decoder",
     "designer", "developer", "director", "discoverer", "driver", "editor", "encoder", "founder", "governor",
     "handler", "holder", "illustrator", "inventor", "keeper", "leader", "loader", "maker", "manager",
     "narrator", "operator", "organiser", "organizer", "owner", "painter", "parser", "performer",
     "presenter", "producer", "publisher", "reader", "renderer", "ruler", "sculptor", "sender", "singer",
     "supervisor", "supplier", "teacher", "tokenizer", "translator", "writer"]
)  # fmt: skip
"""Who does what a verb says; of other words in -er and -or ("corner", "Parker") a part is another word."""


_DEEDS = frozenset(
    ["achievement", "agreement", "amendment", "announcement", "appointment", "arrangement", "assessment",
     "commencement", "development", "employment", "establishment", "improvement", "investment", "management",
     "measurement", "payment", "punishment", "reimbursement", "repayment", "replacement", "retirement",
     "settlement", "shipment", "treatment"]
)  # fmt: skip
"""What is done, by a word made of its verb; of other words in -ment ("department") a part is another word."""


_PLURALS = {
    "children": "child", "feet": "foot", "geese": "goose", "halves": "half", "knives": "knife",
    "loaves": "loaf", "men": "man", "mice": "mouse", "shelves": "shelf", "teeth": "tooth",
    "thieves": "thief", "wolves": "wolf", "women": "woman",
}  # fmt: skip
"""Plurals that do not end as others do; "leaves" and "lives" are other words as well."""


@lru_cache(maxsize=WORDS)
def stem(word: str) -> str:
    """Cut the commonest English endings, so that a plural meets its singular."""
    word = _PLURALS.get(word, word)
    if len(word) == 5 and word.endswith("es") and word[2] not in "hisxz":
        return word[:-1]  # "sites" meets "site", which keeps its e
    for ending, least in _ENDINGS:
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            root = word[: -len(ending)] + ("y" if ending in ("ies", "ied") else "")
            return root[:-1] if ending in ("ing", "ings", "ed") and _DOUBLED.search(root) else root
    return word.removesuffix("e") if len(word) > 4 else word


@lru_cache(maxsize=WORDS)
def term_of(word: str) -> str:
    """Return the stem by which a verb, its forms, who and what is done meet: "leads", "led" and "leader"."""
    root = stem(VERBS.get(word) or _DOERS.get(word, word))
    if root in _DEEDS:
        root = root.removesuffix("ment")
    if root in _AGENTS:
        root = f"{root[:-3]}y" if root.endswith("ier") else root[:-2]
    return root.removesuffix("e") if len(root) > 3 else root


_THINGS = re.compile(
    r"(?P<before>(?:(?<!\w)\w+)?)(?P<gap>(?<!\W)\W+)"
    r"(?P<thing>(?:build|paint|draw|meet|cross|record|wedd|clean|open|land)ings?)\b",
    re.IGNORECASE,
)
"""A thing by a word that may also say what is done: "the building", but not "is building"."""
_DOING = frozenset(
    ["is", "are", "was", "were", "be", "been", "am", "by", "for", "in", "of", "on", "while", "when",
     "before", "after", "began", "started", "begins", "starts", "not", "stopped"]
)  # fmt: skip
"""Words behind which such a word says what is done."""


def without_things(text: str, question: str) -> str:
    """Return a text without words for things that would pass for a verb of a question.

    "When was the museum built?" is not answered by what says that a park lies behind the building.
    """
    if "ing" not in text:
        return text
    said, asked = _asked_in(question)

    def bare(match: re.Match[str]) -> str:
        thing = fold(match["thing"])
        passes = term_of(thing) in asked and thing.removesuffix("s") not in said
        doing = match["before"].lower() in _DOING
        return f"{match['before']}{match['gap']}" if passes and not doing else match[0]

    return _THINGS.sub(bare, text)


@lru_cache(maxsize=256)  # every sentence is held against the question
def _asked_in(question: str) -> tuple[frozenset[str], frozenset[str]]:
    found = words(question)
    return frozenset(word.removesuffix("s") for word in found), frozenset(map(term_of, found))


def is_past(word: str) -> bool:
    """Tell whether a verb is in a form of the past."""
    own = fold(word)
    return own.endswith("ed") or own in VERBS


def denies(said: Iterable[str]) -> bool:
    """Tell whether one of some words says "not", also as a part of it: "isn't"."""
    return any(word in _NOT or word.endswith(("n't", "n’t")) for word in said)


QUESTION_WORDS = frozenset(
    fold(
        """
        qué quién cuándo dónde cuántos cuántas cuánto cuál quand combien pourquoi quel quelle wann warum
        welche welcher welches wieviel кто что где когда как какой сколько почему متى ما ماذا هل أين كم من
        كيف لماذا أي هي هو في على إلى عن
        """
    ).split()
)
"""Words by which other languages ask, folded."""
_UNSPACED_QUESTION = re.compile(
    "多少|什么|什麼|哪个|哪個|哪里|哪些|哪|谁|誰|几|幾|如何|怎么|怎麼|怎样|为什么|為什麼|是否|吗|嗎|呢"
)


def _at_hand(read: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Read a short text once: names, criteria and sentences are compared again and again."""
    kept = lru_cache(maxsize=LINES)(lambda text: tuple(read(text)))

    @wraps(read)
    def reading(text: str) -> list[str]:
        return list(kept(text)) if len(text) <= LINE else read(text)

    return reading


@_at_hand
def words(text: str) -> list[str]:
    """Split into folded words in order; unspaced scripts into pairs of characters."""
    found: list[str] = []
    for match in WORD.finditer(fold(text)):
        word = match.group()
        if _UNSPACED.search(word):
            for run in filter(None, _UNSPACED_QUESTION.split(word)):
                found.extend(_pairs(run))
        else:
            found.append(word)
    return found


def _pairs(run: str) -> Iterable[str]:
    if len(run) < 2:
        return [run]
    return [run[i : i + 2] for i in range(len(run) - 1)]


@_at_hand
def terms(text: str) -> list[str]:
    """Return the stemmed content words in order, repeats kept; a joined name also gives its parts."""
    said = words(text)
    for match in _JOINED.finditer(text):
        said.extend(part.lower() for part in _PART.findall(match.group()))
    return [
        stem(word)
        for word in said
        if (len(word) > 1 or word.isdigit()) and word not in FUNCTION_WORDS and word not in QUESTION_WORDS
    ]


def bare_title(title: str) -> str:
    """Drop a trailing bracket from a title: "Revenge (song)" is "Revenge"."""
    plain = html.unescape(title).strip()
    return _BRACKETS.sub("", plain) or plain


def contains_phrase(text: list[str], phrase: list[str]) -> bool:
    """Tell whether the words of a phrase stand next to each other in a list of words."""
    if not phrase or len(phrase) > len(text):
        return False
    first, size = phrase[0], len(phrase)
    return any(word == first and text[i : i + size] == phrase for i, word in enumerate(text))


def clip_task(task: str) -> str:
    """Cut a very long task to its head and tail, where the question usually stands."""
    task = task.strip()
    if len(task) <= MAX_QUESTION:
        return task
    half = MAX_QUESTION // 2
    return f"{task[:half]} … {task[-half:]}"
