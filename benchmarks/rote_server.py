"""A rote model behind OpenAI's protocol in a process of its own: `python -m benchmarks.rote_server LATENCY`.

Prints its address; ends when standard input closes. Its CPU is not ours, which is why it stands apart.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.core import ROOT


@contextmanager
def rote_server(latency: float) -> Iterator[str]:
    """Run the server and give its address; `latency` is in seconds."""
    command = [sys.executable, "-m", "benchmarks.rote_server", str(latency)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        yield child.stdout.readline().strip()
        child.stdin.close()


def main(latency: float) -> None:
    """Serve until the end of input."""
    from ddax.reasoning import rote
    from ddax.reasoning.testing import FakeOpenAI, Say

    with FakeOpenAI(answer=lambda body: Say(rote.reply(body), delay=latency)) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(float(sys.argv[1]))
