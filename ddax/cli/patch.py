"""Prints a repair: the diff in colour, what it rests on, and how far to trust it."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ddax.cli.board import cost_words
from ddax.cli.proposed import (
    NOT_APPLIED,
    changed_files,
    finding_row,
    print_proposals,
    proposal_row,
    told_chance,
)
from ddax.cli.text import clean, clean_block
from ddax.wording import NO_END_OF_ITSELF, NOT_INSTALLED, UNCOLLECTED, amount

if TYPE_CHECKING:
    from ddax.cli.backend import Output
    from ddax.evolution.records import RepairResult
    from ddax.evolution.written_back import Kept

TRUST = {
    "separate": "tests in a process of their own agree; the candidate could not touch them",
    "confirmed": "a fresh sandbox agrees, with tests and candidate in one process",
    "plausible": "only the warm worker has judged",
    "none": "nothing was found",
}
NOT_WRITTEN = "Nothing was written. With --apply the repair is written and the original is kept."
FAILURES = 3
"""Failing tests that are shown of a search that found nothing."""
MORE_TIME = 3
"""How many times the given seconds are advised where they ran out."""
_COLOURS = {"+": "32", "-": "31", "@": "36"}


def _coloured() -> bool:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def diff_lines(diff: str, *, colour: bool) -> list[str]:
    """Return a diff as safe lines, in colour where asked."""
    lines = []
    for line in diff.splitlines():
        code = _COLOURS.get(line[:1], "")
        if line.startswith(("+++", "---")):
            code = "1"
        text = clean_block(line)
        lines.append(f"\x1b[{code}m{text}\x1b[0m" if colour and code else text)
    return lines


_FIRST = {
    "SyntaxError": "mend the syntax first: what is no program yet cannot be searched",
    "IndentationError": "mend the indentation first: what is no program yet cannot be searched",
    NOT_INSTALLED: "install what is missing, or name the Python that has it: --python PATH",
}
"""What helps before any search, by a sign of it in what the tests said."""


_TESTS = {
    f"ModuleNotFoundError: {NOT_INSTALLED}": _FIRST[NOT_INSTALLED],
    "ConftestImportFailure": "mend what conftest.py imports and does first: no test runs before it loads",
    UNCOLLECTED: 'mend that first, or leave the file out: --tests "pytest --ignore FILE"',
    NO_END_OF_ITSELF: 'end that test, or leave it out: --tests "pytest FILES --deselect FILE::TEST"',
}
"""What helps where it is the tests that keep a search from finding anything."""


def _holds(sign: str, result: RepairResult) -> bool:
    """Say whether no test runs for a reason, or one of them does not end by itself."""
    signs = sum(sign in failure for failure in result.failures)
    named = sum("::" in failure for failure in result.failures)
    every = not result.tests_before[0] and signs == named
    return signs > 0 and (every or sign == NO_END_OF_ITSELF or not result.tried)


def _wants_a_name(result: RepairResult) -> bool:
    """Say whether a test imports a name from a file of the program that does not have it."""
    asked = [failure for failure in result.failures if "cannot import name" in failure]
    return any(f"({path})" in failure for failure in asked for path in result.files)


def _mend_of_tests(result: RepairResult) -> str:
    """Return what helps where it is the tests that are to be mended; "" where it is the code."""
    if _wants_a_name(result) and not result.tried:
        asked = "" if result.usage.model_calls else ", or ask a model: --model provider:model"
        return f"write what is imported, or mend the import{asked}"
    return next((mend for sign, mend in _TESTS.items() if _holds(sign, result)), "")


def mend_of(result: RepairResult, seconds: float) -> str:
    """Return what may help a search that found nothing in its `seconds`; "" for any other."""
    words = []
    if result.out_of_time:
        words.append(f"Give it more time: --budget {math.ceil(MORE_TIME * seconds)}s")
    if result.tried and not result.patched and not result.usage.model_calls:
        words.append("ask a model, which makes more than small edits: --model provider:model")
    told = " ".join(result.failures)
    unloaded = not result.tried or told.startswith("ModuleNotFoundError")
    if unloaded and not result.patched and not result.out_of_time:
        words = [mend for sign, mend in _FIRST.items() if sign in told][:1] or words
    if not result.patched:
        words = [mend] if (mend := _mend_of_tests(result)) else words
    mend = ", or ".join(words)
    return mend[:1].upper() + mend[1:]


def as_json(result: RepairResult, *, sandbox: str, applied: Kept | None, seconds: float) -> dict[str, Any]:
    """Return a result as the one JSON object; only changed files are in it, with their whole text."""
    value = asdict(replace(result, proposals=(), finding=None))
    for key in ("tests_before", "tests_after", "held_out"):
        passed, total = value[key]
        value[key] = {"passed": passed, "total": total}
    value["suspicious"] = [
        {"path": path, "line": line, "score": round(score, 3)} for path, line, score in result.suspicious
    ]
    value["files"] = changed_files(result.diff, result.files)
    value["finding"] = finding_row(result.finding)
    value["proposals"] = [proposal_row(number, one) for number, one in enumerate(result.proposals, 1)]
    value["candidates"] = value.pop("tried")
    return {
        **value, "solved": result.solved, "trust_meaning": TRUST[result.trust], "sandbox": sandbox,
        "applied": applied is not None,
        "kept": str(applied.folder) if applied else "", "mend": mend_of(result, seconds),
    }  # fmt: skip


def print_suspects(result: RepairResult, files: Mapping[str, str], output: Output) -> None:
    """Print where the fault is suspected: Ochiai's coefficient and the text of each line."""
    output.say("\nSuspected lines (1 is most suspected: run by failing tests, not by passing ones):")
    for path, line, score in result.suspicious:
        lines = files.get(path, "").splitlines()
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        output.say(f"  {score:.2f}  {clean(path)}:{line}  {clean(output.redactor.text(text), 70)}")
    if not result.suspicious:
        output.say("  none: no failing test runs a line of this code")


