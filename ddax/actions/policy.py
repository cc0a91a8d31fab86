"""The policy table: what an action may do, by its effect, the origin of its arguments, and the mode.

A veto is a returned decision with an explanation; what the table does not allow is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ddax.types import Effect

Origin = Literal["user", "reasoner", "page"]
Ruling = Literal["allow", "ask", "deny"]


@dataclass(frozen=True)
class Permission:
    """A ruling and the reason for it."""

    ruling: Ruling
    reason: str


_TABLE: dict[tuple[Effect, Origin], Ruling] = {
    ("none", "user"): "allow",
    ("none", "reasoner"): "allow",
    ("none", "page"): "deny",
    ("reads", "user"): "allow",
    ("reads", "reasoner"): "allow",
    ("reads", "page"): "ask",
    ("writes", "user"): "allow",
    ("writes", "reasoner"): "ask",
    ("writes", "page"): "deny",
    ("spends", "user"): "ask",
    ("spends", "reasoner"): "ask",
    ("spends", "page"): "deny",
}


def permit(effect: Effect, origin: Origin, *, protect: bool, trusted: bool) -> Permission:
    """Rule on an action.

    In protect mode only actions without effect and reads of trusted sources stay allowed; what the
    table would allow otherwise is asked for (DESIGN section 6).
    """
    ruling = _TABLE[(effect, origin)]
    if protect and ruling == "allow" and not (effect == "none" or (effect == "reads" and trusted)):
        return Permission(
            "ask", "protect mode allows only actions without effect and reads of trusted sources"
        )
    return Permission(ruling, f"an action that {_WORDS[effect]}, from the {origin}, is a matter of {ruling}")


_WORDS: dict[Effect, str] = {
    "none": "has no outside effect",
    "reads": "reads outside",
    "writes": "writes outside",
    "spends": "spends",
}
