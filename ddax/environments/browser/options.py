"""How a browser is opened, and who says when its task is over."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ddax.configs.secrets import Redactor
from ddax.environments.browser.secrets import Vault

if TYPE_CHECKING:
    from playwright.async_api import Page


class Rules(Protocol):
    """What a page of tasks adds to a browser: how one is begun, and what it brought."""

    async def begin(self, page: Page, seed: int) -> None:
        """Begin the task of a seed on the page that was just opened."""
        ...

    async def outcome(self, page: Page) -> tuple[float, bool]:
        """Return the reward so far, and whether the task has ended."""
        ...


@dataclass(frozen=True)
class BrowserOptions:
    """How a browser behaves.

    `writes` lets pages send more than questions (POST and its like); without it such a request is refused,
    so that the browser only reads. `sandbox` says that nothing outside comes of any move: a site that was
    put up for the purpose. `skip` are CSS selectors of what is not looked at. `downloads` is the folder
    that files are kept in; without one they are named and dropped. `uploads` is the folder whose files may
    be handed to pages; without one none is.
    """

    writes: bool = False
    sandbox: bool = False
    width: int = 1280
    height: int = 800
    max_tabs: int = 8
    max_nodes: int = 12_000
    move_seconds: float = 20.0
    quiet_ms: int = 60
    settle_seconds: float = 3.0
    """How long a page is given to be calm: loaded, unchanged for `quiet_ms`, saying no more that it loads."""
    end_seconds: float = 10.0
    """How long the HTML of a page that is opened by its address may take; then what came of it is read."""
    max_download: int = 50_000_000
    skip: tuple[str, ...] = ()
    downloads: Path | None = None
    uploads: Path | None = None
    vault: Vault = field(default_factory=Vault)
    redactor: Redactor = field(default_factory=Redactor)
    """What finds the secrets of the process, which are not to be seen in a picture."""
    rules: Rules | None = None

    @property
    def reach(self) -> int:
        """Return how many characters behind a cut show whether a secret stands there."""
        return max(self.vault.reach, self.redactor.reach)

    def cut(self, text: str, most: int) -> str:
        """Return the beginning of a text; a secret that stands at the cut is left out whole."""
        if len(text) <= most:
            return text
        place = most
        while (before := self.vault.place(text, self.redactor.place(text, place))) < place:
            place = before
        return f"{text[:place]}…"
