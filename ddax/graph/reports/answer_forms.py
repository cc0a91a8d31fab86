"""The form of an answer as a caller gives it: a pydantic class, a JSON schema, or a name.

Settings hold plain JSON, so a class goes into them as its schema and is kept beside, for its own validators
and for the object that is given back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping
from typing import Any

from pydantic import BaseModel, ValidationError

from ddax.configs.settings import Context
from ddax.errors import InvalidReply, UsageError, told_fault
from ddax.graph.results import RunResult

Forms = MutableMapping[str, type[BaseModel]]
"""The classes that schemas were made of, by `key_of` their schema."""
NAMES = ("text", "report")


def key_of(schema: Mapping[str, Any]) -> str:
    """Return what a schema is known by."""
    return json.dumps(schema, sort_keys=True)


def with_output(context: Context, output: Any, forms: Forms) -> Context:
    """Return settings that ask for an answer in a form; raises UsageError for what is none."""
    if output is None:
        return context
    asked: Any = output
    if isinstance(output, type) and issubclass(output, BaseModel):
        asked = output.model_json_schema()
        forms[key_of(asked)] = output
    elif not isinstance(output, Mapping) and output not in NAMES:
        raise UsageError(
            f"output is {output!r}.",
            why="An answer comes as a text, as a report, or in a form.",
            mend='Give "text", "report", a pydantic class, or a JSON schema as a dict.',
        )
    return Context.model_validate({**context.model_dump(), "output": asked})


def as_asked(result: RunResult, output: Any) -> RunResult:
    """Return a result whose output is an object of the class that was asked for, where one was."""
    if not (isinstance(output, type) and issubclass(output, BaseModel)) or result["output"] is None:
        return result
    try:
        return RunResult(**{**result, "output": output.model_validate(result["output"])})
    except ValidationError as error:
        raise InvalidReply(
            f"the answer is no {output.__name__}.",
            why=f"{told_fault(error.errors(include_url=False))}.",
            mend="Ask again, with a more capable model or a looser form.",
        ) from error
