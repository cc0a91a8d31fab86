"""Evolution: repairs code in a sandbox that holds, with a verdict that a candidate cannot forge.

`repair` is the door for nodes and the command line, `resolve`, `pressure` and `trigger` for deciding
at an impasse. See `docs` for what a patch is worth.
"""

from ddax.evolution.actr import Option, Tabu, Utility, learned_chance, resolve, utility
from ddax.evolution.pressure import Impasse, PressureWeights, ambiguity_of, impasse_of, pressure, trigger
from ddax.evolution.records import Evaluation, RepairResult, RepairTask
from ddax.evolution.repair import repair
from ddax.ideas.calls import action_key

__all__ = [
    "Evaluation",
    "Impasse",
    "Option",
    "PressureWeights",
    "RepairResult",
    "RepairTask",
    "Tabu",
    "Utility",
    "action_key",
    "ambiguity_of",
    "impasse_of",
    "learned_chance",
    "pressure",
    "repair",
    "resolve",
    "trigger",
    "utility",
]
