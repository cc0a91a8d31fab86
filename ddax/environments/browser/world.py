"""A browser as a world: pages seen as text with elements, moves by press and key, the way back by replay."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ddax.actions.egress import checked_url
from ddax.environments.browser.chromium import Chromium, foreign
from ddax.environments.browser.fold import folded
from ddax.environments.browser.happenings import Window
from ddax.environments.browser.moves import HANDS, Hand, allowed, guessed_effect
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.picture import Camera
from ddax.environments.browser.seen import (
    ACTED_ON,
    DIALOG,
    MAX_NAME,
    MAX_NOTE,
    MAX_VALUE,
    PAGE,
    UNENDED,
    Node,
    PageSeen,
    clean,
    elements,
    node_of,
    outline,
    text_of,
    told,
    trouble_of,
    without_secrets,
)  # fmt: skip
from ddax.environments.browser.tab import DialogOpen, Tab, page_script, quietly
from ddax.environments.protocol import Element, Move, Observation, Snapshot
from ddax.environments.trouble import not_started
from ddax.errors import ActionError
from ddax.types import Effect, Picture

MAX_ELEMENTS = 400
MAX_QUESTION = 1000
"""Characters that are shown of a question of the page."""
TAB = "tab of the browser"
MARK = "x-ddax-egress"
"""The field by which the egress proxy marks an answer as its own."""


class BrowserWorld:
    """Chromium behind the environment protocol; `shared` says that the browser is another's to close.

    A reset is a new context: no cookie, storage or tab of before is there. What a page holds in its memory
    cannot be taken down, so `can_snapshot` is False and the way back is a replay.
    """

    can_snapshot = False

    def __init__(
        self, url: str, *, browser: Chromium, options: BrowserOptions | None = None, shared: bool = False
    ) -> None:
        self.name, self.url = f"browser:{url}", url
        self.options = options or BrowserOptions()
        self.effect: Effect = "none" if self.options.sandbox else "writes" if self.options.writes else "reads"
        self._chromium, self._shared = browser, shared
        self._window: Window | None = None
        self._last: PageSeen | None = None
        self._known: dict[Move, Effect] = {}
        self._highest, self._answer, self._over = 0, "", False
        self.resets = self.moved = 0

    @property
    def answer(self) -> str:
        """Return what the move `done` said."""
        return self._answer

    async def reset(self, *, seed: int = 0) -> PageSeen:
        """Open the first page in an empty profile."""
        if self._window is not None:
            await self._window.end()
            self._window = None
        await asyncio.to_thread(page_script)  # it is read here, once, and not at the first look
        browser = await self._chromium.running()
        with foreign("the browser was not opened"):
            context = await browser.new_context(
                viewport={"width": self.options.width, "height": self.options.height},
                service_workers="block", accept_downloads=True, locale="en-US", timezone_id="UTC",
                reduced_motion="reduce",
            )  # fmt: skip
        self._window = Window(context, self.options)
        self._highest, self._answer, self._over, self._last = 0, "", False, None
        self.resets += 1
        await self._window.listen()
        tab = await self._window.open()
        with suppress(DialogOpen):  # a page that asks at once: its question is what is seen first
            try:
                await self._go(tab, self.url)
            except ActionError as error:
                raise self._hidden(error) from None
            if self.options.rules is not None:
                await self.options.rules.begin(tab.page, seed)
        return await self._look(self._window)

    async def observe(self) -> PageSeen:
        return await self._look(self._here())

    def effect_of(self, move: Move) -> Effect:
        """Say what a move does outside: what it did before, else what its element promises."""
        if self.options.sandbox:
            return "none"
        node = self._last.node(move.target) if self._last else None
        effect = self._known.get(move) or guessed_effect(move.name, node, move.value)
        return "reads" if effect == "writes" and not self.options.writes else effect

    async def act(self, move: Move) -> PageSeen:
        """Make a move; raises ActionError, with `no_such_move` where nothing was done."""
        window = self._here()
        if self._over:
            raise ActionError(f"the world {self.name!r} has ended.", mend="Reset it.", kind="world_ended")
        self._check(move)
        window.wrote, window.opened, window.signs, window.tab.asked = False, 0, 0, 0
        window.promised = self._fetches(move)
        effect = self.effect_of(move)
        try:
            await self._do(window, move)
        except DialogOpen:
            pass  # the question of the page is what is seen next
        except ActionError as error:
            raise self._hidden(error) from None
        self.moved += 1
        seen = await self._look(window)
        if move.name == "extract" and not seen.dialog:
            read = await self.extract("" if move.target in ("", PAGE) else move.target)
            seen = replace(seen, text=told(seen.title, seen.url, read, self.options))
        if window.wrote or effect != "writes" or self._known.get(move) == "writes":
            self._known[move] = "writes" if window.wrote or self._known.get(move) == "writes" else effect
        else:
            self._known[move] = "reads"  # it was feared to write, and sent nothing
        return seen

    async def snapshot(self) -> Snapshot:
        raise ActionError(
            "a page cannot be taken down whole.",
            mend="Go back by the moves that led to it.",
            kind="no_snapshot",
        )

    async def restore(self, snapshot: Snapshot) -> Observation:
        raise ActionError(
            f"the snapshot of {snapshot.world!r} does not fit {self.name!r}.", kind="foreign_snapshot"
        )

    async def close(self) -> None:
        """End the browser, its profile and its proxy."""
        window, self._window = self._window, None
        if window is not None:
            await window.end()
        if not self._shared:
            await self._chromium.close()

    async def screenshot(self) -> bytes:
        """Return what is seen as a PNG; texts and fields that hold a secret are shown as dots."""
        return await self._camera().png(self._here().tab)

    async def picture(self) -> Picture | None:
        """Return what is seen as a JPEG for a model; None while the page asks, or if a secret would show."""
        tab = self._here().tab
        if self._over or tab.dialog is not None:
            return None
        return await self._camera().picture(tab, self.options.width, self.options.height)

    def _camera(self) -> Camera:
        return Camera(self.options.vault, self.options.redactor)

    def _here(self) -> Window:
        if self._window is None or not self._window.tabs:
            raise not_started(self.name)
        return self._window

    def _check(self, move: Move) -> None:
        """Refuse a move that is not offered, before anything is done."""
        kinds = {element.id: element.kind for element in self._last.elements} if self._last else {}
        for node in self._last.nodes if self._last else ():
            kinds.setdefault(node.id, node.role)
        kind = kinds.get(move.target or PAGE)
        offered = () if kind is None else allowed(kind)
        if move.name not in offered:
            raise ActionError(
                f"there is no move {' '.join(filter(None, move.to_row()))!r} on the page.",
                why=f"{move.target} offers {', '.join(offered)}."
                if offered
                else f"There is no {move.target!r}.",
                mend="Look again, and name an element that is there.",
                kind="no_such_move",
            )

    def _fetches(self, move: Move) -> bool:
        """Tell whether a move clicks a link that brings a file."""
        node = self._last.node(move.target) if self._last and move.name == "click" else None
        return node is not None and node.fetches

    async def _do(self, window: Window, move: Move) -> None:
        tab = window.tab
        if move.name in HANDS:
            hand = Hand(tab, self.options.vault, self.options.uploads)
            await HANDS[move.name](hand, move.target, move.value)
        elif move.name == "goto":
            await self._go(tab, move.value)
        elif move.name in ("accept", "dismiss"):
            await tab.answer(move.name == "accept", move.value)
        elif move.name == "tab":
            window.current = window.place(move.target)
        elif move.name == "close":
            await quietly(window.tabs[window.place(move.target)].page.close())
            if not window.tabs:
                await window.open()
        elif move.name == "done":
            self._over, self._answer = True, move.value

    async def _go(self, tab: Tab, url: str) -> None:
        checked_url(url)
        what = f"{self._shown(url, MAX_NAME)!r} was not opened"
        try:
            with foreign(what):
                load = tab.page.goto(url, wait_until="commit", timeout=tab.seconds * 1000)
                answer = await tab.run(load)
        except ActionError as error:
            why = self._chromium.refusal(url)
            if not why:
                raise
            raise ActionError(f"{what}.", why=why, kind=error.kind, retriable=error.retriable) from error
        if answer is not None and answer.headers.get(MARK):
            raise ActionError(f"{what}.", why=self._chromium.refusal(url), kind="not_reached")
        await tab.ended(self.options.end_seconds)

    async def extract(self, id: str = "", *, whole: bool = False) -> str:
        """Return the text of the page's main part, of all of it or of one element, without secrets."""
        window = self._here()
        hand = Hand(window.tab, self.options.vault)
        top = (await window.tab.frames())[0], -1 if whole else 0
        frame, index = await hand.frame_of(id) if id else top
        found = await window.tab.ask(frame, "text", index)
        lines = (clean(line) for line in str(found or "").splitlines())
        return self.options.vault.hide("\n".join(line for line in lines if line))

    async def _look(self, window: Window) -> PageSeen:
        """Wait until the page is calm, and say what is there."""
        reward, ended = 0.0, self._over
        try:
            await self._calm(window)
            if self.options.rules is not None:
                reward, over = await window.tab.run(self.options.rules.outcome(window.tab.page))
                ended = ended or over
            seen = await self._page(window)
        except DialogOpen:
            seen = self._dialog(window)
        self._over = ended
        self._last = replace(seen, reward=reward, done=ended, elements=() if ended else seen.elements)
        return self._last

    async def _calm(self, window: Window) -> None:
        """Wait until nothing changes any more and nothing is loading, at most `settle_seconds`."""
        options = self.options
        if window.tab.dialog is not None:
            raise DialogOpen
        async with _Until(options.settle_seconds):
            while True:
                await window.arrived(options.settle_seconds)
                if window.opened and window.tabs:
                    window.current, window.opened = len(window.tabs) - 1, 0  # as for one who looks on
                tab = window.tab
                cap = {"quiet": options.quiet_ms, "cap": int(options.settle_seconds * 1000)}
                await tab.ask((await tab.frames())[0], "settle", cap)
                await window.heard()
                if not window.is_busy and not window.opened and window.tab is tab:
                    return
                await asyncio.sleep(0.02)

    async def _page(self, window: Window) -> PageSeen:
        tab = window.tab
        nodes: list[Node] = []
        first: dict[str, Any] = {}
        whole = True
        for frame in await tab.frames():
            wish = {
                "skip": list(self.options.skip), "most": self.options.max_nodes, "from": self._highest,
                "chars": 2 * (MAX_VALUE + self.options.reach),  # as JavaScript counts one sign may be two
            }  # fmt: skip
            try:
                found = await tab.ask(frame, "look", wish)
            except ActionError as error:
                if not frame.name or error.kind not in ("page_failed", "browser_gone"):
                    raise
                continue  # the frame was taken away while we looked, one of another site with its process
            first, whole = first or found, whole and bool(found["whole"])
            self._highest = max(self._highest, int(found["last"]))
            nodes += [
                _moved(node_of(row, frame.name, self.options), frame.x, frame.y) for row in found["rows"]
            ]
        hide = self.options.vault.hide
        if self.options.vault.secrets:
            nodes = [without_secrets(node, hide) for node in nodes]
        trouble = trouble_of(first)
        if trouble:
            window.note(f"{trouble}.")
        if not first["ended"]:
            window.note(UNENDED)
        url, title = hide(str(first["url"])), hide(clean(first["title"]))
        notes = tuple(self._shown(note, MAX_NOTE) for note in (*tab.notes, *window.notes))
        tab.notes.clear()
        window.notes.clear()
        if (
            self._last is not None
            and not notes
            and self._last.url == url
            and self._last.nodes == tuple(nodes)
        ):
            notes = self._last.notes
        lines, shown = folded(outline(nodes), self.options.height)
        text = text_of(title, url, (*self._tabs(window), *notes), lines)
        offered = self._offered(window, [node for node in nodes if node.id in shown])
        return PageSeen(
            text, offered, url=url, title=title, nodes=tuple(nodes), notes=notes, whole=whole, trouble=trouble
        )

    def _shown(self, text: str, most: int) -> str:
        """Return the beginning of a text from outside, without secrets and what is not seen."""
        return self.options.vault.hide(self.options.cut(clean(text), most))

    def _hidden(self, error: ActionError) -> ActionError:
        """Return an error in words without secrets."""
        what, why = (self._shown(words, MAX_VALUE) for words in (error.what, error.why))
        return type(error)(what, why=why, mend=error.mend, **_kept(error))

    def _tabs(self, window: Window) -> list[str]:
        if len(window.tabs) < 2:
            return []
        here = window.current + 1
        return [f"{len(window.tabs)} tabs are open; this is tab{here}."]

    def _offered(self, window: Window, nodes: list[Node]) -> tuple[Element, ...]:
        page = Element(PAGE, PAGE, f"this page: {', '.join(allowed(PAGE))}")
        tabs = [
            Element(f"tab{i}", TAB, f"tab {i}")
            for i in range(1, len(window.tabs) + 1)
            if len(window.tabs) > 1
        ]
        acted = elements(node for node in nodes if node.role in ACTED_ON)
        return (page, *tabs, *list(acted)[:MAX_ELEMENTS])

    def _dialog(self, window: Window) -> PageSeen:
        """Show the question of a page in place of the page."""
        dialog = window.tab.dialog
        message = self._shown(dialog.message, MAX_QUESTION) if dialog is not None else ""
        kind = dialog.type if dialog is not None else ""
        url = self.options.vault.hide(window.tab.page.url)
        text = f'Address: {url}\nThe page asks ({kind}): "{message}"\nAccept or dismiss it.'
        asked = Element(DIALOG, DIALOG, f'{kind} "{message}": accept, with words for a prompt, or dismiss')
        return PageSeen(text, (asked,), url=url, dialog=message, prompts=kind == "prompt")


def _moved(node: Node, x: float, y: float) -> Node:
    if not x and not y:
        return node
    return replace(node, box=(node.box[0] + x, node.box[1] + y, node.box[2], node.box[3]))


def _kept(error: ActionError) -> dict[str, Any]:
    plain = type(error) is ActionError
    return {"kind": error.kind, "retriable": error.retriable} if plain else {}


class _Until:
    """Leave a block after some seconds without an error: what is there then is what is seen."""

    def __init__(self, seconds: float) -> None:
        self._limit = asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        await self._limit.__aenter__()

    async def __aexit__(self, *exc: Any) -> bool:
        try:
            await self._limit.__aexit__(*exc)
        except TimeoutError:
            return True
        return False
