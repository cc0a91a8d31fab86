"""Run one task of one peer in the peer's own interpreter, and measure it; needs the standard library alone.

`python harness.py ADAPTER TASK` reads what is given as JSON from standard input and prints one JSON
object after `@@`. An adapter is a file with `load()`, which imports the peer, and one function a task.
A warm-up of the same task with two leaves comes first, and what it left is set aside from the garbage
collector, so that a call costs what it costs in the long run; imports and the first start are told apart.
"""

import gc
import importlib.util
import json
import os
import resource
import sys
import time
import urllib.request
from types import ModuleType


def cpu() -> float:
    """Return CPU seconds of this process, its threads and the children it has waited for."""
    mine, below = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime + below.ru_utime + below.ru_stime


def peak_mb() -> float:
    """Return the largest resident size in MB; Linux carries that of the starter over in `ru_maxrss`."""
    if os.path.exists("/proc/self/status"):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def loaded(path: str) -> ModuleType:
    """Load a module by its file: its folder stays out of the path, where it could hide the peer."""
    spec = importlib.util.spec_from_file_location("adapter", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def clear(base: str) -> None:
    """Have the server forget the warm-up."""
    urllib.request.urlopen(urllib.request.Request(base.rsplit("/v1", 1)[0] + "/control/clear", b"{}")).read()


def settle() -> None:
    """Set aside from the garbage collector what imports and the warm-up left, for all peers alike.

    A full pass over it costs by what was imported, and falls into this task or the next by chance.
    """
    gc.collect()
    gc.freeze()


def main(path: str, task: str) -> None:
    """Measure one task."""
    given = json.load(sys.stdin)
    if "pages" in given and isinstance(given["pages"], dict):
        lookup = loaded(os.path.join(os.path.dirname(os.path.abspath(__file__)), "lookup.py"))
        given["search"] = lookup.Pages(given["pages"])
    began = time.perf_counter()
    peer = loaded(path)
    peer.load()
    imported = time.perf_counter() - began
    work = getattr(peer, task)
    warmed = time.perf_counter()
    if given.get("warm", True):
        work({**given, "leaves": 2, "place": os.path.join(given["place"], "warm")})
        clear(given["base"])
    settle()
    start, used = time.perf_counter(), cpu()
    found = work({**given, "place": os.path.join(given["place"], "run")}) or {}
    seconds, spent = time.perf_counter() - start, cpu() - used
    peak = peak_mb()
    row = {
        "imported": imported, "first": start - warmed, "seconds": seconds, "cpu": spent, "peak_mb": peak,
        **found,
    }  # fmt: skip
    sys.stdout.write("\n@@" + json.dumps(row) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
