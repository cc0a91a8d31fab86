"""The commands that do work: `run` and `resume`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from ddax.cli.answer import print_result
from ddax.cli.backend import (
    Agent,
    OnEvent,
    Opener,
    Output,
    Result,
    check_thread,
    has_something_to_read,
    how_to,
    hushed,
    new_thread,
    opener_of,
    read_task,
    run_folder,
    settings,
)
from ddax.cli.errors import Interrupted, as_ddax, report
from ddax.cli.interrupts import Interrupts
from ddax.cli.looking.runs import known_run
from ddax.cli.notes import model_note, price_note
from ddax.cli.options import CONFIG, EVENTS, JSON, MODEL, SEED
from ddax.cli.running.browser_flag import secret_note, with_browser
from ddax.cli.running.several_values import spread_sources
from ddax.cli.text import clean
from ddax.cli.watch import told_first, watcher
from ddax.errors import DdaxError, ReasonerError, StorageError, UsageError, json_fault, read_json_text

if TYPE_CHECKING:
    from ddax.configs.settings import Context
    from ddax.graph.threads.manifests import RunInfo

QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print the answer alone.")]
_MODEL_FAILED = ReasonerError.exit_code
_RESUMABLE_AFTER = frozenset({StorageError.exit_code, _MODEL_FAILED})  # what can be mended from outside

Job = Callable[[Agent, OnEvent], Awaitable[Result]]


class SourcesCommand(TyperCommand):
    """A command whose `--sources` takes several values, also those a shell pattern expands to."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments after giving every source its own flag."""
        switches = {
            name
            for option in self.get_params(ctx)
            if getattr(option, "is_flag", False)
            for name in (*option.opts, *option.secondary_opts)
        }
        takes_task = any(p.param_type_name == "argument" for p in self.get_params(ctx))
        return super().parse_args(ctx, spread_sources(args, switches, takes_task=takes_task))


def run(
    context: typer.Context,
    task: Annotated[
        str | None, typer.Argument(help="The task; - reads it from stdin.", show_default=False)
    ] = None,
    sources: Annotated[
        list[str] | None,
        typer.Option("--sources", "-s", help="Folders, files, URLs or python:MODULE; several may follow."),
    ] = None,
    browser: Annotated[
        str | None, typer.Option(help="Page to open in a browser, to do the task there.", show_default=False)
    ] = None,
    browser_writes: Annotated[
        bool, typer.Option("--browser-writes", help="Let pages of the browser send data (POST) for the task.")
    ] = False,
    identity: Annotated[str | None, typer.Option(help="Identity profile: a name or a YAML file.")] = None,
    model: MODEL = None,
    effort: Annotated[str | None, typer.Option(help="How far a model goes: quick, normal or deep.")] = None,
    thread: Annotated[
        str | None, typer.Option(help="Name of the thread; a finished one is followed up.")
    ] = None,
    max_steps: Annotated[int | None, typer.Option(help="Cap of steps.")] = None,
    max_usd: Annotated[float | None, typer.Option(help="Cap of US dollars.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Cap of wall time in seconds.")] = None,
    seed: SEED = None,
    namespace: Annotated[str | None, typer.Option(help="Memory namespace.")] = None,
    human: Annotated[
        bool | None, typer.Option("--human/--no-human", help="Somebody is there to be asked.")
    ] = None,
    record: Annotated[
        str | None, typer.Option(help="Write every request to the model and its reply to this file.")
    ] = None,
    replay: Annotated[str | None, typer.Option(help="Let a recording answer instead of the model.")] = None,
    search: Annotated[
        str | None, typer.Option(help="Search the web too: auto, searxng, tavily, brave or ddgs.")
    ] = None,
    record_web: Annotated[str | None, typer.Option(help="Write what the web says to this file.")] = None,
    replay_web: Annotated[str | None, typer.Option(help="Let a tape answer instead of the web.")] = None,
    stream: Annotated[
        bool | None,
        typer.Option("--stream/--no-stream", help="Show replies being written; default: at a terminal."),
    ] = None,
    instructions: Annotated[
        str | None, typer.Option(help="What you want of the answer, in your own words.")
    ] = None,
    output_: Annotated[
        str | None,
        typer.Option("--output", help="Form of the answer: text, report, or a file with a JSON schema."),
    ] = None,
    words: Annotated[int | None, typer.Option(help="Words of a report at most.")] = None,
    knowledge: Annotated[
        str | None, typer.Option(help="What the model knows itself: allow, mark or forbid.")
    ] = None,
    config: CONFIG = None,
    resume_: Annotated[
        bool, typer.Option("--resume", help="Resume a thread instead (the same as ddax resume).")
    ] = False,
    dry_run: Annotated[
        bool | None,
        typer.Option("--dry-run", help="Show what others could see of the run instead of doing it."),
    ] = None,
    quiet: QUIET = False,
    json: JSON = False,
    verbose: EVENTS = False,
) -> None:
    """Run a task over sources and answer with citations.

    Without a model a source is needed, by --sources, by the settings, or from the thread that is followed up.
    """
    output = Output(json=json, verbose=verbose, quiet=quiet)
    arguments = {
        "sources": with_browser(sources, browser), "browser.writes": browser_writes or None,
        "identity": identity, "model": model, "effort": effort, "seed": seed, "human": human,
        "namespace": namespace, "budget.max_steps": max_steps, "budget.max_usd": max_usd,
        "budget.max_seconds": max_seconds, "record": record, "replay": replay,
        "web.search": search, "web.record": record_web, "web.replay": replay_web,
        "stream": stream, "dry_run": dry_run, "instructions": instructions,
        "output": asked_form(output_), "words": words, "knowledge": knowledge,
    }  # fmt: skip
    if resume_:
        name_ = _one_thread(task, thread)
        _refuse_settings({**arguments, "config": config}, name_ or "THREAD")
        raise typer.Exit(_resume(context, name_, None, output, model=model))
    arguments["stream"] = _streams(stream, output)
    text, name = read_task(task), check_thread(thread) or new_thread()
    chosen, first = asked_settings(name, config, arguments)
    if note := secret_note(text, browser):
        output.note(note)

    async def job(agent: Agent, on_event: OnEvent) -> Result:
        result = await agent.run(text, thread=name, on_event=on_event)
        return {**result, "shown": await agent.rows(name, "shown")} if chosen.dry_run else result

    raise typer.Exit(
        print_result(perform(opener_of(context), chosen, name, job, output, first=first), output)
    )


