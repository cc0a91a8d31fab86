"""What somebody new builds in an afternoon: model, retriever, state, saver, callbacks, office files, resume.

Run with a folder for the home and one for the papers; `test_packaging.py` does so over the wheel.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

import docx
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.retrievers import BaseRetriever
from langgraph.checkpoint.memory import InMemorySaver

import ddax
from ddax import Context, State, build_graph, open_agent, splice

QUESTION = "Who wrote the Harbour Almanac?"


class Own(BaseChatModel):
    """A model of one's own: it cites the sentence that names a writer."""

    @property
    def _llm_type(self):
        return "own"

    def _generate(self, messages, stop=None, run_manager=None, **more):
        said = "".join(str(message.content) for message in messages)
        number = int(re.search(r"Ines Calder[^\[]*\[(\d+)\]", said)[1])
        reply = {"cited": [number], "answer": f"Ines Calder wrote it [{number}].", "short": "Ines Calder"}
        return ChatResult(generations=[ChatGeneration(message=AIMessage(json.dumps(reply)))])


class Shelf(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        said = "The lighthouse keeper reads the Harbour Almanac each morning."
        return [Document(said, metadata={"source": "shelf:1"})]


class Ordered(State):
    customer: str


class Calls(AsyncCallbackHandler):
    models = 0

    async def on_chat_model_start(self, serialized, messages, **more):
        Calls.models += 1


def greet(state):
    assert state["customer"].startswith("C-17")
    return {"customer": "C-17, served"}


def build(services):
    return splice(build_graph(services, state_schema=Ordered), "greet", greet, after="act", before="evaluate")


def papers(folder):
    folder.mkdir()
    paper = docx.Document()
    paper.add_heading("The Harbour Almanac", 1)
    paper.add_paragraph("The Harbour Almanac was written by Ines Calder in 1911.")
    paper.save(folder / "almanac.docx")


def opened(home, folder, saver):
    return open_agent(
        Context(sources=(str(folder),)),
        home=home,
        model=Own(),
        retriever=Shelf(),
        checkpointer=saver,
        build=build,
        config={"callbacks": [Calls()]},
    )


async def main(home, folder):
    papers(folder)
    saver, acted = InMemorySaver(), asyncio.Event()
    async with opened(home, folder, saver) as agent:
        running = asyncio.create_task(
            agent.run(
                QUESTION,
                thread="t",
                state={"customer": "C-17"},
                on_event=lambda event: acted.set() if event["node"] == "act" else None,
            )
        )
        await acted.wait()
        running.cancel()
        try:
            await running
        except asyncio.CancelledError:
            print("broken off")
    async with opened(home, folder, saver) as agent:
        result = await agent.resume("t")
    assert result["status"] == "done" and "Ines Calder" in result["answer"], result["answer"]
    assert result["citations"][0]["source"].endswith("almanac.docx"), result["citations"]
    assert result["state"]["customer"] == "C-17, served"
    assert Calls.models
    print("from", ddax.__file__)


asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
