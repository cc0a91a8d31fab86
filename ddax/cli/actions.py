"""The command `actions`: what the agent can do, what each action does outside, and what the policy says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Output, settings
from ddax.cli.text import clean

if TYPE_CHECKING:
    from ddax.actions.protocol import Action
    from ddax.configs.settings import Actions

JSON = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]
VERBOSE = Annotated[bool, typer.Option("--verbose", "-v", help="Tracebacks; with --json events on stderr.")]
CONFIG = Annotated[str | None, typer.Option(help="Settings file; default ./ddax.yaml if it is there.")]
SHOWN = ("user", "model", "web", "file", "code")
"""Origins of an argument the table shows; memory and tools are ruled on as files are."""


def actions(config: CONFIG = None, json: JSON = False, verbose: VERBOSE = False) -> None:
    """List the actions with their effects, and what the policy says by the origin of their arguments."""
    from ddax.actions.registry import open_registry

    output, context = Output(json=json, verbose=verbose), settings(config).context
    rows = [row_of(found, context.actions) for found in open_registry(files=context.actions.files).values()]
    if json:
        output.result({"actions": rows, "mcp": list(context.actions.mcp)})
        return
    for row in rows:
        output.say(f"{row['name']:<12} {row['effect']:<7} {clean(row['doc'], 80)}")
        rulings = ", ".join(f"{name} {row['policy'][name]}" for name in SHOWN)
        output.say(
            f"{'':<12} {rulings}{'' if row['from'] == 'ddax' else '  (' + clean(row['from'], 60) + ')'}"
        )
    for server in context.actions.mcp:
        output.say(f"MCP server   {clean(server, 160)}")
    output.say()
    output.say("Arguments with data from memory or tools are ruled on as from a file; see docs/actions.md.")


def row_of(found: Action, words: Actions) -> dict[str, Any]:
    """Return one action as plain JSON, with the ruling for each origin of an argument outside of protect."""
    from ddax.actions.policy import Standing, permit, reach_of
    from ddax.ideas.origins import KINDS, MODEL

    standing: Standing = (
        "deny" if found.name in words.deny else "ask" if found.name in words.ask
        else "allow" if found.name in words.allow else ""
    )  # fmt: skip
    reach = reach_of(found.effect, inside=found.inside is True)
    return {
        "name": found.name,
        "effect": found.effect,
        "doc": found.doc,
        "from": found.origin,
        "inside": "depends" if callable(found.inside) else found.inside,
        "arguments": sorted(found.arguments.model_json_schema().get("properties", {})),
        "policy": {kind: permit(reach, (kind,), (MODEL,), standing=standing).ruling for kind in KINDS},
    }
