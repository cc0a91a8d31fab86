"""The documentation of the installed Python as a source."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ddax.actions.sources import open_library
from ddax.errors import SourceError
from ddax.memory.embeddings import HashEmbedder, MiniLmEmbedder


async def test_the_reference_of_python_answers(tmp_path: Path) -> None:
    library = await open_library(["python:"], embedder=MiniLmEmbedder(), cache_dir=tmp_path)
    titles = {document.title for document in library.documents}
    expected = {"statistics.median", "pathlib.Path.glob", "os.listdir", "builtins.str.split", "math.sqrt",
            "json.loads", "itertools.chain", "collections.deque.append", "decimal.Decimal.sqrt"}  # fmt: skip
    assert expected <= titles
    assert 'The "with" statement' in titles
    assert not any(title.startswith("test.") for title in titles)
    hits = await library.search("how do I compute the median of a list", k=3)
    assert hits[0].source == "python:statistics.median"
    document = await library.read("python:statistics.median")
    assert document.text.startswith("statistics.median(data)\n\nReturn the median")
    again = await open_library(["python:"], embedder=HashEmbedder(), cache_dir=tmp_path)
    assert again.documents == library.documents


async def test_a_module_is_parsed_and_never_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "ddax_probe"
    (package / "tests").mkdir(parents=True)
    (package / "__init__.py").write_text('"""A probe."""\nraise SystemExit("imported")\n')
    (package / "inner.py").write_text(
        '"""Inside."""\n__all__ = ["shown"]\n\ndef shown(a: int = 1) -> str:\n    """Show it."""\n\n'
        'def unlisted():\n    """Not public."""\n'
    )
    (package / "bad.py").write_text("def broken(:\n")
    (package / "odd.py").write_text(
        'def _private():\n    "No."\nclass Thing:\n    def go(self):\n        "Go \\d."\n'
    )
    (package / "tests" / "__init__.py").write_text('"""Tests."""')
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    library = await open_library(["python:ddax_probe"], embedder=HashEmbedder(), cache_dir=tmp_path / "c")
    assert {document.source: document.text for document in library.documents} == {
        "python:ddax_probe": "ddax_probe\n\nA probe.",
        "python:ddax_probe.inner": "ddax_probe.inner\n\nInside.\n\n- shown(a: int=1) -> str: Show it.",
        "python:ddax_probe.inner.shown": "ddax_probe.inner.shown(a: int=1) -> str\n\nShow it.",
        "python:ddax_probe.odd.Thing": "ddax_probe.odd.Thing\n\n- go(self): Go \\d.",
        "python:ddax_probe.odd.Thing.go": "ddax_probe.odd.Thing.go(self)\n\nGo \\d.",
    }
    assert "ddax_probe" not in sys.modules
    assert [item.source for item in library.skipped] == ["python:ddax_probe.bad"]
    part = await open_library(
        ["python:ddax_probe.odd.Thing"], embedder=HashEmbedder(), cache_dir=tmp_path / "c"
    )
    assert [document.title for document in part.documents] == [
        "ddax_probe.odd.Thing",
        "ddax_probe.odd.Thing.go",
    ]


@pytest.mark.parametrize(
    ("spec", "least"),
    [
        ("python:math", 40),
        ("python:os", 100),
        ("python:pathlib.Path", 30),
        ("python:json", 8),
        ("python:ddax", 20),
    ],
)
async def test_modules_of_every_kind_are_read(spec: str, least: int, tmp_path: Path) -> None:
    library = await open_library([spec], embedder=HashEmbedder(), cache_dir=tmp_path)
    assert len(library.documents) >= least


@pytest.mark.parametrize(
    "spec", ["python:no_such_module", "python:os.nothing", "python:a b", "python:../x", "python:os;x"]
)
async def test_unknown_modules_are_refused_by_name(spec: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        await open_library([spec], embedder=HashEmbedder(), cache_dir=tmp_path)
    assert spec in str(caught.value)
