"""What a run that comes over a server may set: one row for every setting, and the rule of each row.

A run over a server is asked for by whoever can send a request. So nothing that executes a file, opens a host,
writes or reads a path, spends more, or loosens a guard is its to set: the server's own settings say it. A key
that a run sets to what the server has, or to the default, is never refused, because Studio sends its whole
form back; where the row does not allow the value, the server's own stands.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ddax.configs.keys import setting_fields
from ddax.configs.server import Server
from ddax.configs.settings import Context
from ddax.errors import SettingsError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
KNOWING = ("forbid", "mark", "allow")
"""How far a model may answer of itself, least first."""
MATRICES = re.compile(r"shipped|v[1-9][0-9]{0,5}")
PYTHON = re.compile(r"python:\s*+(\w++(\.\w++)*+)?+\s*+")
WORLD = re.compile(r"world:[A-Za-z]+(-v[0-9]+)?(\?(is_slippery|map_name|natural|sab|is_rainy)=[A-Za-z0-9]+)?")
PAGE = re.compile(r"(browser:)?https?://\S+", re.IGNORECASE)
MODEL = re.compile(r"[a-z][a-z0-9_]*:[A-Za-z0-9][A-Za-z0-9._:@/-]*")


class Own(NamedTuple):
    """What the server has itself: the settings that its runs begin with, and what it lets them reach."""

    settings: Context
    server: Server


class Refused(Exception):
    """Say why a value is not for a run to set."""


Settle = Callable[[Any, Any, Own], Any]
"""Return what holds of the value a run gives and the server's own one; raises Refused."""


@dataclass(frozen=True)
class Rule:
    """How far a run may set a key: in words, and as a function."""

    words: str
    settle: Settle
    mend: str = "Leave it out; who runs the server sets it for all runs, in its ddax.yaml or as {variable}."


class Row(NamedTuple):
    """Settings of one rule, and why they have it."""

    rule: Rule
    keys: str
    why: str


def _free(value: Any, own: Any, has: Own) -> Any:
    return value


def _never(value: Any, own: Any, has: Own) -> Any:
    raise Refused


def _at_most(value: Any, own: Any, has: Own) -> Any:
    if value > own:
        raise Refused(f"The server has {own:g}.")
    return value


def _at_least(value: Any, own: Any, has: Own) -> Any:
    if value < own:
        raise Refused(f"The server has {own:g}.")
    return value


def _rate(value: Any, own: Any, has: Own) -> Any:
    if own and not 0 < value <= own:
        raise Refused(f"The server has {own}.")
    return value


def _on(value: Any, own: Any, has: Own) -> Any:
    if own and not value:
        raise Refused
    return value


def _off(value: Any, own: Any, has: Own) -> Any:
    if value and not own:
        raise Refused
    return value


def _knowing(value: Any, own: Any, has: Own) -> Any:
    if KNOWING.index(value) > KNOWING.index(own):
        raise Refused(f"The server has {own!r}.")
    return value


def _more(value: Any, own: Any, has: Own) -> Any:
    return tuple(dict.fromkeys((*own, *value)))


def _within(value: Any, own: Any, has: Own) -> Any:
    def inside(domain: str) -> bool:
        return any(domain == wider or domain.endswith(f".{wider}") for wider in map(_host, own))

    if own and not (value and all(inside(_host(domain)) for domain in value)):
        raise Refused(f"The server has {', '.join(own)}.")
    return value


def _hosts(value: Any, own: Any, has: Own) -> Any:
    known = {_host(host) for host in (*own, *has.server.allow_hosts)}
    for host in value:
        if _host(host) not in known:
            raise Refused(f"The server lets no run reach {host!r}.")
    return value


def _host(name: str) -> str:
    return name.strip().lower().strip("[]").rstrip(".")


def _sources(value: Any, own: Any, has: Own) -> Any:
    for source in value:
        if source in own or PAGE.fullmatch(source) or PYTHON.fullmatch(source) or WORLD.fullmatch(source):
            continue
        if not _below(source, has.server.sources_below):
            raise Refused(
                f"{source!r} is no URL and no python:MODULE, and lies in no folder that runs may read."
            )
    return value


def _below(source: str, folders: tuple[str, ...]) -> bool:
    """Say whether a path, its links followed, lies in one of the folders; it asks the disk."""
    try:
        path = Path(source).expanduser().resolve()
        return any(path.is_relative_to(Path(folder).expanduser().resolve()) for folder in folders)
    except (OSError, RuntimeError, ValueError):  # a link to itself, an unknown ~user, a zero byte
        return False


def _model(value: Any, own: Any, has: Own) -> Any:
    mine = own if isinstance(own, list | tuple) else (own,)
    for one in value if isinstance(value, list | tuple) else (value,):
        # A record names an address and a variable: it is the server's own or none.
        if one not in mine and not (isinstance(one, str) and _is_open(one, has)):
            raise Refused(f"{one!r} is no model that the server lets a run name.")
    return value


