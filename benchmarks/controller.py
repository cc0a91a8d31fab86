"""The controller: how fast each engine decides, whether they agree, and whether they steer at all.

Every engine runs in a process of its own. The old numpy pymdp gets an environment of its own, which
this script makes once (in the folder of temporary files) and uses again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.core import ROOT, Figure, Options, Result, Target

NAME = "controller"
DESCRIPTION = "observe → action: twin, pymdp under jit, behind a pipe, naively, and the old numpy pymdp"
OLD = "inferactively-pymdp==0.0.7.1"
LENGTH = 20
"""Observations of one sequence of the comparison."""
MOVES = (("CONFUSED", "CONFUSED", 0.8), ("CONFIDENT", "CONFUSED", 0.6), ("BORED", "CONFIDENT", 0.5),
         ("STAGNANT", "STAGNANT", 0.7))  # fmt: skip
"""The source's four examples: the state, and what it becomes after HIGH_SURPRISE with what chance."""


@dataclass(frozen=True)
class Timing:
    """What a child measured: seconds of import and of the first decision, seconds of each later one."""

    imported: float
    first: float
    cycles: tuple[float, ...]
    rss_mb: float


def run(options: Options) -> Result:
    """Time every engine, compare the two in use, and hold the controller against its requirements."""
    slow, fast, sequences = (10, 500, 200) if options.quick else (60, 5000, 2000)
    figures = [
        *_timed("twin", _time("twin", fast, options), Target("<=", 150.0)),
        *_timed("pymdp under jit", _time("jit", fast, options), Target("<=", 500.0)),
        *_timed("pymdp behind a pipe", _time("pipe", fast, options)),
        *_timed("pymdp, called naively", _time("naive", slow, options)),
        *_timed(f"old pymdp ({OLD.split('==')[1]})", _time("old", slow, options, python=_old_python())),
        *_agreement(sequences, options.seed),
        *_steering(),
        *_start(3 if options.quick else 10),
    ]
    notes = (
        f"{fast} decisions of the twin, of pymdp under jit and behind a pipe; {slow} of the others",
        "the twin is timed with all that a run pays for a decision (the whole mood), the others per cycle",
    )
    return Result(NAME, tuple(figures), (options.seed,), 1, notes)


def _timed(name: str, timing: Timing, target: Target | None = None) -> list[Figure]:
    micro = np.array(timing.cycles) * 1e6
    n = len(timing.cycles)
    return [
        Figure(f"{name}: median", float(np.median(micro)), "µs", target, n=n),
        Figure(f"{name}: 95th percentile", float(np.quantile(micro, 0.95)), "µs", n=n),
        Figure(f"{name}: import", timing.imported, "s"),
        Figure(f"{name}: first decision, import included", timing.imported + timing.first, "s"),
        Figure(f"{name}: peak memory", timing.rss_mb, "MB"),
    ]


def _time(subject: str, n: int, options: Options, *, python: str = sys.executable) -> Timing:
    """Run one subject in a fresh process; raises RuntimeError with its last words on failure."""
    from ddax.metacognition.matrices import load_matrices

    m = load_matrices()
    observations = np.random.default_rng(options.seed).integers(0, 4, n + 1).tolist()
    given = {"A": m.A.tolist(), "B": m.B.tolist(), "C": m.C.tolist(), "D": m.D.tolist(), "o": observations}
    code = _HEAD + _SUBJECTS[subject] + _TAIL
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [python, "-c", code], input=json.dumps(given), capture_output=True, text=True, env=env, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{subject} ended with {done.returncode}: {done.stderr[-800:]}")
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return Timing(row["imported"], row["first"], tuple(row["cycles"]), row["rss"])


def _old_python() -> str:
    """Return the interpreter of an environment that holds the old numpy pymdp and nothing of ours."""
    place = Path(tempfile.gettempdir()) / f"ddax-bench-{OLD.replace('==', '-')}-py{sys.version_info.minor}"
    python = place / "bin" / "python"
    if not (place / "ready").is_file():
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True, capture_output=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", OLD], check=True,
            capture_output=True,
        )  # fmt: skip
        (place / "ready").touch()
    return str(python)


