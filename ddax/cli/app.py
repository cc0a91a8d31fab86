"""The commands of `ddax` by name; each is defined in the file that has what it needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

import typer
import typer.main
from typer.core import TyperGroup

from ddax.cli import (
    actions,
    agents,
    analyze,
    batch,
    chat,
    costs,
    debate,
    demo,
    doctor,
    export,
    fix,
    history,
    mcp,
    memory,
    memory_change,
    memory_goals,
    memory_mend,
    mood,
    new,
    prompts,
    reply,
    rubric,
    runs,
    setup,
    traces,
    view,
    why,
    work,
)
from ddax.cli.errors import Interrupted
from ddax.cli.models import models_get


class Commands(TyperGroup):
    """The commands, which hand an interrupt on: the parser would make a bare exit code of it."""

    def make_context(self, *words: Any, **options: Any) -> Any:
        """Read the words of a command line, for which libraries are loaded; raises `Interrupted`."""
        try:
            return super().make_context(*words, **options)
        except KeyboardInterrupt as exc:
            raise Interrupted from exc

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named; raises `Interrupted` where Ctrl-C ended it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as exc:
            raise Interrupted from exc


app = typer.Typer(
    name="ddax",
    cls=Commands,
    help="An agent that thinks in a DAG of ideas, cites its sources, resumes after a crash and can say why.",
    epilog="Exit codes: 0 ok, 1 failed, 2 usage, 3 no sandbox, 4 corrupt state, 5 thread in use, "
    "6 stopped by budget, 7 storage, 8 waiting for a human, 9 model, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,  # installing it would write outside DDAX_HOME
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help starts three times as fast
)


def _version(wanted: bool) -> None:
    if wanted:
        from ddax import __version__

        print(f"ddax {__version__}")
        raise typer.Exit(0)


@app.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Run, look at and resume threads."""


app.command("run", cls=work.SourcesCommand)(work.run)
app.command("chat", cls=work.SourcesCommand)(chat.chat)
app.command("resume")(work.resume)
app.command("fix")(fix.fix)
app.command("answer")(reply.answer)
app.command("cancel")(runs.cancel)
app.command("runs")(runs.runs)
app.command("show")(runs.show)
app.command("costs")(costs.costs)
app.command("why")(why.why)
app.command("verify")(why.verify)
app.command("graph")(runs.graph)
app.command("view")(view.view)
app.command("export")(export.export)
app.command("analyze")(analyze.analyze)
app.command("history")(history.history)
app.command("diff")(history.diff)
app.command("fork")(history.fork)
app.command("gc")(history.gc)
app.command("batch", cls=work.SourcesCommand)(batch.batch)
app.command("actions")(actions.actions)
app.command("demo")(demo.demo)
app.command("mcp")(mcp.mcp)
app.command("new")(new.new)
app.command("doctor")(doctor.doctor)
app.command("init")(setup.init)
app.command("mood")(mood.mood)
minds = typer.Typer(help="Look after the controller.", no_args_is_help=True, rich_markup_mode=None)
minds.command("learn")(mood.learn)
minds.command("versions")(mood.versions)
app.add_typer(minds, name="metacognition")
config = typer.Typer(help="Look at the settings.", no_args_is_help=True, rich_markup_mode=None)
config.command("show")(setup.config_show)
app.add_typer(config, name="config")
debates = typer.Typer(help="Look at debates and judges.", no_args_is_help=True, rich_markup_mode=None)
debates.command("report")(debate.report)
debates.command("rubric")(debate.rubric)
debates.command("wrong")(debate.wrong)
app.add_typer(debates, name="debate")
models = typer.Typer(help="Look at language models.", no_args_is_help=True, rich_markup_mode=None)
models.command("check")(setup.models_check)
models.command("get")(models_get)
app.add_typer(models, name="models")
words = typer.Typer(help="Look at what a model is told.", no_args_is_help=True, rich_markup_mode=None)
words.command("list")(prompts.prompts_list)
words.command("show")(prompts.prompts_show)
app.add_typer(words, name="prompts")
memories = typer.Typer(help="Look after the memory.", no_args_is_help=True, rich_markup_mode=None)
memories.command("stats")(memory.stats)
memories.command("search")(memory.search)
memories.command("show")(memory.show)
memories.command("history")(memory.history)
memories.command("goals")(memory_goals.goals)
memories.command("audit")(memory.audit)
memories.command("forget")(memory_change.forget)
memories.command("consolidate")(memory_change.consolidate)
memories.command("rebuild")(memory_mend.rebuild)
memories.command("restore")(memory_mend.restore)
memories.command("reset")(memory_mend.reset)
memories.command("export")(memory_change.export_to)
memories.command("import")(memory_change.import_from)
app.add_typer(memories, name="memory")
people = typer.Typer(
    help="Look at trust, dissents and overrides.", no_args_is_help=True, rich_markup_mode=None
)
people.command("list")(agents.list_)
people.command("show")(agents.show)
people.command("override")(agents.override)
people.command("revert")(agents.revert)
people.command("check")(agents.check)
app.add_typer(people, name="agents")
criteria = typer.Typer(help="Look after the judges' rubric.", no_args_is_help=True, rich_markup_mode=None)
criteria.command("show")(rubric.show)
criteria.command("approve")(rubric.approve)
criteria.command("refuse")(rubric.refuse)
criteria.command("undo")(rubric.undo)
app.add_typer(criteria, name="rubric")

trace = typer.Typer(help="Runs as examples to learn from.", no_args_is_help=True, rich_markup_mode=None)
trace.command("export")(traces.export)
app.add_typer(trace, name="traces")


@cache
def parser() -> Callable[..., Any]:
    """Build the parser once a process: it reads the signatures of all commands, which takes a moment."""
    return typer.main.get_command(app)
