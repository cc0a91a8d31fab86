"""Battery K: twelve canaries go into a real run by every way there is, and are in no byte that it leaves.

The run is the real command with a language model over HTTP on loopback. The canaries stand in the
environment, in `.env` and in documents; they come back in results and errors of actions, in what the model
says, in the task, and in what a human answers.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ddax.reasoning import rote
from ddax.reasoning.testing import FakeOpenAI, Say
from tests.integration.command_line import Done, Place

ENVIRON = {
    "OPENAI_API_KEY": "sk-proj-K1canaryK1canaryK1canaryK1",
    "SERVICE_PASSWORD": "correcthorsebatterycanary",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYCANARYKEY3",
    "PGPASSWORD": "Tr0ub4dor&3-canary",
}
DOTENV = {
    "GIT_TOKEN": "canary.5:9f86d081884c7d65",
    "PAY_SECRET": 'canary"six\\with quotes',
    "SMTP_PASSWORD": "kanarienvögel-sieben-ß",
}
SHAPES = {
    "key": "ghp_C8naryC8naryC8naryC8naryC8naryC8nary",
    "token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnk5In0.c2lnbmF0dXJlLWNhbmFyeTk",
    "cloud": "AKIAC10ANARYC10ANARY",
    "address": "ada:canary-eleven@db.example",
    "private": "-----BEGIN PRIVATE KEY-----\nMIICanary12Canary12Canary12\n-----END PRIVATE KEY-----",
}
CANARIES = {**ENVIRON, **DOTENV, **SHAPES}
CORES = {**CANARIES, "address": "canary-eleven", "private": "MIICanary12Canary12Canary12"}
"""What must be found nowhere: of an address the password, of a private key its body."""
ALL = "\n".join(
    f"The {name} of the harbour of Belmark is <{value}>." for name, value in CANARIES.items()
).replace("<ada:canary", "<postgres://ada:canary")
ACTIONS = '''
"""Actions that let secrets slip."""

from pathlib import Path

from ddax.actions.registry import action
from ddax.errors import ActionError

LEAK = Path("leak.txt")


@action(effect="reads", inside=True)
def leak(what: str) -> str:
    """Read the accounts of the harbour."""
    return LEAK.read_text("utf-8")


@action(effect="reads", inside=True)
def fail(what: str) -> str:
    """Fail to read the accounts of the harbour."""
    raise ActionError("It failed with " + LEAK.read_text("utf-8"), why=LEAK.read_text("utf-8"))


@action(effect="reads", inside=True)
def crash(what: str) -> str:
    """Break while reading the accounts of the harbour."""
    raise RuntimeError(LEAK.read_text("utf-8"))


@action(effect="writes")
def send(to: str, body: str) -> str:
    """Send a message about the harbour."""
    return f"sent to {to}: {body}"
'''


def said(body: Mapping[str, Any]) -> Any:
    """Return the reply of a model that says every canary wherever it may."""
    reply = rote.reply(body)
    if (
        rote.request_of(body) == "expand"
        and reply["children"]
        and reply["children"][0]["action"]["name"] == "search"
    ):
        reply["children"] = reply["children"][:1]
        for name, arguments in (
            ("leak", {"what": ALL[:200]}), ("fail", {"what": "accounts"}), ("crash", {"what": "accounts"}),
            ("send", {"to": "ada", "body": ALL}),
        ):  # fmt: skip
            call = {
                "name": name, "intent": ALL[:300],
                "args": [{"name": k, "value": v} for k, v in arguments.items()],
            }  # fmt: skip
            reply["children"].append(
                {"title": f"{name} {CANARIES['PGPASSWORD']}", "expected": ALL[:300], "prior": 0.5,
                 "action": call, "needs": []}
            )  # fmt: skip
    if rote.request_of(body) == "reflect":
        reply["text"] = f"Use {CANARIES['SERVICE_PASSWORD']} and {CANARIES['key']} next time."
    return Say(reply)


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(answer=said) as running:
        yield running


def leaked(data: bytes) -> list[str]:
    """Return the names of the canaries in some bytes: plain, in JSON, in a URL, in hexadecimal or base64."""
    found = []
    for name, value in CORES.items():
        raw = value.encode()
        forms = {
            value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1],
            quote(value, safe=""), raw.hex(), base64.b64encode(raw).decode()[:-4],
        }  # fmt: skip
        if any(form.encode() in data for form in forms):
            found.append(name)
    return found


def files(*folders: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_search_finds_a_canary_in_every_form() -> None:
    assert len(CANARIES) == 12
    for name, value in CORES.items():
        for form in (value, json.dumps(value), quote(value, safe=""), value.encode().hex()):
            assert leaked(f"x{form}x".encode()) == [name]


@pytest.mark.long
def test_twelve_canaries_are_in_no_byte_that_is_written(tmp_path: Path, server: FakeOpenAI) -> None:
    place, home, out = Place(tmp_path / "place"), tmp_path / "home", tmp_path / "out"
    out.mkdir()
    lines = ("export " + f"{name}='{value}'" for name, value in DOTENV.items())
    (place.root / ".env").write_text("\n".join(lines), "utf-8")
    (place.root / "leak.txt").write_text(ALL, "utf-8")
    (place.root / "mine.py").write_text(ACTIONS, "utf-8")
    (place.root / "ddax.yaml").write_text(
        "model: openai:gpt-4.1-mini\nhuman: true\nactions: {files: [mine.py], ask: [send]}\n"
        "selection: {lookahead: 0}\ndebate: {ask: always}\n"
    )
    (place.docs / "harbour.md").write_text(f"# The harbour of Belmark\n\n{ALL}\n", "utf-8")
    env = {**ENVIRON, "OPENAI_BASE_URL": server.base_url, "OPENAI_API_BASE": server.base_url}
    done: list[Done] = []

    def call(*args: str) -> Done:
        done.append(place.call(home, *args, env=env))
        return done[-1]

    task = f"Tell Ada about the harbour of Belmark; log in with {CANARIES['SERVICE_PASSWORD']}."
    call(
        "run",
        task,
        "--sources",
        "docs",
        "--thread",
        "t",
        "--record",
        str(out / "record.jsonl"),
        "--json",
        "-v",
    )
    answered = 0
    while done[-1].code == 8 and answered < 9:
        send = "send" in json.dumps(done[-1].object.get("interrupt", done[-1].object))
        edited = (
            ("edit", "--arguments", json.dumps({"to": "ada", "body": ALL}))
            if send and not answered
            else ("approve",)
        )
        call("answer", "t", *edited, "--lesson", f"Never say {CANARIES['GIT_TOKEN']}.", "--json", "-v")
        answered += 1
    assert answered, done[0]
    assert done[-1].code == 0, done[-1]
    kept = b"".join(files(home).values())
    for name in ("leak", "fail", "crash", "send"):
        assert re.search(name.encode() + rb" \[secret\]", kept), f"{name} was planned and kept"
    assert b"sent to ada" in kept
    call("show", "t", "--json")
    call("memory", "search", "accounts of the harbour", "--json")
    for command in (
        ("traces", "export", "-o", "traces.jsonl"), ("memory", "export", "memory.jsonl"),
        ("export", "t", "t.html"), ("export", "t", "t.json"),
    ):  # fmt: skip
        assert call(*command[:-1], str(out / command[-1])).code == 0, done[-1]
    call("run", f"fail {CANARIES['PGPASSWORD']}", "--sources", f"no-{CANARIES['key']}", "-v")
    written = files(home, out, place.user, place.scratch)
    spoken = {f"output {k}": f"{one.out}{one.err}".encode() for k, one in enumerate(done)}
    asked = {
        f"request {k}": json.dumps(body, ensure_ascii=False).encode()
        for k, body in enumerate(server.requests)
    }
    assert len(written) > 10 and len(asked) > 5
    hits = {name: found for name, data in {**written, **spoken, **asked}.items() if (found := leaked(data))}
    assert hits == {}
