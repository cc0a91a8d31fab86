"""ddax: a LangGraph agent that thinks in a DAG of ideas.

Importing the package opens no socket, writes no file and imports nothing heavy: the public names
are resolved at first use.
"""

from __future__ import annotations

import os
import sys

# As `typing` names it, whose import is half of the start in which Ctrl-C finds nothing of ours.
TYPE_CHECKING = False
# LangGraph reads this flag when it is first imported; without it a checkpoint may run code.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")

__version__ = "0.2.0"
__all__ = [
    "Agent",
    "Context",
    "Parts",
    "RunResult",
    "State",
    "action",
    "build_graph",
    "from_retriever",
    "from_tool",
    "load_context",
    "open_agent",
    "splice",
]

if TYPE_CHECKING:
    from typing import Any

    from ddax.actions.langchain import from_tool
    from ddax.actions.registry import action
    from ddax.actions.sources.brought import from_retriever
    from ddax.configs.layers import load_context
    from ddax.configs.settings import Context
    from ddax.graph.builder import build_graph, splice
    from ddax.graph.results import RunResult
    from ddax.graph.runner import Agent, open_agent
    from ddax.graph.session.given_parts import Parts
    from ddax.graph.state import State

_HOMES = {
    "Agent": "ddax.graph.runner",
    "Context": "ddax.configs.settings",
    "Parts": "ddax.graph.session.given_parts",
    "RunResult": "ddax.graph.results",
    "State": "ddax.graph.state",
    "action": "ddax.actions.registry",
    "build_graph": "ddax.graph.builder",
    "from_retriever": "ddax.actions.sources.brought",
    "from_tool": "ddax.actions.langchain",
    "load_context": "ddax.configs.layers",
    "open_agent": "ddax.graph.runner",
    "splice": "ddax.graph.builder",
}


OLDEST = (3, 11)
NEWEST = (3, 13)


def wrong_python(major: int, minor: int) -> str:
    """Return the line for an unsupported Python version, or "" for a supported one."""
    if OLDEST <= (major, minor) <= NEWEST:
        return ""
    return (
        f"error: ddax needs Python {OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}, "
        f"this is {major}.{minor} ({sys.executable}). Start it with another one."
    )


def __getattr__(name: str) -> Any:
    """Resolve a public name at first use; raise ImportError under a Python that ddax does not run on."""
    if name not in _HOMES:
        raise AttributeError(f"module 'ddax' has no attribute {name!r}")
    line = wrong_python(*sys.version_info[:2])
    if line:
        raise ImportError(line[len("error: ") :])
    from importlib import import_module

    from ddax.collecting import seldom

    with seldom():
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Return the names there are, so that a shell or notebook completes them before their first use."""
    return sorted({*globals(), *__all__})
