"""The commands, the exit codes of their results and the shape of what they print."""

from __future__ import annotations

import io
import json
import time

import pytest
import typer
from typer.testing import CliRunner

from ddax.cli.answer import _go_on
from ddax.cli.app import app
from ddax.cli.backend import home_of, run_folder
from ddax.cli.main import run_command
from ddax.cli.scripted import ScriptedAgent
from ddax.debate.outcomes import JudgeStore
from ddax.errors import StorageError, Unavailable
from ddax.graph.threads.manifests import RunInfo
from tests.unit.scripted_command import RESULT, agent, call, one_object

pytestmark = pytest.mark.usefixtures("place")


KEYS = {
    "thread_id", "status", "stop_reason", "answer", "citations", "ideas", "steps", "usage",
    "rigidity", "mood", "failures",
}  # fmt: skip
FOLLOW = 'Follow up: ddax run --thread t "NEXT QUESTION"'
AGAIN = "Ask again, with what was read: ddax run --thread t "


def test_json_is_exactly_one_object_with_the_promised_keys(capsys):
    code, out, err = call(capsys, "run", "what?", "--sources", "docs", "--json")
    result = one_object(out)
    assert code == 0
    assert set(result) >= KEYS
    assert set(result["usage"]) == {"model_calls", "tokens", "usd", "seconds"}
    assert "exit_code" not in result
    assert err == ""


def test_with_v_the_events_of_a_json_run_go_to_stderr(capsys):
    _, out, err = call(capsys, "run", "what?", "--sources", "docs", "--json", "-v")
    one_object(out)
    assert "[1] select: next act 0" in err


@pytest.mark.parametrize("flag", ["--quiet", "-q"])
def test_quiet_prints_the_answer_alone(capsys, flag):
    assert call(capsys, "run", "What is it?", "--sources", ".", flag) == (0, "It is 42.\n", "")


@pytest.mark.parametrize("flags", [(), ("-q",)])
def test_what_is_not_read_is_told_unless_the_run_is_quiet(place, capsys, caplog, flags):
    (place / "papers").mkdir()
    (place / "papers" / "a.md").write_text("The tower was built by Ada Calder in 1911.")
    (place / "papers" / "b.png").write_bytes(b"\x89PNG")
    assert run_command(("run", "Who built the tower?", "--sources", "papers", *flags)) == 0
    assert ("of the sources not read" in caplog.text) == (not flags)
    assert "Ada Calder" in capsys.readouterr().out


def test_a_quiet_run_that_waits_prints_its_question(capsys):
    waiting = agent(status="waiting", answer="", question={"text": "May I?", "options": ["go on"]})
    code, out, err = call(capsys, "run", "What is it?", "--sources", ".", "--quiet", by=waiting)
    assert (code, err) == (8, "")
    assert "May I?" in out and "ddax answer" in out and "select" not in out


def test_a_piped_run_prints_a_line_an_event_and_the_answer(capsys):
    code, out, err = call(capsys, "run", "what?", "--sources", "docs")
    assert code == 0
    assert out.startswith("[1] select: next act 0\n")
    for words in (
        "It is 42.",
        "[1] A <a.txt>",
        "“the answer is 42”",
        "Done. It took ",
        "Details: ddax show",
        "Follow up: ddax run",
    ):
        assert words in out
    assert "embedded reasoner answers" in err
    assert len(err.strip().splitlines()) == 1


def test_every_flag_reaches_the_settings(capsys):
    by = agent()
    call(
        capsys, "run", "what?", "--sources", "a", "b", "--identity", "cautious", "--model", "x:y",
        "--max-steps", "7",
        "--max-usd", "0.5", "--max-seconds", "9", "--seed", "3", "--namespace", "n", "--human",
        "--json", by=by,
    )  # fmt: skip
    context = by.context
    assert context is not None
    assert (context.sources, context.identity, context.model) == (("a", "b"), "cautious", "x:y")
    assert (context.budget.max_steps, context.budget.max_usd, context.budget.max_seconds) == (7, 0.5, 9.0)
    assert (context.seed, context.namespace, context.human) == (3, "n", True)


