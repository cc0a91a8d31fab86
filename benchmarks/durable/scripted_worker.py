"""A batch worker whose tasks think by a script, so that a thousand of them measure the batch alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ddax.batch.worker import Warm, main

if TYPE_CHECKING:
    from ddax.configs.settings import Context
    from ddax.graph.services import Parts
    from ddax.reasoning import protocol as p


class Scripted(Warm):
    """Parts that need no model and no source."""

    async def parts(self, context: Context) -> Parts:
        """Return scripted parts; the memory is the real one."""
        from benchmarks.fanout import Nothing
        from ddax.graph.services import Parts
        from ddax.memory.embeddings import HashEmbedder
        from ddax.reasoning.scripted import ScriptedReasoner

        reasoner = ScriptedReasoner(script(), repeat=True)
        return Parts(reasoner=reasoner, embedder=HashEmbedder(), library=Nothing())


def script() -> dict[str, list[Any]]:
    """Return the replies of a task that keeps two texts and says which."""
    from ddax.reasoning import protocol as p
    from ddax.types import ActionCall, Citation, Proposal

    def plan(request: p.ExpandRequest) -> p.Expansion:
        texts = (f"the first of {request.task}", f"another text for {request.task}")
        calls = [ActionCall(name="save", args={"text": text}, intent="") for text in texts]
        return p.Expansion(tuple(Proposal(c["args"]["text"], "it is kept", action=c) for c in calls))

    def answer(request: p.MergeRequest) -> p.Synthesis:
        return p.Synthesis(f"kept for {request.task}", (Citation("id", "x", "x", "kept"),), True, 0.9)

    return {
        "expand": [plan], "merge": [answer], "reflect": [p.Lesson("Keep less.")],
        "extract": [p.Extraction((), "read")], "argue": [p.Argument("So it is.", (), 0.5)],
        "judge": [p.Judgment(0.9, 0.9, (("coverage", 0.9, "so it is"),))],
        "predict": [p.Prediction("it is kept", 0.5)], "ask": [p.Question("Which one?")],
    }  # fmt: skip


if __name__ == "__main__":
    main(Scripted)
