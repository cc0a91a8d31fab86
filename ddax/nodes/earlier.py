"""The turns of a thread before its task: what was asked, answered and cited. No node of its own.

They are in the messages of the thread, those that a chat front end brings with it among them. A model is
shown them beside the task; searches and the reasoner without a model get the task as it is meant after them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.messages import AIMessage

from ddax.graph.state import Answer, State, Work
from ddax.ideas.idea import TITLE_BYTES, clip, is_final
from ddax.ideas.origins import Origins, join
from ddax.nodes.gather import of_earlier
from ddax.reasoning.followup import meant
from ddax.reasoning.sourced import UNKNOWN
from ddax.reasoning.told import Turn
from ddax.types import NO_PARENT, JsonDict

TURNS = 4
"""Earlier turns that are told: the newest."""
QUESTION_BYTES = 500
ANSWER_BYTES = 800
TITLES = 6
KEY = "ddax"
"""Under which an answer that went out as a message says what it is."""
QUOTE_CHARS = 300


def said(content: Any) -> str:
    """Return the words of a chat message: its text, or those of its blocks that are text."""
    if isinstance(content, str):
        return content
    blocks = (block if isinstance(block, str) else block.get("text", "") for block in content)
    return "\n".join(str(text) for text in blocks if text)


def earlier(state: State, clean: Callable[[str], str] = str) -> tuple[Turn, ...]:
    """Return the turns before the open task, oldest first, each cut; `clean` takes secrets out of them."""
    found, asked = list[Turn](), ""
    for message in state.get("messages", []):
        kind, text = getattr(message, "type", ""), said(message.content)
        if kind == "human":
            asked = text
        elif kind == "ai" and text.strip():
            found.append(_turn(message, asked, text, found, clean))
            asked = ""
    return tuple(turn for turn in found if turn.question)[-TURNS:]


def _turn(message: Any, asked: str, text: str, before: list[Turn], clean: Callable[[str], str]) -> Turn:
    told = message.response_metadata.get(KEY)
    told = told if isinstance(told, Mapping) else {}

    def cut(value: object, limit: int) -> str:
        return clip(clean(str(value or "")), limit)

    question = cut(told.get("question") or asked, QUESTION_BYTES)
    read_as = cut(told.get("read_as"), QUESTION_BYTES) or meant(question, before)
    return Turn(
        question, cut(text, ANSWER_BYTES),
        sources=tuple(cut(title, TITLE_BYTES) for title in _titles(message)),
        short=cut(told.get("short"), TITLE_BYTES),
        read_as="" if read_as == question else read_as,
    )  # fmt: skip


def _titles(message: Any) -> list[str]:
    """Return the titles a message cites, each once."""
    cited = message.additional_kwargs.get("citations")
    rows = [row for row in cited if isinstance(row, Mapping)] if isinstance(cited, list) else []
    return list(dict.fromkeys(str(row["title"]) for row in rows if row.get("title")))[:TITLES]


def of_turns(state: State) -> Origins:
    """Return where earlier turns come from; an answer that is none of this thread's own may be private."""
    roots = [i for i in state["ideas"].values() if i["parent"] == NO_PARENT and is_final(i)]
    told = [m for m in state.get("messages", []) if getattr(m, "type", "") == "ai"]
    return join(of_earlier(state), UNKNOWN if len(told) > len(roots) else ())


def message_of(answer: Answer, work: Work, status: str, otherwise: str) -> AIMessage:
    """Return an answer as a chat message, with its citations as plain data."""
    citations = [
        {**{key: c[key] for key in ("source", "title", "start", "end", "metadata") if key in c},
         "quote": str(c.get("quote", ""))[:QUOTE_CHARS]}
        for c in answer.get("citations", [])
    ]  # fmt: skip
    told: JsonDict = {
        "task": work["id"], "status": status, "found": bool(answer.get("found")),
        "support": answer.get("support", 0.0), "short": answer.get("short", ""),
        "question": clip(work["text"], QUESTION_BYTES),
    }  # fmt: skip
    if "read_as" in work:
        told["read_as"] = work["read_as"]
    return AIMessage(
        content=answer.get("text", "") or otherwise, id=f"answer-{work['id']}",
        additional_kwargs={"citations": citations}, response_metadata={KEY: told},
    )  # fmt: skip
