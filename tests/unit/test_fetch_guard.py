"""The egress guard: every spelling of a private address is refused."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.actions.egress import canonical_host, is_own, is_public, refuse_own
from ddax.actions.fetch import fetch
from ddax.errors import ActionError, NotAllowed, SettingsError

PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
    "198.18.0.1", "192.0.0.192", "168.63.129.16", "224.0.0.1", "255.255.255.255", "240.0.0.1", "203.0.113.5",
    "192.88.99.1", "::1", "::", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1",
    "64:ff9b:1::1", "2002:7f00:1::", "fec0::1", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1",
    "2001:db8::1", "2001::1", "100::1", "5f00::1", "3fff::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_special_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "2a00:1450::1"])
def test_ordinary_addresses_are_public(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses())
def test_what_the_standard_library_calls_private_is_not_public(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if address.is_private or address.is_multicast or address.is_reserved or address.is_link_local:
        assert not is_public(str(address))


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "0x7f000001", "2130706433", "127。0。0。1", "127.0.0.1.", "017700000001", "0",
     "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "%31%32%37.0.0.1", "LOCALHOST",
     "\uff11\uff12\uff17.0.0.1"],
)  # fmt: skip
async def test_every_spelling_of_this_machine_is_refused(host: str) -> None:
    with pytest.raises(NotAllowed, match="not public"):
        await fetch(f"http://{host}/")


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("ftp://example.org/", "bad_scheme"), ("file:///etc/passwd", "bad_scheme"),
        ("javascript:1", "bad_scheme"), ("gopher://x", "bad_scheme"), ("http://user@example.org/", "bad_url"),
        ("http://a:b@example.org/", "bad_url"),
        ("http://", "bad_url"), ("http://exa mple.org/", "bad_url"), ("http://[::1/", "bad_url"),
        ("http://example.org:99999/", "bad_url"), ("http://example.org:25/", "not_allowed"),
        ("http://example.org/" + "a" * 20_000, "bad_url"), ("http://exa\0mple.org/", "bad_url"),
        ("http://good.org\\@evil.org/", "bad_url"),
        ("", "bad_scheme"),
    ],
)  # fmt: skip
async def test_other_schemes_and_hidden_names_are_refused(url: str, kind: str) -> None:
    with pytest.raises(ActionError) as caught:
        await fetch(url)
    assert caught.value.kind == kind and not caught.value.retriable


async def test_one_private_address_among_public_ones_is_refused() -> None:
    async def mixed(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "10.0.0.7"]

    with pytest.raises(NotAllowed, match=r"10\.0\.0\.7"):
        await fetch("http://rebind.test/", resolver=mixed)


async def test_the_own_address_is_refused_public_as_it_may_be() -> None:
    assert is_own("127.0.0.1") and not is_own("93.184.216.34")
    with pytest.raises(NotAllowed, match="of this machine"):
        refuse_own("me.test", ["127.0.0.1"])


async def test_a_name_without_address_is_a_failure_of_names() -> None:
    async def none(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(ActionError, match="no such name") as caught:
        await fetch("http://nowhere.test/", resolver=none)
    assert caught.value.kind == "dns" and caught.value.retriable


def test_hosts_are_written_in_one_way() -> None:
    assert canonical_host("ＥＸＡＭＰＬＥ。org.") == "example.org"
    assert canonical_host("bücher.de") == "xn--bcher-kva.de"
    with pytest.raises(ValueError, match="sign"):
        canonical_host("a%2fb")


async def test_a_senseless_allowance_is_named() -> None:
    with pytest.raises(SettingsError, match="allow_hosts"):
        await fetch("http://example.org/", allow_hosts=["http://example.org"])
