"""Secrets of a user: named in a move, known only to the hands, each bound to one domain.

A model writes `{{secret:NAME}}`; the value is put in while it is typed, on pages of its domain alone, and
taken out again of everything that is seen, told or stored.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

from ddax.errors import NotAllowed, UsageError

PLACEHOLDER = re.compile(r"\{\{\s*secret:\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})
SHORTEST = 4
"""A value of fewer characters would be found everywhere."""


@dataclass(frozen=True)
class Secret:
    """A value and the domain it may be typed on."""

    value: str = field(repr=False)
    domain: str


@dataclass(frozen=True)
class Vault:
    """The secrets of a run by name; its text never holds a value."""

    secrets: Mapping[str, Secret] = field(default_factory=dict, repr=False)

    def fill(self, text: str, *, url: str, top: str, action: str = "") -> str:
        """Put values in for their names; raises NotAllowed away from their domain.

        `url` is the page of the field, `top` that of the window around it, `action` where its form goes.
        """

        def value(found: re.Match[str]) -> str:
            name = found[1]
            secret = self.secrets.get(name)
            if secret is None:
                what, why = _unknown(name, self.secrets)
                raise NotAllowed(what, why=why, mend=HOW)
            for place in filter(None, (url, top, action)):
                _check(name, secret, place)
            return secret.value

        return PLACEHOLDER.sub(value, text)

    def hide(self, text: str) -> str:
        """Write names in place of the values, also where an address or a form has them encoded."""
        for name, form in self._forms():
            text = text.replace(form, f"{{{{secret:{name}}}}}")
        return text

    def place(self, text: str, most: int) -> int:
        """Return where to cut a text: at most there, and in no value, of which a part is not hidden."""
        forms = [form for _, form in self._forms()]
        while True:
            starts = (text.find(one, max(0, most - len(one) + 1), most + len(one) - 1) for one in forms)
            start = next((start for start in starts if start >= 0), None)
            if start is None:
                return min(most, len(text))
            most = start

    @property
    def reach(self) -> int:
        """Return how many characters behind a cut show whether a value stands there."""
        return max((len(form) for _, form in self._forms()), default=0)

    def _forms(self) -> Iterator[tuple[str, str]]:
        """Yield each name with the value as it is and as an address or a form has it, the longest first."""
        for name, secret in self.secrets.items():
            value = secret.value
            forms = {value, quote(value, safe=""), quote(value), quote_plus(value)}
            yield from ((name, form) for form in sorted(forms, key=len, reverse=True))

    def holds(self, text: str) -> bool:
        """Tell whether a text holds a value."""
        return self.hide(text) != text


def _check(name: str, secret: Secret, url: str) -> None:
    parts = urlsplit(url)
    host = (parts.hostname or "").lower().rstrip(".")
    domain = secret.domain.lower().rstrip(".")
    if host != domain and not host.endswith(f".{domain}"):
        raise NotAllowed(
            f"the secret {name!r} is not typed on {host or url!r}.",
            why=f"It is bound to {secret.domain!r}.",
            mend="Go to a page of that domain.",
        )
    if parts.scheme != "https" and host not in LOOPBACK:
        raise NotAllowed(
            f"the secret {name!r} is not typed on {host!r}.",
            why="The page came without encryption.",
            mend="Open it by https.",
        )


HOW = "Name it in the settings: browser.secrets: {NAME: {env: VARIABLE, domain: example.org}}."


def _unknown(name: str, known: Collection[str]) -> tuple[str, str]:
    return f"there is no secret {name!r}.", f"Known are: {', '.join(sorted(known)) or 'none'}."


def check_names(text: str, known: Collection[str]) -> None:
    """Refuse a text that names a secret there is none of; raises UsageError."""
    for name in PLACEHOLDER.findall(text):
        if name not in known:
            what, why = _unknown(name, known)
            raise UsageError(what, why=why, mend=HOW)


def open_vault(settings: Mapping[str, Any], environ: Mapping[str, str]) -> Vault:
    """Read the values that settings name from the environment; raises UsageError."""
    found: dict[str, Secret] = {}
    for name, row in settings.items():
        value = environ.get(row.env, "")
        if not value:
            raise UsageError(
                f"The secret {name!r} has no value.", why=f"{row.env} is not set.", mend=f"Set {row.env}."
            )
        if len(value) < SHORTEST:
            raise UsageError(
                f"The secret {name!r} is too short to be kept out of texts.",
                why=f"{row.env} has {len(value)} characters, which may stand in any text by chance.",
                mend=f"Use a secret of {SHORTEST} characters or more.",
            )
        found[name] = Secret(value, row.domain)
    return Vault(found)
