"""Pages that offer the opposite of what is asked: nothing may be pressed on them."""

from __future__ import annotations

from html import escape

from benchmarks.pages_site import HEAD, Asked, SitePage

PAIRS = """Delete/Cancel Accept/Decline Save/Discard Approve/Reject Keep/Delete Confirm/Cancel Allow/Block
Yes/No Enable/Disable Subscribe/Unsubscribe Follow/Unfollow Like/Dislike Open/Close Start/Stop Add/Remove
Show/Hide Lock/Unlock Join/Leave Agree/Disagree Continue/Abort Publish/Unpublish Mute/Unmute
Install/Uninstall Check/Uncheck Connect/Disconnect""".split()  # noqa: SIM905
SHAPES = (
    "<button onclick='did(1)'>{have}</button> <button>Home</button>",
    "<a href='#' onclick='did(1);return false'>{have}</a> <a href='#top'>Home</a>",
    "<ul role=menu><li role=menuitem tabindex=-1 onclick='did(1)'>{have}</li>"
    "<li role=menuitem tabindex=-1>Help</li></ul>",
    "<form onsubmit='did(1);return false'><label>Name <input value=Ann></label>"
    "<button>{have}</button></form>",
)
"""How a page offers one of a pair; all four record a press."""


def opposite_pages() -> tuple[SitePage, ...]:
    """Return a page for each pair, way round and shape: it has one of the pair and is asked for the other."""
    pages = []
    for pair in PAIRS:
        for wanted, have in (pair.split("/"), pair.split("/")[::-1]):
            for number, shape in enumerate(SHAPES):
                name = f"{wanted}-{have}-{number}".lower()
                order = Asked(name, f"Click {wanted}.", impossible=True)
                html = f"{HEAD}<title>A page</title><h1>Report</h1>{shape.format(have=escape(have))}"
                pages.append(SitePage(name, html, (order,)))
    return tuple(pages)