def test_settings_come_from_file_environment_and_argument(capsys, place, monkeypatch):
    (place / "other.yaml").write_text("sources: [docs]\nseed: 1\nnamespace: file\n")
    monkeypatch.setenv("DDAX_SEED", "2")
    by = agent()
    code, *_ = call(capsys, "run", "what?", "--config", "other.yaml", "--namespace", "arg", by=by)
    assert code == 0
    assert by.context is not None
    assert (by.context.seed, by.context.namespace) == (2, "arg")


@pytest.mark.parametrize(
    ("status", "reason", "told", "line"),
    [
        ("done", "", "agent.run(\"NEXT QUESTION\", thread='t')", FOLLOW.removeprefix("Follow up: ")),
        ("stopped", "budget: max_steps = 4 reached", "agent.run(", "ddax run --thread t"),
        ("stopped", "cancelled", "agent.resume('t')", "ddax resume t"),
        ("waiting", "", "agent.resume('t', answer=", "ddax resume t --answer 'go on'"),
    ],
)
def test_a_thread_whose_model_is_an_object_goes_on_in_python_or_with_another(status, reason, told, line):
    way = _go_on({"thread_id": "t", "status": status, "stop_reason": reason, "given": True})
    assert told in way
    assert line.removesuffix(' "NEXT QUESTION"') + " --model embedded" in way


@pytest.mark.parametrize(
    ("status", "reason", "code", "way"),
    [
        ("done", "", 0, FOLLOW), ("not_found", "not found in the sources", 1, FOLLOW),
        ("failed", "not carried out", 1, FOLLOW),
        ("stopped", "cancelled", 130, "Go on: ddax resume t"),
        ("stopped", "cancelled while it waited", 130, FOLLOW),
        ("stopped", "budget: max_steps", 6, f'{AGAIN}"TASK"'),
        ("stopped", "budget: max_steps = 4 reached", 6, f'{AGAIN}--max-steps 8 "TASK"'),
        ("stopped", "budget: max_seconds = 0.5 reached", 6, f'{AGAIN}--max-seconds 1 "TASK"'),
        (
            "stopped", "budget: the cap max_usd=0.2 is reached ($0.21 spent)", 6,
            f'{AGAIN}--max-usd 0.4 "TASK"',
        ),
        ("stopped", "budget: max_tokens = 900 reached", 6, f'{AGAIN}"TASK"'),
        ("failed", "model: no reply", 9, f'{AGAIN}--model provider:model "TASK"'),
        ("waiting", "waiting for a human", 8, 'Answer: ddax answer t "go on"'),
    ],
)  # fmt: skip
def test_exit_codes_of_results_and_the_way_on(capsys, status, reason, code, way):
    question = {"text": "Go on?", "options": ["go on", "stop"]}
    by = agent(thread_id="t", status=status, stop_reason=reason, question=question)
    found, out, _ = call(capsys, "run", "what?", "--sources", "docs", "--thread", "t", by=by)
    assert found == code
    assert reason in out and out.endswith(f"{way}\n")
    if status == "waiting":
        assert "Question: Go on?" in out
        assert "ddax answer " in out


class Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.mark.parametrize("task", ["谁写了红楼梦？", "من كتب ألف ليلة وليلة؟", "x" * 100_000, "a\nb"])
def test_tasks_of_any_script_and_size_by_argument_and_stdin(capsys, monkeypatch, task):
    for given in (task, "-"):
        monkeypatch.setattr("sys.stdin", Stdin(b"\xef\xbb\xbf" + task.encode() + b"\n"))
        by = agent()
        code, _, _ = call(capsys, "run", given, "--sources", "docs", by=by)
        assert code == 0
        assert by.calls == [("run", task)]


