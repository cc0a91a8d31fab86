"""Secrets are blotted out by value and by shape, at their own length, wherever something is kept or shown."""

from __future__ import annotations

import base64
import io
import json
import logging
import re
import sys
import time
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage
from langgraph.types import Send

from ddax.actions.mcp_tools import _cause
from ddax.actions.protocol import ActionContext
from ddax.actions.signatures import SUMMARY, result_of
from ddax.cli.main import keep_logs_clean, run_command
from ddax.configs import secrets
from ddax.configs.secrets import RedactingFilter, Redactor
from ddax.environments.browser.secrets import Secret, Vault
from ddax.errors import ReasonerError
from ddax.graph.savers.serializing import serializer
from ddax.graph.threads.manifests import RunFolder, RunInfo
from ddax.ideas.idea import RESULT_BYTES
from ddax.memory import indexing
from ddax.memory.gate.write_gate import GatedMemory
from ddax.memory.share import owner
from ddax.memory.store import chroma
from ddax.nodes.act import act
from ddax.reasoning import protocol as p
from ddax.reasoning.breaks import broke_off
from ddax.reasoning.entailment.rules import lexical
from ddax.reasoning.language.provider.failures import MAX_TOLD, classify
from ddax.reasoning.redacted import RedactedReasoner
from ddax.steps.leaves.failure_rows import failed
from ddax.types import Document, Record

PACKAGE = Path(secrets.__file__).parents[1]
VALUE = "hunter2-Zq/9+x&canary"
ENVIRON = {
    "MY_API_KEY": VALUE,
    "HOME": "/root",
    "EDITOR": "vim",
    "KEYBOARD": "qwertzuiop",
    "TOKEN_LIMIT": "128000",
}
SHAPES = [
    "sk-proj-abcdefghijklmnop1234", "sk-ant-api03-abcdefghijklmnop12", "sk_live_abcdefghijklmnop1234",
    "ghp_" + "a1" * 18, "github_pat_" + "A1b2" * 8, "glpat-abcdefghij1234567890", "xoxb-123456789012-abcdef",
    "hf_" + "aB3" * 11, "AKIAIOSFODNN7EXAMPLE", "AIzaSyA-1234567890abcdefghijklmnopqrstu",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmnop", "tvly-dev-abcdefghijkl123",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234\n-----END RSA PRIVATE KEY-----",
]  # fmt: skip
KEPT = [
    "def login(password: str) -> None:", "password=getpass.getpass()", "the secret of the tower",
    "https://example.org/a?b=c", "api_key = None", "a risk-averse skeleton key", "sk-learn is a library",
    "git@example.org:repo", "Bearer of bad news", "a basic misunderstanding of it",
    "one token internationalization",
]  # fmt: skip
redactor = Redactor.from_environ(ENVIRON)


@pytest.mark.parametrize("shape", SHAPES)
def test_well_known_shapes_are_blotted_out(shape: str) -> None:
    text = f"before {shape} after"
    found = Redactor().text(text)
    assert shape[8:] not in found
    assert len(found) == len(text) and found.startswith("before [secret]") and found.endswith(" after")


def test_passwords_in_addresses_and_assignments_are_blotted_out() -> None:
    assert Redactor().text("postgres://ada:s3cret99@db/x") == "postgres://[secret]****@db/x"
    assert Redactor().text('"api_key": "abcd1234efgh"') == '"api_key": "[secret]****"'


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "Basic ", "basic  ", "token ", "Token  "])
def test_what_stands_in_an_authorization_header_is_blotted_out(scheme: str) -> None:
    assert "Zm9vYmFyYmF6MTIz" not in Redactor().text(f"Authorization: {scheme}Zm9vYmFyYmF6MTIz")


PIECES = [
    *SHAPES, *KEPT, "://a:bcd@", "http://", "password: a1b2c3d4e5", "Ba\u017f\u0131c ", "PA\u017fSWORD=",
    "\u0130", "token  ", "bearer ", "Zm9vYmFyYmF6MTIz", "@", "\n", " ", "x",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_looking_where_a_word_stands_finds_what_looking_everywhere_does(text: str) -> None:
    found = [match.span() for match in secrets.shaped(text)]
    assert found == [match.span() for match in secrets.SHAPED.finditer(text)]
    assert (Redactor().value([text]) != [text]) is bool(found)


def test_letters_of_every_language_keep_the_places() -> None:
    letters = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x30000))))
    text = f"{letters} Authorization: basic Zm9vYmFyYmF6MTIz"
    assert [match.span() for match in secrets.shaped(text)] == [(len(text) - 16, len(text))]


@pytest.mark.parametrize("text", KEPT)
def test_ordinary_texts_stay_as_they_are(text: str) -> None:
    assert redactor.text(text) == text