def asked_form(output: str | None) -> Any:
    """Return the form of the answer as settings take it: a name, or the schema of a file."""
    if output in (None, "text", "report"):
        return output
    try:
        found = read_json_text(Path(output).expanduser().read_bytes())
    except OSError as exc:
        raise UsageError(
            f"--output {output!r} names no form.",
            why=f"As a file it cannot be read: {exc.strerror or exc}.",
            mend="Write text, report, or the name of a file with a JSON schema.",
        ) from exc  # fmt: skip
    except ValueError as exc:
        raise UsageError(
            f"--output {output!r} holds no JSON schema.", why=f"{json_fault(exc)}.",
            mend='Write a schema as {"type": "object", "properties": {...}} into it.',
        ) from exc  # fmt: skip
    return found


def _refuse_settings(arguments: Mapping[str, Any], thread: str) -> None:
    """Refuse settings for a resume, which would go on without them; raises UsageError."""
    given = [key for key, value in arguments.items() if value is not None and key != "model"]
    if given:
        raise UsageError(
            "--resume changes no setting but the model.",
            why=f"A thread goes on with those it was started with; given is {', '.join(given)}.",
            mend=f"Leave it out, or go another way from a moment of `ddax history {thread}`:"
            f" ddax fork {thread} --at N --set PATH=VALUE",
        )


def _streams(asked: bool | None, output: Output) -> bool | None:
    """Say whether replies are told piece by piece: as asked, else only where they are seen."""
    return True if asked is None and sys.stdout.isatty() and not (output.json or output.quiet) else asked


def resume(
    context: typer.Context,
    thread: Annotated[
        str | None, typer.Argument(help="Default: the newest unfinished one.", show_default=False)
    ] = None,
    answer: Annotated[
        str | None, typer.Option(help="Answer a waiting question: go on, veto, stop, or a JSON object.")
    ] = None,
    last_good: Annotated[
        bool, typer.Option("--last-good", help="Give up damaged checkpoints, down to the last whole one.")
    ] = False,
    model: MODEL = None,
    quiet: QUIET = False,
    json: JSON = False,
    verbose: EVENTS = False,
) -> None:
    """Continue a thread where its last checkpoint is.

    It goes on with the settings it was started with; another model may be named.
    """
    output = Output(json=json, verbose=verbose, quiet=quiet)
    raise typer.Exit(_resume(context, thread, answer, output, last_good=last_good, model=model))


def _one_thread(task: str | None, thread: str | None) -> str | None:
    """Take the thread from `--resume NAME` or `--thread NAME`; raises `UsageError` if they differ."""
    if task is not None and thread is not None and task != thread:
        raise UsageError(
            "--resume takes a thread and no task.",
            why=f"Both {task[:60]!r} and {thread[:60]!r} are given.",
            mend=f"Write: ddax resume {thread}",
        )
    return task if task is not None else thread


def _resume(
    context: typer.Context, thread: str | None, answer: str | None, output: Output, *,
    last_good: bool = False, model: str | None = None,
) -> int:  # fmt: skip
    known = known_run(thread) if thread is not None else run_folder().unfinished()
    name = known.with_model(model).thread_id
    reply = _answer(answer)

    async def job(agent: Agent, on_event: OnEvent) -> Result:
        result = await agent.resume(name, on_event=on_event, answer=reply, last_good=last_good, model=model)
        if (now := run_folder().load(name)) and now.began_with:
            output.note(f"It went on with {clean(now.model)}; it began with {clean(now.began_with)}.")
        return result

    output.note(f"resuming thread {name}")
    return execute(opener_of(context), None, name, job, output, model=model)


