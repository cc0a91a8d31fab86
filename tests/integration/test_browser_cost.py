"""What a task of some clicks on a long page costs with a model: a table is not sent whole again and again."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ddax.reasoning import rote
from ddax.reasoning.testing import FakeOpenAI, Say
from tests.integration.browser_site import site, with_chromium
from tests.integration.command_line import Loaded

pytestmark = [pytest.mark.integration, with_chromium]
ROWS = "".join(
    f"<tr><td>Customer {n}<td>{n * 11}"
    f"<td><button onclick=\"fetch('/done?{n}');this.textContent='Approved'\">Approve</button>"
    f"<button onclick=\"fetch('/done?-{n}');this.textContent='Rejected'\">Reject</button>"
    for n in range(1, 601)
)
END = "<button onclick=\"fetch('/done?end');this.textContent='Finished'\">Finish</button>"
CLICKS = (("Customer 3", "Approve"), ("Customer 4", "Reject"), ("Customer 5", "Approve"), ("", "Finish"))
TASK = "Approve customers 3 and 5, reject customer 4, and press Finish at the end."
MOST = 25_000
"""Tokens of the whole task."""


class Clerk:
    """A model that presses one button a plan, by what it is shown; it keeps what it was sent."""

    def __init__(self) -> None:
        self.left = list(CLICKS)
        self.bodies: list[Mapping[str, Any]] = []

    def __call__(self, body: dict[str, Any]) -> Say:
        self.bodies.append(body)
        name = rote.request_of(body)
        return Say(json.dumps(self.plan(body) if name == "expand" else rote.ANSWERS[name](body)))

    def plan(self, body: Mapping[str, Any]) -> dict[str, Any]:
        said = json.dumps(body["messages"], ensure_ascii=False)
        shown = said.partition("THE WORLD AS IT WAS SEEN LAST")[2].replace('\\"', '"')
        who, what = self.left.pop(0)
        row = shown[shown.index(f'"{who}"') :] if who else shown
        (target,) = re.findall(rf'\[(\w+)\] button "{what}"', row)[:1]
        args = [{"name": "target", "value": target}, {"name": "name", "value": "click"}]
        call = {"name": "move", "args": args, "intent": "see"}
        first = {"title": f"{len(self.left)} left", "expected": "it shows", "prior": 0.9, "needs": []}
        later = {**first, "title": f"the rest, {len(self.left)}", "needs": [0], "action": None}
        return {"children": [{**first, "action": call}, *([later] if self.left else [])]}

    @property
    def tokens(self) -> int:
        """Count the tokens sent, one for four characters."""
        sent = (json.dumps([b["messages"], b["response_format"]], ensure_ascii=False) for b in self.bodies)
        return sum(map(len, sent)) // 4


def test_four_clicks_on_a_page_of_600_rows(loaded: Loaded, tmp_path: Path) -> None:
    clerk = Clerk()
    (tmp_path / "ddax.yaml").write_text("browser: {screenshot: never}\n")
    with site() as served, FakeOpenAI(answer=clerk) as model:
        served.page("/", f"<h1>Claims</h1><table>{ROWS}</table>{END}", title="Claims")
        served.page("/done", "")
        env = {**os.environ, "OPENAI_API_KEY": "sk-of-this-test", "OPENAI_BASE_URL": model.base_url}
        flags = ("--browser-writes", "--model", "openai:gpt-5-mini", "--config", str(tmp_path / "ddax.yaml"))
        done = loaded.call("run", TASK, "--browser", f"{served.url}/", *flags, "-q", cwd=tmp_path, env=env)
    assert done.code == 0, done.err
    assert [one for one in served.asked if "/done" in one] == [f"GET /done?{n}" for n in (3, -4, 5, "end")]
    assert clerk.tokens < MOST
