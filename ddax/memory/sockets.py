"""The way to a memory that another process of this machine owns: a socket in a folder of its own.

Only the user who owns the folder can reach the socket.
"""

from __future__ import annotations

import asyncio
import shutil
import struct
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ddax.errors import StorageError
from ddax.memory.remote import Answer, Call, Send
from ddax.memory.wire import read, written

_SIZE = struct.Struct(">Q")
_BACKLOG = 1024
"""Calls that may wait to be let in: every leaf of every task may call at once."""


@asynccontextmanager
async def serving(answer: Send) -> AsyncIterator[str]:
    """Answer calls until the block ends; yields the address."""

    async def on_call(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _write(writer, await answer(await _read(reader)))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # whoever asked has been killed; there is nobody left to tell
        finally:
            writer.close()

    # A short path of its own: a socket's may not be longer than some hundred characters.
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="ddax-"))
    try:
        address = str(folder / "memory")
        server = await asyncio.start_unix_server(on_call, address, backlog=_BACKLOG)
        try:
            yield address
        finally:
            server.close()
            await server.wait_closed()
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def send_to(address: str) -> Send:
    """Return the way to the memory that is served at an address."""

    async def send(call: Call) -> Answer:
        try:
            reader, writer = await asyncio.open_unix_connection(address)
            try:
                await _write(writer, call)
                answer: Answer = await _read(reader)
                return answer
            finally:
                writer.close()
        except (OSError, asyncio.IncompleteReadError) as error:
            raise StorageError(
                "The memory of the batch does not answer.",
                why=f"Its process ended the call: it is gone or failed ({type(error).__name__}).",
                mend="Run the same command again with --resume.",
            ) from error

    return send


async def _write(writer: asyncio.StreamWriter, value: Any) -> None:
    data = written(value)
    writer.write(_SIZE.pack(len(data)) + data)
    await writer.drain()


async def _read(reader: asyncio.StreamReader) -> Any:
    (size,) = _SIZE.unpack(await reader.readexactly(_SIZE.size))
    return read(await reader.readexactly(size))
