"""The verbs of orders: what each has done, and where one may begin a clause."""

from __future__ import annotations

import re

from ddax.environments.pilot.orders.frames import Act

_ACTS: dict[Act, str] = {
    "press": "click on|click|press on|press|hit|push|tap on|tap|activate",
    "mark": "highlight",
    "open": "open|show|expand|go to|go|view|display|switch to|switch between|unfold|visit|navigate to|find"
    "|focus into|focus on|focus|navigate through|look through|browse through",
    "close": "close|collapse|hide|shut",
    "write": "enter|type|write|input|insert|fill in|fill out|fill|put|paste",
    "set": "set|change|update|replace|edit|adjust|modify",
    "choose": "choose|select|pick",
    "tick": "tick|check|mark|untick|uncheck|unmark|deselect|unselect|turn on|turn off|switch on|switch off"
    "|enable|disable|turn|switch",
    "drag": "drag|move|drop",
    "upload": "upload|attach",
    "search": "search for|search|look up",
    "sort": "sort|order by",
    "dialog": "confirm|accept|dismiss|answer|decline|cancel|agree",
    "tell": "tell me|tell|say|report|read out|read|extract|what is|what are|what's|who|which|where|when|how",
    "read": "copy|note|memorize|remember|solve|calculate|compute|work out",
    "wait": "wait",
    "scroll": "scroll",
    "hover": "hover over|hover",
}  # fmt: skip
VERBS: dict[str, Act] = {verb: act for act, found in _ACTS.items() for verb in found.split("|")}
_DEEDS = (
    "add|delete|remove|save|submit|send|log in|log out|login|sign in|sign up|sign out|register|rename|create"
    "|buy|book|order|reply|like|follow|share|post|archive|star|subscribe|finish|continue|proceed|go back|use"
    "|reject|approve|forward|discard|filter|pay|apply|download|print|mute|publish|respond|generate|roll|throw|draw|spin|shuffle"
)
"""Verbs that a control is called by; the list only tells where a sentence goes on to the next order."""
ANY = "|".join(sorted([*VERBS, *_DEEDS.split("|")], key=len, reverse=True))
VERB = re.compile(rf"(?:{ANY})\b(?!-)", re.IGNORECASE)
