"""The answer as a report: outline, sections at once, closing edit, sources, words; and without a model."""

import json
import re
import threading

import pytest

from ddax import open_agent
from ddax.configs.settings import Context
from ddax.reasoning.reports import body_of, words_of
from ddax.reasoning.testing import FakeOpenAI, Say

pytestmark = pytest.mark.integration

PAGES = {
    "harbour.md": "# Harbour\n\nThe harbour of Belmark was built in 1804 by Ann Oker. It has nine docks.\n",
    "ferry.md": "# Ferry\n\nThe ferry of Belmark sails twice a day. A ticket costs 4 pounds.\n",
    "market.md": "# Market\n\nThe market of Belmark opens on Fridays. It sells wool and salt.\n",
}
TASK = "What is there at Belmark: the harbour, the ferry and the market?"
SECTIONS = {
    "The harbour": (
        "The harbour of Belmark was built in 1804 by Ann Oker.",
        "Ann Oker built it in 1804 [1].",
    ),
    "The ferry": ("A ticket costs 4 pounds.", "A ticket costs 4 pounds [1]. The harbour has docks."),
    "The market": ("The market of Belmark opens on Fridays.", "On Fridays the market opens [1]."),
}
SUMMARY = "Belmark has a harbour of 1804, a ferry and a market."


class Writer:
    """A model that writes the parts of a report as they are asked for, or as in `changes`."""

    def __init__(self, **changes):
        self.changes, self.asked = changes, []
        self.together = None

    def __call__(self, body):
        said = body["messages"][-1]["content"]
        kind = said.rpartition("KIND\n")[2]
        part = next((name for name in SECTIONS if f'"{name}"' in kind), "")
        other = {"the outline": "outline", "section": "other"}
        part = part or next((name for begin, name in other.items() if kind.startswith(begin)), "closing")
        self.asked.append((part, said))
        if self.together and part in SECTIONS:
            self.together.wait(timeout=20)
        if part in self.changes:
            change = self.changes[part]
            return change if isinstance(change, Say) else Say(change)
        return Say(self.reply(part))

    def reply(self, part):
        if part == "outline":
            rows = [{"heading": name, "covers": f"what is known of {name}"} for name in SECTIONS]
            return {"quotes": [], "found": True, "data": {"title": "Belmark", "sections": rows}}
        if part == "closing":
            return {"quotes": [], "found": True, "data": {"summary": SUMMARY, "twice": []}}
        quote, answer = SECTIONS.get(part, SECTIONS["The market"])
        return {"quotes": [{"passage": "P1", "quote": quote}], "found": True, "answer": answer, "short": ""}

    def parts(self):
        return [part for part, _ in self.asked]


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    return tmp_path


@pytest.fixture
def served(monkeypatch):
    opened = []

    def serve(writer):
        server = FakeOpenAI(answer=writer)
        opened.append(server)
        server.__enter__()
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_BASE", server.base_url)
        return server

    yield serve
    for server in opened:
        server.stop()


def settings(place, **more):
    given = {
        "sources": [str(place / "docs")], "model": "openai:scripted-model", "output": "report", "words": 200,
        "effort": "quick", "models": {"cache": False}, "mood": {"engine": "numpy"},
    }  # fmt: skip
    return Context.model_validate({**given, **more})


async def told(place, context, **how):
    async with open_agent(context, home=place / "home") as agent:
        return await agent.run(TASK, thread="r", **how)


async def test_a_report_has_an_outline_sections_of_their_own_evidence_an_edit_and_sources(place, served):
    writer = Writer()
    writer.together = threading.Barrier(len(SECTIONS))
    served(writer)
    result = await told(place, settings(place))
    text = result["answer"]
    assert result["status"] == "done", result["stop_reason"]
    assert re.findall(r"^#+ .*$", text, re.M) == [
        "# Belmark", "## The harbour", "## The ferry", "## The market", "## Sources",
    ]  # fmt: skip
    assert text.index(SUMMARY) < text.index("## The harbour")
    assert writer.parts()[0] == "outline"
    assert writer.parts()[-1] == "closing"
    assert sorted(writer.parts()[1:-1]) == sorted(SECTIONS), "each section is asked for once"
    listed = text.rpartition("## Sources")[2]
    assert [name for name in PAGES if name not in listed] == []


async def test_each_statement_has_its_support_and_the_sources_are_no_statement(place, served):
    served(Writer())
    result = await told(place, settings(place))
    text = result["answer"]
    said = {text[s["start"] : s["end"]]: s["status"] for s in result["spans"]}
    assert said["Ann Oker built it in 1804."] in ("supported", "paraphrase")
    assert said["A ticket costs 4 pounds."] == "supported"
    assert said["The harbour has docks."] == "unchecked"
    assert max(s["end"] for s in result["spans"]) <= len(body_of(text))
    assert len(result["citations"]) == 3


async def test_it_stays_within_its_words_and_says_what_was_cut(place, served):
    long = " ".join(f"The harbour has {n} of {n} docks in its records." for n in range(60))
    reply = {
        "quotes": [{"passage": "P1", "quote": SECTIONS["The harbour"][0]}], "found": True, "short": "",
        "answer": f"Ann Oker built it in 1804 [1]. {long}",
    }  # fmt: skip
    served(Writer(**{"The harbour": reply}))
    result = await told(place, settings(place, words=150))
    assert words_of(result["answer"]) <= 150
    assert "Ann Oker built it in 1804." in result["answer"]
    assert "The market" in result["answer"]
    assert any("cut to its words" in note for note in result["notes"])


