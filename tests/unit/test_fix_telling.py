# ruff: noqa: E501 - programs under test are kept on one line
"""What `ddax fix` tells: a repair, what may help where there is none, what stands in it that nobody may see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddax.cli.backend import Output
from ddax.cli.patch import as_json, print_repair, print_suspects
from ddax.configs.secrets import Redactor
from ddax.evolution.records import RepairResult
from ddax.types import Usage


def test_a_repair_is_printed_without_secrets(capsys):
    value = "hunter22-of-the-site"
    output = Output(json=False, redactor=Redactor([value]))
    found = RepairResult(
        "fixed", 100.0, f"+++ b/a.py\n-x = 0  # {value}\n+x = 1  # {value}", {}, f"set {value}", f"so {value}", 1, 0.1,
        0.1, (0, 1), (1, 1), (0, 0), "separate", caveats=(value,), suspicious=(("a.py", 1, 1.0),),
    )  # fmt: skip
    print_suspects(found, {"a.py": f"{'x' * 58} = {value}"}, output)
    print_repair(found, None, output, seconds=20.0)
    said = capsys.readouterr().out
    assert value[:6] not in said and said.count("[secret") == 6


@pytest.mark.parametrize(
    ("held", "before", "after"),
    [
        ((0, 0), "3 of 6 tests pass\n", "6 of 6 tests pass\n"),
        (
            (1, 1),
            "3 of 6 tests pass; 1 more is held out, to judge a patch\n",
            "6 of 6 tests pass, and 1 of 1 held out\n",
        ),
        (
            (2, 3),
            "3 of 6 tests pass; 3 more are held out, to judge a patch\n",
            "6 of 6 tests pass, and 2 of 3 held out\n",
        ),
    ],
)
def test_tests_that_are_held_out_are_counted_apart(held, before, after, capsys):
    found = RepairResult(
        "fixed", 100.0, "+++ b/a.py\n+x = 1", {}, "x", "y", 1, 0.1, 0.1, (3, 6), (6, 6), held, "separate",
    )  # fmt: skip
    print_repair(found, None, Output(json=False), seconds=20.0)
    said = capsys.readouterr().out
    assert f"Before:   {before}After:    {after}" in said
    none = replace(found, status="none", diff="", held_out=(0, held[1]))
    print_repair(none, None, Output(json=False), seconds=20.0)
    assert f"Before:   {before}" in capsys.readouterr().out


@pytest.mark.parametrize(("place", "own"), [("m.py", True), ("/usr/lib/python3/json.py", False)])
def test_a_name_that_the_code_lacks_is_no_fault_outside_of_it(place, own, capsys):
    said = f"t.py::test_a: it cannot be collected: ImportError: cannot import name 'gone' from 'm' ({place})"
    found = RepairResult(
        "none", 0.0, "", {"m.py": "x = 1\n"}, "", "nothing was tried", 0, 0.1, 0.0, (0, 1), (0, 1), (0, 0),
        "none", failures=(said,),
    )  # fmt: skip
    print_repair(found, None, Output(json=False), seconds=20.0)
    told = capsys.readouterr().out
    assert ("imports what this code does not have" in told) is own
    assert ("lies outside of this code" in told) is not own
    assert ("--model" in told) is own


def test_a_search_that_found_nothing_says_what_may_help(capsys):
    late = RepairResult(
        "none", 0.0, "", {}, "", "no candidate passed every test in time", 9, 18.0, 0.0, (0, 2), (0, 2), (0, 0),
        "none", out_of_time=True,
    )  # fmt: skip
    print_repair(late, None, Output(json=False), seconds=20.0)
    said = capsys.readouterr().out
    model = "sk a model, which makes more than small edits: --model provider:model"
    assert said.endswith(
        "Why:      its 20 s ran out before every candidate was tried\n"
        f"Mend:     Give it more time: --budget 60s, or a{model}\n"
    )
    asked = replace(late, usage=Usage(model_calls=1))
    assert as_json(asked, sandbox="s", applied=None, seconds=1.5)["mend"] == "Give it more time: --budget 5s"
    print_repair(asked, None, Output(json=False), seconds=20.0)
    said = capsys.readouterr().out
    assert "in 18.0 s\nModel:    $0.0000, 1 call, 0 tokens\n" in said
    assert "Why:      the search's share of its 20 s ran out" in said
    through = replace(late, out_of_time=False)
    print_repair(through, None, Output(json=False), seconds=20.0)
    said = capsys.readouterr().out
    assert said.endswith(f"Mend:     A{model}\n") and "Why:" not in said
    for other in (
        replace(asked, out_of_time=False),
        replace(through, tried=0),
        replace(through, status="fixed"),
    ):
        assert as_json(other, sandbox="s", applied=None, seconds=20.0)["mend"] == ""


@pytest.mark.parametrize(
    ("failure", "help_"),
    [
        ("SyntaxError: expected ':' (m.py, line 1)", "Mend the syntax first"),
        ("IndentationError: unexpected indent (m.py, line 2)", "Mend the indentation first"),
        ("t.py::test_f: ModuleNotFoundError: No module named 'yaml'", "Install what is missing, or name the Python"),
    ],
)  # fmt: skip
def test_where_nothing_could_be_tried_it_is_said_what_to_mend_first(failure, help_):
    nothing = RepairResult(
        "none", 0.0, "", {}, "", "nothing was tried", 0, 0.1, 0.0, (0, 1), (0, 1), (0, 0), "none", failures=(failure,),
    )  # fmt: skip
    assert as_json(nothing, sandbox="s", applied=None, seconds=20.0)["mend"].startswith(help_)


def test_a_program_that_does_not_load_is_to_be_mended_before_more_is_tried():
    tried = RepairResult(
        "none", 0.0, "", {}, "", "no candidate", 9, 0.1, 0.0, (0, 1), (0, 1), (0, 0), "none",
        failures=("ModuleNotFoundError: No module named 'yaml'",),
    )  # fmt: skip
    install = "Install what is missing, or name the Python that has it: --python PATH"
    assert as_json(tried, sandbox="s", applied=None, seconds=20.0)["mend"] == install
    within = replace(tried, failures=("t.py::test_f: SyntaxError: invalid syntax",))
    assert as_json(within, sandbox="s", applied=None, seconds=20.0)["mend"].startswith("Ask a model")


def test_failing_tests_that_are_not_shown_are_counted(capsys):
    failures = tuple(f"t.py::test_{n}: AssertionError" for n in range(5))
    found = RepairResult(
        "none",
        0.0,
        "",
        {},
        "",
        "no candidate",
        9,
        0.1,
        0.0,
        (1, 7),
        (1, 7),
        (0, 0),
        "none",
        failures=failures,
    )
    print_repair(found, None, Output(json=False), seconds=20.0)
    assert "t.py::test_2: AssertionError\n  - and 3 more failing tests\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "passed", "mend"),
    [
        ("ModuleNotFoundError: No module named 'yaml'", 0, "Install what is missing"),
        ("ModuleNotFoundError: No module named 'yaml'", 1, "Give it more time"),
        ("ConftestImportFailure: ZeroDivisionError: division by zero", 0, "Mend what conftest.py imports"),
        ("it did not end by itself: no line of this code was running", 1, "End that test, or leave it out"),
        ("AssertionError", 0, "Give it more time"),
    ],
)
def test_what_only_a_change_of_the_tests_mends_is_told(said, passed, mend, capsys):
    found = RepairResult(
        "none", 0.0, "", {}, "", "no candidate", 9, 18.0, 0.0, (passed, 2), (passed, 2), (0, 0), "none",
        failures=(f"t.py::test_a: {said}",), out_of_time=True,
    )  # fmt: skip
    assert as_json(found, sandbox="s", applied=None, seconds=20.0)["mend"].startswith(mend)
    print_repair(found, None, Output(json=False), seconds=20.0)
    assert ("Why:      its 20 s ran out" in capsys.readouterr().out) is (mend == "Give it more time")
