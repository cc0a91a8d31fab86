"""The command `doctor`: what is here, what is missing, and what that means. It never fails half-way."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import typer

from ddax.cli.backend import Output
from ddax.cli.options import JSON, VERBOSE
from ddax.cli.text import clean
from ddax.errors import StateError, StorageError
from ddax.registered import left_out

State = Literal["ok", "missing", "bad"]
PACKAGES = (
    "ddax", "langgraph", "langgraph-checkpoint-sqlite", "langchain", "langchain-openai", "chromadb", "numpy",
    "inferactively-pymdp", "playwright", "pydantic", "pyyaml", "onnxruntime", "tokenizers", "typer", "rich",
)  # fmt: skip
_CODES = {"memory": StateError.exit_code}
PYTEST = "not installed; repairs by tests with a conftest.py, plugins or further fixtures need it"


@dataclass(frozen=True)
class Check:
    """One finding; `missing` takes an ability away, `bad` means that ddax cannot work."""

    name: str
    state: State
    detail: str


def doctor(json: JSON = False, verbose: VERBOSE = False) -> None:
    """Say what this machine has and lacks, and whether the memory is what was written.

    Ends with exit code 1 if ddax cannot work here, 4 if its memory is damaged.
    """
    output = Output(json=json, verbose=verbose)
    checks = list(diagnose())
    healthy = all(check.state != "bad" for check in checks)
    if json:
        output.result({"ok": healthy, "checks": [asdict(check) for check in checks]})
    for check in checks:
        output.say(f"{check.state:<8} {check.name}: {clean(check.detail)}")
    raise typer.Exit(max((_CODES.get(check.name, 1) for check in checks if check.state == "bad"), default=0))


def diagnose() -> Iterator[Check]:
    """Make every check; one that breaks is reported as bad, with what broke it."""
    probes: tuple[tuple[str, Callable[[], Iterator[Check]]], ...] = (
        ("python", _python), ("package", _packages), ("home", _home), ("memory", _memory),
        ("locks", _locks),
        ("model file", _model_file), ("browser", _browser), ("sandbox", _sandbox),
        ("settings", _settings), ("keys", _keys),
    )  # fmt: skip
    for name, probe in probes:
        try:
            yield from probe()
        except Exception as exc:  # a doctor that falls over helps nobody; the finding says what broke
            yield Check(name, "bad", f"{type(exc).__name__}: {exc}")


def _python() -> Iterator[Check]:
    where = f"{platform.system()} {platform.machine()}, {sys.executable}"
    yield Check("python", "ok", f"{platform.python_version()} on {where}")


def _packages() -> Iterator[Check]:
    from importlib import metadata

    for name in PACKAGES:
        try:
            yield Check(f"package {name}", "ok", metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Check(f"package {name}", "bad", "not installed; install ddax again")
    try:
        yield Check("package pytest", "ok", metadata.version("pytest"))
    except metadata.PackageNotFoundError:
        yield Check("package pytest", "missing", PYTEST)


def _home() -> Iterator[Check]:
    from ddax.memory.home import Home

    home = _place()
    place = home if home.exists() else _nearest_folder(home)
    if why := _unwritable(place):
        yield Check("home", "bad", f"{place} cannot be written ({why}); make it writable or set DDAX_HOME")
        return
    try:
        Home(home).version()
    except StateError as error:
        yield Check("home", "bad", str(error))
        return
    free = shutil.disk_usage(place).free / 1e9
    size = (
        sum(file.stat().st_size for file in home.rglob("*") if file.is_file()) / 1e6 if home.exists() else 0.0
    )
    there = f"{size:.1f} MB" if home.exists() else "not made yet"
    yield Check("home", "ok", f"{home}, {there}, {free:.1f} GB free")


def _unwritable(place: Path) -> str:
    """Say why nothing can be written to a folder; "" where a folder was made in it, and taken away."""
    try:
        with TemporaryDirectory(prefix=".ddax-doctor-", dir=place):
            return ""
    except OSError as error:  # rights alone do not tell: a file system may be read-only, or full
        return error.strerror or type(error).__name__


def _memory() -> Iterator[Check]:
    """Read the record of the memory through, row by row, and hold it against its manifest."""
    from ddax.memory.home import Home
    from ddax.memory.records import RECORD
    from ddax.memory.store.record_check import check_record, held_rows, said_rows

    record = Home(_place()).memory / RECORD
    try:
        check_record(record, reading=True, deep=True)
    except StateError as error:
        yield Check("memory", "bad", str(error))
        return
    except StorageError as error:  # nobody can tell whether it is damaged: what is wrong is its place
        yield Check("memory folder", "bad", str(error))
        return
    if not record.exists():
        yield Check("memory", "ok", "nothing is remembered yet")
        return
    yield Check("memory", "ok", f"{said_rows(held_rows(record))}, each as it was written")


def _place() -> Path:
    """Return where the home is, whatever stands there."""
    from ddax.memory.home import Home

    return Home.from_environ(os.environ).path


def _nearest_folder(path: Path) -> Path:
    return next(folder for folder in path.absolute().parents if folder.exists())


def _locks() -> Iterator[Check]:
    from ddax.memory.lock import lock_owner, read_owner

    home = _place()
    files = sorted(home.rglob("owner.json")) if home.exists() else []
    for file in files:
        owner, live = read_owner(file), lock_owner(file.parent)
        name = file.parent.relative_to(home)
        if live is not None:
            yield Check("lock", "ok", f"{name} is held by process {live.pid} on {live.host}")
        elif owner is not None:
            yield Check("lock", "ok", f"{name} was left by process {owner.pid}, which is gone; it is free")
    if not files:
        yield Check("lock", "ok", "nothing is in use")


def _model_file() -> Iterator[Check]:
    from ddax.errors import DdaxError
    from ddax.memory.embeddings import MODEL_SHA256, checked_bytes, installed_model

    try:
        path = installed_model()
        size = len(checked_bytes(path, MODEL_SHA256))
    except DdaxError as exc:
        yield Check("model file", "bad", str(exc))
        return
    yield Check(
        "model file", "ok", f"{path.name}, {size / 1e6:.1f} MB, sha256 {MODEL_SHA256[:12]} as expected"
    )


def _browser() -> Iterator[Check]:
    from ddax.environments.browser.chromium import PROGRAMS

    found = next((path for path in map(shutil.which, PROGRAMS) if path), None)
    lacks = "no Chromium; pages that need a browser, and `graph --format png`, do not work"
    yield Check("browser", "ok" if found else "missing", found or lacks)


def _sandbox() -> Iterator[Check]:
    try:
        from ddax.evolution.sandbox import attack, back_ends
    except ModuleNotFoundError as error:
        gone = left_out(error)
        if gone is None:
            raise
        yield Check("sandbox", "missing", str(gone))
        return
    found = [attack(sandbox) for sandbox in back_ends()]
    for probe in found:
        said = f"{probe.name} holds against the canary attack"
        why = f"{probe.name}: {probe.why}" + (f" ({', '.join(probe.escapes)})" if probe.escapes else "")
        yield Check("sandbox", "ok" if probe.holds else "missing", said if probe.holds else why)
    if not any(probe.holds for probe in found):
        yield Check("sandbox", "missing", "no candidate code is run here; repairs end with exit 3")


def _settings() -> Iterator[Check]:
    from ddax.configs.layers import load_context
    from ddax.errors import DdaxError

    try:
        loaded = load_context()
    except DdaxError as exc:
        yield Check("settings", "bad", str(exc))
        return
    yield Check("settings", "ok", f"{loaded.file or 'no ddax.yaml'}; model {loaded.context.model_name}")


def _keys() -> Iterator[Check]:
    from ddax.cli.notes import keys_present

    present = sorted(keys_present().values())
    yield Check(
        "keys",
        "ok",
        f"{', '.join(present)} set (never shown)" if present else "none; the embedded reasoner answers",
    )
