"""A sample of the batteries that `python -m benchmarks faults` runs in full: L1 to L9 over real HTTP."""

import numpy as np
import pytest

from benchmarks import faults


async def test_every_sampled_fault_of_a_request_ends_in_an_answer_or_an_honest_error():
    fates = await faults.single(every=61)
    assert [fate for fate in fates if not fate.held] == []
    assert max(fate.calls for fate in fates) <= faults.CALLS
    assert {fate.battery for fate in fates} == {"L1", "L2", "L3", "L4", "L5", "L8"}


async def test_silent_servers_are_given_up():
    _, fates = await faults.silences()
    assert [fate for fate in fates if not fate.held] == []


async def test_an_outage_is_answered_by_the_fallback():
    assert [fate for fate in await faults.outage() if not fate.held] == []


@pytest.mark.parametrize("share", [0.2, 0.5])
async def test_a_run_among_faults_ends_honestly_within_three_times_the_calls(share):
    clean = await faults._run(np.random.default_rng(1), 0.0)
    fate = await faults._run(np.random.default_rng(1), share)
    assert (clean.held, fate.held) == (True, True), fate.why
    assert fate.calls <= 3 * clean.calls


@pytest.mark.parametrize("way", ["dimension", "NaN", "429"])
async def test_a_run_with_a_bad_embedder_goes_on_by_words(way, caplog):
    fate = await faults._run(np.random.default_rng(0), 0.0, faults.BadEmbedder(way, 3), "L9")
    assert fate.held, fate.why
    assert "found by words alone" in caplog.text
