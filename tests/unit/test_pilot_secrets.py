"""Which tasks say a password in clear, and which passwords are asked for in quotes first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddax.environments.pilot.orders.grammar import says_secret
from tests.unit.test_pilot import PASSWORD, USER, done, page


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


@pytest.mark.parametrize(
    ("task", "cut"),
    [
        ("Log in as ann with the password correct horse battery.", True),
        ("Log in as ann with password hunter2! and press Go", True),
        ("Log in as ann with password hun,ter2", True),
        ("Log in as ann with password hunter2; then press Go", True),
        ("Sign up with the email ann@example.org and the password my dog Rex", True),
        ("Log in as ann with password geheim1", False),
        ("Log in as ann with password geheim1.", False),
        ("Log in as ann with password geheim1 and press Go.", False),
        ('Log in as ann with the password "correct horse, battery!"', False),
        ("Log in as ann with password {{secret:PIN}}!", False),
        ("Enter geheim1 as the password", False),
    ],
)
@pytest.mark.asyncio
async def test_a_password_whose_end_nobody_knows_is_asked_for_in_quotes(task: str, cut: bool) -> None:
    world = page(
        USER, PASSWORD, ("textbox", "Email"), ("button", "Log in"), ("button", "Go"), ("button", "Sign up")
    )
    world.nodes[1] = replace(world.nodes[1], type="password")
    report, moves = await done(task, world)
    assert bool(moves) != cut and (not cut or report.mend == "Put the password in quotes")
