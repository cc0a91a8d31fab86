"""The commands around settings: init, config show, doctor, and the line about models."""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path

import pytest
import yaml

from ddax.cli.main import run_command
from ddax.cli.maintaining.doctor import Check, diagnose
from ddax.cli.maintaining.setup import _commented, env_text
from ddax.cli.notes import model_note, price_note
from ddax.configs.prices import load_prices, nearest_priced
from ddax.configs.settings import Context
from ddax.reasoning.language.provider.failures import Failure, mapped
from tests.cases import cases

pytestmark = pytest.mark.usefixtures("place")


def call(capsys, *argv: str) -> tuple[int, str, str]:
    code = run_command(argv)
    return code, *capsys.readouterr()


def one_object(text: str) -> dict:
    value, end = json.JSONDecoder().raw_decode(text)
    assert text[end:] == "\n"
    return value


def test_init_writes_valid_files_and_overwrites_nothing(capsys, place):
    (place / ".env.example").write_text("mine\n")
    code, *_ = call(capsys, "init")
    assert code == 0
    assert (place / ".env.example").read_text() == "mine\n"
    text = (place / "ddax.yaml").read_text(encoding="utf-8")
    assert {key for key, value in yaml.safe_load(text).items() if value is not None} == {"schema_version"}
    uncommented = re.sub(r"^(\s*)# (\w+: )", r"\1\2", "\n".join(text.splitlines()[2:]), flags=re.MULTILINE)
    assert yaml.safe_load(uncommented) == {"schema_version": 1, **Context().model_dump(mode="json")}
    before = text
    code, _, err = call(capsys, "init")
    assert code == 2
    assert "already here" in err
    assert (place / "ddax.yaml").read_text(encoding="utf-8") == before


def test_the_env_example_of_the_checkout_is_what_init_writes_and_what_keeps_the_server_offline() -> None:
    text = (Path(__file__).parents[2] / ".env.example").read_text(encoding="utf-8")
    assert text.startswith(env_text())
    further = [line for line in text.removeprefix(env_text()).splitlines() if line and line[0] != "#"]
    assert further and all(line.startswith(("LANGGRAPH_", "LANGSMITH_")) for line in further)


def test_a_comment_of_the_defaults_with_a_colon_stays_as_it_is():
    assert _commented("  # Of the plan: the first step.") == "  # Of the plan: the first step."
    assert _commented("  max_steps: 60") == "  # max_steps: 60"


def test_config_show_says_where_every_value_comes_from(capsys, monkeypatch, place):
    (place / "ddax.yaml").write_text("seed: 4\n")
    monkeypatch.setenv("DDAX_BUDGET__MAX_STEPS", "10")
    code, out, _ = call(capsys, "config", "show", "--json")
    shown = one_object(out)
    assert code == 0
    assert shown["settings"]["seed"] == {"value": 4, "origin": "file ddax.yaml:1"}
    assert shown["settings"]["budget.max_steps"] == {
        "value": 10,
        "origin": "environment DDAX_BUDGET__MAX_STEPS",
    }
    assert shown["home"] == {"value": str(place / ".ddax"), "origin": "default"}
    _, out, _ = call(capsys, "config", "show")
    assert "seed = 4  (file ddax.yaml:1)" in out.splitlines()
    assert "mood.enabled = true  (default)" in out.splitlines()


def test_no_setting_steers_the_terminal_or_looks_like_another(capsys, place):
    text = 'namespace: "\\e[31mred\\u202E\\nseed = 7"\nsources: ["\\u009b2J"]\n'
    (place / "ddax.yaml").write_text(text, encoding="utf-8")
    code, out, _ = call(capsys, "config", "show")
    lines = out.splitlines()
    assert code == 0 and not {"\x1b", "\x9b", "\u202e"} & set(out)
    assert r'namespace = "\u001b[31mred\u202e\nseed = 7"  (file ddax.yaml:1)' in lines
    assert r'sources = ["\u009b2J"]  (file ddax.yaml:2)' in lines


