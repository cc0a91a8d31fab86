"""The benchmark of search and a model together: what it counts, how it goes on, and where it has no model."""

import json
import shutil

import pytest

from benchmarks import model_repair
from benchmarks.core import Options
from ddax.reasoning.testing import FakeOpenAI, Say

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]

ROMAN = "def numeral(n):\n    return 'M'\n"
RIGHT = """def numeral(n):
    said = ''
    for value, sign in ((10, 'X'), (9, 'IX'), (5, 'V'), (4, 'IV'), (1, 'I')):
        while n >= value:
            said, n = said + sign, n - value
    return said
"""
BUGS = [
    {
        "task_id": "roman", "prompt": "", "buggy_solution": ROMAN, "bug_type": "missing logic",
        "test": "".join(
            f"assert numeral({n}) == {s!r}\n" for n, s in ((3, "III"), (4, "IV"), (9, "IX"), (8, "VIII"))
        ),
    },
    {
        "task_id": "sign", "prompt": "", "buggy_solution": "def twice(n):\n    return n - n\n",
        "bug_type": "operator",
        "test": "assert twice(0) == 0\nassert twice(2) == 4\nassert twice(-1) == -2\n",
    },
]  # fmt: skip
"""One that no search of small edits mends, and one whose first half passes as it is."""


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / model_repair.DATA).write_text("".join(json.dumps(bug) + "\n" for bug in BUGS))
    monkeypatch.setattr(model_repair, "PLACE", tmp_path / "bench")
    monkeypatch.setattr(model_repair, "SECONDS", 3.0)
    return folder


@pytest.fixture
def server(monkeypatch):
    reply = {"candidates": [{"hypothesis": "no numerals", "reasoning": "", "code": RIGHT}]}
    with FakeOpenAI(answer=lambda _body: Say(reply)) as running:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_BASE", running.base_url)
        yield running


def figure(result, name):
    return next(one.value for one in result.figures if one.name == name)


def test_the_model_is_asked_about_what_the_search_cannot_mend(place, server):
    result = model_repair.run(Options(data=place, model="openai:scripted-model"))
    assert figure(result, "plausible") == 1.0
    assert figure(result, "of these, right on the held-out half") == 1.0
    assert figure(result, "repaired by the model") == 1
    assert figure(result, "model calls a bug, at most") == 1
    assert figure(result, "tokens with schemas, a bug asked about") == 120
    assert len(server.requests) == 1
    said = json.dumps(server.requests[0])
    assert "numeral(3) is 'M'" in said
    assert "numeral(4)" not in said, "what is held out is not shown"


def test_a_run_that_was_broken_off_goes_on(place, server, monkeypatch):
    usual = model_repair.fate_of

    async def once(bug, *arguments, **more):
        if bug["task_id"] == "sign":
            raise KeyboardInterrupt
        return await usual(bug, *arguments, **more)

    monkeypatch.setattr(model_repair, "fate_of", once)
    with pytest.raises(KeyboardInterrupt):
        model_repair.run(Options(data=place, model="openai:scripted-model"))
    monkeypatch.setattr(model_repair, "fate_of", usual)
    result = model_repair.run(Options(data=place, model="openai:scripted-model"))
    assert len(server.requests) == 1, "the model is not asked again about what was done"
    assert any("done by a run that was broken off" in note for note in result.notes)
    assert figure(result, "plausible") == 1.0
    assert not list((place.parent / "bench").glob("*.jsonl"))


def test_without_a_model_it_says_why(place, monkeypatch, tmp_path):
    monkeypatch.setattr(model_repair, "LOCAL_FILE", tmp_path / "none.gguf")
    result = model_repair.run(Options(data=place))
    assert result.figures == ()
    assert "no none.gguf on this machine" in result.notes[0]
