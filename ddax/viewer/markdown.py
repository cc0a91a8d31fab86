"""A run as Markdown: the answer with its sources, the tree of ideas, the decisions, what it took.

What came from outside is escaped, so that no renderer reads it as markup, link or picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ddax.graph.reports.footnotes import footnoted, without_sources
from ddax.ideas import dag
from ddax.reasoning.statements import parts
from ddax.wording import REMEMBERED, amount

if TYPE_CHECKING:
    from ddax.types import JsonDict

_SPECIAL = re.compile(r"([\\`*_\[\]<>#!|~&@$^]|:(?=//)|(?<=www)\.|^[-+=]|^\d+(?=[.)]))", re.IGNORECASE)
"""What begins markup, and what a renderer would make a link of by itself."""
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e01ef]+"
)
LONG = 400
_LEAD = re.compile(r"\s*(?:#{1,6}|[-*+]|\d{1,3}[.)]|>)\s+")
"""What begins a block of an answer: a heading, an item, a quotation."""


def plain(text: object, most: int = LONG) -> str:
    """Return a text as one line that Markdown shows as it is."""
    line = " ".join(_CONTROL.sub(" ", str(text)).split())
    cut = line if len(line) <= most else line[: most - 1].rstrip() + "…"
    return _SPECIAL.sub(lambda found: _escaped(found.group()), cut)


def _escaped(sign: str) -> str:
    return f"{sign}\\" if sign.isdecimal() else f"\\{sign}"


def markdown(run: JsonDict) -> str:
    """Return a gathered run as Markdown."""
    return "\n".join([*_head(run), *_answer(run), *_tree(run), *_steps(run), *_cost(run)]) + "\n"


def _head(run: JsonDict) -> Iterator[str]:
    info, result = run["standing"]["run"], run["standing"]["result"]
    yield f"# {plain(info['task'])}"
    yield ""
    reason = f" ({plain(result['stop_reason'])})" if result["stop_reason"] else ""
    ideas, steps = amount(result["ideas"], "idea"), amount(result["steps"], "step")
    yield (
        f"Thread {plain(info['thread_id'])}: {plain(info['status'])}{reason}, {ideas} in"
        f" {steps}, identity {plain(run['standing']['identity'] or 'none')}, written"
        f" {plain(run['written'])} by ddax {plain(run['ddax'])}."
    )


def _answer(run: JsonDict) -> Iterator[str]:
    result = run["standing"]["result"]
    yield "\n## Answer\n"
    yield from _document(result) if result["answer"].strip() else ("No answer.",)
    for note in result.get("notes", ()):
        yield f"\n{plain(note)}"
    if result["citations"]:
        yield "\n## Sources\n"
        for number, cited in enumerate(result["citations"], 1):
            mark = REMEMBERED if cited.get("remembered") else ""
            yield f"{number}. {plain(cited['title'] or cited['source'])}, {plain(cited['source'])}{mark}"
            yield f"   > {plain(cited['quote'], 1000)}"
    for title, rows, said in (
        ("Doubtful", result["doubts"], "why"),
        ("What failed", result["failures"], "cause"),
    ):
        if rows:
            yield f"\n## {title}\n"
            yield from (f"- {plain(row.get('title', ''))}: {plain(row.get(said, ''))}" for row in rows)


def _document(result: Mapping[str, Any]) -> Iterator[str]:
    """Return the answer with its footnotes, by lines: its blocks stay, what begins other markup does not."""
    text, legend = footnoted(without_sources(result))
    for start, end, fenced in parts(text):
        lines = text[start:end].splitlines() or [""]
        yield from lines if fenced else (_line(line) for line in lines)
    if legend:
        yield ""
        yield from (f"- {plain(words)}" for words in legend)


def _line(line: str) -> str:
    """Return a line of the answer; one that begins a block still does."""
    if line.lstrip().startswith("|"):
        cells = line.strip().strip("|").split("|")
        ruler = not line.strip(" |:-\t")
        return f"| {' | '.join(cell.strip() if ruler else plain(cell) for cell in cells)} |"
    lead = _LEAD.match(line)
    front = lead.group() if lead else ""
    rest = plain(line[len(front) :], 20_000)
    return f"**{rest}**" if front.lstrip().startswith("#") else f"{front}{rest}"


def _tree(run: JsonDict) -> Iterator[str]:
    yield "\n## Ideas\n"
    for key in sorted(run["details"], key=dag.sort_key):
        idea: Mapping[str, Any] = run["details"][key]["idea"]
        value = f", value {idea['Q']:.2f} after {amount(idea['N'], 'visit')}" if idea.get("N") else ""
        yield f"{'  ' * int(idea.get('depth', 0))}- `{key}` {plain(idea['title'])} ({idea['status']}{value})"
        if idea.get("result"):
            yield f"{'  ' * int(idea.get('depth', 0))}  {plain(idea['result'])}"


def _steps(run: JsonDict) -> Iterator[str]:
    yield "\n## Steps\n"
    yield "| step | ran | rule | ideas | ρ | ε | mood | tokens |"
    yield "|---:|---|---|---:|---:|---:|---|---:|"
    for row in run["moments"]:
        yield (
            f"| {row['step']} | {plain(', '.join(row['ran']) or 'start')} | {plain(row['rule'], 60)} |"
            f" {row['ideas']} | {_number(row['rho'])} | {_number(row['epsilon'])} | {plain(row['mood'])} |"
            f" {row['tokens']} |"
        )


def _cost(run: JsonDict) -> Iterator[str]:
    usage = run["standing"]["result"]["usage"]
    yield "\n## What it took\n"
    usd = usage.get("usd")
    price = "price unknown" if usd is None else f"${usd:.4f}"
    yield (
        f"{amount(usage.get('model_calls', 0), 'model call')}, {amount(usage.get('tokens', 0), 'token')},"
        f" {price}, {float(usage.get('seconds') or 0.0):.1f} s."
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
