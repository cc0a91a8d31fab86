"""`ddax fix` with a language model on loopback, in the real sandbox."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ddax.cli.main import run_command
from ddax.reasoning.testing import FakeOpenAI, Say

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]
REPAIRED = "def label(n):\n    return f'Box: {n // 10} and {n % 10}!' if n > 9 else f'Item: {n}!'\n"
"""What no two edits make of the program, so that the model alone can."""
RUNS = REPAIRED.replace("return f'Box", "return os.system('true') * '?' + f'Box")
"""The same by a command of the shell, which no part of it can do without."""
TEST = """from label import label

def test_three():
    assert label(3) == 'Item: 3!'

def test_twelve():
    assert label(12) == 'Box: 1 and 2!'

def test_thirty():
    assert label(30) == 'Box: 3 and 0!'
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DDAX_HOME", raising=False)
    (tmp_path / "label.py").write_text("def label(n):\n    return 'zxq' + str(n)\n")
    (tmp_path / "test_label.py").write_text(TEST)
    with FakeOpenAI() as running:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-the-test-alone")
        for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
            monkeypatch.setenv(name, running.base_url)
        yield running


def fix(capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = run_command(
        ["fix", "label.py", "--tests", "pytest -q", "--model", "openai:gpt-4.1-mini", "--budget", "12s"]
    )
    gc.collect()  # what was left open is told when it is collected
    return code, *capsys.readouterr()


def test_the_model_of_the_role_is_asked_closed_and_its_cost_told(server, tmp_path, capsys):
    (tmp_path / "ddax.yaml").write_text("models: {repair: 'openai:own'}\n")
    candidate = {"hypothesis": "h", "reasoning": "r", "code": f"```python\n{REPAIRED}```"}
    server.add({"candidates": [candidate]})
    code, out, err = fix(capsys)
    assert (code, [body["model"] for body in server.requests]) == (10, ["own"])
    assert (
        "+    return f'Box: {n // 10} and {n % 10}!' if n > 9" in out
        and "Model:    price unknown, 1 call, 120 tokens" in out
    )
    assert "Unclosed" not in err


def test_a_model_that_brings_nothing_is_told_once(server, tmp_path, capsys):
    server._answer = lambda body: "I cannot help with that."
    code, out, err = fix(capsys)
    assert code == 1 and out.count("gave no usable reply") == 1
    assert "times: openai:gpt-4.1-mini gave no usable reply" in out and "Model:    $" in out
    assert "Unclosed" not in err


def test_a_model_that_brings_in_a_process_is_told_of(server, tmp_path, capsys):
    server.add(
        {
            "candidates": [
                {
                    "hypothesis": "h",
                    "reasoning": "r",
                    "code": f"import os\n\n\n{RUNS}",
                }
            ]
        }
    )
    status, out, _ = fix(capsys)
    assert status == 10 and "the patch brings in os.system: see what it does beyond the program" in out


def test_a_key_that_is_refused_is_sent_once_and_told(server, capsys):
    server._answer = lambda body: Say("no such key", status=401)
    code, out, _ = fix(capsys)
    assert (code, len(server.requests)) == (1, 1)
    assert "OPENAI_API_KEY" in out
