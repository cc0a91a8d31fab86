"""The command `fix`: repair code against its tests, in a sandbox; write nothing unless asked to."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Output, home_of, settings
from ddax.cli.errors import Interrupted, report
from ddax.cli.notes import price_note
from ddax.cli.options import CONFIG, JSON, MODEL, SEED, VERBOSE
from ddax.cli.patch import as_json, print_repair, print_suspects
from ddax.cli.text import clean
from ddax.errors import DdaxError, UsageError

if TYPE_CHECKING:
    from ddax.configs.settings import Context
    from ddax.evolution.program.project import Project
    from ddax.evolution.records import RepairResult
    from ddax.evolution.sandbox import Sandbox

CODES = {"fixed": 0, "nothing": 0, "none": 1, "proposed": 10}
"""Exit codes by how a repair ended."""
_NUMBER = r"\d+(?:\.\d+)?"
_BUDGET = re.compile(rf"^(-?)(?:\$({_NUMBER})|({_NUMBER})(s|m|usd))$")


def fix(
    paths: Annotated[
        list[str] | None, typer.Argument(help="Files or folders that may be changed.", show_default=False)
    ] = None,
    tests: Annotated[
        str | None,
        typer.Option(help="Test command: pytest ..., python -m unittest ..., python FILE, or test files."),
    ] = None,
    error: Annotated[
        str | None, typer.Option(help="A file with a traceback, instead of tests; - reads stdin.")
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Write a fix; the originals are kept.")] = False,
    accept: Annotated[
        int | None,
        typer.Option(help="Write proposal N, which is no fix: you have looked at it.", metavar="N", min=1),
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Put the originals of the last repair back, and end.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show where the fault is suspected, and why.")
    ] = False,
    model: MODEL = None,
    budget: Annotated[
        list[str] | None, typer.Option(help="A cap: 30s, 2m or 0.50usd; both kinds may be given.")
    ] = None,
    seed: SEED = None,
    python: Annotated[
        str | None, typer.Option(help="The Python that has the project's libraries; default: this one.")
    ] = None,
    config: CONFIG = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Repair code against its tests.

    A patch that more than the failing test speaks for is a fix; any other is a proposal, of which up to
    three are shown side by side. Candidates run in a sandbox only. Nothing is written without --apply,
    which takes a fix, or --accept N, which takes a proposal.

    Exit codes: 0 fixed, or nothing to repair; 1 no repair was found; 3 no safe sandbox; 10 proposals only.
    """
    output = Output(json=json, verbose=verbose)
    arguments: dict[str, Any] = {"model": model, "seed": seed, **_caps(budget or [])}
    context = settings(config, arguments).context
    if undo:
        raise typer.Exit(_undo(paths or [], context, output))
    project = _with_rules(_project(paths or [], tests, error), context)
    for line in _opening(project):
        output.say(line)
    seconds = context.evolution.seconds
    result, sandbox, accept = _found(project, context, python, accept, output)
    told = partial(as_json, sandbox=sandbox, seconds=seconds)
    try:
        taken = _taken(result, apply=apply, accept=accept)
        kept = _apply(project, taken, context) if taken is not None else None
    except DdaxError as exc:  # what was found is shown all the same
        if json:
            beside = told(result, applied=None)
            raise typer.Exit(report(exc, json=True, verbose=verbose, beside=beside)) from exc
        print_repair(result, None, output, seconds=seconds, hint="Nothing was written.")
        raise
    shown = taken or result
    if json:
        output.result(told(shown, applied=kept))
    else:
        if explain:
            print_suspects(result, project.task.files, output)
        print_repair(shown, kept, output, seconds=seconds)
    raise typer.Exit(0 if taken else CODES[result.status])


def _found(
    project: Project, context: Context, python: str | None, accept: int | None, output: Output
) -> tuple[RepairResult, str, int | None]:
    """Return what was shown before or is found now, its sandbox, and which proposal may be written."""
    from ddax.cli.running.shown_before import read_shown

    shown = read_shown(_store(), project) if accept is not None else None
    if shown is not None and shown.holds(project):
        output.note(f"These are the proposals of {shown.at}; code and tests are as they were.")
        return shown.result, shown.sandbox, accept
    if shown is not None:
        output.note(f"Code or tests have changed since {shown.at}: what is found now is shown first.")
        accept = None
    return (*_searched(project, context, python, output), accept)


