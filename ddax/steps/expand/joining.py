"""Join proposals to what is there already: the same action, or one that says nearly the same.

`expand` plans what is left. Only actions without an effect outside are joined by
likeness; one that writes or spends must be the same in every argument. An inner idea is joined to a
sibling of its expansion alone, because elsewhere the same words stand for other circumstances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ddax.dynamics.prune import near_duplicates
from ddax.graph.ports import Acts, Asks
from ddax.graph.services import Session
from ddax.ideas import dag
from ddax.ideas.idea import UNCUT, Ideas, Patch, apply_patches, fitted, is_final
from ddax.types import ActionCall, Idea, Proposal

INNER = "inner"


@dataclass(frozen=True)
class Joined:
    """The proposals that are left, their needs pointing at each other again.

    `also_needs` are ideas outside, by the place of the proposal that needs them; `patch` notes in
    joined ideas who proposed them as well; `reasons` says for each dropped title what it was joined to;
    `again` are the ideas outside that were proposed again.
    """

    proposals: list[Proposal]
    also_needs: dict[int, list[str]] = field(default_factory=dict)
    patch: Patch = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    again: frozenset[str] = frozenset()


async def join_twins(
    ideas: Ideas, parent: Idea, proposals: Sequence[Proposal], *, session: Session
) -> Joined:
    """Drop proposals whose action this task has planned already, or that say nearly the same."""
    leaves = [i for i in dag.subtree(ideas, parent["id"]) if i["kind"] == "leaf"]
    outside: dict[int, str] = {}
    inside: dict[int, int] = {}
    why: dict[int, str] = {}
    seen = {same(leaf["action"]): leaf["id"] for leaf in reversed(leaves)}
    first: dict[str, int] = {}
    for k, proposal in enumerate(proposals):
        if proposal.action is None:
            continue
        call = same(proposal.action)
        if call in seen:
            outside[k], why[k] = seen[call], f"the same action as {seen[call]}"
        elif call in first:
            inside[k], why[k] = first[call], "the same action as a sibling"
        first.setdefault(call, k)
    rest = [k for k in range(len(proposals)) if k not in why]
    for group in _groups(proposals, rest, leaves, session).values():
        await _near(group, session, outside, inside, why)
    return _result(ideas, parent, proposals, outside, inside, why)


def same(call: ActionCall) -> str:
    """Return what makes two planned calls the same; looser than `ddax.ideas.calls`, as plans say things anew.

    They are compared as they will be stored, where a long text is clipped, and in small letters.
    """
    arguments = {k: v for k, v in fitted(call)["args"].items() if k != "intent"}
    return f"{call['name']} {sorted(arguments.items())!r}".casefold()


def renumbered(
    proposals: Sequence[Proposal], kept: Sequence[int], instead: Mapping[int, int] | None = None
) -> list[Proposal]:
    """Return the proposals that are kept, their needs pointing at each other again.

    `instead` names the proposal that stands for one that is dropped.
    """
    place = {old: new for new, old in enumerate(kept)}
    place |= {gone: place[kept_one] for gone, kept_one in (instead or {}).items() if kept_one in place}
    return [
        replace(
            proposals[k],
            needs=tuple(
                dict.fromkeys(place[n] for n in proposals[k].needs if n in place and place[n] != place[k])
            ),
        )
        for k in kept
    ]


@dataclass(frozen=True)
class _Group:
    """What may be compared: texts of planned leaves (with ids), then of proposals (with places)."""

    ids: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def _groups(
    proposals: Sequence[Proposal], rest: Sequence[int], leaves: Sequence[Idea], session: Session
) -> dict[str, _Group]:
    groups: dict[str, _Group] = {}
    for leaf in leaves:
        if leaf["status"] not in ("failed", "abandoned") and _harmless(leaf["action"], session):
            group = groups.setdefault(_address(leaf["action"]), _Group())
            group.ids.append(leaf["id"])
            group.texts.append(_words(leaf["action"]))
    for k in rest:
        call = proposals[k].action
        if call is None or _harmless(call, session):
            group = groups.setdefault(INNER if call is None else _address(call), _Group())
            group.places.append(k)
            group.texts.append(
                f"{proposals[k].title}. {proposals[k].expected}" if call is None else _words(call)
            )
    return {key: g for key, g in groups.items() if g.places and len(g.texts) > 1 and any(g.texts)}


async def _near(
    group: _Group, session: Asks, outside: dict[int, str], inside: dict[int, int], why: dict[int, str]
) -> None:
    """Note the twins of one group among what is dropped."""
    E = await session.embed(*group.texts)
    known = len(group.ids)
    for twin in near_duplicates(E, session.settings.selection.join):
        if twin.later < known:
            continue
        k = group.places[twin.later - known]
        if twin.earlier < known:
            outside[k] = group.ids[twin.earlier]
            why[k] = f"cosine {twin.cosine:.3f} with {outside[k]}"
        else:
            inside[k] = group.places[twin.earlier - known]
            why[k] = f"cosine {twin.cosine:.3f} with a sibling"


def _result(
    ideas: Ideas,
    parent: Idea,
    proposals: Sequence[Proposal],
    outside: Mapping[int, str],
    inside: Mapping[int, int],
    why: Mapping[int, str],
) -> Joined:
    weight = {k: p.prior for k, p in enumerate(proposals)}
    for gone, kept_one in inside.items():
        # Proposed more often is wanted more: P is the frequency in the samples.
        weight[kept_one] = weight.get(kept_one, 0.0) + proposals[gone].prior
    heavier = [replace(p, prior=weight[k]) for k, p in enumerate(proposals)]
    kept = [k for k in range(len(proposals)) if k not in why]
    also: dict[int, list[str]] = {}
    for place, k in enumerate(kept):
        wanted = [outside[n] for n in proposals[k].needs if n in outside and _will_end(ideas, outside[n])]
        if wanted:
            also[place] = wanted
    noted, full = _noted(ideas, parent, frozenset(outside.values()))
    reasons = {
        proposals[k].title: f"{reason}; it is not noted there: no room" if outside.get(k) in full else reason
        for k, reason in why.items()
    }
    return Joined(renumbered(heavier, kept, inside), also, noted, reasons, frozenset(outside.values()))


def _noted(ideas: Ideas, parent: Idea, again: frozenset[str]) -> tuple[Patch, frozenset[str]]:
    """Return the patch that notes in ideas elsewhere that this parent proposed them, and the full ones."""
    patch: Patch = {}
    full: set[str] = set()
    for idea_id in sorted(again, key=dag.sort_key):
        idea = ideas[idea_id]
        if idea["parent"] == parent["id"] or is_final(idea):
            continue
        noted = Idea(joined=list(dict.fromkeys([*idea.get("joined", []), parent["id"]])))
        if dag.has_room(apply_patches({idea_id: idea}, [{idea_id: noted}])[idea_id]):
            patch[idea_id] = noted
        else:
            full.add(idea_id)
    return patch, frozenset(full)


def _will_end(ideas: Ideas, idea_id: str) -> bool:
    """Say whether one can wait for an idea without waiting in a circle: it is done, or waits for nothing."""
    idea = ideas[idea_id]
    return idea["status"] == "done" or (not is_final(idea) and all(is_final(ideas[n]) for n in idea["needs"]))


def _harmless(call: ActionCall, session: Acts) -> bool:
    return call["name"] in session.actions and session.actions[call["name"]].effect in ("none", "reads")


def _address(call: ActionCall) -> str:
    """Return the name of an action with the arguments that must be equal: addresses and numbers."""
    fixed = {k: v for k, v in call["args"].items() if k in UNCUT or not isinstance(v, str)}
    return f"{call['name']} {sorted(fixed.items())!r}"


def _words(call: ActionCall) -> str:
    args = fitted(call)["args"]
    return " ".join(str(v) for k, v in sorted(args.items()) if isinstance(v, str) and k not in UNCUT)
