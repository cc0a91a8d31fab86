"""One tab: its frames, a script world of ours in each, and the questions a page may ask.

The page script runs in an isolated world: the page's own scripts cannot see, change or fool it. While a
page waits for the answer to a question of its own (confirm, prompt) nothing else can be done in it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ddax.environments.browser.chromium import foreign
from ddax.errors import ActionError
from ddax.types import JsonDict

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Dialog, Page

T = TypeVar("T")
WORLD = "ddax"
EMPTY = "about:blank"
"""The page that a tab begins with."""
MAX_FRAMES = 20
MAX_DIALOGS = 20
"""Questions a page may ask for one move; more are dismissed."""
MAX_ASKED, MAX_WAITS = 100, 5
"""Questions and times for an answer after which a page that still asks is late, too: some ask for ever."""


class DialogOpen(Exception):
    """Say that a page asks something, and waits."""


class Frame(NamedTuple):
    """A frame by its short name (the main one has none), and where it lies in the window."""

    name: str
    session: Any
    id: str
    x: float
    y: float


@cache
def page_script() -> str:
    """Return the script that looks at a page."""
    return resources.files("ddax.environments.browser").joinpath("page.js").read_text("utf-8")


@dataclass
class Tab:
    """A page of the browser; `notes` are what happened in it since it was last looked at."""

    page: Page
    session: CDPSession
    seconds: float
    notes: list[str] = field(default_factory=list)
    dialog: Dialog | None = None
    crashed: bool = False
    asked: int = 0
    _opened: asyncio.Event = field(default_factory=asyncio.Event)
    _waiting: asyncio.Task[Any] | None = None
    _names: dict[str, str] = field(default_factory=dict)
    _contexts: dict[str, int] = field(default_factory=dict)

    def hear(self) -> None:
        """Listen for what the page does by itself."""
        self.page.on("dialog", self._on_dialog)
        self.page.on("crash", self._on_crash)

    def _on_crash(self, _: Any) -> None:
        self.crashed = True

    async def _on_dialog(self, dialog: Dialog) -> None:
        """Answer what has one answer; leave a real question open."""
        self.asked += 1
        if dialog.type in ("alert", "beforeunload") or self.asked > MAX_DIALOGS:
            said = f"the page said: {dialog.message}" if dialog.type == "alert" else ""
            if said and said not in self.notes:
                self.notes.append(said)
            await quietly(dialog.dismiss() if dialog.type in ("confirm", "prompt") else dialog.accept())
            return
        self.dialog = dialog
        self._opened.set()

    async def answer(self, accept: bool, text: str = "") -> None:
        """Answer the open question, and let what waited for it go on."""
        dialog, waiting = self.dialog, self._waiting
        self.dialog, self._waiting = None, None
        self._opened.clear()
        if dialog is not None:
            with foreign("the dialog was not answered"):
                await (dialog.accept(text) if accept else dialog.dismiss())
        if waiting is not None:
            await self.run(waiting)

    async def end(self) -> None:
        """Let go of what still waits for an answer to a question."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    async def run(self, work: Coroutine[Any, Any, T] | asyncio.Task[T]) -> T:
        """Do something in the page; raises DialogOpen where the page asks first, ActionError too late."""
        task = work if isinstance(work, asyncio.Task) else asyncio.ensure_future(work)
        opened = asyncio.ensure_future(self._opened.wait())
        try:
            waited = await self._first(task, opened)
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            opened.cancel()
        if task.done():
            with foreign("the page did not do it"):
                return task.result()
        if self.dialog is not None:
            self._waiting = task
            raise DialogOpen
        task.cancel()
        what = "the page crashed." if self.crashed else f"the page did not answer within {waited:g} s."
        raise ActionError(what, kind="browser_gone" if self.crashed else "timeout", retriable=True)

    async def _first(self, *tasks: asyncio.Future[Any]) -> float:
        """Wait until a task is done or the page is late, and return the seconds that it was given.

        A page that still asks is slow, not dead: its time begins anew.
        """
        for waits in range(1, MAX_WAITS + 1):
            before = self.asked
            done, _left = await asyncio.wait(tasks, timeout=self.seconds, return_when=asyncio.FIRST_COMPLETED)
            if done or not before < self.asked <= MAX_ASKED:
                return waits * self.seconds
        return MAX_WAITS * self.seconds

    async def frames(self) -> list[Frame]:
        """Return the frames that can be looked at, the main one first."""
        found: list[Frame] = []
        tree = (await self._send(self.session, "Page.getFrameTree"))["frameTree"]
        await self._add(tree, self.session, 0.0, 0.0, found)
        if len(found) < min(len(self.page.frames), MAX_FRAMES):
            await self._add_remote(found)
        return found[:MAX_FRAMES]

    async def _add(self, tree: JsonDict, session: CDPSession, x: float, y: float, found: list[Frame]) -> None:
        id = tree["frame"]["id"]
        name = self._names.setdefault(id, f"f{len(self._names)}" if found else "")
        found.append(Frame(name, session, id, x, y))
        for child in tree.get("childFrames", ()):
            place = await self._place(session, child["frame"]["id"])
            if place is not None and len(found) < MAX_FRAMES:
                await self._add(child, session, place[0], place[1], found)

    async def _add_remote(self, found: list[Frame]) -> None:
        """Add the frames of other sites, which live in processes of their own."""
        for frame in self.page.frames[1:MAX_FRAMES]:
            try:
                with foreign("no process of its own"):
                    session = await self.page.context.new_cdp_session(frame)
                tree = (await self._send(session, "Page.getFrameTree"))["frameTree"]
            except ActionError:
                continue  # it was reached through its parent, or it is gone again
            place = await self._place(self.session, tree["frame"]["id"])
            if place is not None:
                await self._add(tree, session, place[0], place[1], found)

    async def _place(self, session: CDPSession, frame: str) -> tuple[float, float] | None:
        """Return where a frame lies in the window, None where it is not shown."""
        try:
            owner = await self._send(session, "DOM.getFrameOwner", frameId=frame)
            model = await self._send(session, "DOM.getBoxModel", backendNodeId=owner["backendNodeId"])
        except ActionError:
            return None
        corner = model["model"]["content"]
        return float(corner[0]), float(corner[1])

    async def ask(self, frame: Frame, function: str, *arguments: Any) -> Any:
        """Call a function of the page script in a frame; what the page loads meanwhile is waited for."""
        passed = ", ".join(json.dumps(argument) for argument in arguments)
        reply: JsonDict = {}
        for last in (False, False, True):
            try:
                context = await self._context(frame)
                reply = await self._send(
                    frame.session, "Runtime.evaluate",
                    expression=f"{page_script()}\nPromise.resolve(globalThis.ddax.{function}({passed})).then(JSON.stringify)",
                    contextId=context, awaitPromise=True, returnByValue=True,
                )  # fmt: skip
                break
            except ActionError as error:
                if last or error.kind != "page_failed":
                    raise
                self._contexts.pop(frame.id, None)  # the page went on to another document
                await self.run(self._loaded())
        if "exceptionDetails" in reply:
            detail = reply["exceptionDetails"]
            why = str(detail.get("exception", {}).get("description", detail.get("text", "")))
            raise ActionError("the page could not be looked at.", why=why, kind="page_failed")
        told = reply["result"].get("value")  # as one text: a long page by its parts takes the driver seconds
        return None if told is None else json.loads(told)

    async def hand_over(self, frame: Frame, index: int, paths: Sequence[str]) -> None:
        """Put files into a field for files."""
        context = await self._context(frame)
        reply = await self._send(
            frame.session,
            "Runtime.evaluate",
            expression=f"globalThis.ddax.element({index})",
            contextId=context,
        )
        found = reply["result"].get("objectId")
        if found is None:
            raise ActionError("the field for files is not there any more.", kind="no_such_move")
        await self._send(frame.session, "DOM.setFileInputFiles", files=list(paths), objectId=found)

    async def _context(self, frame: Frame) -> int:
        if frame.id not in self._contexts:
            made = await self._send(
                frame.session, "Page.createIsolatedWorld", frameId=frame.id, worldName=WORLD
            )
            self._contexts[frame.id] = int(made["executionContextId"])
        return self._contexts[frame.id]

    async def _loaded(self) -> None:
        await self.page.wait_for_load_state("domcontentloaded", timeout=self.seconds * 1000)

    async def ended(self, seconds: float) -> None:
        """Wait until the HTML of the page has come to its end, so long at most: some pages never end."""
        try:
            wait = self.page.wait_for_load_state("domcontentloaded", timeout=seconds * 1000)
            await self.run(wait)
        except ActionError as error:
            if error.kind != "timeout":
                raise

    async def has_before(self) -> bool:
        """Tell whether there is a page to go back to; the empty one that a tab begins with is none."""
        found = await self._send(self.session, "Page.getNavigationHistory")
        return any(entry["url"] != EMPTY for entry in found["entries"][: found["currentIndex"]])

    async def _send(self, session: CDPSession, method: str, **values: Any) -> JsonDict:
        async def send() -> JsonDict:
            reply: JsonDict = await session.send(method, values)
            return reply

        return await self.run(send())


async def open_tab(page: Page, seconds: float, *, on_sign: Callable[[Any], None]) -> Tab:
    """Take a page of the browser in hand; `on_sign` hears that a file is about to come."""
    with foreign("the tab was not opened"):
        session = await page.context.new_cdp_session(page)
        session.on("Page.downloadWillBegin", on_sign)
        await session.send("Page.enable")
    tab = Tab(page, session, seconds)
    tab.hear()
    return tab


async def quietly(work: Awaitable[Any]) -> None:
    """Do something whose failure changes nothing: the page it is about is already gone."""
    try:
        with foreign("it was gone"):
            await work
    except ActionError:
        return
