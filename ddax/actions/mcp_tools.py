"""Tools of MCP servers as actions: off by default, and each command or address is approved first.

Each call starts the server anew and ends it, with none of our variables, or opens a session of its own
at the address, through the guard of what goes out. Its tools write unless the settings say that they
read, whatever the server says of itself.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shlex
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ddax.actions.egress import EgressPolicy
from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.actions.schemas import model_of
from ddax.actions.signatures import result_of
from ddax.actions.web.proxy import egress_proxy
from ddax.configs.secrets import Redactor
from ddax.errors import ActionError, UsageError
from ddax.memory.files import locked, read_json, write_atomic
from ddax.memory.gate.instructions import without_orders
from ddax.memory.home import safe_name
from ddax.types import Effect

START_SECONDS = 60.0
"""How long a server may take to start and say what it has."""
APPROVED = "mcp.json"
"""The file of a home that holds which commands a human approved, by their hash."""
Run = Callable[[ActionContext, Any], Awaitable[ActionResult]]


@dataclass(frozen=True)
class Server:
    """An MCP server by its name and the words of its command, or its address as the only word."""

    name: str
    words: tuple[str, ...]

    @property
    def address(self) -> str:
        """Return where it is reached over HTTP; empty where it is a command."""
        return self.words[0] if re.match(r"(?i)https?://", self.words[0]) else ""

    @property
    def token(self) -> str:
        """Return the variable that may hold its bearer token: MCP_TOKEN_NAME."""
        return f"MCP_TOKEN_{re.sub(r'[^A-Z0-9]', '_', self.name.upper())}"

    @property
    def command(self) -> str:
        """Return the command as a shell would take it, or the address."""
        return shlex.join(self.words)

    @property
    def digest(self) -> str:
        """Return the hash that an approval is bound to."""
        return sha256("\0".join((self.name, *self.words)).encode("utf-8", "replace")).hexdigest()


def server_of(spec: str) -> Server:
    """Read 'NAME=COMMAND ARGUMENTS' or 'NAME=https://HOST/PATH'; raises UsageError."""
    name, _, command = spec.partition("=")
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"The MCP server {spec!r} cannot be read.", why=f"{error}.", mend=_FORM) from error
    if not words or ("://" in words[0] and not Server("", words).address):
        raise UsageError(
            f"The MCP server {spec!r} names no command and no address.",
            why="It is started by a command, or reached at an address.",
            mend=_FORM,
        )
    if "://" in words[0] and len(words) > 1:
        raise UsageError(
            f"The MCP server {spec!r} has words behind its address.",
            why="Only a command takes words.",
            mend=_FORM,
        )
    return Server(safe_name(name.strip()), words)


def approved(home: Path, server: Server) -> bool:
    """Tell whether a human approved exactly this command under this name."""
    return (read_json(home / APPROVED) or {}).get(server.digest) == server.name


def approve(home: Path, server: Server) -> None:
    """Keep that a human approved this command; the command itself may hold a key, and is not written."""
    import json

    path = home / APPROVED
    with locked(path):
        known = {**(read_json(path) or {}), server.digest: server.name}
        write_atomic(path, json.dumps(known, indent=1, sort_keys=True) + "\n")


async def mcp_actions(
    specs: Sequence[str], home: Path, *, policy: EgressPolicy, reads: Sequence[str] = ()
) -> tuple[Action, ...]:
    """Return the tools of the servers as actions named NAME_TOOL; `policy` says where addresses may lead.

    Raises UsageError for a server that nobody approved, that cannot be started or is not understood.
    """
    servers = [server_of(spec) for spec in specs]
    for server in servers:
        if not await asyncio.to_thread(approved, home, server):
            raise UsageError(
                f"The MCP server {server.name!r} is not approved.",
                why=f"It would {'send to' if server.address else 'run'}: {server.command}",
                mend=f"Look at it, then: ddax actions --approve {server.name}",
            )
    found = [action for server in servers for action in await _tools(server, policy, reads)]
    return tuple(found)


async def _tools(server: Server, policy: EgressPolicy, reads: Sequence[str]) -> list[Action]:
    try:
        async with asyncio.timeout(START_SECONDS), _session(server, policy) as session:
            tools = (await session.list_tools()).tools
    except UsageError:
        raise
    except Exception as error:  # of the process, the protocol and its task groups: all say the same here
        raise UsageError(
            f"The MCP server {server.name!r} cannot be used.",
            why=f"{server.command}: {await _cause(error)}",
            mend="Look at the server by hand; a private address has to be named in allow_hosts."
            if server.address
            else "Run the command by hand and look at what it says.",
        ) from error
    return [action for tool in tools if (action := _usable(server, policy, tool, reads)) is not None]


def _usable(server: Server, policy: EgressPolicy, tool: Any, reads: Sequence[str]) -> Action | None:
    """Return a tool as an action; None, with a warning, where its schema cannot be used."""
    try:
        return _action(server, policy, tool, reads)
    except UsageError as error:
        logging.getLogger("ddax").warning(
            "the tool %r of the MCP server %r is left out: %s", tool.name, server.name, error.why
        )
        return None


def _action(server: Server, policy: EgressPolicy, tool: Any, reads: Sequence[str]) -> Action:
    name = f"{server.name}_{tool.name}"
    schema = getattr(tool, "input_schema", None) or getattr(tool, "inputSchema", None) or {}
    effect: Effect = "reads" if name in reads else "writes"
    doc = without_orders(" ".join((tool.description or "").split())[:300])
    brings = (f"tool:{server.name}",)
    return Action(
        name, _running(server, policy, tool.name), model_of(name, schema), effect, doc, brings=brings,
        origin=f"MCP server {server.name}", described=(f"web:{server.name}",),
        about=tool.description or "", schema=schema,
    )  # fmt: skip


def _running(server: Server, policy: EgressPolicy, tool: str) -> Run:
    async def run(context: ActionContext, arguments: BaseModel) -> ActionResult:
        """Open a session, call the tool, and end the session."""
        given = arguments.model_dump(mode="json", exclude_unset=True, by_alias=True)
        try:
            async with _session(server, policy) as session:
                found = await session.call_tool(tool, given)
        except Exception as error:  # mapped here once, as above
            raise ActionError(
                f"the MCP server {server.name!r} failed.", why=await _cause(error), kind="mcp"
            ) from error
        text = "\n".join(part.text for part in found.content if getattr(part, "text", None))
        if getattr(found, "is_error", getattr(found, "isError", False)):
            raise ActionError(f"{server.name}_{tool} failed: {context.redactor.cut(text, 400)}", kind="tool")
        return await result_of(text or None, f"{server.name}_{tool}", context)

    return run


@asynccontextmanager
async def _session(server: Server, policy: EgressPolicy) -> AsyncIterator[Any]:
    """Open a session with a server, and end it."""
    try:
        mcp = import_module("mcp")
    except ImportError as error:
        raise UsageError(
            "The package for MCP is not installed.",
            why="It comes with an extra, which is not installed.",
            mend="Install it: pip install 'ddax[mcp]'",
        ) from error
    streams = _reached(server, policy) if server.address else _started(server)
    async with streams as (read, write), mcp.ClientSession(read, write) as session:
        await session.initialize()
        yield session


@asynccontextmanager
async def _started(server: Server) -> AsyncIterator[tuple[Any, Any]]:
    """Start a server as a process of ours, and end it."""
    stdio = import_module("mcp.client.stdio")
    words = stdio.StdioServerParameters(command=server.words[0], args=list(server.words[1:]))
    with open(os.devnull, "w") as silent:
        async with stdio.stdio_client(words, errlog=silent) as (read, write):
            yield read, write


@asynccontextmanager
async def _reached(server: Server, policy: EgressPolicy) -> AsyncIterator[tuple[Any, Any]]:
    """Reach a server at its address, with the guard of what goes out as the only way."""
    http, httpx = import_module("mcp.client.streamable_http"), import_module("httpx2")
    token = os.environ.get(server.token, "")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    given = {"trust_env": False, "headers": headers, "timeout": START_SECONDS}
    async with (
        egress_proxy(policy, clock=time.time) as proxy,
        # It reads the certificates of the system as it is made.
        await asyncio.to_thread(lambda: httpx.AsyncClient(proxy=proxy.url, **given)) as client,
        http.streamable_http_client(server.address, http_client=client) as (read, write),
    ):
        yield read, write


async def _cause(error: BaseException) -> str:
    """Return what is at the bottom of a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    redactor = await asyncio.to_thread(Redactor.of_process)
    return redactor.cut(f"{type(error).__name__}: {error}", 300)


_FORM = (
    "Write: 'NAME=COMMAND ARGUMENTS', for instance 'notes=notes-server --folder ./notes', "
    "or 'NAME=https://HOST/PATH'."
)
