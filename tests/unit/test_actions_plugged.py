"""Actions of entry points are found, also those of what is installed while the process runs."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path

import pytest

from ddax.actions import registry
from ddax.actions.registry import open_registry
from ddax.errors import UsageError
from tests.cases import cases


def install(folder: Path, name: str, *, value: str = "") -> None:
    """Put a package with one action into a folder, as an installer does; its entry point names `value`."""
    (folder / f"{name}.py").write_text(
        "from ddax.actions.registry import action\n\n\n"
        f'@action(effect="none")\nasync def {name}(text: str) -> str:\n    """Do it."""\n    return text\n'
    )
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[{registry.ENTRY_POINTS}]\n{name} = {value or f'{name}:{name}'}\n"
    )
    os.utime(folder, (0, 10**9 + len(list(folder.iterdir()))))


def test_what_is_installed_later_is_found_and_the_rest_is_not_looked_through_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def counted(*, group: str) -> importlib.metadata.EntryPoints:
        looked.append(group)
        return importlib.metadata.entry_points(group=group)

    monkeypatch.setattr(registry, "entry_points", counted)  # to count how often all is looked through
    install(tmp_path, "measure_it")
    # The bytecode of what is imported would change the folder once more.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    assert "measure_it" in open_registry()
    assert "measure_it" in open_registry()
    assert looked == [registry.ENTRY_POINTS]
    install(tmp_path, "weigh_it")
    assert {"measure_it", "weigh_it"} <= set(open_registry())
    assert len(looked) == 2
    monkeypatch.undo()
    assert not {"measure_it", "weigh_it"} & set(open_registry())


@cases("value", "said")
def test_a_broken_entry_point_is_named_with_what_it_was_installed_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, said: str
) -> None:
    install(tmp_path, "measure_it", value=value)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match=said) as caught:
        open_registry()
    assert caught.value.what.startswith("the entry point 'measure_it' of the installed package 'measure_it'")
    assert caught.value.mend
