"""What every group of settings is: frozen, with known keys, and with values of the type that is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator

from ddax.configs.faults import refused


class Section(BaseModel):
    """A frozen group of settings that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    if not TYPE_CHECKING:  # each group has the parameters of its own fields

        def __init__(self, /, **values: Any) -> None:
            """Take settings by name; raises SettingsError in the words that a settings file gets."""
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise refused(type(self), values, error) from error

        # Groups within a checked one are checked with it, which knows where they stand.
        __init__.__pydantic_base_init__ = True

    @field_validator("*", mode="before")
    @classmethod
    def _is_meant(cls, value: Any, about: ValidationInfo) -> Any:
        """Refuse what would pass for something else: true for 1, and one text for a list of texts."""
        wanted = cls.model_fields[str(about.field_name)].annotation
        if isinstance(value, bool) and wanted in (int, float):
            raise ValueError(f"It should be a number, not {str(value).lower()}")
        if isinstance(value, str) and get_origin(wanted) is tuple:
            raise ValueError("It should be a list")
        return value
