"""What can be done in a page, one function each: real presses and keys, so that the page sees a user."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from ddax.environments.browser.secrets import PLACEHOLDER, Vault
from ddax.environments.browser.seen import DIALOG, PAGE, Node
from ddax.environments.browser.tab import Frame, Tab
from ddax.errors import ActionError
from ddax.types import Effect

FOR_KIND: Mapping[str, tuple[str, ...]] = {
    "textbox": ("type", "click", "press", "mark", "scroll", "leave"),
    "searchbox": ("type", "click", "press", "leave"), "spinbutton": ("type", "click", "press", "leave"),
    "combobox": ("select", "click", "type", "press", "leave"),
    "listbox": ("select", "click", "press"), "color": ("type",), "file": ("upload",),
    "slider": ("press", "type", "click", "drag"),
    PAGE: ("back", "scroll", "wait", "extract", "press", "goto", "done"), DIALOG: ("accept", "dismiss"),
    "tab of the browser": ("tab", "close"),
}  # fmt: skip
"""The moves of an element by its kind; any other kind is clicked, hovered, dragged, marked or scrolled."""
OTHERWISE = ("click", "hover", "drag", "mark", "press", "scroll", "extract")
CLICKS: Mapping[str, dict[str, Any]] = {
    "": {}, "double": {"click_count": 2}, "right": {"button": "right"},
    "shift": {}, "control": {},
}  # fmt: skip
MAX_WAIT = 10.0
LOOKS, BETWEEN_LOOKS = 12, 0.04
"""How often, and every how many seconds, it is looked whether an element stays below the pointer."""
KEYS = "A key as Enter, Tab, ArrowDown, a letter, or keys together as Control+A."


class Hand:
    """Moves in one tab; `index` is the number that the page script knows an element by."""

    def __init__(self, tab: Tab, vault: Vault, uploads: Path | None = None) -> None:
        self.tab, self.vault, self.uploads = tab, vault, uploads

    async def frame_of(self, id: str) -> tuple[Frame, int]:
        """Split an id into its frame and its number there."""
        name, _, number = id.rpartition("e")
        for frame in await self.tab.frames():
            if frame.name == name and number.isdigit():
                return frame, int(number)
        raise gone(id)

    async def _point(self, id: str) -> tuple[float, float, dict[str, Any]]:
        frame, index = await self.frame_of(id)
        found = await self.tab.ask(frame, "aim", index)
        if "x" not in found:
            raise _unreachable(id, found)
        return frame.x + found["x"], frame.y + found["y"], found

    async def _under_pointer(self, id: str) -> tuple[float, float]:
        """Hold the pointer over an element until it stays there: some leave for a moment because of it."""
        x, y, _ = await self._point(id)
        for _ in range(LOOKS):
            await self.tab.run(self.tab.page.mouse.move(x, y))
            frame, index = await self.frame_of(id)
            found = await self.tab.ask(frame, "aim", index)
            if "x" in found and abs(frame.x + found["x"] - x) < 1 and abs(frame.y + found["y"] - y) < 1:
                return x, y
            await asyncio.sleep(BETWEEN_LOOKS)
            if "x" in found:
                x, y = frame.x + found["x"], frame.y + found["y"]
        x, y, _ = await self._point(id)
        return x, y

    async def click(self, id: str, value: str) -> None:
        """Press on an element."""
        if value not in CLICKS:
            raise ActionError(
                f"there is no click {value!r}.", why=f"Known are {', '.join(filter(None, CLICKS))}.",
                kind="bad_arguments",
            )  # fmt: skip
        x, y = await self._under_pointer(id)
        held = {"shift": "Shift", "control": "Control"}.get(value)
        if held:
            await self.tab.run(self.tab.page.keyboard.down(held))
        try:
            await self.tab.run(self.tab.page.mouse.click(x, y, **CLICKS[value]))
        finally:
            if held:
                await self.tab.page.keyboard.up(held)

    async def hover(self, id: str, value: str) -> None:
        """Hold the pointer over an element."""
        x, y, _ = await self._point(id)
        await self.tab.run(self.tab.page.mouse.move(x, y, steps=3))

    async def drag(self, id: str, value: str) -> None:
        """Drag an element onto another, or by `dx,dy` pixels."""
        x, y, _ = await self._point(id)
        by = value.split(",")
        if len(by) == 2:
            to_x, to_y = x + _number(by[0]), y + _number(by[1])
        else:
            to_x, to_y, _ = await self._point(value)
            x, y, _ = await self._point(id)
        mouse = self.tab.page.mouse
        await self.tab.run(mouse.move(x, y))
        await self.tab.run(mouse.down())
        await self.tab.run(mouse.move((x + to_x) / 2, (y + to_y) / 2, steps=4))
        await self.tab.run(mouse.move(to_x, to_y, steps=4))
        await self.tab.run(mouse.up())

    async def mark(self, id: str, value: str) -> None:
        """Mark the text of an element, or the part of it that is given."""
        frame, index = await self.frame_of(id)
        found = await self.tab.ask(frame, "mark", index, value)
        if "from" not in found:
            raise _unreachable(id, found)
        mouse = self.tab.page.mouse
        await self.tab.run(mouse.move(frame.x + found["from"][0], frame.y + found["from"][1]))
        await self.tab.run(mouse.down())
        await self.tab.run(mouse.move(frame.x + found["to"][0], frame.y + found["to"][1], steps=5))
        await self.tab.run(mouse.up())

    async def type(self, id: str, value: str) -> None:
        """Write into a field in place of what is there."""
        frame, index = await self.frame_of(id)
        found = await self.tab.ask(frame, "focus", index)
        if "set" not in found:
            raise _unreachable(id, found)
        if found["file"]:
            raise ActionError("files are not handed to pages.", kind="no_such_move")
        text = self._filled(value, found)
        if found["set"]:
            put = await self.tab.ask(frame, "put", index, text)
            if not put.get("value") and text:
                raise ActionError(
                    f"the field {id!r} does not take {value!r}.",
                    mend="Write a date as 2025-03-04, a time as 14:05, a colour as #ff0000.",
                    kind="bad_value",
                )
            return
        if found["held"]:
            await self.tab.run(self.tab.page.keyboard.press("Delete"))
        await self._write(text, one_line=found["kind"] not in ("", "textarea"))

    async def _write(self, text: str, *, one_line: bool) -> None:
        """Write a text key by key, but for its line ends: the Enter key would send a form.

        A field of one line gets a space for each, as by the paste of a browser.
        """
        keyboard, lines = self.tab.page.keyboard, re.split(r"\r\n?|\n", text)
        for place, line in enumerate([" ".join(lines)] if one_line else lines):
            if place:
                await self.tab.run(keyboard.insert_text("\n"))
            await self.tab.run(keyboard.type(line))

    def _filled(self, value: str, found: dict[str, Any]) -> str:
        if not PLACEHOLDER.search(value):
            return value
        scheme = "https" if found["secure"] else "http"
        action = str(found["action"])
        url = f"{scheme}://{found['host']}/"
        return self.vault.fill(value, url=url, top=self.tab.page.url, action=action)

    async def upload(self, id: str, value: str) -> None:
        """Hand files of the folder for uploads to a field for files; several are divided by `|`."""
        paths = [await asyncio.to_thread(file_of, self.uploads, name) for name in value.split("|")]
        frame, index = await self.frame_of(id)
        await self.tab.hand_over(frame, index, [str(path) for path in paths])

    async def press(self, id: str, value: str) -> None:
        """Press a key, in an element where one is named."""
        if id and id != PAGE:
            frame, index = await self.frame_of(id)
            await self.tab.ask(frame, "focus", index)
        if not value:
            raise ActionError("press needs a key.", mend=KEYS, kind="bad_arguments")
        await self.tab.run(self.tab.page.keyboard.press(value))

    async def leave(self, id: str, value: str) -> None:
        """Take the focus from a field, as one who is done with it: many pages take a value only then."""
        frame, index = await self.frame_of(id)
        if "gone" in await self.tab.ask(frame, "leave", index):
            raise gone(id)

    async def select(self, id: str, value: str) -> None:
        """Choose an option by its words; several are divided by `|`."""
        frame, index = await self.frame_of(id)
        found = await self.tab.ask(frame, "choose", index, value.split("|"))
        if "missing" in found:
            raise ActionError(
                f"there is no option {found['missing']!r}.",
                why=f"Known are {', '.join(found['known'])}.",
                kind="no_such_option",
            )
        if "chosen" not in found:
            raise _unreachable(id, found)

    async def scroll(self, id: str, value: str) -> None:
        """Scroll an element or the page: down, up, top, bottom; or an element into view."""
        how = value or ("down" if id == PAGE else "into view")
        frame, index = ((await self.tab.frames())[0], 0) if id == PAGE else await self.frame_of(id)
        found = await self.tab.ask(frame, "scroll", index, how)
        if "gone" in found:
            raise gone(id)

    async def back(self, id: str, value: str) -> None:
        """Go back to the page before."""
        if not await self.tab.has_before():
            raise ActionError("there is no page before this one.", kind="no_such_move")
        await self.tab.run(self.tab.page.go_back(wait_until="commit", timeout=self.tab.seconds * 1000))

    async def wait(self, id: str, value: str) -> None:
        """Wait some seconds, at most 10."""
        await asyncio.sleep(min(MAX_WAIT, max(0.0, _number(value or "1"))))


Done = Callable[[Hand, str, str], Awaitable[None]]
HANDS: Mapping[str, Done] = {
    "click": Hand.click, "hover": Hand.hover, "drag": Hand.drag, "mark": Hand.mark, "type": Hand.type,
    "press": Hand.press, "leave": Hand.leave, "select": Hand.select, "scroll": Hand.scroll,
    "back": Hand.back, "wait": Hand.wait, "upload": Hand.upload,
}  # fmt: skip
"""The moves inside a tab; those of tabs, dialogs and the world as a whole are the world's."""


