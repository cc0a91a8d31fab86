"""The node `open_task`: a task comes in and becomes a root idea, with what is remembered for it.

A follow-up on a finished thread opens the next root and keeps mind and mood. The whole text of the
task goes to the memory; state holds its beginning.
"""

from __future__ import annotations

import asyncio
import reprlib
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from ddax.actions.sources.skipping import rows_of, skipped_of
from ddax.configs.settings import SCHEMA_VERSION, Context
from ddax.dynamics.state import attractor, new_attractor, open_mind
from ddax.errors import UsageError
from ddax.graph.repairs import found_code
from ddax.graph.services import Session
from ddax.graph.state import State, Update, Work
from ddax.ideas import dag
from ddax.ideas.idea import clip, root
from ddax.ideas.origins import read
from ddax.ideas.requirements import FORMS, Requirement, merged, parse
from ddax.reasoning.followup import meant
from ddax.steps.accounts.participants import note_standing
from ddax.steps.findings.earlier_turns import earlier, of_turns, said
from ddax.steps.findings.gather import TASKS
from ddax.steps.findings.quick_road import QUICK, starts_quick
from ddax.types import Idea, JsonDict
from ddax.wording import gist

TASK_CHARS = 2000
FOLLOW_UP_CHARS = 300
"""A task that is longer says what it is about."""
REQUIREMENT_CHARS = 20_000
"""Characters of a task, of its beginning and its end, that are searched for requirements."""


async def open_task(state: State, runtime: Runtime[Context], *, session: Session) -> Update:
    """Open a task: its root idea, its lessons, and the mind it starts with."""
    text = session.redactor.text(_text(state, session.redactor.text))
    number = len(dag.roots(state.get("ideas", {})))
    work = await _work(text, number, runtime, session)
    idea = _root(state, number, work, session)
    row = {"task": work["id"], "text": text, "thread": work["thread"], "opened": work["opened"]}
    await session.memory.log(TASKS, row, key=work["id"])
    session.texts[work["id"]] = text  # all leaves of a step would ask for it at once
    await note_standing(work, session)
    return {
        "schema": SCHEMA_VERSION,
        "task": clip(text, TASK_CHARS),
        "work": work,
        "ideas": {work["root"]: idea},
        "mind": await _mind(state, session, text),
        "step": 0,
        "focus": [],
        "outcomes": Overwrite({}),
        "verdicts": Overwrite({}),
        "questions": Overwrite({}),
        "failures": Overwrite({}),
        "usage": Overwrite({"model_calls": 0, "tokens": 0, "usd": 0.0, "seconds": 0.0}),
        "answer": {},
        "metrics": {},
        "status": "running",
        "stop_reason": "",
    }


def _text(state: State, clean: Callable[[str], str]) -> str:
    """Return the task: the newest human message, where it was not asked yet, else the input key.

    What was asked before is in state as `clean` left it.
    """
    messages: list[Any] = state.get("messages", [])
    text: object = state.get("task", "")
    if messages and getattr(messages[-1], "type", "") == "human":
        message, before = said(messages[-1].content), state.get("work", {}).get("text", "")
        # The message of a task that ended without an answer is the last one still.
        if text in ("", before) or clip(clean(message), TASK_CHARS) != before:
            text = message
    if not isinstance(text, str):
        raise no_text(text)
    if not text.strip():
        raise UsageError(
            "the task is empty.",
            why="Neither the newest message nor the key `task` holds a word.",
            mend='Give the graph {"task": "your question"}.',
        )
    return text


def no_text(task: object) -> UsageError:
    """Return the error for a task that is a number, a list or the like."""
    return UsageError(
        f"the task is no text, but {reprlib.repr(task)}.",
        why="A run needs a question or an order in words.",
        mend='Give it as a text: "your question".',
    )


def _root(state: State, number: int, work: Work, session: Session) -> Idea:
    """Return the root idea; a follow-up that says too little is noted there as it is read, and in the work.

    An order for a world or for code is carried out as it was given.
    """
    text = work["text"]
    told = earlier(state, session.redactor.text) if len(text) <= FOLLOW_UP_CHARS else ()
    read_as = text if session.world is not None or work["code"] else meant(text, told)
    if read_as == text:
        return root(number, text)
    work["read_as"] = read_as
    idea = root(number, f"{text} [read as: {read_as}]")
    idea["origins"] = read(of_turns({"ideas": {}, **state, "work": work}))
    return idea


async def _work(text: str, number: int, runtime: Runtime[Context], session: Session) -> Work:
    info = runtime.execution_info
    thread = str(info.thread_id or "") if info is not None else ""
    opened = round(session.clock(), 3)
    identity = sha256(f"{thread}/{number}/{opened}/{text}".encode("utf-8", "replace")).hexdigest()[:12]
    code = await asyncio.to_thread(found_code, session.repairs, session.settings.sources)
    work = Work(
        id=identity,
        root=str(number),
        thread=thread,
        text=clip(text, TASK_CHARS),
        opened=opened,
        taught=[],
        code=code,
        requirements=_requirements(text, session),
    )
    if starts_quick(session, code):
        work["road"] = QUICK
    if skipped := rows_of(skipped_of(session.library)):
        work["skipped"] = session.redactor.value(skipped)
    return work


def _requirements(text: str, session: Session) -> list[Requirement]:
    """Return what the settings and the task's own words demand; raises UsageError for a form unknown."""
    named = []
    for words in session.settings.requirements:
        found = parse(words, origin="settings")
        if not found:
            raise UsageError(
                f"The requirement {words!r} is in no form that can be checked.",
                why="An answer is held against it by counting, not by reading.",
                mend=f"Write it in one of these forms: {'; '.join(FORMS)}.",
            )
        named += found
    asked = parse(gist(text, REQUIREMENT_CHARS), origin="task")
    if session.world is not None and not session.library.specs:  # a file that is named there is a part of it
        asked = [one for one in asked if one["kind"] != "visit" or "//" in one["value"]]
    return merged(named, asked)


async def _mind(state: State, session: Session, text: str) -> JsonDict:
    """Return the mind of the identity profile, turned towards this task; a known mind stays."""
    identity = session.identity
    await session.ahead.done()
    statement, task = await session.encode(identity.statement, text[:TASK_CHARS])
    x_star = attractor(identity, statement=statement, task=task)
    mind = state.get("mind")
    if mind:
        return dict(new_attractor(mind, x_star))  # type: ignore[arg-type]  # plain JSON in state
    return dict(open_mind(identity, x_star=x_star, x=x_star))
