"""Markdown as a reader sees it: without comments and struck text, each row of a table between bars.

What stands in code is left as it is. A struck text holds no more, and a comment is shown to nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddax.text.chunks import FENCE
from ddax.text.table_rows import BAR, cells_of

REACH = 400
"""Characters in which code in a line, or a struck text, has to end."""
_SIGN = re.compile(
    r"(?P<fence>^[ \t]*(?P<mark>`{3,}|~{3,}))|(?P<ticks>`+)|(?P<comment><!--)"
    r"|(?P<struck>(?<![~\\])~~(?=[^\s~])|<(?P<tag>del|strike|s)>)",
    re.MULTILINE,
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_DIVIDER = re.compile(r"[ \t]*+\|?(?:[ \t]*+:?-++:?[ \t]*+\|)++(?:[ \t]*+:?-++:?[ \t]*+)?$")


def as_shown(text: str) -> str:
    """Leave out of Markdown what is not shown and what is struck, and write its tables with bars."""
    kept: list[str] = []
    place = 0
    for start, end in _left_out(text):
        kept.append(text[place:start])
        joined = start == 0 or text[start - 1].isspace()
        # Two blanks that meet would be a gap, as between columns.
        place = end + (joined and text[end : end + 1] == " ")
    return with_bars("".join(kept) + text[place:])


def _left_out(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of comments and of struck text."""
    place, last = 0, text.rfind("-->")
    while sign := _SIGN.search(text, place):
        place = sign.end()
        if sign["fence"]:
            place = _end_of_block(text, sign)
        elif sign["ticks"]:
            place = _within(text, place, rf"(?<!`){sign['ticks']}(?!`)") or place
        else:
            end = _end_of_comment(text, sign, last) if sign["comment"] else _end_of_struck(text, sign)
            if end:
                yield sign.start(), end
                place = end


def _end_of_block(text: str, sign: re.Match[str]) -> int:
    """Return where a block of code ends: one that is not closed goes on to the end of the text."""
    closing = re.compile(rf"^[ \t]*{sign['mark']}[`~]*[ \t]*$", re.MULTILINE).search(text, sign.end())
    return closing.end() if closing else len(text)


def _end_of_comment(text: str, sign: re.Match[str], last: int) -> int:
    """Return where a comment ends; one that is not closed hides the rest where it begins a line."""
    if sign.end() <= last:
        return text.find("-->", sign.end()) + len("-->")
    begins = not text[text.rfind("\n", 0, sign.start()) + 1 : sign.start()].strip()
    return len(text) if begins else 0


def _end_of_struck(text: str, sign: re.Match[str]) -> int:
    return _within(text, sign.end(), f"</{sign['tag']}>" if sign["tag"] else r"(?<=[^\s~])~~(?!~)")


def _within(text: str, start: int, closing: str) -> int:
    """Return where the next sign that closes ends, in the same paragraph and within `REACH`; 0 for none."""
    blank = _PARAGRAPH.search(text, start, start + REACH)
    found = re.compile(closing).search(text, start, blank.start() if blank else start + REACH)
    return found.end() if found else 0


def with_bars(text: str) -> str:
    """Write the rows of tables that have no bars at their rims with them, as other rows have."""
    lines, fenced, table = text.split("\n"), False, False
    for row, line in enumerate(lines):
        fenced = fenced != (FENCE.match(line) is not None)
        heads = row + 1 < len(lines) and _heads(line, lines[row + 1])
        table = not fenced and BAR.search(line) is not None and (table or heads)
        if table:
            lines[row] = _barred(line)
    return "\n".join(lines)


def _heads(line: str, below: str) -> bool:
    """Tell whether a line names the columns of a table: below it, a ruler has as many."""
    return _DIVIDER.match(below) is not None and len(cells_of(line)) == len(cells_of(below))


def _barred(row: str) -> str:
    inner = row.strip()
    front = "" if inner.startswith("|") else "| "
    back = "" if inner.endswith("|") and not inner.endswith(r"\|") else " |"
    return f"{front}{inner}{back}"
