"""What a task must be before a run begins with it."""

from __future__ import annotations

from ddax.configs.settings import Context
from ddax.environments.opening import BROWSER
from ddax.errors import UsageError
from ddax.nodes.open_task import no_text

MAX_TASK = 1_000_000
"""Characters that a task may have."""


def check_length(task: str) -> None:
    """Refuse a task that is too long; raises UsageError."""
    if len(task) > MAX_TASK:
        raise UsageError(
            f"the task has {len(task):,} characters, {MAX_TASK:,} are allowed.",
            why="A task is kept in the state and told in prompts; long material is a source.",
            mend="Put the long part into a file and give it as a source (--sources).",
        )


def check_task(task: object, settings: Context) -> None:
    """Refuse a task without words or with too many, or one for a browser with a secret nobody set.

    Raises UsageError.
    """
    if not isinstance(task, str):
        raise no_text(task)
    if not task.strip():
        raise UsageError(
            "the task is empty.",
            why="A run needs a question or an order in words.",
            mend='Write it as: ddax run "your question".',
        )
    check_length(task)
    if isinstance(settings.output, dict):
        from ddax.reasoning.answer_form import check_form

        check_form(settings.output)
    if any(source.startswith(BROWSER) for source in settings.sources):
        from ddax.environments.browser.secrets import check_names

        check_names(task, settings.browser.secrets)
