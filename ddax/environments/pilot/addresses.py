"""Postal addresses in one line: “Ship to 5 Hill Road, 20457 Hamburg”, into the fields for their parts."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import words_of, words_of_name
from ddax.environments.pilot.words import FIELD

_GIVEN = re.compile(
    r"(?:(?:enter|use|set|fill\s+in|type|give|change)\s+(?:the\s+|my\s+|this\s+)?"
    r"(?:(?:shipping|delivery|billing|postal|home)\s+)?address(?:\s+to|\s+is|\s+as)?:?|"
    r"(?:ship|deliver|send)(?:\s+(?:it|them|the\s+order|this))?\s+to)\s+(?P<rest>.+)",
    re.IGNORECASE,
)
"""How an address is given."""
_FOR = re.compile(r"(?<!\s)\s+for\s+(?P<name>[A-Z][^,\d]+)$")
_CODE = r"(?:[A-Z]{1,2}-)?\d{4,6}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}"
_CODE_CITY = re.compile(rf"(?P<zip>{_CODE})\s+(?P<city>[^\d]+)|(?P<town>[^\d]+?)(?<!\s)\s++(?P<code>{_CODE})")
_STREET = re.compile(r"\d+\w?\s+\D.*|\D+\s\d+\s?\w?")
_LABELS = {
    "name": ({"name", "recipient"}, {"user", "username", "company", "first", "last", "card"}),
    "street": ({"street", "address"}, {"email", "2", "city", "ip"}),
    "zip": ({"zip", "postal", "postcode", "postalcode", "zipcode"}, {"city"}),
    "city": ({"city", "town"}, {"zip", "postal"}),
    "country": ({"country"}, set[str]()),
}
"""Words of the label of the field for a part, and words that it must not have."""


async def fill_address(pilot: Pilot, order: Order) -> bool | None:
    """Write each part of an address into the only field for it; None where an order gives none.

    Nothing is written where a part is not understood or has no field of its own, and nothing is sent.
    """
    said = None if order.quotes else _GIVEN.fullmatch(f"{order.word} {order.text}".strip(" ."))
    parts = parts_of(said["rest"]) if said else {}
    fields = {kind: _field(pilot, kind) for kind in parts}
    if not parts or None in fields.values():
        return None
    for kind, node in fields.items():
        now = pilot.seen.node(node.id) if node else None
        if now is None or not await fill(pilot, now, parts[kind]):
            return False
    return True


def parts_of(text: str) -> dict[str, str]:
    """Read an address in one line as its parts; nothing where one of them is not understood."""
    behind = _FOR.search(text)
    found = {"name": behind["name"]} if behind else dict[str, str]()
    rest = [part.strip() for part in (text[: behind.start()] if behind else text).split(",")]
    if rest and not behind and not re.search(r"\d", rest[0]):
        found["name"] = rest.pop(0)
    if not rest or not _STREET.fullmatch(rest[0]):
        return {}
    found["street"] = rest.pop(0)
    coded = _CODE_CITY.fullmatch(rest[0]) if rest else None
    if coded is None:
        return {}
    found |= {"zip": coded["zip"] or coded["code"], "city": (coded["city"] or coded["town"]).strip()}
    if len(rest) > 2 or any(re.search(r"\d", part) for part in rest[1:]):
        return {}
    return found | ({"country": rest[1]} if rest[1:] else {})


def _field(pilot: Pilot, kind: str) -> Node | None:
    """Return the only field for a part of an address."""
    says, not_says = _LABELS[kind]
    pool = [n for n in pilot.nodes(FIELD | {"combobox"}) if "readonly" not in n.state]
    labels = [(n, set(words_of_name(label_of(n) or n.sample))) for n in pool]
    found = [n for n, words in labels if words & says and not words & not_says]
    whole = [n for n in found if set(words_of(label_of(n))) <= says]
    meant = found if len(found) == 1 else whole
    return meant[0] if len(meant) == 1 else None
