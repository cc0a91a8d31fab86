"""The encoder as it multiplies here, in 8 bits, beside the same weights widened to 32 bits."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.core import Figure, Options, Result, Target

NAME = "encoder"
DESCRIPTION = "all-MiniLM-L6-v2 in 8 bits beside 32 bits: how alike vectors are, texts a second, loading"
BESIDE = 16
"""Texts of one batch."""
Took = dict[tuple[str, str], list[float]]
"""What was measured, by its name and its unit."""
UNKNOWN_FIELD = bytes([0xA0, 0x06, 0x01])
"""A field that the format of models has not: with it a file is another one, and its own graph multiplies."""


def run(options: Options) -> Result:
    """Measure both in turn on one core, so that a busy minute hits both alike."""
    repetitions = 3 if options.quick else 9
    texts = shipped_texts()
    with tempfile.TemporaryDirectory() as folder:
        opened = {"8 bits": installed(), "32 bits": widened(Path(folder))}
        took: Took = {}
        rows: dict[str, Any] = {}
        for _ in range(repetitions):
            for name, (path, sha256) in opened.items():
                measure(name, path, sha256, texts, took, rows)
    figures = [*alike(rows["8 bits"], rows["32 bits"]), *(_speed(*name, took[name]) for name in sorted(took))]
    return Result(NAME, tuple(figures), (options.seed,), repetitions, (
        f"{len(texts)} texts of configs/calibration_pairs.yaml, on one core; low and high are min and max",
    ))  # fmt: skip


def shipped_texts() -> list[str]:
    """Return what the scale of surprise is measured on: short sentences of the kind that leaves expect."""
    from ddax.configs.documents import read_document, shipped

    pairs = read_document(shipped("calibration_pairs.yaml")).values["pairs"]
    return sorted({str(text) for pair in pairs for text in pair})


def installed() -> tuple[Path, str]:
    """Return the file of weights and its hash."""
    from ddax.memory.embeddings import MODEL_SHA256, installed_model

    return installed_model(), MODEL_SHA256


def widened(folder: Path) -> tuple[Path, str]:
    """Return a copy of the file that counts as another one."""
    content = installed()[0].read_bytes() + UNKNOWN_FIELD
    path = folder / "model.onnx"
    path.write_bytes(content)
    return path, hashlib.sha256(content).hexdigest()


def measure(name: str, path: Path, sha256: str, texts: list[str], took: Took, rows: dict[str, Any]) -> None:
    """Load once, and embed all texts alone and in batches."""
    from ddax.memory.embeddings import load_session, load_tokenizer, pooled

    tokenizer = load_tokenizer()
    ids = sorted((tokenizer.encode(text).ids for text in texts), key=len)
    batches = [ids[at : at + BESIDE] for at in range(0, len(ids), BESIDE)]
    began = time.perf_counter()
    session = load_session(path, sha256, 1)
    took.setdefault((f"{name}: loading", "s"), []).append(time.perf_counter() - began)
    pooled(session, ids[:1])
    alone = _timed(lambda: [pooled(session, [text]) for text in ids])
    beside = _timed(lambda: rows.update({name: np.concatenate([pooled(session, b) for b in batches])}))
    took.setdefault((f"{name}: texts a second, alone", "1/s"), []).append(len(ids) / alone)
    took.setdefault((f"{name}: texts a second, {BESIDE} beside each other", "1/s"), []).append(
        len(ids) / beside
    )


def alike(narrow: Any, wide: Any) -> list[Figure]:
    """Return how far vectors of both lie apart, and how far the cosines of all pairs do."""
    cosines = (narrow * wide).sum(axis=1)
    apart = np.abs(narrow @ narrow.T - wide @ wide.T)
    n = len(cosines)
    return [
        Figure("cosine of a text's two vectors, mean", float(cosines.mean()), "", Target(">=", 0.999), n=n),
        Figure("cosine of a text's two vectors, least", float(cosines.min()), "", n=n),
        Figure("cosine of two texts: apart, mean", float(apart.mean()), "", n=apart.size),
        Figure("cosine of two texts: apart, largest", float(apart.max()), "", n=apart.size),
    ]


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _speed(name: str, unit: str, found: list[float]) -> Figure:
    return Figure(name, float(np.median(found)), unit, low=min(found), high=max(found), n=len(found))
