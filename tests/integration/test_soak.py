"""A short soak: what a process holds after many generations is what it held after a few."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import soak

pytestmark = [pytest.mark.integration, pytest.mark.long]


async def test_generations_leave_no_task_thread_file_or_lock_behind(tmp_path: Path) -> None:
    samples, closed = await soak.soak(tmp_path, 12 * soak.FOLLOW_UPS, 4)
    first, last = samples[1], samples[-1]
    assert (last.tasks, last.locks) == (first.tasks, first.locks)
    # The pool of threads fills slowly, and each of them may keep a file open; a leak would bring 10.
    assert last.files - first.files < 5
    assert last.threads - first.threads < 5
    assert last.memory < 1.2 * first.memory
    assert closed.locks == 0 < last.locks
    assert closed.files < last.files
