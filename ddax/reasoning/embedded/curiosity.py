"""The curiosity question without a model: the thing most spoken of that nobody has looked into."""

from __future__ import annotations

from collections import Counter

from ddax.errors import ReasonerError
from ddax.reasoning.embedded.evidence import readable
from ddax.reasoning.embedded.sentences import split
from ddax.reasoning.embedded.spans import names_in
from ddax.reasoning.protocol import AskRequest, Question
from ddax.text.words import bare_title, words

MAX_NAME = 80


def wonder(request: AskRequest) -> Question:
    """Ask about the name that what was read mentions most and neither the task nor a title names.

    Raises `ReasonerError` where there is none.
    """
    known = set(words(request.task))
    titles = {word for p in request.evidence for word in words(bare_title(p.title))}
    counted: Counter[str] = Counter()
    for sentence in split(readable(request.evidence)):
        names = {span.text for span in names_in(sentence.text) if len(span.text) <= MAX_NAME}
        counted.update(name for name in names if not set(words(name)) <= known | titles)
    if not counted:
        raise ReasonerError(
            "There is nothing left to be curious about.",
            why="Every name was looked into.",
            mend="Give more sources: --sources",
        )
    name, _ = min(counted.items(), key=lambda item: (-item[1], item[0]))
    return Question(f"What is {name}?")
