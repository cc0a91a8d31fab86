"""The state space: vectors as text, the projection into it, the attractor x*, and the mind of a run.

Leaves out how x and ρ move (`forces`, `rigidity`).
"""

from __future__ import annotations

import base64
import binascii
from functools import cache
from typing import NamedTuple, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

from ddax.errors import SettingsError, StateError
from ddax.types import Vector

NO_VECTOR = ""
"""Stands for a vector that does not exist yet, as the outcome before the first one."""
PROJECTION_SEED = 20_240_229
"""Seed of the projection; a constant, so that vectors of different runs can be compared."""
TINY = 1e-12


class Profile(Protocol):
    """The numbers of an identity profile, as `ddax.configs.settings.Identity` holds them."""

    name: str
    identity_vector: tuple[float, ...] | None
    identity_weight: float
    gamma: float
    epsilon_0: float
    alpha: float
    s: float
    k_base: float
    m: float
    initial_rho: float
    protect_threshold: float
    protect_after: int
    epsilon_protect: float


class Mind(TypedDict):
    """The mind of a run as plain JSON: vectors are base64 of float32, everything else is a number.

    `i` and `i_prev` are the embeddings of the newest outcome and of the one before. `hot` and `calm`
    count consecutive outcomes above `epsilon_protect` and below `epsilon_0`; `entries` counts
    entries into protect, `asked` says that this entry has put its question, `above` that ρ has been
    over the threshold in this entry, `armed` that a high ρ may start a new entry. `conservative` counts
    the entries in which nobody was there to be asked, `warned` names the candidates that last led into
    protect by being misaligned, `m_crit` holds both critical gains (None: no gain is too large),
    stability first. The last five are what was measured at the newest outcome, for display: ε, hybrid
    surprise, the source's raw surprise, and the norms of Δx and of the three forces.
    """

    x: str
    x_star: str
    i: str
    i_prev: str
    rho: float
    gamma: float
    k_base: float
    m: float
    epsilon_0: float
    alpha: float
    s: float
    protect_threshold: float
    protect_after: int
    epsilon_protect: float
    protect: bool
    above: bool
    armed: bool
    asked: bool
    hot: int
    calm: int
    entries: int
    conservative: int
    warned: str
    m_crit: list[float | None]
    outcomes: int
    epsilon: float
    surprise: float
    raw_surprise: float
    delta_x: float
    force_norms: list[float]


class Place(NamedTuple):
    """Where the mind stands: x and x* `[d]`, the newest outcome and the one before if there are any."""

    x: Vector
    x_star: Vector
    i: Vector | None
    i_prev: Vector | None


def encode_vector(vector: Vector) -> str:
    """Write a vector `[d]` as base64 of little-endian float32."""
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii")


def decode_vector(text: str) -> Vector:
    """Read a vector `[d]` written by `encode_vector`; raises `StateError` for anything else."""
    try:
        raw = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4")
    except (binascii.Error, ValueError) as error:
        raise StateError(
            f"The stored vector {text[:24]!r} cannot be read.",
            why="It is not base64 of 4-byte floats.",
            mend="Resume from an earlier checkpoint of the thread.",
        ) from error
    return raw.astype(np.float64)


def unit(vector: Vector) -> Vector:
    """Scale a vector `[d]` to length 1; a zero vector stays zero."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > TINY else np.zeros_like(vector)


def unit_rows(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale the rows of `[n, d]` to length 1; zero rows stay zero."""
    lengths = np.linalg.norm(matrix, axis=-1, keepdims=True)
    return np.where(lengths > TINY, matrix / np.maximum(lengths, TINY), 0.0)


@cache  # every session asks for the same one
def projection(dim_in: int, state_dim: int, *, seed: int = PROJECTION_SEED) -> NDArray[np.float64]:
    """Return the fixed projection `[state_dim, dim_in]` with orthonormal rows, which cannot be written to.

    Raises `SettingsError` where the state space would be larger than the encoder's.
    """
    if not 1 <= state_dim <= dim_in:
        raise SettingsError(
            f"state_dim {state_dim} does not fit an encoder of {dim_in} dimensions.",
            why="A projection cannot add dimensions.",
            mend=f"Set selection.state_dim to at most {dim_in}.",
        )
    normal = np.random.default_rng(seed).standard_normal((dim_in, state_dim))
    q, r = np.linalg.qr(normal)
    # QR leaves the signs of the columns to the linear algebra library; fixing them makes P portable.
    rows = np.ascontiguousarray((q * np.where(np.diag(r) < 0, -1.0, 1.0)).T)
    rows.flags.writeable = False
    return rows


def project(P: NDArray[np.float64], embedding: Vector) -> Vector:
    """Map an embedding `[dim_in]` to a unit vector `[state_dim]`; zero stays zero."""
    return unit(P @ np.asarray(embedding, dtype=np.float64))


def attractor(identity: Profile, *, statement: Vector, task: Vector) -> Vector:
    """Return x* `[d]` = unit(w·E(statement) + (1−w)·E(task)), or the profile's own vector, unit length.

    Raises `SettingsError` where the profile's vector has another dimension or no direction.
    """
    if identity.identity_vector is None:
        w = identity.identity_weight
        return unit(w * statement + (1.0 - w) * task)
    own = np.asarray(identity.identity_vector, dtype=np.float64)
    if own.shape != task.shape or not float(np.linalg.norm(own)) > TINY:
        raise SettingsError(
            f"identity_vector of the profile {identity.name!r} has {own.size} numbers, or no direction.",
            why=f"The state space has {task.size} dimensions.",
            mend="Give as many numbers, not all zero, or null.",
        )
    return unit(own)


def open_mind(identity: Profile, *, x_star: Vector, x: Vector) -> Mind:
    """Return the mind a task starts with; x usually is x* (the agent starts as itself)."""
    return Mind(
        x=encode_vector(x),
        x_star=encode_vector(x_star),
        i=NO_VECTOR,
        i_prev=NO_VECTOR,
        rho=identity.initial_rho,
        gamma=identity.gamma,
        k_base=identity.k_base,
        m=identity.m,
        epsilon_0=identity.epsilon_0,
        alpha=identity.alpha,
        s=identity.s,
        protect_threshold=identity.protect_threshold,
        protect_after=identity.protect_after,
        epsilon_protect=identity.epsilon_protect,
        protect=False,
        above=False,
        armed=True,
        asked=False,
        hot=0,
        calm=0,
        entries=0,
        conservative=0,
        warned="",
        m_crit=[None, None],
        outcomes=0,
        epsilon=0.0,
        surprise=0.0,
        raw_surprise=0.0,
        delta_x=0.0,
        force_norms=[0.0, 0.0, 0.0],
    )


def place(mind: Mind) -> Place:
    """Decode the vectors of a mind."""
    return Place(
        decode_vector(mind["x"]),
        decode_vector(mind["x_star"]),
        _optional(mind["i"]),
        _optional(mind["i_prev"]),
    )


def new_attractor(mind: Mind, x_star: Vector) -> Mind:
    """Give a mind another x*, as a follow-up task does; x, ρ and the history stay."""
    return {**mind, "x_star": encode_vector(x_star)}


def _optional(text: str) -> Vector | None:
    return None if text == NO_VECTOR else decode_vector(text)
