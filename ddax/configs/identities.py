"""Identity profiles: shipped ones by name, one's own by path."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from pydantic import ValidationError

from ddax.configs.documents import YamlDocument, read_document, shipped
from ddax.configs.settings import Identity
from ddax.errors import SettingsError, first_fault

SUFFIXES = frozenset({".yaml", ".yml"})
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def known_identities() -> list[str]:
    """Return the names of the shipped profiles, sorted."""
    return sorted(path.stem for path in shipped("identity").glob("*.yaml"))


def load_identity(name_or_path: str | Path) -> Identity:
    """Read a profile by its name, or from a YAML file where the argument ends in .yaml or .yml.

    Raises `SettingsError` that names the known profiles and the nearest match, or the wrong line.
    """
    path = Path(name_or_path)
    if path.suffix.lower() in SUFFIXES:
        return _validated(read_document(path))
    name = str(name_or_path)
    if not NAME.fullmatch(name) or name not in known_identities():
        raise _unknown(name)
    return _validated(read_document(shipped("identity", f"{name}.yaml")))


def _unknown(name: str) -> SettingsError:
    known = known_identities()
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    return SettingsError(
        f"There is no identity profile {name[:80]!r}.",
        why=f"{hint}Known are {', '.join(known)}.",
        mend="Choose one of them, or give the path of a .yaml file.",
    )


def _validated(document: YamlDocument) -> Identity:
    values = {"name": document.path.stem, **document.values}
    try:
        return Identity.model_validate(values)
    except ValidationError as error:
        where, fault = first_fault(error.errors(include_url=False))
        key = str(where[0]) if where else ""
        fields = list(Identity.model_fields)
        near = difflib.get_close_matches(key, fields, n=1, cutoff=0.0) if key not in fields else []
        raise SettingsError(
            f"{document.where(key)}: {key or 'the profile'}: {fault}.",
            why=f"The nearest valid key is {near[0]!r}." if near else "The value does not fit the key.",
            mend=f"A profile has the keys {', '.join(fields)}.",
        ) from error