_HEAD = """
import json, os, resource, sys, time
import numpy as np
def peak():
    # Of this program alone: the peak that rusage knows is that of whoever started it, if that was larger.
    if os.path.exists("/proc/self/status"):
        lines = open("/proc/self/status")
        return next(int(line.split()[1]) / 2**10 for line in lines if line[:6] == "VmHWM:")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
given = json.load(sys.stdin)
A, B, C, D = (np.array(given[k]) for k in "ABCD")
t = time.perf_counter()
"""
_TAIL = """
imported = t1 - t
t = time.perf_counter(); decide(given["o"][0]); first = built + time.perf_counter() - t
cycles = []
for o in given["o"][1:]:
    t = time.perf_counter(); decide(o); cycles.append(time.perf_counter() - t)
unit = 2**20 if sys.platform == "darwin" else 2**10
rss = peak()
if "child" in globals():
    child.close(); rss += resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit
print(json.dumps({"imported": imported, "first": first, "cycles": cycles, "rss": rss}))
"""
_CYCLE = """
prior = D
def decide(o):
    global prior
    prior = engine.cycle(prior, int(o)).prior
"""
_SUBJECTS = {
    "twin": """
from ddax.metacognition.controller import Controller
from ddax.metacognition.matrices import OBSERVATIONS
t1 = time.perf_counter(); controller = Controller(engine="numpy"); mood = controller.open_mood()
built = time.perf_counter() - t1
def decide(o):
    global mood
    mood = controller.observe(mood, OBSERVATIONS[o], epsilon=0.5).mood
""",
    "jit": """
import jax, equinox; from pymdp.agent import Agent
from ddax.metacognition.pymdp_engine import PymdpEngine
from ddax.metacognition.matrices import load_matrices
t1 = time.perf_counter(); engine = PymdpEngine(load_matrices()); built = time.perf_counter() - t1
"""
    + _CYCLE,
    "pipe": """
from ddax.metacognition.child import Child
t1 = time.perf_counter(); child = engine = Child(policy_len=3); assert child.wait(300)
built = time.perf_counter() - t1
"""
    + _CYCLE,
    "naive": """
import jax.numpy as jnp; from pymdp.agent import Agent
t1 = time.perf_counter()
agent = Agent(A=[jnp.array(A)], B=[jnp.array(B)], C=[jnp.array(C)], D=[jnp.array(D)], policy_len=3)
prior = agent.D; built = time.perf_counter() - t1
def decide(o):
    global prior
    qs = agent.infer_states([jnp.array([o])], empirical_prior=prior)
    q_pi, _ = agent.infer_policies(qs)
    prior = agent.update_empirical_prior(agent.sample_action(q_pi), qs)
    np.asarray(prior[0])
""",
    "old": """
from pymdp import utils; from pymdp.agent import Agent
t1 = time.perf_counter()
agent = Agent(A=utils.to_obj_array(A), B=utils.to_obj_array(B), C=utils.to_obj_array(C),
              D=utils.to_obj_array(D), policy_len=3)
built = time.perf_counter() - t1
def decide(o):
    agent.infer_states([int(o)]); agent.infer_policies(); agent.sample_action()
""",
}


def _agreement(sequences: int, seed: int) -> list[Figure]:
    """Compare twin and pymdp over random sequences from random first beliefs."""
    from ddax.metacognition.matrices import load_matrices
    from ddax.metacognition.pymdp_engine import PymdpEngine
    from ddax.metacognition.twin import Twin

    m, rng = load_matrices(), np.random.default_rng(seed)
    twin, theirs, apart, same, largest = Twin(m), PymdpEngine(m), 0, 0, 0.0
    for _ in range(sequences):
        one = other = rng.dirichlet(np.ones(4))
        parted = False
        for o in rng.integers(0, 4, LENGTH):
            a, b = twin.cycle(one, int(o)), theirs.cycle(other, int(o))
            parted = parted or a.action != b.action
            largest = max(largest, float(np.abs(a.belief - b.belief).max()))
            one, other = a.prior, b.prior
        apart, same = apart + parted, same + (not parted)
    return [
        Figure("sequences with the same actions in twin and pymdp", same / sequences, "share",
               Target(">=", 1.0), n=sequences),
        Figure("largest |Δq| between twin and pymdp", largest, "", Target("<=", 1e-6), n=sequences * LENGTH),
    ]  # fmt: skip


