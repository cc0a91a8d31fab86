"""The commands around settings and models: `init`, `config show`, `models check`."""

from __future__ import annotations

import asyncio
import os
import time
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Output, home_of, settings
from ddax.cli.notes import model_note
from ddax.cli.options import CONFIG, JSON, VERBOSE
from ddax.cli.text import clean_block, dump_json
from ddax.errors import UsageError
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.configs.models import ModelRecord
    from ddax.configs.prices import Price
    from ddax.reasoning.language.provider.channel import Said
    from ddax.reasoning.language.provider.failures import Failure

EMBEDDED = "embedded"
CHECK_SECONDS = 60.0
READY = (("human", "Reply with the one word: ready"),)


def init(json: JSON = False, verbose: VERBOSE = False) -> None:
    """Write a commented ddax.yaml and .env.example here.

    Nothing that is there is overwritten.
    """
    output = Output(json=json, verbose=verbose)
    texts = {Path("ddax.yaml"): settings_text(), Path(".env.example"): env_text()}
    if Path("ddax.yaml").exists():
        raise UsageError(
            "ddax.yaml is already here.",
            why="Nothing is overwritten.",
            mend="Edit it, move it away, or start in another folder.",
        )
    written = []
    for path, text in texts.items():
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
            written.append(str(path))
        except FileExistsError:
            output.note(f"{path} is already here and stays as it is.")
    if json:
        output.result({"written": written})
    output.say(f"Wrote {' and '.join(written)}. See what holds: ddax config show")


def settings_text() -> str:
    """Return the defaults with every value commented out, so that an untouched file changes nothing."""
    lines = (resources.files("ddax.configs") / "default.yaml").read_text(encoding="utf-8").splitlines()
    body = lines[lines.index("") :]
    head = [
        "# Settings of ddax for this folder. Take the # away before what you change.",
        "# The later wins: default < this file < environment (DDAX_...) < argument.",
    ]
    return "\n".join([*head, *map(_commented, body)]) + "\n"


def _commented(line: str) -> str:
    """Comment a value out; names of groups and the version stay."""
    key, _, rest = line.partition(":")
    value = rest.split("#")[0].strip()
    if not value or key == "schema_version" or line.lstrip().startswith("#"):
        return line
    indent = len(line) - len(line.lstrip())
    return f"{line[:indent]}# {line[indent:]}"


def env_text() -> str:
    """Return hints for the environment, without any secret."""
    from ddax.configs.prices import load_providers

    keys = [f"# {row.key}=\n" for row in load_providers().values() if row.key]
    return (
        "# Copy to .env, fill in, and load it: set -a; . ./.env; set +a\n"
        "# Keep .env out of version control. A key alone changes nothing: set a model too.\n"
        "# DDAX_MODEL=openai:gpt-4.1-mini\n"
        f"{''.join(keys)}"
        "# Where runs, checkpoints and memory are kept.\n"
        "# DDAX_HOME=.ddax\n"
        "# Any setting, a group's after two underscores.\n"
        "# DDAX_BUDGET__MAX_STEPS=60\n"
    )


