"""The hands of a session: the world its settings name, and the actions beside the built-in ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ddax.actions.protocol import Action
from ddax.configs.settings import Context
from ddax.errors import UsageError, of_setting
from ddax.graph.repairs import Repairs, open_repairs
from ddax.registered import load

if TYPE_CHECKING:
    from ddax.environments.protocol import Environment
    from ddax.memory.home import Home

LoadedT = TypeVar("LoadedT")


async def loaded_by(key: str, load: Callable[..., LoadedT], *given: Any) -> LoadedT:
    """Load what a setting names, in a thread; where that fails the error begins with the key."""
    with of_setting(key):
        return await asyncio.to_thread(load, *given)


def world_of(settings: Context, served: bool = False) -> Environment | None:
    """Open the world among the sources; there is one at most.

    A page that a run over a server names lies on a private host only where the settings allow that host.
    """
    from ddax.environments.opening import BROWSER, is_world, open_world

    named = [source for source in settings.sources if is_world(source)]
    if len(named) > 1:
        raise UsageError(
            f"the sources name {len(named)} worlds.",
            why="An agent acts in one world.",
            mend="Give one: an agent acts in one world.",
        )
    if named and named[0].startswith(BROWSER):
        from ddax.environments.browser.opening import open_browser

        return open_browser(named[0], settings, trusted=not served)
    return open_world(named[0]) if named else None


async def find_world(settings: Context, served: bool = False) -> None:
    """See that the page of a browser among the sources is there; raises SourceError."""
    from ddax.environments.opening import BROWSER

    for source in settings.sources:
        if source.startswith(BROWSER):
            from ddax.environments.browser.opening import find_page

            await find_page(source, settings, trusted=not served)


async def actions_of(settings: Context, place: Home, world: Environment | None) -> tuple[Action, ...]:
    """Return the actions that the settings bring: for code with tests, of the world, of MCP servers."""
    return (
        *await asyncio.to_thread(_coding_actions, open_repairs(), settings),
        *_world_actions(settings, world),
        *await _mcp_actions(settings, place),
    )


def _coding_actions(repairs: Repairs | None, settings: Context) -> tuple[Action, ...]:
    return repairs.actions(settings.sources) if repairs is not None else ()


def _world_actions(settings: Context, world: Environment | None) -> tuple[Action, ...]:
    if world is None:
        return ()
    from ddax.environments.actions import WorldActions

    moves = WorldActions(world, seed=settings.seed)
    if not world.name.startswith("browser:"):
        return moves.actions()
    from ddax.environments.browser.world import BrowserWorld

    if not isinstance(world, BrowserWorld):
        return moves.actions()
    browse = load("browse")(world, settings.seed, moves.turn)
    told = settings.browser.writes
    return (*(replace(one, told=told) for one in moves.actions()), browse.action(told=told))


async def _mcp_actions(settings: Context, place: Home) -> tuple[Action, ...]:
    """Return the tools of the MCP servers that the settings name."""
    if not settings.actions.mcp:
        return ()
    from ddax.actions.mcp_tools import mcp_actions
    from ddax.actions.web.opening import policy_for

    named = settings.actions
    return await mcp_actions(named.mcp, place.common, policy=policy_for(settings), reads=named.reads)
