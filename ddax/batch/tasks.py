"""The tasks of a batch: one JSON object a line, with what makes its answer right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    TypeAdapter,
    ValidationError,
    field_validator,
)

from ddax.errors import SourceError, UsageError, first_fault, json_fault, read_json_text

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Part(BaseModel):
    """A frozen part of a task that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def plain(text: str) -> str:
    """Return a text without differences of case, spaces and final marks."""
    return " ".join(text.split()).casefold().strip(" .!?\"'“”")


def _telling(value: str) -> str:
    if not plain(value):
        raise ValueError(f"{value!r} says nothing: an empty answer would hold")
    return value


Telling = Annotated[str, AfterValidator(_telling)]


class Exact(Part):
    """The short answer is this, but for case, spaces and a final mark."""

    kind: Literal["exact"]
    value: Telling


class Contains(Part):
    """The answer contains this, but for case and spaces."""

    kind: Literal["contains"]
    value: Telling


class Regex(Part):
    """The answer matches this pattern somewhere."""

    kind: Literal["regex"]
    value: str

    @field_validator("value")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"{value!r} is no pattern: {error}") from error
        return value


class Numeric(Part):
    """The answer has a number this close to the value."""

    kind: Literal["numeric"]
    value: float
    tolerance: float = Field(default=1e-9, ge=0)


class TestsPass(Part):
    """The code of the sources is repaired: a patch was found with which every test passes."""

    kind: Literal["tests"]


class Own(Part):
    """A function of one's own, `module:name`: it takes the task and the result, and returns true or false."""

    kind: Literal["function"]
    value: str

    @field_validator("value")
    @classmethod
    def _names_a_function(cls, value: str) -> str:
        if not FUNCTION.fullmatch(value):
            raise ValueError(f"{value!r} is no function: write module:name")
        return value


Validator = Annotated[Exact | Contains | Regex | Numeric | TestsPass | Own, Field(discriminator="kind")]


class BatchTask(Part):
    """One task: what is asked, over what, with which settings, and when its answer is right."""

    id: str = ""
    task: str = Field(min_length=1)
    sources: tuple[str, ...] | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    validators: tuple[Validator, ...] = ()
    _line: str = PrivateAttr("")

    @property
    def place(self) -> str:
        """Where the task stands, in words: its file and line, or its id where it was read from none."""
        return self._line or f"Task {self.id!r}"

    def at(self, line: str) -> Self:
        """Return the task with the file and line it was read from."""
        told = self.model_copy()
        told._line = line
        return told

    @field_validator("id")
    @classmethod
    def _is_safe(cls, value: str) -> str:
        if value and not ID.fullmatch(value):
            raise ValueError(f"{value!r} is no id: 1 to 64 letters, digits, '.', '_' or '-'")
        return value


def read_tasks(path: Path) -> list[BatchTask]:
    """Read a task file; a task without an id is named by its line.

    Raises SourceError where the file cannot be read, UsageError naming the line that is wrong.
    """
    try:
        # Not `splitlines`: a text in JSON may hold U+2028 and its like as they are.
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise SourceError(
            f"The task file {str(path)!r} cannot be read.",
            why=f"{why}.",
            mend="Give a file with one JSON object a line.",
        ) from error
    tasks = [_parsed(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not tasks:
        raise UsageError(
            f"The task file {str(path)!r} holds no task.",
            why="No line of it is an object with a task.",
            mend='Write: {"task": "…"}',
        )
    for first, second in _twice(tasks):
        raise UsageError(
            f"{second.place}: the id {second.id!r} stands twice.",
            why=f"Results are kept by id, and {first.place} has it too.",
            mend="Give each task its own.",
        )
    return tasks


def _parsed(path: Path, number: int, line: str) -> BatchTask:
    where = f"{path}:{number}"
    try:
        task = _TASK.validate_python(read_json_text(line))
    except ValidationError as error:
        loc, fault = first_fault(error.errors(include_url=False))
        place = ".".join(map(str, loc)) or "the line"
        raise UsageError(
            f"{where}: {place}: {fault}.",
            why="A row holds a task and what belongs to it.",
            mend=_MEND,
        ) from error
    except ValueError as error:
        raise UsageError(
            f"{where}: the line is not valid JSON.", why=f"{json_fault(error, row=True)}.", mend=_MEND
        ) from error
    return (task if task.id else task.model_copy(update={"id": f"line-{number}"})).at(where)


def _twice(tasks: list[BatchTask]) -> Iterator[tuple[BatchTask, BatchTask]]:
    seen: dict[str, BatchTask] = {}
    for task in tasks:
        first = seen.setdefault(task.id.casefold(), task)  # a disk may not tell the names of files apart
        if first is not task:
            yield first, task


_TASK = TypeAdapter(BatchTask)
_MEND = 'A task is {"id": "…", "task": "…", "sources": […], "settings": {…}, "validators": […]}.'
