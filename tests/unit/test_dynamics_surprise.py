"""Surprise and its calibration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.configs.calibration import load_calibration, measure_encoder
from ddax.dynamics.state import unit_rows
from ddax.dynamics.surprise import (
    UNMEASURED,
    Calibration,
    calibrated,
    distance,
    forecast_surprise,
    hybrid_surprise,
    measure,
    raw_surprise,
    td_error,
)
from ddax.errors import SettingsError
from ddax.memory.embeddings import HashEmbedder, MiniLmEmbedder


@given(st.floats(0, 2), st.floats(0, 2))
def test_surprise_lies_in_the_unit_interval_and_grows_with_distance(a, b):
    low, high = (calibrated(d, UNMEASURED) for d in sorted((a, b)))
    assert 0 <= low <= high <= 1


def test_a_match_is_no_surprise_and_the_unrelated_is_all_surprise():
    scale = Calibration(0.5, 1.5)
    assert [calibrated(d, scale) for d in (0.2, 0.5, 1.0, 1.5, 2.0)] == [0, 0, 0.5, 1, 1]
    east, north = np.eye(2)
    assert forecast_surprise(east, east, scale) == 0
    assert forecast_surprise(east, north, scale) == pytest.approx(2**0.5 - 0.5)


def test_the_parts_of_surprise():
    assert td_error(0.2, 0.9) == pytest.approx(0.7)
    assert hybrid_surprise(0.4, 0.8) == pytest.approx(0.6)
    assert raw_surprise(np.array([1.0, 0]), np.array([0.0, 1]), np.array([1.0, 1])) == 0
    assert distance(np.array([1, 0], dtype=np.float32), np.array([0, 1], dtype=np.float32)) == pytest.approx(
        2**0.5
    )


def test_measuring_takes_the_medians():
    rng = np.random.default_rng(0)
    base = unit_rows(rng.standard_normal((200, 50)))
    near = unit_rows(base + 0.05 * rng.standard_normal((200, 50)))
    scale = measure((base, near), (base, unit_rows(rng.standard_normal((200, 50)))))
    assert scale.d_match == pytest.approx(0.33, abs=0.05) and scale.d_unrelated == pytest.approx(
        2**0.5, abs=0.1
    )


@pytest.mark.parametrize("pair", [(1.0, 1.0), (1.2, 0.4), (-0.1, 1.0)])
def test_a_scale_without_width_is_refused(pair):
    with pytest.raises(SettingsError, match="no scale"):
        Calibration(*pair)


def test_an_unmeasured_encoder_needs_an_explicit_fallback(tmp_path):
    with pytest.raises(SettingsError, match="nobody"):
        load_calibration("nobody", "0")
    assert load_calibration("nobody", "0", fallback=UNMEASURED) is UNMEASURED
    table = tmp_path / "scale.yaml"
    table.write_text("encoders:\n- {name: e, fingerprint: abc, d_match: 0.5, d_unrelated: 1.3}\n")
    assert load_calibration("e", "abc", path=table) == Calibration(0.5, 1.3)
    assert load_calibration("e", "other", path=table, fallback=UNMEASURED) is UNMEASURED


@pytest.mark.parametrize("encoder", [HashEmbedder, MiniLmEmbedder])
def test_the_shipped_scale_is_what_the_shipped_pairs_give(encoder):
    embedder = encoder()
    measured, stored = measure_encoder(embedder.embed), load_calibration(embedder.name, embedder.fingerprint)
    assert measured.d_match == pytest.approx(stored.d_match, abs=0.01)
    assert measured.d_unrelated == pytest.approx(stored.d_unrelated, abs=0.01)


def test_too_few_pairs_measure_nothing(tmp_path):
    few = tmp_path / "pairs.yaml"
    few.write_text("pairs:\n- [a, b]\n")
    with pytest.raises(SettingsError, match="1 pairs are too few"):
        measure_encoder(HashEmbedder().embed, path=few)