def test_only_what_is_named_like_a_secret_is_taken_from_the_environment() -> None:
    for value in ("/root", "qwertzuiop", "128000", "vim"):
        assert redactor.text(f"x {value} y") == f"x {value} y"


@pytest.mark.parametrize("value", ["correcthorsebattery", "1234567890"])
def test_what_is_surely_a_secret_by_its_name_may_be_a_word_or_a_number(value: str) -> None:
    assert value not in Redactor.from_environ({"DB_PASSWORD": value}).text(f"log in with {value}")


def test_values_that_overlap_are_blotted_out_whole() -> None:
    one, other, text = "alpha-7731-beta", "beta-9904-gamma", "now alpha-7731-beta-9904-gamma then"
    cleaning = Redactor([one, other])
    hidden = cleaning.text(text)
    assert len(hidden) == len(text) and hidden.startswith("now [secret]*") and hidden.endswith("* then")
    assert "beta" not in hidden and "gamma" not in hidden
    assert {cleaning.cut(text, most) for most in range(5, len(text) - 5)} == {"now "}
    assert cleaning.text(f"{one}{one}") == 2 * ("[secret]" + "*" * (len(one) - 8))


def test_a_longer_value_is_blotted_out_before_one_inside_it() -> None:
    both = Redactor.from_environ({"A_KEY": "abcdefgh", "B_KEY": "abcdefgh-and-more"})
    assert both.text("x abcdefgh-and-more y abcdefgh") == "x [secret]********* y [secret]"


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
def test_a_value_is_found_in_every_form(before: str) -> None:
    whole = f"{before}{VALUE}tail".encode()
    for text in (
        VALUE, quote(VALUE, safe=""), json.dumps({"a": VALUE}), VALUE.encode().hex(),
        base64.b64encode(whole).decode(), base64.urlsafe_b64encode(whole).decode(),
    ):  # fmt: skip
        found = redactor.text(f"<{text}>")
        assert "[secret]" in found and len(found) == len(text) + 2
        assert VALUE not in found


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_value_is_found_in_any_surroundings_and_places_stay(before: str, after: str) -> None:
    found = redactor.text(before + VALUE + after)
    assert VALUE not in found
    assert len(found) == len(before + VALUE + after)
    assert redactor.text(found) == found


def test_plain_data_records_and_messages_are_cleaned() -> None:
    given_ = {"a": [VALUE, 1, None], "b": (VALUE,), VALUE: {"c": f"x{VALUE}"}}
    assert VALUE not in json.dumps(redactor.value(given_))
    record = redactor.value(Record("observation", VALUE, meta={"k": VALUE}))
    assert VALUE not in repr(record) and record.memory_type == "observation"
    assert VALUE not in redactor.value(HumanMessage(VALUE)).content


async def test_the_memory_keeps_no_secret(kit: Any) -> None:
    session = kit.session()
    memory = GatedMemory(session.memory, lexical, redactor)
    ids = await memory.put([Record("observation", f"The key of the harbour is {VALUE}.", source=VALUE)])
    page = await memory.put_page(Document("d", "s", "t", f"The key is {VALUE}."))
    await memory.log("table", {"args": {"token": VALUE}}, key="k")
    kept = [await memory.get(ids), await memory.get_page(page), await memory.rows("table")]
    assert "[secret]" in repr(kept) and VALUE not in repr(kept)


def test_checkpoints_and_manifests_keep_no_secret(tmp_path: Path) -> None:
    plain = serializer("", redactor)
    state = {"ideas": {"0": {"title": f"use {VALUE}"}}, "messages": [HumanMessage(VALUE)], "n": 1}
    kind, data = plain.dumps_typed(state)
    assert VALUE.encode() not in data
    back = plain.loads_typed((kind, data))
    assert back["n"] == 1 and back["ideas"]["0"]["title"].startswith("use [secret]")
    assert plain.dumps_typed({"a": 1}) == serializer("").dumps_typed({"a": 1})
    folder = RunFolder(tmp_path, redactor)
    folder.save(
        RunInfo("t", f"log in with {VALUE}", "running", context={"sources": [f"https://a:{VALUE}@h/"]})
    )
    assert VALUE not in (tmp_path / "t" / "run.json").read_text(encoding="utf-8")
    assert folder.load("t") is not None


