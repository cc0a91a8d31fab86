"""What a LangGraph server is given beside the graph: who may come in, and where checkpoints lie.

Named in `langgraph.server.json`. A caller has an API key and sees its own threads alone. Leaves out
everything a server does itself.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from langgraph_sdk import Auth

from ddax.errors import UsageError

if TYPE_CHECKING:
    from ddax.graph.savers.pruning import Store

KEYS = "DDAX_API_KEYS"
MIN_KEY = 16
"""Characters of a key at least."""
READS = ("read", "search")

auth = Auth()


def read_keys(text: str) -> Mapping[str, str]:
    """Return the keys by the name of their owner, from `name:key` with commas; raises UsageError."""
    found: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, colon, key = part.partition(":")
        if not colon or not name or len(key) < MIN_KEY or name in found:
            raise UsageError(
                f"{KEYS}: the entry of {name[:20]!r} cannot be used.",
                why=f"Each is NAME:KEY with a name of its own and {MIN_KEY} characters of key at least.",
                mend="Make a key: python -c 'import secrets; print(secrets.token_urlsafe(32))'",
            )
        found[name] = key
    return found


def owner_of(key: str, keys: Mapping[str, str]) -> str:
    """Return whose key it is, "" where it is nobody's; takes as long for each."""
    given = key.encode()
    owners = [name for name, known in keys.items() if hmac.compare_digest(known.encode(), given)]
    return owners[0] if owners else ""


@auth.authenticate
async def authenticate(headers: Mapping[Any, Any]) -> Auth.types.MinimalUserDict:
    """Let in whoever brings a key, as `x-api-key` or as a bearer; nobody where no key is set."""
    given = {_text(name).lower(): _text(value) for name, value in headers.items()}
    key = given.get("x-api-key") or given.get("authorization", "").removeprefix("Bearer ").strip()
    owner = owner_of(key, read_keys(os.environ.get(KEYS, ""))) if key else ""
    if not owner:
        raise Auth.exceptions.HTTPException(status_code=401, detail="An API key is needed.")
    return {"identity": owner, "is_authenticated": True}


@auth.on
async def own_things(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> Any:
    """Mark what is made with its owner, and show each owner its own; nobody without a key has any.

    The development server lets a page in that says it is Studio, whatever its files say of keys.
    """
    if ctx.user.identity not in read_keys(os.environ.get(KEYS, "")):
        return False
    if ctx.resource == "assistants":
        return None if ctx.action in READS else False
    if ctx.resource == "store":
        namespace = tuple(value.get("namespace") or ())
        value["namespace"] = (
            namespace if namespace[:1] == (ctx.user.identity,) else (ctx.user.identity, *namespace)
        )
        return None
    mine = {"owner": ctx.user.identity}
    value.setdefault("metadata", {}).update(mine)  # in place: the server goes on with this very object
    return mine


@asynccontextmanager
async def checkpointer() -> AsyncIterator[Store]:
    """Open the checkpoints that the environment names: Postgres, or the SQLite file of the home."""
    import asyncio

    from ddax.graph.savers import open_store
    from ddax.memory.home import Home

    home = await asyncio.to_thread(lambda: Home.from_environ(os.environ).ensure())
    async with open_store(home.checkpoints, os.environ) as store:
        yield store


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
