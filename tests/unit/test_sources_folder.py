"""A folder as a source: what a .gitignore leaves out, code pages, front matter, progress, the kept index."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ddax import Context, open_agent
from ddax.actions.sources import SourceLibrary, open_library
from ddax.actions.sources.formats.encodings import decoded_text
from ddax.actions.sources.formats.extract import extract
from ddax.actions.sources.formats.front_matter import front_matter
from ddax.memory.embeddings import HashEmbedder
from tests.cases import cases


async def opened(*specs: Path, home: Path, **asked: Any) -> SourceLibrary:
    names = [str(spec) for spec in specs]
    return await open_library(names, embedder=HashEmbedder(), cache_dir=home, **{"tell": False, **asked})


def put(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


FILES = {
    "a_dot_txt": "a", "run_dot_log": "b", "keep_dot_log": "c", "build__out_dot_txt": "d",
    "sub__build__deep_dot_txt": "e", "sub__top_dot_txt": "f", "top_dot_txt": "g", "sub__own_dot_md": "h",
    "sub__x__own_dot_md": "i", "docs__a__draft_dot_md": "j", "name with blank_dot_txt": "k",
    "sub__keep_dot_log": "l",
}  # fmt: skip
RULES = "# made\n*.log\n!keep.log\nbuild/\n/top.txt\ndocs/**/draft.md\n"


@pytest.mark.parametrize("inner", ["", "own.md\n!x/own.md\nkeep.log\n", "*\n!*.md\n"])
async def test_what_git_ignores_is_not_read(tmp_path: Path, inner: str) -> None:
    root = put(tmp_path / "in", **FILES)
    (root / ".gitignore").write_text(RULES)
    if inner:
        (root / "sub" / ".gitignore").write_text(inner)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=True,
    ).stdout.split("\0")  # fmt: skip
    seen = {name for name in listed if name and ".gitignore" not in name}
    library = await opened(root, home=tmp_path / "home")
    assert {os.path.relpath(one.source, root) for one in library.documents} == seen
    assert {item.reason for item in library.skipped} == {"left out by a .gitignore"}


async def test_rules_of_the_repository_above_hold_below(tmp_path: Path) -> None:
    root = put(tmp_path / "repo", docs__a_dot_txt="a", docs__b_dot_tmp_dot_txt="b", out__c_dot_txt="c")
    (root / ".git" / "info").mkdir(parents=True)
    (root / ".gitignore").write_text("*.tmp.txt\nout/\n")
    (root / ".git" / "info" / "exclude").write_text("secret.txt\n")
    (root / "docs" / "secret.txt").write_text("s")
    library = await opened(root / "docs", home=tmp_path / "home")
    assert [Path(one.source).name for one in library.documents] == ["a.txt"]
    named = await opened(root / "out", root / "docs" / "secret.txt", home=tmp_path / "home")
    assert [Path(one.source).name for one in named.documents] == ["secret.txt", "c.txt"]


async def test_what_a_gitignore_leaves_out_is_no_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = put(tmp_path / "in", a_dot_txt="a", b_dot_log="b")
    (root / ".gitignore").write_text("*.log\n")
    library = await opened(root, home=tmp_path / "home", tell=True)
    assert not caplog.records
    assert "left out by a .gitignore (1)" in library.describe()


PAGES = {
    "cp1252": [
        "It’s done — “really”.",
        "Zoë O’Brien: 9–5",
        "x² + y² = 25 m²; 3½ cups",
        "El niño comió piñas.",
    ],
    "cp1251": ["Привет, мир. Это короткая заметка о поездке.", "Кто написал книгу?"],
    "koi8-r": ["Привет, мир. Это короткая заметка о поездке в город."],
    "cp1250": ["Żółw i pająk. Zażółć gęślą jaźń.", "Příliš žluťoučký kůň úpěl ďábelské ódy."],
    "shift_jis": ["これは日本語の文章です。東京へ行きました。"],
    "gb18030": ["这是一个中文句子。我们去北京。"],
    "utf-16": ["Plain text, with a mark."],
    "utf-8": ["“Plain” – naïve", "Текст"],
}


@pytest.mark.parametrize(("page", "text"), [(page, text) for page, texts in PAGES.items() for text in texts])
def test_a_text_is_read_by_its_code_page(page: str, text: str) -> None:
    assert extract(text.encode(page), "text", fallback="x").text == text


@pytest.mark.parametrize("page", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_wide_signs_without_a_mark_are_a_text(page: str) -> None:
    assert extract("Doors close at nine.".encode(page), "text", fallback="x").text == "Doors close at nine."


def test_a_stated_charset_comes_first() -> None:
    assert decoded_text("naïve".encode("mac_roman"), "mac_roman") == "naïve"


FRONTED = [
    ("---\ntitle: Travel policy\nowner: Ann Lee\ntags: [trains, planes]\ndraft: false\n---\nBook early.\n",
     "Travel policy",
     {"title": "Travel policy", "owner": "Ann Lee", "tags": ["trains", "planes"], "draft": False}),
    ('+++\ntitle = "Harbour"\ndate = 2026-01-02\n[extra]\npages = 3\n+++\nThe harbour.\n', "Harbour",
     {"title": "Harbour", "date": "2026-01-02", "extra": "pages: 3"}),
    ("PEP: 572\nTitle: Assignment Expressions\nAuthor: Ann Lee,\n        Ben Orr\nStatus: Final\n\nAbstract\n"
     "========\n\nThis is a proposal.\n", "Assignment Expressions",
     {"PEP": "572", "Title": "Assignment Expressions", "Author": "Ann Lee, Ben Orr", "Status": "Final"}),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["markdown", "text"])
@pytest.mark.parametrize(("text", "title", "fields"), FRONTED)
def test_front_matter_is_fields(kind: str, text: str, title: str, fields: dict[str, Any]) -> None:
    found = extract(text.encode(), kind, fallback="x")
    assert found.title == title
    assert found.fields == fields
    assert not found.text.startswith(("---", "+++"))
    assert all(f"- {name}: " in found.text for name in fields)


@cases("text")
def test_what_is_no_front_matter_stays_text(text: str) -> None:
    assert front_matter(text) == ({}, text)


async def test_a_citation_says_the_fields_of_its_document(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    text = "---\ntitle: The Harbour Almanac\ndate: 2026-01-02\n---\n\nIt was written by Ines Calder.\n"
    text = text.replace("It was", "The Harbour Almanac was")
    (folder / "almanac.md").write_text(text)
    context = Context(sources=(str(folder),), mood={"engine": "numpy"})
    async with open_agent(context, home=tmp_path / "home") as agent:
        result = await agent.run("Who wrote the Harbour Almanac?")
    assert result["short"] == "Ines Calder"
    assert result["citations"][0]["metadata"]["date"] == "2026-01-02"


async def test_the_index_is_opened_without_reading_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = put(
        tmp_path / "in", **{f"n{n}_dot_md": f"# Note {n}\n\nThe word{n} stands here.\n" for n in range(40)}
    )
    first = await opened(root, home=tmp_path / "home")
    texts = [(one.source, one.title, one.text, one.links) for one in first.documents]
    hits = await first.search("word17")
    asked: list[str] = []
    monkeypatch.setattr("ddax.actions.sources.read_scanned", lambda *_, **__: asked.append("read"))
    again = await opened(root, home=tmp_path / "home")
    assert asked == []
    assert [(one.source, one.title, one.text, one.links) for one in again.documents] == texts
    assert await again.search("word17") == hits
    assert [hit.title for hit in await again.mentioned("See Note 17 and Note 3.")] == ["Note 17", "Note 3"]
    assert again.holds(hits[0].source, "word17") and again.holds(hits[0].source, "word18") is False


@pytest.mark.parametrize("change", ["text", "new", "gone", "renamed", "rules"])
async def test_whatever_changes_in_a_folder_is_seen(tmp_path: Path, change: str) -> None:
    root = put(tmp_path / "in", a_dot_txt="The heron.", b_dot_txt="The crane.")
    await opened(root, home=tmp_path / "home")
    path = root / "a.txt"
    if change == "text":
        path.write_text("The stork.")
        os.utime(path, ns=(1, 1))
    elif change == "new":
        (root / "c.txt").write_text("The gull.")
    elif change == "gone":
        path.unlink()
    elif change == "renamed":
        path.rename(root / "z.txt")
    else:
        (root / ".gitignore").write_text("a.txt\n")
    fresh = await opened(root, home=tmp_path / "other")
    again = await opened(root, home=tmp_path / "home")
    assert [*again.documents] == [*fresh.documents]
    assert again.skipped == fresh.skipped


@pytest.mark.parametrize("name", ["meta.json", "places.npy", "passages.npy", "texts.bin"])
@pytest.mark.parametrize("damage", ["cut", "gone", "empty"])
async def test_a_damaged_index_is_made_anew(tmp_path: Path, name: str, damage: str) -> None:
    root = put(tmp_path / "in", a_dot_txt="The heron.", b_dot_txt="The crane.")
    first = [*(await opened(root, home=tmp_path / "home")).documents]
    path = next((tmp_path / "home").glob("shelf-*")) / name
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-1] if damage == "cut" else b"")
    again = await opened(root, home=tmp_path / "home")
    assert [*again.documents] == first
    assert await again.search("crane")


async def test_few_indexes_are_kept(tmp_path: Path) -> None:
    root = put(tmp_path / "in", a_dot_txt="The heron.")
    for n in range(7):
        (root / "a.txt").write_text("The heron" + "." * n)
        await opened(root, home=tmp_path / "home")
    assert len([*(tmp_path / "home").glob("shelf-*")]) == 4
    assert not [*(tmp_path / "home").glob(".shelf-*")]


async def test_progress_is_told_while_files_are_read(tmp_path: Path) -> None:
    root = put(tmp_path / "in", **{f"n{n}_dot_txt": f"word{n}" for n in range(30)})
    told: list[tuple[int, int]] = []
    await opened(root, home=tmp_path / "home", progress=lambda read, of: told.append((read, of)))
    assert told == [(n, 30) for n in range(1, 31)]
    told.clear()
    (root / "n3.txt").write_text("another word")
    await opened(root, home=tmp_path / "home", progress=lambda read, of: told.append((read, of)))
    assert told == [(1, 1)]
    context, heard = Context(sources=(str(root),), mood={"engine": "numpy"}), list[Any]()
    async with open_agent(context, home=tmp_path / "agent") as agent:
        await agent.run("What is word7?", on_event=heard.append)
    reads = [event["data"] for event in heard if event["type"] == "reading"]
    assert reads[-1] == {"read": 30, "of": 30}
    assert heard[0]["type"] == "reading"
