"""The whole reference of the installed Python as a source: read once, and kept."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from ddax.actions.sources import open_library
from ddax.actions.sources.python_docs import LEFT_OUT
from ddax.memory.embeddings import HashEmbedder, MiniLmEmbedder

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reference")


async def test_the_reference_of_python_answers(cache: Path) -> None:
    library = await open_library(["python:"], embedder=MiniLmEmbedder(), cache_dir=cache)
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
    again = await open_library(["python:"], embedder=HashEmbedder(), cache_dir=cache)
    assert list(again.documents) == list(library.documents)


async def test_every_public_module_has_a_document(cache: Path) -> None:
    library = await open_library(["python:"], embedder=HashEmbedder(), cache_dir=cache)
    texts = {document.title: document.text for document in library.documents}
    for name in sys.stdlib_module_names - LEFT_OUT:
        if not name.startswith("_") and importlib.util.find_spec(name):
            assert name in texts, name
    assert "- loads(s: str, /, *, parse_float: ParseFloat" in texts["tomllib"]
    assert {"random.choice", "os.path.join", "asyncio.run", "collections.abc.Mapping"} <= texts.keys()
    # A name that a package passes on stands there alone; one that is not the module's stands nowhere.
    assert not {"json.decoder.JSONDecodeError", "json.scanstring", "os.Mapping"} & texts.keys()
