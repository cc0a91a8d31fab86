"""Both back ends of the sandbox under attack, and at honest work."""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.attacks import ATTACKS, LET_THROUGH, held_by_nothing, perform
from ddax.errors import SandboxError
from ddax.evolution.program.suites import build_suite
from ddax.evolution.sandbox import Bubblewrap, Limits, UnshareLandlock, attack, choose
from ddax.evolution.sandbox.runtime import Runtime
from ddax.evolution.sandbox.seccomp import build_filter
from ddax.evolution.sandbox.worker import Worker

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(
        not shutil.which("bwrap") or not sys.platform.startswith("linux"), reason="needs bubblewrap"
    ),
]

LIMITS = Limits(cpu=2.0, wall=4.0)


BACK_ENDS = {"bubblewrap": Bubblewrap, "unshare+landlock": UnshareLandlock}


@pytest.fixture(scope="module", params=sorted(BACK_ENDS))
def sandbox(request):
    found = BACK_ENDS[request.param]()
    state = attack(found)
    if not state.holds and not state.escapes and request.param != "bubblewrap":
        pytest.skip(f"{request.param} does not run here: {state.why}")
    assert state.holds, state
    return found


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_attack_is_held(sandbox, name):
    assert perform(sandbox, ATTACKS[name], limits=LIMITS) == "held"


@pytest.mark.parametrize("name", LET_THROUGH)
def test_attack_gets_through_where_there_is_no_sandbox(name):
    assert held_by_nothing((name,), limits=LIMITS) == []


def test_the_code_of_the_harness_is_there_to_be_attacked(sandbox):
    body = "ok = 'def main' in open('/ddax/inside/zygote.py').read()"
    assert perform(sandbox, body, limits=LIMITS) == "ESCAPED"


def test_honest_work_is_not_harmed(sandbox):
    body = (
        "import asyncio, sqlite3, tempfile, threading, multiprocessing as m\n"
        "db = sqlite3.connect(':memory:'); db.execute('select 1')\n"
        "t = threading.Thread(target=print); t.start(); t.join()\n"
        "asyncio.run(asyncio.sleep(0))\n"
        "with tempfile.TemporaryFile() as f: f.write(b'x')\n"
        "p = m.get_context('fork').Process(target=len, args=('a',)); p.start(); p.join()\n"
        "ok = p.exitcode == 0"
    )
    assert perform(sandbox, body, limits=LIMITS).endswith("ESCAPED")


def test_the_probe_finds_a_sandbox_that_leaks():
    class Open:
        name = "open"

        def start(self, code, files, *, limits):
            return subprocess.Popen(
                [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )

    found = attack(Open())
    assert not found.holds
    assert {"environment", "host file", "network"} <= set(found.escapes)
    with pytest.raises(SandboxError, match="apt install bubblewrap") as caught:
        choose([Open()])
    assert caught.value.exit_code == 3


def test_a_sandbox_that_does_not_start_is_refused():
    broken = Bubblewrap(Runtime("/no/such/python", (), (), False))
    assert not attack(broken).holds


def suite_of(program: str):
    return build_suite(
        {"prog.py": program},
        ["prog.py"],
        {"t.py": "from prog import f\ndef test_f():\n    assert f() == 1\n"},
    )


def test_the_worker_survives_its_candidates(sandbox):
    suite = suite_of("def f():\n    return 1\n")
    bad = {
        "exit": "import os\nos._exit(0)\n",
        "kill all": "import os\nos.kill(-1, 9)\n",
        "loop": "while True:\n    pass\n",
        "memory": "x = b'x' * (4 << 30)\ndef f():\n    return 1\n",
        "recursion": "def f():\n    return f()\n",
        "noise": "def f():\n    print('x' * 5_000_000)\n    return 2\n",
        "syntax": "def f(:\n",
    }
    with Worker(sandbox, suite.message(), limits=Limits(cpu=1.0, wall=3.0)) as worker:
        jobs = [worker.job([0], sources={"prog.py": text}) for text in bad.values()]
        reports = list(worker.run(jobs))
        good = next(iter(list(worker.run([worker.job([0])]))))
    assert len(reports) == len(bad)
    assert not any(b'"pass"' in report for report in reports)
    assert b'"pass"' in good


def test_no_job_is_begun_after_its_time(sandbox):
    suite = suite_of("def f():\n    return 1\n")
    with Worker(sandbox, suite.message(), limits=LIMITS) as worker:
        jobs = [worker.job([0])] * 3
        assert list(worker.run(jobs, seconds=0.0)) == [b"null"] * 3
        assert all(b'"pass"' in report for report in worker.run(jobs))


def test_no_process_survives(sandbox):
    name = f"orphan{os.getpid()}"
    orphan = (
        "import ctypes, os, signal, time\n"
        "def f():\n"
        "    if os.fork() == 0:\n"
        f"        ctypes.CDLL(None).prctl(15, b'{name}', 0, 0, 0)\n"
        "        os.setsid(); signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(77.125)\n"
        "    time.sleep(1.0)\n"
        "    return 1\n"
    )
    suite = suite_of(orphan)
    with Worker(sandbox, suite.message(), limits=LIMITS) as worker, ThreadPoolExecutor(1) as pool:
        pid = worker.open().process.pid
        running = pool.submit(lambda: list(worker.run([worker.job([0])])))
        seen = False
        while not running.done():
            seen = seen or named(name)
            time.sleep(0.02)
        assert seen and b'"pass"' in running.result()[0]
    time.sleep(0.3)
    assert not os.path.exists(f"/proc/{pid}")
    assert not named(name)


def named(name):
    """Say whether a process of this name is alive, in whatever namespace."""
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            if path.read_text().strip() == name:
                return True
        except OSError:  # it ended meanwhile
            continue
    return False


def test_candidates_are_cheap(sandbox):
    suite = suite_of("def f():\n    return 1\n")
    with Worker(sandbox, suite.message(), limits=LIMITS) as worker:
        list(worker.run([worker.job([0])]))
        begin = time.monotonic()
        assert len(list(worker.run([worker.job([0])] * 100))) == 100
        assert time.monotonic() - begin < 10.0


def test_the_filter_is_whole_instructions():
    program = build_filter("x86_64")
    assert program is not None
    assert len(program) % 8 == 0
    assert build_filter("pdp11") is None
