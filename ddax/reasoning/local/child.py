"""Serve one GGUF file until standard input closes: `python -m ddax.reasoning.local.child FILE THREADS`.

Prints the address on its first line. Loopback only, no page, one request at a time.
"""

from __future__ import annotations

import sys
from typing import Any


def main(path: str, threads: int) -> None:
    """Open the model, print the address, wait for the end of input."""
    import xllamacpp  # pyright: ignore[reportMissingImports]  # an extra

    params: Any = xllamacpp.CommonParams()
    params.model.path, params.model_alias = path, {"local"}
    params.hostnames, params.port, params.ui, params.warmup = ["127.0.0.1"], 0, False, False
    params.n_parallel, params.n_ctx = 1, 0  # the whole context the model was trained for
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
