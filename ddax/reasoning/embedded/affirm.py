"""Yes or no: decided where a sentence says a question's own words as a statement, or denies them.

Nothing is concluded from words that only resemble the question's, from a sentence that is limited by its own
words ("only", "except"), by what it stands under or by the next one, or where two sentences disagree: a wrong
yes is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import Sentence
from ddax.text.chunks import CHUNK_CHARS, SENTENCE_CHARS, sentences
from ddax.text.question import Question
from ddax.text.words import FUNCTION_WORDS, denies, is_past, term_of, words

_LIMITS = frozenset(
    ["only", "except", "unless", "if", "but", "however", "although", "though", "some", "most", "many", "few",
     "usually", "often", "sometimes", "mostly", "mainly", "partly", "nearly", "almost", "about", "perhaps",
     "maybe", "probably", "possibly", "allegedly", "reportedly", "supposedly", "expected", "planned", "until",
     "when", "while", "where", "whether", "either", "or", "otherwise", "without", "during", "besides",
     "provided", "formerly", "previously", "hardly", "rarely", "seldom", "instead", "than"]
)  # fmt: skip
"""Words of a sentence that says a thing in part, for a time or by hearsay."""
_DENIALS = frozenset(["not", "never", "no", "nor", "neither"])
_UNTRUE = frozenset(
    ["myth", "myths", "misconception", "misconceptions", "legend", "rumour", "rumours", "rumor", "rumors",
     "hoax", "claim", "claims", "claimed", "false", "falsely", "wrong", "wrongly", "untrue", "incorrect",
     "mistaken", "mistakenly", "fiction"]
)  # fmt: skip
"""Words by which a page may take back anything it says."""
_EXCLUSIVE = (
    {"open", "closed"}, {"allowed", "forbidden"}, {"allowed", "prohibited"}, {"permitted", "forbidden"},
    {"permitted", "prohibited"},
)  # fmt: skip
"""States of which nothing is in both."""
_ON = frozenset(
    ["it", "they", "this", "that", "these", "those", "he", "she", "exception", "exceptions"]
).union(*_EXCLUSIVE)  # fmt: skip
"""What a sentence may say of the one before it."""
_SHORT = {"can't": "can", "won't": "will", "shan't": "shall", "cannot": "can"}
_SAME = {"may": ("may", "can"), "can": ("can",), "must": ("must",)}
"""What a sentence may say for what a question of leave or duty says."""
_REFUSED = {"may": ("may", "can", "must"), "can": ("can", "must"), "must": ("must", "need")}
"""What with "not" behind it refuses what the question asks."""
_ONCE = frozenset(
    map(term_of, ["build", "founded", "born", "die", "establish", "complete", "finish", "publish", "invent",
                  "discover", "create", "launch"])
)  # fmt: skip
"""What happens once, so that another year of it denies the one that is asked."""
_ONE = re.compile(r"Was (?:the |[A-Z])")
"""What opens a question about one thing; of ships, gold or a church there may be others."""
_YEAR = re.compile(r"1\d{3}|20\d\d")
_WHEN = re.compile(
    r"(?:in|on)(?: \d{1,2})?(?: (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)?(?: \d{1,2})?"
    rf" (?P<year>{_YEAR.pattern})"
)
"""A date, a fact beside what is asked."""
_STATEMENT = re.compile(r"[\w*].*[\w.!*]", re.DOTALL)
"""What neither asks, quotes, strikes out nor leads to what follows."""
_ANSWER = re.compile(r"\W*(yes|no)\b\s*(?:[,;:!–—]|\.?$)", re.I)
"""What opens an answer, where "No credit card is needed" and "No. 5" do not."""


def affirmed(question: Question, weighed: Sequence[Weighed]) -> tuple[Weighed, str] | None:
    """Find the sentence that decides a yes-no question, and what it says; None where it is not clear."""
    asked = words(question.text)
    if question.kind != "yes_no" or len(asked) < 2 or (_LIMITS | _DENIALS).intersection(asked):
        return None
    found: list[tuple[Weighed, str]] = []
    leanings: set[str] = set()
    for item in weighed:
        said = _verdict(question, item.sentence)
        if not said and _says_another_number(question, item.sentence):
            return None
        if not said and not item.terms.issuperset(question.terms):
            continue
        if _limited(item.sentence, asked) or (said and _taken_back(item.sentence, weighed)):
            return None
        if said:
            found.append((item, said))
        leanings.add(said or _leaning(item.sentence))
    return found[0] if found and leanings <= {found[0][1], ""} else None


def _leaning(line: Sentence) -> str:
    """Return what a sentence that says all words asked would say, if it said no more than them."""
    if line.label or not _STATEMENT.fullmatch(line.text):
        return ""
    said = words(line.text)
    return "no" if denies(said) or not _DENIALS.isdisjoint(said) else "yes"


def _limited(line: Sentence, asked: Sequence[str]) -> bool:
    """Tell whether a sentence, or what it stands under, limits what it says."""
    page, title = line.passage, words(line.passage.title)
    above = words(line.heading.plain) if line.heading else []
    return (
        # What stands above a passage that does not open its document was not read.
        not (line.heading or line.label or page.opens)
        or not set(above) <= {*asked, *title}
        or not _LIMITS.isdisjoint([*title, *words(f"{line.intro} {line.text}")])
        or not (_UNTRUE - set(asked)).isdisjoint([*title, *words(page.text)])
        or not _DENIALS.isdisjoint(title)
        or page.text[: line.start - page.start].rstrip().endswith(":")
    )


def _taken_back(line: Sentence, weighed: Sequence[Weighed]) -> bool:
    """Tell whether the next sentence may limit a sentence, or was not read."""
    pages = {item.sentence.passage for item in weighed}
    behind = max(
        (page.text[line.end - page.start :]
         for page in pages if page.source == line.passage.source and page.start <= line.start),
        key=len,
    )  # fmt: skip
    following = next(iter(sentences(behind)), None)
    if following is None:
        # A passage that is shorter than this was not cut for its length: its document or its section ends.
        return len(line.passage.text) > CHUNK_CHARS - SENTENCE_CHARS
    said = words(behind[following.start : following.end])
    return not (_LIMITS | _DENIALS | _ON).isdisjoint(part for word in said for part in _spelt(word))


def _verdict(question: Question, line: Sentence) -> str:
    """Return what one sentence says to a question: yes, no or nothing."""
    if line.label or line.item or line.code or not _STATEMENT.fullmatch(line.text):
        return ""
    asked = words(question.text)
    said = [part for word in words(line.text) for part in _spelt(word)]
    answer = _ANSWER.match(line.plain)
    if answer and line.heading and line.place == line.heading.place and words(line.heading.plain) == asked:
        return "" if (_DENIALS | {"yes"}).intersection(said[1:]) else answer[1].lower()
    return next(filter(None, (_matched(question, asked, said, at) for at in range(1, len(asked) - 1))), "")


def _says_another_number(question: Question, line: Sentence) -> bool:
    """Tell whether a sentence affirms what is asked with another number in place of the one asked."""
    asked, said = words(question.text), words(line.text)
    (mine, others) = ([word for word in one if word[0].isdigit()] for one in (asked, said))
    if len(mine) != 1 or len(others) != 1 or mine == others:
        return False
    other = replace(question, text=question.text.replace(mine[0], others[0]))
    return _verdict(other, line) == "yes"


def _spelt(word: str) -> Iterator[str]:
    """Yield a word in full: "isn't" is "is not"."""
    plain = word.replace("’", "'")
    if plain.endswith("n't") or plain == "cannot":
        yield _SHORT.get(plain, plain[:-3])
        yield "not"
    else:
        yield word


def _matched(question: Question, asked: list[str], told: list[str], at: int) -> str:
    """Compare a statement whose subject has `at` words with the question."""
    aux, subject, need = asked[0], asked[1 : at + 1], asked[at + 1 :]
    if told[:at] != subject or len(told) <= at:
        return ""
    verb, tail = told[at], told[at + 1 :]
    if verb in _REFUSED.get(aux, (aux,)) and _denied(aux, need, tail):
        return "no"
    if aux in ("do", "does", "did"):
        agrees, need = _does(aux, need[0], verb), need[1:]
    else:
        agrees, verb = verb in _SAME.get(aux, (aux,)), need[0]
    if not agrees:
        return ""
    past, once = aux in ("was", "were", "did"), term_of(verb) in _ONCE
    if past and need[-2:-1] in (["before"], ["after"]) and _YEAR.fullmatch(need[-1]):
        one = once and need[:-2] == [verb] and _ONE.match(question.text) is not None
        return _dated(need, tail, one=one)
    if tail[: len(need)] == need and _beside(need, tail[len(need) :], once=past and once):
        return "yes"
    excluded = aux in ("is", "are") and need[1:] == tail[1:] and {need[0], *tail[:1]} in _EXCLUSIVE
    return "no" if excluded else ""


def _denied(aux: str, need: list[str], tail: list[str]) -> bool:
    """Tell whether what stands behind the auxiliary denies all that is asked, and nothing more."""
    if need[0] in ("a", "an", "any") and tail == ["no", *need[1:]]:
        return True
    # What was no longer so was so before.
    longer = [["no", "longer"]] if aux in ("is", "are", "do", "does", "can", "may") else []
    return any(tail == [*denial, *need] for denial in (["not"], ["never"], *longer))


def _does(aux: str, asked: str, said: str) -> bool:
    """Tell whether a verb is said in the tense in which it is asked for."""
    if aux == "do":
        return said == asked
    if aux == "does":
        return said in (f"{asked}s", f"{asked}es", f"{asked[:-1]}ies")
    regular = (f"{asked}ed", f"{asked}d", f"{asked[:-1]}ied", f"{asked}{asked[-1]}ed")
    return said in regular or (said != asked and is_past(said) and term_of(said) == term_of(asked))


def _beside(need: list[str], left: list[str], *, once: bool) -> bool:
    """Tell whether what a sentence says besides does not limit it: when, or one more of the same."""
    if left[:1] == ["and"] and len(left) == 2 and len(need) > 1:
        return need[-2] in FUNCTION_WORDS and left[1] not in FUNCTION_WORDS | _ON
    return not left or (once and _WHEN.fullmatch(" ".join(left)) is not None)


def _dated(need: list[str], tail: list[str], *, one: bool) -> str:
    """Compare the year in which something happened with the one before or after which it is asked for."""
    core, bound = need[:-2], int(need[-1])
    when = _WHEN.fullmatch(" ".join(tail[len(core) :]))
    if tail[: len(core)] != core or when is None:
        return ""
    year, early = int(when["year"]), need[-2] == "before"
    if year < bound if early else year > bound:
        return "yes"
    denies = year >= bound if early else year < bound
    return "no" if denies and one else ""
