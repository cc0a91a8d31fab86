"""Load and check A, B, C and D of the controller (`configs/metacognition.yaml`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddax.configs.documents import YamlDocument, read_document, shipped
from ddax.errors import SettingsError
from ddax.metacognition.twin import Twin, choose
from ddax.types import Vector

STATES = ("CONFUSED", "CONFIDENT", "BORED", "STAGNANT")
ACTIONS = ("EXPLORE", "CONSOLIDATE", "VERIFY", "REST")
OBSERVATIONS = ("HIGH_SURPRISE", "LOW_SURPRISE", "CONTRADICTION", "CONFIRMATION")
SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Matrices:
    """The generative model; columns of A and B sum to 1.

    A `[o, s]` = P(o|s); B `[s', s, a]` = P(s'|s, a); C `[o]` log-preferences; D `[s]` the first prior.
    """

    A: NDArray[np.float64]
    B: NDArray[np.float64]
    C: Vector
    D: Vector


def load_matrices(path: Path | None = None) -> Matrices:
    """Read and check the matrices; raises `SettingsError` that names the matrix and row."""
    document = read_document(path or shipped("metacognition.yaml"))
    A = np.stack([_row(document, "A", (s,), OBSERVATIONS) for s in STATES], axis=1)
    B = np.stack(
        [np.stack([_row(document, "B", (a, s), STATES) for s in STATES], axis=1) for a in ACTIONS], axis=2
    )
    C = _row(document, "C", (), OBSERVATIONS, distribution=False)
    D = _row(document, "D", (), STATES)
    matrices = Matrices(A, B, C, D)
    check(matrices, where=str(document.path))
    return matrices


def check(matrices: Matrices, *, where: str = "the matrices") -> None:
    """Refuse a controller that is malformed or degenerate; raises `SettingsError`.

    A dead action is one that is chosen at no state of certainty: it would never steer.
    """
    shapes = (matrices.A.shape, matrices.B.shape, matrices.C.shape, matrices.D.shape)
    if shapes != ((4, 4), (4, 4, 4), (4,), (4,)):
        raise SettingsError(
            f"{where}: the shapes are {shapes}.",
            why="A is 4×4, B 4×4×4, C and D 4.",
            mend=f"Give a number for each of {', '.join(STATES)} and of {', '.join(OBSERVATIONS)}.",
        )
    for name, matrix in (("A", matrices.A), ("B", matrices.B), ("D", matrices.D)):
        if (matrix < 0).any() or not np.allclose(matrix.sum(axis=0), 1.0, atol=SUM_TOLERANCE):
            raise SettingsError(
                f"{where}: {name} has a column that is no distribution.",
                why="The numbers of a column are chances: none is below 0, and together they are 1.",
                mend="Divide each number of the column by their sum.",
            )
    if not (matrices.A > 0).all():
        raise SettingsError(
            f"{where}: A has a zero.",
            why="An observation held to be impossible would leave no belief at all.",
            mend="Write at least 0.01 and take it from the other numbers of the row.",
        )
    dead = sorted(set(ACTIONS) - {ACTIONS[a] for a in favourites(matrices)})
    if dead:
        raise SettingsError(
            f"{where}: {', '.join(dead)} is chosen in no state.",
            why="A dead action never steers.",
            mend="Give it a state in which its outcome is preferred (see B and C).",
        )


def favourites(matrices: Matrices, *, policy_len: int = 3) -> list[int]:
    """Return the action chosen when the state is known for certain, for each of the four states."""
    engine = Twin(matrices, policy_len=policy_len)
    return [choose(engine.values(belief)) for belief in np.eye(len(STATES))]


def _row(
    document: YamlDocument,
    matrix: str,
    path: tuple[str, ...],
    names: tuple[str, ...],
    *,
    distribution: bool = True,
) -> Vector:
    label = " ".join((matrix, *path))
    node: Any = document.values.get(matrix)
    for key in path:
        node = node.get(key) if isinstance(node, dict) else None
    if not isinstance(node, dict) or set(node) != set(names):
        raise SettingsError(
            f"{document.where(matrix)}: {label} is incomplete.",
            why=f"It needs exactly {', '.join(names)}.",
            mend="Write it as, for example: {" + ", ".join(f"{name}: 0.25" for name in names) + "}",
        )
    if not all(isinstance(node[n], int | float) and not isinstance(node[n], bool) for n in names):
        raise SettingsError(
            f"{document.where(matrix)}: {label} holds something that is no number.",
            why=f"It is {node!r}.",
            mend="Write numbers alone, as 0.25, without quotes.",
        )
    row = np.array([float(node[name]) for name in names])
    if not np.isfinite(row).all():
        raise SettingsError(
            f"{document.where(matrix)}: {label} holds a number that is not finite.",
            why=f"It is {node!r}.",
            mend="Write a number in the place of each .inf and .nan.",
        )
    if distribution and ((row < 0).any() or abs(row.sum() - 1.0) > SUM_TOLERANCE):
        raise SettingsError(
            f"{document.where(matrix)}: {label} sums to {row.sum():.6g}.",
            why="The numbers of a row are chances: none is below 0, and together they are 1.",
            mend="Divide each number of the row by their sum.",
        )
    return row
