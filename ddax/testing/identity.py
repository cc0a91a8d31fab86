"""The contract of an identity profile: it is valid, stable at every rigidity, and calm gives calm."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ddax.configs.identities import load_identity
from ddax.dynamics.stability import contraction
from ddax.testing.contract import Contract, expect

RIGIDITIES = tuple(float(rho) for rho in np.linspace(0.0, 1.0, 21))


class IdentityContract(Contract):
    """What holds for every profile; `profile` is a shipped name or the path of a YAML file."""

    profile: str | Path

    async def rule_it_says_who_the_agent_is(self) -> None:
        identity = load_identity(self.profile)
        expect(len(identity.statement.split()) >= 3, "the statement is what x* is made of: write a sentence")

    async def rule_the_update_is_stable_at_every_rigidity_and_in_protect(self) -> None:
        identity = load_identity(self.profile)
        for rho in RIGIDITIES:
            for gamma in (identity.gamma, 2 * identity.gamma):
                k = identity.k_base * (1 - rho)
                factor = contraction(k, gamma=gamma, m=identity.m)
                expect(
                    factor <= 1.0,
                    f"at rho {rho:.2f} and gamma {gamma:g} each step makes the distance {factor:.2f} times "
                    f"as large: lower k_base, gamma or m until k_base*(2*gamma + m) is below 2",
                )

    async def rule_protect_can_be_entered_and_left(self) -> None:
        identity = load_identity(self.profile)
        expect(identity.initial_rho <= identity.protect_threshold, "it begins in protect mode")
        expect(identity.epsilon_0 < identity.epsilon_protect, "what counts as a surprise would count as calm")
        expect(identity.epsilon_0 > 0.0, "with epsilon_0 = 0 rigidity never falls: nothing is calmer than 0")
