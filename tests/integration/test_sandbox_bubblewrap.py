# ruff: noqa: E501 - programs under test are kept on one line
"""Attacks on the sandbox, each a script that prints ESCAPED where it gets through."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from ddax.errors import SandboxError
from ddax.evolution.sandbox import Bubblewrap, Limits, attack, choose
from ddax.evolution.sandbox.runtime import Runtime
from ddax.evolution.sandbox.seccomp import build_filter
from ddax.evolution.sandbox.worker import Worker
from ddax.evolution.suites import build_suite

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(
        not shutil.which("bwrap") or not sys.platform.startswith("linux"), reason="needs bubblewrap"
    ),
]

SECRET = "sk-canary-7f3a91"
LIMITS = Limits(cpu=2.0, wall=4.0)

ATTACKS = {
    "environment": "import glob,os; t=str(os.environ)+''.join(open(p,'rb').read().decode('latin1') for p in glob.glob('/proc/[0-9]*/environ') if os.access(p,os.R_OK)); ok = SECRET in t",
    "shadow": "open('/etc/shadow').read(); ok = True",
    "passwd of the host": "ok = 'root' in open('/etc/passwd').read()",
    "home of root": "import os; ok = bool(os.listdir('/root'))",
    "write to usr": "open('/usr/lib/x','w').write('x'); ok = True",
    "write to the interpreter": "import sys; open(sys.executable + '.x','w').write('x'); ok = True",
    "write to dev": "open('/dev/x','w').write('x'); ok = True",
    "network": "import socket; socket.create_connection(('127.0.0.1', PORT), 1); ok = True",
    "udp": "import socket; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('8.8.8.8', 53)); ok = True",
    "abstract unix socket": "import socket; s=socket.socket(socket.AF_UNIX); s.connect('\\0ddax-canary'); ok = True",
    "signal to the host": "import os; os.kill(HOST, 0); ok = open('/proc/%d/cmdline' % HOST).read() != ''",
    "mount": "import ctypes; ok = ctypes.CDLL(None).mount(b'x', b'/tmp', b'tmpfs', 0, None) == 0",
    "new user namespace": "import ctypes; ok = ctypes.CDLL(None).unshare(0x10000000) == 0",
    "ptrace": "import ctypes; ok = ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0",
    "become root": "import os; os.setuid(0); ok = True",
    "host name": "import socket; socket.sethostname('x'); ok = True",
    "nice": "import os; os.nice(-20); ok = True",
    "sysrq": "open('/proc/sysrq-trigger','w').write('h'); ok = True",
    "memory of the kernel": "open('/dev/mem','rb').read(1); ok = True",
    "capabilities": "ok = any(l.split()[1] != '0'*16 for l in open('/proc/self/status') if l.startswith(('CapEff','CapPrm','CapBnd')))",
    "privileges": "ok = 'NoNewPrivs:\\t1' not in open('/proc/self/status').read()",
    "inherited files": "import os\nfor fd in range(3, 1024):\n    try:\n        os.fstat(fd); ok = True\n    except OSError: pass",
    "too many files": "for i in range(20):\n    open('/box/%d' % i,'wb').write(b'x'*9*2**20)\nok = True",
    "one large file": "f=open('/tmp/big','wb'); f.seek(2**30); f.write(b'x'); f.flush(); ok = True",
    "shared memory": "for i in range(9):\n    open('/dev/shm/%d' % i,'wb').write(b'x'*9*2**20)\nok = True",
    "fork bomb": "import os,time\nn=0\nfor i in range(300):\n    if os.fork() == 0:\n        time.sleep(3); os._exit(0)\n    n += 1\nok = True",
    "bpf": "import ctypes; ok = ctypes.CDLL(None).syscall(321, 0, 0, 0) != -1",
    "userfaultfd": "import ctypes; ok = ctypes.CDLL(None).syscall(323, 0) != -1",
    "io_uring": "import ctypes; b=ctypes.create_string_buffer(256); ok = ctypes.CDLL(None).syscall(425, 1, b) != -1",
}  # fmt: skip


@pytest.fixture(scope="module")
def sandbox():
    return choose()


def perform(sandbox, body: str) -> str:
    setup = f"SECRET, PORT, HOST = {SECRET!r}, 9, {os.getpid()}\nok = False\n"
    tries = "".join(f"    {line}\n" for line in body.splitlines())
    code = f"{setup}try:\n{tries}except BaseException as e:\n    ok = False\nprint('ESCAPED' if ok else 'held')\n"
    process = sandbox.start(code, {}, limits=LIMITS)
    output, _ = process.communicate(timeout=30)
    return output.decode().strip()


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_attack_is_held(sandbox, monkeypatch, name):
    monkeypatch.setenv("DDAX_TEST_KEY", SECRET)
    assert perform(sandbox, ATTACKS[name]) == "held"


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
    assert perform(sandbox, body).endswith("ESCAPED")


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


def test_no_process_survives(sandbox):
    orphan = (
        "import os, signal, time\n"
        "def f():\n"
        "    if os.fork() == 0:\n"
        "        os.setsid(); signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(77.125)\n"
        "    return 1\n"
    )
    suite = suite_of(orphan)
    with Worker(sandbox, suite.message(), limits=LIMITS) as worker:
        list(worker.run([worker.job([0])]))
        pid = worker.open().process.pid
    time.sleep(0.3)
    assert not os.path.exists(f"/proc/{pid}")
    command = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    assert command.stdout == ""


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
