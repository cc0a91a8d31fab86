"""Run uv with what pip's own configuration says: uv reads none of it, and set-up has to work where pip does.

`uv_as_pip.py UV ARGUMENT...`. The address of an index may hold a password: it goes from pip to uv, unprinted.
"""

from __future__ import annotations

import ast
import os
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

SECTIONS = ("global", "install", ":env:")  # pip's own order: the later one wins
BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
# pip's setting: uv's variable, and the others that would say the same to uv.
PLAIN = {
    "index-url": ("UV_DEFAULT_INDEX", "UV_INDEX_URL"),
    "trusted-host": ("UV_INSECURE_HOST",),
    "client-cert": ("SSL_CLIENT_CERT",),
    "proxy": ("ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"),
    "retries": ("UV_HTTP_RETRIES",),
    "timeout": ("UV_HTTP_TIMEOUT", "UV_REQUEST_TIMEOUT", "HTTP_TIMEOUT"),
    "default-timeout": ("UV_HTTP_TIMEOUT", "UV_REQUEST_TIMEOUT", "HTTP_TIMEOUT"),
}
TRUST = ("SSL_CERT_FILE", "SSL_CERT_DIR", "UV_SYSTEM_CERTS", "UV_NATIVE_TLS")


def parsed(listed: str) -> dict[str, str]:
    """Return pip's settings for an installation out of the lines of `pip config list`."""
    found: dict[str, dict[str, str]] = {section: {} for section in SECTIONS}
    for line in listed.splitlines():
        name, equals, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if equals and section in found:
            found[section][key] = str(ast.literal_eval(value))
    return {key: value for section in SECTIONS for key, value in found[section].items()}


def there(places: str) -> list[str]:
    """Return the addresses and the folders that are there: pip passes over a missing one, uv stops at it."""
    split = places.split()
    return [place for place in split if _local(place) is None or Path(str(_local(place))).exists()]


def _local(place: str) -> str | None:
    """Return the path of a place on this machine; None for an address elsewhere."""
    if place.startswith("file://"):
        return place.removeprefix("file://")
    return None if re.match(r"[a-z+]+://", place) else os.path.expanduser(place)


def trusts_the_system(pip: str) -> bool:
    """Return whether a version of pip takes the system's certificates as well as its own."""
    return tuple(int(part) for part in re.findall(r"\d+", pip)[:2]) >= (24, 2)


def _trust(pip: Mapping[str, str], env: Mapping[str, str], truststore: bool) -> Iterator[tuple[str, str]]:
    """Yield the certificates that uv is to trust."""
    if any(env.get(name) for name in TRUST):
        return
    cert = next(filter(None, [pip.get("cert"), *(env.get(name) for name in BUNDLES)]), None)
    if cert is not None:
        path = os.path.expanduser(cert)
        yield ("SSL_CERT_DIR" if os.path.isdir(path) else "SSL_CERT_FILE"), path
    elif truststore:
        yield "UV_SYSTEM_CERTS", "1"


def for_uv(pip: Mapping[str, str], env: Mapping[str, str], *, truststore: bool) -> dict[str, str]:
    """Return the variables that tell uv what pip is told; what uv is told itself stands."""
    told = dict(_trust(pip, env, truststore))
    for key, names in PLAIN.items():
        if key in pip and not any(env.get(name) for name in names):
            told[names[0]] = pip[key]
    more, links = there(pip.get("extra-index-url", "")), there(pip.get("find-links", ""))
    if more and not {"UV_INDEX", "UV_EXTRA_INDEX_URL"} & env.keys():
        told["UV_INDEX"] = " ".join(more)
        if "UV_INDEX_STRATEGY" not in env:
            # As pip: any index may have the file; which file it has to be, the hash in the lock says.
            told["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    if links and "UV_FIND_LINKS" not in env:
        told["UV_FIND_LINKS"] = ",".join(links)
    return told


def main(uv: str, *arguments: str) -> int:
    """Run uv and return its exit code."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    paths = ssl.get_default_verify_paths()
    truststore = trusts_the_system(version("pip")) and bool(paths.cafile or paths.capath)
    told = for_uv(parsed(listed.stdout), os.environ, truststore=truststore)
    return subprocess.run([uv, *arguments], env={**os.environ, **told}, check=False).returncode  # noqa: S603


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
