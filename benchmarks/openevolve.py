"""Side by side with OpenEvolve: the same candidates from one scripted model server, the same fitness.

OpenEvolve gets an environment of its own (made here once, or named by DDAX_OPENEVOLVE_PYTHON). Both ask
the server for one whole program at a time and stop at fitness 1. Then each meets one candidate that
forks, one that never ends and one that takes 2 GB. OpenEvolve runs in a process namespace of its own,
so that whatever it leaves behind ends with the benchmark.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.core import Figure, Options, Result, Target

if TYPE_CHECKING:
    from ddax.reasoning.protocol import CodeCandidate, MutateRequest, Patches, PatchRequest

NAME = "openevolve"
DESCRIPTION = "evaluations a second, time to fitness 1 and hostile candidates, beside OpenEvolve"
VERSION = "0.4.0"
CANDIDATES, QUICK = 40, 12
LIMIT = 120.0
TIMEOUT = 5
ENDING = 1.0
"""Seconds after which a process that was killed is gone, before those that are left are counted."""
CASES = [((a, b), a * a + 3 * b) for a in range(6) for b in range(5)]
FORKS = (
    "import os, time\nfor _ in range(100):\n    if os.fork() == 0:\n        time.sleep(600), os._exit(0)\n"
)
HOSTILE = {
    "fork bomb (100 children that sleep)": FORKS + "def f(a, b):\n    return 0\n",
    "endless loop": "def f(a, b):\n    while True:\n        pass\n",
    "2 GB allocation": "KEPT = bytearray(2 << 30)\nfor i in range(0, len(KEPT), 4096):\n    KEPT[i] = 1\n"
    "def f(a, b):\n    return 0\n",
}
EVALUATOR = f"""
import importlib.util
CASES = {CASES!r}
def evaluate(path):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    right = sum(module.f(*args) == want for args, want in CASES)
    return {{"combined_score": right / len(CASES)}}
"""
DRIVER = """
import json, logging, os, resource, sys, time
from openevolve.api import run_evolution
from openevolve.config import Config, LLMModelConfig
folder, base, iterations, timeout = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
logging.disable(logging.CRITICAL)
config = Config()
config.llm.api_base, config.llm.api_key = base, "none"
config.llm.models = [LLMModelConfig(name="scripted", api_base=base, api_key="none", timeout=30, retries=0)]
config.diff_based_evolution = False
config.evaluator.timeout, config.evaluator.max_retries = timeout, 0
config.evaluator.cascade_evaluation, config.evaluator.parallel_evaluations = False, 1
config.language = "python"
begin = time.perf_counter()
found = run_evolution(folder + "/program.py", folder + "/evaluator.py", config, iterations=iterations,
                      output_dir=folder + "/out", cleanup=False, target_score=1.0)
