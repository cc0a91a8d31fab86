"""The candidates of a question as the scorer sees them: one row of signs for each, and which are right."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchmarks.core import WrongOption
from benchmarks.reader_material import Asked
from ddax.reasoning.embedded.features import NAMES

if TYPE_CHECKING:
    from ddax.memory.embed.likeness import Vectors


@dataclass(frozen=True)
class Rows:
    """The candidates of one question: their signs `[n, signs]` and labels `[n]`."""

    kind: str
    group: str
    question: str
    answerable: bool
    signs: NDArray[np.float64]
    labels: NDArray[np.int64]


def rows_of(asked: Asked, vectors: Vectors) -> Rows:
    """Return the candidates of a question with their labels."""
    from ddax.reasoning.embedded.candidates import candidates
    from ddax.text.question import analyse

    found = candidates(analyse(asked.question), asked.passages, vectors)
    signs = np.array([one.signs for one in found]).reshape(len(found), len(NAMES))
    labels = np.array([asked.right(one) for one in found], dtype=np.int64)
    return Rows(asked.kind, asked.group, asked.question, asked.answerable, signs, labels)


def save_rows(path: Path, found: Sequence[Rows]) -> None:
    """Keep rows in a file of arrays, with the names of their signs."""
    told = [[rows.kind, rows.group, rows.question, rows.answerable, len(rows.labels)] for rows in found]
    with path.open("wb") as file:
        np.savez_compressed(
            file, signs=np.concatenate([rows.signs for rows in found]),
            labels=np.concatenate([rows.labels for rows in found]),
            told=np.array(json.dumps({"signs": NAMES, "questions": told})),
        )  # fmt: skip


def load_rows(path: Path) -> list[Rows]:
    """Return the rows of a file; raises WrongOption where it is no such file, or one of other signs."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            signs, labels, told = kept["signs"], kept["labels"], json.loads(str(kept["told"]))
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        why = error.strerror or "" if isinstance(error, OSError) else ""
        mend = "python -m benchmarks.train_reader --rows FILE makes it."
        raise WrongOption(f"{path} cannot be read as rows: {why or 'it holds none'}. {mend}") from error
    if tuple(told["signs"]) != NAMES:
        raise WrongOption(f"The rows in {path} have the signs of another release. Make them anew: remove it.")
    ends = np.cumsum([size for *_, size in told["questions"]])[:-1]
    parts = zip(told["questions"], np.split(signs, ends), np.split(labels, ends), strict=True)
    return [Rows(kind, group, text, known, own, right) for (kind, group, text, known, _), own, right in parts]
