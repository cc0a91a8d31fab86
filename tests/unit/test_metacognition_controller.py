"""The controller: matrices, moves, reachability, information, state."""

import json
import subprocess
import sys

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ddax.configs.documents import shipped
from ddax.configs.settings import Mood
from ddax.errors import DdaxError, SettingsError, UsageError
from ddax.metacognition.controller import WARM_AFTER, Controller
from ddax.metacognition.effects import EFFECTS, NEUTRAL, effects_of
from ddax.metacognition.matrices import (
    ACTIONS,
    OBSERVATIONS,
    STATES,
    Matrices,
    check,
    favourites,
    load_matrices,
)
from ddax.metacognition.twin import Twin, choose
from tests.cases import cases

MATRICES = load_matrices()
observations = st.lists(st.sampled_from(OBSERVATIONS), min_size=1, max_size=40)


def wander(n, seed=0, **options):
    controller = Controller(engine="numpy", **options)
    mood, pairs = controller.open_mood(), []
    for o in np.random.default_rng(seed).integers(0, 4, n):
        mood, action, _ = controller.observe(mood, OBSERVATIONS[o])
        pairs.append((int(o), ACTIONS.index(action)))
    return pairs


def information(pairs):
    joint = np.zeros((4, 4))
    for o, a in pairs:
        joint[o, a] += 1 / len(pairs)
    product = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / product[seen])).sum())


@cases("state", "target", "probability")
@pytest.mark.parametrize("policy_len", [1, 2, 3, 4])
def test_the_four_moves_of_the_source_hold_after_high_surprise(state, target, probability, policy_len):
    certain = np.eye(4)[STATES.index(state)]
    thought = Twin(MATRICES, policy_len=policy_len).cycle(certain, OBSERVATIONS.index("HIGH_SURPRISE"))
    assert np.allclose(thought.belief, certain)
    assert thought.prior[STATES.index(target)] == pytest.approx(probability, abs=0.05)


