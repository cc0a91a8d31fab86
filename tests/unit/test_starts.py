"""A start loads what the road it takes needs, and leaves the rest."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

LOADED = "import json, sys; from ddax import open_agent; print(json.dumps(sorted(sys.modules)))"


@pytest.fixture(scope="module")
def loaded() -> frozenset[str]:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    return frozenset(json.loads(done.stdout))


@pytest.mark.parametrize(
    "name",
    [
        "ddax.evolution.repair", "ddax.evolution.operators", "ddax.memory.gate.order_signs",
        "ddax.memory.store.chroma",
        "ddax.environments.pilot.orders.grammar", "ddax.environments.browser", "chromadb", "playwright",
        "openai", "onnxruntime", "tokenizers", "starlette", "typer",
    ],
)  # fmt: skip
def test_an_import_loads_no_road_that_may_not_be_taken(loaded: frozenset[str], name: str) -> None:
    assert "ddax.graph.runner" in loaded
    assert name not in loaded
