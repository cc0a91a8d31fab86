"""Embedders that users bring: a provider through LangChain, a folder of sentence-transformers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ddax.errors import SettingsError
from ddax.memory.embed.rows import Rows, embedder_errors, unit_rows


class ProviderEmbedder:
    """Embed with a provider's model named `provider:model`; opening it costs one call, to learn `dim`.

    Raises SettingsError where the package or key is missing, ReasonerError where the provider fails.
    """

    def __init__(self, name: str) -> None:
        from langchain.embeddings import init_embeddings

        self.name = self.fingerprint = name
        try:
            self._model = init_embeddings(name)
        except (ImportError, ValueError) as exc:
            raise SettingsError(
                f"The embedder {name!r} cannot be opened.",
                why=str(exc),
                mend="Name it 'provider:model' and install that provider's package.",
            ) from exc
        self.dim = self._call(["dimension"]).shape[1]

    def embed(self, texts: Sequence[str]) -> Rows:
        rows = np.zeros((len(texts), self.dim), np.float32)
        wanted = [i for i, text in enumerate(texts) if text.strip()]
        if wanted:
            rows[wanted] = self._call([texts[i] for i in wanted])
        return rows

    def _call(self, texts: list[str]) -> Rows:
        mend = "Check its key and the network, or take the shipped one: open_embedder()."
        with embedder_errors(self.name, mend):
            vectors: Any = self._model.embed_documents(texts)
        return unit_rows(np.asarray(vectors, np.float64))


class FolderEmbedder:
    """Embed with a sentence-transformers model in a local folder; needs that package."""

    def __init__(self, folder: Path) -> None:
        try:
            from sentence_transformers import SentenceTransformer  # pyright: ignore[reportMissingImports]
        except ImportError as exc:
            raise SettingsError(
                f"The embedder in {str(folder)!r} needs sentence-transformers.",
                why="The package is not installed.",
                mend="pip install sentence-transformers",
            ) from exc
        self.name = folder.name
        self.fingerprint = f"{folder.name}:{folder_hash(folder)}"
        try:
            self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        except (OSError, ValueError) as exc:
            raise SettingsError(
                f"{str(folder)!r} holds no sentence-transformers model.",
                why=str(exc),
                mend="Name the folder that its config.json and its weights are in.",
            ) from exc
        self.dim = int(self._model.encode(["dimension"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Rows:
        rows = np.zeros((len(texts), self.dim), np.float32)
        wanted = [i for i, text in enumerate(texts) if text.strip()]
        if wanted:
            with embedder_errors(self.name, "Check its files and the memory that is free."):
                vectors = self._model.encode([texts[i] for i in wanted], show_progress_bar=False)
            rows[wanted] = unit_rows(np.asarray(vectors))
        return rows


def folder_hash(folder: Path) -> str:
    """Hash names and contents of a folder's files: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()[:16]
