"""The leaf action `browse`: carry out a task in the browser without a model, or read what answers it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from hashlib import sha256

from pydantic import BaseModel, ConfigDict, Field

from ddax.actions.pages import ABOUT, cut_page
from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.configs.secrets import Redactor
from ddax.environments.actions import REFUSED_PAGES, UNENDED_PAGES
from ddax.environments.browser.seen import UNENDED, Node, PageSeen
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.pilot.disclose import LEAVE, disclosed, shared, telling
from ddax.environments.pilot.drivers.table import DRIVERS
from ddax.environments.pilot.orders.grammar import is_question
from ddax.environments.pilot.pilot import Pilot, Report
from ddax.environments.pilot.telling import all_told
from ddax.environments.protocol import Move
from ddax.errors import UNDONE, ActionError
from ddax.types import Document
from ddax.wording import amount

READS = 4
"""Pages read for a question at most."""
WRITES = "--browser-writes"
"""The flag that lets a page send data."""
SAID = 200
"""Characters told of what a page says and of what it did by itself."""
NOTED = 160
"""Of these, characters of what it did by itself at most."""
DID = 400
"""Characters told of what was pressed and written before an order failed."""


class BrowseArguments(BaseModel):
    """What to do in the browser, in words; as the task says it where nothing is given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: str = Field(default="", max_length=4000)


@dataclass
class Browsing:
    """The action over one browser; its calls take turns, and each begins in an empty profile."""

    world: BrowserWorld
    seed: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def action(self, *, told: bool = False) -> Action:
        """Return the action; `told` says that the user wants pages to be written to."""
        doc = "Carry out a task in the browser by its words, and keep what the pages say."
        return Action("browse", self._browse, BrowseArguments, self.world.effect, doc, told=told)

    async def _browse(self, context: ActionContext, arguments: BrowseArguments) -> ActionResult:
        task = arguments.task or context.task_text
        async with self.turn:
            seen = await self.world.reset(seed=self.seed)
            if is_question(task):
                return await self._read(context, task, seen)
            return await self._do(context, task)

    async def _do(self, context: ActionContext, task: str) -> ActionResult:
        """Carry out orders; raises ActionError where one could not be."""
        report = await Pilot(self.world, DRIVERS, cut=context.redactor.cut).run(task)
        page = await self._page(report.seen)
        noted = _noted(report, context.redactor)
        said = context.redactor.cut(" ".join(page.text.split()), SAID - len(noted))
        if not report.ok or not (report.moves or report.settled or report.answers):
            what = "; ".join(report.failed) or "nothing on the page answers to the task"
            did = context.redactor.cut(all_told(report.did), DID)
            why = f"{did}{noted}The page is {page.title!r}, and says: {said}"
            mend = f"{report.mend or 'Say it in the words of the page'}, or use a language model."
            if WRITES in f"{what}{noted}":
                mend = f"Where the page may send it, allow that with {WRITES}."
            raise ActionError(f"not carried out: {what}.", why=why, mend=mend, kind=UNDONE)
        count = len(report.moves)
        done = f"Done in {amount(count, 'move')}" if count else "It was so already"
        answers = "".join(f"{answer.rstrip('.')}. " for answer in report.answers)
        summary = f"{done}. {answers}{noted}{page.title or page.source} now says: “{said}”"
        return ActionResult(
            summary,
            records=await cut_page(context, page, about=task[:ABOUT], kind="world"),
            pages=(page,),
            sources=(page.source,),
        )

    async def _read(self, context: ActionContext, task: str, seen: PageSeen) -> ActionResult:
        """Read the page and what its likeliest links lead to."""
        await self._note(context, seen)
        seen, page = await self._opened(task, seen)
        pages = [page]
        tried: set[str] = set()
        for _ in range(READS - 1):
            link = self._likeliest(seen, task, tried)
            if link is None:
                break
            tried.add(link.href.split("#")[0])
            try:
                seen = await self.world.act(Move("click", link.id))
            except ActionError as error:
                if error.kind not in LEAVE:
                    raise
                seen = await self.world.observe()
                continue
            await self._note(context, seen)
            seen, found = await self._opened(task, seen)
            if all(found.source != page.source for page in pages):
                pages.append(found)
        parts = [await cut_page(context, page, about=task[:ABOUT]) for page in pages]
        records = tuple(record for part in parts for record in part)
        summary = f"Read {amount(len(pages), 'page')}: {', '.join(page.title for page in pages)}"
        summary = context.redactor.cut(summary, 400)
        return ActionResult(summary, records, tuple(pages), tuple(page.source for page in pages))

    async def _note(self, context: ActionContext, seen: PageSeen) -> None:
        """Log a page that had not ended, or is not the one asked for, to be told where no answer is found."""
        row, key = {"task": context.task, "source": seen.url}, f"{context.task}:{seen.url}"
        if UNENDED in seen.notes:
            await context.memory.log(UNENDED_PAGES, row, key=key)
        if seen.trouble:
            await context.memory.log(REFUSED_PAGES, {**row, "why": seen.trouble}, key=key)

    def _likeliest(self, seen: PageSeen, task: str, tried: set[str]) -> Node | None:
        """Return the link whose words answer best to a task; None where none has a word of it."""
        words = telling(task)
        here = seen.url.split("#")[0]
        links = [n for n in seen.nodes if n.role == "link" and n.href.split("#")[0] not in {*tried, here, ""}]
        best = max(links, key=lambda n: shared(n.name, words), default=None)
        return best if best is not None and shared(best.name, words) > 0 else None

    async def _opened(self, task: str, seen: PageSeen) -> tuple[PageSeen, Document]:
        """Read a page with what it hides, as far as that has no effect."""
        if seen.dialog or seen.done:
            return seen, await self._page(seen)
        after, text = await disclosed(self.world, seen, task)
        return after, _document(seen, text)

    async def _page(self, seen: PageSeen) -> Document:
        if seen.dialog:
            return _document(seen, seen.text)
        return _document(seen, "\n\n".join((await self.world.extract()).splitlines()))


def _noted(report: Report, redactor: Redactor) -> str:
    """Return what the page did by itself as sentences, but for what failed by it."""
    failed = "; ".join(report.failed)
    notes = [note.rstrip(".") for note in report.notes]
    told = "".join(f"{note[:1].upper()}{note[1:]}. " for note in notes if note and note not in failed)
    return told if len(told) <= NOTED else f"{redactor.cut(told, NOTED - 2)}… "


def _document(seen: PageSeen, text: str) -> Document:
    doc_id = sha256(f"{seen.url}\n{text}".encode()).hexdigest()[:16]
    return Document(doc_id, seen.url, seen.title or seen.url, text or seen.text)
