"""What a follow-up leaves unsaid: the subject that the turn before it had.

A search cannot look back, so a question like "And how long does it last?" is completed with the names of
the earlier question, with its answer where that is what was asked for, or with what the sources of that
answer are titled. A question that names its own subject stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ddax.reasoning.background import Turn
from ddax.text.german import is_german
from ddax.text.question import Question, analyse
from ddax.text.words import bare_title, fold, terms, words

_PERSONS = frozenset(
    """
    he him his she her hers they them their theirs er ihn ihm sie ihr ihre ihrer ihrem ihren ihnen sein seine
    seiner seinem seinen
    """.split()  # noqa: SIM905
)
_THINGS = frozenset("it its es dessen deren damit daran darin dafür davon dort there".split())  # noqa: SIM905
_POINTING = frozenset("this that these those dies diese dieser dieses das".split())  # noqa: SIM905
_GOING_ON = frozenset("and but or then so und aber oder dann also".split())  # noqa: SIM905
_AUXILIARY = frozenset(
    """
    is are was were be do does did has have had can could will would should may might must ist sind war waren
    hat haben hatte kann wird wurde wurden
    """.split()  # noqa: SIM905
)
_ASKING = frozenset(
    """
    who whom whose which what when where why how wer wen wem was wann warum wo wie welche welcher welches
    """.split()  # noqa: SIM905
)
_DEFINITE = frozenset("the this that these those der die das dem den des".split())  # noqa: SIM905
_OWNING = frozenset("his its their".split())  # noqa: SIM905
_ANSWERED = frozenset({"place", "thing", "name", "choice"})
"""Kinds of questions whose answer is what is spoken of next; a person only where a person is meant."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_ENDING = re.compile(r"(?<![\s.?!])[\s.?!]*+$")
SUBJECT_CHARS = 120


def meant(task: str, turns: Sequence[Turn]) -> str:
    """Return a question as it is meant after earlier turns; as it stands where it names its own subject."""
    if not turns:
        return task
    before, asked = turns[-1], analyse(task)
    names = tuple(name for name in asked.names if fold(name) not in _GOING_ON)
    said = _pronoun(task, names)
    if names and not said:
        return _for_own_name(task, names, before)
    if not said and not _leaves_open(task, asked, before):
        return task
    subject = _subject(before, person=said in _PERSONS, pointed=_pointed(task, before))
    if not said and not asked.terms:  # "Why?" asks about all of the earlier question
        subject = " ".join(_content(before.read_as or before.question))
    if not subject or set(terms(subject)) <= set(terms(task)):
        return task
    return _completed(task, said, subject)


def _leaves_open(task: str, asked: Question, before: Turn) -> bool:
    """Tell whether a question without a name and a pronoun says too little to be looked for by itself."""
    found, few = words(task), len(asked.terms)
    if not few or found[0] in _GOING_ON or _pointed(task, before):
        return True
    if not _POINTING.isdisjoint(found):
        return few <= 2
    return few == 1 and _AUXILIARY.isdisjoint(found)


def _pronoun(task: str, names: Iterable[str]) -> str:
    """Return the first pronoun of a question, where no name before it says whom it means; else ""."""
    end = min((task.find(name) for name in names if name in task), default=len(task))
    found = [fold(match.group()) for match in _WORD.finditer(task[:end])]
    for place, word in enumerate(found):
        if word == "there" and not _AUXILIARY.isdisjoint(found[max(0, place - 1) : place + 2]):
            continue  # "Is there a fee?" points nowhere
        if word in _PERSONS or word in _THINGS:
            return word
    return ""


def _pointed(task: str, before: Turn) -> bool:
    """Tell whether a question says "the bridge" of what the earlier one names or asks for."""
    earlier = analyse(before.read_as or before.question)
    known = {*words(" ".join(earlier.names)), earlier.head} - {""}
    found = words(task)
    return any(a in _DEFINITE and b in known for a, b in pairwise(found))


def _for_own_name(task: str, names: Sequence[str], before: Turn) -> str:
    """Return the earlier question about the name of a follow-up that is hardly more; else the follow-up."""
    earlier = before.read_as or before.question
    known, found = analyse(earlier).names, set(words(task))
    more = set(terms(task)) - set(terms(" ".join(names)))
    if not _AUXILIARY.isdisjoint(found):
        return task
    if len(known) == 1 == len(names):
        if not more:
            return earlier.replace(known[0], names[0])
        theirs, mine = _with_noun(earlier, known[0]), _with_noun(task, names[0])
        if theirs and mine and more == set(terms(mine)) - set(terms(names[0])):
            return earlier.replace(theirs, mine)
    if words(task)[0] not in _GOING_ON or not _ASKING.isdisjoint(found):
        return task
    rest = [word for word in _content(earlier) if not set(terms(word)) & set(terms(" ".join(known)))]
    return _completed(task, "", " ".join(rest)) if rest else task


def _with_noun(text: str, name: str) -> str:
    """Return a name with the word behind it, as in "the Aldra desk"; "" where none follows at once."""
    found = re.search(rf"{re.escape(name)} [^\W\d_]+", text)
    return found.group() if found else ""


def _subject(before: Turn, *, person: bool, pointed: bool) -> str:
    """Return what the earlier turn was about, in a few words."""
    question = before.read_as or before.question
    asked = analyse(question)
    answered = asked.kind == "person" if person else asked.kind in _ANSWERED
    if (answered or (pointed and asked.head)) and before.short[:1].isupper():
        return before.short[:SUBJECT_CHARS]
    if asked.names:
        return ", ".join(asked.names)[:SUBJECT_CHARS]
    return _key_terms(question, before.sources)[:SUBJECT_CHARS]


def _key_terms(question: str, titles: Iterable[str]) -> str:
    """Return the words of a question that the titles of its sources say; else a title, or all its words."""
    cited = [bare_title(title) for title in titles if title]
    known = {term for title in cited for term in terms(title)}
    content = _content(question)
    shared = [word for word in content if not known.isdisjoint(terms(word))]
    return " ".join(shared) or next(iter(cited), "") or " ".join(content)


def _content(question: str) -> list[str]:
    return [word for word in _WORD.findall(question) if terms(word)]


def _begun(task: str) -> str:
    """Drop the word with which a follow-up goes on: "And what ..." begins as a question of its own would."""
    first, _, rest = task.strip().partition(" ")
    going_on = fold(first.strip(",")) in _GOING_ON and rest.strip(" ?!.")
    return rest[:1].upper() + rest[1:] if going_on else task


def _completed(task: str, pronoun: str, subject: str) -> str:
    """Put a subject in the place of its pronoun, which is easy in English; else behind the question."""
    task = _begun(task)
    end = _ENDING.search(task)
    place = re.search(rf"\b{pronoun}\b", task, re.IGNORECASE) if pronoun else None
    if place is None or is_german(task) or pronoun in {"there", "theirs", "hers"}:
        assert end is not None, "it matches the empty end of any text"
        return f"{task[: end.start()]} ({subject}){task[end.start() :]}"
    told = subject if subject[:1].isupper() else f"the {subject}"
    owning = pronoun in _OWNING or (pronoun == "her" and task[place.end() :][:2].strip().isalpha())
    return f"{task[: place.start()]}{told}{'’s' if owning else ''}{task[place.end() :]}"
