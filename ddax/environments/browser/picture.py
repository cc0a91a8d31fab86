"""A picture of a page without the secrets in it: what holds one is shown as dots while it is taken.

Every text of the page is brought here and looked through, so that no secret goes into a page to be looked
for. What a page draws by itself, as on a canvas, is not text and is not covered.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any, Literal

from ddax.configs.secrets import Redactor
from ddax.environments.browser.secrets import Vault
from ddax.environments.browser.tab import DialogOpen, Frame, Tab
from ddax.errors import ActionError
from ddax.types import Picture

MAX_BYTES = 500_000
"""A larger picture is not sent."""
MAX_TEXT = 2_000_000
"""Characters of a frame beyond which nobody says that no secret is in sight."""
QUALITIES = (70, 35)
MISSING = frozenset({"timeout", "page_failed", "browser_gone", "no_picture"})
"""Ways a picture may fail for which the text has to do."""


class Camera:
    """Takes pictures of one tab at a time."""

    def __init__(self, vault: Vault, redactor: Redactor) -> None:
        self._vault, self._redactor = vault, redactor

    async def picture(self, tab: Tab, width: int, height: int) -> Picture | None:
        """Return a JPEG of at most `MAX_BYTES`; None where there is none without a secret."""
        data = b""
        try:
            async with self._covered(tab):
                for quality in QUALITIES:
                    data = await _shot(tab, "jpeg", quality)
                    if len(data) <= MAX_BYTES:
                        break
        except DialogOpen:
            return None
        except ActionError as error:
            if error.kind not in MISSING:
                raise
            return None
        if len(data) > MAX_BYTES:
            return None
        return Picture(sha256(data).hexdigest(), width, height, data)

    async def png(self, tab: Tab) -> bytes:
        """Return a PNG; raises ActionError (`no_picture`) where a secret could be seen in it."""
        async with self._covered(tab):
            return await _shot(tab, "png", None)

    @asynccontextmanager
    async def _covered(self, tab: Tab) -> AsyncIterator[None]:
        """Cover what holds a secret; raises ActionError where that cannot be made sure."""
        before, frames = await self._cover(tab)
        try:
            yield
            if (await self._holding(tab))[0] != before:
                raise _unsure("The page changed while the picture was taken.")
        finally:
            for frame in frames:
                await tab.ask(frame, "unveil")

    async def _cover(self, tab: Tab) -> tuple[list[str], list[Frame]]:
        held, rows = await self._holding(tab)
        covered = [frame for frame, indexes in rows if indexes]
        for frame, indexes in rows:
            if indexes:
                await tab.ask(frame, "veil", indexes)
        return held, covered

    async def _holding(self, tab: Tab) -> tuple[list[str], list[tuple[Frame, list[int]]]]:
        """Return the texts that hold a secret, and where they stand by frame."""
        rows: list[tuple[Frame, list[int]]] = []
        held: list[str] = []
        frames = await tab.frames()
        if self._vault.secrets and len(tab.page.frames) > len(frames):
            raise _unsure("Some frames cannot be looked into.")
        for frame in frames:
            found = await tab.ask(frame, "texts", MAX_TEXT)
            if not found["whole"]:
                raise _unsure("The page has too much text to be looked through.")
            indexes, sure = await asyncio.to_thread(self._looked, found["rows"])
            if not sure:
                raise _unsure("One stands in several pieces.")
            rows.append((frame, indexes))
            held += [found["rows"][n][1] for n in indexes]
        return held, rows

    def _looked(self, texts: list[tuple[int, str]]) -> tuple[list[int], bool]:
        """Return which texts hold a secret, and whether the rest of them together holds none."""
        if not self._holds("".join(text for _, text in texts)):
            return [], True
        found = {index: text for index, text in texts if self._holds(text)}
        rest = "".join(text for index, text in texts if index not in found)
        return list(found), not self._holds(rest)

    def _holds(self, text: str) -> bool:
        return self._vault.holds(text) or self._redactor.text(text) != text


async def _shot(tab: Tab, form: Literal["jpeg", "png"], quality: int | None) -> bytes:
    more: dict[str, Any] = {} if quality is None else {"quality": quality}
    wait = tab.seconds * 1000
    return await tab.run(tab.page.screenshot(type=form, scale="css", timeout=wait, **more))


def _unsure(why: str) -> ActionError:
    return ActionError(
        "no picture is taken: a secret could be seen in it.",
        why=why,
        mend="Read the text.",
        kind="no_picture",
    )
