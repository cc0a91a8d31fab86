"""Whether a task that may act on pages did so: an answer that only tells what was seen says it.

An order of which nothing was done is not done, whatever a model says of it.
"""

from __future__ import annotations

from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.text.question import is_question
from ddax.text.words import words

ACTS = frozenset({"move", "browse"})
"""Actions that press, choose or write."""
UNMOVED = "Nothing was pressed or written on a page: this tells what was seen."
TELLING = frozenset(
    """
    compare count describe explain find give list name read say show state tell
    beschreibe erkläre finde lies liste nenne sag sage vergleiche zähle zeig zeige
    """.split()  # noqa: SIM905
)
"""First words of a task that may want to hear of a page and no more, in English and German."""


def unmoved(state: State, session: Session) -> str:
    """Return a note where a browser was allowed to send data and no act on a page was done; else ""."""
    if session.world is None or not session.settings.browser.writes:
        return ""
    leaves = (i for i in dag.subtree(state["ideas"], state["work"]["root"]) if i["kind"] == "leaf")
    acted = any(leaf["action"]["name"] in ACTS and leaf["status"] == "done" for leaf in leaves)
    return "" if acted else UNMOVED


def is_order(task: str) -> bool:
    """Tell whether a task wants something done, and not only told."""
    first = next(iter(words(task)), "")
    return not is_question(task) and first not in TELLING
