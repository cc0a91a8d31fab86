"""The command `actions`: what the agent can do, what each action does outside, and what the policy says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Output, home_of, settings
from ddax.cli.options import CONFIG, JSON, VERBOSE
from ddax.cli.text import clean
from ddax.errors import UsageError

if TYPE_CHECKING:
    from ddax.actions.protocol import Action
    from ddax.configs.settings import Actions, Context

SHOWN = ("user", "model", "web", "file", "code")
"""Origins of an argument the table shows; memory and tools are ruled on as files are."""


def actions(
    config: CONFIG = None,
    approve: Annotated[
        str | None, typer.Option(help="Show the command of an MCP server of the settings, and let it be run.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Approve without being asked.")] = False,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """List the actions with their effects, and what the policy says by the origin of their arguments."""
    from ddax.actions.registry import open_registry
    from ddax.graph.session.unknown_names import unborne

    output, context = Output(json=json, verbose=verbose), settings(config).context
    if approve is not None:
        _approve(approve, context.actions.mcp, output, yes=yes)
    servers, tools = _servers(context)
    registry = open_registry(tools, files=context.actions.files)
    rows = [row_of(found, context.actions) for found in registry.values()]
    unseen = tuple(f"{server['name']}_" for server in servers if not server["approved"])
    unknown = [wrong for wrong in unborne(context.actions, registry) if not wrong.name.startswith(unseen)]
    if json:
        names = [wrong._asdict() for wrong in unknown]
        output.result({"actions": rows, "mcp": servers, "unknown_names": names})
        return
    for row in rows:
        output.say(f"{row['name']:<12} {row['effect']:<7} {clean(row['doc'], 80)}")
        rulings = ", ".join(f"{name} {row['policy'][name]}" for name in SHOWN)
        output.say(f"{'':<12} {rulings}{_from(row)}")
    for server in servers:
        state = "approved" if server["approved"] else f"not approved: ddax actions --approve {server['name']}"
        does = "is at" if server["address"] else "runs"
        output.say(f"MCP server   {server['name']} ({state}) {does}: {clean(server['command'], 400)}")
    for wrong in unknown:
        meant = f"; is {wrong.nearest!r} meant?" if wrong.nearest else "."
        output.say(f"{wrong.setting} names {clean(wrong.name, 80)!r}, and no action is called that{meant}")
    output.say()
    output.say("Arguments with data from memory or tools are ruled on as from a file; see docs/actions.md.")


def _from(row: Mapping[str, Any]) -> str:
    """Say where an action comes from where that is not ddax, and whose place it takes."""
    from ddax.actions.registry import BUILT_IN

    if row["from"] == "ddax":
        return ""
    instead = ", in place of the built-in one" if row["name"] in BUILT_IN else ""
    return f"  ({clean(row['from'], 60)}{instead})"


def _servers(context: Context) -> tuple[list[dict[str, Any]], tuple[Action, ...]]:
    """Return the MCP servers of the settings, and the tools of those that are approved."""
    words = context.actions
    if not words.mcp:
        return [], ()
    import asyncio

    from ddax.actions.mcp_tools import approved, mcp_actions, server_of
    from ddax.actions.web.opening import policy_for

    home = home_of()
    found = {spec: server_of(spec) for spec in words.mcp}
    known = [spec for spec, server in found.items() if approved(home, server)]
    rows = [
        {
            "name": server.name,
            "command": server.command,
            "address": server.address,
            "approved": spec in known,
        }
        for spec, server in found.items()
    ]
    return rows, asyncio.run(mcp_actions(known, home, policy=policy_for(context), reads=words.reads))


def _approve(name: str, specs: Sequence[str], output: Output, *, yes: bool) -> None:
    """Show what a server would run, and keep a human's yes; raises UsageError without one."""
    from ddax.actions.mcp_tools import approve, server_of

    for server in map(server_of, specs):
        if server.name == name:
            does = "be sent what its tools are given, at" if server.address else "run"
            question = f"The MCP server {name} will {does}: {clean(server.command, 4000)}\nLet it?"
            if not yes and not typer.confirm(output.redactor.text(question), err=True):
                raise UsageError(
                    f"The MCP server {name!r} was not approved.",
                    why="You did not say yes to its command.",
                    mend=f"Ask again: ddax actions --approve {name}",
                )
            approve(home_of(), server)
            return
    raise UsageError(
        f"The settings name no MCP server {name!r}.",
        why="A server is approved by the name that the setting `actions.mcp` gives it.",
        mend="Add it: actions: {mcp: ['NAME=COMMAND or address']}",
    )


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
