"""The egress guard: which addresses may be reached from here, decided on numeric addresses.

A host is refused unless every address it resolves to is public or the user named the host. Whoever
connects must connect to one of the addresses returned here, not to the name again: so do the transport
(`ddax.actions.web.transport`) and the proxy (`ddax.actions.web.proxy`).
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

from ddax.errors import ActionError, NotAllowed, SettingsError

Resolver: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""Return the numeric addresses of a host and port; raises OSError."""

MAX_ADDRESSES = 3
"""Addresses of one host that are tried."""

MAX_URL = 16_384
"""Characters of an address; a longer one is no page but a message on its way out."""

NOT_PUBLIC = tuple(
    ipaddress.ip_network(block)
    for block in """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12
    192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16
    192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
    ::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23
    2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
    ::/3 4000::/2 8000::/1
    """.split()  # noqa: SIM905
)
"""Blocks of the IANA special-purpose registries for IPv4 and IPv6, with the obsolete and translated ones
that still reach a private network (::/96, 64:ff9b::/96, 2002::/16, fec0::/10) and 168.63.129.16, the
address of a cloud's host agent. The last line is all of IPv6 that is not global unicast."""

CLOSED_PORTS = frozenset(
    map(
        int,
        """
    0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115
    117 119 123 135 137 139 143 161 179 389 427 445 465 512 513 514 515 526 530 531 532 540 548 554 556 563
    587 601 636 989 990 993 995 1433 1521 1719 1720 1723 2049 2375 2376 2379 3306 3389 3659 4045 4190 5060
    5061 5432 5900 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 9200 9300 10080 11211 27017
    """.split(),  # noqa: SIM905
    )
)
"""Ports that speak something other than HTTP: the list of the Fetch standard, and data stores."""


def allowed_names(hosts: Sequence[str], setting: str = "allow_hosts") -> frozenset[str]:
    """Write the hosts a user names like those that are fetched; raises SettingsError."""
    try:
        return frozenset(map(canonical_host, hosts))
    except ValueError as exc:
        raise SettingsError(
            f"{setting} holds what is no host.", why=str(exc), mend="Name hosts only."
        ) from exc


def checked_url(url: str) -> SplitResult:
    """Split an address; raises ActionError of kind `bad_scheme` or `bad_url`."""
    if len(url) > MAX_URL:
        raise ActionError(
            f"{url[:80]!r}… is no address.", why=f"It has {len(url):,} characters.", kind="bad_url"
        )
    try:
        parts = urlsplit(url.strip())
        port, host = parts.port, canonical_host(parts.hostname or "")
    except ValueError as exc:
        raise ActionError(f"{url!r} is not an address.", why=str(exc), kind="bad_url") from exc
    if parts.scheme not in ("http", "https"):
        raise ActionError(f"{url!r} cannot be fetched.", why="Only http and https are.", kind="bad_scheme")
    if parts.username is not None or parts.password is not None:
        raise ActionError(f"{url!r} cannot be fetched.", why="It carries a user name.", kind="bad_url")
    if not host:
        raise ActionError(f"{url!r} is not an address.", why="It names no host.", kind="bad_url")
    if port in CLOSED_PORTS:
        raise NotAllowed(
            f"{url!r} may not be fetched.",
            why=f"Browsers open nothing at port {port}, which belongs to something other than the web.",
            mend="Serve the page at another port, as 8000 or 8080.",
        )
    netloc = f"[{host}]" if ":" in host else host
    return parts._replace(netloc=netloc if port is None else f"{netloc}:{port}", fragment="")


def canonical_host(host: str) -> str:
    """Write a host as a browser would: unquoted, NFKC, plain dots, lower case, IDNA; raises ValueError."""
    name = unicodedata.normalize("NFKC", unquote(host)).replace("。", ".").replace("｡", ".")
    name = name.lower().strip("[]").rstrip(".")
    if any(sign.isspace() or sign < " " or sign in "/\\@?#%<>^|\x7f" for sign in name):
        raise ValueError(f"the host {host!r} holds a sign no host has")
    if name.isascii():
        return name
    import idna

    try:
        return idna.encode(name, uts46=True).decode()
    except idna.IDNAError as exc:
        raise ValueError(f"the host {host!r} is not a name: {exc}") from exc


