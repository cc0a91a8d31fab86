"""The layers of settings: who wins, and what every complaint names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import ddax
import ddax.configs
from ddax.configs.keys import nearest, setting_fields, value_of
from ddax.configs.layers import NOT_SETTINGS, keep_unset, load_context
from ddax.configs.section import Section
from ddax.configs.server import Everything
from ddax.configs.settings import Budget, Context, Identity
from ddax.errors import SettingsError, StateError
from tests.cases import cases

SHIPPED = Path(ddax.configs.__file__).parent


def write(tmp_path: Path, text: str | bytes) -> Path:
    file = tmp_path / "ddax.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def load(tmp_path: Path, text: str = "", env: dict[str, str] | None = None, **arguments: object):
    file = write(tmp_path, text) if text else None
    return load_context(file=file, env=env or {}, arguments=arguments, directory=tmp_path)


def test_default_yaml_says_what_the_code_says():
    values = yaml.safe_load((SHIPPED / "default.yaml").read_text(encoding="utf-8"))
    assert values.pop("schema_version") == 1
    assert values == Context().model_dump(mode="json")


def test_default_yaml_covers_and_explains_every_key(tmp_path: Path):
    loaded = load_context(file=SHIPPED / "default.yaml", env={})
    assert all(origin.startswith("file ") for origin in loaded.origins.values())
    text = (SHIPPED / "default.yaml").read_text(encoding="utf-8")
    for key, field in setting_fields(Context).items():
        assert field.description, key
        assert field.description in text, key


def test_without_layers_everything_is_the_default(tmp_path: Path):
    loaded = load(tmp_path)
    assert loaded.context == Context()
    assert set(loaded.origins.values()) == {"default"}
    assert loaded.file is None


def test_the_later_layer_wins_and_the_origin_says_so(tmp_path: Path):
    text = "seed: 1\nnamespace: file\nmodel: a:b\nbudget:\n  max_steps: 7\n"
    env = {"DDAX_SEED": "2", "DDAX_NAMESPACE": "env", "DDAX_BUDGET__MAX_USD": "0.5"}
    loaded = load(tmp_path, text, env, seed=3)
    context = loaded.context
    assert (context.seed, context.namespace, context.model) == (3, "env", "a:b")
    assert (context.budget.max_steps, context.budget.max_usd) == (7, 0.5)
    assert loaded.origins["seed"] == "argument"
    assert loaded.origins["namespace"] == "environment DDAX_NAMESPACE"
    assert loaded.origins["budget.max_steps"] == f"file {tmp_path / 'ddax.yaml'}:5"
    assert loaded.origins["budget.max_ideas"] == "default"


def test_the_file_in_the_working_directory_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, "seed: 9\n")
    monkeypatch.chdir(tmp_path)
    assert load_context(env={}).context.seed == 9


def test_a_program_has_the_layers_by_one_name_and_a_context_alone_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(tmp_path, "seed: 5")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DDAX_BUDGET__MAX_STEPS", "7")
    context = ddax.load_context().context
    assert (context.seed, context.budget.max_steps) == (5, 7)
    assert Context().seed == 0


def test_arguments_may_be_dotted_or_nested_and_none_is_not_given(tmp_path: Path):
    loaded = load_context(
        env={},
        directory=tmp_path,
        arguments={"budget": {"max_steps": 3}, "budget.max_usd": 0.1, "seed": None},
    )
    assert (loaded.context.budget.max_steps, loaded.context.budget.max_usd) == (3, 0.1)
    assert loaded.origins["seed"] == "default"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a,b", ("a", "b")), ('["a,1", "b"]', ("a,1", "b")), ("docs", ("docs",)), (" a , ,b ", ("a", "b"))],
)
def test_lists_in_the_environment(tmp_path: Path, text: str, expected: tuple[str, ...]):
    assert load(tmp_path, env={"DDAX_SOURCES": text}).context.sources == expected


@pytest.mark.parametrize(("text", "expected"), [("true", True), ("1", True), ("no", False), ("off", False)])
def test_switches_in_the_environment(tmp_path: Path, text: str, expected: bool):
    assert load(tmp_path, env={"DDAX_HUMAN": text}).context.human is expected


def test_every_variable_that_is_named_anywhere_is_a_setting_or_known_as_none():
    root, named = SHIPPED.parents[1], set()
    files = [root / "README.md", *(root / "docs").rglob("*.md"), *(root / "examples").rglob("*")]
    files += [file for package in ("ddax", "benchmarks") for file in (root / package).rglob("*.py")]
    files += [root / "Makefile", root / ".env.example", *(root / "scripts").rglob("*")]
    for file in files:
        if file.suffix in (".md", ".py", ".yaml", ".toml", ".sh", ".example", ""):
            text = file.read_text(encoding="utf-8") if file.is_file() else ""
            named |= set(re.findall(r"\bDDAX_[A-Z_]+\b", text))
    settings = {"DDAX_" + key.replace(".", "__").upper() for key in setting_fields(Everything)}
    secrets = {"DDAX_CANARY", "DDAX_CANARY_KEY"}  # of self-tests, set while one runs
    assert {"DDAX_HOME", "DDAX_API_KEYS", "DDAX_MODEL"} <= named
    assert named - settings - secrets == NOT_SETTINGS
    assert load_context(env=dict.fromkeys(NOT_SETTINGS, "ada:" + "k" * 16)).context == Context()


def test_null_and_empty_in_the_environment(tmp_path: Path):
    env = {"DDAX_SELECTION__W_A": "null", "DDAX_MODEL": "", "DDAX_HOME": "/elsewhere"}
    loaded = load(tmp_path, "selection:\n  w_a: 0.4\n", env)
    assert loaded.context.selection.w_a is None
    assert loaded.origins["model"] == "default"


@pytest.mark.parametrize(("key", "valid"), [("buget", "budget"), ("recal", "recall"), ("seeed", "seed")])
def test_a_section_may_be_meant(tmp_path: Path, key: str, valid: str):
    with pytest.raises(SettingsError, match=f"nearest valid one is '{valid}'"):
        load(tmp_path, f"{key}:\n  max_steps: 3\n")


@cases("key", "valid")
def test_the_nearest_key_is_named(key: str, valid: str):
    assert nearest(key, Context) == valid


@given(st.text(max_size=40))
def test_the_nearest_is_a_key_or_none(text: str):
    assert nearest(text, Context) in {*setting_fields(Context), ""}


@pytest.mark.parametrize("key", ["foo", "topic", "api_key", "database.url"])
def test_a_key_that_is_near_none_is_told_so(tmp_path: Path, key: str):
    for layer in ({"text": f"{key}: 3\n"}, {"env": {"DDAX_" + key.upper().replace(".", "__"): "3"}}):
        with pytest.raises(SettingsError, match="No valid one is near it"):
            load(tmp_path, **layer)


def test_a_group_is_set_by_its_keys(tmp_path: Path):
    with pytest.raises(SettingsError, match=r"'budget' is a group.*as DDAX_BUDGET__MAX_STEPS;"):
        load(tmp_path, env={"DDAX_BUDGET": "5"})
    with pytest.raises(SettingsError, match=r"'budget' is a group.*as budget\.max_steps;"):
        load(tmp_path, budget=5)


@pytest.mark.parametrize("text", ['{"PIN": {"env": "X", "domain": "a.b"}}', "{PIN: {env: X, domain: a.b}}"])
def test_mappings_in_the_environment_are_json_or_yaml(tmp_path: Path, text: str):
    context = load(tmp_path, env={"DDAX_BROWSER__SECRETS": text}).context
    assert {name: (one.env, one.domain) for name, one in context.browser.secrets.items()} == {
        "PIN": ("X", "a.b")
    }


def test_other_mappings_in_the_environment(tmp_path: Path):
    weights = load(tmp_path, env={"DDAX_EVOLUTION__PRESSURE_WEIGHTS": "{depth: 0.5}"}).context
    assert weights.evolution.pressure_weights["depth"] == 0.5
    for text, says in [
        ("{depth: ", "neither JSON nor YAML"),
        ("5", "should be a mapping"),
        ("{a: 1}", "not allowed"),
    ]:
        with pytest.raises(SettingsError, match=says):
            load(tmp_path, env={"DDAX_EVOLUTION__PRESSURE_WEIGHTS": text})


def test_an_unknown_key_names_the_nearest_and_file_and_line(tmp_path: Path):
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, "seed: 1\nbudget:\n  max_step: 3\n")
    assert f"{tmp_path / 'ddax.yaml'}:3" in caught.value.what
    assert "'budget.max_steps'" in caught.value.why
    assert caught.value.exit_code == 2


def test_an_unknown_variable_and_argument_name_the_nearest(tmp_path: Path):
    with pytest.raises(SettingsError, match="DDAX_BUDGET__MAX_STEPS"):
        load(tmp_path, env={"DDAX_BUDGET__MAX_STEP": "3"})
    with pytest.raises(SettingsError, match="'identity'"):
        load(tmp_path, identty="x")


@cases("text", "line", "key")
def test_a_wrong_type_names_key_and_file_and_line(tmp_path: Path, text: str, line: int, key: str):
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, text)
    assert f"{tmp_path / 'ddax.yaml'}:{line}: {key} = " in caught.value.what
    assert caught.value.mend


@cases("text", "env", "given", "named")
def test_a_wrong_value_is_refused_also_where_a_later_layer_takes_its_place(
    tmp_path: Path, text: str, env: dict[str, str], given: dict[str, Any], named: str
):
    with pytest.raises(SettingsError, match="not allowed") as caught:
        load(tmp_path, text, env, **given)
    assert named in caught.value.what


def test_values_are_told_as_a_settings_file_has_them(tmp_path: Path):
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, "human: null\n")
    assert "human = null is not allowed" in caught.value.what
    assert caught.value.mend == "Give another value; the default is false."
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, "sources: 3\n")
    assert caught.value.mend == "Give another value; the default is []."


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b"seed: [1, 2\nmodel: x\n", ":2:6"),
        (b"a: b: c\n", ":1:5"),
        (b"seed: 1\n\tmodel: x\n", ":2:1"),
        (b"seed: \x07\n", ":1"),
        (b"seed: 1\nmodel: \xff\xfe\n", "byte 15"),
        (b"model: !!python/object/apply:os.system [true]\n", ":1:8"),
        (b"sources: &a [*a]\n", ":1"),
    ],
)
def test_broken_yaml_names_the_place(tmp_path: Path, text: bytes, where: str):
    with pytest.raises(SettingsError) as caught:
        load_context(file=write(tmp_path, text), env={})
    assert "ddax.yaml" in caught.value.what
    assert where in caught.value.what


@pytest.mark.parametrize("text", ["- a\n", "just words\n", "budget: 3\n", "budget: [1]\n"])
def test_what_is_no_mapping_is_refused(tmp_path: Path, text: str):
    with pytest.raises(SettingsError, match="key: value"):
        load(tmp_path, text)


def test_empty_files_and_empty_groups_set_nothing(tmp_path: Path):
    assert load_context(file=write(tmp_path, ""), env={}).context == Context()
    assert load_context(file=write(tmp_path, "# nothing\nbudget:\n"), env={}).context == Context()


def test_a_key_that_stands_twice_is_refused(tmp_path: Path):
    with pytest.raises(SettingsError, match="stands twice"):
        load(tmp_path, "seed: 1\nseed: 2\n")


@pytest.mark.parametrize("name", ["missing.yaml", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str):
    with pytest.raises(SettingsError, match="cannot be read"):
        load_context(file=tmp_path / name, env={})


def test_a_huge_file_is_refused(tmp_path: Path):
    with pytest.raises(SettingsError, match="larger"):
        load_context(file=write(tmp_path, b"#" * 1_000_001), env={})


def test_settings_of_a_newer_release_are_refused(tmp_path: Path):
    with pytest.raises(StateError) as caught:
        load(tmp_path, "schema_version: 99\n")
    assert caught.value.exit_code == 4
    with pytest.raises(SettingsError, match="schema_version"):
        load(tmp_path, "schema_version: old\n")


def test_a_follow_up_keeps_the_settings_of_its_thread(tmp_path: Path):
    stored = Context.model_validate({"sources": ["docs"], "seed": 4, "budget": {"max_steps": 9}})
    loaded = load(tmp_path, "seed: 1\n", {"DDAX_MODEL": "a:b"}, **{"budget.max_usd": 0.2, "namespace": "n"})
    kept = keep_unset(loaded, json.loads(stored.model_dump_json()))
    assert (kept.sources, kept.seed, kept.model) == (("docs",), 4, "embedded")
    assert (kept.budget.max_steps, kept.budget.max_usd, kept.namespace) == (9, 0.2, "n")
    with pytest.raises(StateError):
        keep_unset(loaded, {"colour": "red"})


def test_value_of_gives_plain_json():
    assert value_of(Context(), "sources") == []
    assert value_of(Context(), "budget.max_steps") == 60


@cases("values", "says")
def test_what_would_pass_for_another_type_is_refused(values: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        Context.model_validate(values)


@pytest.mark.parametrize(
    ("group", "values", "what", "why"),
    [
        (Context, {"sorces": ("docs",)}, "Context: there is no setting 'sorces'", "'sources'"),
        (Context, {"budget": {"max_step": 3}}, "no setting 'budget.max_step'", "'budget.max_steps'"),
        (Context, {"buget": {}}, "there is no setting 'buget'", "'budget'"),
        (Context, {"seed": None, "colour": "red"}, "there is no setting 'colour'", "No valid one"),
        (Context, {"seed": "ten"}, "Context: seed = 'ten' is not allowed", "Seed of every random choice"),
        (Context, {"budget": {"max_steps": 0}}, "budget.max_steps = 0 is not allowed", "Passes of select"),
        (Context, {"budget": 3}, "'budget' is a group of settings", "by itself"),
        (Context, {"sources": "docs"}, "sources = 'docs' is not allowed", "It should be a list"),
        (Budget, {"max_step": 3}, "Budget: there is no setting 'max_step'", "'max_steps'"),
        (Identity, {"name": "me"}, "Identity: statement is missing", "Who the agent is"),
    ],
)
def test_settings_in_python_are_refused_in_the_words_of_a_file(
    group: type[Section], values: dict[str, Any], what: str, why: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        group(**values)
    assert what in caught.value.what and why in caught.value.why and caught.value.mend


@pytest.mark.parametrize("text", ["? [1, 2]\n: 3\n", "budget:\n  ? {a: 1}\n  : 3\n", "{seed}: 1\n"])
def test_a_key_that_is_no_word_is_told_without_the_parsers_own_names(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match=r"ddax\.yaml:\d: a key is no word") as caught:
        load(tmp_path, text)
    assert "Node" not in str(caught.value)
