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
    clean = await faults.whole(np.random.default_rng(1), 0.0)
    fate = await faults.whole(np.random.default_rng(1), share)
    assert clean.end == "right", clean.why
    assert fate.end != "wrong", fate.why
    assert fate.calls <= 3 * clean.calls


async def test_a_refused_plan_is_told_and_not_taken_for_silence_of_the_sources():
    fate = await faults.whole(np.random.default_rng(0), 0.05)
    assert (fate.end, fate.why) == ("told", "")


FAILED = {"idea": "0", "title": "x", "cause": "The model failed. Try again."}


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({}, "right"),
        ({"answer": "It was built in 1900."}, "wrong"),
        ({"citations": [{"quote": "It was built in 1900."}]}, "wrong"),
        ({"citations": []}, "wrong"),
        ({"status": "waiting"}, "wrong"),
        ({"status": "failed", "failures": [FAILED]}, "told"),
        ({"status": "failed", "failures": []}, "wrong"),
        ({"status": "failed", "failures": [{**FAILED, "cause": "The model failed."}]}, "wrong"),
        ({"status": "failed", "failures": [FAILED], "answer": "Not found.", "citations": []}, "wrong"),
    ],
)
def test_the_end_of_a_run_is_judged_by_what_its_pages_say(changes, end):
    built = "The harbour was built in 1801."
    result = {
        "status": "done", "stop_reason": "", "answer": built, "citations": [{"quote": built}], "failures": [],
    }  # fmt: skip
    assert faults.judged({**result, **changes}, [f"# Harbour\n\n{built}\n"])[0] == end


@pytest.mark.parametrize("way", ["dimension", "NaN", "429"])
async def test_a_run_with_a_bad_embedder_goes_on_by_words(way, caplog):
    fate = await faults.whole(np.random.default_rng(0), 0.0, faults.BadEmbedder(way, 3))
    assert fate.end == "right", fate.why
    assert "found by words alone" in caplog.text
