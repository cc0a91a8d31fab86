"""What settings name and is not there: actions, models and files, told with its key before anything runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ddax.actions.registry import BUILT_IN, open_registry
from ddax.actions.think import think
from ddax.configs.settings import Context
from ddax.environments.actions import WorldActions
from ddax.environments.grid import GridWorld
from ddax.errors import DdaxError, UsageError
from ddax.evolution import run_tests
from ddax.graph.services import Parts
from ddax.graph.session.collaborators import open_session
from ddax.graph.session.unknown_names import SOMETIMES
from ddax.graph.sessions import LocalServices
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.home import Home


def clock() -> float:
    return 1_700_000_000.0


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home").ensure()


@pytest.mark.parametrize("key", ["deny", "ask", "allow", "reads"])
async def test_a_name_that_no_action_bears_is_refused_before_anything_runs(home: Home, key: str) -> None:
    context = Context(actions={key: ["think", "serach"]})
    with pytest.raises(UsageError, match=f"actions.{key} names 'serach'.*nearest one is 'search'"):
        await open_session(context, home, Parts(), clock=clock, monotonic=clock)


async def test_actions_that_only_some_tasks_have_may_be_named_in_all(home: Home) -> None:
    context = Context(actions={"deny": ["move", "browse", "test", "repair", "post"]})
    parts = Parts(actions=(replace(think, name="post"),), embedder=HashEmbedder())
    services = LocalServices(home, default=context, parts=parts)
    session = await services.session(context)
    assert "post" in session.actions and "move" not in session.actions
    await services.close()


def test_every_action_there_is_may_be_named() -> None:
    world = WorldActions(GridWorld())
    built_in = {*open_registry(), *(found.name for found in world.actions()), run_tests.test.name}
    assert built_in <= {*BUILT_IN, *SOMETIMES}


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ({"plan": "foo"}, "models.plan has 'foo'"),
        ({"lean": "embedded"}, "models.lean has 'embedded'"),
        ({"fallbacks": ["openai:gpt-4.1-mini", ":x"]}, "models.fallbacks has ':x'"),
        ({"fallbacks": [""]}, "models.fallbacks has ''"),
    ],
)
async def test_what_names_no_model_is_refused_where_none_is_asked_too(
    home: Home, models: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        await open_session(Context(models=models), home, Parts(), clock=clock, monotonic=clock)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"debate": {"panel": "nobody"}}, "Setting debate.panel: There is no panel 'nobody'"),
        ({"trust": {"rubric": "nope.yaml"}}, "Setting trust.rubric: nope.yaml cannot be read"),
        ({"identity": "nobody"}, "Setting identity: There is no identity profile 'nobody'"),
        ({"actions": {"files": ["nofile.py"]}}, "Setting actions.files: there is no Python file 'nofile.py'"),
        ({"model": "foo:bar"}, "Setting model: there is no provider 'foo'"),
        (
            {"model": "gguf:x", "models": {"plan": "foo:bar"}},
            "Setting models.plan: there is no provider 'foo'",
        ),
        ({"record": "/nonexistent/x"}, "Setting record: There is no folder"),
        ({"replay": "/nonexistent/x"}, "Setting replay: The recording '/nonexistent/x' cannot be read"),
        ({"web": {"record": "/nonexistent/x"}}, "Setting web.record: There is no folder"),
        (
            {"web": {"replay": "/nonexistent/x"}},
            "Setting web.replay: The tape '/nonexistent/x' cannot be read",
        ),
        ({"mood": {"matrices": "nobody"}}, "mood.matrices: there is no 'nobody'"),
    ],
)
async def test_what_a_setting_names_and_is_not_there_is_told_with_its_key(
    home: Home, settings: dict[str, Any], says: str
) -> None:
    services = LocalServices(home, parts=Parts(embedder=HashEmbedder()), clock=clock, monotonic=clock)
    with pytest.raises(DdaxError) as caught:
        await services.session(Context.model_validate(settings))
    assert caught.value.what.startswith(says)
    assert str(caught.value).startswith(says)
    await services.close()


async def test_a_model_of_a_panel_is_told_with_the_key_of_the_panel(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "panel.yaml"
    file.write_text("debaters:\n  judge: {role: judge, model: 'foo:bar'}\n", encoding="utf-8")
    services = LocalServices(home, parts=Parts(embedder=HashEmbedder()), clock=clock, monotonic=clock)
    with pytest.raises(
        UsageError, match=r"^Setting debate\.panel: Setting model: there is no provider 'foo'"
    ):
        await services.session(Context.model_validate({"debate": {"panel": str(file)}}))
    await services.close()
