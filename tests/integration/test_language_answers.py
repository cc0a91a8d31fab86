"""Answers of a language model over real HTTP: documents, knowledge, long tasks, forms, instructions."""

import json
import re

import pytest
from pydantic import BaseModel, Field, field_validator

from ddax import open_agent
from ddax.cli.main import run_command
from ddax.configs.settings import Context
from ddax.errors import SettingsError, UsageError
from ddax.reasoning import rote
from ddax.reasoning.testing import FakeOpenAI, Say

MODEL = "openai:gpt-4.1-mini"
TASK = "When was the pier of Belmark built, by whom, and at what cost?"
PIER = "The pier of Belmark was built by Jan Orr in 1902."
TABLE = (
    "# Pier\n\nJan Orr built the pier in 1902 [1].\n\n"
    "| what | when |\n|---|---|\n| built | 1902 [1] |\n\nNone of the reports gives costs."
)


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "pier.md").write_text(f"# Pier\n\n{PIER}\n")
    return str(folder)


@pytest.fixture
def server(monkeypatch):
    with FakeOpenAI(answer=lambda body: Say(rote.reply(body))) as running:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-the-test-alone")
        for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
            monkeypatch.setenv(name, running.base_url)
        yield running


def says(server, reply):
    """Let the model reply to every merge with what `reply` is, and by rote to anything else."""

    def answer(body):
        made = rote.reply(body) if rote.request_of(body) != "merge" else reply
        return Say(made(body) if callable(made) else made)

    server._answer = answer


def quoting(answer, *quotes, **more):
    """Return a reply whose quotes name the passages they stand in."""

    def reply(body):
        named = {text: name for name, text in rote.blocks(body).items() if re.fullmatch(r"P\d+", name)}
        found = [{"passage": next((n for t, n in named.items() if q in t), "P1"), "quote": q} for q in quotes]
        return {"quotes": found, "found": True, "answer": answer, "short": "", **more}

    return reply


async def run(home, sources=(), task=TASK, output=None, **settings):
    context = Context.model_validate({"model": MODEL, "sources": sources, **settings})
    async with open_agent(context, home=home) as agent:
        return await agent.run(task, thread="t", output=output)


def merges(server):
    return [body for body in server.requests if rote.request_of(body) == "merge"]


def told(body):
    return "\n".join(message["content"] for message in body["messages"])


async def test_an_answer_is_the_document_that_was_written_and_its_support_stands_beside_it(
    server, sources, tmp_path
):
    says(server, quoting(TABLE, PIER))
    result = await run(tmp_path / "home", [sources])
    text = TABLE.replace(" [1]", "")
    assert (result["status"], result["answer"]) == ("done", text)
    assert [(text[s["start"] : s["end"]], s["status"], s["citations"]) for s in result["spans"]] == [
        ("Jan Orr built the pier in 1902.", "paraphrase", [1]), ("built | 1902", "paraphrase", [1]),
        ("None of the reports gives costs.", "unchecked", []),
    ]  # fmt: skip
    assert [c["quote"] for c in result["citations"]] == [PIER]
    page = (tmp_path / "docs" / "pier.md").read_text()
    (place,) = result["places"]
    assert page[place["start"] : place["end"]] == PIER
    assert json.loads(json.dumps(result)) == result


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("Give the facts of the pier of Belmark. Answer as JSON.", '{"built": 1902, "by": "Jan Orr"}'),
        ("Give the facts of the pier of Belmark. Answer as JSON.", '```json\n{"built": 1902}\n```'),
        ("When was the pier of Belmark built? Use at most 5 words.", "It was built in 1902 [1]."),
    ],
)  # fmt: skip
async def test_a_demand_on_the_wording_is_held_against_the_clean_text(
    server, sources, tmp_path, task, answer
):
    says(server, quoting(answer, PIER))
    result = await run(tmp_path / "home", [sources], task)
    assert (result["status"], result["failures"]) == ("done", [])
    assert "[" not in result["answer"] and "`" not in result["answer"]