def _is_open(name: str, has: Own) -> bool:
    settings = has.settings
    named = (settings.model, *settings.models.fallbacks, *_roles(settings))
    if name in ("", "embedded", *(one for one in named if isinstance(one, str))):
        return True
    if not MODEL.fullmatch(name) or ".." in name:
        return False
    if has.server.models:
        return any(fnmatchcase(name, pattern) for pattern in has.server.models)
    return name.partition(":")[0] in _providers()


def _roles(settings: Context) -> list[str]:
    return [value for value in vars(settings.models).values() if isinstance(value, str) and ":" in value]


@cache
def _providers() -> frozenset[str]:
    from ddax.configs.prices import load_providers

    return frozenset(load_providers()) - {"gguf", "local"}


def _name(value: Any, own: Any, has: Own) -> Any:
    if not NAME.fullmatch(value):
        raise Refused(f"{value!r} is no name, and a run names no file.")
    return value


def _matrices(value: Any, own: Any, has: Own) -> Any:
    if not MATRICES.fullmatch(value):
        raise Refused(f"{value!r} is no version, and a run names no file.")
    return value


SERVER_KEY = "Who runs the server names it in {key}, in its ddax.yaml or as {variable}."
FREE = Rule("as it likes", _free)
NEVER = Rule("not at all", _never)
AT_MOST = Rule("at most the server's own", _at_most)
AT_LEAST = Rule("at least the server's own", _at_least)
RATE = Rule("no faster than the server's own", _rate)
ON = Rule("on, not off", _on)
OFF = Rule("off, not on", _off)
KNOWS = Rule("no more than the server's own", _knowing)
MORE = Rule("beside the server's own", _more)
WITHIN = Rule("within the server's own", _within)
NAMES = Rule("by name, no file", _name)
VERSIONS = Rule("by version, no file", _matrices)
HOSTS = Rule(
    "hosts of `server.allow_hosts`",
    _hosts,
    SERVER_KEY.format(key="server.allow_hosts", variable="DDAX_SERVER__ALLOW_HOSTS"),
)
SOURCES = Rule(
    "URLs, `python:MODULE`, worlds; paths below `server.sources_below`",
    _sources,
    SERVER_KEY.format(key="server.sources_below", variable="DDAX_SERVER__SOURCES_BELOW"),
)
MODELS = Rule(
    "`embedded`, and models of `server.models`",
    _model,
    SERVER_KEY.format(key="server.models", variable="DDAX_SERVER__MODELS"),
)

