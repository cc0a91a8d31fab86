"""Layered settings: default < file < environment (`DDAX_`) < argument, with the origin of each value.

Leaves out what the settings mean (`ddax.configs.settings`) and identity profiles. Files are read by
YAML's safe loader only; every complaint names the key and the file and line, or the variable.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from ddax.configs.documents import safe_load
from ddax.configs.faults import split_key, unknown, wrong
from ddax.configs.keys import sections, setting_fields, value_of
from ddax.configs.server import Everything, Server
from ddax.configs.settings import SCHEMA_VERSION, Context
from ddax.errors import SettingsError, StateError, first_fault, json_fault

if TYPE_CHECKING:
    import yaml

PREFIX = "DDAX_"
NOT_SETTINGS = frozenset(
    {"DDAX_HOME", "DDAX_CHECKPOINTS", "DDAX_ENCRYPTION_KEY", "DDAX_API_KEYS"}
    | {"DDAX_AGENTDOJO_PYTHON", "DDAX_OPENEVOLVE_PYTHON", "DDAX_PEERS", "DDAX_PEERS_DATA"}
    | {
        "DDAX_BENCH_KEPT",
        "DDAX_BENCH_MINUTES",
        "DDAX_BENCH_MODEL",
        "DDAX_BENCH_ONLY",
        "DDAX_BENCH_URL",
        "DDAX_BENCH_WHOLE",
    }
    | {"DDAX_SKIP_SYSTEM", "DDAX_SMOKE_MODEL"}
)
"""Variables with our prefix that say where things are or who may come in, not how a run behaves.

