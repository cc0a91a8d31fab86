"""Write a run into one file: HTML that opens from disk with no network, Markdown, or JSON.

The HTML holds the page's own modules joined into one script; its policy names the hashes of that script and
of the style, so nothing else can run, and it allows no connection at all.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ddax.viewer.markdown import markdown
from ddax.viewer.plain import dump

if TYPE_CHECKING:
    from ddax.types import JsonDict

STATIC = Path(__file__).parent / "static"
MODULES = (
    "dom",
    "source",
    "layout",
    "dag",
    "charts",
    "table",
    "answer",
    "detail",
    "ask",
    "runs",
    "view",
    "main",
)
"""The modules of the page, each after those it imports."""
FORMS = (".html", ".md", ".json")
_IMPORT = re.compile(r"^import\b[^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function))", re.MULTILINE)


def written(run: JsonDict, form: str) -> str:
    """Return a gathered run as the text of a file; `form` is one of `FORMS`."""
    if form == ".html":
        return page(run)
    return markdown(run) if form == ".md" else dump(run, indent=1) + "\n"


def bundle() -> str:
    """Return the modules of the page as one script; no two of them use a name at their top."""
    texts = [(STATIC / f"{name}.js").read_text(encoding="utf-8") for name in MODULES]
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts)


def page(run: JsonDict) -> str:
    """Return a gathered run as one page."""
    script, style = bundle(), (STATIC / "app.css").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    title = escape(run["standing"]["run"]["task"][:80])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        f"<title>{title} · ddax</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<div id="app"><p class="quiet wait">Opening the run …</p></div>\n'
        f'<script type="application/octet-stream" id="kept">{packed(run)}</script>\n'
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )


def packed(run: JsonDict) -> str:
    """Return plain JSON as gzip in base64; the same run gives the same text."""
    return base64.b64encode(gzip.compress(dump(run).encode(), 9, mtime=0)).decode()


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
