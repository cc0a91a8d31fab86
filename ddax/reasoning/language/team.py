"""Which model is asked: one for each role, others where it fails, a cheaper one when the budget is low."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from ddax.errors import ReasonerError
from ddax.reasoning.budget import charge, usage_of
from ddax.reasoning.effort import Effort
from ddax.reasoning.language.asked import Ask, Under
from ddax.reasoning.language.call import Caller
from ddax.reasoning.language.replies.schemas import Wire
from ddax.types import Usage

R = TypeVar("R")
W = TypeVar("W", bound=Wire)
Role = Literal["plan", "extract", "argue", "judge", "merge", "repair"]
LESS: Mapping[str, str] = {"": "", "minimal": "minimal", "low": "low", "medium": "low", "high": "low"}
"""The reasoning effort asked for when the budget is low, by the one that is asked for otherwise."""
ROLES: tuple[Role, ...] = ("plan", "extract", "argue", "judge", "merge", "repair")


@dataclass(frozen=True)
class Team:
    """The models of each role in the order they are asked; `lean` stands before them when money is short."""

    members: Mapping[Role, Sequence[Caller]]
    lean: Caller | None = None
    effort: str = ""
    """The reasoning effort asked for; "" asks for none."""

    @classmethod
    def of_one(cls, caller: Caller) -> Team:
        """Return the team in which one model does everything."""
        return cls(dict.fromkeys(ROLES, (caller,)))

    @property
    def free_of_charge(self) -> bool:
        """Say whether every model's price is known and zero."""
        return all(caller.free_of_charge for caller in self._everybody())

    @property
    def sees(self) -> bool:
        """Say whether one of those who plan takes pictures."""
        return any(caller.sees for caller in self.line("plan", "lean"))

    async def close(self) -> None:
        """Close the ways to all models; safe to call twice."""
        for caller in self._everybody():
            await caller.close()

    def _everybody(self) -> list[Caller]:
        lean = [self.lean] if self.lean else []
        return lean + [caller for line in self.members.values() for caller in line]

    def line(self, role: Role, effort: Effort) -> list[Caller]:
        """Return who is asked for a role, first to last."""
        first = [self.lean] if effort == "lean" and self.lean else []
        line = [*first, *self.members[role]]
        return [caller for n, caller in enumerate(line) if caller not in line[:n]]

    def window(self, role: Role, effort: Effort) -> int:
        """Return the tokens that every model of a role takes, as far as it is known; 0: of none."""
        return min((one.context_tokens for one in self.line(role, effort) if one.context_tokens), default=0)

    async def ask(self, role: Role, ask: Ask[W, R], under: Under, *, effort: Effort) -> tuple[R, Usage]:
        """Ask the models of a role in order until one answers; raises the last one's error.

        The cost of those that failed is part of the bill.
        """
        spent = Usage()
        line = self.line(role, effort)
        for place, caller in enumerate(line):
            try:
                before = under.spent + spent
                if under.keeper and before.model_calls:
                    under.keeper.check(before, free=caller.free_of_charge)
                own = self.effort if caller.effort is None else caller.effort
                asked = own if effort == "full" else LESS[own]
                reply, usage = await caller.ask(ask, replace(under, effort=asked, spent=before))
            except BaseException as error:
                spent = spent + usage_of(error)
                charge(error, spent)
                if not isinstance(error, ReasonerError) or place + 1 == len(line):
                    raise
            else:
                return reply, spent + usage
        raise ReasonerError(
            f"No model is set for {role!r}.",
            why="The line of models for it is empty.",
            mend="Set `model` to provider:model, in ddax.yaml or by --model.",
        )
