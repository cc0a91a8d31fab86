"""What is written of a run: one page that nothing can be smuggled into, Markdown, tables and pictures."""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import importlib.util
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.cli.looking.analyze import _pictures, _table
from ddax.cli.main import run_command
from ddax.memory.home import Home
from ddax.metacognition.controller import Controller
from ddax.viewer import export, layout, picture
from ddax.viewer.analysis import COLUMNS, Trajectory, as_csv, compared, profiles, trajectory
from ddax.viewer.details import Logs, detail
from ddax.viewer.kept import kept, merged
from ddax.viewer.markdown import markdown, plain
from ddax.viewer.reading import Reader

STATIC = export.STATIC
SINKS = (
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc",
    "DOMParser", "createContextualFragment", "setTimeout(\"", "http:", "https:", "import(",
)  # fmt: skip


async def run_of(kit: Any, home: Path, thread: str = "t", **settings: Any) -> dict[str, Any]:
    async with kit.agent(home, kit.script(), **settings) as agent:
        await agent.run(kit.question, thread=thread)
    async with Reader(Home(home), {}) as reader:
        return await kept(reader, thread)


def test_the_page_reads_no_text_as_markup_and_knows_no_other_place() -> None:
    modules = {path.stem for path in STATIC.glob("*.js")}
    assert modules == set(export.MODULES)
    for path in STATIC.iterdir():
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".js":
            text = text.replace("http://www.w3.org/2000/svg", "")  # a name, not an address
        for sink in SINKS:
            assert sink not in text, (path.name, sink)
        assert "url(" not in text and "@import" not in text, path.name
        assert "style=" not in text and "onclick" not in text, path.name


def test_the_modules_are_one_script_without_clashing_names() -> None:
    known: dict[str, str] = {}
    for place, name in enumerate(export.MODULES):
        text = (STATIC / f"{name}.js").read_text(encoding="utf-8")
        for other in re.findall(r'from "\./(\w+)\.js"', text):
            assert other in export.MODULES[:place], f"{name} imports {other}, which comes after it"
        pattern = r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)"
        for found in re.findall(pattern, text, re.MULTILINE):
            assert known.setdefault(found, name) == name, f"{found} in {name} and {known[found]}"
        for names in re.findall(r"^(?:const|let) ([^;{]*?;)", text, re.MULTILINE):
            for found in re.findall(r"(?:^|, )(\w+) = ", names):
                assert known.setdefault(found, name) == name, f"{found} in {name} and {known[found]}"
    script = export.bundle()
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    assert "</script" not in script.lower()


async def test_the_file_allows_its_own_script_and_nothing_else(kit: Any, tmp_path: Path) -> None:
    run = await run_of(kit, tmp_path)
    run["standing"]["run"]["task"] = "</title><script>alert(1)</script>"
    page = export.page(run)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None and "unsafe" not in policy.group(1)
    assert policy.group(1).startswith("default-src 'none'; ") and "connect-src" not in policy.group(1)
    for tag, rule in (('<script type="module">', "script-src"), ("<style>", "style-src")):
        text = (
            page.split(tag)[1].split("</")[0]
            if tag == "<style>"
            else page.split(tag)[1].split("</script>")[0]
        )
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy.group(1)
    assert page.count("<script") == 2 and "alert(1)</script>" not in page
    data = page.split('id="kept">')[1].split("</script>")[0]
    assert json.loads(gzip.decompress(base64.b64decode(data))) == json.loads(json.dumps(run))
    assert export.page(run) == page, "the same run gives the same file"


