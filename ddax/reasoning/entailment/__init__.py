"""The support check: does a premise entail, contradict or leave open a hypothesis (DESIGN section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddax.configs.settings import Support
    from ddax.memory.protocol import Embedder
    from ddax.types import EntailmentCheck


def open_check(embedder: Embedder | None = None, settings: Support | None = None) -> EntailmentCheck:
    """Return the check that a session uses: by rules, or by the model of the extra `nli`.

    The rules use the embedder only where their weights were fitted with it. Raises `SettingsError`
    where the model is asked for and not installed.
    """
    from ddax.reasoning.entailment.passages import PassageCheck
    from ddax.reasoning.entailment.rules import RuleCheck

    if settings is not None and settings.check == "nli":
        from ddax.reasoning.entailment.model import ModelCheck

        return PassageCheck(ModelCheck())
    if embedder is None:
        return PassageCheck(RuleCheck())
    from ddax.reasoning.embedded.vectors import Vectors

    vectors = Vectors(embedder)
    return PassageCheck(RuleCheck(vectors.likeness if vectors.fitted else None))