def allowed(kind: str) -> tuple[str, ...]:
    """Return the moves an element of a kind offers."""
    return FOR_KIND.get(kind, OTHERWISE)


def guessed_effect(name: str, node: Node | None, value: str) -> Effect:
    """Say what a move may do outside, before anything is known of it.

    A link and a form that asks (GET) read; any other button may write, and so may a pressed Enter.
    """
    if name in ("goto", "back", "tab"):
        return "reads"
    if name == "accept":
        return "writes"
    asks = node is not None and node.form[1] == "get"
    if name == "press" and value.split("+")[-1] in ("Enter", "Space"):
        return "reads" if asks or (node is not None and node.role == "link") else "writes"
    if name == "click" and node is not None:
        if node.role == "link":
            return "reads"
        if node.role == "button":
            return "reads" if asks else "writes"
        return (
            "none" if node.role in ("checkbox", "radio", "tab", "textbox", "combobox", "text") else "writes"
        )
    return "writes" if name in ("drag", "upload") else "none"


def file_of(folder: Path | None, name: str) -> Path:
    """Return a file of the folder for uploads by its name; raises ActionError for any other."""
    if folder is None:
        raise ActionError(
            "files are not handed to pages.", why="No folder for uploads is named.",
            mend="Name the folder that files may be taken from: browser.uploads.", kind="no_such_move",
        )  # fmt: skip
    top, path = folder.resolve(), (folder / name).resolve()
    if not path.is_relative_to(top) or not path.is_file():
        raise ActionError(
            f"there is no file {name!r} to hand over.",
            why="Files come from the folder browser.uploads alone.",
            kind="no_such_file",
        )
    return path


def gone(id: str) -> ActionError:
    """Return the error of an element that is not there any more."""
    return ActionError(
        f"there is no element {id!r} on the page.", mend="Look again, and name one that is there.",
        kind="no_such_move",
    )  # fmt: skip


def _unreachable(id: str, found: dict[str, Any]) -> ActionError:
    if "gone" in found:
        return gone(id)
    if "covered" in found:
        return ActionError(
            f"{id!r} cannot be pressed.", why=f"{found['covered']!r} lies over it.", kind="covered"
        )
    if "readonly" in found:
        return ActionError(f"{id!r} cannot be written into.", kind="read_only")
    if "notone" in found:
        return ActionError(f"{id!r} has no options.", mend="Click it.", kind="no_such_move")
    return ActionError(f"{id!r} is not shown.", mend="Scroll to it.", kind="hidden")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as exc:
        raise ActionError(f"{text!r} is no number.", kind="bad_arguments") from exc
