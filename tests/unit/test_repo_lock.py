"""The lock files hold every dependency with hashes, name no index, and keep the stated bounds."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = ("requirements.lock", "requirements-dev.lock", "scripts/tools.lock")


def pins(path: Path) -> dict[str, set[str]]:
    """Return name -> versions of a lock file."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.\-]+)==([^\s;\\]+)", path.read_text(encoding="utf-8"), re.M):
        found.setdefault(canonicalize_name(name), set()).add(version)
    return found


def overrides(repo: Path) -> dict[str, Requirement]:
    lines = (repo / "scripts/lock-overrides.txt").read_text(encoding="utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    return {canonicalize_name(item.name): item for item in wanted}


def stated(repo: Path) -> list[Requirement]:
    project = tomllib.loads((repo / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [Requirement(line) for line in project["dependencies"]]


@pytest.mark.parametrize("name", LOCKS)
def test_lock_has_hashes_and_no_address(repo: Path, name: str) -> None:
    text = (repo / name).read_text(encoding="utf-8")
    assert "://" not in text
    entries = re.split(r"^(?=[a-zA-Z])", text, flags=re.M)[1:]
    assert entries
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert not {"torch", "tensorflow"} & set(pins(repo / name))


def test_lock_keeps_the_bounds_or_says_why_not(repo: Path) -> None:
    locked, except_for = pins(repo / "requirements.lock"), overrides(repo)
    for need in stated(repo):
        name = canonicalize_name(need.name)
        bound = except_for[name].specifier if name in except_for else need.specifier
        assert locked.get(name), f"{name} is not in requirements.lock: make lock"
        assert all(bound.contains(version) for version in locked[name]), (
            f"{name}: {locked[name]} is not {bound}"
        )


def test_every_override_is_still_needed(repo: Path) -> None:
    locked, bounds = (
        pins(repo / "requirements.lock"),
        {canonicalize_name(n.name): n.specifier for n in stated(repo)},
    )
    for name in overrides(repo):
        assert name in bounds, f"{name} is overridden but not a dependency"
        assert not all(bounds[name].contains(v) for v in locked[name]), (
            f"{name} keeps its bound: drop the override"
        )


def test_base_lock_is_part_of_the_tests_lock(repo: Path) -> None:
    base, dev = pins(repo / "requirements.lock"), pins(repo / "requirements-dev.lock")
    assert {name for name, versions in base.items() if dev.get(name) != versions} == set()
