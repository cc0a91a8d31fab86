"""What pages and models wrote must not steer the terminal, and JSON must keep it whole."""

from __future__ import annotations

import codecs
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from ddax.cli.app import app
from ddax.cli.looking.analyze import _told
from ddax.cli.main import PLAIN, plainly
from ddax.cli.running.several_values import spread_sources
from ddax.cli.running.work import SourcesCommand
from ddax.cli.text import clean, clean_block, dump_json, shorten

ANY = st.text(st.characters(), max_size=60)


def test_escape_sequences_disappear_with_their_parameters():
    assert clean("\x1b[31mred\x1b[0m \x1b]0;title\x07x \x1b]8;;http://a\x1b\\link") == "red x link"
    assert clean("a\x9b2Jb\x1b(Bc\x07d") == "abcd"


def test_bidi_overrides_disappear_and_scripts_stay():
    assert clean("a\u202eb\u2066c\u200fd\ufeff") == "abcd"
    assert clean("中文 العربية ‌می‌خواهم 👩‍💻") == "中文 العربية ‌می‌خواهم 👩‍💻"


def test_one_line_and_a_block():
    assert clean("a\nb\t\tc\r\nd") == "a b c d"
    assert clean_block("a\r\nb\rc") == "a\nb\nc"
    assert shorten("abcdef", 4) == "abc…"


@given(ANY)
def test_nothing_unsafe_is_left(text: str):
    line = clean(text)
    assert "\n" not in line
    assert not [c for c in line if unicodedata.category(c) in {"Cc", "Cs"}]
    assert not [
        c for c in line if unicodedata.bidirectional(c) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI"}
    ]


@given(ANY, st.booleans())
def test_json_is_lossless_and_safe(text: str, ascii_only: bool):
    shown = dump_json({"a": text}, ascii_only=ascii_only)
    assert json.loads(shown) == {"a": text}
    assert not [c for c in shown if unicodedata.category(c) in {"Cc", "Cs"} and c != "\n"]
    assert not ascii_only or shown.isascii()


SWITCHES = ("--json", "--quiet", "-q", "--verbose", "-v", "--resume")


def spread(line: str) -> str:
    return " ".join(spread_sources(line.split(), SWITCHES))


def test_sources_takes_several_values():
    assert spread("TASK --sources a b c") == "TASK --sources a --sources b --sources c"
    assert spread("TASK --sources a b --json") == "TASK --sources a --sources b --json"
    assert spread("TASK -s a --seed 3 -s b") == "TASK --sources a --seed 3 --sources b"


def test_the_last_of_several_is_the_task_if_there_is_no_other():
    assert spread("--sources a b TASK") == "--sources a --sources b TASK"
    assert spread("--sources a TASK --json") == "--sources a TASK --json"
    assert spread("--sources a b -") == "--sources a --sources b -"
    assert spread("--sources a -- TASK") == "--sources a -- TASK"
    assert spread("--sources a b -- TASK") == "--sources a --sources b -- TASK"
    assert spread("--seed 3 --sources a b TASK") == "--seed 3 --sources a --sources b TASK"


def test_no_flag_without_a_value_swallows_the_task():
    """Of every command with `--sources`: each of its flags may stand right before the task."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    commands = {name: one for name, one in group.commands.items() if isinstance(one, SourcesCommand)}
    assert commands.keys() == {"run", "chat", "batch"}
    for name in ("run", "batch"):  # `chat` takes its tasks line by line
        command = commands[name]
        task = "tasks" if name == "batch" else "task"
        needed = ["--out", "o"] if name == "batch" else []
        options = [one for one in command.params if isinstance(one, TyperOption) and one.is_flag]
        flags = [flag for one in options for flag in (*one.opts, *one.secondary_opts)]
        assert set(flags) >= {"--json", "--verbose", "-v"}
        for flag in flags:
            found = command.make_context(name, [flag, "TASK", *needed, "--sources", "a", "b"])
            assert (str(found.params[task]), found.params["sources"]) == ("TASK", ["a", "b"]), flag


def test_letters_of_flags_may_stand_together() -> None:
    assert spread("-qv TASK --sources a b") == "-qv TASK --sources a --sources b"
    assert spread("-qm embedded --sources a TASK") == "-qm embedded --sources a TASK"
    assert spread("-membedded --sources a TASK") == "-membedded --sources a TASK"


def test_other_arguments_stay_as_they_are():
    for line in (
        "TASK",
        "--json TASK --seed 3",
        "--sources",
        "TASK --sources",
        "TASK --sources=a",
        "--resume x",
    ):
        assert spread(line) == line


@pytest.mark.parametrize("encoding", ["ascii", "cp437", "cp850", "cp1252"])
def test_a_code_page_without_our_signs_gets_their_likeness(encoding: str) -> None:
    codecs.register_error(PLAIN, plainly)
    shown = "act → merge  ρ 0.25 “quoted” … \u6f22".encode(encoding, errors=PLAIN).decode(encoding)
    assert "act -> merge" in shown and shown.endswith("?") and shown.count("?") == 1
    assert "rho 0.25" in shown and "quoted" in shown


def test_a_table_of_steps_fits_a_narrow_terminal() -> None:
    row = {"step": 4, "next": "act", "idea": "0.2.1", "action": "visit", "mood": "REST", "actual": "a page"}
    row |= {"value": 0.8, "epsilon": 0.3, "rho": 0.1}
    assert _told(row, 40) == [
        "   4  act 0.2.1 visit", "      value 0.80 ε 0.30 ρ 0.10 REST", "      a page",
    ]  # fmt: skip
    assert len(_told(row, 80)) == 1
