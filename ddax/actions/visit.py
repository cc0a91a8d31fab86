"""The action `visit`: read one document whole, keep it, and note what it mentions.

The page is kept by content hash; the chunks that bear on the intent become observations. Titles of
other documents named in the page are returned as hits: what the first finding names can be visited
next.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ddax.actions.pages import ABOUT, cut_page
from ddax.actions.protocol import ActionContext, ActionResult, Library
from ddax.actions.registry import action
from ddax.errors import ActionError
from ddax.wording import gist


class VisitArguments(BaseModel):
    """The document to read, by path or URI."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(min_length=1)
    intent: str = ""


def at_home(library: Library, arguments: VisitArguments) -> bool:
    """Tell whether a document is among the sources, so that nobody outside is asked for it."""
    remote = arguments.source.lower().startswith(("http://", "https://"))
    return not remote or arguments.source in library.specs


@action(effect="reads", inside=at_home)
async def visit(context: ActionContext, arguments: VisitArguments) -> ActionResult:
    """Read one document and keep what bears on the intent."""
    page = await context.library.read(arguments.source)
    if not page.text.strip():
        raise ActionError(f"{arguments.source!r} holds no text.", kind="empty")
    mentioned = await context.library.mentioned(page.text)
    hits = tuple(hit for hit in mentioned if hit.source != page.source)
    summary = f"{page.title}: {context.redactor.cut(' '.join(page.text.split()), 200)}"
    return ActionResult(
        summary,
        records=await cut_page(context, page, about=f"{gist(context.task_text, ABOUT)} {arguments.intent}"),
        pages=(page,),
        sources=(page.source,),
        hits=hits,
    )
