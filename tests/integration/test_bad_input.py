"""Bad input through the real command line: one clear error or a correct answer, and the documented exit code.

Every call is a process of its own, started anew or forked from one that has loaded ddax. Each error is read
from `--json`, so that it is also shown that stdout holds exactly one object; what people see comes from the
same words.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from tests.integration.command_line import QUESTION, Done, Loaded, Place, ended, manifest, until

pytestmark = pytest.mark.integration
MB = 1_000_000
THREAD = ("--thread", "t", "--seed", "7")


@pytest.fixture
def place(tmp_path: Path, loaded: Loaded) -> Place:
    return Place(tmp_path, loaded)


def refused(place: Place, cases: dict[str, tuple[tuple[str | bytes, ...], tuple[str, ...]]]) -> None:
    """Hold calls to exit 2, one JSON object, the expected words, silence on stderr and no thread left."""
    calls = {
        name: partial(place.call, place.root / f"home-{name}", *argv, "--json")
        for name, (argv, _) in cases.items()
    }
    for name, done in place.calls(calls).items():
        assert done.code == 2, (name, done)
        assert done.object["exit_code"] == 2
        for word in cases[name][1]:
            assert word in done.words, (name, word, done.words)
        assert done.err == "", (name, done.err)
        assert not list((place.root / f"home-{name}").glob("runs/*")), f"{name} left a thread behind"


def asks(*argv: str | bytes, task: str | bytes = QUESTION) -> tuple[str | bytes, ...]:
    return ("run", task, *argv)


def test_sources_that_cannot_be_read_are_named(place: Place) -> None:
    (place.root / "empty").mkdir()
    (place.root / "image.dat").write_bytes(bytes(range(256)) * 20)
    with (place.root / "large.txt").open("wb") as file:
        file.truncate(200 * MB)
    refused(
        place,
        {
            "missing": (asks("--sources", "nowhere"), ("'nowhere'", "no such file")),
            "empty": (asks("--sources", "empty"), ("'empty'", "nothing to read")),
            "binary": (asks("--sources", "image.dat"), ("'image.dat'", "binary")),
            "large": (asks("--sources", "large.txt"), ("'large.txt'", "too large", "200,000,000")),
            "bytes": (asks("--sources", b"do\xffcs"), ("sources", "UTF-8")),
            "none": (asks(), ("nothing to read", "--sources")),
        },
    )


def test_settings_that_are_wrong_are_named_with_their_place(place: Place) -> None:
    (place.root / "broken.yaml").write_text("budget:\n  max_steps: 10\n  bad: [1, 2\nseed: 3\n")
    (place.root / "unknown.yaml").write_text("sources: [docs]\nbudget:\n  max_step: 10\n")
    (place.root / "type.yaml").write_text("sources: [docs]\nbudget:\n  max_steps: many\n")
    (place.root / "bytes.yaml").write_bytes(b"\xff\xfe\x00bad")
    (place.root / "rubric.yaml").write_text("sources: [docs]\ntrust:\n  rubric: nobody\n")
    (place.root / "listed.yaml").write_text("sources: [docs]\ntrust:\n  rubric: rows.yaml\n")
    (place.root / "rows.yaml").write_text("criteria: [one]\n")
    refused(
        place,
        {
            "broken": (asks("--config", "broken.yaml"), ("broken.yaml:4:5", "not valid YAML")),
            "unknown": (asks("--config", "unknown.yaml"), ("unknown.yaml:3", "'budget.max_steps'")),
            "type": (asks("--config", "type.yaml"), ("type.yaml:3", "budget.max_steps", "'many'")),
            "bytes": (asks("--config", "bytes.yaml"), ("bytes.yaml", "UTF-8")),
            "absent": (asks("--config", "absent.yaml"), ("absent.yaml", "cannot be read")),
            "rubric": (asks("--config", "rubric.yaml"), ("no rubric 'nobody'", "default")),
            "listed": (asks("--config", "listed.yaml"), ("rows.yaml:1", "`criteria`")),
            "identity": (asks("--sources", "docs", "--identity", "cautios"), ("'cautios'", "'cautious'")),
            "provider": (asks("--sources", "docs", "--model", "foo:bar"), ("'foo'", "openai")),
            "negative": (asks("--sources", "docs", "--max-steps", "-1"), ("budget.max_steps", "-1")),
            "number": (asks("--sources", "docs", "--max-usd", "nan"), ("budget.max_usd", "nan")),
        },
    )


def test_words_that_no_command_understands_are_named(place: Place) -> None:
    docs = ("--sources", "docs")
    refused(
        place,
        {
            "parent": (asks(*docs, "--thread", "../x"), ("'../x'", "cannot be used")),
            "long": (asks(*docs, "--thread", "x" * 300), ("cannot be used", "128")),
            "bytes": (asks(*docs, "--thread", b"a\xff"), ("cannot be used",)),
            "show": (("show", "../../etc"), ("cannot be used",)),
            "resume": (("resume", "..."), ("cannot be used",)),
            "unknown": (("resume", "nobody"), ("'nobody'", "ddax runs")),
            "flagged": (("run", "--resume", "nobody"), ("'nobody'", "ddax runs")),
            "newest": (("resume",), ("no unfinished thread",)),
            "blank": (asks(*docs, task="  \n"), ("task is empty",)),
            "utf8": (asks(*docs, task=b"what \xff?"), ("not valid UTF-8",)),
            "flag": (asks("--sorces", "docs"), ("--sorces", "--sources")),
            "command": (("frobnicate",), ("'frobnicate'",)),
        },
    )


def test_a_thread_with_a_nul_is_refused_though_no_shell_can_pass_one(place: Place) -> None:
    (place.root / "call.py").write_text(
        "from ddax.cli.main import run_command\n"
        "raise SystemExit(run_command(['resume', 'a\\0b', '--json']))\n"
    )
    call = [sys.executable, "call.py"]
    done = subprocess.run(
        call, cwd=place.root, env=place.env(place.root / "home"), capture_output=True, timeout=60
    )
    assert done.returncode == 2
    assert "cannot be used" in Done(2, done.stdout.decode(), "").words


def test_a_source_that_was_wrong_can_be_mended_under_the_same_thread(place: Place) -> None:
    home = place.root / "home"
    assert place.call(home, *asks("--sources", "dcos", *THREAD)).code == 2
    done = place.call(home, *asks("--sources", "docs", *THREAD, "--json"))
    assert done.code == 0, done
    assert "Trondby" in done.object["answer"]


def test_what_a_folder_holds_besides_text_does_not_disturb(place: Place) -> None:
    (place.docs / "image.dat").write_bytes(bytes(range(256)) * 20)
    (place.docs / "trap.txt").write_bytes(bytes(range(256)) * 20)
    with (place.docs / "large.txt").open("wb") as file:
        file.truncate(200 * MB)
    named = os.fsencode(place.docs) + b"/caf\xe9.md"
    Path(os.fsdecode(named)).write_text("The cafe by the Corvane Tower is open on Mondays.\n")
    begun = time.monotonic()
    done = place.call(place.root / "home", *asks("--sources", "docs", "--json"))
    assert done.code == 0, done
    result = done.object
    assert "Trondby" in result["answer"]
    assert time.monotonic() - begun < 60
    assert {"docs/tower.md", "docs/ilse.md"} <= {citation["source"] for citation in result["citations"]}


@pytest.mark.long
def test_a_long_task_ends_soon_and_stays_small(place: Place) -> None:
    filler = " ".join(f"note {n} says nothing that matters here." for n in range(3000))
    long = f"{QUESTION} {filler}"[:100_000]
    homes = {"words": place.root / "words", "letters": place.root / "letters"}
    calls: dict[str, Callable[[], Done]] = {
        "words": partial(
            place.call, homes["words"], *asks("--sources", "docs", "--json", task="-"), stdin=long.encode()
        ),
        "letters": partial(
            place.call, homes["letters"], *asks("--sources", "docs", "--json", task="x" * 100_000)
        ),
    }
    for name, done in place.calls(calls).items():
        result = done.object
        assert result["usage"]["seconds"] < 60
        honest = (done.code, result["status"], result["citations"]) == (1, "not_found", [])
        assert honest or (done.code == 0 and "Trondby" in result["answer"]), (name, done)
        with sqlite3.connect(homes[name] / "checkpoints.sqlite") as db:
            sizes = [
                row[0]
                for row in db.execute("SELECT length(checkpoint) FROM checkpoints ORDER BY checkpoint_id")
            ]
        assert max(sizes[2:]) < 20_000, "only what the caller gave is kept whole, and once"
        listed = place.call(homes[name], "runs", "--json")
        assert len(listed.out) < 2000


def test_tasks_in_other_scripts_are_answered_with_a_quote_or_refused(place: Place) -> None:
    zh = "# 科尔文塔\n\n科尔文塔是贝尔马克的一座瞭望塔。它由伊尔莎·马兰于1931年设计。\n"
    ar = "# برج كورفان\n\nبرج كورفان هو برج مراقبة في بلمارك. صممته إلسا ماران عام 1931.\n"
    texts = {"zh": ("谁设计了科尔文塔?", zh, "马兰"), "ar": ("من صمم برج كورفان؟", ar, "ماران")}
    calls: dict[str, Callable[[], Done]] = {}
    for name, (task, text, _) in texts.items():
        (place.root / name).mkdir()
        (place.root / name / "page.md").write_text(text, encoding="utf-8")
        calls[name] = partial(
            place.call, place.root / f"home-{name}", *asks("--sources", name, "--json", task=task)
        )
    for name, done in place.calls(calls).items():
        result = done.object
        if done.code == 0:
            assert texts[name][2] in result["answer"]
            assert result["citations"]
            assert all(citation["quote"] in texts[name][1] for citation in result["citations"])
        else:
            assert (done.code, result["status"], result["citations"]) == (1, "not_found", []), done


def test_control_characters_and_markup_in_a_task_never_reach_the_terminal(place: Place) -> None:
    task = (
        QUESTION.replace("architect", "\x1b[31m[bold]architect[/bold]\x07\x1b]0;owned\x07") + "\u202e\x1b[2J"
    )
    done = place.call(place.root / "home", *asks("--sources", "docs", "--thread", "t", task=task))
    assert done.code in (0, 1), done
    assert ("Trondby" if done.code == 0 else "Not found in the sources") in done.out
    shown = place.call(place.root / "home", "show", "t")
    listed = place.call(place.root / "home", "runs")
    for text in (done.out, done.err, shown.out, listed.out):
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "[bold]" in listed.out


def test_an_unfinished_thread_is_not_run_over_and_its_owner_is_named(place: Place) -> None:
    home = place.root / "home"
    first = place.start(home, *asks("--sources", "docs", *THREAD))
    seen = until(first, "[1] select")
    first.send_signal(signal.SIGSTOP)  # holds its locks while the others try
    others: dict[str, Callable[[], Done]] = {
        "thread": partial(place.call, home, *asks("--sources", "docs", "--thread", "t", "--json")),
        "resume": partial(place.call, home, "resume", "t", "--json"),
        "home": partial(place.call, home, *asks("--sources", "docs", "--thread", "other", "--json")),
    }
    told = place.calls(others)
    first.send_signal(signal.SIGCONT)
    done = ended(first)
    for name, other in told.items():
        assert other.code == 5, (name, other)
        assert f"pid {first.pid}" in other.words, (name, other.words)
        assert ("The memory" if name == "home" else "Thread 't'") in other.words
    assert done.code == 0, (seen, done)
    assert "Trondby" in done.out
    assert not (home / "runs" / "other").exists(), "a thread that never began is not listed"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, loaded: Loaded) -> Path:
    """Return the home of one undisturbed run; tests take copies of it."""
    place = Place(tmp_path_factory.mktemp("undisturbed"), loaded)
    assert place.call(place.root / "home", *asks("--sources", "docs", *THREAD)).code == 0
    return place.root / "home"


@pytest.mark.long
def test_an_interrupt_names_the_way_back_and_nothing_is_lost(place: Place, finished: Path) -> None:
    kinds = {
        "once": (signal.SIGINT,),
        "twice": (signal.SIGINT, signal.SIGINT),
        "many times": (signal.SIGINT,) * 40,
        "ended": (signal.SIGTERM,),
    }

    def interrupted(name: str) -> tuple[Done, Done]:
        home = place.root / name
        process = place.start(home, *asks("--sources", "docs", *THREAD))
        until(process, "[2] select")
        for number in kinds[name]:
            process.send_signal(number)
            time.sleep(0.03)
        return ended(process), place.call(home, "resume", "t", "--json")

    with ThreadPoolExecutor(2) as pool:
        told = dict(zip(kinds, pool.map(interrupted, kinds), strict=True))
    for name, (done, resumed) in told.items():
        assert done.code == 130, (name, done)
        assert f"DDAX_HOME={shlex.quote(str(place.root / name))} ddax resume t" in done.err
        assert "Traceback" not in done.err
        assert resumed.code == 0, (name, resumed)
        assert manifest(place.root / name, "t")["digest"] == manifest(finished, "t")["digest"], name


@pytest.mark.long
def test_a_kill_before_the_first_or_after_the_last_checkpoint_loses_nothing(
    place: Place, finished: Path
) -> None:
    row = manifest(finished, "t")
    task = f"{QUESTION} {' ' * 600}(the end of a long task)"
    left = {
        "closed": {**row, "status": "running", "digest": ""},
        "follow": {**row, "status": "running", "task": task, "before": row["checkpoint_id"]},
        "begin": {**row, "status": "running", "checkpoint_id": "", "digest": ""},
        "between": {**row, "status": "running"},
        "open": {**row, "status": "running"},
    }
    calls: dict[str, Callable[[], Done]] = {}
    for name, values in left.items():
        home = Path(shutil.copytree(finished, place.root / name))
        (home / "runs" / "t" / "run.json").write_text(json.dumps(values))
        if name == "between":  # the writes of the last node are there, the checkpoint after them is not
            with sqlite3.connect(home / "checkpoints.sqlite") as db:
                newest = db.execute("SELECT max(checkpoint_id) FROM checkpoints").fetchone()
                db.execute("DELETE FROM checkpoints WHERE checkpoint_id = ?", newest)
        if name == "begin":  # it had neither a checkpoint nor learned anything
            (home / "checkpoints.sqlite").unlink()
            for learned in ("memory", "agents"):
                shutil.rmtree(home / learned)
        resumes = asks("--thread", "t", "--json") if name == "open" else ("resume", "t", "--json")
        calls[name] = partial(place.call, home, *resumes)
    told = place.calls(calls)
    assert told["closed"].code == 0, told["closed"]
    assert told["closed"].object["answer"]
    assert manifest(place.root / "closed", "t")["status"] == "done"
    assert manifest(place.root / "closed", "t")["digest"] == row["digest"]
    assert told["between"].code == 0, told["between"]
    for name in ("begin", "between"):
        assert manifest(place.root / name, "t")["digest"] == row["digest"], name
    with sqlite3.connect(place.root / "follow" / "memory" / "record.sqlite") as db:
        kept = [text for (text,) in db.execute("SELECT row FROM log") if "end of a long task" in text]
    assert kept, "the follow-up began with its whole task"
    assert told["open"].code == 2, told["open"]
    assert "ddax resume t" in told["open"].words


GUARD = """
import os, socket, sys
def watch(event, args):
    if event in ("socket.connect", "socket.bind") and isinstance(args[1], str) and "/ddax-" in args[1]:
        return  # a socket of this machine alone, by which processes share a memory
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"):
        with open(os.environ["SEEN"], "a") as file:
            file.write(f"{event} {args[1:]}\\n")
    if event == "socket.__new__":
        with open(os.environ["SEEN"] + ".new", "a") as file:
            file.write(f"{args[1:]}\\n")
