"""The documentation as a site: built with every link checked, and complete without another host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser

from tests.integration.browser_page import Watched, browser_page

pytestmark = pytest.mark.integration
in_module = pytest.mark.asyncio(loop_scope="module")
ROOT = Path(__file__).resolve().parents[2]


def build(settings: Path, to: Path) -> subprocess.CompletedProcess[str]:
    """Build a site with the words of the Makefile: with --quiet, say, --strict would see no fault."""
    (words,) = set(re.findall(r"-m (mkdocs build.*)", (ROOT / "Makefile").read_text(encoding="utf-8")))
    return subprocess.run(
        [sys.executable, "-m", *words.split(), "-f", str(settings), "-d", str(to)],
        cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material", reason="needs the extra docs, which is in dev")
    place = tmp_path_factory.mktemp("site")
    done = build(ROOT / "mkdocs.yml", place)
    assert done.returncode == 0, done.stdout + done.stderr
    return place


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


class Loaded(HTMLParser):
    """Collect what a page makes a browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.headings = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a start tag."""
        given = {name: value or "" for name, value in attrs}
        self.headings += tag == "h1"
        if tag == "link" and given.get("rel") not in ("canonical", "next", "prev"):
            self.addresses.append(given.get("href", ""))
        if tag != "link":
            self.addresses += [given[name] for name in ("src", "srcset", "data", "poster") if name in given]


def test_no_page_names_another_host_to_load_from(site: Path) -> None:
    pages = {str(path.relative_to(site)): path for path in site.rglob("*.html") if path.name != "404.html"}
    assert {"index.html", "tutorial.html", "reference.html", "sources/dda-x.html"} <= set(pages)
    for name, path in pages.items():
        found = Loaded()
        found.feed(path.read_text(encoding="utf-8"))
        assert found.headings == 1, name
        assert found.addresses, name
        for address in found.addresses:
            assert urlsplit(address)[:2] == ("", "") or address.startswith("data:"), (name, address)
            assert address.startswith("data:") or (path.parent / urlsplit(address).path).exists(), address


@in_module
async def test_pages_are_read_and_searched_without_another_host(viewing: Browser, address: str) -> None:
    async with browser_page(viewing) as page:
        watched = Watched(page)
        for name in ("architecture.html", "reference.html", "index.html"):
            answer = await page.goto(address + name)
            assert answer is not None and answer.ok, name
        # Key by key, as a reader types: the page hears keys, and may read a text that is put in too early.
        await page.get_by_role("textbox", name="Search").press_sequentially("rigidity")
        await page.locator(".md-search-result__item").first.wait_for()
        assert (watched.outside(address), watched.faults) == ([], [])


@in_module
async def test_a_page_opens_from_disk_offline(viewing: Browser, site: Path) -> None:
    async with browser_page(viewing, offline=True) as page:
        watched = Watched(page)
        await page.goto((site / "architecture.html").as_uri())
        assert await page.locator("article img").first.evaluate("(image) => image.naturalWidth") > 0
        assert (watched.outside("file:"), watched.faults) == ([], [])


FAULTS = {
    "[a page](missing.md)": "missing.md",
    "[a place](other.md#nowhere)": "#nowhere",
    "![a picture](missing.png)": "missing.png",
    "[a page of the host](/other.md)": "/other.md",
}


def test_links_that_lead_nowhere_fail_the_build(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="needs the extra docs, which is in dev")
    docs, settings = tmp_path / "docs", tmp_path / "mkdocs.yml"
    docs.mkdir()
    (docs / "index.md").write_text("\n\n".join(["# Here", "[there](other.md)", *FAULTS]), encoding="utf-8")
    (docs / "other.md").write_text("# There\n", encoding="utf-8")
    (docs / "lost.md").write_text("# In no list\n", encoding="utf-8")
    settings.write_text(
        f"INHERIT: {os.path.relpath(ROOT / 'mkdocs.yml', tmp_path)}\ndocs_dir: docs\n"
        f"nav: [index.md, other.md]\nhooks: ['{ROOT / 'scripts/docs_hook.py'}']\n",
        encoding="utf-8",
    )
    done = build(settings, tmp_path / "site")
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert [fault for fault in (*FAULTS.values(), "lost.md") if fault not in said] == []
