"""Findings that go to the last synthesis as they are, where one more before it would change nothing.

Where nothing but merges is left, what an inner idea's synthesis says is at once read
again by the next one, which is given the same pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ddax.graph.ports import Asks
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.ideas.idea import Ideas
from ddax.reasoning.budget import FREE
from ddax.reasoning.protocol import Finding, Synthesis
from ddax.types import Idea

SEEN = frozenset({"look", "move"})
"""Actions whose result is what is to be seen of a world."""
EMPTY = "nothing left to look into here"
"""The result of an idea whose plan is empty."""
PASSED_ON = "passed on as it was found"
"""The reason of a merge that put nothing together."""


def passed_on(state: State, session: Asks, said: Sequence[Finding]) -> Synthesis | None:
    """Return the findings of an inner idea as its synthesis; None where they are to be put together.

    They are where a finding failed, where they are too many or none is quoted, save those of looks and
    moves, and where more than merges is left to do: then what comes next may hang on what they say together.
    """
    if session.reasoner.name in FREE or not 0 < len(said) <= session.settings.models.pass_on:
        return None
    quoted = any(finding.citations for finding in said)
    seen = all(finding.action in SEEN for finding in said)  # what is seen is told to the next one anyway
    if any(finding.status != "done" for finding in said) or not (quoted or seen):
        return None
    left = [i for i in dag.live(state["ideas"], state["work"]["root"]) if i["kind"] != "merge"]
    if any(idea["kind"] == "leaf" or idea["status"] == "open" for idea in left):
        return None
    citations = tuple(dict.fromkeys(c for finding in said for c in finding.citations))
    carried = sum(bool(finding.citations) for finding in said) / len(said)
    return Synthesis(" ".join(finding.result for finding in said), citations, True, carried)


def of_nothing(session: Asks, idea: Idea, said: Sequence[Finding]) -> Synthesis | None:
    """Return what is made of findings none of which found anything; None where one did or nobody is paid."""
    if session.reasoner.name in FREE or not said or any(not _is_empty(finding) for finding in said):
        return None
    return Synthesis(f"Not found: {idea['title']}", (), False, 0.0)


def _is_empty(finding: Finding) -> bool:
    return finding.status == "done" and not finding.citations and finding.result.startswith(EMPTY)


def whole_needs(ideas: Ideas, needs: Iterable[str]) -> list[str]:
    """Return what a merge puts together: for an idea whose findings were passed on, these."""
    found: list[str] = []
    for need in needs:
        merge = dag.current_merge(ideas, need)
        passed = merge is not None and merge.get("reason") == PASSED_ON
        found += whole_needs(ideas, merge["needs"]) if merge is not None and passed else [need]
    return found