def config_show(
    config: CONFIG = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Show every effective setting and where it comes from."""
    from ddax.configs.keys import value_of

    output, loaded = Output(json=json, verbose=verbose), settings(config)
    rows = {key: (value_of(loaded.context, key), origin) for key, origin in loaded.origins.items()}
    home, home_from = home_of(), "environment DDAX_HOME" if os.environ.get("DDAX_HOME") else "default"
    if json:
        table = {key: {"value": value, "origin": origin} for key, (value, origin) in rows.items()}
        output.result({"home": {"value": str(home), "origin": home_from}, "settings": table})
        return
    output.say(f"home = {home}  ({home_from})")
    for key, (value, origin) in rows.items():
        output.say(f"{key} = {_yaml(value)}  ({origin})")


def _yaml(value: Any) -> str:
    """Return a value on one line; what of it could steer the terminal is shown as escapes."""
    plain = isinstance(value, str) and value == clean_block(value) and "\n" not in value
    return value if plain else dump_json(value, indent=None)


def models_check(
    model: Annotated[
        str | None, typer.Option(help="'embedded' or provider:model; default: the setting.")
    ] = None,
    config: CONFIG = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Check the model: its key, one small call, its price."""
    output = Output(json=json, verbose=verbose)
    chosen = settings(config, {"model": model}).context
    name = chosen.model_name
    if name == EMBEDDED:
        if json:
            output.result(
                {"model": name, "ok": True, "key": None, "reply": None, "usd": 0.0, "note": model_note()}
            )
        output.say(model_note())
        return
    report = asyncio.run(check_model(chosen.model))
    if json:
        output.result(report)
        return
    output.say(f"{name}: answers in {report['seconds']:.2f} s; key {report['key'] or 'not needed'} is there.")
    output.say(
        f"This call: {amount(report['tokens'], 'token')}, {_usd(report['usd'])}."
        f" {_price_words(report['price'])}"
    )


async def check_model(asked: str | ModelRecord) -> dict[str, Any]:
    """Make one small call; raises `ReasonerError` for a missing key, package or answer."""
    from dataclasses import asdict

    from ddax.configs.models import name_of
    from ddax.configs.prices import load_prices, load_providers, price_of
    from ddax.reasoning.factory import open_model
    from ddax.reasoning.language.assemble import LOCAL, open_local
    from ddax.reasoning.language.parts import REQUEST
    from ddax.reasoning.language.provider.channel import Order
    from ddax.reasoning.language.provider.failures import classify, mapped
    from ddax.reasoning.language.provider.retrying import Limits
    from ddax.reasoning.language.provider.shortest_way import open_channel
    from ddax.reasoning.language.replies.schemas import Wire
    from ddax.reasoning.language.usage import counted, priced

    name = name_of(asked)
    providers, price = load_providers(home=home_of()), price_of(name, load_prices(home=home_of()))
    key = providers[name.partition(":")[0]].key if name.partition(":")[0] in providers else ""
    here = name.partition(":")[0] in LOCAL
    if here:
        model = (await asyncio.to_thread(open_local, name, limits=Limits(output_tokens=20))).model
    else:
        model = open_model(asked, limits=Limits(), providers=providers)
    channel, start = open_channel(model), time.monotonic()  # the way a run goes, so that faults read alike
    try:
        reply = await asyncio.wait_for(channel.say(Order(READY, Wire, "free")), CHECK_SECONDS)
    except Exception as exc:  # every provider raises its own kind; all of them end as one of ours
        raise mapped(classify(exc, time.time), name, key, 1) from exc
    finally:
        await channel.close()
    failure = _unusable(reply, bounded=here)
    if failure is not None:
        raise mapped(failure, name, key, 1)
    asked_for = READY[0][1]
    counts = counted(reply.usage, sent=len(asked_for), reply=reply.text)
    usage = priced(counts, price, {REQUEST: len(asked_for)})
    return {
        "model": name, "ok": True, "key": key or None, "reply": reply.text[:200], "tokens": usage.tokens,
        "usd": usage.usd, "seconds": round(time.monotonic() - start, 3),
        "price": asdict(price) if price else None,
    }  # fmt: skip


def _unusable(reply: Said, *, bounded: bool) -> Failure | None:
    """Return why a reply of one word is no answer; `bounded` is one whose length we cut ourselves."""
    from ddax.reasoning.language.provider.failures import Failure

    if reply.cut and not bounded:
        return Failure("length", 0, "One word was asked for, and the reply was cut off at the output limit.")
    if not (reply.text.strip() or reply.refusal):
        return Failure("foreign", 0, "The server sent a reply without a text.")
    return None


def _usd(usd: float | None) -> str:
    return "cost unknown" if usd is None else f"${usd:.6f}"


def _price_words(price: dict[str, float] | Price | None) -> str:
    if not isinstance(price, dict):
        return "No price is known: add it to models.yaml in the home folder, or --max-usd cannot hold."
    return f"Price a million tokens: ${price['input']:g} in, ${price['output']:g} out."
