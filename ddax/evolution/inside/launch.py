"""Builds a box around this process and becomes the program in it; what bubblewrap does, by hand.

Runs as the first process of new namespaces, as their root, and reads its order from a descriptor. The
steps: a root of its own with only what the order names; no further user namespaces; another user
namespace in which nobody is root; no capabilities; Landlock; seccomp; then the program. Any step that
fails ends the process, so that a half-built box never runs anything.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import resource
import struct
import sys
from typing import Any

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
MNT_DETACH, CLONE_NEWUSER = 2, 0x10000000
PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP, PR_SET_SECCOMP = 38, 24, 22
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
READ, WRITE, ALL_V1 = 0b1101, 0b10, (1 << 13) - 1
REFER, TRUNCATE, IOCTL = 1 << 13, 1 << 14, 1 << 15
DEVICES = 1 << 6 | 1 << 11
NEW_ROOT, PROJECT = "/srv", "/project"
MIB = 1 << 20

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> int:
    """Return a call's result; raises OSError where it failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount, or raise OSError."""
    words = [w.encode() if w else None for w in (source, target, kind)]
    check(libc.mount(*words, ctypes.c_ulong(flags), data.encode() or None), f"mount {target}")


def bind(source: str, target: str) -> None:
    """Show a file or folder of the host in the new root."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    mount(source, target, "", MS_BIND | MS_REC)
    if target == NEW_ROOT + PROJECT:  # its owner may be who runs this
        kept = os.statvfs(target).f_flag & (os.ST_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME)
        mount("", target, "", MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | kept)


def build_root(order: dict[str, Any]) -> None:
    """Make the new root and move into it; the host's files are gone then."""
    mount("", "/", "", MS_REC | MS_PRIVATE)
    mount("ddax", NEW_ROOT, "tmpfs", MS_NOSUID | MS_NODEV, f"size={16 * MIB},mode=755")
    for source, target in order["binds"]:
        bind(source, NEW_ROOT + target)
    for target, link in order["links"]:
        os.symlink(target, NEW_ROOT + link)
    os.mkdir(f"{NEW_ROOT}/proc")
    mount("proc", f"{NEW_ROOT}/proc", "proc", MS_NOSUID | MS_NODEV)
    for name in ("null", "zero", "full", "random", "urandom"):
        bind(f"/dev/{name}", f"{NEW_ROOT}/dev/{name}")
    for folder, size in (("/dev/shm", 16 * MIB), ("/tmp", order["scratch"]), ("/box", order["scratch"])):  # noqa: S108
        os.makedirs(NEW_ROOT + folder)
        mount("ddax", NEW_ROOT + folder, "tmpfs", MS_NOSUID | MS_NODEV, f"size={size},mode=1777")
    for name, text in order["files"].items():
        place = f"{NEW_ROOT}/ddax/{name}"
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w") as stream:
            stream.write(text)
    os.chdir(NEW_ROOT)
    check(libc.syscall(PIVOT_ROOT[os.uname().machine], b".", b"."), "pivot_root")
    check(libc.umount2(b".", MNT_DETACH), "umount")
    os.chdir("/")
    mount("", "/", "", MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


def write(path: str, text: str) -> None:
    """Write a setting of the kernel."""
    with open(path, "w") as stream:
        stream.write(text)


def become_nobody(uid: int) -> None:
    """Enter a last user namespace as a plain user, with no capability that an exec could bring back."""
    write("/proc/sys/user/max_user_namespaces", "1")
    check(libc.unshare(CLONE_NEWUSER), "unshare")
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{uid} 0 1")
    write("/proc/self/gid_map", f"{uid} 0 1")
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break


def landlock(rules: list[tuple[str, int]]) -> None:
    """Forbid every access to files but these; raises OSError where the kernel has no Landlock."""
    abi = check(libc.syscall(CREATE_RULESET, None, 0, 1), "Landlock")
    handled = ALL_V1 | (REFER if abi > 1 else 0) | (TRUNCATE if abi > 2 else 0) | (IOCTL if abi > 4 else 0)
    attributes = struct.pack("=QQQ", handled, 0b11 if abi > 3 else 0, 0b11 if abi > 5 else 0)
    size = 24 if abi > 5 else 16 if abi > 3 else 8
    ruleset = check(libc.syscall(CREATE_RULESET, attributes, size, 0), "Landlock rules")
    for path, access in rules:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", access & handled, fd)
        check(libc.syscall(ADD_RULE, ruleset, 1, rule, 0), f"Landlock rule for {path}")
        os.close(fd)
    check(libc.syscall(RESTRICT_SELF, ruleset, 0), "Landlock restriction")
    os.close(ruleset)


def rules() -> list[tuple[str, int]]:
    """Return the accesses that a program under test needs."""
    writable = ALL_V1 & ~DEVICES | REFER | TRUNCATE
    found = [
        (path, READ) for path in ("/usr", "/opt", "/ddax", "/proc", "/dev", PROJECT) if os.path.isdir(path)
    ]
    found += [(f"/dev/{name}", WRITE | 0b100) for name in ("null", "zero", "full", "random", "urandom")]
    return found + [(path, writable) for path in ("/tmp", "/box", "/dev/shm")]  # noqa: S108


def seccomp(program: bytes) -> None:
    """Install the filter of system calls."""
    buffer = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    check(libc.prctl(PR_SET_SECCOMP, 2, head, 0, 0), "seccomp")


def main() -> None:
    """Follow the order, then become the program."""
    with os.fdopen(int(sys.argv[1]), "rb") as stream:
        order = json.load(stream)
    build_root(order)
    for name, value in order["limits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    become_nobody(order["uid"])
    os.chdir("/box")
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    landlock(rules())
    if order["seccomp"]:
        seccomp(base64.b64decode(order["seccomp"]))
    os.execve(order["argv"][0], order["argv"], order["env"])  # noqa: S606 - this is its purpose


if __name__ == "__main__":
    main()
