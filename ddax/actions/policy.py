"""The policy: one pure function from what an action does and where its data come from to a ruling.

Two tables are read, one for the origins of the arguments and one for those of the decision; the
strictest word counts. Nothing that was read from outside ever lets an action pass: it can only make the
ruling stricter. A veto is a returned decision with an explanation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ddax.ideas.origins import PRIVATE, UNTRUSTED, kind_of
from ddax.types import Effect, OriginKind

Ruling = Literal["allow", "ask", "deny"]
Reach = Literal["none", "inside", "reads", "writes", "spends"]
"""What an action does: its effect, with a read that leaves the machine told from one that does not."""
Standing = Literal["", "allow", "ask", "deny"]
"""What the settings, or a human for this run, said of all actions of a name."""

WAYS_OUT: frozenset[Reach] = frozenset({"reads", "writes", "spends"})
"""What others may see: an address that is asked for, a query, a message, a payment."""
_ORDER: tuple[Ruling, ...] = ("allow", "ask", "deny")


def _row(user: Ruling, model: Ruling, web: Ruling, private: Ruling, code: Ruling) -> dict[OriginKind, Ruling]:
    return {
        "user": user, "model": model, "web": web, "file": private, "memory": private, "tool": private,
        "code": code,
    }  # fmt: skip


_FREE = _row("allow", "allow", "allow", "allow", "allow")
BY_ARGUMENT: dict[Reach, dict[OriginKind, Ruling]] = {
    "none": _FREE,
    "inside": _FREE,
    "reads": _row("allow", "allow", "allow", "ask", "ask"),
    "writes": _row("allow", "ask", "ask", "ask", "deny"),
    "spends": _row("ask", "ask", "ask", "ask", "deny"),
}
"""What the origin of an argument means: a private one may leave, an untrusted one may aim the action."""
BY_DECISION: dict[Reach, dict[OriginKind, Ruling]] = {
    "none": _FREE,
    "inside": _FREE,
    "reads": _FREE,
    "writes": _row("allow", "ask", "ask", "ask", "ask"),
    "spends": _row("ask", "ask", "ask", "ask", "ask"),
}
"""What it means who chose the action, and what the planner had read before it did."""


@dataclass(frozen=True)
class Permission:
    """A ruling and the reason for it."""

    ruling: Ruling
    reason: str


def reach_of(effect: Effect, *, inside: bool) -> Reach:
    """Return what an action does; `inside` says that a read stays on the machine or the user's account."""
    return "inside" if effect == "reads" and inside else effect


def permit(
    reach: Reach,
    arguments: Iterable[str],
    decision: Iterable[str] = (),
    *,
    protect: bool = False,
    standing: Standing = "",
) -> Permission:
    """Rule on an action by the origins of its arguments and of the decision to take it.

    A standing word of the user makes the ruling stricter, or lets pass what would be asked, but never
    where private data could leave. In protect mode whatever others can see is asked for.
    """
    given: set[OriginKind] = {kind_of(name) for name in arguments}
    before: set[OriginKind] = {kind_of(name) for name in decision}
    ruling, kinds = _strictest((BY_ARGUMENT[reach], given), (BY_DECISION[reach], before))
    reason = f"an action that {_DOES[reach]}, {_from(kinds)}" if kinds else f"an action that {_DOES[reach]}"
    if standing == "deny":
        return Permission("deny", "the settings deny this action")
    if standing == "ask" and ruling == "allow":
        return Permission("ask", "the settings want to be asked about this action")
    if ruling == "ask" and standing == "allow" and not leaks(reach, given, before):
        ruling, reason = "allow", "it was let pass for all actions of its name"
    if protect and ruling == "allow" and reach in WAYS_OUT:
        return Permission("ask", "protect mode allows only what nobody else can see")
    return Permission(ruling, reason)


def leaks(reach: Reach, arguments: Iterable[str], decision: Iterable[str]) -> bool:
    """Tell whether private data and untrusted content meet a way out."""
    given = {kind_of(name) for name in arguments}
    either = given | {kind_of(name) for name in decision}
    return reach in WAYS_OUT and bool(given & PRIVATE) and bool(either & UNTRUSTED)


def _strictest(*rows: tuple[Mapping[OriginKind, Ruling], set[OriginKind]]) -> tuple[Ruling, list[OriginKind]]:
    """Return the strictest ruling and the kinds of origin that demand it; nothing given is allowed."""
    ruling: Ruling = "allow"
    for table, kinds in rows:
        for kind in kinds:
            if _ORDER.index(table[kind]) > _ORDER.index(ruling):
                ruling = table[kind]
    return ruling, sorted({kind for table, kinds in rows for kind in kinds if table[kind] == ruling})


def _from(kinds: Iterable[OriginKind]) -> str:
    return "with data from " + ", ".join(_WORDS[kind] for kind in kinds)


_WORDS: dict[OriginKind, str] = {
    "user": "the user", "model": "the model", "web": "the web", "file": "a file", "memory": "the memory",
    "tool": "a tool", "code": "candidate code",
}  # fmt: skip
_DOES: dict[Reach, str] = {
    "none": "has no outside effect",
    "inside": "reads inside",
    "reads": "reads outside",
    "writes": "writes outside",
    "spends": "spends",
}
