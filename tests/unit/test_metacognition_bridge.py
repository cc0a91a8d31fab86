"""The bridge for loops of others: as an import and as a service of JSON lines."""

import json
import subprocess
import sys

import pytest

from ddax.errors import SettingsError, UsageError
from ddax.metacognition import Bridge
from ddax.metacognition.__main__ import main, serve
from ddax.metacognition.matrices import ACTIONS, OBSERVATIONS, STATES, load_matrices
from ddax.metacognition.versions import find_matrices, versions, write_version
from ddax.types import Entailment


def neutral(premise, hypothesis):
    return Entailment("neutral", 0.0)


def test_two_lines_steer_a_loop():
    bridge = Bridge(check=neutral)
    belief, action = bridge.observe(prediction="it works", outcome="it fails", surprise=0.9)
    assert set(belief) == set(STATES) and sum(belief.values()) == pytest.approx(1)
    assert action == "VERIFY" == max(bridge.values, key=bridge.values.__getitem__)
    assert "0.90" in bridge.reason


def test_a_mood_goes_on_in_another_bridge():
    one = Bridge()
    for name in ("LOW_SURPRISE", "CONFIRMATION", "LOW_SURPRISE"):
        one.observe(name)
    other = Bridge(mood=json.loads(json.dumps(one.mood)))
    assert one.observe("CONTRADICTION") == other.observe("CONTRADICTION")


def test_surprise_is_measured_where_none_is_given():
    asked = []

    def measure(prediction, outcome):
        asked.append((prediction, outcome))
        return 0.7

    bridge = Bridge(check=neutral, surprise_of=measure)
    bridge.observe(prediction="a", outcome="b")
    assert asked == [("a", "b")] and bridge.mood["recent"] == [0.7]
    assert bridge.mood["observation"] == "HIGH_SURPRISE"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"prediction": "a"},
        {"prediction": "a", "outcome": " "},
        {"prediction": "a", "outcome": "b", "surprise": 1.5},
        {"prediction": "a", "outcome": "b", "surprise": 0.1, "confidence": float("nan")},
        {"observation": "SURPRISE"},
    ],
)
def test_what_cannot_be_observed_is_refused(given):
    bridge = Bridge(check=neutral)
    before = dict(bridge.mood)
    with pytest.raises(UsageError):
        bridge.observe(**given)
    assert bridge.mood == before


def test_the_bridge_needs_no_graph():
    code = (
        "import sys; from ddax.metacognition import Bridge; Bridge().observe('LOW_SURPRISE');"
        "assert not {'langgraph', 'langchain_core', 'chromadb', 'jax', 'pymdp'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_the_service_answers_each_line_and_survives_a_wrong_one():
    lines = [
        '{"observation": "HIGH_SURPRISE"}', "", "no json", "[1]", '{"observe": 1}', '{"confidence": "x"}',
        '{"observation": "CONFIRMATION"}', '{"reset": true}', '{"observation": "HIGH_SURPRISE"}',
    ]  # fmt: skip
    replies = list(serve(Bridge(check=neutral), lines))
    assert ["error" in reply for reply in replies] == [False, True, True, True, True, False, False, False]
    assert replies[0] == replies[-1] and replies[0]["action"] == "VERIFY"
    assert set(replies[0]["values"]) == set(ACTIONS)
    assert replies[-2]["belief"] == dict(zip(STATES, load_matrices().D, strict=True))


def test_the_service_as_a_process():
    ran = subprocess.run(
        [sys.executable, "-m", "ddax.metacognition"],
        input="\n".join(json.dumps({"observation": name}) for name in OBSERVATIONS),
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    replies = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [reply["observation"] for reply in replies] == list(OBSERVATIONS) and not ran.stderr


def test_the_service_says_what_is_wrong_with_its_matrices(tmp_path, capsys):
    assert main(["--matrices", str(tmp_path / "none.yaml")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_versions_are_numbered_named_and_read_again(tmp_path):
    first, second = (write_version(tmp_path, load_matrices(), {"runs": n}) for n in (3, 4))
    assert [p.name for p in versions(tmp_path)] == ["v1.yaml", "v2.yaml"] == [first.name, second.name]
    assert find_matrices("shipped", tmp_path) is None
    assert find_matrices("v2", tmp_path) == second == find_matrices(str(second), tmp_path)
    assert (load_matrices(second).B == load_matrices().B).all()
    with pytest.raises(SettingsError, match="shipped, v1, v2"):
        find_matrices("v3", tmp_path)
