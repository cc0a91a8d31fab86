"""Open the reasoner that the settings name: models in a team, a recording, or the one without a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ddax.configs.secrets import Redactor
from ddax.configs.settings import Context
from ddax.errors import UsageError, of_setting
from ddax.memory.protocol import Embedder
from ddax.reasoning.budget import FREE
from ddax.reasoning.protocol import Reasoner

if TYPE_CHECKING:
    from ddax.actions.registry import Registry
    from ddax.memory.home import Home

SIGHT = {"auto": None, "always": True, "never": False}
"""What the setting `browser.screenshot` says of whether models take pictures."""


def check_output(settings: Context, reasoner: Reasoner) -> None:
    """Refuse a form of the answer where there is no model to fill it; raises UsageError."""
    if reasoner.name in FREE and isinstance(settings.output, dict):
        raise UsageError(
            "A form of the answer needs a model.",
            why="Without one an answer is made of sentences that stand in the sources.",
            mend="Name one with `model` (--model provider:model), or ask for text or a report.",
        )


def can_act(reasoner: Reasoner) -> bool:
    """Tell whether a reasoner can choose the calls of a leaf of several turns."""
    return reasoner.name not in FREE and callable(getattr(reasoner, "act", None))


def named_reasoner(
    settings: Context, home: Home, embedder: Embedder, actions: Registry, clock: Callable[[], float],
    monotonic: Callable[[], float], objects: Mapping[str, Any],
) -> Reasoner:  # fmt: skip
    """Return the reasoner of the settings; `objects` are chat models given ready-made."""
    from ddax.configs.prices import load_prices, load_providers
    from ddax.reasoning.factory import Extras, open_reasoner

    if settings.replay:
        from ddax.reasoning.replaying import ReplayingReasoner

        with of_setting("replay"):
            return ReplayingReasoner(Path(settings.replay))
    reasoner = open_reasoner(
        settings.model,
        embedder=embedder,
        prices=load_prices(home=home.common),
        providers=load_providers(home=home.common),
        clock=monotonic,
        models=settings.models,
        extras=Extras(
            rng=np.random.default_rng(settings.seed),
            arguments={name: action.arguments for name, action in actions.items()},
            wall=clock,
            cache=home.cache / "replies.sqlite",
            sees=SIGHT[settings.browser.screenshot],
            objects=objects,
            prompts=settings.prompts,
        ),
    )
    if settings.record:
        from ddax.reasoning.replaying import RecordingReasoner

        with of_setting("record"):
            reasoner = RecordingReasoner(reasoner, Path(settings.record))
    if settings.model_name == "embedded" and not settings.record:
        return reasoner  # it sends nothing anywhere, and what it is given is clean already
    from ddax.reasoning.redacted import RedactedReasoner

    return cast(Reasoner, RedactedReasoner(reasoner, Redactor.of_process()))