async def test_a_gathered_run_holds_what_is_known(kit: Any, tmp_path: Path) -> None:
    run = await run_of(kit, tmp_path)
    assert set(run["details"]) == {idea["id"] for idea in run["standing"]["ideas"]}
    folded: dict[str, Any] = {}
    for one in run["moments"]:
        folded |= {key: {**folded.get(key, {}), **patch} for key, patch in one["patch"].items()}
    assert list(folded.values()) == run["standing"]["ideas"]
    async with Reader(Home(tmp_path), {}) as reader:
        few = merged(await reader.moments("t"), 5)
    assert len(few) <= 6 and few[-1]["id"] == run["moments"][-1]["id"]
    again: dict[str, Any] = {}
    for one in few:
        again |= {key: {**again.get(key, {}), **patch} for key, patch in one["patch"].items()}
    assert again == folded


async def test_an_idea_says_what_it_told_the_mind_and_why_it_acted_so(kit: Any, tmp_path: Path) -> None:
    run = await run_of(kit, tmp_path)
    controller = Controller(engine="numpy")
    mood, action, terms = controller.observe({}, "HIGH_SURPRISE")
    row = {
        "step": 2, "idea": "0.1", "observation": "HIGH_SURPRISE", "belief": mood["belief"], "action": action,
        "efe": mood["efe"], "terms": controller.terms(mood), "reason": "surprise 0.63 is above 0.50",
    }  # fmt: skip
    idea = next(one for one in run["standing"]["ideas"] if one["id"] == "0.1")
    async with Reader(Home(tmp_path), {}) as reader:
        found, _ = await detail(reader, reader.run("t"), idea, Logs(by_idea={"0.1": {"moods": [row]}}))
        other, _ = await detail(reader, reader.run("t"), idea, Logs())
    (felt,) = found["moods"]
    assert other["moods"] == [] and (felt["action"], felt["reason"]) == ("VERIFY", row["reason"])
    assert felt["belief"]["CONFUSED"] == max(felt["belief"].values())
    for name, value in terms.items():
        one = felt["terms"][name]
        assert one["value"] == value == pytest.approx(one["information"] + one["preference"], abs=1e-8)


@given(st.text())
def test_markdown_shows_any_text_as_text(text: str) -> None:
    shown = plain(text, 10_000)
    assert "\n" not in shown and "\r" not in shown
    assert re.sub(r"\\(.)", "", shown).translate({ord(c): None for c in "`*_[]<>#!|~&@$^"}) == re.sub(
        r"\\(.)", "", shown
    )


@pytest.mark.parametrize(
    "text",
    ["<script>x</script>", "![x](http://e.example/)", "[x](javascript:1)", "# x", "- x", "1. x", "http://e.example",
     "www.e.example", "a@e.example", "| x |", "`x`", "<http://e.example>"],
)  # fmt: skip
def test_markdown_escapes_what_begins_markup(text: str) -> None:
    shown = plain(text)
    assert shown.replace("\\", "") == text
    assert not re.search(r"(?<!\\)[<\[`|#@]|(?<!\\)://|^[-\d]+[.)]? ", shown) or shown.startswith(
        ("\\", "1\\")
    )


async def test_a_run_as_markdown_has_its_answer_tree_and_steps(kit: Any, tmp_path: Path) -> None:
    run = await run_of(kit, tmp_path)
    text = markdown(run)
    for part in (
        "## Answer",
        "Trondby",
        "## Sources",
        "## Ideas",
        "- `0`",
        "  - `0.1`",
        "## Steps",
        "| expand |",
        "after 1 visit)",
    ):
        assert part in text, part


def rows(*parents: str) -> dict[str, dict[str, Any]]:
    return {
        str(k): {"id": str(k), "parent": parent, "kind": "leaf", "status": "done", "title": f"idea {k}",
                 "Q": 0.5, "N": 1}
        for k, parent in enumerate(parents)
    }  # fmt: skip


def test_layers_go_from_left_to_right_and_no_two_cards_share_a_place() -> None:
    plan = layout.plan(rows("", "0", "0", "1", "1", "2"))
    at = {node.id: (node.x, node.y) for node in plan.nodes}
    assert at["0"][0] < at["1"][0] == at["2"][0] < at["3"][0]
    assert len(set(at.values())) == 6
    assert at["1"][1] == (at["3"][1] + at["4"][1]) / 2


