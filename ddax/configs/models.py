"""Which models a run asks, each by a short name or as a record, and how they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from ddax.configs.section import Section

Effort: TypeAlias = Literal["", "minimal", "low", "medium", "high"]


class Rates(Section):
    """US dollars for a million tokens."""

    input: float = Field(ge=0, description="Tokens in.")
    output: float = Field(ge=0, description="Tokens out.")
    cached: float | None = Field(
        default=None, ge=0, description="Tokens in that the provider had cached; null: as any other."
    )


class ModelRecord(Section):
    """One model: where it is, how it is asked and what it costs; what is null or '' is as usual."""

    name: str = Field(default="", description="'provider:model'; '': the model of `model`, asked otherwise.")
    base_url: str = Field(default="", description="Address of the server; '': the provider's own.")
    key_variable: str = Field(
        default="", description="Environment variable that holds the key; '': the provider's."
    )
    idle_seconds: float | None = Field(
        default=None, gt=0, description="Seconds without a sign of life before a streamed reply is given up."
    )
    total_seconds: float | None = Field(default=None, gt=0, description="Seconds for one call.")
    output_tokens: int | None = Field(default=None, ge=1, description="Tokens of one reply.")
    context_tokens: int | None = Field(
        default=None, ge=512, description="Tokens of a request and its reply together."
    )
    effort: Effort | None = Field(default=None, description="Reasoning effort asked for; '': none.")
    extra: dict[str, Any] = Field(
        default={}, description="More for the body of a call, or for the class of another provider."
    )
    price: Rates | None = Field(default=None, description="US dollars for a million tokens.")


def _said(value: Any) -> Any:
    """Read a record that was written in one line, and refuse a model that is no setting."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        from ddax.configs.documents import safe_load

        try:
            return safe_load(value)
        except Exception as error:
            raise ValueError(f"It is no record in JSON or YAML: {error}") from error
    if not isinstance(value, str | Mapping | ModelRecord):
        raise ValueError(
            f"A {type(value).__name__} is no setting: give it as open_agent(model=...), models={{ROLE: ...}}"
        )
    return value


ModelSetting: TypeAlias = Annotated[str | ModelRecord, BeforeValidator(_said)]
"""A model as `provider:model`, or as a record."""


def record_of(model: str | ModelRecord) -> ModelRecord:
    """Return the record of a model."""
    return ModelRecord(name=model) if isinstance(model, str) else model


def name_of(model: str | ModelRecord) -> str:
    """Return the name of a model."""
    return model if isinstance(model, str) else model.name


def over(own: str | ModelRecord, usual: str | ModelRecord) -> ModelRecord:
    """Return the record of a role: its own, or the usual one with what its own says otherwise."""
    if isinstance(own, str) and not own:
        return record_of(usual)
    if isinstance(own, str) or own.name:
        return record_of(own)
    said = {name: getattr(own, name) for name in own.model_fields_set if name != "name"}
    return record_of(usual).model_copy(update=said)


class Models(Section):
    """A model for each role, and how models are asked; used with a language model only."""

    plan: ModelSetting = Field(default="", description="Plans, forecasts, lessons, questions; '': `model`.")
    extract: ModelSetting = Field(default="", description="Takes claims from pages; '': `model`.")
    argue: ModelSetting = Field(default="", description="Argues in debates; '': `model`.")
    judge: ModelSetting = Field(default="", description="Judges results; '': `model`.")
    merge: ModelSetting = Field(default="", description="Puts findings together; '': `model`.")
    repair: ModelSetting = Field(default="", description="Repairs code; '': `model`.")
    fallbacks: tuple[ModelSetting, ...] = Field(
        default=(), description="Asked in this order where a model fails."
    )
    lean: ModelSetting = Field(default="", description="Asked first once little budget is left; '': none.")
    lean_below: float = Field(default=0.25, ge=0, le=1, description="Share of the budget that is little.")
    saving_below: float = Field(
        default=0.5, ge=0, le=1, description="Share of the budget below which effort goes down."
    )
    effort: Effort = Field(
        default="", description="Reasoning effort asked for; '': none, for models that take none."
    )
    idle_seconds: float = Field(
        default=120.0, gt=0, description="Seconds without a sign of life before a streamed reply is given up."
    )
    total_seconds: float = Field(
        default=600.0, gt=0, description="Seconds for one call of a model, however lively."
    )
    output_tokens: int = Field(default=16_000, ge=1, description="Tokens of one reply, thoughts with them.")
    samples: int = Field(default=1, ge=1, le=16, description="Plans drawn for one expansion; shares give P.")
    sample_temperature: float = Field(
        default=0.7, ge=0, le=2, description="Lowest temperature of several plans."
    )
    plans: int = Field(
        default=12,
        ge=1,
        description="Open ideas that one call plans, at most; it begins with one, and each plan adds one.",
    )
    pass_on: int = Field(
        default=5,
        ge=0,
        description="Findings, at most, that the last synthesis gets as they are"
        " instead of put together before.",
    )
    passages: int = Field(
        default=6000,
        ge=500,
        description="Characters of passages that one call gets; of more, those that bear most on the task.",
    )
    first_search: bool = Field(
        default=True, description="Search local sources for the task before a model plans."
    )
    quote_below: int = Field(
        default=2400,
        ge=0,
        description="Characters of a document below which its lines are quoted without a model; 0: never.",
    )
    worth: int = Field(
        default=20_000,
        ge=0,
        description="Tokens that turning a wrong answer into a right one is worth;"
        " a step of thought expected to bring less than it costs is left out.",
    )
    cache: bool = Field(default=True, description="Give a paid reply again for the same question.")
    concurrency: int = Field(default=16, ge=1, le=512, description="Calls to one provider at once.")
    per_minute: int = Field(default=0, ge=0, description="Calls to one provider a minute; 0: no limit.")