def test_stdin_that_is_no_text_is_refused(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", Stdin(b"\xff\xfe"))
    code, _, err = call(capsys, "run", "-", "--sources", "docs")
    assert code == 2
    assert "not UTF-8" in err


def test_a_follow_up_needs_no_sources_and_keeps_its_settings(capsys):
    call(capsys, "run", "one?", "--sources", "docs", "--thread", "t", "--seed", "5")
    by = agent()
    code, *_ = call(capsys, "run", "--thread", "t", "two?", "--max-steps", "3", by=by)
    assert code == 0
    assert by.context is not None
    assert (by.context.sources, by.context.seed, by.context.budget.max_steps) == (("docs",), 5, 3)


@pytest.mark.parametrize(
    "argv",
    [
        ("resume",),
        ("resume", "t"),
        ("run", "--resume"),
        ("run", "--resume", "t"),
        ("run", "--resume", "--thread", "t"),
    ],
)
def test_resume_in_all_its_spellings(capsys, argv):
    run_folder().save(RunInfo("t", "x", "running"))
    by = agent()
    code, out, _ = call(capsys, *argv, "--json", by=by)
    assert code == 0
    assert one_object(out)["thread_id"] == "t"
    assert by.calls == [("resume", None)]


@pytest.mark.parametrize("argv", [("resume", "t"), ("run", "--resume", "t")])
def test_a_resume_with_another_model_says_so_and_one_with_another_setting_is_refused(capsys, argv):
    run_folder().save(RunInfo("t", "x", "running", context={"model": "embedded"}))
    by = agent()
    code, _, err = call(capsys, *argv, "--model", "x:y", by=by)
    assert (code, by.models) == (0, ["x:y"])
    assert "It went on with x:y; it began with embedded." in err
    code, _, err = call(capsys, "run", "--resume", "t", "--max-usd", "1", by=agent())
    assert code == 2
    assert "given is budget.max_usd" in err
    assert "ddax fork t --at N" in err


def test_a_run_at_its_cap_names_the_command_that_goes_past_it(place, capsys):
    (place / "papers").mkdir()
    (place / "papers" / "a.md").write_text("The tower was built by Ada Calder in 1911.")
    words = ("run", "Who built the tower?", "--sources", "papers", "--thread", "t", "--max-steps", "2")
    assert run_command(words) == 6
    assert capsys.readouterr().out.splitlines()[-1] == f'{AGAIN}--max-steps 4 "TASK"'


@pytest.mark.parametrize(
    ("error", "also"),
    [
        (Unavailable("down"), " (without `--model` it goes on with embedded)"),
        (StorageError("full"), ""),
        (KeyboardInterrupt(), ""),
    ],
)
def test_the_way_back_names_the_model_this_call_asked_for(capsys, error, also):
    class Broken(ScriptedAgent):
        """Fails before its model has answered, as one that is down."""

        async def resume(self, *args, **how):
            raise error

    run_folder().save(RunInfo("t", "x", "running", context={"model": "embedded"}))
    _, _, err = call(capsys, "resume", "t", "--model", "x:y z", by=Broken(RESULT))
    assert err.endswith(f": ddax resume t --model 'x:y z'{also}\n")
    _, _, err = call(capsys, "resume", "t", "--model", "embedded", by=Broken(RESULT))
    other = " (`--model provider:model` goes on with another one)" if also else ""
    assert err.endswith(f": ddax resume t{other}\n")


def test_a_command_to_go_on_names_the_home_of_this_shell(capsys, place, monkeypatch):
    monkeypatch.setenv("DDAX_HOME", str(place / "h"))
    for status, words in (("done", "run --thread"), ("failed", "run --thread"), ("running", "cancel")):
        by = agent(thread_id="t", status=status, stop_reason="")
        _, out, _ = call(capsys, "run", "what?", "--sources", "docs", "--thread", "t", by=by)
        assert f"DDAX_HOME={place / 'h'} ddax {words} t" in out.splitlines()[-1]


def test_an_answer_is_a_choice_or_an_object(capsys):
    run_folder().save(RunInfo("t", "x", "waiting"))
    for text, value in (("veto", {"choice": "veto"}), ('{"lesson": "x"}', {"lesson": "x"})):
        by = agent()
        call(capsys, "resume", "t", "--answer", text, by=by)
        assert by.calls == [("resume", value)]


def test_runs_lists_newest_first_and_makes_nothing(capsys, place):
    code, out, _ = call(capsys, "runs", "--json")
    assert (code, one_object(out)) == (0, {"runs": []})
    assert not (place / ".ddax").exists()
    run_folder().save(RunInfo("old", "first \x1b[31mtask", "done", updated=1.0))
    run_folder().save(RunInfo("new", "second", "running", updated=2.0))
    _, out, _ = call(capsys, "runs", "--json")
    assert [row["thread_id"] for row in one_object(out)["runs"]] == ["new", "old"]
    _, out, _ = call(capsys, "runs")
    assert out.splitlines()[1].endswith("first task")


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "do\x1b[31mne"}, {"thread_id": "\x1b]0;x\x07"}, {"thread_id": "other"},
        {"steps": "\x1b[31m9"},
        {"updated": 1e300}, {"updated": float("nan")}, {"created": -1}, {"task": 5}, {"context": [1]},
        {"stop_reason": None}, {"forked_from": {}}, {"more": 1},
    ],
    ids=str,
)  # fmt: skip
def test_a_manifest_that_no_run_wrote_is_listed_and_steers_nothing(capsys, place, changes):
    row = {"thread_id": "t", "task": "what?", "status": "done", "updated": 1.0, "version": 1}
    for name, values in (
        ("t", {**row, **changes}),
        ("\x1b[31mred", row),
        ("good", {**row, "thread_id": "good"}),
    ):
        (place / ".ddax" / "runs" / name).mkdir(parents=True)
        (place / ".ddax" / "runs" / name / "run.json").write_text(json.dumps(values))
    code, out, err = call(capsys, "runs")
    assert (code, err) == (0, "")
    good, *others = out.splitlines()
    assert "good" in good and "done" in good
    assert len(others) == 2 and all("unreadable" in line for line in others)
    assert "\x1b" not in out and "\x07" not in out
    for words in (("show", "t"), ("resume", "t"), ("cancel", "t"), ("export", "t", "t.html"), ("why", "t")):
        code, out, err = call(capsys, *words)
        assert (code, out) == (4, ""), words
        assert "damaged" in err and "\x1b" not in err
    assert one_object(call(capsys, "runs", "--json")[1])["runs"][0]["thread_id"] == "good"


