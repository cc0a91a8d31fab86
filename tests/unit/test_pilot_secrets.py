"""Which tasks say a password in clear."""

from __future__ import annotations

import pytest

from ddax.environments.pilot.forms import says_secret


@pytest.mark.parametrize(
    ("task", "clear"),
    [
        ("Log in as ann@example.org with password geheim1", True),
        ('Log in with user ann and password "geheim1".', True),
        ('Enter "geheim1" into the password field and click Go', True),
        ("Enter geheim1 as the password", True),
        ("Set the password to geheim1", True),
        ("Log in as ann with password {{secret:PIN}}", False),
        ('Enter "{{secret:PIN}}" into the password field', False),
        ("Change the password", False),
        ("Click Forgot password", False),
        ("What does the password policy say?", False),
        ("Enter Ann as the name", False),
    ],
)
def test_a_task_that_says_a_password_is_known(task: str, clear: bool) -> None:
    assert says_secret(task) == clear
