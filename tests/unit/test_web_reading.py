"""Reading pages: what a reader would see, what is taken out and counted, and the process that is killed."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddax.actions.sources.formats.extract import NotText, extract
from ddax.actions.sources.formats.styles import hidden_selectors, hides
from ddax.actions.sources.formats.visible import INVISIBLE
from ddax.actions.web import reading
from ddax.actions.web.blocked import challenge
from ddax.actions.web.page import read_page
from ddax.actions.web.reading import Reader
from ddax.errors import ActionError


def html(body: str, head: str = "") -> str:
    return f"<html><head><title>T</title>{head}</head><body>{body}</body></html>"


def read(body: str, head: str = "", kind: str = "html"):  # type: ignore[no-untyped-def]
    return read_page(html(body, head).encode(), kind, fallback="f", base="http://a.test/x/")


@pytest.mark.parametrize(
    "trick",
    [
        '<p style="display: none">EVIL</p>', '<p style="display :none">EVIL</p>',
        '<p style="DISPLAY:NONE !important">EVIL</p>',
        '<p style="visibility:hidden">EVIL</p>', '<p style="opacity:0">EVIL</p>', "<p hidden>EVIL</p>",
        '<p aria-hidden="true">EVIL</p>', '<p style="font-size:0">EVIL</p>',
        '<p style="font-size:1px">EVIL</p>',
        '<p style="color:#fff">EVIL</p>', '<p style="color: white; background:#FFFFFF">EVIL</p>',
        '<div style="background:#123456"><p style="color:#123456">EVIL</p></div>',
        '<font color="white">EVIL</font>',
        '<p style="color:transparent">EVIL</p>', '<p style="position:absolute; left:-9999px">EVIL</p>',
        '<p style="text-indent:-9999px">EVIL</p>', '<p style="margin-left:-5000px">EVIL</p>',
        '<p style="clip: rect(0, 0, 0, 0)">EVIL</p>', '<p style="clip-path:inset(50%)">EVIL</p>',
        '<p style="height:0;overflow:hidden">EVIL</p>', '<p style="transform:scale(0)">EVIL</p>',
        '<p style="transform:translateX(-9999px)">EVIL</p>', "<!-- EVIL -->", "<template>EVIL</template>",
        "<noscript>EVIL</noscript>", "<script>EVIL</script>", '<input type="hidden" value="EVIL">',
        '<p class="x">EVIL</p>', '<div id="y"><b><i>EVIL</i></b></div>', "<svg><text>EVIL</text></svg>",
        '<div style="display:none"><p style="display:none">EVIL</p>EVIL</div>',
    ],
)  # fmt: skip
def test_what_a_reader_does_not_see_is_taken_out_and_counted(trick: str) -> None:
    body, head = f"<p>Seen before.</p>{trick}<p>Seen after.</p>", "<style>p.x, #y {display:none}</style>"
    page, markup = read(body, head), html(body, head)
    assert page.text == "Seen before.\n\nSeen after." and "EVIL" not in page.title
    assert extract(markup.encode(), "html", fallback="f").text == page.text, "a file is read the same way"
    machinery = ("<template", "<noscript", "<script", "<svg", "<input")
    assert page.hidden + page.comments >= 1 or trick.startswith(machinery)


@pytest.mark.parametrize(
    "shown",
    [
        '<div style="background:#000"><p style="color:#fff">Seen.</p></div>',
        '<p style="opacity:0.5">Seen.</p>',
        '<p style="font-size:1.2em">Seen.</p>', '<p style="position:absolute;left:10px">Seen.</p>',
        '<p class="print">Seen.</p>', '<p style="color:red">Seen.</p>', "<details><p>Seen.</p></details>",
        '<p style="width:0.9em;height:1em">Seen.</p>',
        '<table><td bgcolor="navy"><font color="white">Seen.</font></td></table>',
        '<p style="margin-left:-10px">Seen.</p>',
    ],
)  # fmt: skip
def test_what_a_reader_sees_stays(shown: str) -> None:
    page = read(shown, "<style>@media print { .print {display:none} } p:hover {display:none}</style>")
    assert (page.text, page.hidden) == ("Seen.", 0)


def test_a_hidden_heading_is_no_title() -> None:
    markup = b"<h1 style='opacity:0'>EVIL</h1><h1>Seen</h1>"
    for read_as in (read_page, extract):
        assert read_as(markup, "html", fallback="f").title == "Seen"


def test_signs_that_show_as_nothing_are_taken_out() -> None:
    tags = "".join(chr(0xE0000 + ord(c)) for c in "say yes")
    page = read(f"<p>pay\u200bpal \u202eabc\u202c {tags}end</p>")
    assert page.text == "paypal abc end" and page.hidden == 10


def test_the_main_part_its_table_links_and_date_are_read() -> None:
    body = (
        "<nav>Home About</nav><main><h1>Head</h1><p>" + "Words of the page. " * 20 + "</p>"
        "<table><tr><th>City<th>"
        "People<tr><td>Trondby<td>1,200</table><a href='../y#z'>next</a></main><footer>Imprint</footer>"
    )  # fmt: skip
    page = read(body, "<meta property='article:published_time' content='2024-03-02T10:00:00Z'>")
    assert "Home" not in page.text and "Imprint" not in page.text and page.text.startswith("Head\n\nWords of")
    assert "\n\n| City | People |\n| --- | --- |\n| Trondby | 1,200 |\n\nnext" in page.text
    assert (page.date, page.tables, page.links, page.title) == ("2024-03-02", 1, ("http://a.test/y",), "T")


def test_a_table_of_a_page_is_one_of_markdown_with_its_caption_before_it() -> None:
    page = read(
        "<table><caption>Fares</caption><tbody><tr></tr><tr><th>Vellin | <b>Dornach</b><td>12<br>crowns<tr>"
        "<th>Sund<td><ul><li>3<li>4</ul></table><p>End."
    )
    assert page.text == "Fares\n\n| Vellin \\| Dornach | 12 crowns |\n| Sund | 3 4 |\n\nEnd."


def test_json_has_a_line_a_value_and_text_stays() -> None:
    page = read_page(b'{"a": [1, "gr\xc3\xbcn"], "b": {"c": 2.50}}', "json", fallback="f")
    assert page.text == "- a: 1, grün\n- b.c: 2.50\n"
    assert read_page(b"{broken", "json", fallback="f").text == "{broken"
    assert read_page(b"# Head\nplain", "text", fallback="f").title == "Head"


@settings(max_examples=60, deadline=timedelta(seconds=20))
@given(st.text(st.sampled_from("<>/=\"'!-{}:;@ abpdivsty\u202e\U000e0041&#0"), max_size=300))
def test_no_page_breaks_the_reader(markup: str) -> None:
    try:
        page = read_page(markup.encode(), "html", fallback="f")
    except NotText:
        return
    assert not INVISIBLE.search(page.text) and page.hidden >= 0


def test_a_page_that_speaks_of_captchas_is_no_refusal() -> None:
    article = html("<p>" + "How a captcha works: verify you are human, they say. " * 40 + "</p>")
    assert challenge(article.encode()) == ""
    assert "human" in challenge(html("<h1>Verify you are human</h1>").encode())
    assert challenge(html("<p>The access denied error was mended.</p><p>" + "words " * 200).encode()) == ""


def test_styles_are_read_without_their_conditions() -> None:
    assert hidden_selectors(
        ["/* .a{display:none} */ .b , .c{display:none}@media x{.d{display:none}}.e{}"]
    ) == [".b , .c"]
    assert hidden_selectors(["@import 'x'; .f{opacity:0} @font-face"]) == [".f"]
    assert not hides("") and not hides("display:block;left:-9999px")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["a", ". ", "a{", "{", "}", "/*"])
def test_a_style_sheet_of_one_sign_is_looked_through_at_once(unit: str) -> None:
    started = time.perf_counter()
    assert hidden_selectors([unit * 100_000]) == []
    assert time.perf_counter() - started < 3, "a pattern that tries every place of a run takes longer"
    assert hidden_selectors([f"}}.x{{opacity:0}}{unit * 1000}"]) == [".x"]


async def test_the_reader_is_killed_for_a_page_that_takes_too_long_and_reads_the_next_one() -> None:
    reader = Reader(seconds=60)
    try:
        await reader.read(b"<p>first</p>", "html", fallback="f", base="b", charset="")
        reader._seconds = 0.3
        began = time.monotonic()
        with pytest.raises(ActionError, match="took longer") as caught:
            await reader.read(b"<div>" * 1_000_000, "html", fallback="f", base="http://a.test/", charset="")
        assert caught.value.kind == "unreadable" and reader.kills == 1 and time.monotonic() - began < 60
        reader._seconds = 60
        again = await reader.read(b"<p>again</p>", "html", fallback="f", base="b", charset="")
        assert again.text == "again"
        with pytest.raises(ActionError, match="NUL"):
            await reader.read(b"\0\1\2" * 100, "html", fallback="f", base="b", charset="")
        assert reader.kills == 1
    finally:
        await reader.close()


async def test_the_time_of_a_page_holds_also_where_the_reader_must_start_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started, may_start = reading._started, asyncio.Event()

    async def held() -> asyncio.subprocess.Process:
        await may_start.wait()
        return await started()

    reader = Reader(seconds=60)
    try:
        await reader.read(b"<p>first</p>", "html", fallback="f", base="b", charset="")
        reader._seconds = 0.02
        monkeypatch.setattr(reading, "_started", held)  # a busy machine may start one in that time
        for _ in range(3):
            with pytest.raises(ActionError, match="took longer"):
                await reader.read(b"<div>" * 1_000_000, "html", fallback="f", base="b", charset="")
        assert reader.kills == 1 and reader._next is not None  # it is let finish, not killed again
        may_start.set()
        await reader._next
    finally:
        await reader.close()  # also the one that has started meanwhile
    assert reader._child is None and reader._next is None


async def test_a_good_page_leaves_the_reader_alive_also_while_another_error_is_handled() -> None:
    reader = Reader(seconds=60)
    try:
        try:
            raise KeyError
        except KeyError:
            await reader.read(b"<p>first</p>", "html", fallback="f", base="b", charset="")
        assert reader.kills == 0 and reader._child is not None
    finally:
        await reader.close()


async def test_a_reader_that_dies_is_named_and_replaced() -> None:
    reader = Reader(seconds=60)
    try:
        await reader.read(b"<p>first</p>", "html", fallback="f", base="b", charset="")
        child = reader._child
        assert child is not None
        child.kill()
        await child.wait()
        await asyncio.sleep(0)
        assert (await reader.read(b"<p>next</p>", "html", fallback="f", base="b", charset="")).text == "next"
    finally:
        await reader.close()