def test_runs_counts_no_steps_of_a_thread_whose_manifest_has_not_counted_them(capsys):
    run_folder().save(RunInfo("cut", "one", "running", updated=3.0))
    run_folder().save(RunInfo("held", "two", "waiting", steps=3, ideas=4, updated=2.0))
    run_folder().save(RunInfo("none", "three", "failed", updated=1.0))
    cut, held, none = call(capsys, "runs")[1].splitlines()
    assert "  - steps   - ideas  one" in cut
    assert "  3 steps   4 ideas  two" in held and "  0 steps   0 ideas  three" in none
    rows = one_object(call(capsys, "runs", "--json")[1])["runs"]
    assert [(row["steps"], row["ideas"]) for row in rows] == [(None, None), (3, 4), (0, 0)]


def test_the_columns_of_the_runs_stand_below_each_other(capsys):
    for name in ("a", "20261123-061953-fce839", "n" * 60):
        run_folder().save(RunInfo(name, "one", "done"))
    lines = call(capsys, "runs")[1].splitlines()
    assert sorted(line.index("  done ") for line in lines) == [24, 24, 60]


def test_several_near_commands_are_told_as_several(capsys):
    assert "why: The nearest ones are 'run', 'runs'.\n" in call(capsys, "runz")[2]
    assert "why: The nearest one is 'show'.\n" in call(capsys, "shwo")[2]


