"""Office files, messages, notebooks and books as sources, each with what it says of itself."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from ddax.actions.sources import open_library
from ddax.actions.sources.formats.extract import NotText, extract
from ddax.errors import SourceError
from ddax.memory.embeddings import HashEmbedder


def a_docx() -> bytes:
    import docx

    made = docx.Document()
    made.core_properties.title, made.core_properties.author = "Travel policy", "Ann Lee"
    made.add_heading("Trains", 1)
    made.add_paragraph("Trains are booked in second class.")
    made.add_paragraph("Keep the ticket", style="List Bullet")
    table = made.add_table(2, 2)
    for place, text in enumerate(("City", "Limit", "Oslo", "220 EUR")):
        table.cell(*divmod(place, 2)).text = text
    made.add_paragraph("Signed by the board.")
    return _bytes(made.save)


def a_pptx() -> bytes:
    import pptx

    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = "Roadmap", "Ship in May\nHire two"
    slide.notes_slide.notes_text_frame.text = "Say it slowly."
    return _bytes(made.save)


def an_xlsx() -> bytes:
    import xlsxwriter

    held = io.BytesIO()
    book = xlsxwriter.Workbook(held)
    for name, rows in (
        ("Staff", [["Name", "Age"], ["Ann", 41]]),
        ("Rooms", [["Room", "Seats"], ["B2", 7.5]]),
    ):
        sheet = book.add_worksheet(name)
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
    book.close()
    return held.getvalue()


def an_odt() -> bytes:
    import odfdo

    made = odfdo.Document("text")
    made.body.clear()
    table = odfdo.Table("T", width=2, height=2)
    table.set_values([["Day", "Hours"], ["Monday", 9]])
    for part in (
        odfdo.Header(1, "Rules"),
        odfdo.Paragraph("Doors close at nine."),
        odfdo.List(["one"]),
        table,
    ):
        made.body.append(part)
    return _bytes(made.save)


def an_rtf() -> bytes:
    return rb"{\rtf1\ansi\ansicpg1252 {\b Opening hours.} The caf\'e9 opens at ten.\par}"


def an_eml() -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Ann <ann@shop.test>", "ben@shop.test", "Größe der Halle"
    mail["Date"] = "Mon, 05 Jan 2026 10:00:00 +0100"
    mail.set_content("The hall has 420 seats.\n")
    mail.add_alternative("<p>The hall has <b>420</b> seats.</p>", subtype="html")
    mail.add_attachment("Row A is reserved.", filename="rows.txt")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="plan.png")
    return mail.as_bytes()


def an_ipynb() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": ["# Tides\n", "\n", "The tide turns at four."]},
        {
            "cell_type": "code",
            "source": "print(6 * 7)",
            "outputs": [{"output_type": "stream", "text": ["42\n"]}],
        },
        {
            "cell_type": "code",
            "source": "1/0",
            "outputs": [{"output_type": "error", "traceback": ["secret"]}],
        },
    ]
    about = {"language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}).encode()


def an_epub(*, broken: bool = False) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as book:
        book.writestr("META-INF/container.xml", _CONTAINER)
        book.writestr("OPS/book.opf", "<nothing>" if broken else _PACKAGE)
        book.writestr("OPS/two.xhtml", "<html><body><h1>Two</h1><p>The storm came.</p></body></html>")
        book.writestr("OPS/a b.xhtml", "<html><body><h1>One</h1><p>The sea was calm.</p></body></html>")
    return held.getvalue()


_CONTAINER = """<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>"""
_PACKAGE = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf"
xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Log</dc:title>
<dc:creator>Mads Orre</dc:creator></metadata><manifest>
<item id="b" href="two.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="c" href="x.css" media-type="text/css"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="gone"/></spine></package>"""


def _bytes(save: Callable[[io.BytesIO], object]) -> bytes:
    held = io.BytesIO()
    save(held)
    return held.getvalue()


SAID = {
    "docx": (
        a_docx,
        "Travel policy",
        ["# Trains\n", "- Keep the ticket", "| Oslo | 220 EUR |", "Signed by the"],
    ),
    "pptx": (a_pptx, "Roadmap", ["## Roadmap\n", "- Ship in May\n- Hire two", "Say it slowly."]),
    "xlsx": (
        an_xlsx,
        "",
        ["## Staff", "| Name | Age |\n| --- | --- |\n| Ann | 41 |", "## Rooms", "| B2 | 7.5 |"],
    ),
    "odt": (an_odt, "Rules", ["# Rules\n", "Doors close at nine.", "- one", "| Monday | 9 |"]),
    "rtf": (an_rtf, "", ["Opening hours. The café opens at ten."]),
    "eml": (an_eml, "Größe der Halle", ["- From: Ann <ann@shop.test>", "420 seats.", "Row A is reserved."]),
    "ipynb": (an_ipynb, "Tides", ["The tide turns at four.", "```python\nprint(6 * 7)\n```", "```\n42\n```"]),
    "epub": (an_epub, "The Log", ["One", "The sea was calm.", "The storm came."]),
}


@pytest.mark.parametrize("kind", SAID)
def test_each_kind_is_read_as_markdown(kind: str) -> None:
    make, title, parts = SAID[kind]
    found = extract(make(), kind, fallback="named")
    assert found.title == (title or "named")
    places = [found.text.find(part) for part in parts]
    assert -1 not in places, found.text
    assert places == sorted(places)


