"""The commands `rubric`: the criteria the judges go by, their versions, and what humans propose."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from ddax.cli.backend import Output, home_of, settings
from ddax.cli.options import JSON, VERBOSE
from ddax.cli.text import clean

if TYPE_CHECKING:
    from ddax.debate.living import LivingRubrics

NAME = Annotated[str | None, typer.Option("--name", help="The rubric; default: the setting.")]
BY = Annotated[str, typer.Option("--by", help="Who decides.")]
ID = Annotated[str, typer.Argument(metavar="ID", help="The proposal, or the beginning of its id.")]


def show(name: NAME = None, json: JSON = False, verbose: VERBOSE = False) -> None:
    """Show a rubric: what is in force, its versions, and what is proposed."""
    output, rubric = Output(json=json, verbose=verbose), rubrics().load(_name(name))
    if json:
        output.result(rubric)
    newest = rubric["history"][-1]
    output.say(f"{clean(rubric['name'], 80)}, version {newest['version']}")
    for criterion, meaning in newest["criteria"].items():
        output.say(f"  {clean(criterion, 60)}: {clean(meaning, 200)}")
    for row in rubric["history"][1:]:
        output.say(f"  version {row['version']} by {clean(row['by'], 60)}: {clean(row['why'], 120)}")
    for row in rubric["proposals"]:
        what = f"{row['change']['kind']} {clean(row['change']['name'], 60)}"
        output.say(f"  proposal {row['id']} ({row['status']}) by {clean(row['by'], 60)}: {what}")


def approve(
    identity: ID, name: NAME = None, by: BY = "human", json: JSON = False, verbose: VERBOSE = False
) -> None:
    """Apply a proposed change."""
    output = Output(json=json, verbose=verbose)
    version = rubrics().approve(_name(name), identity, by=by)
    if json:
        output.result({"rubric": _name(name), "version": version})
    output.say(f"The rubric {_name(name)!r} is at version {version}. Undo it: ddax rubric undo")


def refuse(
    identity: ID, name: NAME = None, by: BY = "human", json: JSON = False, verbose: VERBOSE = False
) -> None:
    """Refuse a proposed change; it stays on record."""
    output = Output(json=json, verbose=verbose)
    rubrics().refuse(_name(name), identity, by=by)
    if json:
        output.result({"rubric": _name(name), "refused": identity})
    output.say("The proposal is refused.")


def undo(name: NAME = None, by: BY = "human", json: JSON = False, verbose: VERBOSE = False) -> None:
    """Go back to the version before, as a new version."""
    output = Output(json=json, verbose=verbose)
    version = rubrics().undo(_name(name), by=by)
    if json:
        output.result({"rubric": _name(name), "version": version})
    output.say(f"The rubric {_name(name)!r} is at version {version}.")


def rubrics() -> LivingRubrics:
    """Return the rubrics of the home; makes nothing."""
    from ddax.debate.living import LivingRubrics
    from ddax.memory.home import Home

    return LivingRubrics(Home(home_of()).rubrics, clock=time.time)


def _name(name: str | None) -> str:
    return name or settings(None).context.trust.rubric