def test_a_key_alone_is_named_but_not_used():
    assert "export OPENAI_API_KEY" in model_note({})
    note = model_note({"OPENAI_API_KEY": "sk-secret"})
    assert "OPENAI_API_KEY is there but not used" in note
    assert "secret" not in note


def test_doctor_reports_and_never_shows_a_key(capsys, monkeypatch, place):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    code, out, _ = call(capsys, "doctor", "--json")
    shown = one_object(out)
    names = {check["name"] for check in shown["checks"]}
    assert names >= {
        "python",
        "package langgraph",
        "home",
        "lock",
        "model file",
        "browser",
        "sandbox",
        "settings",
        "keys",
    }
    assert code == (0 if shown["ok"] else 1)
    assert "secret" not in out
    assert "OPENAI_API_KEY" in out
    assert not (place / ".ddax").exists()


def test_doctor_tells_that_pytest_is_missing(monkeypatch):
    known = metadata.version

    def version(name: str) -> str:
        if name == "pytest":
            raise metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr(metadata, "version", version)  # these tests run by the pytest that is to be missing
    found = {check.name: check for check in diagnose()}["package pytest"]
    assert found.state == "missing" and "conftest.py" in found.detail


@pytest.mark.parametrize("home", ["/proc/ddax-home", "afile", "afile/home", "/dev/null/home"])
def test_doctor_ends_with_an_error_where_the_home_cannot_be_written(capsys, monkeypatch, place, home):
    (place / "afile").write_text("mine")
    monkeypatch.setenv("DDAX_HOME", home)
    monkeypatch.setattr("ddax.cli.maintaining.doctor._sandbox", lambda: iter(()))
    code, out, _ = call(capsys, "doctor", "--json")
    checks = {row["name"]: row for row in one_object(out)["checks"]}
    assert code == 1
    assert checks["home"]["state"] == "bad" and "cannot be written" in checks["home"]["detail"]
    assert list(place.iterdir()) == [place / "afile"]


@cases("name", "near")
def test_a_misspelt_model_is_told_with_the_nearest_known(name, near):
    failed = mapped(
        Failure("status", 404, "no such model"), name, "", 1, near=nearest_priced(name, load_prices())
    )
    for said in (price_note(Context(model=name)), failed.mend):
        assert ("nearest name known" in said) is bool(near)
        assert near in said


def test_doctor_does_not_fall_over(monkeypatch, place):
    (place / "ddax.yaml").write_text("seed: [\n")
    (place / "file").write_text("")
    monkeypatch.setenv("DDAX_HOME", str(place / "file" / "below"))
    found = {check.name: check for check in diagnose()}
    assert found["settings"].state == "bad"
    assert found["home"].state == "bad"
    assert isinstance(found["keys"], Check)


def test_a_cap_in_dollars_that_cannot_hold_is_told_with_the_model_it_cannot_hold_for():
    own = {"model": "openai:gpt-4.1-mini", "models": {"judge": "openai:own-1", "fallbacks": ["x:y"]}}
    note = price_note(Context.model_validate(own))
    assert note.startswith("The price of openai:own-1 and x:y is not known")
    assert "max_usd" in note and "max_tokens" in note and "models.yaml" in note
    every = dict.fromkeys(("plan", "extract", "argue", "judge", "merge", "repair"), "openai:gpt-4.1")
    for settings in (
        {"model": "openai:gpt-4.1-mini"}, {"model": "embedded"}, {"model": "ollama:any"},
        {"model": "openai:own-1", "replay": "run.jsonl"}, {"model": "openai:own-1", "models": every},
    ):  # fmt: skip
        assert price_note(Context.model_validate(settings)) == ""


def test_a_price_of_ones_own_lets_the_cap_hold(tmp_path, monkeypatch):
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    (tmp_path / "models.yaml").write_text("models: {'openai:own-1': {input: 1, output: 2}}\n")
    assert price_note(Context(model="openai:own-1")) == ""
