"""The commands of `ddax` by name; each is defined in the file that has what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Annotated, Any

import typer
import typer.main
from typer.core import TyperGroup

from ddax.cli.errors import Interrupted
from ddax.cli.extending import actions, mcp, new, prompts, rubric
from ddax.cli.extending.models import models_get
from ddax.cli.looking import analyze, costs, debate, export, graphs, history, mood, runs, traces, view, why
from ddax.cli.maintaining import agents, doctor, memory, memory_change, memory_goals, memory_mend, setup
from ddax.cli.running import batch, chat, demo, fix, reply, work

RUN, LOOK, EXTEND, MAINTAIN = "Run", "Look", "Extend", "Maintain"
PANELS = (RUN, LOOK, EXTEND, MAINTAIN)
"""The headings of the help; each command stands under one."""
SENTENCE = 300
"""Characters of a command's first sentence that the list of commands shows."""


def write_rows(formatter: Any, head: str, commands: Iterable[Any]) -> None:
    """Write commands under a heading, each with its first sentence, which is broken but never cut."""
    with formatter.section(head):
        formatter.write_dl([(c.name, c.get_short_help_str(SENTENCE)) for c in commands])


class Below(TyperGroup):
    """The commands below another one."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands."""
        write_rows(formatter, "Commands", [self.get_command(ctx, name) for name in self.list_commands(ctx)])


class Commands(TyperGroup):
    """The commands, which hand an interrupt on: the parser would make a bare exit code of it."""

    def make_context(self, *words: Any, **options: Any) -> Any:
        """Read the words of a command line, for which libraries are loaded; raises `Interrupted`."""
        try:
            return super().make_context(*words, **options)
        except KeyboardInterrupt as exc:
            raise Interrupted from exc

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under what they are for, in the order in which they are defined."""
        found: dict[str, Any] = {
            name: command for name in self.list_commands(ctx) if (command := self.get_command(ctx, name))
        }
        for panel in PANELS:
            write_rows(formatter, panel, [c for c in found.values() if c.rich_help_panel == panel])

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
    epilog="Exit codes: 0 ok, 1 no answer or failed, 2 usage, 3 no sandbox, 4 corrupt state, "
    "5 thread in use, 6 stopped by budget, 7 storage, 8 waiting for a human, 9 model, 130 interrupted.",
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


def _group(words: str, panel: str, name: str) -> typer.Typer:
    """Return an empty group of commands that stands under a heading of the help."""
    group = typer.Typer(cls=Below, help=words, no_args_is_help=True, rich_markup_mode=None)
    app.add_typer(group, name=name, rich_help_panel=panel)
    return group


app.command("run", cls=work.SourcesCommand, rich_help_panel=RUN)(work.run)
app.command(
    "chat",
    cls=work.SourcesCommand,
    rich_help_panel=RUN,
    short_help="Talk with the sources: a question a line.",
)(chat.chat)
app.command("resume", rich_help_panel=RUN)(work.resume)
app.command("answer", rich_help_panel=RUN, short_help="Answer the question a thread waits with.")(
    reply.answer
)
app.command("cancel", rich_help_panel=RUN)(runs.cancel)
app.command("fix", rich_help_panel=RUN)(fix.fix)
app.command("batch", cls=work.SourcesCommand, rich_help_panel=RUN, short_help="Run every task of a file.")(
    batch.batch
)
app.command("fork", rich_help_panel=RUN, short_help="Leave a thread at a moment by another way.")(
    history.fork
)
app.command("demo", rich_help_panel=RUN, short_help="See it work: no key, no network.")(demo.demo)
app.command("runs", rich_help_panel=LOOK)(runs.runs)
app.command("show", rich_help_panel=LOOK, short_help="Show a thread: task, ideas, result.")(runs.show)
app.command("view", rich_help_panel=LOOK, short_help="Show the runs in a local page, live.")(view.view)
app.command("export", rich_help_panel=LOOK, short_help="Write a run into one file: HTML, Markdown or JSON.")(
    export.export
)
app.command("why", rich_help_panel=LOOK, short_help="Show a decision, and what would have changed it.")(
    why.why
)
app.command("history", rich_help_panel=LOOK, short_help="List the checkpoints of a thread.")(history.history)
app.command("diff", rich_help_panel=LOOK, short_help="Show what differs between two threads.")(history.diff)
app.command("costs", rich_help_panel=LOOK, short_help="Show what a thread's model calls cost.")(costs.costs)
app.command("mood", rich_help_panel=LOOK, short_help="Show the state of mind of a thread over time.")(
    mood.mood
)
app.command("verify", rich_help_panel=LOOK, short_help="Prove that no decision of a thread was changed.")(
    why.verify
)
app.command("analyze", rich_help_panel=LOOK, short_help="Draw, tabulate and compare runs.")(analyze.analyze)
debates = _group("Look at debates and judges.", LOOK, "debate")
debates.command("report")(debate.report)
debates.command("rubric")(debate.rubric)
debates.command("wrong")(debate.wrong)
app.command(
    "new", rich_help_panel=EXTEND, short_help="Write a node, an action or an identity with its test."
)(new.new)
app.command("graph", rich_help_panel=EXTEND, short_help="Draw the state machine, or a graph of your own.")(
    graphs.graph
)
app.command(
    "actions", rich_help_panel=EXTEND, short_help="List the actions, and what the policy says of each."
)(actions.actions)
app.command("mcp", rich_help_panel=EXTEND, short_help="Serve ddax as tools, for editors and assistants.")(
    mcp.mcp
)
models = _group("Look at language models.", EXTEND, "models")
models.command("check")(setup.models_check)
models.command("get")(models_get)
words = _group("Look at what a model is told.", EXTEND, "prompts")
words.command("list")(prompts.prompts_list)
words.command("show")(prompts.prompts_show)
minds = _group("Look after the controller.", EXTEND, "metacognition")
minds.command("learn")(mood.learn)
minds.command("versions")(mood.versions)
criteria = _group("Look after the judges' rubric.", EXTEND, "rubric")
criteria.command("show")(rubric.show)
criteria.command("approve")(rubric.approve)
criteria.command("refuse")(rubric.refuse)
criteria.command("undo")(rubric.undo)
trace = _group("Runs as examples to learn from.", EXTEND, "traces")
trace.command("export")(traces.export)
app.command("init", rich_help_panel=MAINTAIN)(setup.init)
config = _group("Look at the settings.", MAINTAIN, "config")
config.command("show")(setup.config_show)
app.command("doctor", rich_help_panel=MAINTAIN, short_help="Say what this machine has and lacks.")(
    doctor.doctor
)
memories = _group("Look after the memory.", MAINTAIN, "memory")
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
people = _group("Look at trust, dissents and overrides.", MAINTAIN, "agents")
people.command("list")(agents.list_)
people.command("show")(agents.show)
people.command("override")(agents.override)
people.command("revert")(agents.revert)
people.command("check")(agents.check)
app.command("gc", rich_help_panel=MAINTAIN, short_help="Let go of the old checkpoints of finished threads.")(
    history.gc
)


@cache
def parser() -> Callable[..., Any]:
    """Build the parser once a process: it reads the signatures of all commands, which takes a moment."""
    return typer.main.get_command(app)
