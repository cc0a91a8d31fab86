"""The page's server: the shell, the data as JSON, what happens as server-sent events, and two actions.

Reading is by GET and changes nothing; an answer and a fork are POSTs. Leaves out who may ask (`guard`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import reprlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ddax.errors import DdaxError, StateError, ThreadInUse, UsageError, read_json_text
from ddax.graph.threads.manifests import OVER
from ddax.types import JsonDict
from ddax.viewer.details import Logs, detail, logs_of, page_of, tasks_of
from ddax.viewer.doing import Doing, reply_of, trouble
from ddax.viewer.guard import Guard
from ddax.viewer.plain import dump
from ddax.viewer.reading import Reader
from ddax.viewer.story import small, thinned, without_patches

STATIC = Path(__file__).parent / "static"
KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
POLL = 0.25
"""Seconds between two looks at a thread that is watched."""
QUIET = 40
"""Looks without news after which the connection is shown to be alive."""
MOST = 4000
"""Moments a timeline shows."""
BODY = 100_000
DIGITS = 15
"""Digits of a number in a query."""

Handler = Callable[[Request], Awaitable[Response]]


def make_app(
    reader: Reader, doing: Doing, *, token: str, poll: float = POLL
) -> tuple[Starlette, Callable[[], None]]:
    """Return the application over a reader and a doer, and what ends its open connections."""
    page = Page(reader, doing, poll)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with reader:
            await reader.warm()
            yield
        await doing.close()

    app = Starlette(
        routes=[
            Route("/", page.shell, methods=["GET"]),
            Route("/static/{name}", page.static, methods=["GET"]),
            *(
                Route(f"/api{path}", told(handler), methods=[method])
                for path, method, handler in page.routes()
            ),
        ],
        middleware=[Middleware(Guard, token=token)],
        lifespan=lifespan,
    )
    return app, page.stop


def told(handler: Handler) -> Handler:
    """Return a handler whose errors are answers: what, why and the mend."""

    async def wrapped(request: Request) -> Response:
        try:
            return await handler(request)
        except DdaxError as error:
            return JSONResponse(trouble(error), status_of(error))

    return wrapped


def status_of(error: DdaxError) -> int:
    """Return the status an error is answered with."""
    if isinstance(error, ThreadInUse):
        return 409
    if isinstance(error, UsageError):
        return 404 if error.what.startswith("There is no thread") else 400
    return 500 if isinstance(error, StateError) else 503


class Page:
    """The handlers of one page."""

    def __init__(self, reader: Reader, doing: Doing, poll: float) -> None:
        self._reader, self._doing, self._poll = reader, doing, poll
        self._logs: dict[tuple[str, str], Logs] = {}
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End every connection that waits for news."""
        self._stopping.set()

    def routes(self) -> list[tuple[str, str, Handler]]:
        """Return path, method and handler of everything under `/api`."""
        return [
            ("/runs", "GET", self.runs),
            ("/runs/{thread}", "GET", self.run),
            ("/runs/{thread}/moments", "GET", self.moments),
            ("/runs/{thread}/at/{checkpoint}", "GET", self.at),
            ("/runs/{thread}/events", "GET", self.events),
            ("/runs/{thread}/ideas/{idea}", "GET", self.idea),
            ("/runs/{thread}/page", "GET", self.page),
            ("/runs/{thread}/answer", "POST", self.answer),
            ("/runs/{thread}/fork", "POST", self.fork),
        ]

    async def shell(self, request: Request) -> Response:
        """Return the page without any data."""
        return FileResponse(STATIC / "index.html", media_type=KINDS[".html"])

    async def static(self, request: Request) -> Response:
        """Return a file of ours; there is nothing else to be had by a name."""
        name = str(request.path_params["name"])
        file = STATIC / name
        known = await asyncio.to_thread(lambda: {path.name for path in STATIC.iterdir()})
        if name not in known:
            return JSONResponse({"what": "There is no such file."}, 404)
        return FileResponse(file, media_type=KINDS[file.suffix])

    async def runs(self, request: Request) -> Response:
        """Return a row for each run."""
        return JSONResponse({"runs": await asyncio.to_thread(self._reader.listed)})

    async def run(self, request: Request) -> Response:
        """Return how a thread stands and its picture."""
        found, _ = await self._reader.now(_thread(request))
        return _json({**found, "trouble": self._doing.troubles.get(_thread(request))})

    async def moments(self, request: Request) -> Response:
        """Return the timeline of a thread."""
        rows = await self._reader.moments(_thread(request))
        return _json({"moments": thinned(without_patches(rows), MOST), "all": len(rows)})

    async def at(self, request: Request) -> Response:
        """Return the picture at a moment."""
        return _json(await self._reader.at(_thread(request), str(request.path_params["checkpoint"])))

    async def idea(self, request: Request) -> Response:
        """Return everything known of an idea."""
        thread, key = _thread(request), str(request.path_params["idea"])
        info = await self._reader.known(thread)
        checkpoint = request.query_params.get("at", "")
        ideas, work, last = await self._reader.ideas(thread, checkpoint)
        if key not in ideas:
            raise UsageError(
                f"There is no idea {key!r} in {thread!r} at that moment.",
                why="It came later, or never.",
                mend="Look at a later moment.",
            )
        place = (thread, last)
        if place not in self._logs:
            self._logs.clear()  # one view at a time is kept
            self._logs[place] = await logs_of(self._reader, info, await tasks_of(self._reader, info, work))
        found, _ = await detail(self._reader, info, ideas[key], self._logs[place])
        return _json(found)

    async def page(self, request: Request) -> Response:
        """Return a stored page."""
        info = await self._reader.known(_thread(request))
        marks = [{"start": _number(request, "start")}]
        found = await page_of(self._reader, info, request.query_params.get("source", ""), marks)
        return _json(found) if found else JSONResponse({"what": "That page is not stored."}, 404)

    async def events(self, request: Request) -> Response:
        """Return what happens from a moment on, as server-sent events whose ids are the moments'."""
        thread = _thread(request)
        after = request.headers.get("last-event-id") or request.query_params.get("after", "")
        await self._reader.known(thread)
        return StreamingResponse(self._events(thread, after), media_type="text/event-stream")

    async def _events(self, thread: str, after: str) -> AsyncIterator[str]:
        quiet, before = 0, ""
        async for story, rows in self._reader.follow(thread, after, self._pause):
            for row in rows:
                yield _event(
                    "moment", {**row, "patch": {k: small(v) for k, v in row["patch"].items()}}, row["id"]
                )
            run, problem = await asyncio.to_thread(self._reader.row, thread), self._doing.troubles.get(thread)
            now = json.dumps([run, problem, story.last if run["status"] in OVER else ""])
            if now != before:
                before = now
                yield _event("state", {**await self._reader.standing(thread), "trouble": problem})
            if self._stopping.is_set():
                return
            quiet = 0 if rows else quiet + 1
            if quiet % QUIET == 0 and not rows:
                yield ": still here\n\n"
        yield _event("reset", {})

    async def _pause(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), self._poll)

    async def answer(self, request: Request) -> Response:
        """Answer the question a thread waits with."""
        thread, reply = _thread(request), reply_of(await _body(request))
        question = (await self._reader.standing(thread))["result"]["question"]
        if question is None:
            raise UsageError(
                f"The thread {thread!r} waits for no answer.",
                why="It was answered already, or never asked.",
                mend="Load the page again.",
            )
        await self._doing.answer(thread, reply, question)
        return JSONResponse({"thread_id": thread}, 202)

    async def fork(self, request: Request) -> Response:
        """Leave a thread at a moment by another way."""
        thread, body = _thread(request), await _body(request)
        await self._reader.known(thread)
        values = body.get("set") or {}
        at = body.get("at")
        if not isinstance(at, int) or isinstance(at, bool) or not isinstance(values, dict):
            raise UsageError(
                "A fork needs the number of a moment.",
                why="It says where the run is left.",
                mend='Send {"at": 7, "set": {"mind.rho": 0.9}}.',
            )
        texts = [body.get(key) for key in ("identity", "to")]
        if not all(text is None or isinstance(text, str) for text in texts):
            raise UsageError(
                "The identity and the name of a fork are texts.",
                why="Something else was sent.",
                mend="Send them as strings, or leave them out.",
            )
        name = await self._doing.fork(thread, at, values=values, identity=texts[0], to=texts[1])
        return JSONResponse({"thread_id": name}, 202)


