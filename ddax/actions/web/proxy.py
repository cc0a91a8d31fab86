"""A forwarding proxy on loopback through which only what the egress guard allows gets out.

It serves a browser what `ddax.actions.web.transport` serves httpx: every name is resolved here, every
address is checked, the checked one is connected to, and bytes and time are capped. Inside a tunnel
(CONNECT) it sees hosts but neither addresses of pages nor redirects; each hop needs a tunnel of its own,
so each is checked. It asks for no password: whoever may open a socket on this machine can reach by it
what the policy allows, and no more.

    async with egress_proxy(policy_of(allow_hosts=["127.0.0.1"]), clock=time.time) as proxy:
        browser = await chromium.launch(args=[*proxy.chromium_arguments()])
        ...
        refused = [exchange for exchange in proxy.log if exchange.ruling == "refused"]
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

from ddax.actions.egress import EgressPolicy, checked_url
from ddax.actions.web import wire
from ddax.actions.web.log import KEPT_EXCHANGES, Exchange
from ddax.errors import ActionError, NotAllowed

Clock = Callable[[], float]
CHUNK = 65_536
CONNECT_SECONDS = 10.0
ACCEPTING = 5
"""Turns of the event loop after which a connection that came before the end is being served."""


@dataclass(frozen=True)
class ProxyLimits:
    """What may pass: bytes from outside and to it, seconds of one connection, and how many at once."""

    connection_bytes: int = 20_000_000
    total_bytes: int = 200_000_000
    sent_bytes: int = 2_000_000
    seconds: float = 120.0
    connections: int = 64
    exchanges: int = 10_000


@asynccontextmanager
async def egress_proxy(
    policy: EgressPolicy, *, clock: Clock, limits: ProxyLimits | None = None
) -> AsyncIterator[EgressProxy]:
    """Serve the policy as a proxy on a free port of 127.0.0.1 until the block ends."""
    proxy = EgressProxy(policy, limits or ProxyLimits(), clock)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.close()


@dataclass
class EgressProxy:
    """The proxy while it serves: where it listens and what passed; made by `egress_proxy`."""

    policy: EgressPolicy
    limits: ProxyLimits
    clock: Clock
    url: str = ""
    log: deque[Exchange] = field(default_factory=lambda: deque(maxlen=KEPT_EXCHANGES))
    received: int = 0
    """Bytes that came from outside, of all exchanges."""
    served: int = 0
    """Exchanges begun, also those that have left the log."""
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def port(self) -> int:
        """Return the port it listens at."""
        return int(self.url.rsplit(":", 1)[1])

    def chromium_arguments(self) -> tuple[str, ...]:
        """Return the flags that leave Chromium no other way out, also for loopback, WebRTC and names."""
        return (
            f"--proxy-server={self.url}",
            "--proxy-bypass-list=<-loopback>",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
            "--disable-quic",
            "--dns-prefetch-disable",
            "--disable-background-networking",
            "--disable-domain-reliability",
        )

    def refusal(self, url: str) -> str:
        """Return why the last exchange with the host of an address did not pass; empty where it did."""
        host = checked_url(url).hostname
        for note in reversed(self.log):
            if urlsplit(note.target if "://" in note.target else f"//{note.target}").hostname == host:
                return note.reason if note.ruling != "passed" else ""
        return ""

    async def start(self) -> None:
        """Listen on a free port of loopback."""
        self._server = await asyncio.start_server(self._begin, "127.0.0.1", 0, limit=wire.MAX_HEAD)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Stop listening and break off what still passes."""
        if self._server is not None:
            await _quiet(self._server)
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer), name="ddax-egress")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: writer.close())  # one cancelled before it began has closed nothing

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection, and turn every way it can end into an entry of the log."""
        note = Exchange(self.clock())
        self.served += 1
        self.log.append(note)
        try:
            self._refuse_excess()
            async with asyncio.timeout(self.limits.seconds):
                await self._exchange(reader, writer, note)
            note.ruling = "passed"
        except ActionError as error:
            refused = isinstance(error, NotAllowed) or error.kind in ("bad_url", "bad_scheme", "cap")
            note.ruling, note.kind, note.reason = ("refused" if refused else "failed"), error.kind, str(error)
            wire.answer(writer, 403 if refused else 502, note.reason, begun=note.answered)
        except TimeoutError:
            note.ruling, note.kind = "failed", "timeout"
            note.reason = f"It took longer than {self.limits.seconds:g} s."
            wire.answer(writer, 504, note.reason, begun=note.answered)
        except (OSError, EOFError, asyncio.LimitOverrunError) as error:
            note.ruling, note.kind = "failed", "transport"
            note.reason = f"{type(error).__name__}: {error}"
            wire.answer(writer, 502, note.reason, begun=note.answered)
        finally:
            note.seconds = self.clock() - note.at
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    def _refuse_excess(self) -> None:
        caps = (
            (len(self._tasks), self.limits.connections, "connections at once"),
            (self.served, self.limits.exchanges, "exchanges"),
            (self.received + 1, self.limits.total_bytes, "bytes in all"),
        )
        for value, cap, what in caps:
            if value > cap:
                raise ActionError(
                    "The proxy lets no more pass.", why=f"The cap is {cap:,} {what}.", kind="cap"
                )

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, note: Exchange
    ) -> None:
        head = wire.request_head(await reader.readuntil(b"\r\n\r\n"))
        note.method, note.target = head.method, head.target[:200].split("?")[0]
        tunnel = head.method == "CONNECT"
        parts = self._checked(head, tunnel=tunnel)
        note.target = parts.netloc if tunnel else urlunsplit(parts._replace(query=""))
        addresses = await self.policy.addresses(parts)
        outer, sink, note.address = await connected(parts, addresses)
        try:
            if tunnel:
                note.answered = True
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                up = self._pump(reader, sink, note, inward=False)
                await both(up, self._pump(outer, writer, note, inward=True))
            else:
                await self._forward(head, parts, reader, sink, note)
                answer = wire.closing_head(await wire.final_head(outer))
                note.answered = True
                writer.write(answer)
                await first(self._pump(outer, writer, note, inward=True), drained(reader))
        finally:  # what nobody reads any more would keep the connection open for ever
            sink.transport.abort()

    def _checked(self, head: wire.RequestHead, *, tunnel: bool) -> SplitResult:
        if tunnel:
            parts = checked_url(f"https://{head.target}")
            if parts.path or parts.query:
                raise ActionError(f"{head.target!r} is no host and port.", kind="bad_url")
        elif head.target.lower().startswith("http://"):
            parts = checked_url(head.target)
        else:
            raise ActionError(f"{head.target[:80]!r} is not asked of a proxy.", kind="bad_url")
        if parts.port == self.port:
            raise NotAllowed(
                "The proxy may not be asked for itself.",
                why=f"Its port is {self.port}.",
                mend="Name the page itself.",
            )
        return parts

    async def _forward(
        self,
        head: wire.RequestHead,
        parts: SplitResult,
        reader: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        note: Exchange,
    ) -> None:
        """Send a request on, with as much body as it states: what follows belongs to another one."""
        length = wire.body_length(head)
        if length > self.limits.sent_bytes:
            why = f"The cap is {self.limits.sent_bytes:,} bytes."
            raise ActionError("The request is too large.", why=why, kind="cap")
        sink.write(wire.origin_head(head, parts))
        while note.sent < length:
            part = await reader.read(min(CHUNK, length - note.sent))
            if not part:
                raise EOFError("the request broke off")
            note.sent += len(part)
            sink.write(part)
            await sink.drain()

    async def _pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, note: Exchange, *, inward: bool
    ) -> None:
        """Pass bytes on until the end, within the caps."""
        while part := await source.read(CHUNK):
            if inward:
                note.received += len(part)
                self.received += len(part)
            else:
                note.sent += len(part)
            self._cap(note)
            sink.write(part)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()

    def _cap(self, note: Exchange) -> None:
        caps = (
            (note.received, self.limits.connection_bytes, "bytes a connection"),
            (self.received, self.limits.total_bytes, "bytes in all"),
            (note.sent, self.limits.sent_bytes, "bytes sent"),
        )
        for value, cap, what in caps:
            if value > cap:
                raise ActionError("It was broken off.", why=f"The cap is {cap:,} {what}.", kind="cap")


async def _quiet(server: asyncio.Server) -> None:
    """Accept nothing more, and wait until what was accepted is served: a closed server forgets it open."""
    for listening in server.sockets:
        asyncio.get_running_loop().remove_reader(listening.fileno())
    for _ in range(ACCEPTING):
        await asyncio.sleep(0)


async def connected(
    parts: SplitResult, addresses: Sequence[str]
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, str]:
    """Connect to the first address that answers; raises ActionError of kind `connect`."""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    reasons: list[str] = []
    for address in addresses:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                reader, writer = await asyncio.open_connection(address, port, limit=wire.MAX_HEAD)
            return reader, writer, address
        except (OSError, TimeoutError) as exc:
            reasons.append(f"{address}: {str(exc) or 'no answer in time'}")
    raise ActionError(f"{parts.netloc!r} cannot be reached.", why="; ".join(reasons), kind="connect")


async def drained(reader: asyncio.StreamReader) -> None:
    """Read and drop what comes until the other side hangs up."""
    while await reader.read(CHUNK):
        pass


async def both(*work: Coroutine[Any, Any, None]) -> None:
    """Run coroutines until all have ended or one has failed."""
    await _ended([asyncio.ensure_future(one) for one in work], asyncio.FIRST_EXCEPTION)


async def first(*work: Coroutine[Any, Any, None]) -> None:
    """Run coroutines until one has ended."""
    await _ended([asyncio.ensure_future(one) for one in work], asyncio.FIRST_COMPLETED)


async def _ended(tasks: list[asyncio.Task[None]], when: str) -> None:
    try:
        done, _ = await asyncio.wait(tasks, return_when=when)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
