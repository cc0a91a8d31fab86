"""The embedded reasoner: every request of the protocol answered without a language model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ddax.errors import ReasonerError
from ddax.memory.embed.likeness import MAX_CHARS, Vectors
from ddax.memory.protocol import Embedder
from ddax.reasoning.embedded import browsing, debate, expand, wording
from ddax.reasoning.embedded.curiosity import wonder
from ddax.reasoning.embedded.evidence import readable, weigh
from ddax.reasoning.embedded.expand import Policy
from ddax.reasoning.embedded.merge import merge
from ddax.reasoning.free import Patcher
from ddax.reasoning.protocol import (
    ArgueRequest,
    Argument,
    AskRequest,
    Claim,
    ExpandRequest,
    Expansion,
    Extraction,
    ExtractRequest,
    JudgeRequest,
    Judgment,
    Lesson,
    MergeRequest,
    MutateRequest,
    Patches,
    PatchRequest,
    Prediction,
    PredictRequest,
    Question,
    ReflectRequest,
    Synthesis,
)  # fmt: skip
from ddax.text.question import analyse
from ddax.wording import amount


class EmbeddedReasoner:
    """Reason by sentence embeddings, word overlap and rules; deterministic.

    `patcher` proposes repairs of programs; without one those two requests raise ReasonerError.
    """

    name = "embedded"

    def __init__(
        self, embedder: Embedder, *, patcher: Patcher | None = None, policy: Policy | None = None
    ) -> None:
        self._vectors, self._patcher, self._policy = Vectors(embedder), patcher, policy or Policy()

    async def expand(self, request: ExpandRequest) -> Expansion:
        """Propose searches, then reads, then what the reads name."""
        browse = browsing.plan(request)
        if browse is not None:
            return browse
        return await asyncio.to_thread(expand.expand, request, self._vectors, self._policy)

    async def predict(self, request: PredictRequest) -> Prediction:
        """Say in words what an action should bring."""
        return wording.predict(request)

    async def extract(self, request: ExtractRequest) -> Extraction:
        """Choose the verbatim sentences that bear on an intent."""
        return await asyncio.to_thread(self._extract, request)

    def _extract(self, request: ExtractRequest) -> Extraction:
        question = analyse(request.intent.strip() or request.task)
        weighed = weigh(question, readable(request.passages), self._vectors)[: max(0, request.limit)]
        claims = tuple(Claim(item.sentence.text, item.sentence.citation(), item.score) for item in weighed)
        summary = (
            claims[0].text
            if claims
            else f"Nothing in {amount(len(request.passages), 'passage')} bears on it."
        )
        return Extraction(claims, summary)

    async def argue(self, request: ArgueRequest) -> Argument:
        """Argue for or against a result by quotes."""
        return await asyncio.to_thread(debate.argue, request, self._vectors)

    async def judge(self, request: JudgeRequest) -> Judgment:
        """Value a result by coverage and support."""
        return await asyncio.to_thread(debate.judge, request, self._vectors)

    async def judge_all(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """Value several results, each as `judge` does, at once."""
        return await asyncio.to_thread(debate.judge_all, requests, self._vectors)

    def embedded_to_judge(self, request: JudgeRequest) -> list[str]:
        """Return most of the texts that are embedded to value a result, as they are embedded."""
        return [text[:MAX_CHARS] for text in debate.embedded_for(request)]

    async def merge(self, request: MergeRequest) -> Synthesis:
        """Combine findings; at the root answer with citations or refuse."""
        done = browsing.outcome(request)
        if done is not None:
            return done
        return await asyncio.to_thread(merge, request, self._vectors)

    async def reflect(self, request: ReflectRequest) -> Lesson:
        """Contrast what was expected with what came."""
        return wording.reflect(request)

    async def propose_patches(self, request: PatchRequest) -> Patches:
        """Propose repairs through the patcher."""
        return await self._patch(request)

    async def mutate_patch(self, request: MutateRequest) -> Patches:
        """Change a candidate through the patcher."""
        return await self._patch(request)

    async def _patch(self, request: PatchRequest | MutateRequest) -> Patches:
        if self._patcher is None:
            raise ReasonerError(
                "The embedded reasoner cannot repair programs here.",
                why="It was made without a patcher, which searches over edits of the syntax tree.",
                mend="Give EmbeddedReasoner(patcher=...), or configure a language model.",
            )
        return await self._patcher(request)

    async def ask(self, request: AskRequest) -> Question:
        """Word a question to a human, or one out of curiosity."""
        if request.kind == "curiosity":
            return await asyncio.to_thread(wonder, request)
        return wording.ask(request)