def _searched(
    project: Project, context: Context, python: str | None, output: Output
) -> tuple[RepairResult, str]:
    """Search for a repair; return it and the name of the sandbox, and keep what is shown of proposals."""
    from ddax.cli.running.shown_before import keep_shown
    from ddax.memory.home import Home

    sandbox = _sandbox(python)
    if note := price_note(context):
        output.note(note)
    output.note(f"Searching for a repair, which has {context.evolution.seconds:g} s …")
    try:
        result = asyncio.run(_repair(project, context, sandbox))
    except KeyboardInterrupt as exc:
        raise Interrupted from exc
    if result.proposals:
        try:
            Home(home_of()).ensure()
            keep_shown(_store(), project, result, sandbox=sandbox.name)
        except DdaxError as exc:
            output.note(f"--accept N will search again, since what is shown cannot be kept: {exc.why}")
    return result, sandbox.name


def _taken(result: RepairResult, *, apply: bool, accept: int | None) -> RepairResult | None:
    """Return the patch that is to be written: a fix with --apply, a proposal by its number, or none."""
    if accept is not None and result.patched:
        return result.accept(accept)
    return result if apply and result.solved else None


def _caps(budget: list[str]) -> dict[str, float]:
    """Read the caps; raises UsageError for a word that is none."""
    caps: dict[str, float] = {}
    for word in budget:
        found = _BUDGET.match(word.strip().lower())
        if found is None:
            raise UsageError(
                f"{word!r} is no budget.",
                why="It ends with none of s, m and usd.",
                mend="Write seconds, minutes or dollars: 30s, 2m, 0.50usd",
            )
        minus, dollars, number, unit = found.groups()
        value = float(dollars or number)
        if minus or value <= 0:
            raise UsageError(
                f"The budget {word!r} leaves nothing to spend.",
                why="A cap must be above 0.",
                mend="Give more: 30s, 2m or 0.50usd",
            )
        key = "budget.max_usd" if dollars or unit == "usd" else "evolution.seconds"
        caps[key] = value * 60 if unit == "m" else value
    return caps


def _project(paths: list[str], tests: str | None, error: str | None) -> Project:
    from dataclasses import replace

    from ddax.evolution.program.project import read_project
    from ddax.evolution.program.test_command import TestCommand, read_command

    cwd = Path.cwd()
    command = read_command(tests) if tests is not None else None
    if error is None:
        if not paths:
            raise UsageError(
                "Nothing is named to repair.",
                why="A repair needs the code that may be changed.",
                mend='Write: ddax fix PATH --tests "pytest -q"',
            )
        project = read_project(paths, command, cwd=cwd)
        return replace(project, task=replace(project.task, hold_out=True))
    from ddax.evolution.program.crash import read_traceback
    from ddax.evolution.program.project import is_test

    crash = read_traceback(_read(error), cwd=cwd)
    named = paths or list(dict.fromkeys(str(f.path) for f in crash.frames if not is_test(f.path)))
    if not named:
        raise UsageError(
            "The traceback names tests only.",
            why="Tests are not changed, and no file of the program stands in it.",
            mend="Name the files that may be changed.",
        )
    script = ""
    if command is None and crash.test is not None:
        command = TestCommand("pytest", (str(crash.test),))
    elif command is None and crash.script is not None:
        script = str(crash.script)
    elif command is None:
        raise UsageError(
            "The traceback does not say how to bring the error back.",
            why=f"It begins in {crash.frames[0].function}(), whose arguments are not known.",
            mend="Give a test that fails: --tests FILE",
        )
    project = read_project([*named, *([script] if script else [])], command, cwd=cwd, script=script)
    hints = tuple(
        (f.path.relative_to(project.root).as_posix(), f.line)
        for f in crash.frames
        if f.path.is_relative_to(project.root)
    )
    return replace(
        project,
        task=replace(project.task, hints=hints, hold_out=not script, goal=_goal(crash.error, crash.message)),
    )


def _goal(error: str, message: str) -> str:
    return f"remove the cause of {error}{': ' + message if message else ''}" if error else ""


def _read(name: str) -> str:
    if name == "-":
        return sys.stdin.buffer.read().decode("utf-8", errors="replace")
    try:
        return Path(name).read_text("utf-8", errors="replace")
    except OSError as exc:
        raise UsageError(
            f"Cannot read the traceback in {name!r}.",
            why=f"{exc.strerror or exc}.",
            mend="Check the path, or give the traceback on stdin with `-`.",
        ) from exc