sys.addaudithook(watch)
"""


def test_nothing_leaves_the_home_and_no_secret_is_kept(place: Place) -> None:
    guard, home, canary = place.root / "guard", place.root / "home", "sk-canary-5f0c2b7a91"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(GUARD)
    seen, made, calls = place.root / "seen", place.root / "seen.new", place.root / "system-calls"
    env = place.env(home, {"PYTHONPATH": str(guard), "SEEN": str(seen), "OPENAI_API_KEY": canary})
    strace = shutil.which("strace")  # sees the sockets of native code too; the hook sees Python's alone
    options = ["-f", "--seccomp-bpf", "-e", "trace=connect,bind,sendmsg", "-o", str(calls)]
    prefix = [strace, *options] if strace else []
    before = set(place.root.rglob("*"))
    process = place.start(home, "demo", before=prefix, env=env)
    done = ended(process)
    assert done.code == 0, done
    assert canary not in done.out + done.err
    after = {path for path in place.root.rglob("*") if home not in path.parents}
    assert after - before <= {home, seen, made, calls}, after - before
    contacts = [*lines(seen), *(line for line in lines(calls) if "AF_INET" in line)]
    outside = [
        line for line in contacts if not any(name in line for name in ("127.0.0.1", "localhost", "::1"))
    ]
    assert not outside
    held = [path for path in home.rglob("*") if path.is_file() and canary.encode() in path.read_bytes()]
    assert not held, held
    for file in (seen, made):
        file.unlink(missing_ok=True)
    command = [sys.executable, "-c", "import ddax"]
    imported = subprocess.run(command, cwd=place.root, env=env, capture_output=True, timeout=60, check=False)
    assert imported.returncode == 0, imported.stderr
    assert lines(made) == lines(seen) == [], "import ddax made a socket"


def lines(file: Path) -> list[str]:
    return file.read_text(errors="replace").splitlines() if file.exists() else []
