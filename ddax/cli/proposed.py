"""Shows the proposals of a repair: each diff, what it lacks to be a fix, and what tells them apart."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ddax.cli.text import clean, clean_block

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ddax.cli.backend import Output
    from ddax.evolution.judging.evidence import Finding
    from ddax.evolution.records import Proposal, RepairResult

NOT_APPLIED = "Nothing was written: a proposal is no fix. Look at it, then write it: --accept N"


def changed_files(diff: str, files: Mapping[str, str]) -> dict[str, str]:
    """Return the files that a diff changes, whole."""
    changed = {line[6:] for line in diff.splitlines() if line.startswith("+++ b/")}
    return {path: text for path, text in files.items() if path in changed}


def finding_row(finding: Finding | None) -> dict[str, Any] | None:
    """Return what was made of a patch as plain values."""
    if finding is None:
        return None
    return {
        "evidence": asdict(finding.evidence), "kinds": list(finding.kinds),
        "chance": round(finding.chance, 3), "lacks": list(finding.lacks),
    }  # fmt: skip


def told_chance(finding: Finding) -> str:
    """Tell how likely a patch is to be right, and what stands behind the number."""
    from ddax.evolution.tables import table

    count = table("judging/weights").get("patches")
    by = f"fitted to {count} patches" if count else "set by hand"
    return f"Chance:   estimated at {finding.chance:.0%} that it is right, by weights {by}"


def proposal_row(number: int, one: Proposal) -> dict[str, Any]:
    """Return a proposal as plain values."""
    value = {**asdict(one), "number": number, "files": changed_files(one.diff, one.files)}
    for key in ("tests_after", "held_out"):
        passed, total = value[key]
        value[key] = {"passed": passed, "total": total}
    return {**value, "finding": finding_row(one.finding)}


def print_proposals(result: RepairResult, output: Output, coloured: list[list[str]], hint: str) -> None:
    """Print each proposal with its diff, then where they differ, then how to take one."""
    output.say(f"Proposed: {clean(result.reasoning)}")
    for number, (one, lines) in enumerate(zip(result.proposals, coloured, strict=True), 1):
        output.say(f"\nProposal {number}")
        output.say("\n".join(lines))
        output.say(f"What:     {clean(one.hypothesis, 400)}")
        output.say(told_chance(one.finding))
        for lack in one.finding.lacks:
            output.say(f"  - no fix: {clean(lack, 300)}")
        for line in one.caveats:
            output.say(f"  - {clean(line, 200)}")
    output.say()
    print_differences(result, output)
    output.say(hint)


def print_differences(result: RepairResult, output: Output) -> None:
    """Print the inputs on which proposals differ, and what each gives."""
    for one in result.differences:
        output.say(f"Differ:   {clean_block(one.asked)}")
        output.say(f"  - now: {clean(one.before, 120)}")
        for number, answer in enumerate(one.answers, 1):
            output.say(f"  - with proposal {number}: {clean(answer, 120)}")
    if len(result.proposals) > 1 and not result.differences:
        output.say("Differ:   no input was found on which they do: choose by what they say")