def _answer(text: str | None) -> Any:
    """Return an answer as the graph takes it: one of the choices, or a JSON object."""
    if text is None or not text.lstrip().startswith("{"):
        return text if text is None else {"choice": text.strip()}
    try:
        return read_json_text(text)
    except ValueError as exc:
        raise UsageError(
            "The answer is not valid JSON.", why=f"{json_fault(exc)}.", mend="Write: --answer 'go on'"
        ) from exc


def asked_settings(thread: str, config: str | None, arguments: Mapping[str, Any]) -> tuple[Context, str]:
    """Return the settings of a run, and what is to be told of its model once it has begun.

    A follow-up keeps the settings of its thread where none is given.
    """
    loaded = settings(config, arguments)
    known = run_folder().load(thread)
    chosen = loaded.context
    if known is not None and known.context:
        from ddax.configs.layers import keep_unset

        chosen = keep_unset(loaded, known.context)
    if not has_something_to_read(chosen):
        raise UsageError(
            "There is nothing to read.",
            why="No sources are given, by --sources or in the settings, and no model that may answer itself.",
            mend='Add them: ddax run "TASK" --sources DIR (or a file, a URL, or python: for the library);'
            " or name a model: --model provider:model.",
        )
    if chosen.record and chosen.replay:
        raise UsageError(
            "A run is recorded or replayed, not both.",
            why="A replayed run asks no model, so there is nothing to record.",
            mend="Leave out --record or --replay.",
        )
    if loaded.origins["model"] == "default" and chosen.model_name == "embedded" and not chosen.replay:
        return chosen, model_note()
    return chosen, price_note(chosen)


def execute(
    opener: Opener, chosen: Context | None, thread: str, job: Job, output: Output, *, model: str | None = None
) -> int:
    """Do a job, print its result and return the exit code."""
    return print_result(perform(opener, chosen, thread, job, output, model=model), output)


def perform(
    opener: Opener, chosen: Context | None, thread: str, job: Job, output: Output, *,
    model: str | None = None, first: str = "",
) -> Result:  # fmt: skip
    """Do a job under a watcher and return its result; raises Interrupted, which names the way back.

    `model` is the one a thread was to go on with, where this call names another; `first` is told first.
    """
    interrupts = Interrupts(
        note=output.note, leave=lambda: report(interrupted(thread, model), json=output.json)
    )

    async def work() -> Result:
        async with opener(chosen) as agent:
            interrupts.watch(agent)
            with watcher(output) as watch:
                return await job(
                    agent, told_first(watch.on_event, partial(output.note, first), told=not first)
                )

    note_opening(output)
    try:
        with hushed(output.quiet):
            result = interrupts.run(work)
    except (KeyboardInterrupt, BrokenPipeError) as exc:
        raise interrupted(thread, model) from exc
    except Exception as exc:
        known = with_way_back(exc, thread, model)
        if known is None:
            raise
        raise known from (exc if known is not exc else exc.__cause__)
    if result["status"] == "interrupted":
        raise interrupted(thread, model)
    return result


def note_opening(output: Output) -> None:
    """Say at a terminal what is done first: nothing else shows before the sources are read."""
    if sys.stdout.isatty():
        output.note("Opening the memory and the sources …")


def with_way_back(exc: Exception, thread: str, model: str | None = None) -> DdaxError | None:
    """Return the error that a job ended with, with how to go on where that is possible; None if not ours."""
    known = as_ddax(exc)
    info = _unfinished(thread)
    if known is None or known.exit_code not in _RESUMABLE_AFTER or info is None:
        return known
    # Part of the error, so that it is told also where nothing else is: with --json and -q.
    back = f"What was done is kept. When it is mended: {_way_back(info, model)}"
    if known.exit_code == _MODEL_FAILED:
        back += f" ({_other_model(info, model)})"
    known.say(known.what, known.why, f"{known.mend} {back}".strip())
    return known


def interrupted(thread: str, model: str | None) -> Interrupted:
    """Return the error of a job that was broken off, with how to go on."""
    info = run_folder().load(thread)
    return Interrupted(_way_back(info, model) if info else "")


def _way_back(info: RunInfo, model: str | None) -> str:
    """Return the command that goes on as this call was to; a model that has answered nothing is not kept."""
    line = how_to("resume", info.thread_id)
    return line if model in (None, info.model) else f"{line} --model {shlex.quote(str(model))}"


def _other_model(info: RunInfo, model: str | None) -> str:
    if model in (None, info.model):
        return "`--model provider:model` goes on with another one"
    return f"without `--model` it goes on with {info.model}"


def _unfinished(thread: str) -> RunInfo | None:
    """Return the manifest of a thread that a run has begun and not ended."""
    try:
        info = run_folder().load(thread)
    except Exception:  # the first error is the one to report, not that its manifest is unreadable too
        return None
    return info if info is not None and info.status == "running" else None
