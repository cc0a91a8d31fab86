"""What a real model on this machine does with our requests; `make test-model` runs it.

Needs the extra `local` and `ddax models get qwen2.5-coder-1.5b`; says why where it is skipped.
"""

import importlib.util
import os
from pathlib import Path

import pytest

from ddax import open_agent
from ddax.configs.settings import Context
from ddax.reasoning.local.known import KNOWN, USUAL

# The home of the user, whose cache has the model: a test is given a home of its own.
FILE = Path(os.path.expanduser("~")) / ".cache" / "ddax-models" / KNOWN[USUAL].file
WHY = ""
if importlib.util.find_spec("xllamacpp") is None:
    WHY = "xllamacpp is not installed: pip install 'ddax[local]'"
elif not FILE.exists():
    WHY = f"the model is not here: ddax models get {USUAL}"
pytestmark = [
    pytest.mark.integration,
    pytest.mark.long,
    pytest.mark.model,
    pytest.mark.skipif(bool(WHY), reason=WHY),
]

TASK = "In which year was the harbour of Belmark built, and who built it?"


async def test_a_run_ends_with_an_answer_and_throws_nothing_away(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "harbour.md").write_text("# Belmark\n\nThe harbour of Belmark was built in 1804 by Ann Oker.\n")
    (folder / "goats.md").write_text("# Goats\n\nThe goats of Belmark graze on the northern slopes.\n")
    context = Context(
        model=f"gguf:{FILE}",
        sources=(str(folder),),
        models={"output_tokens": 600},
        budget={"max_model_calls": 12},
    )
    async with open_agent(context, home=tmp_path / "home") as agent:
        first = await agent.run(TASK)
        again = await agent.run(TASK)  # the model is warm
    assert first["status"] == again["status"] == "done", first["stop_reason"]
    assert first["usage"]["model_calls"] >= 1
    assert first["usage"]["usd"] == 0.0
    assert not [fault for fault in first["failures"] if "no usable reply" in str(fault)]
    assert "1804" in first["answer"]
