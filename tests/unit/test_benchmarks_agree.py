"""Two runs of one benchmark: they agree where the printed spreads touch, and say where they do not."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import agree
from benchmarks.core import Figure
from benchmarks.peers.driving import OURS
from benchmarks.peers.rows import Measure, Row


def result(
    *figures: Figure, quick: bool = True, commit: str = "c0ffee", pace: tuple[float, ...] = ()
) -> dict[str, object]:
    conditions = {"quick": quick, "commit": commit} | ({"pace": pace} if pace else {})
    return {"name": "peers", "figures": [asdict(figure) for figure in figures], "conditions": conditions}


def written(folder: Path, *results: dict[str, object]) -> list[str]:
    files = [folder / f"{n}.json" for n in range(len(results))]
    for file, one in zip(files, results, strict=True):
        file.write_text(json.dumps(one), encoding="utf-8")
    return [str(file) for file in files]


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        (Figure("calls", 66.0), Figure("calls", 66.0), True),
        (Figure("calls", 66.0), Figure("calls", 67.0), False),
        (Figure("import", 2.0, "s"), Figure("import", 2.4, "s"), True),
        (Figure("import", 2.0, "s"), Figure("import", 3.1, "s"), False),
        (Figure("wall", 3.0, "×", low=2.5, high=3.1), Figure("wall", 3.3, "×", low=3.1, high=3.6), True),
        (Figure("wall", 3.0, "×", low=2.5, high=3.0), Figure("wall", 3.9, "×", low=3.6, high=4.0), False),
        (Figure("peak", 100.0, "MB"), Figure("peak", 125.0, "MB"), False),
    ],
)
def test_figures_agree_where_their_spreads_touch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], first: Figure, second: Figure, together: bool
) -> None:
    files = written(tmp_path, result(first), result(second))
    assert agree.main(files) == (0 if together else 1)
    said = capsys.readouterr().out
    assert said.endswith(f"{int(together)} of 1 figures agree within their spread\n")
    assert (f"apart: {first.name}: " in said) is not together


def test_what_is_not_of_one_kind_is_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = result(Figure("calls", 1.0))
    for other, why in (
        (result(Figure("calls", 1.0), quick=False), "the form (--quick) differs: True and False"),
        (result(Figure("calls", 1.0), commit="beef"), "the commit differs: c0ffee and beef"),
        (result(Figure("tokens", 1.0)), "only one of them has: calls, tokens"),
    ):
        assert agree.main(written(tmp_path, here, other)) == 2
        assert why in capsys.readouterr().err
    for name, text, why in (
        ("none.json", None, "No such file"),
        ("cut.json", '{"name": ', "holds no JSON"),
        ("other.json", '{"name": "x"}', "is not what a benchmark prints"),
    ):
        if text is not None:
            (tmp_path / name).write_text(text, encoding="utf-8")
        assert agree.main([*written(tmp_path, here), str(tmp_path / name)]) == 2
        said = capsys.readouterr().err
        assert why in said and name in said


@given(st.lists(st.floats(0.001, 1e4), min_size=2, max_size=7), st.sampled_from(["ms", "MB", "×", "calls"]))
def test_a_spread_holds_all_values_and_the_slack_of_its_unit(values: list[float], unit: str) -> None:
    found = Row(Measure("x", unit), OURS, values).figure()
    assert found.low is not None and found.high is not None
    assert found.low <= min(values) <= found.value <= max(values) <= found.high
    if unit == "calls":
        assert (found.low, found.high) == (min(values), max(values))
    else:
        share = agree.SLACK[unit]
        assert found.low <= (1 - share) * found.value * (1 + 1e-12)
        assert found.high >= (1 + share) * found.value * (1 - 1e-12)


def test_a_count_measured_once_has_no_spread() -> None:
    assert agree.spread(asdict(Figure("calls", 3.0))) == (3.0, 3.0)
    assert agree.spread(asdict(Figure("import", -2.0, "s"))) == (-2.4, -1.6)


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        (Figure("import", 2.0, "s"), Figure("import", 4.0, "s"), True),
        (Figure("import", 2.0, "s"), Figure("import", 2.0, "s"), False),
        (Figure("written", 100.0, "1/s"), Figure("written", 50.0, "1/s"), True),
        (Figure("written", 100.0, "1/s"), Figure("written", 100.0, "1/s"), False),
        (Figure("calls", 66.0, "calls"), Figure("calls", 66.0, "calls"), True),
        (Figure("peak", 100.0, "MB"), Figure("peak", 100.0, "MB"), True),
        (Figure("wall", 3.0, "s", low=2.9, high=3.1), Figure("wall", 6.0, "s", low=5.8, high=6.2), True),
    ],
)
def test_what_is_time_is_compared_at_one_pace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], first: Figure, second: Figure, together: bool
) -> None:
    files = written(tmp_path, result(first, pace=(0.9, 1.0, 9.0)), result(second, pace=(2.0,)))
    assert agree.main(files) == (0 if together else 1)
    assert "took 2.000 times as long" in capsys.readouterr().out


def test_a_run_that_tells_no_pace_is_compared_as_it_is(tmp_path: Path) -> None:
    slow, fast = Figure("import", 4.0, "s"), Figure("import", 2.0, "s")
    assert agree.main(written(tmp_path, result(fast), result(slow, pace=(2.0,)))) == 1
    assert agree.main(written(tmp_path, result(fast), result(fast, pace=(2.0,)))) == 0
