"""Builds the seccomp filter of the sandbox: calls that no honest program under test needs fail with EPERM."""

from __future__ import annotations

import errno
import platform
import struct

_DENIED: dict[str, tuple[int, tuple[int, ...]]] = {
    # audit architecture, then: ptrace, process_vm_readv/writev, mount family, pivot_root, chroot,
    # keyring, perf, bpf, userfaultfd, io_uring, kexec, modules, name_to_handle, open_by_handle,
    # setns, unshare, personality, quotactl, acct, swap, reboot, clock and host name settings.
    "x86_64": (0xC000003E, (
        101, 310, 311, 165, 166, 155, 161, 428, 429, 430, 431, 432, 433, 442, 248, 249, 250, 298, 321, 323,
        425, 426, 427, 246, 320, 175, 176, 313, 303, 304, 308, 272, 135, 179, 163, 167, 168, 169, 159, 164,
        227, 305, 170, 171, 172, 173, 312, 438,
    )),
    "aarch64": (0xC00000B7, (
        117, 270, 271, 40, 39, 41, 51, 428, 429, 430, 431, 432, 433, 442, 217, 218, 219, 241, 280, 282,
        425, 426, 427, 104, 294, 105, 106, 273, 264, 265, 268, 97, 92, 60, 89, 224, 225, 142, 171, 170,
        112, 266, 161, 162, 272, 438,
    )),
}  # fmt: skip

_LOAD, _JUMP_EQ, _JUMP_GE, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_X32 = 0x40000000
_IOCTL = {"x86_64": 16, "aarch64": 29}
_TIOCSTI = 0x5412


def _step(code: int, true: int, false: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, true, false, value)


def build_filter(machine: str = "") -> bytes | None:
    """Return the filter program as bytes for ``bwrap --seccomp``, or None for an unknown machine."""
    machine = machine or platform.machine()
    if machine not in _DENIED:
        return None
    arch, denied = _DENIED[machine]
    refuse = _step(_RETURN, 0, 0, _ERRNO | errno.EPERM)
    steps = [
        _step(_LOAD, 0, 0, 4),
        _step(_JUMP_EQ, 1, 0, arch),
        _step(_RETURN, 0, 0, _KILL),
        _step(_LOAD, 0, 0, 0),
    ]
    if machine == "x86_64":
        steps += [_step(_JUMP_GE, 0, 1, _X32), refuse]
    for number in denied:
        steps += [_step(_JUMP_EQ, 0, 1, number), refuse]
    steps += [
        _step(_JUMP_EQ, 0, 3, _IOCTL[machine]), _step(_LOAD, 0, 0, 24),
        _step(_JUMP_EQ, 0, 1, _TIOCSTI), refuse,
        _step(_RETURN, 0, 0, _ALLOW),
    ]  # fmt: skip
    return b"".join(steps)
