"""One golden run: a seed and four pages in, the whole DAG out, as JSON.

After a change that is meant to alter the run, write the file anew and read the difference:

    GOLDEN=write python -m pytest tests/unit/test_golden_run.py && git diff tests/golden
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ddax.ideas import dag


async def golden_run(kit: Any, home: Path) -> dict[str, Any]:
    """Return the DAG, the decisions and the answer of the run: fixed pages, clock, seed and embedder."""
    async with kit.agent(home) as agent:
        result = await agent.run(kit.question, thread="golden")
        state = await agent.state("golden")
    rows = await kit.memory.rows("decisions")
    decisions = [{key: row[key] for key in ("step", "next", "rule", "focus")} for row in rows]
    kept = ("status", "stop_reason", "answer", "short", "citations", "rigidity", "mood", "steps")
    return {
        "result": {key: result[key] for key in kept},
        "decisions": decisions,
        "ideas": {i["id"]: dict(i) for i in dag.subtree(state["ideas"], "0")},
    }


async def test_the_golden_run(kit: Any, tmp_path: Path, repo: Path) -> None:
    file = repo / "tests" / "golden" / "run.json"
    found = await golden_run(kit, tmp_path)
    if os.environ.get("GOLDEN") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(
            json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
        )
    assert found == json.loads(file.read_text(encoding="utf-8"))
