"""Orders on small pages in a real Chromium, as `pilot_cases.yaml` lists them: done as said, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
CASES = [
    pytest.param(case["page"], asked["order"], asked.get("says"), id=asked["order"])
    for case in yaml.safe_load(Path(__file__).with_name("pilot_cases.yaml").read_text("utf-8"))
    for asked in case["orders"]
]


@pytest.mark.parametrize(("page", "order", "says"), CASES)
async def test_an_order_is_carried_out_as_said_or_refused(
    carry: Carry, page: str, order: str, says: str | None
) -> None:
    report, said = await carry(SAY + page, order)
    assert report.ok == (says is not None), report.failed
    assert said == (says or "")
