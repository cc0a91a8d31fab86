"""The documentation of the installed Python as a source, read by a process of its own."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

from ddax.actions.sources import open_library
from ddax.errors import SourceError
from ddax.memory.embeddings import HashEmbedder

pytestmark = pytest.mark.integration


async def test_a_module_is_parsed_and_never_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "ddax_probe"
    (package / "tests").mkdir(parents=True)
    (package / "__init__.py").write_text(
        '"""A probe."""\nfrom .inner import shown\nraise SystemExit("imported")\n'
    )
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
        "python:ddax_probe": "ddax_probe\n\nA probe.\n\n- shown(a: int=1) -> str: Show it.",
        "python:ddax_probe.shown": "ddax_probe.shown(a: int=1) -> str\n\nShow it.",
        "python:ddax_probe.inner": "ddax_probe.inner\n\nInside.\n\n- shown(a: int=1) -> str: Show it.",
        "python:ddax_probe.odd": "ddax_probe.odd\n\n- Thing",
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


QUESTIONS = {
    "Which module parses TOML files?": "tomllib",
    "Which function parses TOML from a string?": "tomllib.loads",
    "Which class sorts a graph topologically?": "graphlib.TopologicalSorter",
    "Which module reads and writes JSON?": "json",
    "Which error says where parsing a JSON document failed?": "json.JSONDecodeError",
    "Which module computes SHA-256 hashes?": "hashlib",
    "Which class represents an IANA time zone?": "zoneinfo.ZoneInfo",
    "Which module packs Python values into C structs as bytes?": "struct",
    "Which class runs calls in a pool of threads?": "concurrent.futures.ThreadPoolExecutor",
    "Which function computes the greatest common divisor?": "math.gcd",
}


async def test_names_are_found_where_they_are_public(tmp_path: Path) -> None:
    modules = sorted({title.rpartition(".")[0] or title for title in QUESTIONS.values()})
    library = await open_library(
        [f"python:{module}" for module in modules], embedder=HashEmbedder(), cache_dir=tmp_path
    )
    for question, title in QUESTIONS.items():
        hits = await library.search(question, k=5, mode="lexical")
        assert title in [hit.title for hit in hits], question


async def test_collecting_leaves_the_filters_of_warnings_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ddax_escapes.py").write_text('def go():\n    "Go \\d."\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    before = warnings.filters
    library = await open_library(["python:ddax_escapes"], embedder=HashEmbedder(), cache_dir=tmp_path / "c")
    assert [document.title for document in library.documents] == ["ddax_escapes", "ddax_escapes.go"]
    assert warnings.filters is before
    assert not library.skipped


@pytest.mark.parametrize(
    ("spec", "least"),
    [
        ("python:math", 40),
        ("python:os", 100),
        # In 3.13 some methods moved to a private base class, and inherited ones are not documented yet.
        ("python:pathlib.Path", 30 if sys.version_info < (3, 13) else 27),
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
