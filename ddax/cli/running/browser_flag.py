"""The flag `--browser`: a page to do the task in, as a source of the run."""

from __future__ import annotations

from collections.abc import Sequence

from ddax.registered import load


def with_browser(sources: Sequence[str] | None, url: str | None) -> list[str] | None:
    """Return the sources with the page to open; raises UsageError for no page, or without a Chromium."""
    if url is None:
        return list(sources) if sources else None
    from ddax.environments.browser.chromium import find_chromium
    from ddax.environments.browser.opening import SCHEME, page_of

    page_of(f"{SCHEME}{url}")
    find_chromium()
    return [*(sources or ()), f"{SCHEME}{url}"]


def secret_note(task: str, url: str | None) -> str:
    """Return the line for a task in a browser that says a password in clear; empty for any other."""
    if url is None or not load("says_secret")(task):
        return ""
    return (
        "The password stands in clear in the task, and is kept with the run. To keep it out, write "
        "{{secret:NAME}} in its place, and name it under browser.secrets in the settings."
    )
