"""The pages that the killed runs read."""

from __future__ import annotations

from pathlib import Path

import pytest

PAGES = {
    "Corvane Tower": "The Corvane Tower is a lookout tower in Belmark. Ilse Maran designed it in 1931.",
    "Ilse Maran": "Ilse Maran was an architect. She was born in the city of Trondby and died in 1970.",
    "Trondby": "Trondby is a port city in the north. Its harbour was built in 1712.",
    "Belmark": "Belmark is a hill town known for its cheese market.",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a file for each page."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for title, text in PAGES.items():
        (pages / f"{title}.md").write_text(f"# {title}\n\n{text}\n")
    return pages
