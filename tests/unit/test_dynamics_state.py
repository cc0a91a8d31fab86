"""The state space: text and back, the projection, the attractor."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ddax.configs.identities import load_identity
from ddax.dynamics.state import (
    attractor,
    decode_vector,
    encode_vector,
    new_attractor,
    open_mind,
    place,
    project,
    projection,
    unit,
)
from ddax.errors import SettingsError, StateError


@given(arrays(np.float32, st.integers(1, 80), elements=st.floats(-1e6, 1e6, width=32)))
def test_a_vector_survives_being_text(vector):
    assert np.array_equal(decode_vector(encode_vector(vector.astype(np.float64))), vector)


@pytest.mark.parametrize("text", ["not base64!", "AAA=", "ÄÖÜ"])
def test_a_damaged_vector_is_refused(text):
    with pytest.raises(StateError, match="cannot be read"):
        decode_vector(text)


def test_the_projection_is_orthonormal_and_fixed():
    P = projection(384, 64)
    assert P.shape == (64, 384)
    assert np.allclose(P @ P.T, np.eye(64), atol=1e-12)
    assert np.array_equal(P, projection(384, 64))
    assert not np.allclose(P, projection(384, 64, seed=1))
    with pytest.raises(SettingsError, match="at most 16"):
        projection(16, 64)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_a_projected_embedding_has_unit_length(seed):
    P = projection(48, 8)
    assert np.linalg.norm(project(P, np.random.default_rng(seed).standard_normal(48))) == pytest.approx(1)
    assert not project(P, np.zeros(48)).any()


def test_the_attractor_lies_between_statement_and_task():
    identity = load_identity("task_focused")
    statement, task = np.eye(4)[0], np.eye(4)[1]
    x_star = attractor(identity, statement=statement, task=task)
    assert np.allclose(x_star, unit(np.array([0.3, 0.7, 0, 0])))
    own = identity.model_copy(update={"identity_vector": (0.0, 0.0, 3.0, 4.0)})
    assert np.allclose(attractor(own, statement=statement, task=task), [0, 0, 0.6, 0.8])
    for wrong in ((1.0, 2.0), (0.0, 0.0, 0.0, 0.0)):
        with pytest.raises(SettingsError, match="identity_vector"):
            attractor(identity.model_copy(update={"identity_vector": wrong}), statement=statement, task=task)


def test_a_mind_is_small_plain_json_and_honours_every_number_of_its_profile():
    identity = load_identity("traumatized")
    x_star = unit(np.random.default_rng(0).standard_normal(64))
    mind = open_mind(identity, x_star=x_star, x=x_star)
    assert json.loads(json.dumps(mind)) == mind
    assert len(json.dumps(mind)) < 2048
    for name in ("gamma", "epsilon_0", "alpha", "s", "k_base", "m", "protect_threshold", "protect_after"):
        assert mind[name] == getattr(identity, name)
    assert mind["rho"] == identity.initial_rho == 0.4
    where = place(mind)
    assert where.i is None and where.i_prev is None and np.allclose(where.x, x_star, atol=1e-7)
    other = new_attractor(mind, -x_star)
    assert np.allclose(place(other).x_star, -x_star, atol=1e-7) and other["x"] == mind["x"]
