"""The bridge for loops of others: as an import and as a service of JSON lines."""

import json
import os
import subprocess
import sys

import pytest

from ddax.configs.settings import Context, Mood
from ddax.errors import SettingsError, UsageError
from ddax.metacognition import Bridge
from ddax.metacognition.__main__ import main, serve
from ddax.metacognition.matrices import ACTIONS, OBSERVATIONS, STATES, load_matrices
from ddax.metacognition.versions import (
    document,
    find_matrices,
    keep_matrices,
    origin,
    settled,
    versions,
    write_version,
)
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


def test_numbers_out_of_range_are_refused_beside_a_named_observation_too():
    bridge = Bridge()
    for wrong in ({"surprise": 7.0}, {"confidence": -1.0}, {"similarity": 2.0}):
        with pytest.raises(UsageError, match="goes from 0 to 1"):
            bridge.observe("HIGH_SURPRISE", **wrong)
    assert bridge.mood["recent"] == []


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


@pytest.mark.parametrize(
    "line",
    [
        {"prior": [0.25] * 4},
        {"prior": [0.25] * 4, "index": 4},
        {"prior": [0.25] * 4, "index": True},
        {"prior": [1], "index": 0},
        {"prior": 1, "index": 0},
        {"prior": [0.5, 0.6, -0.1, 0], "index": 0},
        {"prior": [0] * 4, "index": 0},
        {"prior": ["a"] * 4, "index": 0},
        {"prior": [float("nan"), 1, 0, 0], "index": 0},
        {"prediction": "a", "outcome": "b", "surprise": True},
    ],
)
def test_a_malformed_cycle_gets_an_error_and_the_service_goes_on(line):
    good = {"prior": [0.25] * 4, "index": 3}
    wrong, right = serve(Bridge(check=neutral), [json.dumps(line), json.dumps(good)])
    assert wrong["error"]["what"] and wrong["error"]["mend"]
    assert right["action"] == 1 and sum(right["belief"]) == pytest.approx(1)


def served(given, *options, **more):
    command = [sys.executable, "-m", "ddax.metacognition", *options]
    return subprocess.run(command, input=given, capture_output=True, timeout=120, check=False, **more)


def test_bytes_that_are_no_text_get_an_error_whatever_the_locale():
    ran = served(
        b'\xff\xfe\n{"observation": "LOW_SURPRISE"}\n',
        env={**os.environ, "PYTHONIOENCODING": "ascii:strict"},
    )
    first, second = map(json.loads, ran.stdout.splitlines())
    assert "error" in first and second["action"] in ACTIONS and (ran.returncode, ran.stderr) == (0, b"")


def test_a_reader_that_has_seen_enough_ends_the_service_quietly():
    reading, writing = os.pipe()
    os.close(reading)
    child = subprocess.Popen(
        [sys.executable, "-m", "ddax.metacognition"], stdin=subprocess.PIPE, stdout=writing,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(writing)
    _, errors = child.communicate(b'{"observation": "LOW_SURPRISE"}\n', timeout=120)
    assert (child.returncode, errors) == (0, b"")


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


def own_file(place, **about):
    path = place / "mine.yaml"
    path.write_text(document(load_matrices(), about))
    return path


def test_a_file_of_ones_own_is_kept_under_its_content(tmp_path):
    home, path = tmp_path / "home", own_file(tmp_path, mine=1)
    kept = keep_matrices(str(path), home)
    assert kept.startswith("file-") and keep_matrices(kept, home) == kept == keep_matrices(str(path), home)
    own_file(tmp_path, mine=2)
    other = keep_matrices(str(path), home)
    path.unlink()
    assert other != kept and find_matrices(kept, home) != find_matrices(other, home)
    assert (load_matrices(find_matrices(kept, home)).B == load_matrices().B).all()
    assert versions(home) == [] and keep_matrices("shipped", home) == "shipped"
    (home / "metacognition" / f"{kept}.yaml").unlink()
    with pytest.raises(SettingsError, match=f"there is no '{kept}'"):
        find_matrices(kept, home)


def test_a_file_that_is_no_good_is_not_kept(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("A: 1\n")
    with pytest.raises(SettingsError, match="A CONFUSED is incomplete"):
        keep_matrices(str(path), tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_a_run_begins_with_settings_that_name_no_file(tmp_path):
    plain = Context(mood=Mood(matrices="shipped", engine="numpy"))
    assert settled(plain, tmp_path) is plain
    mine = settled(Context(mood=Mood(matrices=str(own_file(tmp_path)), engine="numpy")), tmp_path)
    assert mine.mood.matrices.startswith("file-") and mine.mood.engine == "numpy"
    assert Context.model_validate(mine.model_dump(mode="json")) == mine


def test_a_version_of_a_version_goes_back_to_what_was_not_learned(tmp_path):
    kept = keep_matrices(str(own_file(tmp_path)), tmp_path)
    for before in (kept, "v1", "shipped", "v4"):
        write_version(tmp_path, load_matrices(), {"from": before})
    assert [origin(f"v{n}", tmp_path) for n in (1, 2, 3)] == [kept, kept, "shipped"]
    assert origin("v4", tmp_path) == "v4", "a file that names itself ends the search"
    assert origin("shipped", tmp_path) == "shipped"