The second line has those of the benchmarks, the third those of the scripts.
"""
DEFAULT_FILE = "ddax.yaml"
VERSION_KEY = "schema_version"
MAX_FILE_BYTES = 1_000_000
DEFAULT = "default"
ARGUMENT = "argument"


class Setting(NamedTuple):
    """A raw value and where it came from, in words."""

    value: Any
    origin: str


@dataclass(frozen=True)
class Loaded:
    """The effective settings; `origins` maps every dotted key to where its value came from."""

    context: Context
    origins: dict[str, str]
    file: Path | None = None
    server: Server = field(default_factory=Server)
    """What a server lets its runs reach; of no account anywhere else."""


def load_context(
    *,
    file: Path | str | None = None,
    env: Mapping[str, str] | None = None,
    arguments: Mapping[str, Any] | None = None,
    directory: Path | None = None,
) -> Loaded:
    """Merge the layers into a `Context`; raises `SettingsError` (or `StateError` for a newer file).

    Without `file`, `ddax.yaml` in `directory` (the working directory) is read if it is there.
    `arguments` are dotted or nested keys; a value of None means "not given". `env` is `os.environ`.
    """
    path = _settings_file(file, directory)
    layers: dict[str, Setting] = {}
    for layer in (
        _from_file(path) if path is not None else {},
        _from_environment(os.environ if env is None else env),
        _from_arguments(arguments or {}),
    ):
        _validate(layer)  # also what a later one takes the place of: it would be wrong the next time
        layers.update(layer)
    found = _validate(layers)
    context = Context.model_validate(found.model_dump(exclude={"server"}, exclude_unset=True))
    origins = {key: layers[key].origin if key in layers else DEFAULT for key in setting_fields(Context)}
    return Loaded(context, origins, path, found.server)


def keep_unset(loaded: Loaded, stored: Mapping[str, Any]) -> Context:
    """Return the settings of a follow-up: those of its thread, but for what an argument gives now.

    Raises `StateError` where the stored settings do not fit this release.
    """
    merged = {**stored}
    for key, origin in loaded.origins.items():
        if origin != ARGUMENT:
            continue
        section, _, name = key.rpartition(".")
        value = value_of(loaded.context, key)
        if section:
            merged[section] = {**merged.get(section, {}), name: value}
        else:
            merged[name] = value
    try:
        return Context.model_validate(merged)
    except ValidationError as exc:
        where, fault = first_fault(exc.errors(include_url=False))
        raise StateError(
            "The settings stored with the thread do not fit this release.",
            why=f"{'.'.join(map(str, where))}: {fault}.",
            mend="Ask the question on a new thread.",
        ) from exc


def _settings_file(file: Path | str | None, directory: Path | None) -> Path | None:
    if file is not None:
        return Path(file)
    found = (directory or Path()) / DEFAULT_FILE
    return found if found.exists() else None


def _from_file(path: Path) -> dict[str, Setting]:
    import yaml

    text = _read(path)
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        return {} if node is None else dict(_entries(loader, node, path, ""))
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise _broken(where, str(exc.problem or exc.context)) from exc
    except yaml.YAMLError as exc:
        raise _broken(str(path), str(exc).splitlines()[0]) from exc
    finally:
        loader.dispose()


def _read(path: Path) -> str:
    import yaml

    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise SettingsError(
                f"The settings file {path} is larger than {MAX_FILE_BYTES:,} bytes.",
                why="A file of settings is small; this is something else.",
                mend="Give a settings file; `ddax init` writes one to start from.",
            )
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise _broken(f"{path} (byte {exc.start})", "the file is not UTF-8 text") from exc
    except OSError as exc:
        raise SettingsError(
            f"The settings file {path} cannot be read.",
            why=f"{exc.strerror or exc}.",
            mend="Check the path, or write a new file with `ddax init`.",
        ) from exc
    try:
        yaml.reader.Reader(text)  # refuses control characters, which the decoder lets through
    except yaml.reader.ReaderError as exc:
        line = text.count("\n", 0, int(exc.position)) + 1
        raise _broken(f"{path}:{line}", f"the character #x{int(exc.character):04x} is not allowed") from exc
    return text


def _broken(where: str, problem: str) -> SettingsError:
    return SettingsError(
        f"{where}: the settings file is not valid YAML.",
        why=f"{problem[:1].upper()}{problem[1:]}.",
        mend="Mend the file at that place; `ddax init` writes a valid one to compare with.",
    )


def _entries(
    loader: yaml.SafeLoader, node: yaml.Node, path: Path, prefix: str
) -> Iterator[tuple[str, Setting]]:
    import yaml

    if not isinstance(node, yaml.MappingNode):
        raise SettingsError(
            f"{path}:{node.start_mark.line + 1}: expected `key: value` lines.",
            why=f"{prefix.rstrip('.') or 'The file'} is a group of settings, not a single value or a list.",
            mend="`ddax init` writes a commented file to start from.",
        )
    seen: set[str] = set()
    for key_node, value_node in node.value:
        where = f"{path}:{key_node.start_mark.line + 1}"
        if not isinstance(key_node, yaml.ScalarNode):
            raise SettingsError(
                f"{where}: a key is no word.",
                why="A list or a group stands where the name of a setting should.",
                mend="Write `key: value`; `ddax config show` lists every setting.",
            )
        key = f"{prefix}{key_node.value}"
        if key in seen:
            raise SettingsError(
                f"{where}: the key {key!r} stands twice.",
                why="One of the two would be lost without a word.",
                mend="Keep one of the two.",
            )
        seen.add(key)
        if key == VERSION_KEY:
            _check_version(loader.construct_object(value_node, deep=True), where)
        elif key in sections(Everything):
            # A group whose lines are all commented out reads as null: nothing is set in it.
            if value_node.tag != "tag:yaml.org,2002:null":
                yield from _entries(loader, value_node, path, f"{key}.")
        elif key in setting_fields(Everything):
            yield key, Setting(loader.construct_object(value_node, deep=True), f"file {where}")
        else:
            raise unknown(key, where, group=Everything)


def _check_version(value: Any, where: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SettingsError(
            f"{where}: {VERSION_KEY} is {value!r}.",
            why="This release reads no other version.",
            mend=f"Write {VERSION_KEY}: {SCHEMA_VERSION}.",
        )
    if value > SCHEMA_VERSION:
        raise StateError(
            f"{where}: the settings have schema version {value}.",
            why=f"This release knows versions up to {SCHEMA_VERSION}.",
            mend="Upgrade ddax, or write the settings anew with `ddax init` in an empty folder.",
        )


def _from_environment(env: Mapping[str, str]) -> dict[str, Setting]:
    layer: dict[str, Setting] = {}
    for name, text in sorted(env.items()):
        if not name.startswith(PREFIX) or name in NOT_SETTINGS or text == "":
            continue
        key = name[len(PREFIX) :].lower().replace("__", ".")
        if key not in setting_fields(Everything):
            raise unknown(key, f"environment variable {name}", spell=_variable, group=Everything)
        layer[key] = Setting(_parse(key, name, text), f"environment {name}")
    return layer


def _variable(key: str) -> str:
    return PREFIX + key.replace(".", "__").upper()


def _parse(key: str, name: str, text: str) -> Any:
    """Turn the text of a variable into what the field's type reads; pydantic does the numbers."""
    annotation = str(setting_fields(Everything)[key].annotation)
    if annotation.startswith("dict"):
        return _parse_mapping(key, name, text)
    if annotation.startswith("tuple"):
        return _parse_list(key, name, text.strip())
    if "None" in annotation and text.strip().lower() in {"null", "none"}:
        return None
    return text.strip()


