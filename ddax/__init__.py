"""ddax: a LangGraph agent that thinks in a DAG of ideas.

Importing the package opens no socket, writes no file and imports nothing heavy: the public names
are resolved at first use.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

# LangGraph reads this flag when it is first imported; without it a checkpoint may run code.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")

__version__ = "0.1.0"
__all__ = ["Context", "build_graph", "open_agent", "splice"]

if TYPE_CHECKING:
    from ddax.configs.settings import Context
    from ddax.graph.builder import build_graph, splice
    from ddax.graph.runner import open_agent

_HOMES = {
    "Context": "ddax.configs.settings",
    "build_graph": "ddax.graph.builder",
    "splice": "ddax.graph.builder",
    "open_agent": "ddax.graph.runner",
}


def __getattr__(name: str) -> Any:
    """Resolve a public name at first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'ddax' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
