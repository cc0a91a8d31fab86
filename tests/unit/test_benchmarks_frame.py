"""The frame of the benchmarks: one result format, honest checks, clear refusals."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import __main__ as command
from benchmarks import core, page
from benchmarks.core import Figure, Options, Result, Target, bootstrap, discover, paired_bootstrap, run_child


def benchmark(value: float) -> ModuleType:
    module = ModuleType("sample")

    def run(options: Options) -> Result:
        figures = (Figure("kept", 1.0), Figure("rate", value, "%", Target(">=", 80.0)))
        return Result("sample", figures, (options.seed,))

    vars(module).update(NAME="sample", DESCRIPTION="a sample", run=run)
    return module


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(command, "discover", lambda: {"sample": benchmark(79.9)})
    return monkeypatch


def test_check_exits_1_and_prints_the_first_miss(
    sample: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["sample", "--check"]) == 1
    assert capsys.readouterr().err.startswith("missed: rate: 79.9 %")
    assert command.main(["sample"]) == 0
    sample.setattr(command, "discover", lambda: {"sample": benchmark(80.0)})
    assert command.main(["sample", "--check"]) == 0


@pytest.mark.parametrize(("name", "code"), [("treequest", 2), ("plotly.graph_objects", 2)])
def test_a_package_that_is_not_installed_is_named_with_what_installs_it(
    sample: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, code: int
) -> None:
    def lacking(*_: object) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    sample.setattr(command, "execute", lacking)
    assert command.main(["sample"]) == code
    told = capsys.readouterr().err
    assert name in told and "make setup-bench" in told


def test_a_module_of_our_own_that_is_missing_is_no_package_to_install(sample: pytest.MonkeyPatch) -> None:
    def lacking(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'benchmarks.gone'", name="benchmarks.gone")

    sample.setattr(command, "execute", lacking)
    with pytest.raises(ModuleNotFoundError):
        command.main(["sample"])


def test_json_is_one_object_with_conditions(
    sample: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["sample", "--json", "--seed", "7"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"name", "figures", "seeds", "repetitions", "notes", "conditions"}
    assert found["figures"][1]["target"] == {"op": ">=", "threshold": 80.0}
    assert found["conditions"]["seed"] == 7
    assert {"versions", "commit", "machine", "seeds", "repetitions"} <= set(found["conditions"])


def test_a_value_that_is_no_number_misses() -> None:
    assert Figure("rate", float("nan"), target=Target(">=", 0.0)).misses


def test_unknown_name_and_missing_data_exit_2(
    sample: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert command.main(["nothing"]) == 2
    assert command.main(["sample", "--data", str(tmp_path / "none")]) == 2
    needy = benchmark(1.0)
    vars(needy)["run"] = lambda options: options.file("absent.jsonl")
    sample.setattr(command, "discover", lambda: {"sample": needy})
    assert command.main(["sample", "--data", str(tmp_path)]) == 2
    assert "absent.jsonl" in capsys.readouterr().err


def test_data_is_found_in_the_checkout_before_the_folder_beside_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own, beside, named = (tmp_path / name for name in ("own", "beside", "named"))
    for folder in (own, beside, named):
        folder.mkdir()
    monkeypatch.setattr(core, "FOLDERS", (own, beside))
    with pytest.raises(core.MissingData, match=r"a\.csv .*docs/benchmarks\.md .*--data DIR"):
        Options().file("a.csv")
    for folder in (beside, own):
        (folder / "a.csv").touch()
        assert Options().file("a.csv") == folder / "a.csv"
    with pytest.raises(core.MissingData, match="named"):
        Options(data=named).file("a.csv")


def test_each_file_that_a_benchmark_reads_is_told_on_the_page() -> None:
    texts = [path.read_text(encoding="utf-8") for path in Path(core.__file__).parent.rglob("*.py")]
    names = {name for text in texts for name in re.findall(r"\"(\w+_dev\.\w+)\"", text)}
    assert len(names) == 4
    assert all(f"- `{name}`: " in page.HEAD for name in names)


def test_the_list_says_how_long_each_took(
    sample: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sample.setattr(core, "RESULTS", tmp_path)
    assert command.main([]) == 0
    assert capsys.readouterr().out == "sample             a sample\n"
    about = {"conditions": {"quick": True, "seconds": 460.2, "machine": {"cores": 2}}}
    (tmp_path / "sample.json").write_text(json.dumps(about), encoding="utf-8")
    assert command.main([]) == 0
    assert capsys.readouterr().out == "sample             a sample (8 min --quick on 2 cores)\n"


def test_a_benchmark_may_add_to_its_conditions(
    sample: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = benchmark(80.0)
    vars(told)["run"] = lambda options: Result("sample", (), conditions={"parts": {"one": 1.5}})
    sample.setattr(command, "discover", lambda: {"sample": told})
    assert command.main(["sample", "--json"]) == 0
    about = json.loads(capsys.readouterr().out)["conditions"]
    assert about["parts"] == {"one": 1.5} and about["seed"] == 0


def test_a_failing_benchmark_is_no_missed_target(sample: pytest.MonkeyPatch) -> None:
    broken = benchmark(1.0)
    vars(broken)["run"] = lambda options: 1 / 0
    sample.setattr(command, "discover", lambda: {"sample": broken})
    assert command.main(["sample", "--check"]) == 3


def test_every_module_is_discovered_by_its_name() -> None:
    found = discover()
    assert "startup" in found
    assert all(name == module.NAME and module.DESCRIPTION for name, module in found.items())


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30))
def test_bootstrap_interval_holds_within_the_data(values: list[float]) -> None:
    found = bootstrap(values, draws=200)
    assert min(values) - 1e-6 <= found.low <= found.high <= max(values) + 1e-6


def test_paired_bootstrap_is_clear_of_zero_for_a_constant_lead() -> None:
    found = paired_bootstrap([2.0, 3.0, 4.0], [1.0, 2.0, 3.0])
    assert (found.low, found.value, found.high) == (1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="differ"):
        paired_bootstrap([1.0], [])


def test_run_child_measures_the_child_alone() -> None:
    small, large = run_child(["-c", "pass"]), run_child(["-c", "x = b'1' * 80_000_000; print(len(x))"])
    assert large.stdout.strip() == "80000000"
    assert large.peak_mb - small.peak_mb > 60
    with pytest.raises(RuntimeError, match="ended with 4"):
        run_child(["-c", "raise SystemExit(4)"])


def test_benchmarks_keep_the_heavy_parts_inside_run() -> None:
    body = "import sys; from benchmarks.core import discover; discover(); print(*sys.modules)"
    done = run_child(["-c", body], cwd=Path(command.__file__).parent.parent)
    assert not {"chromadb", "langgraph", "onnxruntime"} & set(done.stdout.split())


@pytest.mark.parametrize(("size", "of"), [(1, "mean"), (7, "mean"), (50, "median"), (129, "mean")])
def test_samples_drawn_together_are_those_drawn_one_by_one(
    monkeypatch: pytest.MonkeyPatch, size: int, of: Literal["mean", "median"]
) -> None:
    monkeypatch.setattr(core, "SAMPLED", 600)
    data, rng, take = np.random.default_rng(size).random(size), np.random.default_rng(3), getattr(np, of)
    alone = [float(take(data[rng.integers(0, size, size)])) for _ in range(400)]
    found = bootstrap(data.tolist(), seed=3, draws=400, of=of)
    assert (found.low, found.high) == (np.quantile(alone, 0.025), np.quantile(alone, 0.975))