def test_ten_thousand_ideas_are_folded_and_none_is_lost() -> None:
    ideas = rows("", *["0"] * 60, *[str(1 + k % 60) for k in range(9939)])
    plan = layout.plan(ideas)
    assert len(plan.nodes) <= layout.BUDGET + 2
    hidden = sum(node.below for node in plan.nodes if node.folded)
    hidden += sum(node.more for node in plan.nodes)
    shown = sum(1 for node in plan.nodes if not node.more)
    left_out = [str(k) for k in range(1 + layout.SIBLINGS, 61)]
    behind = sum(1 for idea in ideas.values() if idea["parent"] in left_out)
    assert shown + hidden + behind == 10_000


def test_a_tree_that_is_deep_is_drawn() -> None:
    plan = layout.plan(rows("", *[str(k) for k in range(3000)]))
    assert plan.nodes


def test_pictures_are_well_formed_whatever_stands_in_them() -> None:
    ideas = rows("", "0", "0", "nowhere")
    ideas["1"] |= {
        "title": "<script>&\x00\x1b[2J",
        "status": "abandoned",
        "needs": ["2", "gone"],
        "kind": "merge",
    }
    ideas["2"] |= {"status": "open", "Q": 7.0, "N": 0}
    tree = picture.tree(ideas, "a <b> & \x07c")
    plots = picture.plots([picture.Panel("<t>", [picture.Line("<n>", 0, [(1, 2.0), (2, 3.0)])])], "<p>")
    for text in (tree, plots, picture.plots([], "none"), picture.tree({}, "none")):
        assert ElementTree.fromstring(text).tag.endswith("svg")
        assert "<script" not in text


async def test_runs_are_compared_over_their_steps_and_by_identity(kit: Any, tmp_path: Path) -> None:
    for thread, identity in (("a", "cautious"), ("b", "exploratory"), ("c", "exploratory")):
        await run_of(kit, tmp_path, thread, identity=identity)
    async with Reader(Home(tmp_path), {}) as reader:
        runs = [await trajectory(reader, name) for name in "abc"]
    sides = compared(runs)
    assert [panel.title for panel in sides][:2] == ["rigidity ρ", "surprise ε"]
    assert all(len(panel.lines) == 3 for panel in sides)
    by_identity = profiles(runs)[0].lines
    assert [line.name for line in by_identity] == ["cautious, 1 run", "exploratory, 2 runs"]
    assert all(low <= high for _, low, high in by_identity[1].band) and by_identity[1].band
    table = list(csv.DictReader(io.StringIO(as_csv(runs[0].rows))))
    assert tuple(table[0]) == COLUMNS
    assert [row["step"] for row in table] == sorted((row["step"] for row in table), key=int)
    assert {"expand", "act", "merge", "reflect"} <= {row["next"] for row in table}


def test_steps_of_a_follow_up_count_on_and_what_was_never_counted_is_left_out() -> None:
    moments = [
        {"step": step, "rho": rho, "tokens": 0} for step, rho in ((1, 0.1), (2, 0.2), (0, None), (1, 0.3))
    ]
    run = Trajectory("t", "cautious", "task", {}, [], moments)
    sides = {panel.title: panel.lines[0].points for panel in compared([run])}
    assert sides["rigidity ρ"] == [(1.0, 0.1), (2.0, 0.2), (3.0, 0.3)]
    assert "tokens" not in sides


def test_what_replaces_an_idea_is_drawn_and_titles_fit_their_cards() -> None:
    ideas = rows("", "0", "0")
    ideas["2"] |= {"supersedes": "1", "title": "read: statistics.median", "N": 1, "Q": 0.5}
    drawn = picture.tree(ideas, "t")
    assert drawn.count('stroke-dasharray="6 3"') == 1
    assert "read: statistics.median<" in drawn
    assert picture.fitted("W" * 40, 100).endswith("…") and len(picture.fitted("W" * 40, 100)) <= 10


