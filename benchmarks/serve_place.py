"""LangGraph's server by one of our files, in a folder of its own with canaries, for the benchmark `serve`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.core import ROOT

KEYS = {"ada": "ada-has-a-long-key-of-her-own", "bob": "bob-has-a-long-key-of-his-own"}
PUBLIC, SECRET, PRIVATE = "Ines Calder", "Wolverton-7733", "Quillfeather-4242"
"""Marks: of a page that everybody may read, of a file that nobody may, and of what ada alone has read."""
PLUGIN = "from pathlib import Path\nPath({canary!r}).write_text('executed')\n"
OPEN = """

def owner_of_run(runtime, environ=None):
    return None


def check_state(state, settings):
    return None
"""
"""What takes the guards away from a copy of the code."""
START_SECONDS = 180.0
OWN = ("home", ".langgraph_api", "server.log", "ddax")
"""What a server writes in its folder, and what we put there."""


@dataclass(frozen=True)
class Place:
    """The folder of a server, its address, and the trap that counts who connects inside the network."""

    folder: Path
    url: str
    trap: Trap
    keyed: bool

    def filled(self, value: Any) -> Any:
        """Return a hostile value with the paths and ports of this place put in."""
        text = json.dumps(value).replace("{place}", str(self.folder)).replace("{trap}", str(self.trap.port))
        return json.loads(text)

    def headers(self, owner: str = "bob") -> dict[str, str]:
        """Return what a caller sends to be let in."""
        return {"x-api-key": KEYS[owner]} if self.keyed else {}

    def written(self) -> list[str]:
        """Return the files in the folder that neither the server nor we should have put there."""
        known = {"plugin.py", "secret.txt", "secret.yaml", "papers", "papers/almanac.txt", "papers/ada.txt"}
        found = (
            path for top in self.folder.iterdir() if top.name not in OWN for path in (top, *top.rglob("*"))
        )
        names = (str(path.relative_to(self.folder)) for path in found)
        return sorted(
            n for n in names if n not in known and not n.startswith("langgraph") and n != "pyproject.toml"
        )


class Trap:
    """An HTTP server inside the network that counts who asks it anything."""

    def __init__(self) -> None:
        self.hits: list[str] = []
        hits = self.hits

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hits.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(f"The {SECRET} lies in the vault.".encode())

            do_POST = do_GET  # noqa: N815 - the name the library looks for

            def log_message(self, *words: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


def made(folder: Path, config: str, *, guarded: bool) -> Path:
    """Put the code, one of our files and the canaries into a folder; without guards they are taken away."""
    shutil.copytree(ROOT / "ddax", folder / "ddax", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    spec = json.loads((ROOT / config).read_text(encoding="utf-8"))
    if not guarded:
        del spec["http"]
        with (folder / "ddax" / "graph" / "served.py").open("a", encoding="utf-8") as code:
            code.write(OPEN)
    (folder / config).write_text(json.dumps(spec), encoding="utf-8")
    (folder / "papers").mkdir()
    (folder / "papers" / "almanac.txt").write_text(f"The Harbour Almanac was written by {PUBLIC} in 1911.\n")
    (folder / "papers" / "ada.txt").write_text(f"The private diary was written by {PRIVATE} in 1911.\n")
    (folder / "secret.txt").write_text(f"The vault was opened by {SECRET} in 1911.\n")
    (folder / "secret.yaml").write_text(f"name: x\nstatement: {SECRET}\n{SECRET}: 1\n")
    (folder / "plugin.py").write_text(PLUGIN.format(canary=str(folder / "executed")))
    return folder


@contextmanager
def serving(folder: Path, config: str, *, guarded: bool = True) -> Iterator[Place]:
    """Start the server of one of our files in an empty folder, and stop it."""
    made(folder, config, guarded=guarded)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    trap, keyed, log = Trap(), config != "langgraph.json", folder / "server.log"
    # What blocks the loop is let pass, so that no run is held back by that instead of by a guard.
    words = (
        "dev",
        "--config",
        config,
        "--no-browser",
        "--no-reload",
        "--allow-blocking",
        "--host",
        "127.0.0.1",
    )
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-m", "langgraph_cli", *words, "--port", str(port), "--n-jobs-per-worker", "8"],
            cwd=folder, env=_environment(folder), stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            _wait(f"http://127.0.0.1:{port}", server, log)
            yield Place(folder, f"http://127.0.0.1:{port}", trap, keyed)
        finally:
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()
            trap.close()


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DDAX_", "LANGSMITH_"))}
    return kept | {
        "DDAX_HOME": str(folder / "home"),
        "DDAX_API_KEYS": ",".join(f"{name}:{key}" for name, key in KEYS.items()),
        "DDAX_SERVER__SOURCES_BELOW": str(folder / "papers"),
        "CANARY_WORD": SECRET,
        "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true", "LANGSMITH_TRACING": "false",
    }  # fmt: skip


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    import httpx

    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            if httpx.get(f"{url}/ok", timeout=5.0).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise RuntimeError(f"langgraph dev did not start:\n{log.read_text(errors='replace')[-2000:]}")
