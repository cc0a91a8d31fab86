"""Evolution: repairs code in a sandbox that holds, with a verdict that a candidate cannot forge.

`repair` is the door for nodes and the command line. See `docs` for what a patch is worth.
"""

from ddax.evolution.records import Evaluation, RepairResult, RepairTask
from ddax.evolution.repair import repair

__all__ = ["Evaluation", "RepairResult", "RepairTask", "repair"]
