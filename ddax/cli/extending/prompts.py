"""The commands `prompts list` and `prompts show`: what a language model is told, word for word."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ddax.cli.backend import Output
from ddax.cli.options import JSON, VERBOSE


def prompts_list(json: JSON = False, verbose: VERBOSE = False) -> None:
    """List the prompts: one for each request, with the rules (also of quotes) before them, and the repair."""
    from ddax.reasoning.prompts import NAMES, QUOTES, RULES, rules_of, source, variables

    output = Output(json=json, verbose=verbose)
    rows: list[dict[str, Any]] = [
        {"name": name, "characters": len(source(name)), "variables": sorted(variables(name))}
        for name in NAMES
    ]
    if json:
        output.result({"rules": RULES, "quotes": QUOTES, "prompts": rows})
    for row in rows:
        output.say(
            f"{row['name']:<16} {row['characters']:>5} characters; takes {', '.join(row['variables'])}"
        )
    for rule in (RULES, QUOTES):
        before = [name for name in NAMES if rule in rules_of(name)]
        output.say(f"{rule:<16} {len(source(rule)):>5} characters; stands before {', '.join(before)}")


def prompts_show(
    name: Annotated[str, typer.Argument(help="The prompt, as `ddax prompts list` names it.")],
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Show a prompt as its file holds it: the instructions, a line of =====, the request."""
    from ddax.reasoning.prompts import source

    output, text = Output(json=json, verbose=verbose), source(name)
    if json:
        output.result({"name": name, "text": text})
    output.say(text)
