"""What tests of the answers without a model ask, and of what."""

from __future__ import annotations

from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.protocol import MergeRequest, Synthesis
from ddax.types import Passage


async def asked(reasoner: EmbeddedReasoner, task: str, **texts: str) -> Synthesis:
    """Ask a question of documents, each a text by its name."""
    passages = tuple(Passage(name, f"{name}.md", name, text, 0, len(text)) for name, text in texts.items())
    return await reasoner.merge(MergeRequest(task, task, (), passages, final=True))
