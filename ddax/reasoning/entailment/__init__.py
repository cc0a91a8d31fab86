"""The support check: does a premise entail, contradict or leave open a hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddax.configs.settings import Support
    from ddax.memory.embed.likeness import Vectors
    from ddax.memory.protocol import Embedder
    from ddax.types import EntailmentCheck


def open_check(embedder: Embedder | None = None, settings: Support | None = None) -> EntailmentCheck:
    """Return the check that a session uses: by rules, or by the model of the extra `nli`.

    The rules use the embedder only where their weights were fitted with it. Raises `SettingsError`
    where the model is asked for and not installed.
    """
    if settings is not None and settings.check == "nli":
        from ddax.reasoning.entailment.model import ModelCheck
        from ddax.reasoning.entailment.passages import PassageCheck

        return PassageCheck(ModelCheck())
    if embedder is None:
        return check_by_rules()
    from ddax.memory.embed.likeness import Vectors

    return check_by_rules(Vectors(embedder))


def check_by_rules(vectors: Vectors | None = None) -> EntailmentCheck:
    """Return the check by rules, with likeness where the weights were fitted with these vectors."""
    from ddax.reasoning.entailment.passages import PassageCheck
    from ddax.reasoning.entailment.rules import RuleCheck

    return PassageCheck(RuleCheck(vectors.likeness if vectors is not None and vectors.fitted else None))
