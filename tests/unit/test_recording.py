"""Record and replay: every request there and back, secrets filtered, nothing made up."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ddax.errors import InvalidReply, ReasonerError, SettingsError, StorageError, UsageError
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import charge, usage_of
from ddax.reasoning.recording import request_hash
from ddax.reasoning.replaying import RecordingReasoner, ReplayingReasoner
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.types import Citation, Passage, Picture, Proposal, Usage

ADA = Passage("m1", "a.txt", "Ada", "Ada was born in 1815.", score=0.5)
CITED = Citation("m1", "a.txt", "Ada", "born in 1815", 8, 20)
COST = Usage(1, 20, 0.5, prompt_tokens=15, cached_tokens=3, models=(("a:b", 1),))
CALL = {"name": "search", "args": {"query": "x"}, "intent": "i"}
CANDIDATE = p.CodeCandidate("h", "x = 1\n", "r")
PAIRS = {
    "expand": (
        p.ExpandRequest("t", "i", 0, (ADA,), (), (), ("search",)),
        p.Expansion((Proposal("c", "e", 0.5, CALL, ()), Proposal("d", "e", 1.0, None, (0,))), COST),
    ),
    "predict": (p.PredictRequest("t", CALL, ()), p.Prediction("e", 0.5, COST)),
    "extract": (p.ExtractRequest("t", "i", (ADA,)), p.Extraction((p.Claim("c", CITED, 0.5),), "s", COST)),
    "argue": (p.ArgueRequest("t", "opponent", "i", "r", "e", ()), p.Argument("a", (CITED,), 0.5, COST)),
    "judge": (p.JudgeRequest("t", "i", "r", "e", ()), p.Judgment(0.5, 0.5, (("c", 0.5, "w"),), COST)),
    "merge": (p.MergeRequest("t", "i", (), ()), p.Synthesis("s", (CITED,), True, 1.0, "x", COST)),
    "reflect": (p.ReflectRequest("t", "a", "e", "x", 0.5, "policy"), p.Lesson("l", COST)),
    "propose_patches": (p.PatchRequest("g", "c", ()), p.Patches((CANDIDATE,), COST)),
    "mutate_patch": (p.MutateRequest("g", CANDIDATE, "r"), p.Patches((), COST)),
    "ask": (p.AskRequest("t", "s", ()), p.Question("q", COST)),
}


@pytest.mark.parametrize("method", PAIRS)
async def test_a_replayed_reply_equals_the_recorded_one(tmp_path, method):
    request, reply = PAIRS[method]
    path = tmp_path / "run.jsonl"
    recorder = RecordingReasoner(ScriptedReasoner({method: [reply]}, name="a:b"), path, environment={})
    assert await getattr(recorder, method)(request) == reply
    player = ReplayingReasoner(path)
    again = await getattr(player, method)(request)
    assert (player.name, again, repr(again)) == ("a:b", reply, repr(reply))


async def test_a_failure_is_replayed_as_that_failure_with_its_cost(tmp_path):
    error = InvalidReply("odd", why="so", mend="do")
    charge(error, COST)
    recorder = RecordingReasoner(ScriptedReasoner({"ask": [error]}), tmp_path / "r", environment={})
    with pytest.raises(InvalidReply):
        await recorder.ask(PAIRS["ask"][0])
    with pytest.raises(InvalidReply, match=r"odd\. so\. do") as caught:
        await ReplayingReasoner(tmp_path / "r").ask(PAIRS["ask"][0])
    assert usage_of(caught.value) == COST


async def test_the_same_request_is_answered_in_order_and_the_last_reply_stays(tmp_path):
    replies = [p.Question("one"), p.Question("two")]
    recorder = RecordingReasoner(ScriptedReasoner({"ask": replies}), tmp_path / "r", environment={})
    for _ in replies:
        await recorder.ask(PAIRS["ask"][0])
    player = ReplayingReasoner(tmp_path / "r")
    assert [(await player.ask(PAIRS["ask"][0])).text for _ in range(3)] == ["one", "two", "two"]


async def test_a_picture_is_recorded_by_its_hash_and_another_one_is_another_request(tmp_path):
    def asked(digest):
        seen = p.Seen("Page: A", (), Picture(digest, 8, 8, b"bytes of a picture"))
        return replace(PAIRS["expand"][0], seen=seen)

    path = tmp_path / "r"
    reply = PAIRS["expand"][1]
    recorder = RecordingReasoner(ScriptedReasoner({"expand": [reply]}), path, environment={})
    await recorder.expand(asked("a" * 64))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert rows[0]["sees"] is False
    assert rows[1]["request"]["seen"]["picture"] == {"digest": "a" * 64, "width": 8, "height": 8}
    player = ReplayingReasoner(path)
    assert await player.expand(asked("a" * 64)) == reply
    with pytest.raises(ReasonerError, match="no reply to this 'expand'"):
        await player.expand(asked("b" * 64))


def test_a_request_without_a_world_is_recorded_as_before_there_were_any():
    assert request_hash("expand", PAIRS["expand"][0]) == "db0847bd747c590f594b880d11ea8beb"


def test_a_merge_is_recorded_as_before_it_could_settle_a_task():
    assert request_hash("merge", PAIRS["merge"][0]) == "83004eeafc0aa7a2660bbf99bde66c7c"


async def test_what_was_not_recorded_fails(tmp_path):
    recorder = RecordingReasoner(ScriptedReasoner({"ask": [p.Question("q")]}), tmp_path / "r", environment={})
    await recorder.ask(PAIRS["ask"][0])
    player = ReplayingReasoner(tmp_path / "r")
    with pytest.raises(ReasonerError, match="no reply to this 'ask'"):
        await player.ask(replace(PAIRS["ask"][0], task="another"))
    with pytest.raises(ReasonerError, match="no reply"):
        await player.predict(PAIRS["predict"][0])


def test_the_relevance_of_a_passage_is_no_part_of_a_request():
    request = PAIRS["extract"][0]
    aged = replace(request, passages=(replace(ADA, score=0.4999),))
    other = replace(request, passages=(replace(ADA, text="Ada was born in 1816."),))
    assert request_hash("extract", request) == request_hash("extract", aged)
    assert request_hash("extract", request) != request_hash("extract", other)
    assert request_hash("extract", request) != request_hash("argue", request)


async def test_secrets_of_the_environment_and_what_looks_like_one_stay_out(tmp_path):
    environment = {"MY_API_KEY": 'hun"ter2-long', "PATH": "/usr/bin/long/enough", "A_TOKEN": "short"}
    told = 'the key is hun"ter2-long, or sk-abcdefghijklmnopqrstuv; /usr/bin/long/enough short'
    recorder = RecordingReasoner(
        ScriptedReasoner({"ask": [p.Question(told)]}), tmp_path / "r", environment=environment
    )
    await recorder.ask(p.AskRequest(told, "s", ()))
    text = (tmp_path / "r").read_text()
    assert "ter2" not in text
    assert "abcdefghijklm" not in text
    assert text.count("[secret]") == 4
    assert "/usr/bin/long/enough" in text
    rows = [json.loads(line) for line in text.splitlines()]
    assert rows[1]["reply"]["text"].endswith("/usr/bin/long/enough short")


@pytest.mark.parametrize("text", ["", "{}", "no json", '{"format": "ddax-recording", "version": 99}'])
def test_a_file_that_is_no_recording_is_refused(tmp_path, text):
    (tmp_path / "r").write_text(text)
    with pytest.raises(SettingsError):
        ReplayingReasoner(tmp_path / "r")
    with pytest.raises(SettingsError, match="cannot be read"):
        ReplayingReasoner(tmp_path / "missing")


async def test_a_recording_cut_in_its_last_line_still_serves_the_others(tmp_path):
    replies = [p.Question("one"), p.Question("two")]
    recorder = RecordingReasoner(ScriptedReasoner({"ask": replies}), tmp_path / "r", environment={})
    await recorder.ask(PAIRS["ask"][0])
    await recorder.ask(replace(PAIRS["ask"][0], task="second"))
    text = (tmp_path / "r").read_text()
    (tmp_path / "r").write_text(text[:-20])
    player = ReplayingReasoner(tmp_path / "r")
    assert (await player.ask(PAIRS["ask"][0])).text == "one"
    (tmp_path / "r").write_text("\n".join(["x", *text.splitlines()]))
    with pytest.raises(SettingsError):
        ReplayingReasoner(tmp_path / "r")


async def test_a_recording_in_a_folder_that_is_not_there_is_a_wrong_input(tmp_path):
    with pytest.raises(UsageError, match="There is no folder"):
        RecordingReasoner(ScriptedReasoner({}), tmp_path / "no" / "folder", environment={})


@pytest.mark.parametrize("other", ["my notes\n", '{"format": "ddax-web", "version": 1}\n'])
def test_a_file_that_is_no_recording_is_left_as_it_is(tmp_path, other):
    path = tmp_path / "notes.txt"
    path.write_text(other)
    with pytest.raises(SettingsError, match="a file of yours"):
        RecordingReasoner(ScriptedReasoner({}), path, environment={})
    assert path.read_text() == other


async def test_a_recording_is_gone_on_with(tmp_path):
    request, reply = PAIRS["ask"]
    for _ in range(2):
        recorder = RecordingReasoner(ScriptedReasoner({"ask": [reply]}), tmp_path / "r", environment={})
        await recorder.ask(request)
    heads = [json.loads(line).get("format") for line in (tmp_path / "r").read_text().splitlines()]
    assert heads == ["ddax-recording", None, None]


async def test_a_recording_is_gone_on_with_after_a_kill_in_the_middle_of_a_line(tmp_path):
    path, (request, reply) = tmp_path / "r", PAIRS["ask"]
    for cut in (20, None):
        recorder = RecordingReasoner(ScriptedReasoner({"ask": [reply]}), path, environment={})
        await recorder.ask(request)
        path.write_bytes(path.read_bytes()[: None if cut is None else -cut])
    assert await ReplayingReasoner(path).ask(request) == reply
    path.write_bytes(path.read_bytes().splitlines()[0])
    await RecordingReasoner(ScriptedReasoner({"ask": [reply]}), path, environment={}).ask(request)
    assert await ReplayingReasoner(path).ask(request) == reply


def test_a_file_that_is_whole_is_not_cut_and_a_device_is_written_to(tmp_path, monkeypatch):
    path = tmp_path / "r"
    RecordingReasoner(ScriptedReasoner({}), path, environment={})
    whole = path.read_bytes()
    monkeypatch.setattr(
        "ddax.configs.lines.os.truncate", lambda *_: pytest.fail("another run may be writing")
    )
    RecordingReasoner(ScriptedReasoner({}), path, environment={})
    assert path.read_bytes() == whole
    RecordingReasoner(ScriptedReasoner({}), Path("/dev/null"), environment={})
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("row", ["[]", '{"method": "ask"}', '{"method": "unheard", "hash": "x"}'])
async def test_a_line_that_is_no_request_is_named(tmp_path, row):
    request, reply = PAIRS["ask"]
    await RecordingReasoner(ScriptedReasoner({"ask": [reply]}), tmp_path / "r", environment={}).ask(request)
    with (tmp_path / "r").open("a") as file:
        file.write(f"{row}\n")
    with pytest.raises(SettingsError, match="r, line 3: no r"):
        ReplayingReasoner(tmp_path / "r")


def test_a_folder_is_refused_before_anything_is_asked(tmp_path):
    with pytest.raises(StorageError, match="Is a directory"):
        RecordingReasoner(ScriptedReasoner({}), tmp_path, environment={})


def test_what_surrounds_a_passage_is_no_part_of_a_recorded_request():
    assert request_hash("extract", PAIRS["extract"][0]) == "481bc4d872536fc6e1899bcb7544bf99"
    cut = replace(PAIRS["extract"][0], passages=(replace(ADA, cut=3, fenced=True),))
    assert request_hash("extract", cut) == request_hash("extract", PAIRS["extract"][0])