def test_what_files_say_of_themselves_are_fields() -> None:
    assert extract(a_docx(), "docx", fallback="x").fields["author"] == "Ann Lee"
    mail = extract(an_eml(), "eml", fallback="x").fields
    assert mail["Attachments"] == ["rows.txt", "plan.png"]
    assert mail["To"] == "ben@shop.test"
    assert extract(an_epub(), "epub", fallback="x").fields == {"creator": "Mads Orre"}


def test_a_message_says_a_thing_once_and_a_notebook_no_traceback() -> None:
    assert extract(an_eml(), "eml", fallback="x").text.count("420 seats") == 1
    assert "secret" not in extract(an_ipynb(), "ipynb", fallback="x").text


@pytest.mark.parametrize("kind", [*SAID, "xls", "ods", "odp"])
@pytest.mark.parametrize("content", [b"PK\x03\x04 cut off", b"", b"{", b"<html>", bytes(range(256)) * 40])
def test_a_damaged_file_is_told(kind: str, content: bytes) -> None:
    with pytest.raises(NotText, match=r"damaged|no rich text|headers"):
        extract(content, kind, fallback="x")


@pytest.mark.parametrize("kind", ["docx", "xlsx", "epub", "odt", "pptx"])
def test_damage_within_an_archive_is_told(kind: str) -> None:
    held = io.BytesIO(SAID[kind][0]())
    with zipfile.ZipFile(held) as archive:
        parts = sorted(archive.infolist(), key=lambda part: -part.compress_size)
    content = bytearray(held.getvalue())
    for part in parts:  # the sum of each part no longer fits
        at = content.index(part.filename.encode()) + len(part.filename) + part.compress_size // 2
        content[at] ^= 0xFF
    with pytest.raises(NotText, match="damaged"):
        extract(bytes(content), kind, fallback="x")


@pytest.mark.parametrize("kind", ["docx", "xlsx", "epub", "odt"])
def test_an_archive_that_unfolds_without_end_is_refused(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ddax.actions.sources.formats.archives.MOST_BYTES", 100)
    with pytest.raises(NotText, match="unfolds to more than 100 bytes"):
        extract(SAID[kind][0](), kind, fallback="x")


def test_a_list_of_contents_with_entities_is_refused() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as book:
        book.writestr("META-INF/container.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
    with pytest.raises(NotText, match=r"it is damaged \(its list of contents"):
        extract(held.getvalue(), "epub", fallback="x")


async def opened(folder: Path, home: Path) -> object:
    return await open_library([str(folder)], embedder=HashEmbedder(), cache_dir=home, tell=False)


async def test_a_folder_of_them_is_searched(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for kind, (make, _, _) in SAID.items():
        (tmp_path / "in" / f"file.{kind}").write_bytes(make())
    library = await opened(tmp_path / "in", tmp_path / "home")
    assert len(library.documents) == len(SAID)
    assert library.skipped == ()
    hit = (await library.search("seats of the hall"))[0]
    assert hit.source.endswith("file.eml")
    page = await library.read(hit.source)
    assert page.notes["metadata"]["To"] == "ben@shop.test"
    again = await opened(tmp_path / "in", tmp_path / "home")
    assert [*again.documents] == [*library.documents]
    assert (await again.read(hit.source)).notes == page.notes


@pytest.mark.parametrize(
    ("name", "content", "why", "mend"),
    [
        ("a.docx", b"no archive", "it is damaged (File is not a zip file)", "once more in the program"),
        ("a.pptx", b"PK\x03\x04cut off", "it is damaged", "once more in the program"),
        ("a.xlsx", b"", "it is damaged", "once more in the program"),
        ("a.epub", b"no archive", "it is damaged", "once more in the program"),
        ("a.pdf", b"%PDF-1.7 cut off", "it is damaged", "once more in the program"),
    ],
)
async def test_of_a_damaged_file_is_told_what_to_do(
    tmp_path: Path, name: str, content: bytes, why: str, mend: str
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_bytes(content)
    for source in (tmp_path / "in" / name, tmp_path / "in"):
        with pytest.raises(SourceError) as told:
            await opened(source, tmp_path / "h")
        assert why in told.value.why
        assert "Error:" not in told.value.why, "the name of a class says nothing to a reader"
        assert mend in told.value.mend


async def test_of_a_missing_path_the_nearest_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    for given, wanted in (("paper", f"'{tmp_path / 'papers'}'"), ("papers/x.md", ""), ("zzz", "")):
        with pytest.raises(SourceError) as told:
            await opened(tmp_path / given, tmp_path / "h")
        assert told.value.mend.startswith("Name a file or folder that is there")
        assert ("the nearest name is" in told.value.mend) == bool(wanted)
        assert wanted in told.value.mend


async def test_without_the_extra_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "policy.docx").write_bytes(a_docx())
    (tmp_path / "in" / "note.txt").write_text("A note.")
    bare = tmp_path / "bare" / "docx"
    bare.mkdir(parents=True)
    (bare / "__init__.py").write_text("raise ModuleNotFoundError('No module named docx', name='docx')")
    with monkeypatch.context() as without:
        without.setattr(sys, "path", [str(bare.parent), *sys.path])
        library = await open_library(
            [str(tmp_path / "in")], embedder=HashEmbedder(), cache_dir=tmp_path / "h"
        )
        assert "it needs the extra 'office'" in library.skipped[0].reason
        assert "pip install 'ddax[office]'" in caplog.text
        with pytest.raises(SourceError, match=r"pip install 'ddax\[office\]'"):
            await opened(tmp_path / "in" / "policy.docx", tmp_path / "h")
    later = await opened(tmp_path / "in", tmp_path / "h")
    assert [one.title for one in later.documents] == ["note", "Travel policy"]
