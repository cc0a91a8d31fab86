"""The parts that can be left out: each is found by its name, and one that is not there is named."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from ddax import Context, open_agent, registered
from ddax.cli.maintaining import doctor
from ddax.errors import MissingPart, UsageError
from ddax.evolution.repairs import CodeRepairs
from ddax.graph import repairs as port
from ddax.graph.repairs import Repairs, needed
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning import free
from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.registered import PARTS, Part, left_out, load


@pytest.mark.parametrize("name", PARTS)
def test_every_part_is_where_the_table_says(name: str) -> None:
    assert callable(load(name))


def test_the_ports_are_served_by_what_is_registered() -> None:
    repairs: Repairs = CodeRepairs()
    judge: free.FreeReasoner = EmbeddedReasoner(HashEmbedder())
    assert isinstance(load("repair")(), type(repairs))
    assert isinstance(free.open_free(HashEmbedder()), type(judge))


@pytest.mark.parametrize("package", ["ddax.not_there", "ddax.reasoning.not_there", "ddax.not_there.deeper"])
def test_a_part_that_was_left_out_is_named_with_the_mend(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    top = "ddax.not_there" if package.startswith("ddax.not_there") else package
    monkeypatch.setattr(registered, "PARTS", {"odd": Part(top, "place:Thing", "The odd part", ", or do not")})
    with pytest.raises(MissingPart) as caught:
        load("odd")
    assert caught.value.what == "The odd part is not part of this installation."
    assert top in caught.value.why
    assert caught.value.mend.endswith("pip install --force-reinstall ddax, or do not.")
    assert isinstance(caught.value, UsageError)


def test_what_a_part_itself_lacks_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def import_module(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr(registered, "import_module", import_module)
    with pytest.raises(ModuleNotFoundError, match="numpy"):
        load("repair")
    assert left_out(ModuleNotFoundError("no", name="ddax.evolution.inside")) is None


def test_a_run_without_the_free_reasoner_is_told_when_it_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = Part("ddax.not_there", "reasoner:EmbeddedReasoner", "The reasoner without a model")
    monkeypatch.setattr(registered, "PARTS", {"embedded": gone})
    monkeypatch.setattr(free, "PARTS", {"embedded": gone})
    stand_in = free.open_free(HashEmbedder())
    assert stand_in.name == "embedded"
    with pytest.raises(MissingPart, match="reasoner without a model"):
        stand_in.judge_all([])


def test_a_task_of_code_needs_the_repair() -> None:
    with pytest.raises(MissingPart, match="repair of code"):
        needed(None)


@pytest.fixture
def unrepairable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the repair of code out."""
    gone = {**registered.PARTS, "repair": Part("ddax.not_there", "repairs:CodeRepairs", "The repair of code")}
    monkeypatch.setattr(registered, "PARTS", gone)
    monkeypatch.setattr(port, "PARTS", gone)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (("adder.py", "test_adder.py"), True),
        (("pkg/adder.py", "tests/adder_test.py"), True),
        (("adder.py", "conftest.py"), False),
        (("test_adder.py", "notes.md"), False),
        (("adder.py", ".git/test_adder.py", "venv/test_adder.py"), False),
    ],
)
def test_code_with_tests_that_nothing_repairs_is_told(
    tmp_path: Path, unrepairable: None, files: tuple[str, ...], told: bool
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    assert port.open_repairs() is None
    said = port.unrepaired(None, ("https://example.org/", str(tmp_path)))
    assert bool(said) is told
    for part in (str(tmp_path), "The repair of code is not part", "ddax.not_there", "Install ddax whole"):
        assert part in said or not told


async def test_a_run_over_code_says_that_its_repair_is_missing(
    tmp_path: Path, unrepairable: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "adder.py").write_text("def add(a, b):\n    return a - b\n")
    (folder / "test_adder.py").write_text(
        "from adder import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
    )
    context = Context.model_validate({"sources": [str(folder)], "mood": {"engine": "numpy"}})
    async with open_agent(context) as agent:
        result = await agent.run("Make the failing tests pass.")
    (note,) = [note for note in result["notes"] if "repair of code" in note]
    assert "is not part of this installation" in note and "ddax.not_there" in note


def test_the_doctor_names_a_part_that_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        """An importer for which the repair of code is not there."""

        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> None:
            if name.startswith("ddax.evolution"):
                raise ModuleNotFoundError(f"No module named {name!r}", name="ddax.evolution")

    for name in [name for name in sys.modules if name.startswith("ddax.evolution")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Gone, *sys.meta_path])
    (check,) = doctor._sandbox()
    assert (check.name, check.state) == ("sandbox", "missing")
    assert "repair of code is not part of this installation" in check.detail