def _parse_list(key: str, name: str, text: str) -> Any:
    import json

    if not text.startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        return json.loads(text)
    except ValueError as exc:
        raise SettingsError(
            f"The environment variable {name} ({key}) is not a JSON list.",
            why=f"{json_fault(exc)}.",
            mend=f'Write {name}=a,b or {name}=\'["a", "b"]\'.',
        ) from exc


def _parse_mapping(key: str, name: str, text: str) -> Any:
    import yaml

    try:
        return safe_load(text)
    except yaml.YAMLError as exc:
        raise SettingsError(
            f"The environment variable {name} ({key}) is neither JSON nor YAML.",
            why=f"{' '.join(str(exc).split())}.",
            mend=f"Write {name}='{{NAME: VALUE}}'.",
        ) from exc


def _from_arguments(arguments: Mapping[str, Any], prefix: str = "") -> dict[str, Setting]:
    layer: dict[str, Setting] = {}
    for name, value in arguments.items():
        key = f"{prefix}{name}"
        if key in sections(Context) and isinstance(value, Mapping):
            layer.update(_from_arguments(value, f"{key}."))
        elif key not in setting_fields(Context):
            raise unknown(key, f"argument {key}", group=Context)
        elif value is not None:
            layer[key] = Setting(value, ARGUMENT)
    return layer


def _validate(layers: Mapping[str, Setting]) -> Everything:
    nested: dict[str, Any] = {}
    for key, setting in layers.items():
        section, _, name = key.rpartition(".")
        (nested.setdefault(section, {}) if section else nested)[name] = setting.value
        if not _is_unicode(setting.value):
            raise _wrong(tuple(key.split(".")), "It holds bytes that are not UTF-8 text", layers)
    try:
        return Everything.model_validate(nested)
    except ValidationError as exc:
        where, fault = first_fault(exc.errors(include_url=False))
        raise _wrong(where, fault, layers) from exc


def _is_unicode(value: Any) -> bool:
    """Say whether a value can be stored: a byte of the command line that is no UTF-8 cannot."""
    if isinstance(value, str):
        return not any("\ud800" <= char <= "\udfff" for char in value)
    return not isinstance(value, list | tuple) or all(map(_is_unicode, value))


def _wrong(loc: tuple[int | str, ...], message: str, layers: Mapping[str, Setting]) -> SettingsError:
    key, part = split_key(loc, layers)
    setting = layers[key]
    return wrong(
        setting_fields(Everything)[key], f"{setting.origin}: {key}", setting.value, message, part=part
    )
