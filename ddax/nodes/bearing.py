"""Tell which recalled passages bear on a task: those about what it names. No node of its own.

A memory full of like things (a birthplace each of a hundred people) recalls the likest, not the right one.
What this task has read is evidence whatever it says; what it only recalls is evidence where it is about
something the task names, or about what that leads to.
"""

from __future__ import annotations

from collections.abc import Sequence

from ddax.reasoning.embedded.question import analyse
from ddax.reasoning.embedded.text import bare_title, contains_phrase, fold, words
from ddax.types import Passage

LEAST_TITLE = 3
"""Characters of a title from which its mention is one of the document."""


def bearing(task: str, read: Sequence[Passage], recalled: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the recalled passages that bear on a task, in their order.

    They hold a name of the task, are of a document that does or that was read, or of one whose title such
    a passage names, and so on. All stay where the task names nothing, or nothing known holds a name of it.
    """
    names = analyse(task).names
    if not names or not recalled:
        return tuple(recalled)
    known = {p.source for p in (*read, *recalled) if any(_says(p, name) for name in names)}
    if not known:
        return tuple(recalled)
    known |= {p.source for p in read}
    frontier = [p for p in (*read, *recalled) if p.source in known]
    while frontier:
        led = [p for p in recalled if p.source not in known and any(_says(f, p.title) for f in frontier)]
        known |= {p.source for p in led}
        frontier = [p for p in recalled if p.source in {found.source for found in led}]
    return tuple(p for p in recalled if p.source in known)


def _says(passage: Passage, name: str) -> bool:
    """Tell whether a passage, or its title, holds a name as whole words."""
    plain = bare_title(name)
    said = f"{passage.title}\n{passage.text}"
    if len(plain) < LEAST_TITLE or fold(plain) not in " ".join(fold(said).split()):
        return False
    return contains_phrase(words(said), words(plain))