async def checked_addresses(parts: SplitResult, allowed: frozenset[str], resolver: Resolver) -> list[str]:
    """Resolve a host and require every address to be public, unless the host is named as allowed."""
    host = parts.hostname or ""
    try:
        found = await resolver(host, parts.port or (443 if parts.scheme == "https" else 80))
    except (OSError, UnicodeError) as exc:
        what = f"The host {host!r} was not found."
        raise ActionError(what, why=str(exc), kind="dns", retriable=True) from exc
    if not found:
        raise ActionError(f"The host {host!r} has no address.", kind="dns", retriable=True)
    if host not in allowed:
        refuse_private(host, found)
        refuse_own(host, found)
    return found[:MAX_ADDRESSES]


def _allow(host: str) -> str:
    return f"If you mean it, name it in allow_hosts in ddax.yaml, or set DDAX_ALLOW_HOSTS={host}"


def refuse_private(host: str, addresses: Iterable[str]) -> None:
    """Raise NotAllowed where one of the addresses is not public."""
    for address in addresses:
        if not is_public(address):
            raise NotAllowed(
                f"The host {host!r} may not be fetched.",
                why=f"Its address {address} is not public.",
                mend=_allow(host),
            )


def refuse_own(host: str, addresses: Iterable[str]) -> None:
    """Raise NotAllowed where one of the addresses is one of this machine, public as it may be."""
    for address in addresses:
        if is_own(address):
            raise NotAllowed(
                f"The host {host!r} may not be fetched.",
                why=f"Its address {address} is one of this machine.",
                mend=_allow(host),
            )


def is_own(address: str) -> bool:
    """Tell whether this machine has an address: only an own one can be bound; nothing is sent."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.bind((address, 0))
        return True
    return False


def is_public(address: str) -> bool:
    """Tell whether a numeric address is in none of the special-purpose blocks."""
    parsed = ipaddress.ip_address(address.split("%")[0])
    return not any(parsed in block for block in NOT_PUBLIC if block.version == parsed.version)


async def resolve(host: str, port: int) -> list[str]:
    """Ask the system for the addresses of a host, each once, in its order."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True)
class EgressPolicy:
    """Who may be reached: the one policy of the transport and of the proxy; made by `policy_of`.

    Names are canonical. `allow_hosts` may have private addresses; with `only_domains` nothing outside
    of these and their subdomains is reached, and nothing inside `deny_domains` ever is.
    """

    allow_hosts: frozenset[str] = frozenset()
    only_domains: frozenset[str] = frozenset()
    deny_domains: frozenset[str] = frozenset()
    resolver: Resolver = field(default=resolve, compare=False)

    def permit_name(self, host: str) -> None:
        """Refuse a host by its name, before anything is asked about it; raises NotAllowed."""
        what = f"The host {host!r} may not be fetched."
        if within(host, self.deny_domains):
            raise NotAllowed(
                what,
                why="Its domain is denied by the settings.",
                mend="Take it out of web.deny_domains, if it may be read.",
            )
        if self.only_domains and not within(host, self.only_domains) and host not in self.allow_hosts:
            raise NotAllowed(
                what,
                why="It is outside of the domains the settings allow.",
                mend="Add its domain to them, if it may be read: web.only_domains.",
            )

    async def addresses(self, parts: SplitResult) -> list[str]:
        """Return the addresses that may be connected to; raises NotAllowed, or ActionError `dns`."""
        self.permit_name(parts.hostname or "")
        return await checked_addresses(parts, self.allow_hosts, self.resolver)


def policy_of(
    *,
    allow_hosts: Sequence[str] = (),
    only_domains: Sequence[str] = (),
    deny_domains: Sequence[str] = (),
    resolver: Resolver = resolve,
) -> EgressPolicy:
    """Make a policy of names as a user writes them; raises SettingsError for what is no host."""
    named = {
        "allow_hosts": allow_hosts, "only_domains": only_domains, "deny_domains": deny_domains,
    }  # fmt: skip
    names = {key: allowed_names(hosts, key) for key, hosts in named.items()}
    return EgressPolicy(**names, resolver=resolver)


def within(host: str, domains: frozenset[str]) -> bool:
    """Tell whether a host is one of the domains or below one."""
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)
