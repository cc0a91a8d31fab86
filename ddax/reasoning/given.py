"""Chat models that are given as objects: what settings and manifests call them, without their secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ddax.errors import UsageError

OBJECT = "object"
"""The provider that stands for an object in the name of a model."""


def is_chat_model(value: Any) -> bool:
    """Tell whether a value is a chat model of LangChain, without importing it."""
    return any(cls.__name__ == "BaseChatModel" for cls in type(value).__mro__) and hasattr(value, "ainvoke")


def name_of_object(model: Any) -> str:
    """Return the name of an object: its class, and the model it says it asks."""
    said = next(
        (x for x in ("model_name", "model", "model_id") if isinstance(getattr(model, x, None), str)), ""
    )
    asked = getattr(model, said) if said else ""
    return f"{OBJECT}:{type(model).__name__}" + (f"/{asked}" if asked else "")


def objects_of(model: Any, models: Mapping[str, Any]) -> dict[str, Any]:
    """Map the names of models that were given as objects to them; two of one name differ by their role."""
    found: dict[str, Any] = {}
    for role, given in (("", model), *models.items()):
        if given is not None:
            name = name_of_object(given)
            found[name if found.get(name, given) is given else f"{name}#{role}"] = given
    return found


def name_among(given: Any, objects: Mapping[str, Any]) -> str:
    """Return the name under which an object is known."""
    return next(name for name, known in objects.items() if known is given)


def lost(name: str) -> UsageError:
    """Return the error for a model that was an object, and is not given now."""
    return UsageError(
        f"the model {name.partition(':')[2]} is not given.",
        why="It was given as an object, which no setting and no manifest can hold.",
        mend="Give it again, open_agent(model=...) or models={role: ...}, or go on with one that has a name.",
    )
