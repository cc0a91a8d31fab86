"""Addresses, hops and names that lead inside (batteries W1 to W4), tried on both ways out.

A trap listens on every address of this machine and counts connections; what it is asked for is what got
through. Names that would need a public DNS server are answered by a resolver of our own.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from benchmarks.guard_site import HERE, Site, page, redirect, serving
from ddax.actions.egress import EgressPolicy, checked_url, policy_of, resolve
from ddax.actions.fetch import Limits, fetch
from ddax.actions.web.proxy import EgressProxy, egress_proxy
from ddax.errors import ActionError

START = "start.test"
"""The one host that may be reached; it is this machine."""
CAP_SECONDS = 5.0
GRACE = 1.0
"""Seconds a case may take beyond its cap."""


@dataclass(frozen=True)
class Tried:
    """One case on one way out: whether it went as it must, why it was refused, what it took."""

    battery: str
    case: str
    way: str
    ok: bool
    reason: str = ""
    seconds: float = 0.0
    cap: float = CAP_SECONDS
    hits: int = 0
    """Connections the trap got."""

    @property
    def in_time(self) -> bool:
        return self.seconds <= self.cap + GRACE


@dataclass
class Trap:
    """Count the connections to one port on all addresses of this machine."""

    port: int = 0
    hits: int = 0
    _servers: list[asyncio.Server] = field(default_factory=list)

    async def open(self) -> None:
        """Listen on all addresses of both families."""
        for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
            with suppress(OSError):  # a machine without IPv6
                server = await asyncio.start_server(self._hit, address, self.port, family=family)
                self._servers.append(server)
                self.port = server.sockets[0].getsockname()[1]

    async def _hit(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.hits += 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\ncaught")
        writer.close()

    async def close(self) -> None:
        """Stop listening."""
        for server in self._servers:
            server.close()


@asynccontextmanager
async def trapped() -> AsyncIterator[Trap]:
    """Keep a trap for the block."""
    trap = Trap()
    await trap.open()
    try:
        yield trap
    finally:
        await trap.close()


NAMED = {
    "127.0.0.1.nip.io": ["127.0.0.1"], "a.localtest.me": ["127.0.0.1"], "spoofed.test": ["::1"],
    "metadata.google.internal": ["169.254.169.254"], "metadata": ["169.254.169.254"],
    "instance-data.ec2.internal": ["169.254.169.254"], "cname.test": ["10.0.0.7"],
    START: [HERE], "two.test": ["93.184.215.14", "fd00::7"], "mapped.test": ["::ffff:10.0.0.7"],
    "hundred.test": [*(f"93.184.215.{i}" for i in range(1, 100)), "127.0.0.1"], "scoped.test": ["fe80::1%lo"],
    "none.test": [], "suffix": ["192.168.1.9"],
}  # fmt: skip


async def names(host: str, port: int) -> list[str]:
    """Answer the names of the batteries; numbers and this machine's own names are the system's to read."""
    if host in NAMED:
        return NAMED[host]
    return await resolve(host, port)


def hosts() -> list[str]:
    """Return the ways to write a host that must not be reached (W1)."""
    plain = [
        "127.0.0.1", "127.1", "0", "0.0.0.0", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1",
        "017700000001", "127。0。0。1", "①②⑦.⓪.⓪.①", "%31%32%37.0.0.1", "localhost", "LOCALHOST.",
        "ip6-localhost", "x.localhost", "127.0.0.1.nip.io", "a.localtest.me", "spoofed.test", "[::1]",
        "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fe80::1%25eth0]", "[fe80::1]",
        "[fc00::1]", "[fec0::1]", "[fd00:ec2::254]", "[0:0:0:0:0:0:0:1]", "[ff02::1]",
        "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376",
        "[::ffff:169.254.169.254]", "100.100.100.200", "192.0.0.192", "168.63.129.16",
        "metadata.google.internal", "metadata", "instance-data.ec2.internal", "100.64.0.1",
        "198.18.0.1", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1",
        "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "127.255.255.254", "192.0.2.1",
        "203.0.113.5",
    ]  # fmt: skip
    return list(dict.fromkeys([*plain, socket.gethostname(), *own_addresses()]))


def own_addresses() -> list[str]:
    """Return this machine's addresses, by its name."""
    with suppress(OSError):
        found = socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)
        plain = {str(entry[4][0]).split("%")[0] for entry in found}
        return sorted(f"[{address}]" if ":" in address else address for address in plain)
    return []


