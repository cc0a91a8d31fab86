"""What a function of a node needs of the session, by purpose: to remember, to act, or to ask.

A session is all of them. What works with one part of it says so in its signature, and can be given that part
alone; `Session` is asked for where several purposes meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ddax.actions.protocol import Library
from ddax.configs.settings import Context
from ddax.memory.protocol import Memory
from ddax.reasoning.free import FreeReasoner
from ddax.reasoning.protocol import Reasoner
from ddax.types import EntailmentCheck, JsonDict

if TYPE_CHECKING:
    from ddax.actions.registry import Registry
    from ddax.environments.protocol import Environment


class Configured(Protocol):
    """What goes by the settings of the run."""

    @property
    def settings(self) -> Context: ...


class Remembers(Configured, Protocol):
    """Reads and writes the memory: records, logs, what was read and decided."""

    @property
    def memory(self) -> Memory: ...


class Acts(Configured, Protocol):
    """Reaches the sources and the world: what may be done, and what there is to read."""

    @property
    def actions(self) -> Registry: ...
    @property
    def library(self) -> Library: ...
    @property
    def world(self) -> Environment | None: ...
    @property
    def reads(self) -> bool: ...


class Asks(Configured, Protocol):
    """Asks a reasoner, by the model behind its caps or for free, and compares texts."""

    @property
    def reasoner(self) -> Reasoner: ...
    @property
    def free(self) -> FreeReasoner: ...
    @property
    def check(self) -> EntailmentCheck: ...
    @property
    def sees(self) -> bool: ...
    def metered(self, work: str, usage: JsonDict, *, idea: str = "") -> Reasoner: ...
    async def embed(self, *texts: str) -> NDArray[np.float32]: ...
