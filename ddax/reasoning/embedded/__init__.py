"""The reasoner without a language model: sentence embeddings, word overlap and rules."""

from ddax.reasoning.embedded.expand import Policy
from ddax.reasoning.embedded.reasoner import EmbeddedReasoner

__all__ = ["EmbeddedReasoner", "Policy"]
