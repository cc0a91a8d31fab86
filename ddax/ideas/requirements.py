"""What a task demands, as objects that can be checked: read from its words, held by the engine.

Pure: parses sentences and checks facts about a run. Who holds and enforces them: `open_task` reads
them, `expand` plans the visits they ask for and drops what they forbid, `evolve` changes no file they forbid,
`close` refuses an answer that breaks one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from typing_extensions import TypedDict

from ddax.ideas.addresses import parts_of
from ddax.wording import amount

Kind = Literal["visit", "sources", "cite", "max_words", "exact_words", "format", "avoid", "contain"]
FORMS = (
    "visit SOURCE",
    "use N sources",
    "cite SOURCE",
    "answer in one word",
    "at most N words",
    "exactly N words",
    "answer yes or no",
    "answer with a number",
    "answer as JSON",
    'mention "TEXT"',
    "do not visit SOURCE",
    "do not touch FILE",
)
"""The forms a requirement may be written in."""
MAX_REQUIREMENTS = 12
WORDING: frozenset[Kind] = frozenset({"max_words", "exact_words", "format", "contain"})
"""The kinds that say how the answer is worded."""
_FILL = "answer reply respond please only just and your the with in it use give me"
_FILLERS = frozenset(_FILL.split(" "))
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_FILES = (
    "html htm xhtml txt md rst pdf json jsonl csv tsv xml php asp aspx jsp py js css yaml yml toml ini"
    " doc docx xls xlsx ppt pptx odt png jpg jpeg gif svg ipynb"
)
FILE_SUFFIXES = frozenset(_FILES.split(" "))
"""What tells the name of a file from that of a host."""
NUMBERS = {word: n for n, word in enumerate(_WORDS.split(" "))}


class Requirement(TypedDict):
    """One demand: its kind, the value it is about, the words it was given in, and who gave it."""

    kind: Kind
    value: str
    words: str
    origin: str


@dataclass(frozen=True)
class Facts:
    """What a run did, as far as requirements ask: its answer, what it read, cited and changed."""

    answer: str
    visited: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    touched: tuple[str, ...] = field(default=())


def parse(text: str, *, origin: str) -> list[Requirement]:
    """Read the requirements out of a text, in the order they stand there; at most twelve.

    Only plain imperative forms are read (see FORMS): what is not certain is not held against a run.
    """
    found: list[tuple[int, Requirement]] = []
    taken: list[tuple[int, int]] = []
    for kind, pattern, value_of in _PATTERNS:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            value = value_of(match)
            if value:
                taken.append(match.span())
                words = " ".join(match.group().split()).lstrip(".;:,!? ")[:120]
                found.append((match.start(), Requirement(kind=kind, value=value, words=words, origin=origin)))
    found.sort(key=lambda pair: pair[0])
    unique = {(r["kind"], r["value"].casefold()): r for _, r in reversed(found)}
    ordered = [r for _, r in found if unique[(r["kind"], r["value"].casefold())] is r]
    return ordered[:MAX_REQUIREMENTS]


def without_wording(text: str) -> str:
    """Return a task without the sentences that only say how to word the answer.

    For a reasoner that takes every word of a question for what is asked about.
    """
    kept = []
    for sentence in re.split(r"(?<=[.!?;])\s+", text):
        rest = sentence
        for kind, pattern, _ in _PATTERNS:
            if kind in WORDING:
                rest = pattern.sub(" ", rest)
        left = [w for w in re.findall(r"\w+", rest.casefold()) if w not in _FILLERS]
        kept.append(sentence if rest == sentence or len(left) > 2 else "")
    return " ".join(filter(None, kept)) or text


def merged(*groups: Iterable[Requirement]) -> list[Requirement]:
    """Join requirements of several origins; of equal ones the first stays."""
    kept: dict[tuple[str, str], Requirement] = {}
    for group in groups:
        for requirement in group:
            kept.setdefault((requirement["kind"], requirement["value"].casefold()), requirement)
    return list(kept.values())[:MAX_REQUIREMENTS]


def told_by(text: str, requirement: Requirement) -> bool:
    """Say whether a text bears a requirement out: what it names or counts stands there.

    For requirements a model has read: one it has made up would turn a good answer away.
    """
    said = text.casefold()
    value = requirement["value"].casefold()
    if requirement["kind"] == "format":
        return all(re.search(rf"\b{re.escape(word)}\b", said) for word in value.split("_"))
    if not value.isdecimal():
        return value in said
    names = [name for name, n in NUMBERS.items() if n == int(value)] + (["single"] if value == "1" else [])
    return any(re.search(rf"\b{word}\b", said) for word in [value, *names])


def broken(requirements: Sequence[Requirement], facts: Facts) -> list[str]:
    """Return, for each requirement that does not hold, which one and why."""
    return [f"{r['words']!r}: {why}" for r in requirements if (why := _CHECKS[r["kind"]](r["value"], facts))]


def breaks_answer(requirements: Sequence[Requirement], answer: str) -> bool:
    """Say whether an answer's wording breaks a requirement; what was read and cited does not count here."""
    wording = [r for r in requirements if r["kind"] in WORDING]
    return bool(broken(wording, Facts(answer)))


