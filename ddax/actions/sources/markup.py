"""A tree of HTML as text: a paragraph a block, and a line a row of a table of data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddax.actions.sources.tables import table_lines

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

BLOCKS = (
    "address,article,aside,blockquote,dd,div,dl,dt,fieldset,figcaption,figure,footer,form,h1,h2,h3,h4,"
    "h5,h6,header,hr,li,main,nav,ol,p,pre,section,table,tr,ul"
)
LINES = "br,td,th"
LAID_OUT = "table table,td h1,td h2,td h3,td h4,td pre"
"""What stands in a table that only places the parts of a page."""
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
    count = 0
    for table in tree.css("table")[:MAX_TABLES]:
        rows = [(row, cells) for row in table.css("tr") if (cells := row.css("td,th"))]
        if table.css_first(LAID_OUT) or sum(len(cells) > 1 for _, cells in rows) < 2:
            continue
        count += 1
        headed = all(cell.tag == "th" for cell in rows[0][1])
        lines = table_lines([[_cell_text(cell) for cell in cells] for _, cells in rows], headed=headed)
        for row, _ in rows[1:]:
            row.remove()
        rows[0][0].replace_with(f"{BLOCK_BREAK}{LINE_BREAK.join(lines)}{BLOCK_BREAK}")
    return count


def _cell_text(cell: LexborNode) -> str:
    """Return what a cell says, on one line."""
    return " ".join(cell.text(deep=True, separator=" ").split())
