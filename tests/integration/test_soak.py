"""A short soak: what a process holds after many generations is what it held after a few."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import soak

pytestmark = pytest.mark.integration


async def test_generations_leave_no_task_thread_file_or_lock_behind(tmp_path: Path) -> None:
    samples, closed = await soak.soak(tmp_path, 3 * soak.FOLLOW_UPS, 4)
    _, first, last = samples
    assert (last.tasks, last.files, last.locks) == (first.tasks, first.files, first.locks)
    assert last.threads <= first.threads
    assert last.memory < 1.2 * first.memory
    assert closed.locks == 0 < last.locks
    assert closed.files < last.files
