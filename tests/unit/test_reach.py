"""What a run that comes over a server may set: every setting has a row, and each row holds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ddax.configs.keys import setting_fields, value_of
from ddax.configs.layers import load_context
from ddax.configs.reach import ROWS, Own, granted, rows, table
from ddax.configs.server import Server
from ddax.configs.settings import Actions, Budget, Context, Evolution, Models, Web
from ddax.errors import SettingsError
from tests.cases import cases

PLAIN = Own(Context(), Server())
HOSTILE: list[tuple[str, Any]] = [
    ("actions.files", ["plugin.py"]),
    ("actions.mcp", ["x=touch /tmp/here"]),
    ("actions.allow", ["browse"]),
    ("actions.reads", ["x_send"]),
    ("allow_hosts", ["127.0.0.1"]),
    ("allow_hosts", ["localhost", "example.org"]),
    ("record", "asked.jsonl"),
    ("replay", "/etc/passwd"),
    ("web.record", "/tmp/tape"),
    ("web.replay", "/etc/passwd"),
    ("web.searxng_url", "http://169.254.169.254/"),
    ("browser.downloads", "/tmp"),
    ("browser.uploads", "/etc"),
    ("browser.secrets", {"PIN": {"env": "OPENAI_API_KEY", "domain": "evil.example"}}),
    ("browser.writes", True),
    ("web.robots", False),
    ("web.delay", 0),
    ("web.per_host", 2),
    ("web.max_bytes", 10**12),
    ("web.searches_per_minute", 600),
    ("budget.max_usd", 1000.0),
    ("budget.max_steps", 100_000),
    ("budget.max_parallel", 256),
    ("models.concurrency", 512),
    ("evolution.seconds", 1e6),
    ("model", "gguf:/etc/passwd"),
    ("model", "huggingface:/etc"),
    ("model", "openai:../../x"),
    ("models.plan", "gguf:model.gguf"),
    ("models.fallbacks", ["openai:gpt-4.1-mini", "gguf:x"]),
    ("knowledge", "allow"),
    ("prompts", "/etc"),
    ("identity", "/etc/passwd.yaml"),
    ("identity", "mine.yml"),
    ("debate.panel", "../panel.yaml"),
    ("trust.rubric", "/etc/rubric.yaml"),
    ("mood.matrices", "README"),
    ("mood.matrices", "~/matrices.yaml"),
    ("sources", ["/etc/passwd"]),
    ("sources", ["~"]),
    ("sources", ["https://example.org/", "notes"]),
    ("sources", ["python:../../etc"]),
    ("sources", ["file:///etc/passwd"]),
    ("sources", ["browser:file:///etc/passwd"]),
    ("sources", ["world:FrozenLake-v1?render_mode=human"]),
    ("sources", ["world:/etc/passwd"]),
    ("sources", ["\0"]),
]
ALLOWED: list[tuple[str, Any]] = [
    (
        "sources",
        ("https://example.org/a", "python:", "python:os.path", "world:grid", "browser:http://x.org/"),
    ),
    ("sources", ("world:FrozenLake-v1?is_slippery=no",)),
    ("model", "openai:gpt-4.1-mini"),
    ("models.judge", "anthropic:claude-haiku-4-5"),
    ("models.fallbacks", ("openai:gpt-4.1-mini",)),
    ("identity", "cautious"),
    ("budget.max_usd", 0.5),
    ("web.delay", 5.0),
    ("web.only_domains", ("example.org",)),
    ("actions.deny", ("fetch",)),
    ("namespace", "another"),
    ("human", True),
    ("dry_run", True),
    ("allow_hosts", ()),
]


def nested(key: str, value: Any) -> dict[str, Any]:
    section, _, name = key.rpartition(".")
    return {section: {name: value}} if section else {name: value}


def test_every_setting_has_one_row() -> None:
    named = Counter(key for row in ROWS for key in row.keys.split())
    assert set(named) == set(setting_fields(Context)), "a new setting needs a row in ddax/configs/reach.py"
    assert [key for key, times in named.items() if times > 1] == []
    assert all(row.why.endswith(".") and row.rule.words for row in ROWS)


@pytest.mark.parametrize(("key", "value"), HOSTILE, ids=lambda part: str(part)[:40])
def test_what_reaches_the_machine_is_refused_by_name(key: str, value: Any) -> None:
    with pytest.raises(SettingsError) as refused:
        granted(Context(**nested(key, value)), PLAIN)
    assert f"may not set {key} to" in refused.value.what
    assert refused.value.why and refused.value.mend


def test_every_row_but_the_free_ones_is_tried() -> None:
    strict = {"dry_run", "actions.ask", "actions.deny", "web.deny_domains", "web.only_domains"}
    tried = {rows()[key].rule.words for key, _ in HOSTILE}
    words = {row.rule.words for row in ROWS if not strict & set(row.keys.split())}
    assert words - tried <= {"as it likes", "no faster than the server's own", "off, not on"}


@pytest.mark.parametrize(("key", "value"), ALLOWED, ids=lambda part: str(part)[:40])
def test_what_stays_within_is_taken(key: str, value: Any) -> None:
    context = granted(Context(**nested(key, value)), PLAIN)
    found = value_of(context, key)
    assert (tuple(found) if isinstance(value, tuple) else found) == value
    assert context == Context(**nested(key, value))


def test_a_whole_form_of_defaults_is_taken_back() -> None:
    assert granted(Context(**Context().model_dump(mode="json")), PLAIN) == Context()


def strict_server(folder: Path) -> Own:
    """Return a server that records, may reach a host, and is stricter than the defaults elsewhere."""
    return Own(
        Context(
            model="gguf:own.gguf", record="asked.jsonl", allow_hosts=("intranet",), dry_run=True,
            sources=("own papers",), identity="own.yaml",
            actions=Actions(files=("own.py",), deny=("fetch",)),
            web=Web(only_domains=("example.org",), delay=3.0),
            budget=Budget(max_usd=0.1), models=Models(per_minute=10),
            evolution=Evolution(evolution_enabled=False),
        ),
        Server(sources_below=(str(folder),), allow_hosts=("wiki.intranet",), models=("openai:gpt-4.1-*",)),
    )  # fmt: skip


def test_the_servers_own_settings_stand_where_a_form_sends_defaults(tmp_path: Path) -> None:
    own = strict_server(tmp_path)
    context = granted(Context(**Context().model_dump(mode="json")), own)
    assert (context.record, context.dry_run, context.identity) == ("asked.jsonl", True, "task_focused")
    assert context.actions.files == ("own.py",) and context.actions.deny == ("fetch",)
    assert context.web.only_domains == ("example.org",) and context.web.delay == 3.0
    assert context.budget.max_usd == 0.1 and context.models.per_minute == 10
    assert not context.evolution.evolution_enabled


def test_what_a_run_leaves_out_is_the_servers_own(tmp_path: Path) -> None:
    own = strict_server(tmp_path)
    assert granted(Context(), own) == own.settings
    assert granted(Context(**own.settings.model_dump(mode="json")), own) == own.settings


@cases("key", "value")
def test_a_strict_server_is_not_talked_round(tmp_path: Path, key: str, value: Any) -> None:
    with pytest.raises(SettingsError, match=key):
        granted(Context(**nested(key, value)), strict_server(tmp_path))


def test_a_run_may_be_stricter_than_its_server(tmp_path: Path) -> None:
    asked = Context(
        model="openai:gpt-4.1-mini", allow_hosts=("Wiki.Intranet.",), actions=Actions(deny=("visit",)),
        web=Web(only_domains=("sub.example.org",)),
    )  # fmt: skip
    context = granted(asked, strict_server(tmp_path))
    assert context.actions.deny == ("fetch", "visit")
    assert context.web.only_domains == ("sub.example.org",)
    assert (context.model, context.allow_hosts) == ("openai:gpt-4.1-mini", ("Wiki.Intranet.",))


def test_a_path_is_read_below_the_folders_of_the_server_alone(tmp_path: Path) -> None:
    papers, secret = tmp_path / "papers", tmp_path / "secret.txt"
    papers.mkdir()
    secret.write_text("the code is 1234")
    (papers / "note.txt").write_text("a note")
    (papers / "link.txt").symlink_to(secret)
    own = Own(Context(), Server(sources_below=(str(papers),)))
    inside = (str(papers), str(papers / "note.txt"), f"{papers}/../papers/note.txt")
    assert granted(Context(sources=inside), own).sources == inside
    for outside in (str(secret), f"{papers}/../secret.txt", str(papers / "link.txt"), f"{papers}-more", "/"):
        with pytest.raises(SettingsError, match="lies in no folder"):
            granted(Context(sources=(outside,)), own)


def test_the_settings_of_a_server_come_from_its_file_and_its_environment(tmp_path: Path) -> None:
    (tmp_path / "ddax.yaml").write_text("server: {allow_hosts: [wiki], models: ['openai:*']}\nseed: 3\n")
    loaded = load_context(directory=tmp_path, env={"DDAX_SERVER__SOURCES_BELOW": "papers,notes"})
    assert loaded.server == Server(
        sources_below=("papers", "notes"), allow_hosts=("wiki",), models=("openai:*",)
    )
    assert loaded.context == Context(seed=3) and type(loaded.context) is Context


@cases("text", "env", "words")
def test_a_wrong_setting_of_a_server_is_told(
    tmp_path: Path, text: str, env: dict[str, str], words: str
) -> None:
    (tmp_path / "ddax.yaml").write_text(text)
    with pytest.raises(SettingsError, match=words):
        load_context(directory=tmp_path, env=env)


def test_no_run_sets_what_belongs_to_the_server() -> None:
    with pytest.raises(ValidationError, match="server"):
        Context.model_validate({"server": {"sources_below": ["/"]}})
    with pytest.raises(SettingsError, match="server"):
        load_context(env={}, arguments={"server.sources_below": ["/"]})


def test_the_docs_show_the_table_as_it_is(repo: Path) -> None:
    page = (repo / "docs" / "security.md").read_text(encoding="utf-8")
    assert table() in page, "write it anew: python -c 'from ddax.configs.reach import table; print(table())'"
    for key, field in setting_fields(Server).items():
        assert f"| `server.{key}` | {field.description} |" in page


def test_a_run_over_a_server_brings_no_address_of_a_model_of_its_own() -> None:
    mine = {"name": "openai:house", "base_url": "http://127.0.0.1:9/v1", "key_variable": "HOUSE_KEY"}
    own = Own(Context(model=mine), Server())
    assert granted(Context(), own).model_name == "openai:house"
    for asked in ({"model": {**mine, "base_url": "http://evil.example/v1"}}, {"model": "local"}):
        with pytest.raises(SettingsError):
            granted(Context(**asked), own)
    with pytest.raises(SettingsError):
        granted(Context(models=Models(judge={**mine, "key_variable": "OPENAI_API_KEY"})), own)