seconds = time.perf_counter() - begin
time.sleep(float(sys.argv[5]))
left = 0
for pid in os.listdir("/proc"):
    if pid.isdigit() and int(pid) != os.getpid():
        try:
            left += b"driver.py" in open("/proc/%s/cmdline" % pid, "rb").read()
        except OSError:
            pass
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print("@@" + json.dumps({"seconds": seconds, "score": found.best_score, "left": left, "peak": peak}))
sys.stdout.flush()
os._exit(0)
"""


def candidates(count: int) -> list[str]:
    """Return whole programs, all different; only the last computes what is wanted."""
    wrong = [f"def f(a, b):\n    return a * a + {i} * b - {i % 5 + 1}\n" for i in range(count - 1)]
    return [*wrong, "def f(a, b):\n    return a * a + 3 * b\n"]


@contextmanager
def server(programs: Sequence[str]) -> Iterator[str]:
    """Serve the programs in turn as chat completions; yields the address."""
    lock, turn = threading.Lock(), iter(range(10**9))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with lock:
                text = programs[min(next(turn), len(programs) - 1)]
            message = {"role": "assistant", "content": f"```python\n{text}```"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            reply = {"id": "x", "object": "chat.completion", "created": 0, "model": "scripted"}
            body = json.dumps({**reply, "choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{running.server_address[1]}/v1"
        finally:
            running.shutdown()


def environment() -> str:
    """Return the Python that has OpenEvolve; makes its environment where there is none."""
    named = os.environ.get("DDAX_OPENEVOLVE_PYTHON")
    if named:
        return named
    folder = Path(tempfile.gettempdir()) / f"ddax-openevolve-{VERSION}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        wanted = f"openevolve=={VERSION}"
        subprocess.run([str(python), "-m", "pip", "install", "-q", wanted], check=True)
        (folder / "ready").touch()
    return str(python)


def theirs(programs: Sequence[str]) -> dict[str, Any]:
    """Run OpenEvolve over the programs; `ended` is False where it had to be stopped."""
    with tempfile.TemporaryDirectory() as folder, server(programs) as base:
        for name, text in (("evaluator", EVALUATOR), ("driver", DRIVER), ("program", candidates(2)[0])):
            (Path(folder) / f"{name}.py").write_text(text, "utf-8")
        alone = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]
        words = [environment(), f"{folder}/driver.py", folder, base, str(len(programs))]
        words += [str(TIMEOUT), str(ENDING)]
        begin = time.perf_counter()
        stopped = {"ended": False, "score": 0.0, "left": 0, "peak": 0.0}
        try:
            done = subprocess.run(
                [*alone, "--", *words], capture_output=True, text=True, timeout=LIMIT, check=False
            )
        except subprocess.TimeoutExpired:
            return {**stopped, "seconds": time.perf_counter() - begin}
        if "@@" not in done.stdout:
            return {**stopped, "seconds": time.perf_counter() - begin, "error": done.stderr[-300:]}
        found: dict[str, Any] = json.loads(done.stdout.split("@@")[1])
        return {**found, "ended": True}


class Scripted:
    """A reasoner that asks the scripted server for one program a time."""

    name = "scripted"

    def __init__(self, base: str, count: int) -> None:
        self.base, self.left = base, count

    def _one(self) -> CodeCandidate:
        from ddax.reasoning.protocol import CodeCandidate

        self.left -= 1
        request = urllib.request.Request(f"{self.base}/chat/completions", b"{}", method="POST")
        with urllib.request.urlopen(request) as reply:
            text = json.load(reply)["choices"][0]["message"]["content"]
        return CodeCandidate("scripted", text.removeprefix("```python\n").removesuffix("```"), "")

    async def propose_patches(self, request: PatchRequest) -> Patches:
        """Return as many programs as are wanted and left."""
        from ddax.reasoning.protocol import Patches

        return Patches(tuple(self._one() for _ in range(max(0, min(request.n, self.left)))))

    async def mutate_patch(self, request: MutateRequest) -> Patches:
        """Return one more program."""
        from ddax.reasoning.protocol import Patches

        return Patches((self._one(),) if self.left > 0 else ())


def ours(programs: Sequence[str]) -> dict[str, Any]:
    """Run our own population over the programs, every candidate in the sandbox."""
    import numpy as np

    from ddax.evolution.evaluator import CodeEvaluator
    from ddax.evolution.population import EvolutionarySolver
    from ddax.evolution.program.suites import build_suite
    from ddax.evolution.sandbox import Limits, choose
    from ddax.reasoning.protocol import PatchRequest

    tests = "from program import f\n" + "".join(f"assert f(*{a}) == {w}\n" for a, w in CASES)
    start = candidates(2)[0]
    suite = build_suite({"program.py": start}, ["program.py"], {"checks.py": tests})
    sandbox, limits = choose(), Limits(cpu=TIMEOUT, wall=TIMEOUT + 2.0)
    with server(programs) as base, CodeEvaluator(sandbox, suite, limits=limits) as evaluator:
        begin = time.perf_counter()
        idle = _below(evaluator.worker.open().process.pid)
        solver = EvolutionarySolver(
            Scripted(base, len(programs)), lambda code: evaluator.evaluate({"program.py": code}),  # type: ignore[arg-type]
            size=4, generations=len(programs), rng=np.random.default_rng(0), accept=99.0,
        )  # fmt: skip
        found = asyncio.run(solver.evolve(PatchRequest("fit", start, ())))
        seconds = time.perf_counter() - begin
        time.sleep(ENDING)
        left = _below(evaluator.worker.open().process.pid) - idle
    return {"seconds": seconds, "tried": found.tried, "left": left, "ended": True,
            "score": 1.0 if found.best and found.best.evaluation.score >= 99.0 else 0.0}  # fmt: skip


def _below(pid: int) -> int:
    """Count the processes below one."""
    found, queue = 0, [pid]
    while queue:
        here = queue.pop()
        try:
            inner = [int(p) for p in Path(f"/proc/{here}/task/{here}/children").read_text().split()]
        except OSError:
            continue
        found, queue = found + len(inner), queue + inner
    return found


def run(options: Options) -> Result:
    """Run both over the same programs, then over each hostile one."""
    if shutil.which("unshare") is None:
        raise RuntimeError("this benchmark needs unshare, to end what OpenEvolve leaves behind")
    programs = candidates(QUICK if options.quick else CANDIDATES)
    we, they = ours(programs), theirs(programs)
    count = len(programs)
    figures = [
        Figure("ddax: evaluations a second", we["tried"] / we["seconds"], "1/s"),
        Figure("OpenEvolve: evaluations a second", count / they["seconds"], "1/s"),
        Figure("ddax: time to fitness 1", we["seconds"] if we["score"] == 1.0 else float("nan"), "s"),
        Figure(
            "OpenEvolve: time to fitness 1", they["seconds"] if they["score"] == 1.0 else float("nan"), "s"
        ),
        Figure("times faster", they["seconds"] / we["seconds"], "x", Target(">=", 1.0)),
    ]
    notes = [f"{count} programs from one scripted server; OpenEvolve {VERSION}, one evaluation at a time"]
    for name, program in HOSTILE.items():
        both = [program, candidates(2)[-1]]
        mine, other = ours(both), theirs(both)
        notes += [f"{name}: ddax {_fate(mine)}; OpenEvolve {_fate(other)}"]
        figures.append(Figure(f"ddax after: {name}", mine["left"], "processes left", Target("<=", 0)))
        figures.append(Figure(f"OpenEvolve after: {name}", other["left"], "processes left"))
    return Result(NAME, tuple(figures), (options.seed,), notes=tuple(notes))


def _fate(found: dict[str, Any]) -> str:
    if not found["ended"]:
        return f"did not end and was stopped after {found['seconds']:.0f} s {found.get('error', '')}".strip()
    reached = "found the good one" if found["score"] == 1.0 else "did not find the good one"
    peak = f", peak {found['peak']:.0f} MB in a process" if found.get("peak", 0) > 1000 else ""
    return f"{reached} in {found['seconds']:.1f} s, {found['left']} processes left{peak}"
