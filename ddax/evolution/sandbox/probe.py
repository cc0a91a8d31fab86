"""Decides by a canary attack which sandbox holds on this machine; finding a binary proves nothing."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from socket import create_server

from ddax.errors import SandboxError
from ddax.evolution.sandbox.bubblewrap import INSTALL, Bubblewrap
from ddax.evolution.sandbox.landlock import UnshareLandlock
from ddax.evolution.sandbox.protocol import Limits, Sandbox
from ddax.evolution.sandbox.runtime import Runtime

_ATTACK = r"""
import glob, json, os, socket, sys
secret, path, port = sys.stdin.readline().split()
hits = []
def attempt(name, action):
    try:
        if action():
            hits.append(name)
    except BaseException:
        pass
def environment():
    if secret in os.environ.values():
        return True
    for place in glob.glob("/proc/[0-9]*/environ"):
        try:
            if secret.encode() in open(place, "rb").read():
                return True
        except OSError:
            continue
    return False
def connect():
    socket.create_connection(("127.0.0.1", int(port)), 1).close()
    return True
def write():
    with open(path, "a") as stream:
        stream.write("x")
    return True
def root():
    os.setuid(0)
    return True
attempt("environment", environment)
attempt("host file", lambda: secret in open(path).read())
attempt("host file written", write)
attempt("network", connect)
attempt("became root", root)
print(json.dumps({"ran": True, "hits": hits, "uid": os.getuid()}))
"""


@dataclass(frozen=True)
class Probe:
    """What a canary attack found: `holds`, or the escapes and why the back end is out."""

    name: str
    holds: bool
    escapes: tuple[str, ...]
    why: str = ""


def attack(sandbox: Sandbox, *, seconds: float = 20.0) -> Probe:
    """Run the canary attack in a back end: an environment secret, a host file, the network."""
    secret = secrets.token_hex(16)
    with (
        tempfile.TemporaryDirectory(prefix="ddax-canary-") as folder,
        closing(create_server(("127.0.0.1", 0))) as server,
    ):
        Path(folder).chmod(0o755)
        canary = Path(folder) / "canary"
        canary.write_text(secret, "utf-8")
        canary.chmod(0o666)
        line = f"{secret} {canary} {server.getsockname()[1]}\n".encode()
        try:
            os.environ["DDAX_CANARY"] = secret
            process = sandbox.start(_ATTACK, {}, limits=Limits())
        except SandboxError as error:
            return Probe(sandbox.name, False, (), str(error))
        finally:
            os.environ.pop("DDAX_CANARY", None)
        try:
            output, _ = process.communicate(line, timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return Probe(sandbox.name, False, (), "the attack did not end in time")
        return _judge(sandbox.name, output)


def _judge(name: str, output: bytes) -> Probe:
    try:
        report = json.loads(output)
        hits = tuple(str(hit) for hit in report["hits"])
    except (ValueError, KeyError, TypeError):
        return Probe(name, False, (), "it does not run here (are unprivileged user namespaces allowed?)")
    if report["uid"] == 0:
        hits = (*hits, "runs as root")
    return Probe(name, not hits, hits, "" if not hits else "the canary attack got through")


def back_ends(runtime: Runtime | None = None) -> list[Sandbox]:
    """List the back ends in order of preference; `runtime` is the interpreter to run inside."""
    return [Bubblewrap(runtime), UnshareLandlock(runtime)]


def choose(candidates: Sequence[Sandbox] | None = None) -> Sandbox:
    """Return the first back end that holds; raises SandboxError (exit 3) where none does."""
    probes = []
    for sandbox in candidates if candidates is not None else back_ends():
        found = attack(sandbox)
        if found.holds:
            return sandbox
        probes.append(f"{found.name}: {found.why} {', '.join(found.escapes)}".strip())
    raise SandboxError(
        "No sandbox holds on this machine, so no candidate code is run.", why="; ".join(probes), mend=INSTALL
    )
