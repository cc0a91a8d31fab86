"""Results of one step valued by one call, on one scale.

A judge who sees one result at a time has no measure for it but the rubric; one who sees them beside each
other orders them. A result that the reply leaves out is judged alone, as is all where the call failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ddax.errors import BudgetExceeded, ReasonerError, Unavailable
from ddax.graph.ports import Asks
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas.origins import join
from ddax.reasoning.budget import charge, usage_of
from ddax.reasoning.protocol import ExtractRequest, Judged, JudgeRequest, Judgment
from ddax.reasoning.sourced import of_request
from ddax.types import Usage

MOST = 8
"""Results in one call."""
ROOMS = 4
"""Times the passages of one request that a call with several parts gets."""


def can_compare(session: Session) -> bool:
    """Tell whether one reply may value several results: where one model alone values first."""
    alone = len(session.seats) == 1 and not session.benches and session.settings.debate.first_votes == 1
    return alone and bool(getattr(session.reasoner, "answers_together", False))


async def side_by_side(
    state: State, session: Session, requests: Mapping[str, JudgeRequest]
) -> tuple[dict[str, Judgment], Usage]:
    """Return the first values of results by idea, and what calls that failed have cost.

    The cost of a call stands in the judgment of the first of its results.
    """
    found: dict[str, Judgment] = {}
    lost = Usage()
    if not can_compare(session):
        return found, lost
    for group in groups({i: _length(one) for i, one in requests.items()}, session, requests.values()):
        if len(group) < 2:
            continue
        try:
            found |= await _compared(state, session, {i: requests[i] for i in group})
        except Unavailable:
            raise
        except (BudgetExceeded, ReasonerError) as error:  # each is judged alone
            lost = lost + usage_of(error)
    return found, lost


def groups(
    lengths: Mapping[str, int], session: Asks, requests: Iterable[ExtractRequest | JudgeRequest]
) -> Iterator[list[str]]:
    """Return parts in their order, as many to a call as the settings and the model's window have room for.

    The task of the requests is told beside them; of a long one a model is told no more than half.
    """
    room = int(getattr(session.reasoner, "room", 0))
    task = max((len(one.task) for one in requests), default=0)
    return grouped(lengths, session.settings.models.passages, most=max(room - task, room // 2))


def grouped(lengths: Mapping[str, int], room: int, *, most: int = 0) -> Iterator[list[str]]:
    """Return parts in their order, as many to a call as fit it, and no more than `most` (0: not known).

    >>> [*grouped({"a": 9, "b": 9, "c": 9}, 5)]
    [['a', 'b'], ['c']]
    >>> [*grouped({"a": 9, "b": 9, "c": 9}, 5, most=12)]
    [['a'], ['b'], ['c']]
    """
    limit = min(ROOMS * room, most or ROOMS * room)
    group: list[str] = []
    used = 0
    for name, length in lengths.items():
        if group and (len(group) == MOST or used + length > limit):
            yield group
            group, used = [], 0
        group.append(name)
        used += length
    if group:
        yield group


def _length(request: JudgeRequest) -> int:
    return len(request.result) + sum(len(passage.text) for passage in request.evidence)


async def _compared(
    state: State, session: Session, requests: Mapping[str, JudgeRequest]
) -> dict[str, Judgment]:
    first, *others = requests.values()
    beside = tuple(Judged(one.idea, one.result, one.expected, one.evidence) for one in others)
    origins = join(*(of_request(one) for one in requests.values()))
    asked = replace(first, others=beside, origins=origins)
    names: Sequence[str] = [*requests]
    judge = session.metered(state["work"]["id"], state.get("usage", {}), idea=names[0])
    reply = await judge.judge(asked)
    each = [replace(reply, others=(), usage=Usage()), *reply.others]
    told = {name: one for name, one in zip(names, each, strict=True) if not one.lost}
    if not told:
        error = ReasonerError(
            "No result was judged.", why="The reply leaves all of them out.",
            mend="Try a more capable model for the role `judge`.",
        )  # fmt: skip
        charge(error, reply.usage)
        raise error
    paid = next(iter(told))
    return {**told, paid: replace(told[paid], usage=reply.usage)}
