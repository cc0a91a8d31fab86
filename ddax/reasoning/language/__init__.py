"""The reasoner over any LangChain chat model: typed requests in, grounded replies out."""

from ddax.reasoning.language.provider.retrying import Limits
from ddax.reasoning.language.reasoner import LanguageReasoner

__all__ = ["LanguageReasoner", "Limits"]
