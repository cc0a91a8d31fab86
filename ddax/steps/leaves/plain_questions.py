"""The words of a question to a human: what is to be allowed, and why it is asked.

Numbers and the engine's own terms are no part of the words; they stand beside them in `details`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ddax.ideas.idea import clip
from ddax.types import ActionCall, Idea
from ddax.wording import counted, listed, sentence

NAMED = 3
"""Steps that a question names; of more it says how many there are."""
TITLE_BYTES = 120
NO_PROGRESS = "I am not getting on: what I tried last brought nothing new. Shall I go on, or stop?"
_OBJECTS = {"visit": "source", "fetch": "url", "search": "query", "save": "title"}
"""The argument that says to a human what an action is about, by the name of the action."""
_VERBS = {"visit": "read", "fetch": "read", "search": "search for", "save": "save"}
_MANY = {"visit": "document", "fetch": "page", "search": "query"}
_PLAIN = {
    "reads outside": "asks another machine", "writes outside": "changes something that others see",
    "spends": "spends money", "reads inside": "reads on this machine",
    "has no outside effect": "does nothing that others see",
}  # fmt: skip
"""What the policy says an action does, in the words of a question."""
_ASKS = {
    "protect mode allows only what nobody else can see":
        "After what came out otherwise than expected I ask before others could see what I do.",
    "it was started before and its result is not known":
        "It was begun before, and how it ended is not known: it may be done twice.",
}  # fmt: skip


def surprised(times: int, ahead: Sequence[Idea]) -> str:
    """Ask whether to go on with what is next, after outcomes that were not as expected."""
    came = f"{sentence(counted(times, 'result'))} came out otherwise than I expected." if times else ""
    why = came or "Things come out otherwise than I expected."
    return f"{why} {leave(ahead) if ahead else 'How shall I go on?'}"


def leave(ahead: Sequence[Idea]) -> str:
    """Ask to be allowed what is next; the first step is the one that most depends on."""
    names = [_about(idea) for idea in ahead]
    if len(ahead) == 1:
        return f"May I {_verb(ahead[0])} {names[0]}?"
    kinds = {idea.get("action", {}).get("name", "") for idea in ahead}
    noun = _MANY.get(next(iter(kinds)), "step") if len(kinds) == 1 else "step"
    verb = _verb(ahead[0]) if noun != "step" else "go on with"
    which = f"these {counted(len(ahead), noun, 'queries' if noun == 'query' else '')}"
    if len(ahead) > NAMED:
        return f"May I {verb} {which}, {names[0]} first?"
    return f"May I {verb} {which}: {listed(names)}?"


def approval(call: ActionCall, title: str, reason: str) -> str:
    """Ask to be allowed one action, and say why it is asked."""
    action = Idea(kind="leaf", title=title, action=call)
    return f"{leave([action])} {why(reason)}"


def why(reason: str) -> str:
    """Return in a sentence why an action has to be asked for."""
    if reason in _ASKS:
        return _ASKS[reason]
    does = reason.removeprefix("an action that ")
    if does == reason:
        return f"{sentence(reason)}."
    for ours, plain in _PLAIN.items():
        if does.startswith(ours):
            does = plain + does.removeprefix(ours)
    return f"It {does}."


def _verb(idea: Idea) -> str:
    name = idea.get("action", {}).get("name", "")
    return _VERBS.get(name, "run" if name else "go on with")


def _about(idea: Idea) -> str:
    """Return what a step is about: the document or the query, else the action, else the title."""
    call = idea.get("action")
    if call is None:
        return f"“{clip(idea['title'], TITLE_BYTES)}”"
    said = call["args"].get(_OBJECTS.get(call["name"], ""))
    if isinstance(said, str) and said.strip():
        return f"“{clip(' '.join(said.split()), TITLE_BYTES)}”"
    if call["name"] in _VERBS:
        return f"“{clip(idea['title'], TITLE_BYTES)}”"
    return f"{call['name']} (“{clip(idea['title'], TITLE_BYTES)}”)"