def forbids(requirements: Sequence[Requirement], addresses: Iterable[str]) -> str:
    """Return the words of the requirement that forbids one of these addresses; empty where none does."""
    known = list(addresses)
    for requirement in requirements:
        if requirement["kind"] == "avoid" and any(same_place(requirement["value"], a) for a in known):
            return requirement["words"]
    return ""


def demanded_visits(requirements: Sequence[Requirement]) -> list[str]:
    """Return the sources that must be visited."""
    return [r["value"] for r in requirements if r["kind"] == "visit"]


def same_place(wanted: str, given: str) -> bool:
    """Say whether two addresses name the same page or file, as far as their words tell.

    A URL matches the same host with the same path or one below it; a file matches the same path or one
    that ends in it; a bare name matches a title or the last part of an address. What has no scheme may be
    either, a host or a file: both have a dot. One that begins like a host is no end of another host's URL.
    """
    a, b = wanted.strip().rstrip("/").casefold(), given.strip().rstrip("/").casefold()
    if not a or not b or a == b:
        return bool(a) and a == b
    if "//" in b and _on_host(a if "//" in a else f"//{a}", b):
        return True
    if "//" in b and _names_host(a):
        return False
    path = b.replace("\\", "/").split("#")[0]
    ends = {path, path.split("?")[0]} if "//" in b else {path}
    return "://" not in a and any(_ends_in(end, a) for end in ends)


def word_count(text: str) -> int:
    """Count the words of an answer; what stands between white space is one word."""
    return sum(1 for part in text.split() if any(c.isalnum() for c in part))


def _on_host(wanted: str, given: str) -> bool:
    """Say whether a URL has the host of another, and its path or one below it."""
    left, right = parts_of(wanted), parts_of(given)
    above = left.path.rstrip("/")
    host = left.netloc.removeprefix("www.")
    inside = right.path.rstrip("/") == above or right.path.startswith(f"{above}/")
    return bool(host) and host == right.netloc.removeprefix("www.") and inside


def _names_host(name: str) -> bool:
    """Say whether a name without a scheme begins like a host: with a dot, and no suffix of a file."""
    first = name.removeprefix("./").split("/")[0].split("?")[0].lstrip(".")
    return "." in first and first.rsplit(".", 1)[1] not in FILE_SUFFIXES


def _ends_in(path: str, name: str) -> bool:
    """Say whether a path is this one, ends in it, or has this name at its end, without a suffix."""
    end = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return name in (path, end) or path.endswith("/" + name.removeprefix("./"))


def _number(text: str) -> str:
    plain = text.casefold()
    return str(NUMBERS[plain]) if plain in NUMBERS else plain if plain.isdigit() else ""


def _first(match: re.Match[str]) -> str:
    value = next((g for g in match.groups() if g), "")
    return value.strip().rstrip(".,;:!?")


_N = r"(\d{1,4}|" + "|".join(NUMBERS) + ")"
_PLACE = (
    r"(?:[\"“'`]([^\"”'`\n]{1,300})[\"”'`]|<?(https?://[^\s>\"']+)>?"
    r"|([\w./\\-]*[\w-]\.[A-Za-z][A-Za-z0-9]{0,7}\b(?:/[^\s,;]*)?))"
)
_THING = r"(?:the\s+)?(?:(?:page|site|website|file|document|source|folder|url|link)\s*)?(?::\s*)?"
"""One run of white space is matched in one way: in several, its length counts to their power."""
_ASK = r"\b(?:answer|reply|respond)\s+(?:only\s+)?"
_FIRST = r"(?:^|[.;:,!?]\s*|\b(?:and|then|please|first|must|should)\s+)"
_NOT = r"\b(?:do not|don't|never|must not)\s+"
_USE = r"(?:touch|change|edit|modify|write(?:\s+to)?|delete|overwrite|alter|visit|open|read|use|go\s+to)\s+"
_MOST = r"(?:at most|no more than|not more than|up to|a maximum of|max(?:imum)?|under)\s+"
_KIND = r"\s+(?:different\s+|independent\s+|separate\s+)?(?:sources|pages|documents|citations|references)\b"
Reader = Callable[[re.Match[str]], str]


