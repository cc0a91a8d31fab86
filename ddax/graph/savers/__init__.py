"""Open the checkpoint store: SQLite in the home, or Postgres for several machines.

`DDAX_CHECKPOINTS` names a Postgres (`postgresql://…`); `DDAX_ENCRYPTION_KEY` encrypts what SQLite
stores. Both are environment variables and no settings, because settings are written into every run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ddax.configs.secrets import Redactor
from ddax.errors import UsageError
from ddax.graph.savers.serializing import serializer

if TYPE_CHECKING:
    from ddax.graph.savers.pruning import Store

SCHEMES = ("postgresql://", "postgres://")


@asynccontextmanager
async def open_store(
    path: Path, environ: Mapping[str, str], *, reading: bool = False
) -> AsyncIterator[Store]:
    """Open the store that the environment names, by default the SQLite file at a path.

    With `reading` SQLite is opened so that it cannot be written; Postgres is asked nothing but reads.
    Raises UsageError for an address or key that cannot be used, StateError for a damaged file,
    StorageError for a bad disk or a server that does not answer.
    """
    address, key = environ.get("DDAX_CHECKPOINTS", ""), environ.get("DDAX_ENCRYPTION_KEY", "")
    redactor = await asyncio.to_thread(Redactor.from_environ, environ, dotenv=Path(".env"))
    if not address:
        from ddax.graph.savers.sqlite import open_sqlite, open_sqlite_reading

        async with (open_sqlite_reading if reading else open_sqlite)(
            path, serializer(key, redactor)
        ) as store:
            yield store
        return
    if not address.startswith(SCHEMES):
        raise UsageError(
            "DDAX_CHECKPOINTS is no Postgres address.",
            why=f"It begins with {address.split(':')[0][:20]!r}.",
            mend="Write postgresql://USER:PASSWORD@HOST/DATABASE, or unset it for SQLite in the home.",
        )
    if key:
        raise UsageError(
            "DDAX_ENCRYPTION_KEY works with SQLite only.",
            why="Postgres keeps short values beside the encrypted ones, in the open.",
            mend="Let the server encrypt its disk, and unset the key.",
        )
    from ddax.graph.savers.postgres import open_postgres

    async with open_postgres(address, serializer("", redactor)) as store:
        yield store
