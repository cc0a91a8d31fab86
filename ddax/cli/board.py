"""What a watcher knows of a run: the events put together, and each event as one plain line.

Leaves out drawing. Events come from pages and models, so every text is cleaned where it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ddax.cli.text import clean
from ddax.wording import amount

TITLE = 160
READING = "reading"
"""The type of an event: so many files of the sources were read."""
TOKEN = "token"  # noqa: S105 (the type of an event: a piece of a reply)
SAYING = 400


class Sign(NamedTuple):
    """How a status is shown: a sign, its plain form, and a colour."""

    icon: str
    plain: str
    colour: str


SIGNS: Mapping[str, Sign] = {
    "open": Sign("○", "o", "white"),
    "running": Sign("▶", ">", "cyan"),
    "waiting": Sign("⏸", "=", "yellow"),
    "done": Sign("✔", "+", "green"),
    "failed": Sign("✖", "x", "red"),
    "abandoned": Sign("⊘", "-", "bright_black"),
}
_ADDED_UP = ("model_calls", "tokens", "usd", "seconds", "prompt_tokens", "cached_tokens", "hits", "repaired")


@dataclass
class Board:
    """The newest picture of a run."""

    task: str = ""
    ideas: dict[str, dict[str, Any]] = field(default_factory=dict)
    decision: dict[str, Any] = field(default_factory=dict)
    mind: dict[str, Any] = field(default_factory=dict)
    mood: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, float | None] = field(default_factory=dict)
    node: str = ""
    step: int = 0
    saying: str = ""
    """The end of the reply that is being written, with who writes it for what."""
    said_for: tuple[str, str] = ("", "")

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Board:
        """Return the board of a stored state."""
        return cls(
            task=str(state.get("work", {}).get("text", state.get("task", ""))),
            ideas={key: dict(idea) for key, idea in state.get("ideas", {}).items()},
            decision=dict(state.get("decision", {})),
            mind=dict(state.get("mind", {})),
            mood=dict(state.get("mood", {})),
            usage=dict(state.get("usage", {})),
            step=int(state.get("step", 0)),
        )

    def apply(self, event: Mapping[str, Any]) -> None:
        """Take in one event."""
        data: Mapping[str, Any] = event.get("data") or {}
        self.node = str(event.get("node") or self.node)
        if event.get("type") == TOKEN:
            self._hear(data)
            return
        if event.get("type") == READING:
            self.saying, self.said_for = reading_line(data), ("", "")
            return
        self.saying, self.said_for = "", ("", "")
        self.step = max(self.step, int(event.get("step") or 0))
        for idea in data.get("ideas", ()):
            self.ideas.setdefault(str(idea["id"]), {}).update(idea)
        self.decision = dict(data.get("decision") or self.decision)
        self.mind.update(data.get("mind") or {})
        self.mood.update(data.get("mood") or {})
        self._spend(data.get("usage") or {})

    def _hear(self, data: Mapping[str, Any]) -> None:
        """Take in a piece of a reply; only its end is kept."""
        said_for = (str(data.get("idea") or ""), str(data.get("request") or ""))
        before = self.saying if said_for == self.said_for else ""
        self.said_for, self.saying = said_for, (before + str(data.get("text") or ""))[-SAYING:]

    def _spend(self, usage: Mapping[str, Any]) -> None:
        for key in _ADDED_UP:
            new, old = usage.get(key, 0), self.usage.get(key, 0)
            self.usage[key] = None if new is None or old is None else old + new

    @property
    def focus(self) -> frozenset[str]:
        """The ideas that the next node works on."""
        return frozenset(map(str, self.decision.get("focus", ())))

    def counts(self) -> str:
        """Say how many ideas there are and how many are final."""
        from ddax.types import FINAL  # here: it brings numpy, which --help must not wait for

        final = sum(1 for idea in self.ideas.values() if idea.get("status") in FINAL)
        return f"{amount(len(self.ideas), 'idea')}, {final} final"


def reading_line(data: Mapping[str, Any]) -> str:
    """Say how many files of the sources were read."""
    return f"reading files: {data.get('read', 0):,} of {data.get('of', 0):,}"


def score_words(top: Iterable[Mapping[str, Any]]) -> str:
    """Return the terms of the best score in words; empty without one."""
    best = next(iter(top), None)
    if best is None:
        return ""
    terms = (
        ("align", "alignment", "+"),
        ("value", "value", "+"),
        ("explore", "exploration", "+"),
        ("tabu", "tabu", "-"),
    )
    parts = [f"{sign}{word} {float(best.get(key, 0.0)):.2f}" for word, key, sign in terms]
    return f"score {float(best['total']):.2f} = {' '.join(parts)[1:]}"


def cost_words(usage: Mapping[str, Any]) -> str:
    """Return what was spent in words: an unknown price is said, not shown as 0."""
    usd = usage.get("usd", 0.0)
    calls, tokens = int(usage.get("model_calls") or 0), int(usage.get("tokens") or 0)
    if calls == 0 and not usd and not usage.get("hits"):
        return "no model"
    price = "price unknown" if usd is None else f"${usd:.4f}"
    cached, sent = int(usage.get("cached_tokens") or 0), int(usage.get("prompt_tokens") or 0)
    share = f", {cached / sent:.0%} of what was sent cached" if cached and sent else ""
    hits = int(usage.get("hits") or 0)
    again = f", {amount(hits, 'reply', 'replies')} given again" if hits else ""
    mended = f", {amount(int(usage['repaired']), 'slip')} mended" if usage.get("repaired") else ""
    return f"{price}, {amount(calls, 'call')}, {amount(tokens, 'token')}{share}{again}{mended}"


def plain_line(event: Mapping[str, Any]) -> str:
    """Return an event as one line without colours: step, node, and what changed."""
    data: Mapping[str, Any] = event.get("data") or {}
    parts = [*_decision_words(data.get("decision") or {}), *_idea_words(data.get("ideas") or ())]
    mind, mood = data.get("mind") or {}, data.get("mood") or {}
    if "rho" in mind:
        parts.append(f"rigidity {float(mind['rho']):.2f}")
    if mind.get("epsilon") is not None and "rho" in mind:
        parts.append(f"surprise {float(mind['epsilon']):.2f}")
    if mood.get("action"):
        parts.append(f"mood {clean(mood['action'], 40)}")
    if data.get("status"):
        parts.append(" ".join((clean(data["status"], 20), clean(data.get("stop_reason") or "", 120))).strip())
    if data.get("text"):
        parts.append(clean(data["text"], TITLE))
    return (
        f"[{int(event.get('step') or 0)}] {clean(event.get('node') or event.get('type'), 40)}: "
        + "; ".join(parts or ["ok"])
    )


def _decision_words(decision: Mapping[str, Any]) -> list[str]:
    if not decision:
        return []
    focus = ", ".join(clean(idea, 40) for idea in list(decision.get("focus") or ())[:4])
    return [part for part in (f"next {clean(decision.get('next'), 20)} {focus}".strip(),
                              score_words(decision.get("top") or ())) if part]  # fmt: skip


def _idea_words(ideas: Iterable[Mapping[str, Any]]) -> list[str]:
    words = []
    for idea in list(ideas)[:6]:
        reason = clean(idea.get("reason") or "", 80) if idea.get("status") in {"failed", "waiting"} else ""
        title = clean(idea.get("title") or "", 80)
        line = f"{clean(idea['id'], 40)} {clean(idea.get('status') or '', 20)}"
        words.append(line + (f" {title!r}" if title else "") + (f" ({reason})" if reason else ""))
    return words
