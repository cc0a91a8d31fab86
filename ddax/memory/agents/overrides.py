"""What becomes of a human's overrides: they stand, or they are regretted (agent-memory 3.3, 6).

An override is regretted at once where it is reverted, where the decision goes back to the agent's
own, or where the agent's own choice, run again from the fork, came out better; and at its deadline
where another decision is in force by then. The same entry stands in the file of the agent that was
overridden and in that of the human, whose standing it moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ddax.errors import UsageError
from ddax.memory.agents.agent_file import HUMAN, find, stamp, take_in
from ddax.memory.agents.agent_store import Agents, canonical
from ddax.memory.records import clean, digest
from ddax.types import JsonDict

MIN_PREFIX = 4
"""Characters of an id that are enough to name an override, where they name one only."""


class Found(NamedTuple):
    """An override and the agent it was made against."""

    agent: str
    entry: JsonDict


def human_name(by: str) -> str:
    """Return the name under which a human's file is kept, apart from the agents' names."""
    name = canonical(by)
    return name if name == HUMAN or name.startswith(f"{HUMAN}:") else f"{HUMAN}:{name}"


class Overrides:
    """The overrides of a folder of agents. Blocking."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    def log(
        self,
        name: str,
        *,
        round_id: str,
        context: JsonDict,
        agent_output: str,
        human_decision: str,
        by: str = HUMAN,
        artifact: str = "",
    ) -> JsonDict:
        """Log an override once; it stands unless it is regretted. `artifact` names what was decided on."""
        human = human_name(by)
        now = self._agents.clock()
        event = digest("override", canonical(name), human, round_id, agent_output, human_decision)[:16]
        entry = {
            "id": event, "round_id": round_id, "timestamp": stamp(now), "context": context,
            "agent_output": clean(agent_output), "human_decision": clean(human_decision), "regret": False,
            "auto_check_deadline": stamp(now + self._agents.regret_hours * 3600.0), "reverted_by": None,
            "agent": canonical(name), "human": human, "artifact": artifact or round_id,
            "final_output": clean(human_decision), "regret_by": None, "vindicated": False,
        }  # fmt: skip
        for owner, reason in ((name, "overridden"), (human, "override")):
            with self._agents.changing(owner, reason) as file:
                if owner == human:
                    file["primary_role"] = HUMAN
                take_in(file, event, "override_history", dict(entry))
        return find(self._agents.load(name), "override_history", event) or entry

    def all(self) -> list[Found]:
        """Return every raw override, oldest first."""
        files = [agent for agent in self._agents.all() if agent["primary_role"] != HUMAN]
        found = [Found(str(a["agent_name"]), e) for a in files for e in a["override_history"]]
        return sorted(found, key=lambda one: (one.entry["timestamp"], one.entry["id"]))

    def of_thread(self, thread: str) -> list[Found]:
        """Return the overrides of what a thread chose or answered, oldest first."""
        return [one for one in self.all() if one.entry["context"].get("thread") == thread]

    def get(self, event: str) -> Found:
        """Return the override whose id begins like this; raises `UsageError` where not exactly one does."""
        if len(event) < MIN_PREFIX:
            raise UsageError(
                f"The id {event!r} is too short.",
                why=f"An override is named by its id, or by {MIN_PREFIX} characters of it or more.",
                mend="`ddax agents show NAME` lists them.",
            )
        found = [one for one in self.all() if one.entry["id"].startswith(event)]
        if len(found) == 1:
            return found[0]
        raise UsageError(
            f"{'No' if not found else 'More than one'} override has the id {event[:40]!r}.",
            why="An override is named by its id or the beginning of it.",
            mend="`ddax agents show NAME` lists them.",
        )

    def decide(self, artifact: str, output: str, *, by: str) -> list[str]:
        """Note the decision on an artifact that is now in force; return the overrides regretted by it.

        One that goes back to what the agent had chosen undoes the override at once.
        """
        undone = []
        for one in self._open():
            if one.entry["artifact"] != artifact or one.entry["final_output"] == output:
                continue
            back = output == one.entry["agent_output"]
            marks = {"regret": True, "reverted_by": clean(by), "regret_by": "revert"} if back else {}
            self._mark(one, {"final_output": clean(output), **marks})
            undone += [one.entry["id"]] if back else []
        return undone

    def revert(self, event: str, *, by: str) -> Found:
        """Mark an override as reverted by somebody; raises `UsageError` where it already is."""
        one = self.get(event)
        if one.entry["regret"]:
            raise UsageError(
                f"The override {one.entry['id']} is already regretted.",
                why=f"It was reverted by {one.entry['reverted_by']!r}.",
                mend="Nothing is left to settle.",
            )
        marks = {"regret": True, "reverted_by": clean(by), "regret_by": "revert"}
        self._mark(one, {**marks, "final_output": one.entry["agent_output"]})
        return self.get(one.entry["id"])

    def compare(self, event: str, *, own: float, human: float, margin: float) -> bool:
        """Settle an override by what the agent's own choice came to; tell whether it is regretted.

        `own` and `human` are values in [0, 1] of the two outcomes under one verifier; the own choice
        was the better one where it is ahead by more than `margin`, otherwise the override stands.
        """
        one = self.get(event)
        better = own - human > margin
        marks: JsonDict = {"counterfactual": {"own": round(own, 6), "human": round(human, 6)}}
        if better and not one.entry["regret"]:
            marks |= {"regret": True, "reverted_by": "counterfactual", "regret_by": "counterfactual"}
        self._mark(one, {**marks, "vindicated": not better and not one.entry["regret"]})
        return better

    def check_reverts(self, now: float) -> list[str]:
        """Regret the overrides past their deadline whose decision is no longer in force; return these.

        The trust of whoever was overridden is settled anew, also where the override stood.
        """
        regretted = []
        for one in self._open():
            if one.entry["auto_check_deadline"] > stamp(now) or one.entry["regret"]:
                continue
            if one.entry["final_output"] != one.entry["human_decision"]:
                self._mark(one, {"regret": True, "reverted_by": "system", "regret_by": "deadline"})
                regretted.append(one.entry["id"])
            elif not one.entry.get("checked"):
                self._mark(one, {"checked": True})
        return regretted

    def _open(self) -> Iterator[Found]:
        yield from (one for one in self.all() if not one.entry["regret"])

    def _mark(self, one: Found, marks: JsonDict) -> None:
        """Set fields of an override in both files it stands in.

        The agent's file comes last, because it is the one that says what is still open: after a kill
        between the two the marking is done again.
        """
        if marks.get("regret"):
            reason = "override_regretted"
        elif marks.get("vindicated") or marks.get("checked"):
            reason = "override_stood"
        else:
            reason = "override_noted"
        for owner in (one.entry["human"], one.agent):
            with self._agents.changing(owner, reason) as file:
                entry = find(file, "override_history", one.entry["id"])
                if entry is not None:
                    entry.update(marks)