async def test_a_run_with_half_a_character_or_no_number_is_written(kit: Any, tmp_path: Path) -> None:
    run = await run_of(kit, tmp_path)
    run["details"]["0"]["idea"]["title"] = "half \ud83d"
    run["moments"][0]["rho"] = float("nan")
    texts = {form: export.written(run, form) for form in export.FORMS}
    assert all(text.encode() for text in texts.values())
    again = json.loads(texts[".json"], parse_constant=lambda name: pytest.fail(name))
    assert (again["details"]["0"]["idea"]["title"], again["moments"][0]["rho"]) == ("half ?", None)
    packed = re.search(r'id="kept">([^<]+)<', texts[".html"])
    assert packed is not None
    assert json.loads(gzip.decompress(base64.b64decode(packed[1]))) == again


def test_no_picture_takes_the_place_of_another_and_half_a_character_is_written(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"thread": "runs", "step": 1, "actual": "half \ud83d"}]
    runs = [Trajectory(name, name, f"task of {name}", {}, rows, []) for name in ("runs", "profiles", "t")]
    files = [*_pictures(runs, tmp_path, "svg"), _table(rows, tmp_path)]
    assert [file.name for file in files] == [
        "runs.svg", "profiles.svg", "t.svg", "runs-compared.svg", "profiles-compared.svg", "trajectory.csv",
    ]  # fmt: skip
    assert "task of runs" in files[0].read_text(encoding="utf-8")
    assert "half ?" in files[-1].read_text(encoding="utf-8")


def test_a_spreadsheet_runs_nothing_of_a_table() -> None:
    text = as_csv([{"thread": "t", "step": 1, "actual": "=HYPERLINK(1)", "idea": "-1", "epsilon": -0.5}])
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["actual"], row["idea"], row["epsilon"]) == ("'=HYPERLINK(1)", "'-1", "-0.5")


async def test_the_commands_write_their_files(
    kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    await run_of(kit, home)
    monkeypatch.setenv("DDAX_HOME", str(home))
    import asyncio

    def call(*argv: str) -> int:
        return run_command(list(argv))

    for form in ("html", "md", "json"):
        assert await asyncio.to_thread(call, "export", "t", str(tmp_path / f"t.{form}")) == 0
        assert (tmp_path / f"t.{form}").stat().st_size > 1000
    (tmp_path / "notes.md").write_text("mine", encoding="utf-8")
    capsys.readouterr()
    assert await asyncio.to_thread(call, "export", "t", str(tmp_path / "notes.md")) == 2
    assert "--force" in capsys.readouterr().err and (tmp_path / "notes.md").read_text("utf-8") == "mine"
    assert await asyncio.to_thread(call, "export", "t", str(tmp_path / "notes.md"), "--force") == 0
    assert (tmp_path / "notes.md").stat().st_size > 1000
    assert await asyncio.to_thread(call, "export", "t", str(tmp_path / "t.pdf")) == 2
    assert await asyncio.to_thread(call, "export", "t", str(tmp_path / "none" / "t.md")) == 2
    assert await asyncio.to_thread(call, "export", "x", str(tmp_path / "x.md")) == 2
    assert await asyncio.to_thread(call, "analyze", "t", "--out", str(tmp_path / "an")) == 0
    assert {file.name for file in (tmp_path / "an").iterdir()} == {"t.svg", "runs.svg", "trajectory.csv"}
    assert "nearest" not in capsys.readouterr().out
    code = await asyncio.to_thread(call, "analyze", "t", "--out", str(tmp_path / "an"), "--format", "png")
    if importlib.util.find_spec("matplotlib") is None:
        assert code == 2 and "matplotlib" in capsys.readouterr().err
    else:
        assert code == 0 and (tmp_path / "an" / "t.png").read_bytes().startswith(b"\x89PNG")