ROWS = (
    Row(NEVER, "actions.files actions.mcp", "They are executed."),
    Row(
        NEVER,
        "record replay web.record web.replay browser.downloads browser.uploads",
        "They write or read files at any path, and a recording holds what everybody asked.",
    ),
    Row(NEVER, "browser.secrets", "It types a variable of the server's environment into a page."),
    Row(NEVER, "web.searxng_url", "It opens an address inside the network."),
    Row(NEVER, "actions.allow actions.reads", "They take questions away that the policy asks."),
    Row(HOSTS, "allow_hosts", "It opens hosts inside the network."),
    Row(SOURCES, "sources", "A path is read with the server's rights."),
    Row(
        MODELS,
        "model models.plan models.extract models.argue models.judge models.merge models.repair"
        " models.fallbacks models.lean",
        "A model is paid with the server's keys, and gguf reads a file.",
    ),
    Row(NAMES, "identity debate.panel trust.rubric", "A file is read with the server's rights."),
    Row(VERSIONS, "mood.matrices", "A file is read with the server's rights."),
    Row(
        AT_MOST,
        "budget.max_steps budget.max_ideas budget.max_depth budget.max_reads budget.max_model_calls"
        " budget.max_tokens budget.max_usd budget.max_seconds budget.max_turns budget.max_parallel"
        " budget.leaf_seconds",
        "The caps protect the server's money and its machine.",
    ),
    Row(
        AT_MOST,
        "models.concurrency models.idle_seconds models.total_seconds models.output_tokens"
        " evolution.evolution_population_size evolution.evolution_max_generations"
        " evolution.candidate_seconds evolution.seconds",
        "They take the server's cores and its account with a provider.",
    ),
    Row(
        AT_MOST,
        "web.results web.searches_per_minute web.per_host web.max_bytes web.fetch_seconds web.read_seconds"
        " web.max_redirects",
        "They keep hosts, and the server, from being overrun.",
    ),
    Row(RATE, "models.per_minute", "It keeps the server's account with a provider open."),
    Row(AT_LEAST, "web.delay", "It keeps hosts from being overrun in the server's name."),
    Row(ON, "web.robots", "It keeps the manners of the web in the server's name."),
    Row(ON, "dry_run", "A server that only shows does not begin to act."),
    Row(OFF, "browser.writes", "It lets pages send data from inside the network."),
    Row(OFF, "evolution.evolution_enabled", "It runs candidate code on the server's machine."),
    Row(MORE, "actions.ask actions.deny web.deny_domains", "A run may be stricter than its server."),
    Row(WITHIN, "web.only_domains", "A run may be stricter than its server."),
    Row(NEVER, "prompts", "Files are read with the server's rights."),
    Row(KNOWS, "knowledge", "A server that answers from its sources alone stays so."),
    Row(FREE, "instructions output words", "They word the answer of whoever sent the run."),
    Row(FREE, "namespace", "Each owner has a memory of its own, which every namespace of its runs lies in."),
    Row(FREE, "human", "The questions go to whoever sent the run."),
    Row(FREE, "web.search", "It names a service that the server's environment sets up."),
    Row(
        FREE,
        "seed requirements stream effort models.passages models.effort models.lean_below"
        " models.saving_below models.samples models.plans"
        " models.sample_temperature models.pass_on models.first_search models.quote_below models.cache"
        " models.worth"
        " web.search_hours web.cache browser.screenshot support.check"
        " selection.preset selection.w_a selection.w_q selection.c selection.wider selection.branching"
        " selection.join selection.prune_margin selection.prune_visits selection.replan_above"
        " selection.lookahead selection.lookahead_minimum selection.beam selection.min_alignment"
        " selection.teleport selection.state_dim"
        " recall.n_thoughts recall.m_observations recall.budget recall.min_score recall.lambda_r"
        " recall.fill_behind recall.lambda_epsilon"
        " rules.enabled rules.lessons rules.min_rate rules.min_similarity rules.decay"
        " mood.enabled mood.engine mood.policy_len mood.explore mood.consolidate mood.verify mood.rest"
        " mood.surprise_threshold mood.confirmation_confidence"
        " debate.enabled debate.ask debate.gate debate.margin debate.doubt debate.first_votes debate.rounds"
        " debate.support debate.task_rubric debate.calibrate debate.settled"
        " trust.formula trust.regret_hours trust.regret_margin trust.propose_from trust.apply_above"
        " evolution.history_penalty_multiplier evolution.pressure_threshold evolution.pressure_weights",
        "It steers how the run thinks, within the caps, over its owner's own memory.",
    ),
)
"""Every setting, once. A new one needs a row here; a test holds it."""


@cache
def rows() -> Mapping[str, Row]:
    """Return the row of every setting."""
    return {key: row for row in ROWS for key in row.keys.split()}


def granted(asked: Context, own: Own) -> Context:
    """Return the settings of a run that comes over a server; it asks the disk where sources are paths.

    What the run leaves out is the server's own. Raises SettingsError that names the first key that is not for
    the run to set.
    """
    given, mine = _flat(asked.model_dump(exclude_unset=True)), _flat(own.settings.model_dump())
    nested: dict[str, Any] = {}
    for key in setting_fields(Context):
        section, _, name = key.rpartition(".")
        value = _settled(key, given[key], mine[key], own) if key in given else mine[key]
        (nested.setdefault(section, {}) if section else nested)[name] = value
    return Context.model_validate(nested)


def _settled(key: str, value: Any, mine: Any, own: Own) -> Any:
    row = rows().get(key) or Row(NEVER, key, "It has no row in the table of what a run may set.")
    try:
        return row.rule.settle(value, mine, own)
    except Refused as refused:
        if value in (mine, _default(key)):
            return mine
        why = " ".join(part for part in (row.why, str(refused)) if part)
        raise SettingsError(
            f"A run that comes over a server may not set {key} to {reprlib.repr(_plain(value))}.",
            why=why,
            mend=row.rule.mend.format(variable=f"DDAX_{key.upper().replace('.', '__')}"),
        ) from None


def _default(key: str) -> Any:
    return _flat(Context().model_dump())[key]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _flat(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the values by dotted key; a mapping that is a value of a setting stays one."""
    found: dict[str, Any] = {}
    for name, value in nested.items():
        key = f"{prefix}{name}"
        if key not in setting_fields(Context) and isinstance(value, Mapping):
            found |= _flat(value, f"{key}.")
        else:
            found[key] = value
    return found


def table() -> str:
    """Return the table of the docs: the settings of each row, how far a run may set them, and why."""
    lines = ["| settings | a run over a server sets them | because |", "|---|---|---|"]
    for row in ROWS:
        named = ", ".join(f"`{key}`" for key in row.keys.split())
        lines.append(f"| {named} | {row.rule.words} | {row.why} |")
    return "\n".join(lines)
