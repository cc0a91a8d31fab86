"""`ddax models check` against a real HTTP server that speaks the wire format."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from ddax.cli.main import run_command
from tests.cases import cases

REPLY = {
    "id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4.1-mini",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ready"}}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
}  # fmt: skip


@pytest.fixture
def server(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> HTTPServer:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DDAX_HOME", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    return httpserver


def check(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = run_command(["models", "check", *argv])
    return code, *capsys.readouterr()


def test_one_call_and_its_price(server, capsys):
    server.expect_request("/v1/chat/completions", method="POST").respond_with_json(REPLY)
    code, out, err = check(capsys, "--model", "openai:gpt-4.1-mini", "--json")
    shown = json.loads(out)
    assert (code, shown["ok"], shown["key"], shown["reply"]) == (0, True, "OPENAI_API_KEY", "ready")
    assert shown["tokens"] == 15
    assert shown["usd"] == pytest.approx(10 * 0.4e-6 + 5 * 1.6e-6)
    assert len(server.log) == 1
    code, out, err = check(capsys, "--model", "openai:gpt-4.1-mini")
    assert "Price a million tokens: $0.4 in, $1.6 out." in out
    assert "secret" not in out + err


def test_a_model_without_a_price_says_so(server, capsys):
    server.expect_request("/v1/chat/completions").respond_with_json(REPLY)
    code, out, _ = check(capsys, "--model", "openai:unheard-of")
    assert code == 0
    assert "cost unknown" in out
    assert "No price is known" in out


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_refusal_ends_with_9(server, capsys, status):
    server.expect_request("/v1/chat/completions").respond_with_json(
        {"error": {"message": "no"}}, status=status
    )
    code, _, err = check(capsys, "--model", "openai:gpt-4.1-mini")
    assert code == 9
    assert "mend: " in err
    assert "secret" not in err


def test_a_server_that_does_not_listen_is_told_with_its_address(server, capsys, monkeypatch):
    with socket.socket() as taken:  # bound and not listening: whoever calls is refused
        taken.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://{place}/v1")
        code, _, err = check(capsys, "--model", "openai:gpt-4.1-mini")
    assert (code, "failed: no connection." in err, place in err) == (9, True, True), err


def test_a_reply_without_a_choice_is_told_as_what_was_sent(server, capsys):
    server.expect_request("/v1/chat/completions").respond_with_json(REPLY | {"choices": []})
    code, _, err = check(capsys, "--model", "openai:gpt-4.1-mini")
    assert (code, "failed: an empty reply." in err) == (9, True), err
    assert "The server sent a completion without a reply in it" in err


@cases("content", "ended", "what", "why")
def test_a_reply_that_says_nothing_or_is_cut_is_no_answer(server, capsys, content, ended, what, why):
    choice = {"index": 0, "finish_reason": ended, "message": {"role": "assistant", "content": content}}
    server.expect_request("/v1/chat/completions").respond_with_json(REPLY | {"choices": [choice]})
    code, out, err = check(capsys, "--model", "openai:gpt-4.1-mini")
    assert (code, out, f"failed: {what}." in err, why in err) == (9, "", True, True), err


@pytest.mark.parametrize(
    ("key", "held"), [("k\u00e9y", "'\u00e9'"), ("k\ney", "a line break"), ("k\t", "'\\t'")]
)
def test_a_key_that_cannot_be_sent_names_its_variable(server, capsys, monkeypatch, key, held):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    code, _, err = check(capsys, "--model", "openai:gpt-4.1-mini")
    assert (code, f"The environment variable OPENAI_API_KEY holds {held}." in err) == (9, True), err
    assert server.log == []


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
@pytest.mark.parametrize(
    "address", ["nonsense", "http://", "localhost:1234/v1", "http://x:port/v1", "ftp://x"]
)
def test_an_address_that_is_none_names_its_variable(server, capsys, monkeypatch, variable, address):
    monkeypatch.setenv(variable, address)
    code, _, err = check(capsys, "--model", "openai:gpt-4.1-mini")
    assert (code, f"The environment variable {variable} is '{address}'" in err) == (9, True), err


def test_no_answer_in_time_is_told_as_that(server, capsys, monkeypatch):
    def late(request):
        time.sleep(0.5)
        return Response()

    server.expect_request("/v1/chat/completions").respond_with_handler(late)
    monkeypatch.setattr("ddax.cli.maintaining.setup.CHECK_SECONDS", 0.2)
    code, _, err = check(capsys, "--model", "openai:gpt-4.1-mini")
    assert (code, "failed: no reply in time." in err) == (9, True), err
    assert "ancel" not in err and "deadline" not in err
    while not server.log:  # an answer that is still on its way would be counted with the next test
        time.sleep(0.02)


def test_a_missing_key_makes_no_call(server, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    code, _, err = check(capsys, "--model", "openai:gpt-4.1-mini")
    assert code == 9
    assert "OPENAI_API_KEY" in err
    assert server.log == []


def test_embedded_needs_nothing(server, capsys):
    code, out, _ = check(capsys, "--json")
    assert (code, json.loads(out)["model"]) == (0, "embedded")
    assert server.log == []
    assert check(capsys, "--model", "nonsense")[0] == 2
