"""Gather a whole run for a file: the picture, the moments, all that is known of each idea, their pages."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ddax import __version__
from ddax.viewer.details import detail, logs_of, page_of, tasks_of
from ddax.viewer.story import small, thinned

if TYPE_CHECKING:
    from ddax.types import JsonDict
    from ddax.viewer.reading import Reader

FORMAT = 1
MOMENTS = 4000
PAGES = 4_000_000
"""Characters of stored pages that go into a file; further pages are left out, and the page says so."""
TEXT = 2_000
"""Characters of one thing read that go into a file beside the page it is from."""


async def kept(reader: Reader, thread: str) -> JsonDict:
    """Return everything the page shows of a thread, as plain JSON."""
    standing, _ = await reader.now(thread)
    ideas, work, _ = await reader.ideas(thread)
    info = await reader.known(thread)
    logs = await logs_of(reader, info, await tasks_of(reader, info, work))
    details: dict[str, JsonDict] = {}
    marks: dict[str, list[JsonDict]] = {}
    for key, idea in ideas.items():
        details[key], own = await detail(reader, info, idea, logs)
        _shorten(details[key])
        for source, places in own.items():
            marks.setdefault(source, []).extend(places)
    return {
        "format": FORMAT,
        "ddax": __version__,
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "standing": standing,
        "moments": merged(await reader.moments(thread), MOMENTS),
        "details": details,
        "pages": await _pages(reader, thread, marks),
    }


def merged(rows: list[JsonDict], most: int) -> list[JsonDict]:
    """Return at most so many moments; a left-out one's patch goes into the next that stays."""
    kept_ids = {row["id"] for row in thinned(rows, most)}
    found: list[JsonDict] = []
    patch: dict[str, JsonDict] = {}
    for row in rows:
        for key, fields in row["patch"].items():
            patch[key] = {**patch.get(key, {}), **small(fields)}
        if row["id"] in kept_ids:
            found.append({**row, "patch": patch})
            patch = {}
    return found


def _shorten(found: JsonDict) -> None:
    """Cut what is long and stands in its page as well."""
    for one in found["saw"]:
        one["text"] = one["text"] if len(one["text"]) <= TEXT else one["text"][:TEXT] + " …"
    for places in found["marks"].values():
        for place in places:
            place.pop("text", None)


async def _pages(reader: Reader, thread: str, marks: Mapping[str, list[JsonDict]]) -> dict[str, Any]:
    info, pages, size = await reader.known(thread), {}, 0
    for source, places in marks.items():
        page = await page_of(reader, info, source, places)
        if page is None or size + len(page["text"]) > PAGES:
            continue
        pages[source] = page
        size += len(page["text"])
    return pages