class Bound:
    """A reasoner that is bound to a budget before it is asked."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def bound(self, keeper: Any, **more: Any) -> Any:
        return self.inner


async def test_no_prompt_of_a_bound_reasoner_holds_a_secret_and_no_reply_does(kit: Any) -> None:
    inner = kit.session({"extract": [p.Extraction((), f"read {VALUE}")]}).reasoner
    bound = RedactedReasoner(Bound(inner), redactor).bound(None, effort=None)
    reply = await bound.extract(p.ExtractRequest(f"task {VALUE}", VALUE, ()))
    ((_, seen),) = inner.requests
    assert VALUE not in repr(seen)
    assert reply.summary.startswith("read [secret]")


def test_what_is_on_its_way_to_a_node_is_cleaned() -> None:
    sent = redactor.value(Send("act", {"a": VALUE}))
    assert isinstance(sent, Send) and VALUE not in repr(sent) and sent.node == "act"


def test_a_value_beyond_ascii_is_found_in_bytes() -> None:
    found = Redactor(["kanarienvögel-sieben"])
    data = serializer("", found).dumps_typed({"a": "x kanarienvögel-sieben"})[1]
    assert "kanarienvögel".encode() not in data


@pytest.mark.parametrize("rest", range(80))
def test_no_checkpoint_holds_a_key_whatever_stands_beside_it_in_the_bytes(rest: int) -> None:
    key = "sk-proj-" + "a1B2" * 6 + "c" * rest  # its length stands before it, and may be a letter
    sent = Send("act", {"key": key, "keys": [f"AKIA{'A1' * 8}", 48]})
    for state in ({"a": key}, [sent], {"n": [f"AKIA{'A1' * 8}", 48]}):
        data = serializer("", Redactor()).dumps_typed(state)[1]
        assert b"a1B2" not in data and b"AKIA" not in data


def test_a_private_key_that_is_cut_off_is_blotted_out_too() -> None:
    assert "MIIE" not in Redactor().text("-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA1234\\nab")


def test_a_text_of_nothing_but_values_is_cut_before_them() -> None:
    zeros = "a" + "0" * 20_000
    assert Redactor(["00000000"]).place(zeros, 15_000) == 1
    assert Vault({"PIN": Secret("0000", "example.org")}).place(zeros, 15_000) == 1


async def test_no_prompt_holds_a_secret(kit: Any) -> None:
    inner = kit.session({"extract": [p.Extraction((), "read")]}).reasoner
    await RedactedReasoner(inner, redactor).extract(p.ExtractRequest(f"task {VALUE}", VALUE, ()))
    ((_, seen),) = inner.requests
    assert VALUE not in repr(seen) and seen.task.startswith("task [secret]")
    assert RedactedReasoner(inner, redactor).name == inner.name


async def test_what_an_action_says_or_fails_with_is_cleaned_before_it_is_kept(kit: Any) -> None:
    from dataclasses import replace

    kit.pages["Harbour"] = f"The key is {VALUE}."
    session = replace(kit.session({"extract": [p.Extraction((), "")]}), redactor=redactor)
    state = await kit.opened(session)
    update = await kit.update(act, kit.packet("0.1", "visit", state=state, source="Harbour"), session)
    missing = kit.packet("0.2", "visit", state=state, source=f"no {VALUE}")
    failed = await kit.update(act, missing, session, task_id="task-2")
    assert VALUE not in json.dumps([update, failed])
    assert "[secret]" in update["ideas"]["0.1"]["result"]


def test_the_log_is_cleaned(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("ddax.test-secrets")
    log.addFilter(RedactingFilter(redactor))
    try:
        raise ValueError(VALUE)
    except ValueError:
        log.exception("it failed with %s", VALUE)
    assert VALUE not in caplog.text and "[secret]" in caplog.text and "ValueError" in caplog.text


def test_every_log_of_ours_is_cleaned(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A filter of a logger does not see what the loggers under it say: there is one logger."""
    monkeypatch.setenv("SITE_PASSWORD", VALUE)
    monkeypatch.setattr(logging.getLogger("ddax"), "filters", [])
    keep_logs_clean()
    files = sorted(PACKAGE.rglob("*.py"))
    named = {name for file in files for name in re.findall(r"getLogger\((.+?)\)", file.read_text("utf-8"))}
    assert named == {'"ddax"', "library"}  # the other is that of a package whose words are held back
    for module in (chroma, owner, indexing):
        module.logger.warning("cannot read %s", VALUE)
    assert VALUE not in caplog.text and caplog.text.count("[secret]") == 3


def test_the_question_before_a_server_is_approved_is_cleaned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SITE_PASSWORD", "hunter22-of-the-site")
    (tmp_path / "ddax.yaml").write_text("actions: {mcp: ['harbour=serve --password hunter22-of-the-site']}")
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    assert run_command(["actions", "--approve", "harbour"]) == 2
    said = capsys.readouterr().err
    assert "serve --password [secret]" in said and "hunter22" not in said


@pytest.mark.timeout(60)
@pytest.mark.parametrize("follows", ["!", "\n", "-----END ", "-----END PRIVATE KEY", "-"])
def test_keys_that_begin_and_never_end_take_linear_time(follows: str) -> None:
    text = f"-----BEGIN PRIVATE KEY-----{follows}" * 40_000
    started = time.process_time()
    assert "-----BEGIN PRIVATE KEY-----" not in Redactor().text(text)
    assert time.process_time() - started < 1.5, "each beginning is searched up to its bound for an end"