async def test_what_is_said_twice_is_said_once(place, served):
    edit = {"quotes": [], "found": True, "data": {"summary": SUMMARY, "twice": [3]}}
    writer = Writer(closing=edit)
    served(writer)
    result = await told(place, settings(place))
    assert "3. The harbour has docks." in dict(writer.asked)["closing"].replace("\\n", "\n")
    assert "The harbour has docks." not in result["answer"]
    assert "A ticket costs 4 pounds." in result["answer"]


async def test_a_section_that_cannot_be_had_costs_that_section(place, served):
    served(Writer(**{"The ferry": "no object at all"}))
    result = await told(place, settings(place))
    assert result["status"] == "done"
    assert "## The ferry" not in result["answer"]
    assert "## The market" in result["answer"]
    assert any("“The ferry” could not be written" in note for note in result["notes"])


async def test_where_no_section_can_be_had_the_model_failed_and_not_the_sources(place, served):
    served(Writer(**dict.fromkeys(SECTIONS, "no object at all")))
    result = await told(place, settings(place))
    assert result["status"] == "failed"
    assert "No section of the report could be written" in json.dumps(result["failures"])
    assert not result["answer"].startswith("Not found")


async def test_an_outline_that_cannot_be_read_is_that_of_the_ideas(place, served):
    served(Writer(outline="no object at all"))
    async with open_agent(settings(place), home=place / "home") as agent:
        result = await agent.run(TASK)
    assert result["answer"].startswith("# ")
    headings = re.findall(r"^## (.*)$", result["answer"], re.M)
    assert len(headings) >= 2
    assert headings[-1] == "Sources"
    assert "On Fridays the market opens." in result["answer"]


async def test_where_nothing_bears_on_the_task_nothing_is_written(place, served):
    writer = Writer(outline={"quotes": [], "found": False, "data": {"title": "", "sections": []}})
    served(writer)
    result = await told(place, settings(place))
    assert result["status"] == "not_found"
    assert result["answer"].startswith("Not found")
    assert writer.parts() == ["outline"]


async def test_a_report_that_was_broken_off_goes_on_with_the_parts_it_has(place, served):
    writer = Writer(closing=Say("gone", status=401))
    served(writer)
    with pytest.raises(Exception, match=r"401|key|gone"):
        await told(place, settings(place))
    assert sorted(writer.parts()) == sorted(["outline", *SECTIONS, "closing"])
    again = Writer()
    served(again)
    async with open_agent(settings(place), home=place / "home") as agent:
        result = await agent.resume("r")
    assert result["status"] == "done"
    assert again.parts() == ["closing"]


async def test_a_recorded_report_is_replayed_word_for_word(place, served):
    served(Writer())
    first = await told(place, settings(place, record=str(place / "tape.jsonl")))
    context = settings(place, replay=str(place / "tape.jsonl"), model="embedded")
    async with open_agent(context, home=place / "other") as agent:
        again = await agent.run(TASK, thread="r")
    assert again["answer"] == first["answer"]
    assert again["spans"] == first["spans"]


async def test_one_run_may_ask_for_a_report(place, served):
    served(Writer())
    result = await told(place, settings(place, output="text"), output="report")
    assert result["answer"].startswith("# Belmark")


async def test_without_a_model_it_quotes_what_each_idea_found(place):
    context = settings(place, model="embedded")
    async with open_agent(context, home=place / "home") as agent:
        result = await agent.run("Who built the harbour of Belmark?")
    text = result["answer"]
    assert "## Answer" in text
    assert "Ann Oker" in text
    assert "harbour.md" in text.rpartition("## Sources")[2]
    assert words_of(text) <= 200
    assert {span["status"] for span in result["spans"]} <= {"supported", "paraphrase"}
    pages = " ".join(" ".join(PAGES.values()).split())
    assert all(" ".join(c["quote"].split()) in pages for c in result["citations"])
    refused = settings(place, model="embedded")
    async with open_agent(refused, home=place / "home") as agent:
        none = await agent.run("Who invented the telephone of Xanadu?")
    assert none["status"] == "not_found"
    assert "## " not in none["answer"]


def test_the_command_line_writes_a_report(place, served, monkeypatch, capsys):
    from ddax.cli.main import run_command

    served(Writer())
    monkeypatch.chdir(place)
    words = ("--output", "report", "--words", "200", "--effort", "quick", "--model", "openai:scripted-model")
    assert run_command(("run", TASK, "-s", "docs", "--thread", "cli", *words)) == 0
    out = capsys.readouterr().out
    assert "## The harbour" in out
    assert out.count("Sources") == 1
    assert "[1]" in out
    assert run_command(("export", "cli", "run.md")) == 0
    assert "**The market**" in (place / "run.md").read_text()
    assert run_command(("export", "cli", "run.json")) == 0
    assert "## The market" in json.dumps(json.loads((place / "run.json").read_text()))