def test_show_prints_the_tree_and_the_result(capsys):
    state = {
        "ideas": {"0": {"id": "0", "parent": "", "title": "Why?", "status": "done"}},
        "mind": {"rho": 0.3},
    }
    run_folder().save(RunInfo("t", "Why?", "done"))
    code, out, _ = call(capsys, "show", "t", by=agent(state=state))
    assert code == 0
    for words in ("Why?", "done Why?", "It is 42.", "rigidity"):
        assert words in out
    _, out, _ = call(capsys, "show", "t", "--json", by=agent(state=state))
    shown = one_object(out)
    assert (shown["run"]["thread_id"], shown["result"]["short"], shown["ideas"][0]["id"]) == ("t", "42", "0")
    _, _, err = call(capsys, "show", "tt")
    assert "'t'" in err


def test_cancel(capsys):
    run_folder().save(RunInfo("t", "x", "waiting"))
    code, out, _ = call(capsys, "cancel", "t", "--json")
    assert (code, one_object(out)) == (0, {"thread_id": "t", "cancelled": True, "status": "stopped"})
    code, _, err = call(capsys, "cancel", "t")
    assert code == 2
    assert "is over" in err


def test_demo_succeeds_only_if_the_right_answer_is_cited(capsys):
    right = {
        "answer": "statistics.median",
        "citations": [{"source": "s", "title": "statistics.median", "quote": "x"}],
    }
    code, out, _ = call(capsys, "demo", "--json", by=agent(**right))
    assert (code, one_object(out)["answer"]) == (0, "statistics.median")
    code, *_ = call(capsys, "demo", "--json", by=agent(answer="statistics.median"))
    assert code == 1
    code, *_ = call(capsys, "demo", by=agent(**right, status="failed"))
    assert code == 1


def test_a_page_cannot_style_the_output(capsys):
    by = agent(
        answer="\x1b[31mred\x1b[0m\u202e",
        failures=[{"idea": "0.1", "title": "a\x07", "cause": "[bold]x\n\ny"}],
    )
    _, out, _ = call(capsys, "run", "what?", "--sources", "docs", by=by)
    assert "\nred\n" in out
    assert "  a: [bold]x y\n" in out
    assert not set(out) & set("\x1b\x07\u202e")


def test_help_and_version_by_the_runner():
    runner = CliRunner()
    result = runner.invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, "ddax 0.2.0\n")
    for command in typer.main.get_command(app).commands:  # type: ignore[attr-defined]
        assert runner.invoke(app, [command, "--help"]).exit_code == 0
    result = runner.invoke(app, ["run", "what?", "--sources", "a", "--json"], obj=agent().open)
    assert (result.exit_code, one_object(result.stdout)["status"]) == (0, "done")


def test_a_key_alone_spends_nothing(capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    by = agent()
    _, _, err = call(capsys, "run", "what?", "--sources", "docs", by=by)
    assert by.context is not None
    assert by.context.model == "embedded"
    assert "not used" in err
    code, _, err = call(capsys, "run", "what?", "--sources", "docs", "--model", "embedded")
    assert (code, err) == (0, "")


def test_a_rubric_steers_no_terminal_and_one_value_is_one(capsys):
    run_folder().save(RunInfo("t", "what?", "done"))
    judged = {
        "task": "x", "version": 1, "rubric": ["right\u202e"],
        "task_criteria": {"right\u202e": "\u2066it\x1b[31m is\nso"},
    }  # fmt: skip
    script = ScriptedAgent(RESULT, rows={"judging": [judged]}, state={"work": {"id": "x"}})
    code, out, _ = call(capsys, "debate", "rubric", "t", by=script)
    assert code == 0 and "right" in out and not {"\x1b", "\u202e", "\u2066"} & set(out)
    store = JudgeStore(home_of() / "judges", clock=time.time)
    store.add("x", [("judge", "0.1", 0.9, 1.0)])
    script = ScriptedAgent(RESULT, rows={"judging": [judged]}, state={"work": {"id": "x"}})
    code, out, _ = call(capsys, "debate", "wrong", "t", by=script)
    assert (code, out) == (0, "Kept as wrong: 1 value of t.\n")