def print_repair(
    result: RepairResult, kept: Kept | None, output: Output, *, seconds: float, hint: str = NOT_WRITTEN
) -> None:
    """Print a result for people: `seconds` it had, `hint` is the last line where nothing was written."""
    before, after = result.tests_before, result.tests_after
    hidden = result.held_out[1]
    apart = f"; {hidden} more {'is' if hidden == 1 else 'are'} held out, to judge a patch" if hidden else ""
    output.say(f"Before:   {before[0]} of {amount(before[1], 'test passes', 'tests pass')}{apart}")
    if not result.patched:
        output.say(f"{clean(result.reasoning[:1].upper() + result.reasoning[1:])}.")
        if result.tried:
            output.say(f"Tried:    {amount(result.tried, 'candidate')} in {result.seconds:.1f} s")
        _say_cost(result, output)
        left = amount(before[1] - before[0] - FAILURES, "more failing test")
        more = [f"and {left}"] if len(result.failures) > FAILURES else []
        for line in (*result.failures[:FAILURES], *more, *result.caveats):
            output.say(f"  - {clean(line, 200)}")
        if _mend_of_tests(result):
            missing = "a test imports what this code does not have, and no small edit writes it"
            outside = "what keeps a test from passing lies outside of this code"
            output.say(f"Why:      {missing if _wants_a_name(result) else outside}")
        elif result.out_of_time:
            share = "the search's share of " if _ended_early(result, seconds) else ""
            output.say(f"Why:      {share}its {seconds:g} s ran out before every candidate was tried")
        if mend := mend_of(result, seconds):
            output.say(f"Mend:     {mend}")
        return
    also = f", and {result.held_out[0]} of {hidden} held out" if hidden else ""
    output.say(f"After:    {after[0]} of {amount(after[1], 'test passes', 'tests pass')}{also}")
    if not result.diff:
        output.say(f"Tried:    {amount(result.tried, 'candidate')} in {result.seconds:.1f} s")
        _say_cost(result, output)
        coloured = [diff_lines(one.diff, colour=_coloured()) for one in result.proposals]
        for line in result.caveats:
            output.say(f"  - {clean(line, 200)}")
        print_proposals(result, output, coloured, NOT_APPLIED if hint == NOT_WRITTEN else hint)
        return
    output.say()
    output.say("\n".join(diff_lines(result.diff, colour=_coloured())))
    output.say()
    output.say(f"What:     {clean(result.hypothesis, 400)}")
    output.say(f"Why:      {clean(result.reasoning, 400)}")
    times = f"{result.seconds:.1f} s, found after {result.first_seconds:.1f} s"
    output.say(f"Tried:    {amount(result.tried, 'candidate')} in {times}")
    _say_cost(result, output)
    output.say(f"Trust:    {result.trust}: {TRUST[result.trust]}")
    if result.finding is not None:
        output.say(told_chance(result.finding))
    for line in result.caveats:
        output.say(f"  - {clean(line, 200)}")
    if kept is None:
        output.say(hint)
    else:
        output.say(
            f"Written:  {', '.join(map(clean, kept.files))}. `ddax fix --undo` puts the original back."
        )


def _ended_early(result: RepairResult, seconds: float) -> bool:
    """Tell whether a model had the rest of the time and did not use it."""
    return bool(result.usage.model_calls) and result.seconds < seconds


def _say_cost(result: RepairResult, output: Output) -> None:
    if result.usage.model_calls:
        output.say(f"Model:    {cost_words(result.usage.row())}")