def _thread(request: Request) -> str:
    return str(request.path_params["thread"])


def _number(request: Request, name: str) -> int:
    """Return a number of the query, 0 where it is not there; raises UsageError for what is none."""
    text = request.query_params.get(name, "") or "0"
    if len(text) > DIGITS or not (text.isascii() and text.isdecimal()):
        raise UsageError(
            f"The number {name!r} is {reprlib.repr(text)}.",
            why=f"A place in a page is a whole number of at most {DIGITS} digits.",
            mend=f"Leave {name} out, or send such a number.",
        )
    return int(text)


async def _body(request: Request) -> JsonDict:
    """Return the JSON object of a request; another media type could come from a form of another page."""
    if request.headers.get("content-type", "").split(";")[0] != "application/json":
        raise UsageError(
            "The body is no JSON.", why="Its type says otherwise.", mend="Send it as application/json."
        )
    text = b""
    async for chunk in request.stream():
        text += chunk
        if len(text) > BODY:
            raise UsageError(
                f"The body is longer than {BODY:,} bytes.",
                why="An answer or a fork is small.",
                mend="Send less.",
            )
    try:
        value = read_json_text(text)
    except ValueError as error:
        raise UsageError("The body is no JSON.", why=f"{error}.", mend="Send valid JSON.") from error
    if not isinstance(value, dict):
        raise UsageError(
            "The body is no JSON object.",
            why="What is sent has names.",
            mend='Send {"choice": "go on"}, or what a fork needs.',
        )
    return value


def _json(value: Any) -> Response:
    """Return an answer of plain JSON."""
    return Response(dump(value), media_type="application/json")


def _event(kind: str, data: Any, number: str = "") -> str:
    head = f"id: {number}\n" if number else ""
    return f"{head}event: {kind}\ndata: {dump(data)}\n\n"
