"""The field of a JSON object that a question names, however the object is written."""

from __future__ import annotations

import json

import pytest

from ddax.actions.sources.formats.json_text import as_values
from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.protocol import MergeRequest
from ddax.types import Passage
from tests.unit.embedded_asking import asked

GULL = {
    "name": "gull-api", "port": 8080, "owner": "Mira Holt", "limits": {"timeout": 30},
    "db": {"name": "pg", "port": 5432},
}  # fmt: skip
TERN = {"name": "tern-api", "port": 9090, "owner": "Ole Vik", "tags": [], "createdAt": "2021-03-04"}
BOTH = json.dumps({"services": [GULL, TERN]})
FENCED = f"# Registry\n\nEach service is registered so:\n\n```json\n{json.dumps(TERN, indent=2)}\n```\n"
LONG = json.dumps({**TERN, "note": "word " * 60})
TEXTS = {"file": BOTH, "values": as_values(BOTH), "one": json.dumps(GULL) + "\n" + json.dumps(TERN)}


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("What is the port of gull-api?", "8080"),
        ("What is the port of tern-api?", "9090"),
        ("What port does tern-api use?", "9090"),
        ("Who is the owner of gull-api?", "Mira Holt"),
        ("Who owns tern-api?", "Ole Vik"),
        ("What is the timeout of gull-api?", "30"),
        ("What is the port of pg?", "5432"),
        ("When was tern-api created?", "2021-03-04"),
    ],
)
async def test_the_field_asked_for_is_told(
    reasoner: EmbeddedReasoner, form: str, task: str, short: str
) -> None:
    said = await asked(reasoner, task, services=TEXTS[form])
    assert said.short == short and short in said.text, said.text
    assert all(quote.quote in TEXTS[form] for quote in said.citations)


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize(
    "task",
    [
        "What is the timeout of tern-api?",
        "What is the port of kite-api?",
        "What is the colour of gull-api?",
        "When was gull-api created?",
    ],
)
async def test_the_field_of_another_object_is_not_told(
    reasoner: EmbeddedReasoner, form: str, task: str
) -> None:
    said = await asked(reasoner, task, services=TEXTS[form])
    assert not said.found and said.short == "", said.text


async def test_an_object_between_fences_and_a_long_one_are_read(reasoner: EmbeddedReasoner) -> None:
    said = await asked(reasoner, "What is the port of tern-api?", Registry=FENCED)
    assert said.short == "9090" and said.citations[0].quote in FENCED
    said = await asked(reasoner, "What is the port of tern-api?", services=LONG)
    assert said.short == "9090" and said.citations[0].quote == '"name": "tern-api", "port": 9090'


async def test_objects_of_one_name_that_differ_decide_nothing(reasoner: EmbeddedReasoner) -> None:
    text = json.dumps([GULL, {**GULL, "port": 1}])
    assert (await asked(reasoner, "What is the port of gull-api?", services=text)).short == ""


async def test_prose_answers_beside_objects(reasoner: EmbeddedReasoner) -> None:
    text = f"{BOTH}\n\nThe timeout of tern-api is 45 seconds.\n"
    said = await asked(reasoner, "What is the timeout of tern-api?", services=text)
    assert said.found and "45 seconds" in said.text


@pytest.mark.parametrize("task", ["Who is the owner of gull-api?", "Who owns gull-api?"])
async def test_a_row_without_a_value_is_no_answer_where_others_have_one(
    reasoner: EmbeddedReasoner, task: str
) -> None:
    rows = as_values(json.dumps([{"name": "gull-api", "port": 8080}, {"name": "tern-web", "owner": "Ada"}]))
    said = await asked(reasoner, task, services=rows)
    assert not said.found and said.short == "", said.text
    said = await asked(reasoner, "Who is the owner of tern-web?", services=rows)
    assert said.found and "Ada" in said.text
    said = await asked(reasoner, task, services=f"{rows}\n\nThe owner of gull-api is Ben Lund.\n")
    assert said.found and "Ben Lund" in said.text


COMPOSE = """# The stack of the shop
services:
  web:
    image: shop-web:1.4
    port: 80   # behind the proxy
  db:
    image: postgres:16
    port: 5432
jobs:
  - name: backup
    priority: 3
  - name: report
    priority: 5
"""
SHOP = 'title = "shop"\n\n[server]\ntimeout = 30\n\n[cache]\nhost = "cache.local"\nsize = 512\n'


@pytest.mark.parametrize(
    ("name", "text", "task", "short"),
    [
        ("app.yaml", "name: gull-api\nport: 8081\nreplicas: 3\n", "Which port does gull-api use?", "8081"),
        ("app.yaml", "port: 8081\nreplicas: 3\n", "How many replicas does the app have?", "3"),
        ("stack.yml", COMPOSE, "What is the port of web?", "80"),
        ("stack.yml", COMPOSE, "What is the port of db?", "5432"),
        ("stack.yml", COMPOSE, "What is the priority of report?", "5"),
        ("stack.yml", COMPOSE, "What is the priority of backup?", "3"),
        ("shop.toml", SHOP, "What is the host of the cache?", "cache.local"),
        ("shop.ini", SHOP, "What is the timeout of the server?", "30"),
        ("shop.toml", SHOP, "What is the timeout of the cache?", ""),
        ("stack.yml", COMPOSE, "What is the port of jobs?", ""),
        ("stack.yml", COMPOSE, "What is the priority of web?", ""),
    ],
)
async def test_settings_are_told_by_the_name_of_their_part(
    reasoner: EmbeddedReasoner, name: str, text: str, task: str, short: str
) -> None:
    page = Passage("p", name, name.partition(".")[0], text, 0, len(text))
    said = await reasoner.merge(MergeRequest(task, task, (), (page,), final=True))
    assert said.short == short and short in said.text, said.text
    assert all(quote.quote in text for quote in said.citations)
    assert said.found == bool(short), said.text
