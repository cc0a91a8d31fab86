# ruff: noqa: E501 - programs under test are kept on one line
"""What `ddax fix` reads before anything runs: the test command, the project, the traceback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ddax.cli.running.fix import _caps, _opening
from ddax.errors import SourceError, UsageError
from ddax.evolution.inside.loading import as_bytes
from ddax.evolution.program.code_task import find_code
from ddax.evolution.program.crash import read_traceback
from ddax.evolution.program.project import read_folder, read_project, read_text
from ddax.evolution.program.standin import needs_pytest
from ddax.evolution.program.test_command import Selection, TestCommand, matches, read_command

TEST = "from shop.basket import total\n\ndef test_total():\n    assert total([1]) == 1\n\ndef test_empty():\n    assert total([]) == 0\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    files = {
        "shop/__init__.py": "",
        "shop/basket.py": "from .money import rounded\n\ndef total(xs):\n    return rounded(sum(xs))\n",
        "shop/money.py": "def rounded(x):\n    return x\n",
        "shop/unused.py": "import antigravity\n",
        "tests/test_basket.py": TEST,
        "tests/prices.csv": "1,2\n",
        "README.md": "# shop\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "style", "paths", "keyword"),
    [
        ("pytest -q tests/test_a.py", "pytest", ("tests/test_a.py",), ""),
        ("python -m pytest -x -k 'a and not b' tests", "pytest", ("tests",), "a and not b"),
        ("PYTHONPATH=. uv run pytest t.py::test_a", "pytest", ("t.py::test_a",), ""),
        ("python3.12 -m unittest tests.test_a", "unittest", ("tests.test_a",), ""),
        ("python -m unittest discover -s tests -v", "unittest", ("tests",), ""),
        ("python -u checks.py", "script", ("checks.py",), ""),
        ("tests/test_a.py tests/test_b.py", "pytest", ("tests/test_a.py", "tests/test_b.py"), ""),
        ("pytest --tb short -rA -n 2 --maxfail=1 tests", "pytest", ("tests",), ""),
        ("pytest -xq -p no:cacheprovider -W error -kall tests", "pytest", ("tests",), "all"),
        ("python -W error -X dev -m pytest tests", "pytest", ("tests",), ""),
        ("pytest --lf --sw --pdb --asyncio-mode=auto --hypothesis-seed 1 tests", "pytest", ("tests",), ""),
        ("pytest --benchmark-skip --doctest-modules --last-failed tests", "pytest", ("tests",), ""),
        ("python -m unittest -f -k a -k b tests.test_a", "unittest", ("tests.test_a",), "a or b"),
    ],
)
def test_a_test_command_is_understood(text, style, paths, keyword):
    found = read_command(text)
    assert (found.style, found.paths, found.keyword) == (style, paths, keyword)
    assert (found.environment, found.imports, found.without) == ((), (), ())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("MODE=incl pytest t.py", TestCommand("pytest", ("t.py",), environment=(("MODE", "incl"),))),
        ("env A= B='x y' python -m unittest t", TestCommand("unittest", ("t",), environment=(("A", ""), ("B", "x y")))),
        ("PYTHONPATH=src:lib A=1 uv run pytest", TestCommand("pytest", (), environment=(("A", "1"),), imports=("src", "lib"))),
        ("PYTEST_ADDOPTS='-k one' pytest t.py", TestCommand("pytest", ("t.py",), "one")),
        ("pytest -q --doctest-modules -p my.plugin -o xfail_strict=true a", TestCommand("pytest", ("a",), options=("-o", "xfail_strict=true", "-p", "my.plugin"), doctests=True)),
    ],
)  # fmt: skip
def test_what_a_command_says_beside_the_tests_is_taken_over(text, found):
    assert read_command(text) == found


@pytest.mark.parametrize(
    "name",
    [
        "LD_PRELOAD",
        "PYTHONHOME",
        "PYTHONOPTIMIZE",
        "PYTHONHASHSEED",
        "PYTHONWARNINGS",
        "PYTHONUTF8",
        "PYTHONDEVMODE",
    ],
)
def test_a_variable_that_cannot_be_set_is_refused_by_its_name(name):
    with pytest.raises(UsageError, match=f"The variable {name} "):
        read_command(f"A=1 {name}=x pytest")


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ({"keyword": "test_x and not b"}, ["t.py::test_x[a]"]),
        ({"wanted": {"t.py": ("test_x[a::b]",)}}, ["t.py::test_x[a::b]"]),
        ({"wanted": {"t.py": ("test_x",)}, "without": ("t.py::test_x[a]",)}, ["t.py::test_x[a::b]", "t.py::test_x[b]"]),
        ({"wanted": {"t.py": ("TestA",)}}, ["t.py::TestA::test_y"]),
    ],
)  # fmt: skip
def test_a_case_is_selected_by_its_whole_name(said, taken):
    names = ["t.py::test_x[a]", "t.py::test_x[a::b]", "t.py::test_x[b]", "t.py::TestA::test_y"]
    chosen = Selection(**said)
    assert [name for name in names if chosen.takes(name)] == taken
    assert all(chosen.may_take(name.partition("[")[0]) for name in taken)


@pytest.mark.parametrize(
    "text",
    ["", "make --check", "python", "pytest 'unclosed", "pytest -m slow tests", "python -c 1", "make test"],
)
def test_another_command_is_refused(text):
    with pytest.raises(UsageError):
        read_command(text)


@pytest.mark.parametrize(
    ("text", "option"),
    [("pytest --co tests", "--co"), ("pytest -xZ tests", "-Z"), ("pytest tests --tb", "--tb"),
     ("pytest --strict=1 tests", "--strict"), ("python -m unittest --deselect a tests.b", "--deselect")],
)  # fmt: skip
def test_an_option_that_is_not_known_is_refused_by_its_name(text, option):
    with pytest.raises(UsageError, match=f"The option {option} "):
        read_command(text)


def test_tests_that_a_command_leaves_out_are_left_out(shop):
    (shop / "tests" / "slow").mkdir()
    (shop / "tests" / "slow" / "test_slow.py").write_text(TEST, "utf-8")
    without = "--ignore tests/slow --deselect tests/test_basket.py::test_empty"
    task = read_project(["shop"], read_command(f"pytest {without} tests"), cwd=shop).task
    assert set(task.tests) == {"tests/test_basket.py"}
    assert [unit.id for unit in task.suite().units] == ["tests/test_basket.py::test_total"]


@pytest.mark.parametrize(
    ("folder", "name"),
    [(".", "./tests/test_basket.py"), ("tests", "test_basket.py"), ("tests", "tests/test_basket.py")],
)
def test_a_test_is_left_out_however_its_file_is_spelled(shop, folder, name):
    command = read_command(f"pytest --deselect {name}::test_empty {shop / 'tests'}")
    task = read_project([str(shop / "shop")], command, cwd=shop / folder).task
    assert [unit.id for unit in task.suite().units] == ["tests/test_basket.py::test_total"]


@pytest.mark.parametrize("inside", [False, True])
def test_a_folder_that_cannot_be_entered_is_passed_over(shop, monkeypatch, inside):
    (shop / "shop" / "shut").mkdir()

    def barred(real):
        def call(path, *rest, **options):
            place = os.fspath(path) if not isinstance(path, int) else ""
            if "/shut/" in place or (place.endswith("/shut") and real is os.listdir and not inside):
                raise PermissionError(13, "Permission denied", place)
            return real(path, *rest, **options)

        return call

    (shop / "shop" / "shut" / "late.py").write_text("x = 1\n", "utf-8")
    (shop / "tests" / "test_shut.py").write_text("def test_a():\n    import shop.shut\n", "utf-8")
    for name in ("stat", "lstat", "listdir"):
        monkeypatch.setattr(os, name, barred(getattr(os, name)))
    task = read_project(["shop"], read_command("pytest tests"), cwd=shop).task
    assert set(task.targets) == {"shop/__init__.py", "shop/basket.py", "shop/money.py"}


def test_unittest_discovers_by_the_pattern_of_the_command(shop):
    (shop / "tests" / "check_basket.py").write_text(TEST, "utf-8")
    for command in (
        "python -m unittest discover -s tests -p check_*.py",
        "python -m unittest discover tests check_*.py",
    ):
        task = read_project(["shop"], read_command(command), cwd=shop).task
        assert set(task.tests) == {"tests/check_basket.py"}


def test_a_hidden_folder_is_a_root_of_imports(shop):
    (shop / ".hid").mkdir()
    (shop / ".hid" / "prog.py").write_text("x = 1\n", "utf-8")
    (shop / ".hid" / "test_prog.py").write_text(
        "from prog import x\n\ndef test_x():\n    assert x\n", "utf-8"
    )
    task = read_project([".hid"], None, cwd=shop).task
    assert (task.roots, task.targets) == ((".hid", ""), (".hid/prog.py",))


def test_a_budget_has_a_unit():
    assert _caps(["30s", "$0.5"]) == {"evolution.seconds": 30.0, "budget.max_usd": 0.5}
    assert _caps(["2m", "0.50usd"]) == {"evolution.seconds": 120.0, "budget.max_usd": 0.5}


@pytest.mark.parametrize(
    ("word", "why"),
    [("3", "none of s, m and usd"), ("0.5", "none of s, m"), ("$5m", "none of s, m"),
     ("-2s", "must be above 0"), ("0usd", "must be above 0"), ("-$2", "must be above 0")],
)  # fmt: skip
def test_a_budget_that_is_none_is_told_why(word, why):
    with pytest.raises(UsageError, match=why):
        _caps([word])


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("total", True), ("not total", False), ("total and slow", False), ("(slow or TOTAL) and not x9", True)],
)
def test_a_keyword_expression_selects(expression, expected):
    assert matches(expression, "t.py::test_total") is expected


def test_a_keyword_expression_that_calls_something_is_refused():
    with pytest.raises(UsageError):
        matches("total(1)", "t.py::test_total")


def test_a_project_is_what_its_tests_reach(shop):
    project = read_project(["shop"], read_command("pytest tests"), cwd=shop)
    task = project.task
    assert project.root == shop
    assert set(task.targets) == {"shop/__init__.py", "shop/basket.py", "shop/money.py"}
    assert set(task.tests) == {"tests/test_basket.py"}
    assert task.folder == str(shop)
    assert task.roots == ("tests", "")
    assert task.runner == "fast"


def test_one_test_of_a_file_is_selected(shop):
    for command in ("pytest tests/test_basket.py::test_total", "pytest tests -k total"):
        task = read_project(["shop/basket.py"], read_command(command), cwd=shop).task
        assert [unit.id for unit in task.suite().units] == ["tests/test_basket.py::test_total"]
        assert task.targets == ("shop/basket.py",)


def test_a_unittest_name_is_a_file(shop):
    (shop / "tests" / "__init__.py").write_text("", "utf-8")
    task = read_project(["shop"], read_command("python -m unittest tests.test_basket"), cwd=shop).task
    assert set(task.tests) == {"tests/test_basket.py"}


def test_a_project_elsewhere_is_read_from_its_own_folder(shop, tmp_path_factory):
    away = tmp_path_factory.mktemp("away")
    project = read_project([str(shop / "shop")], read_command(f"pytest {shop / 'tests'}"), cwd=away)
    assert project.root == shop


def test_a_folder_is_read_in_a_run_as_fix_reads_it(shop):
    (shop / "tests" / "conftest.py").write_text("import pytest\n", "utf-8")
    project = read_folder(str(shop))
    assert project == read_project(["."], None, cwd=shop)
    assert project.task.runner == "pytest"
    assert project.task.folder == str(shop)
    assert project.task.roots == ("tests", "")


def test_code_is_found_beside_any_number_of_modules(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    for number in range(201):
        (tmp_path / "src" / f"m{number:03}.py").write_text("x = 1\n", "utf-8")
    assert find_code((str(tmp_path),)) == ""
    (tmp_path / "tests" / "test_a.py").write_text("from m200 import x\n\ndef test_a():\n    assert x\n")
    assert find_code(("https://example.org", str(tmp_path))) == str(tmp_path)
    assert read_folder(str(tmp_path)).task.targets == ("src/m200.py",)


def test_installed_libraries_are_no_code_of_the_project(tmp_path):
    for name in ("venv/lib/site-packages/requests", "node_modules/gyp"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "api.py").write_text("x = 1\n", "utf-8")
        (tmp_path / name / "test_api.py").write_text("def test_a():\n    assert 1\n", "utf-8")
    assert find_code((str(tmp_path),)) == ""
    (tmp_path / "prog.py").write_text("x = 1\n", "utf-8")
    (tmp_path / "test_prog.py").write_text("def test_a():\n    assert 1\n", "utf-8")
    task = read_folder(str(tmp_path)).task
    assert (task.targets, tuple(task.tests)) == (("prog.py",), ("test_prog.py",))


@pytest.mark.parametrize(
    ("paths", "command", "error"),
    [
        (["nowhere"], "pytest tests", SourceError),
        (["README.md"], "pytest tests", SourceError),
        (["shop"], "pytest nowhere", SourceError),
        (["tests"], "pytest tests", UsageError),
        (["shop"], "pytest tests -k nothing_like_it", SourceError),
    ],
)
def test_what_cannot_be_read_is_said(shop, paths, command, error):
    with pytest.raises(error):
        read_project(paths, read_command(command), cwd=shop)


def test_code_without_tests_is_refused(shop):
    with pytest.raises(UsageError, match="no tests"):
        read_project(["shop"], None, cwd=shop)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (TEST, ""),
        ("import pytest\n\ndef test_a():\n    with pytest.raises(ValueError):\n        int('x')\n", "pytest"),
        ("def test_a(tmp_path_factory):\n    pass\n", "tmp_path_factory"),
        ("def setup_module():\n    pass\n\ndef test_a():\n    pass\n", "setup_module"),
    ],
)
def test_tests_that_need_pytest_itself_are_known(text, part):
    reason = needs_pytest({"t.py": text})
    assert part in reason if part else reason == ""


def test_a_traceback_gives_error_frames_and_script(shop):
    (shop / "main.py").write_text("import shop.basket\n", "utf-8")
    text = (
        "noise\nTraceback (most recent call last):\n"
        '  File "main.py", line 1, in <module>\n    total(None)\n    ~~~~~^^^^^^\n'
        f'  File "{shop}/shop/basket.py", line 4, in total\n    return rounded(sum(xs))\n'
        '  File "/usr/lib/python3.12/statistics.py", line 9, in mean\n    x\n'
        "TypeError: 'NoneType' object is not iterable\n"
    )
    crash = read_traceback(text, cwd=shop)
    assert (crash.error, crash.message) == ("TypeError", "'NoneType' object is not iterable")
    assert [(f.path.name, f.line) for f in crash.frames] == [("main.py", 1), ("basket.py", 4)]
    assert crash.script == shop / "main.py"
    assert crash.test is None


def test_a_traceback_of_pytest_names_its_test(shop):
    text = "tests/test_basket.py:4: in test_total\n    assert total([1]) == 1\nE   AssertionError\n"
    assert read_traceback(text, cwd=shop).test == shop / "tests" / "test_basket.py"


def test_a_text_without_a_traceback_is_refused(shop):
    with pytest.raises(SourceError, match="names no file"):
        read_traceback("it does not work", cwd=shop)


def test_no_name_of_a_file_steers_the_terminal(tmp_path: Path):
    (tmp_path / "ca\x1b[31mlc.py").write_text("def one(): return 1")
    (tmp_path / "test_\x1b[2Jcalc.py").write_text("def test_a(): ...\n")
    command = TestCommand("pytest", ("test_\x1b[2Jcalc.py",))
    project = read_project(["ca\x1b[31mlc.py"], command, cwd=tmp_path)
    assert _opening(project) == ["Code:     calc.py", "Tests:    test_calc.py"]


def test_a_folder_without_code_is_named_as_it_is_called(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError) as told:
        read_project(["empty"], read_command("pytest empty"), cwd=tmp_path)
    assert told.value.why == "There is no Python file but tests in 'empty'."


def test_examples_of_docstrings_alone_are_told_to_be_no_tests(tmp_path):
    (tmp_path / "double.py").write_text(
        'def double(x):\n    """\n    >>> double(2)\n    4\n    """\n    return x\n'
    )
    with pytest.raises(UsageError, match="no tests to repair by") as raised:
        read_project(["double.py"], None, cwd=tmp_path)
    assert "double.py" in raised.value.why and "doctest.testmod(double)" in raised.value.mend


def test_a_file_with_the_mark_of_utf_8_is_read_and_its_imports_are_followed(tmp_path):
    (tmp_path / "one.py").write_bytes(b"\xef\xbb\xbfX = 1\n")
    (tmp_path / "test_one.py").write_bytes(
        b"\xef\xbb\xbfimport one\n\ndef test_one():\n    assert one.X == 2\n"
    )
    task = read_project(["."], None, cwd=tmp_path).task
    assert task.files == {"one.py": "X = 1\n"}
    assert task.suite().units[0].id == "test_one.py::test_one"


def test_a_file_is_read_in_the_encoding_that_it_names(tmp_path):
    for name, coding in (("one.py", "latin-1"), ("two.py", "cp1252"), ("three.py", "utf-8")):
        (tmp_path / name).write_bytes(f"# coding: {coding}\nX = 'Zoë'\n".encode(coding))
        assert read_text(tmp_path / name) == f"# coding: {coding}\nX = 'Zoë'\n"
        assert as_bytes(read_text(tmp_path / name)) == (tmp_path / name).read_bytes()
    (tmp_path / "four.py").write_bytes(b"# coding: none-such\n")
    with pytest.raises(SourceError, match="Cannot read"):
        read_text(tmp_path / "four.py")


def test_a_command_that_selects_no_test_is_told_which_there_are(tmp_path):
    (tmp_path / "one.py").write_text("X = 1\n")
    (tmp_path / "test_one.py").write_text("import one\n\ndef test_one():\n    assert one.X == 2\n")
    with pytest.raises(SourceError, match="selects no test") as told:
        read_project(["one.py"], TestCommand("pytest", ("test_one.py::test_zzz",)), cwd=tmp_path)
    assert "test_one.py::test_one" in told.value.why
