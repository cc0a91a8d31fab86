"""The rubric of one task: criteria made from what the task asks for, added to the general ones.

Made by rules, for every judge alike, so that it is the same in every run over the same task. A judge
gets the names of the criteria, so each name says what is meant.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256

from ddax.debate.rubric import Criterion, Rubric
from ddax.reasoning.criteria import BEARS, GIVES, MEETS, ONE_OF_TWO, YES_OR_NO
from ddax.text.chunks import sentences
from ddax.text.question import analyse
from ddax.types import JsonDict

MAX_NAMES = 3
MAX_REQUIREMENTS = 4
NAME_CHARS = 60
KINDS = {
    "person": f"{GIVES}person",
    "date": f"{GIVES}date",
    "place": f"{GIVES}place",
    "number": f"{GIVES}number",
    "yes_no": YES_OR_NO,
    "choice": ONE_OF_TWO,
}
"""What a question wants, as a criterion."""
_ITEM = re.compile(r"^[^\S\n]*+(?:[-*•]|\d+[.)])\s+(.*)$", re.MULTILINE)


@lru_cache(maxsize=64)
def task_rubric(task: str) -> Rubric:
    """Make the criteria that only this task has; there may be none."""
    question = analyse(task)
    found = [
        Criterion(f"{BEARS}{name[:NAME_CHARS]}", f"Does the result say something of {name[:NAME_CHARS]}?")
        for name in _named(task, question.names)[:MAX_NAMES]
    ]
    if question.kind in KINDS:
        wanted = KINDS[question.kind]
        found.append(Criterion(wanted, f"Is there what was asked for: it {wanted}?"))
    found += [Criterion(f"{MEETS}{text}", f"Is this met: {text}?") for text in requirements(task)]
    return Rubric("task", tuple({criterion.name: criterion for criterion in found}.values()))


def _named(task: str, names: tuple[str, ...]) -> list[str]:
    """Return the names of a task without the words that its orders begin with: "Use", "Compare"."""
    lines = [task[span.start : span.end].strip() for span in sentences(task[:2000])]
    orders = {line.partition(" ")[0].strip(".,:;!") for line in lines if not line.endswith("?")}
    return [name for name in names if name not in orders]


def requirements(task: str) -> list[str]:
    """Return the demands of a task beside its question: listed items, or sentences that ask nothing."""
    listed = [" ".join(match.group(1).split()) for match in _ITEM.finditer(task)]
    lines = [task[span.start : span.end].strip() for span in sentences(task[:2000])]
    told = [line for line in lines if not line.endswith("?")] if len(lines) > 1 else []
    return [text[:NAME_CHARS].strip() for text in listed or told if len(text.split()) > 2][:MAX_REQUIREMENTS]


def rubric_row(base: tuple[str, ...], own: Rubric) -> JsonDict:
    """Return a rubric as plain JSON under the hash of its content: another content is another version."""
    criteria = {criterion.name: criterion.meaning for criterion in own.criteria}
    names = [*base, *(name for name in criteria if name not in base)]
    version = sha256("\n".join([*names, *criteria.values()]).encode("utf-8", "replace")).hexdigest()[:12]
    return {"rubric": names, "task_criteria": criteria, "version": version}