def forms(port: int) -> list[str]:
    """Return the ways to write an address that hide where it leads (W2)."""
    inside = f"127.0.0.1:{port}"
    closed = [f"http://{START}:{number}/" for number in (0, 22, 25, 6379, 11211, 65536)]
    schemes = [
        "file", "ftp", "gopher", "data", "blob", "javascript", "view-source", "chrome", "about", "ws",
        "unix", "jar", "dict", "FILE",
    ]  # fmt: skip
    return [
        f"http://user@{inside}/", f"http://{START}@{inside}/", f"http://{START}:80@{inside}/",
        f"http://a@{START}@{inside}/", f"http:\\\\{inside}\\", f"http:/{inside}", f"http:///{inside}",
        f"//{inside}/", f"http://{inside}#@{START}/", f"http://{inside}\\@{START}/",
        f"http://{START}\\@{inside}/", f"http://{inside}?@{START}/", f"http://127.0.0.\t1:{port}/",
        f"http://127.0.0\n.1:{port}/", f"ht\ntp://{inside}/", f"http://127.0.0.1\0.{START}:{port}/",
        f"http://{START} .{inside}/", f"http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{port}/", f"http://loc\u00adalhost:{port}/",
        f"http://{START}:{port}@[::1]/", f"http://[::1%25lo]:{port}/", f"http://{inside}/{'a' * 100_000}",
        *closed, *(f"{scheme}://{inside}/" for scheme in schemes), f"HTTP://{inside}/", f"http:{inside}",
    ]  # fmt: skip


async def by_httpx(url: str, policy: EgressPolicy) -> str:
    """Fetch by our own client and return the reason it gives; empty where it answered."""
    try:
        await fetch(
            url,
            allow_hosts=tuple(policy.allow_hosts),
            resolver=policy.resolver,
            limits=Limits(total_seconds=CAP_SECONDS),
        )
    except ActionError as error:
        return reason_of(error)
    return ""


def reason_of(error: ActionError) -> str:
    """Return what an error says, where it has a kind and a sentence; else nothing."""
    return f"{error.kind}: {error.what} {error.why}" if error.kind and error.what else ""


async def by_proxy(url: str, proxy: EgressProxy, *, tunnel: bool) -> str:
    """Ask the proxy as a browser would and return the reason it gives; empty where it passed."""
    target = url.split("://", 1)[-1].split("/")[0] if tunnel else url
    line = f"CONNECT {target} HTTP/1.1" if tunnel else f"GET {url} HTTP/1.1"
    reader, writer = await asyncio.open_connection(HERE, proxy.port)
    writer.write(f"{line}\r\nHost: {START}\r\n\r\n".encode("utf-8", "surrogateescape"))
    with suppress(OSError):
        await writer.drain()
    answer = b""
    with suppress(OSError):
        answer = await reader.read(4000)
    writer.close()
    status, _, body = answer.decode("latin-1").partition("\r\n\r\n")
    return "" if " 200 " in status.split("\r\n")[0] else body.strip() or "closed without a word"


async def addresses(trap: Trap) -> list[Tried]:
    """Try every host of W1 and form of W2 on our client, and through the proxy, asked and tunnelled."""
    policy = policy_of(allow_hosts=[START], resolver=names)
    cases = [("W1", f"http://{host}:{trap.port}/") for host in hosts()]
    cases += [("W2", url) for url in forms(trap.port)]
    found: list[Tried] = []
    async with egress_proxy(policy, clock=time.monotonic) as proxy:

        async def asked(url: str) -> str:
            return await by_proxy(url, proxy, tunnel=False)

        async def tunnelled(url: str) -> str:
            return await by_proxy(url, proxy, tunnel=True)

        async def fetched(url: str) -> str:
            return await by_httpx(url, policy)

        ways = {"client": fetched, "proxy": asked, "tunnel": tunnelled}
        for battery, url in cases:
            for way, ask in ways.items():
                if battery == "W1" or way == "client" or (way == "proxy" and "\n" not in url):
                    found.append(await tried(battery, url[:90], way, trap, ask, url))
    return found


async def tried(
    battery: str, case: str, way: str, trap: Trap, ask: Callable[[str], Awaitable[str]], url: str
) -> Tried:
    """Try one case: it must be refused with a reason, in time, and the trap must not be asked."""
    before, start = trap.hits, time.monotonic()
    reason = await ask(url)
    seconds, hits = time.monotonic() - start, trap.hits - before
    return Tried(battery, case, way, bool(reason) and not hits, reason, seconds, hits=hits)