def _opening(project: Project) -> list[str]:
    task = project.task
    files = ", ".join(map(clean, task.targets[:6])) + (" …" if len(task.targets) > 6 else "")
    tests = (
        ", ".join(map(clean, dict.fromkeys([*task.tests, *task.doctests])))
        or f"{clean(task.script)} runs to its end"
    )
    how = f" (with pytest itself: {clean(project.why_pytest)})" if project.why_pytest else ""
    return [f"Code:     {files}", f"Tests:    {tests}{how}"]


def _sandbox(python: str | None) -> Sandbox:
    from ddax.evolution.sandbox import back_ends, choose
    from ddax.evolution.sandbox.runtime import find_runtime

    return choose(back_ends(find_runtime(python)) if python else None)


async def _repair(project: Project, context: Context, sandbox: Sandbox) -> RepairResult:
    """Repair with a clock that runs out at once where the user interrupts."""
    import math
    import time

    import numpy as np

    from ddax.evolution.repair import repair

    interrupted = False

    def clock() -> float:
        return math.inf if interrupted else time.monotonic()

    try:
        async with _reasoner(context, time.monotonic) as reasoner:
            return await repair(
                project.task, settings=context.evolution, rng=np.random.default_rng(context.seed),
                clock=clock, reasoner=reasoner, sandbox=sandbox,
            )  # fmt: skip
    except asyncio.CancelledError:
        interrupted = True
        raise


@asynccontextmanager
async def _reasoner(context: Context, clock: Any) -> AsyncIterator[Any]:
    """Hold the model open behind the caps of the budget; None where none is set."""
    if context.model_name == "embedded":
        yield None
        return
    from ddax.configs.prices import load_prices, load_providers
    from ddax.memory.embeddings import open_embedder
    from ddax.reasoning.budget import BudgetKeeper, MeteredReasoner
    from ddax.reasoning.factory import open_reasoner

    home = home_of()
    reasoner: Any = open_reasoner(
        context.model, embedder=open_embedder(), prices=load_prices(home=home),
        providers=load_providers(home=home), clock=clock, models=context.models,
    )  # fmt: skip
    try:
        yield MeteredReasoner(reasoner, BudgetKeeper(context.budget, clock=clock))
    finally:
        await reasoner.close()


def _store() -> Path:
    return home_of().absolute() / "repairs"


def _record() -> Path:
    from ddax.memory.home import Home
    from ddax.memory.records import RECORD

    return Home(home_of().absolute()).memory / RECORD


def _with_rules(project: Project, context: Context) -> Project:
    """Give the search what earlier repairs have taught (`ddax.evolution.learned`)."""
    from dataclasses import replace

    from ddax.evolution.learned import adjustments, read_rules, successes

    priors = adjustments(successes(read_rules(_record(), context.namespace)))
    return replace(project, task=replace(project.task, priors=priors))


def _apply(project: Project, result: RepairResult, context: Context) -> Any:
    """Write the repair, keep the originals, and remember which edits it was made of."""
    import datetime

    from ddax.evolution.learned import keep_rules
    from ddax.evolution.written_back import apply_repair
    from ddax.memory.home import Home

    Home(home_of()).ensure()
    now = datetime.datetime.now(datetime.UTC)
    stamp = now.strftime("%Y%m%d-%H%M%S-%f")
    kept = apply_repair(project.root, project.task.files, result.files, store=_store(), stamp=stamp)
    keep_rules(
        _record(), context.namespace, result.operators, repair=f"fix:{kept.folder.name}", now=now.timestamp()
    )
    return kept


def _undo(paths: list[str], context: Context, output: Output) -> int:
    import time

    from ddax.evolution.learned import forget_rules
    from ddax.evolution.written_back import kept_repairs, undo_repair

    wanted = {Path(p).absolute() for p in paths}
    for kept in kept_repairs(_store()):
        places = {kept.root / name for name in kept.files}
        if kept.undone or (wanted and not any(p == w or w in p.parents for p in places for w in wanted)):
            continue
        files = undo_repair(kept)
        forget_rules(_record(), context.namespace, repair=f"fix:{kept.folder.name}", now=time.time())
        if output.json:
            output.result({"undone": True, "files": list(files), "kept": str(kept.folder)})
        output.say(f"Put back as before the repair: {', '.join(map(clean, files))}")
        return 0
    raise UsageError(
        "There is no repair to undo.",
        why=f"Looked in {_store()}.",
        mend="Write one first: ddax fix PATH --tests COMMAND --apply",
    )
