"""What a task must be before a run begins with it."""

from __future__ import annotations

from ddax.configs.settings import Context
from ddax.environments.opening import BROWSER
from ddax.errors import UsageError
from ddax.nodes.open_task import no_text


def check_task(task: object, settings: Context) -> None:
    """Refuse a task without words, or one for a browser that names a secret nobody set; raises UsageError."""
    if not isinstance(task, str):
        raise no_text(task)
    if not task.strip():
        raise UsageError(
            "the task is empty.",
            why="A run needs a question or an order in words.",
            mend='Write it as: ddax run "your question".',
        )
    if any(source.startswith(BROWSER) for source in settings.sources):
        from ddax.environments.browser.secrets import check_names

        check_names(task, settings.browser.secrets)
