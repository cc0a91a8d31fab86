"""The turns of a thread before its task: what was asked, answered and cited.

They are in the messages of the thread, those that a chat front end brings with it among them. A model is
shown them beside the task; searches and the reasoner without a model get the task as it is meant after them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from langchain_core.messages import AIMessage

from ddax.graph.state import Answer, State, Work
from ddax.ideas import dag
from ddax.ideas.idea import TITLE_BYTES, clip, is_final
from ddax.ideas.origins import Origins, join
from ddax.reasoning.background import Turn
from ddax.reasoning.followup import meant
from ddax.reasoning.sourced import UNKNOWN
from ddax.steps.findings.gather import of_earlier
from ddax.types import JsonDict

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
    found = list[Turn]()
    for message, asked in _newest(_answered(state)):
        found.append(_turn(message, asked, found, clean))
    return tuple(turn for turn in found if turn.question)[-TURNS:]


def _answered(state: State) -> list[tuple[Any, str]]:
    """Return the answers of a thread, each with what was asked before it."""
    found, asked = list[tuple[Any, str]](), ""
    for message in state.get("messages", []):
        kind = getattr(message, "type", "")
        if kind == "human":
            asked = said(message.content)
        elif kind == "ai" and said(message.content).strip():
            found.append((message, asked))
            asked = ""
    return found


def _newest(answered: list[tuple[Any, str]]) -> list[tuple[Any, str]]:
    """Return the newest answers, from one on that says itself how its question was read."""
    asking = 0
    for place in reversed(range(len(answered))):
        told, asked = _told(answered[place][0]), answered[place][1]
        asking += bool(str(told.get("question") or asked).strip())
        if asking >= TURNS and told.get("question"):
            return answered[place:]
    return answered


def _told(message: Any) -> Mapping[str, Any]:
    """Return what an answer says of itself, where it is one of ours."""
    told = message.response_metadata.get(KEY)
    return told if isinstance(told, Mapping) else {}


def _turn(message: Any, asked: str, before: list[Turn], clean: Callable[[str], str]) -> Turn:
    told = _told(message)

    def cut(value: object, limit: int) -> str:
        return clip(clean(str(value or "")), limit)

    question = cut(told.get("question") or asked, QUESTION_BYTES)
    # A task of ours says how it was read, unless that was as it stands.
    read_as = (
        cut(told.get("read_as"), QUESTION_BYTES) if told.get("question") else _meant(question, *before[-1:])
    )
    return Turn(
        question, cut(said(message.content), ANSWER_BYTES),
        sources=tuple(cut(title, TITLE_BYTES) for title in _titles(message)),
        short=cut(told.get("short"), TITLE_BYTES),
        read_as="" if read_as == question else read_as,
    )  # fmt: skip


@lru_cache(maxsize=1024)  # a front end brings all turns of its chat each time
def _meant(question: str, *before: Turn) -> str:
    return meant(question, before)


def _titles(message: Any) -> list[str]:
    """Return the titles a message cites, each once."""
    cited = message.additional_kwargs.get("citations")
    rows = [row for row in cited if isinstance(row, Mapping)] if isinstance(cited, list) else []
    return list(dict.fromkeys(str(row["title"]) for row in rows if row.get("title")))[:TITLES]


def of_turns(state: State) -> Origins:
    """Return where earlier turns come from; an answer that is none of this thread's own may be private."""
    ended = sum(is_final(state["ideas"][root]) for root in dag.roots(state["ideas"]))
    told = [m for m in state.get("messages", []) if getattr(m, "type", "") == "ai"]
    return join(of_earlier(state), UNKNOWN if len(told) > ended else ())


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
