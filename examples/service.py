"""A web service over one open agent: a question comes in, its events stream out (SSE), the answer last.

    pip install fastapi uvicorn
    uvicorn service:app
    curl -N localhost:8000/ask --json '{"text": "Which function returns the median of numeric data?"}'

A thread is a talk: who sends its name again asks a follow-up. Hanging up stops the run, to be resumed.
"""

import json
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ddax import Context, open_agent
from ddax.errors import DdaxError

KEPT = ("thread_id", "status", "short", "answer", "citations", "notes")


class Question(BaseModel):
    text: str = Field(min_length=1, max_length=2000)
    thread: str | None = Field(None, pattern=r"^[\w-]{1,60}$")


@asynccontextmanager
async def lifespan(app):
    async with open_agent(Context(sources=("python:statistics",))) as agent:
        app.state.agent = agent
        yield


app = FastAPI(lifespan=lifespan)


@app.post("/ask")
async def ask(question: Question, request: Request):
    return StreamingResponse(told(request.app.state.agent, question), media_type="text/event-stream")


async def told(agent, question):
    try:
        async for event in agent.stream(question.text, thread=question.thread):
            if event["type"] == "result":
                yield line("answer", {key: event["data"][key] for key in KEPT})
            else:
                yield line("step", {"step": event["step"], "node": event["node"]})
    except DdaxError as error:  # the thread is in use, the model does not answer, ...
        yield line("error", {"what": error.what, "why": error.why, "mend": error.mend})


def line(kind, data):
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"