@pytest.mark.parametrize("policy_len", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_all_actions_occur_and_observations_tell_about_them(seed, policy_len):
    pairs = wander(300, seed, policy_len=policy_len)
    assert {a for _, a in pairs} == {0, 1, 2, 3}
    assert information(pairs) >= 0.5


def test_each_state_has_its_own_action():
    assert [ACTIONS[a] for a in favourites(MATRICES)] == ["VERIFY", "CONSOLIDATE", "EXPLORE", "REST"]


def test_choices_are_clear_so_that_precision_cannot_turn_them():
    engine = Twin(MATRICES)
    for belief in np.eye(4):
        first, second = np.sort(engine.values(belief))[::-1][:2]
        assert first - second > 0.01


@pytest.mark.parametrize(
    ("world", "last"),
    [
        (["HIGH_SURPRISE"] * 4, ("CONFUSED", "VERIFY")),
        (["CONFIRMATION"] * 4, ("CONFIDENT", "CONSOLIDATE")),
        (["CONFIRMATION"] * 2 + ["LOW_SURPRISE"] * 2, ("BORED", "EXPLORE")),
        (["LOW_SURPRISE"] * 8, ("STAGNANT", "REST")),
    ],
)
def test_the_mood_follows_the_world(world, last):
    controller = Controller(engine="numpy")
    mood = controller.open_mood()
    for observation in world:
        mood = controller.observe(mood, observation).mood
    assert (mood["state"], mood["action"]) == last


def brute_force(belief, length):
    """Value every policy of the given length one by one, by the textbook formula."""
    from itertools import product

    A, B, C = MATRICES.A, MATRICES.B, MATRICES.C
    best = np.full(4, -np.inf)
    for policy in product(range(4), repeat=length):
        q, value = belief, 0.0
        for action in policy:
            q = B[:, :, action] @ q
            seen = A @ q
            value += -(seen * np.log(seen)).sum() + (A * np.log(A)).sum(axis=0) @ q + seen @ C
        best[policy[0]] = max(best[policy[0]], value)
    return best


@settings(max_examples=15, deadline=None)
@given(st.lists(st.floats(0.01, 1), min_size=4, max_size=4), st.integers(1, 3))
def test_the_twin_is_the_textbook_formula(raw, length):
    belief = np.array(raw) / sum(raw)
    assert np.allclose(
        Twin(MATRICES, policy_len=length).values(belief), brute_force(belief, length), atol=1e-12
    )


@settings(max_examples=40, deadline=None)
@given(observations)
def test_a_mood_is_plain_json_and_a_belief(world):
    controller = Controller(engine="numpy")
    mood = controller.open_mood()
    for count, observation in enumerate(world, start=1):
        mood, action, terms = controller.observe(mood, observation)
        assert json.loads(json.dumps(mood)) == mood and len(json.dumps(mood)) < 1000
        assert sum(mood["belief"]) == pytest.approx(1) and sum(mood["prior"]) == pytest.approx(1)
        assert action == max(terms, key=terms.__getitem__) == mood["action"]
        assert mood["step"] == count == sum(mood["actions"].values()) == sum(mood["observations"].values())


def test_a_resumed_mood_goes_on_as_the_undisturbed_one():
    world = ["HIGH_SURPRISE", "LOW_SURPRISE", "CONFIRMATION", "CONTRADICTION", "LOW_SURPRISE"]
    one, mood = Controller(engine="numpy"), {}
    moods = [mood := one.observe(mood, o, epsilon=0.4, step=7).mood for o in world]
    resumed = json.loads(json.dumps(moods[2]))
    for o, expected in zip(world[3:], moods[3:], strict=True):
        resumed = Controller(engine="auto").observe(resumed, o, epsilon=0.4, step=7).mood
        assert resumed == expected
    assert mood["recent"] == [0.4] * 5 and mood["step"] == 7


def test_evidence_moves_the_belief():
    controller = Controller(engine="numpy")
    mood = controller.open_mood()
    plain = controller.observe(mood, "LOW_SURPRISE").mood["belief"]
    stuck = controller.observe(mood, "LOW_SURPRISE", likelihood=(1, 1, 1, 3)).mood["belief"]
    assert stuck[3] > plain[3] and sum(stuck) == pytest.approx(1)
    for wrong in ((1, 1, 1), (0, 0, 0, 0), (1, -1, 1, 1), (1, 1, 1, float("nan"))):
        with pytest.raises((UsageError, ValueError)):
            controller.observe(mood, "LOW_SURPRISE", likelihood=wrong)


def test_an_unknown_observation_is_refused():
    with pytest.raises(UsageError, match="CONFIRMATION"):
        Controller(engine="numpy").observe({}, "SURPRISE")


def test_ties_go_to_the_first_action():
    assert choose(np.array([0.1, 0.5, 0.5 + 1e-7, 0.5])) == 1


def test_pymdp_is_not_imported_unless_it_is_asked_for():
    code = (
        "import sys; from ddax.metacognition.controller import Controller;"
        "c = Controller(); c.observe({}, 'LOW_SURPRISE'); assert c.engine == 'numpy';"
        "assert not {'pymdp', 'jax', 'equinox'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_only_auto_warms():
    assert Controller(engine="numpy").warm() is None


class Gone:
    """A child process that is ready and dies at its first or second cycle."""

    name = "pymdp"

    def __init__(self, alive=0):
        self.alive, self.closed, self.asked = alive, False, 0
        self.twin = Twin(MATRICES)

    def ready(self):
        return True

    def cycle(self, prior, observation):
        self.asked += 1
        if self.asked > self.alive:
            raise DdaxError("gone")
        return self.twin.cycle(prior, observation)

    def close(self):
        self.closed = True


@pytest.mark.parametrize("alive", [0, 1])
def test_the_twin_goes_on_where_the_child_has_died(monkeypatch, caplog, alive):
    child = Gone(alive)
    monkeypatch.setattr("ddax.metacognition.child.Child", lambda **_: child)
    auto, twin = Controller(engine="auto", warm_after=2), Controller(engine="numpy")
    mood = {}
    for count, o in enumerate(OBSERVATIONS * 3):
        assert child.asked == 0 or count >= 2, "no child before it is due"
        got, expected = auto.observe(mood, o), twin.observe(mood, o)
        assert got == expected
        mood = got.mood
    assert child.closed and child.asked == alive + 1 and auto.engine == "numpy"
    assert "with equal numbers: gone" in caplog.text and auto.warm() is None


def test_a_child_that_cannot_be_started_is_told_once(monkeypatch, caplog):
    def refuse(**_):
        raise OSError("no processes left")

    monkeypatch.setattr("ddax.metacognition.child.Child", refuse)
    auto = Controller(engine="auto", warm_after=0)
    for _ in range(3):
        assert auto.observe({}, "LOW_SURPRISE") == Controller(engine="numpy").observe({}, "LOW_SURPRISE")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "no processes left" in caplog.text


def test_a_short_run_starts_no_child(monkeypatch):
    monkeypatch.setattr("ddax.metacognition.child.Child", lambda **_: pytest.fail("too early"))
    auto = Controller(engine="auto")
    for _ in range(WARM_AFTER):
        auto.observe({}, "LOW_SURPRISE")
    assert auto.engine == "numpy"


def test_the_terms_of_an_action_add_up_to_its_value():
    engine = Twin(MATRICES)
    for belief in (*np.eye(4), MATRICES.D):
        assert np.allclose(engine.terms(belief).sum(axis=1), engine.values(belief))
        assert (engine.terms(belief)[:, 0] > 0).all(), "information is never expected to be negative"


class Stubborn:
    """A controller's engine that always explores: what must not pass for a controller."""

    name = "stubborn"

    def cycle(self, prior, observation):
        thought = Twin(MATRICES).cycle(prior, observation)
        return thought._replace(action=0, prior=MATRICES.B[:, :, 0] @ thought.belief)


def test_a_controller_that_always_explores_fails_the_requirements():
    controller = Controller(engine="numpy")
    controller._engine = Stubborn()
    mood, pairs = controller.open_mood(), []
    for o in np.random.default_rng(0).integers(0, 4, 300):
        mood, action, _ = controller.observe(mood, OBSERVATIONS[o])
        pairs.append((int(o), ACTIONS.index(action)))
    assert {a for _, a in pairs} != {0, 1, 2, 3}
    assert information(pairs) < 0.5


def test_every_row_of_the_file_has_a_comment():
    lines = shipped("metacognition.yaml").read_text(encoding="utf-8").splitlines()
    rows = [i for i, line in enumerate(lines) if "{" in line]
    assert len(rows) == 4 + 16 + 2
    assert all(lines[i - 1].lstrip().startswith("#") for i in rows)


def changed(tmp_path, change):
    values = yaml.safe_load(shipped("metacognition.yaml").read_text(encoding="utf-8"))
    change(values)
    path = tmp_path / "mood.yaml"
    path.write_text(yaml.safe_dump(values))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v["A"]["BORED"].update(LOW_SURPRISE=0.8), "A BORED sums to 1.05"),
        (lambda v: v["B"]["REST"].pop("CONFUSED"), "B REST CONFUSED is incomplete"),
        (lambda v: v["C"].update(CONFIRMATION="much"), "no number"),
        (lambda v: v["C"].update(CONFIRMATION=float("inf")), "not finite"),
        (lambda v: v.pop("D"), "D is incomplete"),
        (lambda v: v["A"]["CONFUSED"].update(LOW_SURPRISE=0.0, HIGH_SURPRISE=0.5), "A has a zero"),
        (lambda v: v["B"].update(REST=v["B"]["EXPLORE"]), "REST is chosen in no state"),
    ],
)
def test_malformed_or_degenerate_matrices_are_refused(tmp_path, change, message):
    with pytest.raises(SettingsError, match=message):
        load_matrices(changed(tmp_path, change))


