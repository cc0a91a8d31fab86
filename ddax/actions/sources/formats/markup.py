"""A tree of HTML as text: a paragraph a block, and a line a row of a table of data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ddax.actions.sources.formats.tables import table_lines

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

BLOCKS = (
    "address,article,aside,blockquote,dd,div,dl,dt,fieldset,figcaption,figure,footer,form,h1,h2,h3,h4,"
    "h5,h6,header,hr,li,main,nav,ol,p,pre,section,table,tr,ul"
)
LINES = "br,td,th"
PLACED = frozenset({"h1", "h2", "h3", "h4", "pre"})
"""What stands in a cell of a table that only places the parts of a page, as one with a table in it does."""
BLOCK_BREAK, LINE_BREAK = "\x1e", "\x1f"
MAX_TABLES = 200


def parsed(markup: str) -> LexborHTMLParser:
    """Parse a page; the signs that part blocks and lines are none of its own."""
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(markup.replace(BLOCK_BREAK, " ").replace(LINE_BREAK, " "))


def part(tree: LexborHTMLParser) -> int:
    """Part the blocks and lines of a page by signs, and return how many tables of data it has."""
    tables = _mark_tables(tree)
    for selector, sign in ((BLOCKS, BLOCK_BREAK), (LINES, LINE_BREAK)):
        for node in tree.css(selector):
            if node.parent is not None:
                node.insert_before(sign)
                node.insert_after(sign)
    return tables


def text_of(node: LexborNode) -> str:
    """Return the text of a node whose parts are parted, its blocks with an empty line between them."""
    blocks = node.text(separator="").split(BLOCK_BREAK)
    return "\n\n".join(filter(None, (_tidy_lines(block) for block in blocks)))


def _tidy_lines(block: str) -> str:
    """Collapse the white space of a block, keeping the breaks of its lines."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in block.split(LINE_BREAK))))


def _mark_tables(tree: LexborHTMLParser) -> int:
    """Put the lines of a table in the place of each data table's rows; return how many there are."""
    count, laid_out = 0, _layouts(tree)
    for table in tree.css("table")[:MAX_TABLES]:
        if table.mem_id in laid_out:
            continue
        rows = [(row, cells) for row in table.css("tr") if (cells := row.css("td,th"))]
        if sum(len(cells) > 1 for _, cells in rows) < 2:
            continue
        count += 1
        headed = all(cell.tag == "th" for cell in rows[0][1])
        lines = table_lines([[_cell_text(cell) for cell in cells] for _, cells in rows], headed=headed)
        for row, _ in rows[1:]:
            row.remove()
        rows[0][0].replace_with(f"{BLOCK_BREAK}{LINE_BREAK.join(lines)}{BLOCK_BREAK}")
    return count


def _layouts(tree: LexborHTMLParser) -> set[int]:
    """Return the `mem_id` of each table that only places the parts of a page, found in one walk."""
    found: set[int] = set()
    around: list[list[int]] = []  # of each table a node stands in: its id, and how many of its cells are open
    for node, step in _walk(tree.root):
        if node.tag == "table" and step < 0:
            around.pop()
        elif around and node.tag == "td":
            around[-1][1] += step
        elif step > 0 and node.tag == "table":
            if around:
                found |= {around[-1][0], node.mem_id}
            around.append([node.mem_id, 0])
        elif step > 0 and node.tag in PLACED and around and around[-1][1]:
            found.add(around[-1][0])
    return found


def _walk(top: LexborNode | None) -> Iterator[tuple[LexborNode, int]]:
    """Yield each node of a tree in the order of the page: with 1 where it begins, with -1 where it ends."""
    node, depth = top, 1
    while node is not None:
        yield node, 1
        if node.child is not None:
            node, depth = node.child, depth + 1
            continue
        yield node, -1
        while node.next is None:
            node, depth = node.parent, depth - 1
            if node is None or not depth:
                return
            yield node, -1
        node = node.next


def _cell_text(cell: LexborNode) -> str:
    """Return what a cell says, on one line."""
    return " ".join(cell.text(deep=True, separator=" ").split())
