"""ddax as a node of another LangGraph graph: it answers, and the outer graph goes on with what it found.

The thread, its checkpoints and the stream are those of the outer graph.
"""

import asyncio
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from ddax import Context, open_agent


class Ticket(TypedDict, total=False):
    """`task`, `status` and `answer` are fields of ddax as well: these go in and come out."""

    customer: str
    task: str
    status: str
    answer: dict[str, Any]
    letter: str


def read(ticket):
    return {"task": ticket["task"].strip()}


def answered(ticket):
    return "reply" if ticket["status"] == "done" else "hand_over"


def reply(ticket):
    quotes = "; ".join(citation["source"] for citation in ticket["answer"]["citations"])
    return {"letter": f"Dear {ticket['customer']}: {ticket['answer']['text']} ({quotes})"}


def hand_over(ticket):
    return {"letter": f"Dear {ticket['customer']}: a colleague will answer you."}


def outer(agent):
    graph = StateGraph(Ticket, context_schema=Context)
    graph.add_node("read", read)
    graph.add_node("ddax", agent.graph)
    graph.add_node("reply", reply)
    graph.add_node("hand_over", hand_over)
    graph.add_edge(START, "read")
    graph.add_edge("read", "ddax")
    graph.add_conditional_edges("ddax", answered, ["reply", "hand_over"])
    graph.add_edge("reply", END)
    graph.add_edge("hand_over", END)
    return graph.compile(checkpointer=InMemorySaver())


async def main():
    async with open_agent(Context(sources=("python:statistics",), namespace="inside_graph")) as agent:
        graph = outer(agent)
        for number, task in enumerate(
            (" Which function returns the median of numeric data? ", "Who built the pier of Vellin?")
        ):
            ticket, place = {"customer": "Ann", "task": task}, agent.config(f"ticket-{number}")
            print((await graph.ainvoke(ticket, place, context=agent.context))["letter"])


if __name__ == "__main__":
    asyncio.run(main())
