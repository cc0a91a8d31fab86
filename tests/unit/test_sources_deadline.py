"""Reading files ends: each after its share of CPU time, all of them with the time of the run."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
from pathlib import Path

import pytest

from ddax.actions.sources import Bounds, open_library
from ddax.actions.sources import files as files_read
from ddax.actions.sources.documents import ExtractCache
from ddax.actions.sources.files import Candidate, child, extracted, extracted_apart, read_all
from ddax.actions.web.reading import Reader
from ddax.errors import ActionError, SourceError
from ddax.memory.embeddings import HashEmbedder

ENDLESS = "<style>y div div div div div{opacity:0}</style>" + "<div>" * 400
"""A page of two kilobytes that takes longer to read than anybody waits."""


def of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("name", ["slow.html", "docs/slow.htm", "docs/slow.xhtml"])
async def test_reading_ends_with_the_time_of_the_run(tmp_path: Path, name: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("The heron wades.")
    (tmp_path / name).write_text(ENDLESS)
    spec, before = str(tmp_path / name.split("/")[0]), of_children()
    with pytest.raises(SourceError) as caught:
        cache = tmp_path / "cache"
        await open_library([spec], embedder=HashEmbedder(), cache_dir=cache, bounds=Bounds(seconds=3.0))
    assert caught.value.what == f"The source {spec!r} cannot be read."
    assert "max_seconds = 3 was over" in caught.value.why and "--max-seconds" in caught.value.mend
    assert of_children() - before < 20, "the process that read it was ended, not let go on"
    if spec.endswith("docs"):
        path = tmp_path / "docs" / "a.txt"
        key, stamp = f"file:{path}", f"{path.stat().st_mtime_ns}:{path.stat().st_size}"
        kept = ExtractCache(tmp_path / "cache").get([(key, stamp)])
        assert key in kept, "what was read in time is not read again"


async def test_a_page_has_as_much_time_on_a_busy_machine() -> None:
    reader = Reader(seconds=1.0)
    try:
        await reader.read(b"<p>first</p>", "html", fallback="f", base="b", charset="")
        running = reader._child
        assert running is not None
        os.kill(running.pid, signal.SIGSTOP)  # nobody gives it a core
        asyncio.get_running_loop().call_later(2.0, os.kill, running.pid, signal.SIGCONT)
        page = await reader.read(b"<p>late</p>", "html", fallback="f", base="b", charset="")
        assert page.text == "late" and reader.kills == 0
    finally:
        await reader.close()


async def test_a_large_page_has_more_time_and_says_how_much(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(files_read, "PAGE_SECONDS", 0.5)
    monkeypatch.setattr(files_read, "SECONDS_A_MEGABYTE", {"html": 2.0})
    reader, path = child(), tmp_path / "deep.html"
    path.write_text("<div>" * 100_000 + "x")  # half a megabyte, nested without sense
    try:
        assert "longer than 1.5 s of CPU time" in str(await extracted_apart(path, reader))
    finally:
        await reader.close()


async def test_a_reader_that_never_gets_a_core_is_given_up_and_that_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = Reader(seconds=60)
    try:
        await reader.read(b"<p>first</p>", "html", fallback="f", base="b", charset="")
        assert reader._child is not None
        os.kill(reader._child.pid, signal.SIGSTOP)
        reader._seconds = 0.02
        with pytest.raises(ActionError, match=r"longer than 1\.2 s by the clock"):
            await reader.read(b"<p>late</p>", "html", fallback="f", base="b", charset="")
        assert reader.kills == 1
    finally:
        await reader.close()


TEXTS = {
    "a.txt": "Herons\n======\n\nThe heron wades\u200b in ﬁelds.\r\n" * 40,
    "b.md": "# Herons\n\n<!-- no -->| a | b |\n| - | - |\n| 1 | ~~2~~ 3 |\n",
    "c.csv": "city,people\nVellin,12\n" * 30,
    "d.json": json.dumps([{"a": n, "b": "é\u2028\ud83d\ude00"} for n in range(30)]),
    "e.unknown": "plain [link](http://a.test/x)\n",
    "f.txt": "a\0b",
    "g.txt": "   \n",
    "h.txt": "latin \xe9",
}


async def test_a_file_says_the_same_in_either_process(tmp_path: Path) -> None:
    reader = child()
    try:
        for name, text in TEXTS.items():
            path = tmp_path / name
            path.write_bytes(text.encode("latin-1" if name == "h.txt" else "utf-8", "surrogatepass"))
            assert await extracted_apart(path, reader) == extracted(path), name
        missing = tmp_path / "missing.txt"
        assert await extracted_apart(missing, reader) == extracted(missing)
    finally:
        await reader.close()


@pytest.mark.parametrize(("size", "apart"), [(100, False), (600_000, True)])
def test_small_files_start_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, apart: bool
) -> None:
    started = []
    monkeypatch.setattr(files_read, "child", lambda: started.append(1) or child())
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("The heron wades. " * (size // 17))
    items = [Candidate(p, p.name, "1", p.stat().st_size) for p in sorted(tmp_path.glob("*.txt"))]
    found = read_all(items, ExtractCache(tmp_path / "cache"))
    assert len(found.documents) == 3 and bool(started) == apart
