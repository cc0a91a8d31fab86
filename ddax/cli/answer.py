"""The result of a run in words: answer, citations, what it took, what failed, how to go on."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from ddax.cli.backend import Output, how_to
from ddax.cli.facts import detail_lines, end_lines
from ddax.cli.text import clean, clean_block, dump_json, folded
from ddax.errors import BudgetExceeded, ReasonerError
from ddax.wording import REMEMBERED

QUOTE = 240
UNASKED = "nobody there to ask: "
"""How the cause begins of what was given up since nobody could be asked."""
UNCHECKED = "(not checked)"
"""Stands behind a short answer that no quote says."""
CUT_SHORT = frozenset({BudgetExceeded.exit_code, ReasonerError.exit_code})
"""Exit codes of a run that ended by a cap, a standstill or its model, so that the same may be asked again."""
CAP_FLAGS = {"max_steps": "--max-steps", "max_usd": "--max-usd", "max_seconds": "--max-seconds"}
"""The flags of `ddax run` that set a cap; the others are settings alone."""
_CAP = re.compile(r"budget: (?:the cap )?(\w+) ?= ?([\d.e+-]+)")
"""A cap with its value, as the reason of a stop names it."""


def print_result(result: Mapping[str, Any], output: Output) -> int:
    """Print a result, as the one JSON object or in words, and return its exit code."""
    from ddax.graph.results import exit_code_of

    if output.json:
        output.result(result)
    for line in folded(quiet_lines(result) if output.quiet else result_lines(result)):
        output.say(line)
    return exit_code_of(result)  # type: ignore[arg-type]  # a RunResult seen as a mapping


def quiet_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Return the answer alone; of a thread that waits, its question and how to answer it."""
    from ddax.graph.reports.footnotes import report_of

    yield clean_block(report_of(result)).strip() or "No answer."
    if result["status"] == "waiting":
        yield from question_lines(result)
        yield _go_on(result)


def result_lines(result: Mapping[str, Any], *, details: bool = False) -> Iterator[str]:
    """Return a result as lines for people, the answer first; the numbers of the run only as `details`."""
    yield ""
    if result.get("short"):
        mark = f" {UNCHECKED}" if result.get("short_unsupported") and not _own(result) else ""
        yield f"In short: {clean(result['short'])}{mark}"
        yield ""
    if result["answer"].strip():
        yield from _answer(result)
    else:
        yield "No answer."
    yield from _notes(result)
    yield from _citations(result)
    yield from _doubts(result)
    yield from _overridden(result)
    yield from _failures(result)
    yield from _shown(result)
    yield from question_lines(result)
    yield ""
    yield from detail_lines(result) if details else end_lines(result)
    yield _go_on(result)


def _go_on(result: Mapping[str, Any]) -> str:
    from ddax.graph.results import exit_code_of
    from ddax.graph.threads.manifests import CANCELLED, OVER

    thread = result["thread_id"]
    if result.get("given"):
        return _in_python(result)
    if result["status"] == "stopped" and result["stop_reason"] == CANCELLED:
        return f"Go on: {how_to('resume', thread)}"
    if result["status"] in OVER:
        if exit_code_of(result) in CUT_SHORT:  # type: ignore[arg-type]  # as in `print_result`
            return f"Ask again, with what was read: {_again(result)}"
        return f'Follow up: {how_to("run --thread", thread)} "NEXT QUESTION"'
    if result["status"] == "waiting":
        return f'Answer: {how_to("answer", thread)} "go on"'
    if result["status"] == "running":
        return f"It runs in another process. To stop it: {how_to('cancel', thread)}"
    return f"Go on: {how_to('resume', thread)}"


def _in_python(result: Mapping[str, Any]) -> str:
    """Say how to go on with a thread whose model is an object, which no command can be given."""
    from ddax.graph.threads.manifests import CANCELLED, OVER

    thread, other = result["thread_id"], "--model embedded"
    if result["status"] == "waiting":
        told, line = (
            f'agent.resume({thread!r}, answer="go on")',
            f"{how_to('resume', thread)} --answer 'go on' {other}",
        )
    elif result["status"] in OVER and result["stop_reason"] != CANCELLED:
        told = f'agent.run("NEXT QUESTION", thread={thread!r})'
        line = f'{how_to("run --thread", thread)} {other} "NEXT QUESTION"'
    else:
        told, line = f"agent.resume({thread!r})", f"{how_to('resume', thread)} {other}"
    return f"Go on in Python, where its model is given: {told}; here with another model: {line}"


def _again(result: Mapping[str, Any]) -> str:
    """Return the command that asks again without what ended the run: under a higher cap, by another model."""
    line = how_to("run --thread", result["thread_id"])
    if result["status"] == "failed":
        return f'{line} --model provider:model "TASK"'
    cap = _CAP.match(result["stop_reason"])
    if cap is None or cap[1] not in CAP_FLAGS:
        return f'{line} "TASK"'
    return f'{line} {CAP_FLAGS[cap[1]]} {2 * float(cap[2]):g} "TASK"'


