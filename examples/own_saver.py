"""A saver of one's own under the same graph: any LangGraph checkpointer, compiled in by LangGraph's call."""

import asyncio

from langgraph.checkpoint.memory import InMemorySaver

from ddax import Context, build_graph
from ddax.graph.sessions import LocalServices


class Counting(InMemorySaver):
    """Keep checkpoints in this process, and count them."""

    kept = 0

    async def aput(self, config, checkpoint, metadata, new_versions):
        self.kept += 1
        return await super().aput(config, checkpoint, metadata, new_versions)


async def main():
    saver, services = Counting(), LocalServices(default=Context(sources=("python:statistics",)))
    graph = build_graph(services).compile(checkpointer=saver)
    config = {"configurable": {"thread_id": "mine"}, "recursion_limit": 400}
    asked = {"task": "Which function returns the median of numeric data?"}
    await graph.ainvoke(asked, config, interrupt_before=["close"])
    print("stopped before", (await graph.aget_state(config)).next[0], "with", saver.kept, "checkpoints")
    state = await graph.ainvoke(None, config)
    print(state["status"], state["answer"]["short"] or state["answer"]["text"])
    await services.close()


if __name__ == "__main__":
    asyncio.run(main())