def test_wrong_shapes_are_refused():
    with pytest.raises(SettingsError, match="shapes"):
        check(Matrices(MATRICES.A[:3], MATRICES.B, MATRICES.C, MATRICES.D))
    with pytest.raises(SettingsError, match="distribution"):
        check(Matrices(MATRICES.A, MATRICES.B, MATRICES.C, MATRICES.D * 2))


def test_each_action_has_effects_of_its_own():
    on = Mood()
    assert set(EFFECTS) == set(ACTIONS) and len(set(EFFECTS.values()) | {NEUTRAL}) == 5
    assert effects_of({}, on) == effects_of({"action": ""}, on) == NEUTRAL
    explore, rest = effects_of({"action": "EXPLORE"}, on), effects_of({"action": "REST"}, on)
    assert explore.c > 1 and explore.branching > 0 and explore.curious
    assert effects_of({"action": "CONSOLIDATE"}, on).force == "merge"
    assert effects_of({"action": "VERIFY"}, on).force == "verify"
    assert rest.ask and rest.temperature < NEUTRAL.temperature and rest.branching < 0


@pytest.mark.parametrize("action", ACTIONS)
def test_each_effect_can_be_switched_off_alone(action):
    off = Mood(**{action.lower(): False})
    assert (
        effects_of({"action": action}, off) == NEUTRAL == effects_of({"action": action}, Mood(enabled=False))
    )
    assert all(effects_of({"action": other}, off) == EFFECTS[other] for other in ACTIONS if other != action)