def _citations(result: Mapping[str, Any]) -> Iterator[str]:
    if not result["citations"]:
        return
    yield ""
    yield "Sources:"
    for number, citation in enumerate(result["citations"], 1):
        title, source = clean(citation["title"], 100), clean(citation["source"], 200)
        named = f"{title} <{source}>" if title and title != source else f"<{source}>"
        yield f"  [{number}] {named}{REMEMBERED if citation.get('remembered') else ''}"
        yield textwrap.indent(f"“{clean(citation['quote'], QUOTE)}”", "      ")


def _answer(result: Mapping[str, Any]) -> Iterator[str]:
    """Return the answer with its footnotes, and what their signs say."""
    from ddax.graph.reports.footnotes import footnoted, without_sources

    text, legend = footnoted(without_sources(result))
    yield clean_block(text).strip()
    if legend:
        yield ""
        yield from legend


def _own(result: Mapping[str, Any]) -> bool:
    """Tell whether the model knew all of an answer itself, so that nothing could be checked."""
    return {span["status"] for span in result.get("spans") or []} == {"knowledge"}


def _notes(result: Mapping[str, Any]) -> Iterator[str]:
    if result.get("notes"):
        yield ""
    for note in result.get("notes") or []:
        yield f"Note: {clean(note)}"


def _doubts(result: Mapping[str, Any]) -> Iterator[str]:
    if not result.get("doubts"):
        return
    yield ""
    yield "Doubtful:"
    for doubt in result["doubts"]:
        yield f"  {clean(doubt.get('title', ''), 100)}: {clean(doubt.get('why', ''), 160)}"


def _overridden(result: Mapping[str, Any]) -> Iterator[str]:
    if not result.get("overrides"):
        return
    yield ""
    yield "Overridden:"
    yield from map(override_line, result["overrides"])


def override_line(row: Mapping[str, Any]) -> str:
    """Return an override in one line: who made it, whether it stands, and what it put in place of what."""
    state = f"regretted by {clean(row['reverted_by'], 60)}" if row["regret"] else "stands"
    own, human = clean(row["agent_output"], 70), clean(row["human_decision"], 70)
    return f"  override {row['id']} by {clean(row['human'], 60)} ({state}): {own} → {human}"


def _failures(result: Mapping[str, Any]) -> Iterator[str]:
    held = [row for row in result["failures"] if str(row.get("cause", "")).startswith(UNASKED)]
    for head, rows in (
        ("What failed:", [row for row in result["failures"] if row not in held]),
        ("Left out, since nobody was there to be asked (with --human you are):", held),
    ):
        if rows:
            yield ""
            yield head
        for row in rows:
            cause = clean(str(row.get("cause", "")).removeprefix(UNASKED), 200)
            yield f"  {clean(row.get('title', ''), 80)}: {cause}"


def question_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Return the question a thread waits with, its choices and what it is about; none where none waits."""
    question = result.get("question")
    if not question:
        return
    yield ""
    if question.get("problem"):
        yield f"The last answer did not fit: {clean(question['problem'], 300)}."
    yield f"Question: {clean(question.get('text', question))}"
    yield from _action(question)
    if question.get("options"):
        yield f"Options: {', '.join(clean(option, 60) for option in question['options'])}"
    for candidate in question.get("candidates", ()):
        yield f"  {clean(candidate['id'], 40)} {clean(candidate['title'], 80)}"


def _shown(result: Mapping[str, Any]) -> Iterator[str]:
    """Say what a dry run would have done."""
    if "shown" not in result:
        return
    yield ""
    yield "A dry run: nothing was done that others could see." + (" Not done:" if result["shown"] else "")
    for row in result["shown"]:
        name, ruling = clean(row["action"], 80), clean(row["ruling"], 20)
        yield f"  {clean(row['leaf'], 40)} {name} ({row['effect']}): {ruling}"
        for name, value in row["args"].items():
            yield f"    {clean(name, 80)} = {dump_json(value, indent=None)}"


def _action(question: Mapping[str, Any]) -> Iterator[str]:
    """Show an action whole: a line that is cut could hide what matters."""
    call = question.get("action")
    if not call:
        return
    yield f"Action: {clean(call['name'], 80)} ({clean(question.get('effect', ''), 20)})"
    for name, value in call.get("args", {}).items():
        yield f"  {clean(name, 80)} = {dump_json(value, indent=None)}"
    if question.get("origins"):
        yield f"Data from: {', '.join(clean(name, 80) for name in question['origins'])}"
    if question.get("bound"):
        yield f"Bound to exactly these arguments: {clean(question['bound'], 20)}"