def test_a_text_is_cleaned_the_second_time_as_it_was_the_first() -> None:
    redactor = Redactor([VALUE])
    clean = ["status", "read the page on the harbour", "x" * 2 * secrets.REMEMBERED]
    texts = [*clean, f"log in with {VALUE}", "://:abc@", f"{VALUE}{'y' * secrets.REMEMBERED}"]
    first = [redactor.text(text) for text in texts]
    assert first[:3] == clean
    assert all(VALUE not in text and ":abc@" not in text for text in first)
    for number in range(2 * secrets.KNOWN):
        redactor.text(f"idea number {number}")
    assert [redactor.text(text) for text in texts] == first


PIECES = (*SHAPES, VALUE, "sk-", "://", "bearer ", "token  ", "-----BEGIN RSA PRIVATE KEY-----", "api_key=",
          "a", "A1b2" * 5, "@", "/", " ", "\n", "password: ", "harbour")  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), max_size=5))
def test_texts_are_cleaned_together_as_each_of_them_is_alone(texts: list[str]) -> None:
    alone = [Redactor([VALUE])._blotted(text) if len(text) >= secrets.SHORTEST else text for text in texts]
    assert (
        Redactor([VALUE]).value({"texts": texts, "record": Document("d", "s", "t", "".join(texts[:1]))})[
            "texts"
        ]
        == alone
    )


def test_plain_data_without_a_secret_is_not_copied() -> None:
    row = {
        "texts": ["the harbour of Belmark", ("x" * 400,)],
        "record": Document("d", "page", "Harbour", "text"),
    }
    assert redactor.value(row) is row
    assert redactor.value({"at": MappingProxyType(row)}) == {"at": row}
    assert type(redactor.value(MappingProxyType(row))) is dict


LONG = "harbour-key-2291-abcdef"
CUTTER = Redactor([LONG])


@pytest.mark.parametrize(
    ("secret", "core"),
    [(LONG, "harb"), ("AKIAIOSFODNN7EXAMPLE", "IOSF"), ("password=ab12cd34ef", "ab12"),
     ("https://ada:sw0rdfish@db.example", "sw0r"), ("ghp_" + "a1" * 18, "a1a1"), (SHAPES[-3], "c3ViIjoi")],
)  # fmt: skip
def test_a_cut_leaves_no_part_of_a_secret(secret: str, core: str) -> None:
    text = f"It is {secret} and no other."
    for most in range(len(text) + 3):
        found = CUTTER.cut(text, most)
        assert core not in found and len(found) <= max(most, 0)
    assert CUTTER.cut("It is known.", 5) == "It is" and CUTTER.cut("It is known.", 50) == "It is known."


async def test_a_result_and_a_failure_are_not_cut_in_a_secret() -> None:
    nothing: Any = None
    context = ActionContext(nothing, nothing, "t", "How deep?", "0.1", 1, 0.0, "k", redactor=CUTTER)
    for shown in range(len(LONG) + 1):
        result = await result_of("x" * (SUMMARY - shown) + LONG + " is it", "leak", context)
        assert LONG[:4] not in CUTTER.text(result.summary)
        error = RuntimeError("x" * (RESULT_BYTES - 20 - shown) + LONG + "y" * (4000 - shown))
        row = failed(error, CUTTER.text)
        assert LONG[:4] not in row["text"] and LONG[-4:] not in row["trace_text"]


async def test_an_error_of_a_reasoner_holds_no_secret() -> None:
    class Broken:
        async def ask(self, request: p.AskRequest) -> p.AskReply:
            raise ReasonerError(f"no key {LONG} is known.", why=f"{LONG} was sent.")

    with pytest.raises(ReasonerError) as caught:
        await RedactedReasoner(Broken(), CUTTER).ask(p.AskRequest("t", "s", ()))
    assert LONG not in str(caught.value) and "was sent" in str(caught.value)


def test_what_a_server_says_of_an_error_is_not_cut_in_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARBOUR_API_KEY", LONG)
    for shown in range(len(LONG) + 1):
        error = RuntimeError("x" * (MAX_TOLD - shown) + LONG + " is no key")
        assert LONG[:4] not in classify(error, time.time).said
        assert LONG[:4] not in broke_off("own", "ask", error).why


async def test_no_error_is_cut_in_a_secret_of_the_env_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text(f"HARBOUR_API_KEY={LONG}\n", encoding="utf-8")
    for shown in range(len(LONG) + 1):
        error = RuntimeError("x" * (MAX_TOLD - shown) + LONG + " is no key")
        assert LONG[:4] not in classify(error, time.time).said
        assert LONG[:4] not in broke_off("own", "ask", error).why
        assert LONG[:4] not in await _cause(error)
