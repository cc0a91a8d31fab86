"""Let the pages be read in the repository and on the site.

Links to files beside docs/ become their names, and the picture in Mermaid, which the theme would draw by a
library from a CDN, becomes the same one as `ddax graph --format svg` draws it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)\s]+)\)")
MERMAID = re.compile(r"^```mermaid\n.*?^```$", re.M | re.S)
PICTURE = "![the state machine](images/graph.svg)"


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Replace each link that leaves docs/ by its words and the file it named, and Mermaid by the picture."""
    docs = Path(config["docs_dir"]).resolve()
    here = (docs / page.file.src_uri).parent

    def replaced(found: re.Match[str]) -> str:
        target = (here / found[2].partition("#")[0]).resolve()
        if target.is_relative_to(docs):
            return found[0]
        name = target.relative_to(docs.parent).as_posix()
        return f"`{name}`" if found[1] in name else f"{found[1]} (`{name}`)"

    return LINK.sub(replaced, MERMAID.sub(PICTURE, markdown))