def hops(trap: Trap, site: Site) -> dict[str, tuple[str, bool]]:
    """Put up pages that lead inside (W3); returns their paths, and whether they must be refused."""
    inside = f"http://127.0.0.1:{trap.port}/in"
    rows: dict[str, tuple[str, bool]] = {"direct": (inside, True)}
    for status in (301, 302, 303, 307, 308):
        site.answers[f"/go{status}"] = redirect(inside, status)
        rows[f"status {status}"] = (f"/go{status}", True)
    for length in (1, 2, 4, 5, 6, 21):
        for step in range(length):
            target = inside if step == length - 1 else f"/chain{length}-{step + 1}"
            site.answers[f"/chain{length}-{step}"] = redirect(target)
        rows[f"chain of {length}"] = (f"/chain{length}-0", True)
    site.answers["/loop"] = redirect("/loop")
    rows["loop"] = ("/loop", True)
    for scheme in ("file:///etc/passwd", "ftp://127.0.0.1/", f"//127.0.0.1:{trap.port}/", "gopher://x"):
        site.answers[f"/to-{scheme[:4].strip('/:')}"] = redirect(scheme)
        rows[f"to {scheme[:14]}"] = (f"/to-{scheme[:4].strip('/:')}", True)
    shown = "<p>Plain words.</p>"
    pages = {
        "meta refresh": page(f"<meta http-equiv=refresh content='0;url={inside}'>{shown}"),
        "script location": page(f"<script>location='{inside}'</script>{shown}"),
        "Refresh field": page(shown, Refresh=f"0; url={inside}"),
        "Link preload": page(shown, Link=f"<{inside}>; rel=preload; as=script"),
        "base and image": page(f"<base href='{inside}'><img src=a.png>{shown}"),
    }
    for number, (name, answer) in enumerate(pages.items()):
        site.answers[f"/page{number}"] = answer
        rows[name] = (f"/page{number}", False)  # a page like any other: nothing in it is followed
    site.answers["/login"] = page("who?", 401, WWW_Authenticate='Basic realm="x"', Location=inside)
    rows["401 with a way in"] = ("/login", True)
    return rows


async def hopping(trap: Trap) -> list[Tried]:
    """Follow the pages of W3 on our client."""
    policy = policy_of(allow_hosts=[START], resolver=names)
    found: list[Tried] = []
    async with serving({}) as site:
        for case, (path, refused) in hops(trap, site).items():
            url = path if path.startswith("http") else site.url(path, START)
            before, asked, start = trap.hits, len(site.asked), time.monotonic()
            reason = await by_httpx(url, policy)
            hits, steps = trap.hits - before, len(site.asked) - asked
            ok = bool(reason) == refused and not hits and steps <= 6
            found.append(Tried("W3", case, "client", ok, reason, time.monotonic() - start, hits=hits))
    return found


async def resolving(trap: Trap) -> list[Tried]:
    """Try the answers of a hostile name server (W4)."""
    cases = ["cname.test", "two.test", "mapped.test", "hundred.test", "scoped.test", "none.test", "suffix"]
    policy = policy_of(allow_hosts=[START], resolver=names)

    async def fetched(url: str) -> str:
        return await by_httpx(url, policy)

    found = [
        await tried("W4", case, "client", trap, fetched, f"http://{case}:{trap.port}/") for case in cases
    ]

    async def slow(host: str, port: int) -> list[str]:
        await asyncio.sleep(60)
        return [HERE]

    async def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    for case, resolver in (("60 s of silence", slow), ("no such name", unknown)):
        other = policy_of(resolver=resolver)

        async def asked(url: str, other: EgressPolicy = other) -> str:
            return await by_httpx(url, other)

        found.append(await tried("W4", case, "client", trap, asked, f"http://x.test:{trap.port}/"))
    return [*found, await rebinding(trap, public_first=True), await rebinding(trap, public_first=False)]


async def rebinding(trap: Trap, *, public_first: bool) -> Tried:
    """Answer with a public and a private address in turn: what is checked must be what is connected to."""
    asked: list[Sequence[str]] = []

    async def turning(host: str, port: int) -> list[str]:
        public = (len(asked) % 2 == 0) == public_first
        asked.append(["93.184.215.14"] if public else [HERE])
        return list(asked[-1])

    policy, url = policy_of(resolver=turning), checked_url(f"http://rebind.test:{trap.port}/")
    before, start, ok, reason = trap.hits, time.monotonic(), True, ""
    for turn in range(2):
        try:
            ok = ok and await policy.addresses(url) == ["93.184.215.14"] and (turn == 0) == public_first
        except ActionError as error:
            reason, ok = reason_of(error), ok and (turn == 0) != public_first
    ok = ok and len(asked) == 2 and bool(reason)
    case = f"rebinding, {'public' if public_first else 'private'} first"
    return Tried("W4", case, "policy", ok, reason, time.monotonic() - start, hits=trap.hits - before)
