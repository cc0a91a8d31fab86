"""Isolation for candidate code: back ends, the canary probe that chooses one, and the warm worker."""

from ddax.evolution.sandbox.bubblewrap import Bubblewrap
from ddax.evolution.sandbox.landlock import UnshareLandlock
from ddax.evolution.sandbox.probe import Probe, attack, back_ends, choose
from ddax.evolution.sandbox.protocol import Limits, Sandbox
from ddax.evolution.sandbox.worker import Worker

__all__ = [
    "Bubblewrap", "Limits", "Probe", "Sandbox", "UnshareLandlock", "Worker", "attack", "back_ends", "choose",
]  # fmt: skip