def test_a_person_sees_footnotes_and_json_has_none(server, sources, tmp_path, monkeypatch, capsys):
    says(server, quoting(TABLE, PIER))
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    command = ["run", TASK, "--sources", sources, "--model", MODEL, "--thread", "t"]
    assert run_command(command) == 0
    shown = capsys.readouterr().out
    assert "Jan Orr built the pier in 1902 [≈1].\n" in shown
    assert "| built | 1902 [≈1] |\n" in shown and "gives costs [?].\n" in shown
    assert "in other words than the quote" in shown and "not checked" in shown
    assert run_command(["show", "t", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["result"]["answer"] == TABLE.replace(" [1]", "")


@pytest.mark.parametrize("task", ["What is 17 * 23 + 4?", "Write a migration plan from MySQL to Postgres."])
async def test_a_task_without_sources_is_done_in_one_call_from_what_the_model_knows(server, tmp_path, task):
    says(server, {"quotes": [], "found": True, "answer": "It is 395. Multiply first.", "short": "395"})
    result = await run(tmp_path / "home", task=task)
    assert (result["status"], result["answer"], result["short"]) == (
        "done",
        "It is 395. Multiply first.",
        "395",
    )
    assert [(s["status"], s["origin"]) for s in result["spans"]] == [("knowledge", "model")] * 2
    assert result["notes"] == ["No source was read for this: it is what the model knows itself."]
    assert (len(server.requests), result["usage"]["model_calls"], result["citations"]) == (1, 1, [])
    assert f"TASK\n{task}" in told(server.requests[0]) and "PASSAGES" not in told(server.requests[0])


def test_the_command_line_takes_a_task_without_sources(server, tmp_path, monkeypatch, capsys):
    says(server, {"quotes": [], "found": True, "answer": "It is 395.", "short": "395"})
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    assert run_command(["run", "What is 17 * 23 + 4?", "--model", MODEL]) == 0
    shown = capsys.readouterr().out
    assert "It is 395.\n" in shown and "Note: No source was read for this" in shown and "[m]" not in shown
    assert run_command(["run", "What is 17 * 23 + 4?", "--model", MODEL, "--knowledge", "forbid"]) == 2
    assert run_command(["run", "What is 17 * 23 + 4?"]) == 2


async def test_what_is_forbidden_to_know_is_refused(server, tmp_path):
    says(server, {"quotes": [], "found": True, "answer": "It is 395.", "short": "395"})
    result = await run(tmp_path / "home", task="What is 17 * 23 + 4?", knowledge="forbid")
    assert result["status"] == "not_found" and "395" not in result["answer"]


async def test_what_a_model_adds_itself_is_marked_and_stands_for_no_source(server, sources, tmp_path):
    says(server, quoting("The pier is of 1902 [1]. Crowns are Danish money [own].", PIER))
    result = await run(tmp_path / "a", [sources])
    assert [s["status"] for s in result["spans"]] == ["paraphrase", "knowledge"]
    assert result["notes"] == [
        "Not from the sources, but what the model knows itself: “Crowns are Danish money”."
    ]
    says(server, {"quotes": [], "found": True, "answer": "It cost 7 crowns [own].", "short": ""})
    refused = await run(tmp_path / "b", [sources])
    assert (refused["status"], refused["citations"]) == ("not_found", [])
    allowed = await run(tmp_path / "c", [sources], knowledge="allow")
    assert (allowed["status"], [s["status"] for s in allowed["spans"]]) == ("done", ["knowledge"])


async def test_a_long_task_reaches_the_model_whole(server, sources, tmp_path):
    says(server, quoting("It was built in 1902 [1].", PIER))
    task = (
        "Here is what I know. "
        + "The harbour has many stones. " * 1500
        + "When was the pier of Belmark built?"
    )
    result = await run(tmp_path / "home", [sources], task)
    assert (result["status"], result["stop_reason"], result["notes"]) == ("done", "", [])
    assert all(task in told(body) for body in server.requests if rote.request_of(body) in ("expand", "merge"))


async def test_instructions_the_day_and_who_it_is_are_told_with_plan_and_answer(server, sources, tmp_path):
    says(server, quoting("It was built in 1902 [1].", PIER))
    context = Context.model_validate(
        {
            "model": MODEL,
            "sources": [sources],
            "instructions": "Write like a pirate.",
            "identity": "cautious",
            "effort": "deep",
        }
    )
    async with open_agent(context, home=tmp_path / "home", clock=lambda: 1_700_000_000.0) as agent:
        assert (await agent.run(TASK, thread="t"))["status"] == "done"
    asked = [body for body in server.requests if rote.request_of(body) in ("expand", "merge")]
    assert {rote.request_of(body) for body in asked} == {"expand", "merge"}
    for body in asked:
        user = body["messages"][1]["content"]
        assert "Today is 2023-11-14 (Tuesday)." in user and "Write like a pirate." in user
        assert "Who you are: I am careful." in user
        assert (
            user.index("ABOUT THIS TASK")
            < user.index("TASK\n" + TASK)
            < user.index("PASSAGES" if "PASSAGES" in user else "LIMITS")
        )


class Pier(BaseModel):
    """What is known of a pier."""

    year: int = Field(description="The year it was built.")
    builder: str
    cost: float | None = None
    town: str = ""

    @field_validator("year")
    @classmethod
    def _in_time(cls, year):
        if year > 1950:
            raise ValueError("no pier was built after 1950")
        return year


FORM = {
    "type": "object", "required": ["year"], "$defs": {"name": {"type": "string"}},
    "properties": {"year": {"type": "integer"}, "builder": {"$ref": "#/$defs/name"}},
}  # fmt: skip


async def test_an_answer_in_a_form_is_an_object_of_the_class_that_was_asked_for(server, sources, tmp_path):
    data = {"year": 1902, "builder": "Jan Orr", "cost": None, "town": None}
    says(server, quoting("", PIER, data=data))
    result = await run(tmp_path / "home", [sources], output=Pier)
    assert result["output"] == Pier(year=1902, builder="Jan Orr")
    assert json.loads(result["answer"]) == {"year": 1902, "builder": "Jan Orr", "cost": None}
    assert [s["status"] in ("supported", "paraphrase") for s in result["spans"]] == [True, True]
    schema = merges(server)[-1]["response_format"]["json_schema"]["schema"]["properties"]["data"]
    assert schema["properties"]["year"]["description"] == "The year it was built."


async def test_a_form_is_repaired_once_and_then_fails_by_name(server, sources, tmp_path):
    replies = [{"year": "long ago"}, {"year": 1902, "builder": "Jan Orr"}]
    says(server, lambda body: quoting("", PIER, data=replies.pop(0))(body))
    result = await run(tmp_path / "a", [sources], output=FORM)
    assert (result["status"], result["output"]) == ("done", {"year": 1902, "builder": "Jan Orr"})
    assert "data.year: 'long ago' is not of type 'integer'" in told(merges(server)[-1])
    before = len(merges(server))
    says(server, quoting("", PIER, data={"year": "long ago"}))
    failed = await run(tmp_path / "b", [sources], output=FORM)
    assert failed["status"] == "failed" and "not of type 'integer'" in failed["stop_reason"]
    assert failed["output"] is None and len(merges(server)) - before == 2


async def test_a_class_says_itself_what_it_does_not_take(server, sources, tmp_path):
    years = [1999, 1902]
    says(server, lambda body: quoting("", PIER, data={"year": years.pop(0), "builder": "Jan Orr"})(body))
    result = await run(tmp_path / "home", [sources], output=Pier)
    assert result["output"].year == 1902
    assert "no pier was built after 1950" in told(merges(server)[-1])


def test_a_form_works_without_sources_and_from_a_file(server, tmp_path, monkeypatch, capsys):
    says(server, {"quotes": [], "found": True, "data": {"year": 1902}})
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    (tmp_path / "form.json").write_text(json.dumps(FORM))
    command = ["run", "When?", "--model", MODEL, "--json", "--output"]
    assert run_command([*command, str(tmp_path / "form.json")]) == 0
    assert json.loads(capsys.readouterr().out)["output"] == {"year": 1902}
    assert len(server.requests) == 1
    assert run_command([*command, str(tmp_path / "none.json")]) == 2


async def test_a_form_that_is_none_and_one_without_a_model_are_refused(server, sources, tmp_path):
    for bad in ("essay", {"type": "string"}, {"type": "nothing"}, 7):
        with pytest.raises((UsageError, SettingsError), match="output"):
            await run(tmp_path / "home", [sources], output=bad)
    async with open_agent(Context(sources=(sources,)), home=tmp_path / "b") as agent:
        with pytest.raises(UsageError, match="needs a model"):
            await agent.run(TASK, output=FORM)


async def test_prompts_of_a_folder_are_what_the_model_is_told(server, sources, tmp_path):
    says(server, quoting("It was built in 1902 [1].", PIER))
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "merge.txt").write_text("Answer in Latin.\n=====\nTASK\n${task}\n\nPASSAGES\n${passages}")
    await run(tmp_path / "home", [sources], prompts=str(folder))
    assert all("Answer in Latin." in told(body) for body in merges(server))
