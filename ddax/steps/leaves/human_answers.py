"""What a human may answer to a question, in the one schema the interrupt carries."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from ddax.errors import first_fault

GO_ON, CHOOSE, EDIT, VETO, TEACH, STOP = "go on", "choose", "edit", "veto", "teach", "stop"
APPROVAL_OPTIONS = (GO_ON, EDIT, VETO, STOP)
PROTECT_OPTIONS = (GO_ON, CHOOSE, EDIT, VETO, TEACH, STOP)
REST, REST_OPTIONS = "rest", (GO_ON, STOP)
"""The question of a resting mood: not about one action, so there is nothing to veto but the run."""
SAME = {"approve": GO_ON, "reject": VETO}
"""Words for the same choices."""
CHOSEN = "chosen by a human"
"""The reason of an open idea that a human wants to be next."""


class HumanAnswer(BaseModel):
    """What a human may answer: go on, choose an idea, edit an action's arguments, veto, teach, or stop.

    A text is read as the choice alone.
    """

    model_config = ConfigDict(extra="forbid")

    choice: Literal["go on", "choose", "edit", "veto", "teach", "stop"] = Field(description="What to do.")
    idea: str = Field(
        "", max_length=200, description="The idea it is about; default: the one the question is about."
    )
    arguments: dict[str, Any] | None = Field(None, description="Changed arguments of the action in question.")
    for_run: bool = Field(False, description="Let other actions of this name pass too, until the task ends.")
    lesson: str = Field("", max_length=1000, description="What to remember from now on.")
    by: str = Field("human", min_length=1, max_length=300, description="Who answers; each has a standing.")

    @model_validator(mode="before")
    @classmethod
    def _alone(cls, given: Any) -> Any:
        return {"choice": given} if isinstance(given, str) else given

    @field_validator("choice", mode="before")
    @classmethod
    def _meant(cls, choice: Any) -> Any:
        return SAME.get(choice, choice) if isinstance(choice, str) else choice

    @field_validator("by")
    @classmethod
    def _named(cls, by: str) -> str:
        if not by.strip():
            raise ValueError("a name is needed, it holds nothing but white space")
        return by

    @model_validator(mode="after")
    def _complete(self) -> HumanAnswer:
        if self.choice == CHOOSE and not self.idea:
            raise ValueError("'choose' needs an 'idea'")
        if self.choice == EDIT and self.arguments is None:
            raise ValueError("'edit' needs 'arguments'")
        if self.choice == TEACH and not self.lesson.strip():
            raise ValueError("'teach' needs a 'lesson'")
        return self


def options_of(question: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the choices that a question takes."""
    return tuple(question.get("options", ())) or PROTECT_OPTIONS


def misread(error: ValidationError, question: Mapping[str, Any]) -> str:
    """Return in plain words why a value is no answer to the question that waits."""
    where, fault = first_fault(error.errors())
    if where == ("choice",):
        one = error.errors()[0]
        instead = "" if one["type"] == "missing" else f", not {reprlib.repr(one['input'])}"
        fault = f"this question takes {', '.join(options_of(question))}{instead}"
    return f"{'.'.join(map(str, where))}: {fault}" if where else fault


def unfit(answer: HumanAnswer, question: Mapping[str, Any]) -> str:
    """Return why an answer does not fit the question that waits; empty where it does."""
    options = options_of(question)
    if answer.choice not in options and not (answer.choice == VETO and question.get("kind") == REST):
        return f"choice: this question takes {', '.join(options)}"
    known = {str(c["id"]) for c in question.get("candidates", ())} | {str(question.get("about", ""))}
    if answer.idea and answer.idea not in known:
        return f"idea: this question is about {', '.join(sorted(filter(None, known))) or 'the run'}"
    if answer.choice == EDIT and not (answer.idea or question.get("about")):
        return "idea: name the idea whose arguments are to be changed"
    return ""