def _counted(match: re.Match[str]) -> str:
    return _number(match[1])


def _always(value: str) -> Reader:
    return lambda _: value


def _rule(kind: Kind, pattern: str, value: Reader) -> tuple[Kind, re.Pattern[str], Reader]:
    return kind, re.compile(pattern, re.IGNORECASE), value


_PATTERNS = (
    _rule("avoid", _NOT + _USE + _THING + _PLACE, _first),
    _rule("visit", rf"{_FIRST}(?:visit|open|go to|look at|read)\s+{_THING}{_PLACE}", _first),
    _rule("cite", rf"{_FIRST}cite\s+{_THING}{_PLACE}", _first),
    _rule(
        "sources",
        rf"\b(?:use|cite|with|from|quote)\s+(?:at least\s+)?(?:these\s+)?{_N}{_KIND}",
        _counted,
    ),
    _rule("max_words", r"\b(?:in|with|using)\s+(?:just\s+|only\s+)?(?:one|a single)\s+word\b", _always("1")),
    _rule("max_words", r"\bone[- ]word\s+answer\b", _always("1")),
    _rule("max_words", rf"\b(?:in\s+|use\s+)?{_MOST}{_N}\s+words\b", _counted),
    _rule("max_words", rf"{_ASK}(?:in|with|using)\s+{_N}\s+words\s+or\s+(?:less|fewer)\b", _counted),
    _rule("exact_words", rf"\b(?:in\s+|use\s+)?exactly\s+{_N}\s+words?\b", _counted),
    _rule(
        "format", _ASK + r"(?:with\s+|by\s+)?[\"“']?yes[\"”']?\s*(?:or|/)\s*[\"“']?no\b", _always("yes_no")
    ),
    _rule(
        "format", _ASK + r"(?:with|as|by)\s+(?:only\s+|just\s+)?a\s+(?:single\s+)?number\b", _always("number")
    ),
    _rule("format", _ASK + r"(?:as|in|with)\s+(?:valid\s+)?json\b", _always("json")),
    _rule(
        "contain",
        r"\b(?:mention|include)\s+(?:the\s+(?:word|words|phrase)\s+)?[\"“]([^\"”\n]{1,100})[\"”]",
        _first,
    ),
)


def _visited(value: str, facts: Facts) -> str:
    return "" if any(same_place(value, v) for v in facts.visited) else f"{value} was not visited"


def _cited(value: str, facts: Facts) -> str:
    return "" if any(same_place(value, c) for c in facts.cited) else f"{value} is not cited"


def _sources(value: str, facts: Facts) -> str:
    found = len(set(facts.cited))
    return "" if found >= int(value) else f"{found} of {value} sources are cited"


def _max_words(value: str, facts: Facts) -> str:
    count = word_count(facts.answer)
    allowed = f"{value} {'is' if int(value) == 1 else 'are'} allowed"
    return "" if 1 <= count <= int(value) else f"the answer has {amount(count, 'word')}, {allowed}"


def _exact_words(value: str, facts: Facts) -> str:
    count = word_count(facts.answer)
    return "" if count == int(value) else f"the answer has {amount(count, 'word')}, not {value}"


def _format(value: str, facts: Facts) -> str:
    answer = facts.answer.strip()
    if value == "json":
        try:
            json.loads(answer)
        except ValueError:
            return "the answer is not JSON"
        return ""
    plain = answer.rstrip(".!").strip().casefold()
    if value == "yes_no":
        return "" if plain in ("yes", "no") else "the answer is neither yes nor no"
    return "" if re.fullmatch(r"[-+]?\d[\d,. ]*%?", plain) else "the answer is not a number"


def _avoided(value: str, facts: Facts) -> str:
    met = [a for a in (*facts.touched, *facts.visited) if same_place(value, a)]
    return f"{met[0]} was used" if met else ""


def _contains(value: str, facts: Facts) -> str:
    return "" if value.casefold() in facts.answer.casefold() else f"the answer does not say {value!r}"


_CHECKS: dict[Kind, Callable[[str, Facts], str]] = {
    "visit": _visited,
    "cite": _cited,
    "sources": _sources,
    "max_words": _max_words,
    "exact_words": _exact_words,
    "format": _format,
    "avoid": _avoided,
    "contain": _contains,
}
