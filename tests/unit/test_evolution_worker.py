"""What the worker of a sandbox says of a suite that it cannot make ready, and how long tests may take."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping

import pytest

from ddax.errors import DdaxError, SandboxError, SourceError
from ddax.evolution.inside.loading import OutOfTicks, Ticks
from ddax.evolution.sandbox.protocol import FLOOR, SLACK, Limits, Pace
from ddax.evolution.sandbox.worker import Worker

_ANSWER = """
import struct, sys
size = struct.unpack(">I", sys.stdin.buffer.read(4))[0]
sys.stdin.buffer.read(size)
body = {body!r}
sys.stdout.buffer.write(struct.pack(">I", len(body)) + body)
"""


class Answering:
    """A sandbox whose process answers a suite with these bytes and ends."""

    name = "answering"

    def __init__(self, body: bytes) -> None:
        self.body = body

    def start(self, code: str, files: Mapping[str, str], *, limits: Limits) -> subprocess.Popen[bytes]:
        """Start the process; the code is not run."""
        argv = [sys.executable, "-c", _ANSWER.format(body=self.body)]
        return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


@pytest.mark.parametrize(
    ("body", "error", "code", "says"),
    [
        (b'{"ok":false,"error":"x","missing":"_pytest"}', SourceError, 2, "pytest is not installed"),
        (b'{"ok":false,"error":"x","missing":"_pytest.config"}', SourceError, 2, "pip install pytest"),
        (b'{"ok":false,"error":"ValueError: odd","missing":""}', SandboxError, 3, "ValueError: odd."),
        (b'{"ok":false,"missing":"pluggy","error":"No pluggy"}', SandboxError, 3, "No pluggy."),
        (b"[]", SandboxError, 3, "gave no reason"),
        (b"no json", SandboxError, 3, "did not start"),
    ],
)
def test_a_suite_that_cannot_be_made_ready_says_why(
    body: bytes, error: type[DdaxError], code: int, says: str
) -> None:
    with Worker(Answering(body), {}, limits=Limits()) as worker, pytest.raises(error, match=says) as raised:
        worker.open()
    assert raised.value.exit_code == code
    assert worker.channel is None


def test_rounds_alone_use_up_no_budget():
    ticks = Ticks()
    ticks.reset(10, 60.0)
    for _ in range(200_000):
        ticks.tick()
    assert not ticks.out


def test_what_is_over_both_rounds_and_time_is_out_for_ever():
    ticks = Ticks()
    ticks.reset(10, 0.0)
    for _ in range(10):
        ticks.tick()
    for _ in range(2):
        with pytest.raises(OutOfTicks):
            ticks.tick()
    ticks.reset(0)
    for _ in range(100):
        ticks.tick()


def test_a_test_is_allowed_several_times_what_it_took():
    pace = Pace(0.1, {0: 0.001, 1: 2.0})
    assert pace.allowed(0) == FLOOR and pace.allowed(0, 10.0) == 10 * FLOOR
    assert pace.allowed(1) == pace.allowed(2) == SLACK * 2.0  # of the third nothing is known
    assert pace.whole([0, 1]) == pytest.approx(SLACK * 2.101)
