"""Tell which recalled passages bear on a task: those about what it names.

A memory full of like things recalls the likest, not the right one. What this task has read is evidence
whatever it says; what it only recalls is evidence where it is about something the task names, or about
what that leads to.
"""

from __future__ import annotations

from collections.abc import Sequence

from ddax.text.mentions import Mentions
from ddax.text.question import analyse
from ddax.types import Passage


def bearing(task: str, read: Sequence[Passage], recalled: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the recalled passages that bear on a task, in their order.

    They are of a document that holds a name of the task, that was read, or whose title such a one names,
    and so on. All stay where the task names nothing, or nothing known holds a name of it.
    """
    names = analyse(task).names
    if not names or not recalled:
        return tuple(recalled)
    mentions = Mentions([*read, *recalled])
    known = frozenset[str]().union(*(mentions.holding(name) for name in names))
    if not known:
        return tuple(recalled)
    known = mentions.led_to(known | {passage.source for passage in read})
    return tuple(passage for passage in recalled if passage.source in known)
