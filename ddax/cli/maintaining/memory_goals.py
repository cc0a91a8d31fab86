"""The command `memory goals`: the goal stack of a thread, what is remembered for it, the rules that fit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Opener, Output, opener_of, settings
from ddax.cli.looking.runs import known_run
from ddax.cli.maintaining.memory import LINE, NAMESPACE, with_memory
from ddax.cli.options import JSON, VERBOSE
from ddax.cli.text import clean
from ddax.errors import UsageError

if TYPE_CHECKING:
    from ddax.memory.context import UnifiedView
    from ddax.memory.gate.write_gate import GatedMemory


def goals(
    context: typer.Context,
    thread: Annotated[str, typer.Argument(help="The thread, as `ddax runs` lists it.")],
    namespace: NAMESPACE = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Show the goals a thread still works on, with what is remembered and the rules for the lowest one."""
    output, info = Output(json=json, verbose=verbose), known_run(thread)
    state = asyncio.run(_state(opener_of(context), info.thread_id))
    if not state.get("ideas"):
        raise UsageError(
            f"The thread {thread!r} has no ideas yet.",
            why="It stopped before its task was opened.",
            mend=f"ddax resume {thread}",
        )
    view = with_memory(namespace or info.namespace, lambda memory: _view(memory, state))
    if json:
        output.result(
            {
                "stack": [asdict(node) for node in view.stack],
                "hits": [asdict(hit) for hit in view.hits],
                "rules": [{**asdict(m), "id": m.rule.id, "rate": m.standing.rate} for m in view.rules],
            }
        )
        return
    for node in view.stack:
        waits = f", waits for {', '.join(node.waits_for)}" if node.waits_for else ""
        output.say(f"{'  ' * node.depth}{node.id} {node.status}: {clean(node.goal, LINE)}{waits}")
    if not view.stack:
        output.say("Every goal of this thread is over.")
    for hit in view.hits:
        output.say(f"remembered {hit.record.id[:12]}: {clean(hit.record.text, LINE)}")
    for match in view.rules:
        output.say(f"rule {match.rule.id} ({match.standing.rate:.2f}): {clean(match.rule.situation, LINE)}")


async def _state(opener: Opener, thread: str) -> Mapping[str, Any]:
    async with opener(None) as agent:
        return await agent.state(thread)


async def _view(memory: GatedMemory, state: Mapping[str, Any]) -> UnifiedView:
    """Gather what the thread sees at its last checkpoint."""
    from ddax.memory.context import UnifiedMemory
    from ddax.memory.protocol import RecallQuery
    from ddax.steps.choices.learned_rules import situation_of

    work, ideas = state["work"], state["ideas"]
    focus = next(iter(state.get("focus") or ()), work["root"])
    tasks = await memory.rows("tasks", task=work["id"])
    situation, slots = situation_of(str(tasks[0]["text"] if tasks else work["text"]))
    query = RecallQuery(ideas[focus]["title"], work["id"], int(state.get("step", 0)), work["opened"])
    unified = UnifiedMemory(memory, settings(None).context.rules)
    return await unified.view(ideas, focus, query, situation=situation, slots=slots)
