# ruff: noqa: E501 - each attack is kept on one line
"""Attacks on the sandbox, each the body of a script that sets `ok` where it gets through."""

from __future__ import annotations

import os
import secrets
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddax.evolution.sandbox import Limits, Sandbox

SECRET = "sk-canary-" + secrets.token_hex(8)
"""Made anew in every process; whoever attacks puts it into the environment first."""

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
    "memory of the parent": "open('/proc/1/mem','rb').seek(4096); ok = bool(open('/proc/1/mem','rb').read(1))",
    "memory of another process": "import ctypes,os; b=ctypes.create_string_buffer(8); ok = ctypes.CDLL(None).process_vm_readv(1, ctypes.byref(b), 1, ctypes.byref(b), 1, 0) >= 0",
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
}  # fmt: skip


def perform(sandbox: Sandbox, body: str, *, limits: Limits) -> str:
    """Run the body of an attack; returns "ESCAPED" or "held" as it says itself, or "" if it was ended."""
    setup = f"SECRET, PORT, HOST = {SECRET!r}, 9, {os.getpid()}\nok = False\n"
    tries = "".join(f"    {line}\n" for line in body.splitlines())
    code = f"{setup}try:\n{tries}except BaseException as e:\n    ok = False\nprint('ESCAPED' if ok else 'held')\n"
    process = sandbox.start(code, {}, limits=limits)
    try:
        output, _ = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    return output.decode(errors="replace").strip()