def _steering() -> list[Figure]:
    """Hold the controller, and one that always explores, against what a controller must do."""
    from ddax.metacognition.learning import mutual_information, wander
    from ddax.metacognition.matrices import ACTIONS, STATES, load_matrices
    from ddax.metacognition.twin import Twin

    m = load_matrices()
    twin, off = Twin(m), 0.0
    for state, becomes, chance in MOVES:
        thought = twin.cycle(np.eye(4)[STATES.index(state)], 0)
        off = max(off, abs(float(thought.prior[STATES.index(becomes)]) - chance))
    bits, actions = wander(m)
    always = np.zeros((4, len(ACTIONS)))
    always[:, 0] = 0.25
    return [
        Figure("the source's four moves, largest difference", off, "", Target("<=", 0.05), n=4),
        Figure("actions over 300 random observations", len(actions), "", Target(">=", 4), n=300),
        Figure("information between observation and action", bits, "bit", Target(">=", 0.5), n=300),
        Figure("the same of one that always explores", mutual_information(always), "bit", Target("<", 0.5)),
    ]


def _start(repetitions: int) -> list[Figure]:
    """Count what `ddax run` loads of pymdp before its work begins, and what `auto` adds to opening it."""
    code = (
        "import json, sys, time; t = time.perf_counter();"
        "from ddax.metacognition.controller import Controller; c = Controller(engine=sys.argv[1]);"
        "c.observe({}, 'LOW_SURPRISE');"
        "print(json.dumps([time.perf_counter() - t, len({'jax', 'pymdp', 'equinox'} & set(sys.modules))]))"
    )

    def opened(engine: str) -> list[list[float]]:
        return [
            json.loads(
                subprocess.run(
                    [sys.executable, "-c", code, engine], capture_output=True, text=True, check=True, cwd=ROOT
                ).stdout
            )
            for _ in range(repetitions)
        ]

    auto, numpy = opened("auto"), opened("numpy")
    return [
        Figure("modules of pymdp and jax loaded at the start with auto", max(row[1] for row in auto), "",
               Target("<=", 0), n=repetitions),
        Figure("modules of pymdp and jax loaded in a whole `ddax run`", _loaded_by_a_run(), "",
               Target("<=", 0)),
        Figure("seconds to the first decision with auto", float(np.median([r[0] for r in auto])), "s",
               n=repetitions),
        Figure("seconds to the first decision with numpy", float(np.median([r[0] for r in numpy])), "s",
               n=repetitions),
    ]  # fmt: skip


def _loaded_by_a_run() -> int:
    """Run `ddax run` on one page with the settings as they come, and count what it has loaded at its end."""
    code = (
        "import sys; from ddax.cli.main import run_command;"
        "code = run_command(['run', 'Who built the tower?', '--sources', sys.argv[1], '--quiet']);"
        "sys.exit(code or print('@@loaded', len({'jax', 'pymdp', 'equinox'} & set(sys.modules))))"
    )
    with tempfile.TemporaryDirectory(prefix="ddax-start-") as place:
        (Path(place) / "tower.md").write_text("The tower was built by Ilse Maran in 1931.", encoding="utf-8")
        env = {**os.environ, "DDAX_HOME": str(Path(place) / "home"), "DDAX_MOOD__ENGINE": "auto"}
        done = subprocess.run(
            [sys.executable, "-c", code, str(Path(place) / "tower.md")], capture_output=True, text=True,
            check=True, cwd=ROOT, env=env,
        )  # fmt: skip
    return int(done.stdout.rsplit("@@loaded", 1)[1])
