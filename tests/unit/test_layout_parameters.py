"""A function takes what it uses: none has more than eight parameters, but for what a user calls."""

from __future__ import annotations

from pathlib import Path

from scripts.stats import MANY_PARAMETERS, functions

CALLED_BY_USERS = ("ddax/cli/", "ddax/graph/runner.py open_agent")
"""The commands, whose parameters are flags, and the door of the library."""
WIDE = {
    "ddax/evolution/population.py __init__": 11,
    "ddax/evolution/sandbox/worker.py job": 11,
    "ddax/reasoning/language/call.py __init__": 13,
    "ddax/reasoning/language/reasoner.py over": 11,
}
"""What is over the limit still, by how much: a number may fall here, none may rise or come."""


def wide(repo: Path) -> dict[str, int]:
    """Return the functions with too many parameters, by file and name."""
    found = {}
    for path in sorted((repo / "ddax").rglob("*.py")):
        for said, _, count in functions(path):
            name = f"{path.relative_to(repo).as_posix()} {said.rpartition(' ')[2]}"
            if count > MANY_PARAMETERS and not name.startswith(CALLED_BY_USERS):
                found[name] = max(count, found.get(name, 0))
    return found


def test_no_function_takes_more_than_eight_parameters(repo: Path) -> None:
    found = wide(repo)
    assert {name: count for name, count in found.items() if count > WIDE.get(name, MANY_PARAMETERS)} == {}
    assert not WIDE.keys() - found.keys(), "what is within the limit is to leave the list"


def test_a_function_with_nine_parameters_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "ddax"
    folder.mkdir()
    (folder / "a.py").write_text(
        "class A:\n    def m(self, a, b, c, d, /, e, f, *, g, h, i): ...\n    def n(self, *args): ...\n"
    )
    assert wide(tmp_path) == {"ddax/a.py m": 9}
