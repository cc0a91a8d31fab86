"""The state of mind: a 4×4 active-inference controller, its signals and effects (metacognitive-bridge).

For a loop of one's own, with no graph: `Bridge().observe(...)` gives a belief and an action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["Bridge"]

if TYPE_CHECKING:
    from ddax.metacognition.bridge import Bridge


def __getattr__(name: str) -> Any:
    """Resolve a public name at first use."""
    if name not in __all__:
        raise AttributeError(f"module 'ddax.metacognition' has no attribute {name!r}")
    from ddax.metacognition.bridge import Bridge

    return Bridge
