# ruff: noqa: E501 - each attack is kept on one line
"""Attacks on the sandbox, each the body of a script that sets `ok` where it gets through."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from sys import executable
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddax.evolution.sandbox import Limits, Sandbox

SECRET = "sk-canary-" + secrets.token_hex(8)
"""Made anew in every process; stands in the environment while an attack is made."""

ATTACKS = {
    "environment": "import glob,os\nt=str(os.environ)\nfor p in glob.glob('/proc/[0-9]*/environ'):\n    try: t += open(p,'rb').read().decode('latin1')\n    except OSError: pass\nok = SECRET in t",
    "shadow": "open('/etc/shadow').read(); ok = True",
    "passwd of the host": "ok = 'root' in open('/etc/passwd').read()",
    "home of root": "import os; ok = bool(os.listdir('/root'))",
    "write to usr": "open('/usr/lib/x','w').write('x'); ok = True",
    "write to the interpreter": "import sys; open(sys.executable + '.x','w').write('x'); ok = True",
    "write to dev": "open('/dev/x','w').write('x'); ok = True",
    "network": "import socket; socket.create_connection(('127.0.0.1', PORT), 1); ok = True",
    "udp": "import socket; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('8.8.8.8', 53)); ok = True",
    "abstract unix socket": "import socket; s=socket.socket(socket.AF_UNIX); s.connect('\\0' + NAME); ok = True",
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
    "bpf": "import ctypes,os; n={'x86_64': 321, 'aarch64': 280}[os.uname().machine]; ok = ctypes.CDLL(None, use_errno=True).syscall(n, 0, 0, 0) != -1 or ctypes.get_errno() != 1  # without arguments it is refused in any case, but then with another error",
    "userfaultfd": "import ctypes,os; n={'x86_64': 323, 'aarch64': 282}[os.uname().machine]; ok = ctypes.CDLL(None).syscall(n, 0) != -1",
    "io_uring": "import ctypes; b=ctypes.create_string_buffer(256); ok = ctypes.CDLL(None).syscall(425, 1, b) != -1",
    "memory of the host": "p='/proc/%d/' % HOST; m=open(p + 'mem','rb',0); m.seek(int(open(p + 'maps').read().split('-')[0], 16)); ok = bool(m.read(1))",
    "memory of another process": "import ctypes; b=ctypes.create_string_buffer(16); ok = ctypes.CDLL(None).process_vm_readv(1, ctypes.byref(b), 1, ctypes.byref(b), 1, 0) >= 0",
    "setuid programs": "import subprocess; ok = subprocess.run(['/usr/bin/su','-c','id'], capture_output=True, stdin=subprocess.DEVNULL, timeout=3).returncode == 0",
    "a plant for the next run": "import sys; place=[p for p in sys.path if 'site' in p or 'lib' in p]; open(place[-1] + '/sitecustomize.py','w').write('x'); ok = True",
    "a startup file in the home": "import os; open('/root/.pythonrc','w').write('x'); ok = True",
    "keys of the terminal": "import fcntl; fcntl.ioctl(0, 0x5412, b'x'); ok = True",
    "the clock": "import time; time.clock_settime(time.CLOCK_REALTIME, 0); ok = True",
    "kernel settings": "open('/proc/sys/kernel/core_pattern','w').write('|/box/x'); ok = True",
    "devices": "import os; os.mknod('/box/sda', 0o60600, os.makedev(8, 0)); ok = True",
    "raw packets": "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).sendto(b'x'*8, ('8.8.8.8', 0)); ok = True",
    "the code of the harness": "open('/ddax/inside/zygote.py','a').write('x'); ok = True",
    "a user namespace by clone": "import ctypes,os\nlibc=ctypes.CDLL(None); n={'x86_64': 56, 'aarch64': 220}[os.uname().machine]; pid=libc.syscall(n, 0x10000011, 0, 0, 0, 0)\nif pid == 0: os._exit(0)\nok = pid > 0",
    "signal to all": "import os,signal; os.kill(HOST, 0); ok = os.getpgid(HOST) > 0 and HOST > 64",
    "files of other users": "import os; ok = any(os.access(p, os.R_OK) and os.listdir(p) for p in ('/home', '/var/log', '/etc', '/tmp/..' + '/root') if os.path.isdir(p))",
    "a socket of the project": "import socket; s=socket.socket(socket.AF_UNIX); s.connect(FOLDER + '/x.sock'); ok = True",
    "a socket among versions": "import socket; s=socket.socket(socket.AF_UNIX); s.connect(FOLDER + '/.git/x.sock'); ok = True",
    "a pipe of the project": "import os; os.close(os.open(FOLDER + '/pipe', os.O_WRONLY | os.O_NONBLOCK)); ok = True",
}  # fmt: skip


LET_THROUGH = (
    "environment", "passwd of the host", "network", "abstract unix socket", "signal to the host", "signal to all",
    "inherited files", "the code of the harness", "files of other users", "a socket of the project",
    "a socket among versions", "a pipe of the project",
)  # fmt: skip
"""Attacks that harm nothing and get through for every user of every machine where there is no sandbox."""
AS_ALLOWED = (
    "shadow", "home of root", "new user namespace", "a user namespace by clone", "ptrace", "become root",
    "memory of the kernel", "capabilities", "privileges", "bpf", "userfaultfd", "io_uring", "memory of the host",
    "memory of another process", "setuid programs",
)  # fmt: skip
"""Attacks that harm nothing and get through without a sandbox where the machine allows it to the user."""


class NoSandbox:
    """Holds nothing: the control, by which an attack shows that it can get through."""

    name = "no sandbox"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self, code: str, files: Mapping[str, str], *, limits: Limits) -> subprocess.Popen[bytes]:
        """Start `python -c code` with all that this process has, and the files in a folder for `/ddax`."""
        for name, text in files.items():
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        return subprocess.Popen(
            [executable, "-c", code.replace("/ddax/", f"{self.folder}/")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False,
        )  # fmt: skip


def held_by_nothing(names: tuple[str, ...], *, limits: Limits) -> list[str]:
    """Make attacks with no sandbox and return those that do not get through: their `held` says nothing."""
    with TemporaryDirectory(prefix="ddax-control-") as folder:
        open_ = NoSandbox(Path(folder))
        return [name for name in names if perform(open_, ATTACKS[name], limits=limits) != "ESCAPED"]


@contextmanager
def bait() -> Iterator[tuple[int, str]]:
    """Lay out what no attack may reach: a secret, listeners, an open descriptor; yields their port and name."""
    name = "ddax-canary-" + secrets.token_hex(8)
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as server,
        closing(socket.socket(socket.AF_UNIX)) as local,
    ):
        local.bind(f"\0{name}")
        local.listen()
        server.set_inheritable(True)
        os.environ["DDAX_CANARY_KEY"] = SECRET
        try:
            yield server.getsockname()[1], name
        finally:
            del os.environ["DDAX_CANARY_KEY"]


@contextmanager
def project() -> Iterator[str]:
    """Make a project that anybody may read, with sockets and a pipe at whose other ends somebody listens."""
    with TemporaryDirectory(prefix="ddax-bait-") as folder, ExitStack() as ends:
        (Path(folder) / ".git").mkdir()
        for place in (Path(folder), Path(folder) / ".git"):
            heard = ends.enter_context(closing(socket.socket(socket.AF_UNIX)))
            heard.bind(str(place / "x.sock"))
            heard.listen()
            (place / "x.sock").chmod(0o777)
            place.chmod(0o755)
        pipe = Path(folder) / "pipe"
        os.mkfifo(pipe)
        pipe.chmod(0o777)
        ends.callback(os.close, os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
        yield folder


def perform(sandbox: Sandbox, body: str, *, limits: Limits) -> str:
    """Run the body of an attack; returns "ESCAPED" or "held" as it says itself, or "" if it was ended."""
    from ddax.evolution.sandbox.carried import carrying, dropped
    from ddax.evolution.sandbox.worker import inside_files

    tries = "".join(f"    {line}\n" for line in body.splitlines())
    with bait() as (port, name), project() as folder:
        carried = carrying(sandbox, folder)
        inside = folder if carried is sandbox else "/project"
        setup = f"SECRET, PORT, HOST, NAME = {SECRET!r}, {port}, {os.getpid()}, {name!r}\nFOLDER = {inside!r}\nok = False\n"
        code = f"{setup}try:\n{tries}except BaseException as e:\n    ok = False\nprint('ESCAPED' if ok else 'held')\n"
        process = carried.start(code, inside_files(), limits=limits)
        try:
            output, _ = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        finally:
            dropped(carried)
    return output.decode(errors="replace").strip()
