"""The wiring: nodes, then edges. It reads as the picture in docs/architecture.md.

`build_graph()` returns the uncompiled builder, so that anyone can go on with LangGraph's own calls;
`splice` puts a node between two existing ones. `graph` is what Studio loads: compiled without a
checkpointer, with services that open at the first node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.graph import END, START, StateGraph

from ddax.configs.settings import Context
from ddax.errors import UsageError
from ddax.graph.binding import bind
from ddax.graph.compiled import IdeaGraph
from ddax.graph.routing import CHOICES, route
from ddax.graph.schemas import schemas_of
from ddax.graph.services import Services
from ddax.graph.sessions import LocalServices
from ddax.graph.splicing import checked
from ddax.graph.state import Input, LeafPacket, State
from ddax.nodes.act import act
from ddax.nodes.close import close
from ddax.nodes.evaluate import evaluate
from ddax.nodes.evolve import evolve
from ddax.nodes.expand import expand
from ddax.nodes.merge import merge
from ddax.nodes.metacognition import metacognition
from ddax.nodes.open_task import open_task
from ddax.nodes.protect import protect
from ddax.nodes.reflect import reflect
from ddax.nodes.rigidity import rigidity
from ddax.nodes.select import select

Builder = StateGraph[State, Context, Input, State]


def build_graph(
    services: Services | None = None, *, state_schema: type | None = None, input_schema: type | None = None,
    output_schema: type | None = None,
) -> Builder:  # fmt: skip
    """Return the uncompiled state machine, bound to its services.

    `state_schema` is a TypedDict with fields of your own, which go in, are kept and come out; `input_schema`
    and `output_schema` say which of all fields do. Raises UsageError for a field that cannot be had.
    """
    services = services or LocalServices()
    schemas = schemas_of(state_schema, input_schema, output_schema)
    graph: Builder = IdeaGraph(
        schemas.state, context_schema=Context, input_schema=schemas.input, output_schema=schemas.output
    )

    graph.add_node("open_task", bind(open_task, services), metadata={"role": "open the task"})
    graph.add_node("select", bind(select, services), metadata={"role": "choose what is next"})
    graph.add_node("expand", bind(expand, services), metadata={"role": "grow a sub-DAG"})
    graph.add_node("act", bind(act, services), input_schema=LeafPacket, metadata={"role": "execute one leaf"})
    graph.add_node("merge", bind(merge, services), metadata={"role": "synthesise children"})
    graph.add_node("evolve", bind(evolve, services), metadata={"role": "repair code by search"})
    graph.add_node("evaluate", bind(evaluate, services), metadata={"role": "value by debate"})
    graph.add_node("rigidity", bind(rigidity, services), metadata={"role": "surprise, rigidity, forces"})
    graph.add_node("metacognition", bind(metacognition, services), metadata={"role": "state of mind"})
    graph.add_node("protect", bind(protect, services), metadata={"role": "restrict and ask"})
    graph.add_node("reflect", bind(reflect, services), metadata={"role": "learn"})
    graph.add_node("close", bind(close, services), metadata={"role": "answer"})

    graph.add_edge(START, "open_task")
    graph.add_edge("open_task", "select")
    graph.add_conditional_edges("select", route, list(CHOICES))
    graph.add_edge("expand", "select")
    graph.add_edge("protect", "select")
    for worker in ("act", "merge", "evolve"):
        graph.add_edge(worker, "evaluate")
    graph.add_edge("evaluate", "rigidity")
    graph.add_edge("rigidity", "metacognition")
    graph.add_edge("metacognition", "select")
    graph.add_edge("reflect", "close")
    graph.add_edge("close", END)
    return graph


def splice(builder: Builder, name: str, node: Callable[..., Any], *, after: str, before: str) -> Builder:
    """Put a node between two nodes joined by a plain edge, and return the builder.

    What a plain function returns is checked at run time as what our own nodes return.
    Raises UsageError where there is no such edge, naming the edges there are, and for a name that is taken
    or none.
    """
    edges: set[tuple[str, str]] = builder.edges
    if (after, before) not in edges:
        known = ", ".join(f"{a}→{b}" for a, b in sorted(edges))
        raise UsageError(
            f"there is no edge {after}→{before} to splice {name!r} into.",
            why="select's choices are conditional; only plain edges can be spliced.",
            mend=f"Take one of: {known}.",
        )
    if not name.strip():
        raise _unnamed(name, "It is empty.")
    try:
        builder.add_node(name, checked(name, node, builder))
    except ValueError as error:
        raise _unnamed(name, str(error)) from error
    edges.discard((after, before))
    builder.add_edge(after, name)
    builder.add_edge(name, before)
    return builder


def _unnamed(name: str, why: str) -> UsageError:
    """Return the error for a name that no node can have."""
    return UsageError(
        f"a node cannot be spliced under the name {name!r}.",
        why=why,
        mend="Give it a name that no other node has, without ':' and '|'.",
    )


graph = build_graph().compile(name="ddax")
