"""The action `search`: find documents in the sources of the task."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ddax.actions.protocol import ActionContext, ActionResult, Library
from ddax.actions.registry import action
from ddax.actions.unsearched import hearing, keep_unsearched
from ddax.configs.secrets import Redactor
from ddax.errors import ActionError
from ddax.types import Hit, Record
from ddax.wording import amount


class SearchArguments(BaseModel):
    """What to search for; `intent` steers the ranking."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: str = Field(min_length=1)
    intent: str = ""
    k: int = Field(10, ge=1, le=50)


def at_home(library: Library, arguments: SearchArguments) -> bool:
    """Tell whether a query stays here: it does where the library asks nobody outside."""
    return not library.outside


@action(effect="reads", inside=at_home, unsent=("intent", "k"))
async def search(context: ActionContext, arguments: SearchArguments) -> ActionResult:
    """Find documents in the sources by words and by meaning."""
    with hearing() as missed:
        hits = await context.library.search(arguments.query, intent=arguments.intent, k=arguments.k)
    await keep_unsearched(context, missed)
    if not hits:
        raise ActionError(
            f"nothing in {context.library.describe()} matches {arguments.query[:80]!r}.", kind="nothing_found"
        )
    names = "; ".join(hit.title for hit in hits[:5])
    record = Record(
        "observation",
        _listing(arguments.query, hits, context.redactor),
        title=f"search: {arguments.query[:80]}",
        task=context.task,
        idea=context.idea,
        step=context.step,
        created=context.now,
        meta={"kind": "search"},
    )
    return ActionResult(
        f"{amount(len(hits), 'document')}, first: {names}", records=(record,), hits=tuple(hits)
    )


def _listing(query: str, hits: list[Hit], redactor: Redactor) -> str:
    rows = [f"{hit.title}: {redactor.cut(' '.join(hit.snippet.split()), 200)}" for hit in hits[:10]]
    return "\n".join([f"search for {query[:200]}", *rows])
