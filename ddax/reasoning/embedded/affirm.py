"""Yes or no: decided where a sentence says a question's own words as a statement, or denies them.

Nothing is concluded from words that only resemble the question's, from a sentence that limits what it says
("only", "except", "in summer"), or where two sentences disagree: a wrong yes is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.question import Question
from ddax.reasoning.embedded.sentences import Sentence
from ddax.reasoning.embedded.text import FUNCTION_WORDS, is_past, term_of, words

_ARTICLES = frozenset(["a", "an", "the", "any"])
_LIMITS = frozenset(
    ["only", "except", "unless", "if", "but", "however", "although", "though", "some", "most", "many", "few",
     "usually", "often", "sometimes", "mostly", "mainly", "partly", "nearly", "almost", "about", "perhaps",
     "maybe", "probably", "possibly", "allegedly", "reportedly", "supposedly", "expected", "planned", "until",
     "when", "while", "where", "whether", "either", "or", "otherwise", "without", "during", "besides",
     "provided", "formerly", "previously", "hardly", "rarely", "seldom", "instead", "than"]
)  # fmt: skip
"""Words of a sentence that says a thing in part, for a time or by hearsay."""
_DENIALS = frozenset(["not", "never", "no", "nor", "neither"])
_ON = frozenset(
    ["it", "they", "this", "that", "these", "those", "he", "she", "however", "but", "except", "only"]
)
"""How a sentence goes on about the one before it."""
_SHORT = {"can't": "can", "won't": "will", "shan't": "shall", "cannot": "can"}
_SAME = {"may": ("may", "can"), "can": ("can",), "must": ("must",)}
"""What a sentence may say for what a question of leave or duty says."""
_REFUSED = {"may": ("may", "can", "must"), "can": ("can", "must"), "must": ("must", "need")}
"""What with "not" behind it refuses what the question asks."""
_PAST = frozenset(["was", "were", "did", "has", "have", "had"])
_ONCE = frozenset(
    map(term_of, ["build", "founded", "born", "die", "establish", "complete", "finish", "publish", "invent",
                  "discover", "create", "launch"])
)  # fmt: skip
"""What happens once, so that another year of it denies the one that is asked."""
_YEAR = re.compile(r"1\d{3}|20\d\d")
_WHEN = re.compile(
    r"(?:by (?:[^\W\d]+ ?){1,6})?(?:(?:in|on) (?:\d{1,2} )?(?:[a-z]+ )?(?:\d{1,2} )?(?P<year>1\d{3}|20\d\d))?"
)
"""Who did it, and when: facts beside what is asked, that do not limit it."""


def affirmed(question: Question, weighed: Sequence[Weighed]) -> tuple[Weighed, str] | None:
    """Find the sentence that decides a yes-no question, and what it says; None where it is not clear."""
    aux, *rest = words(question.text) or [""]
    if question.kind != "yes_no" or not rest or (_LIMITS | _DENIALS) & set(rest):
        return None
    found: list[tuple[Weighed, str]] = []
    for item in weighed:
        limited = _limited(item.sentence, rest, weighed)
        said = "" if limited else _verdict(aux, rest, item.sentence)
        if said:
            found.append((item, said))
        elif limited and item.terms.issuperset(question.terms):
            return None
    return found[0] if len({said for _, said in found}) == 1 else None


def _limited(line: Sentence, rest: Sequence[str], weighed: Sequence[Weighed]) -> bool:
    """Tell whether a sentence, what it stands under or the next one limits what it says."""
    above = f"{line.heading.plain if line.heading else ''} {line.intro}"
    if not _asks(line, rest) and _LIMITS & (set(words(f"{above} {line.text}")) - set(rest)):
        return True
    after = [item.sentence for item in weighed if item.sentence.passage is line.passage]
    following = min((it for it in after if it.start > line.start), key=lambda it: it.start, default=None)
    said = words(following.text) if following else []
    return said[:1] != [] and said[0] in _ON and bool((_LIMITS | _DENIALS) & set(said))


def _verdict(aux: str, rest: Sequence[str], line: Sentence) -> str:
    """Return what one sentence says to a question: yes, no or nothing."""
    if line.label or line.item or line.text.rstrip().endswith("?"):
        return ""
    said = [word for part in words(line.text) for word in _spelt(part)]
    if not said:
        return ""
    if _asks(line, rest) and said[0] in ("yes", "no"):
        return "" if _LIMITS & set(said) else said[0]
    if said[0] != rest[0] and {said[0], rest[0]} & _ARTICLES:
        return ""  # "a museum" is another one than "the museum"
    asked = [word for word in rest if word not in _ARTICLES]
    told = [word for word in said if word not in _ARTICLES]
    return next(filter(None, (_matched(aux, asked, told, at) for at in range(1, len(asked)))), "")


def _asks(line: Sentence, rest: Sequence[str]) -> bool:
    """Tell whether a sentence stands below the question itself."""
    return line.heading is not None and words(line.heading.plain)[1:] == list(rest)


def _spelt(word: str) -> Iterator[str]:
    """Yield a word in full: "isn't" is "is not"."""
    plain = word.replace("’", "'")
    if plain.endswith("n't") or plain == "cannot":
        yield _SHORT.get(plain, plain[:-3])
        yield "not"
    else:
        yield word


def _matched(aux: str, asked: list[str], told: list[str], at: int) -> str:
    """Compare a statement whose subject has `at` words with the question."""
    if told[:at] != asked[:at] or len(told) <= at:
        return ""
    need, verb, tail = asked[at:], told[at], told[at + 1 :]
    for denial in (["not"], ["never"], ["no", "longer"], ["no"]):
        if tail[: len(denial)] == denial:
            refuses = verb in _REFUSED.get(aux, (aux,))
            return "no" if refuses and _says(need, tail[len(denial) :], denied=True) == "yes" else ""
    past = aux in _PAST
    if aux in ("do", "does", "did"):
        return _says(need, tail, verb=verb, past=past) if _does(aux, need.pop(0), verb) else ""
    return _says(need, tail, past=past) if verb in _SAME.get(aux, (aux,)) else ""


def _does(aux: str, asked: str, said: str) -> bool:
    """Tell whether a verb is said in the tense in which it is asked for."""
    if aux == "do":
        return said == asked
    if aux == "does":
        return said in (f"{asked}s", f"{asked}es", f"{asked[:-1]}ies")
    regular = (f"{asked}ed", f"{asked}d", f"{asked[:-1]}ied", f"{asked}{asked[-1]}ed")
    return said in regular or (said != asked and is_past(said) and term_of(said) == term_of(asked))


def _says(
    need: list[str], tail: list[str], *, verb: str = "", denied: bool = False, past: bool = False
) -> str:
    """Compare what a question asks with what stands behind the subject and its auxiliary."""
    if len(need) > 2 - bool(verb) and need[-2] in ("before", "after") and _YEAR.fullmatch(need[-1]):
        return "" if denied else _dated(need, tail, verb or need[0])
    part, left = tail[: len(need)], tail[len(need) :]
    if len(part) < len(need) or not _unlimited(left, denied=denied, past=past):
        return ""
    if part == need:
        return "yes"
    # Further on, two that exclude each other may both hold: "near the east gate", "near the west gate".
    turned = not denied and need[:1] != part[:1] and need[1:] == part[1:] and _opposed(need[0], part[0])
    return "no" if turned else ""


def _dated(need: list[str], tail: list[str], verb: str) -> str:
    """Compare the year in which something happened with the one before or after which it is asked for."""
    core, bound = need[:-2], int(need[-1])
    when = _WHEN.fullmatch(" ".join(tail[len(core) :]))
    if tail[: len(core)] != core or when is None or when["year"] is None:
        return ""
    year, early = int(when["year"]), need[-2] == "before"
    if year < bound if early else year > bound:
        return "yes"
    denies = year >= bound if early else year < bound
    return "no" if denies and term_of(verb) in _ONCE else ""


def _unlimited(left: list[str], *, denied: bool, past: bool) -> bool:
    """Tell whether what a sentence says besides does not limit it: who and when, or one more of the same."""
    if not left or (denied and left[0] == "but"):
        return True
    if left[0] == "and":
        return not FUNCTION_WORDS.intersection(left[1:]) - {"and"}
    return past and _WHEN.fullmatch(" ".join(left)) is not None


def _opposed(one: str, other: str) -> bool:
    """Tell whether two words exclude each other."""
    # Only a question of yes or no needs the list, which is read from a file.
    from ddax.reasoning.entailment.opposites import opposed
    from ddax.reasoning.entailment.words import root_of

    return opposed(root_of(one), {root_of(other)})
