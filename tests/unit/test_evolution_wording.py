"""What a repair is shown as: a diff that those who apply one take, and words that say what it does."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ddax.evolution.operators import Edit, Seen, Source, first_order
from ddax.evolution.program.project import read_folder
from ddax.evolution.wording import applied, changes_of, explain, unified

PROGRAM = "def add(a, b):\n    return a - b\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the diff")
@pytest.mark.parametrize(
    "program",
    [
        PROGRAM,
        PROGRAM.replace("\n", "\r\n"),
        f"import os\n\x0c\n{PROGRAM}",
        f"S = 'a\u2028b'\n{PROGRAM}",
        PROGRAM.rstrip("\n"),
    ],
    ids=["lines", "carriage returns", "form feed", "line separator", "no end"],
)
def test_the_diff_of_a_repair_applies_to_the_file_as_it_is(tmp_path: Path, program: str) -> None:
    (tmp_path / "calc.py").write_bytes(program.encode())
    (tmp_path / "test_calc.py").write_text("def test(): pass\n")
    files = read_folder(str(tmp_path)).task.files
    new = {"calc.py": files["calc.py"].replace("a - b", "a + b")}
    (tmp_path / "repair.patch").write_bytes(unified(files, new).encode())
    subprocess.run(["git", "apply", "repair.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "calc.py").read_bytes() == program.replace("a - b", "a + b").encode()


def test_code_outside_of_the_folder_is_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(PROGRAM)
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "calc.py").write_text(PROGRAM)
    (folder / "test_calc.py").write_text("def test(): pass\n")
    (folder / "linked.py").symlink_to(tmp_path / "other.py")
    assert read_folder(str(folder)).task.targets == ("calc.py",)


def edit_of(program: str, old: str, new: str, operator: str = "name") -> Edit:
    start = program.encode().index(old.encode())
    return Edit("a.py", start, start + len(old.encode()), new, operator, 0.0, 1)


def told(program: str, *pairs: tuple[str, str], dropped: str = "") -> str:
    text, edits = program, []
    for old, new in pairs:
        edits.append(edit_of(text, old, new))
        text = edits[-1].apply(text.encode()).decode()
    return explain(edits, {"a.py": program}, {"a.py": dropped or text})


def test_a_second_edit_is_quoted_from_where_it_stands() -> None:
    program = "def f(x, hi):\n    if x < hi:\n        return hi\n    return x[len(x)]\n"
    assert told(program, ("x < hi", "x > hi - 100"), ("len(x)", "len(x) - 1")) == (
        "a.py line 2: replace `x < hi` by `x > hi - 100` (name);"
        " a.py line 4: replace `len(x)` by `len(x) - 1` (name)"
    )


def test_an_edit_of_what_was_put_in_is_one_with_it() -> None:
    program = "def f(into):\n    into.append(1)\n    return into\n"
    line = "    into.append(1)\n"
    pairs = ((line, f"    into = sorted(into)\n{line}"), ("sorted(into)", "list(into)"))
    assert told(program, *pairs) == "a.py line 2: put in `into = list(into)` (name, name)"


def test_a_line_break_is_shown_and_lines_that_stay_are_not() -> None:
    program = "def f(n):\n    n += 1\n    return n\n"
    guarded = "    if n:\n        n += 1\n"
    assert "replace `n += 1` by `if n: ⏎ n += 1`" in told(program, ("    n += 1\n", guarded))
    assert told(program, ("    n += 1\n", "")) == "a.py line 2: remove `n += 1` (name)"
    assert "line 3: put in `n += 2`" in told(program, ("    n += 1\n", "    n += 1\n    n += 2\n"))


def test_an_edit_that_was_dropped_is_not_told() -> None:
    program = "a = 1\nb = 2\nc = 3\n"
    pairs = (("1", "10"), ("3", "30"))
    assert (
        told(program, *pairs, dropped="a = 1\nb = 2\nc = 30\n") == "a.py line 3: replace `3` by `30` (name)"
    )
    pairs = (("1\nb = 2", "10\nb = 20"), ("3", "30"))
    assert (
        told(program, *pairs, dropped="a = 10\nb = 2\nc = 3\n") == "a.py line 1: replace `a = 1` by `a = 10`"
    )


BODY = """def f(xs, n=2):
    out = []
    for x in xs:
        if x < n:
            out.append(x)
    return out
"""
EDITS = [edit for _, edit in first_order(Source("a.py", BODY.encode(), Seen()), {})]


def stands(quote: re.Match[str] | None, lines: list[str]) -> bool:
    """Say whether the lines that are quoted stand in a text, in order."""
    left = "\n".join(lines)
    for piece in quote[1].removesuffix("…").split(" ⏎ ") if quote else ():
        if piece not in left:
            return False
        left = left.split(piece, 1)[1]
    return True


@settings(max_examples=25)
@given(st.integers(0, len(EDITS) - 1), st.data())
def test_what_is_quoted_as_old_stands_in_the_file_and_as_new_in_the_patch(
    first: int, data: st.DataObject
) -> None:
    one = EDITS[first]
    middle = one.apply(BODY.encode())
    seconds = [edit for _, edit in first_order(Source("a.py", middle, Seen()), {})]
    other = seconds[data.draw(st.integers(0, len(seconds) - 1))]
    text = other.apply(middle).decode()
    assume(text != BODY)  # the search knows what stood there, and never tries it
    assert applied(changes_of((one, other), BODY.encode()), BODY.encode()).decode() == text
    for part in explain((one, other), {"a.py": BODY}, {"a.py": text}).split("; a.py "):
        line = re.search(r"line (\d+): ", part)
        old = re.search(r"(?:replace|remove) `([^`]*)`", part)
        new = re.search(r"(?:by|put in) `([^`]*)`", part)
        assert line and (old or new)
        assert stands(old, BODY.split("\n")[int(line[1]) - 1 :])
        assert stands(new, text.split("\n"))
