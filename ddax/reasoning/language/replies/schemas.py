"""What a model is asked to reply, request by request: strict pydantic models and their JSON schemas.

A form is asked for strictly and read as a person would read it: broken JSON (`loose_json`) and values of
another form (`fit`) are taken for what they are meant to be, and counted. The tables of a form say what
else it goes by: other names of its fields (`ALIASES`), what stands for one that is missing (`SPARES`),
pairs written as a map (`PAIR`), a part that is a text alone (`BARE`), keys that were set beside their
part (`FOLDS`), what is left out where it is too long (`DROPS`). Of a `BINDING` part no key is passed
over: it may say on what terms the part is meant.
Leaves out how a reply is read (`parsing`) and what it means (`grounding`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ddax.reasoning.language.replies.edits import as_edit, spoken

_DROPPED = frozenset(
    {"title", "default", "minimum", "maximum", "minLength", "maxLength", "exclusiveMinimum", "maxItems"}
)


Names = Mapping[str, tuple[str, ...]]
"""Other names of fields, by the field."""
_PASSAGE = ("source", "passage_id", "id", "name")


def _without_words(schema: dict[str, Any]) -> None:
    """Leave the docstring of a form out of its schema: it is for readers of the code, and billed."""
    schema.pop("description", None)


class Wire(BaseModel):
    """A strict reply: exact types, no unknown key, no NaN or infinity."""

    model_config = ConfigDict(
        strict=True, extra="forbid", allow_inf_nan=False, json_schema_extra=_without_words
    )


class CitationWire(Wire):
    """A quote: the name of the passage (P1, P2, ...) and words copied from it."""

    PAIR: ClassVar = ("passage", "quote")
    BARE: ClassVar = "quote"
    ALIASES: ClassVar[Names] = {"passage": _PASSAGE, "quote": ("text", "words", "excerpt")}
    SPARES: ClassVar[Mapping[str, Any]] = {"passage": ""}

    passage: str
    quote: str


class ArgumentWire(Wire):
    """One argument of an action, its value as text."""

    PAIR: ClassVar = ("name", "value")
    RAW: ClassVar = ("value",)
    ALIASES: ClassVar[Names] = {"name": ("key", "argument", "arg")}

    name: str
    value: str


class ActionWire(Wire):
    """An action of a child."""

    BARE: ClassVar = "name"
    BINDING: ClassVar = True
    ALIASES: ClassVar[Names] = {
        "name": ("tool", "tool_name", "action", "function"),
        "args": ("arguments", "parameters", "params", "input"), "intent": ("purpose", "goal"),
    }  # fmt: skip
    SPARES: ClassVar[Mapping[str, Any]] = {"args": [], "intent": ""}

    name: str
    args: list[ArgumentWire]
    intent: str


class ChildWire(Wire):
    """A proposed child."""

    BARE: ClassVar = "title"
    BINDING: ClassVar = True
    EDGES: ClassVar = "needs"
    FOLDS: ClassVar[Names] = {"action": ("args", "arguments", "parameters", "params", "intent")}
    ALIASES: ClassVar[Names] = {
        "title": ("name", "task", "step", "subtask", "goal"),
        "expected": ("expected_outcome", "expected_output", "expected_result", "outcome"),
        "prior": ("probability", "confidence", "score", "weight"),
        "action": ("tool", "tool_call", "function_call", "call"),
        "needs": ("depends_on", "dependencies", "deps", "requires"),
    }  # fmt: skip
    SPARES: ClassVar[Mapping[str, Any]] = {
        "expected": lambda found: found["title"], "prior": 0.5, "action": None, "needs": []
    }  # fmt: skip

    title: str = Field(min_length=1, max_length=300)
    expected: str = Field(min_length=1, max_length=1000)
    prior: float = Field(gt=0, le=1)
    action: ActionWire | None
    needs: list[int]


class ExpandWire(Wire):
    """A plan: the children in order; an empty list says that nothing is left to do.

    `requirements` is what the task demands, in the forms the prompt lists.
    """

    ALIASES: ClassVar[Names] = {
        "children": ("child", "steps", "plan", "subtasks", "ideas"),
        "requirements": ("requirement", "demands", "constraints"),
    }  # fmt: skip

    children: list[ChildWire]
    requirements: list[str] = Field(default_factory=list, max_length=12)


class PlanWire(Wire):
    """The plan of one of several ideas, by its number."""

    ALIASES: ClassVar[Names] = {"idea": ("number", "id"), "children": ("child", "steps", "plan", "subtasks")}
    SPARES: ClassVar[Mapping[str, Any]] = {"children": []}

    idea: int
    children: list[ChildWire]


class PlansWire(Wire):
    """Plans of several ideas."""

    ALIASES: ClassVar[Names] = {"plans": ("ideas",)}

    plans: list[PlanWire]


class CallWire(Wire):
    """A call of a tool."""

    BARE: ClassVar = "name"
    BINDING: ClassVar = True
    ALIASES: ClassVar[Names] = {
        "name": ("tool", "tool_name", "action", "function"),
        "args": ("arguments", "parameters", "params", "input"),
    }  # fmt: skip
    SPARES: ClassVar[Mapping[str, Any]] = {"args": []}

    name: str
    args: list[ArgumentWire]


class ActWire(Wire):
    """The next calls of tools; with none the result."""

    ALIASES: ClassVar[Names] = {
        "calls": ("call", "tool_calls", "actions"), "result": ("text", "answer", "final", "output"),
    }  # fmt: skip
    SPARES: ClassVar[Mapping[str, Any]] = {"calls": [], "result": ""}

    calls: list[CallWire]
    result: str


class PredictWire(Wire):
    """A forecast."""

    ALIASES: ClassVar[Names] = {
        "expected": ("prediction", "forecast", "outcome"), "confidence": ("probability",)
    }  # fmt: skip

    expected: str = Field(min_length=1, max_length=2000)
    confidence: float = Field(ge=0, le=1)


class ClaimWire(Wire):
    """A claim with its quote and its relevance."""

    ALIASES: ClassVar[Names] = {
        "text": ("claim", "statement", "fact"), "passage": _PASSAGE, "quote": ("excerpt", "evidence"),
        "score": ("relevance", "confidence"),
    }  # fmt: skip
    SPARES: ClassVar[Mapping[str, Any]] = {
        "text": lambda found: found.get("quote", ""), "quote": lambda found: found.get("text", ""),
        "passage": "", "score": 0.5,
    }  # fmt: skip

    text: str = Field(min_length=1, max_length=1000)
    passage: str
    quote: str
    score: float = Field(ge=0, le=1)


class ExtractWire(Wire):
    """Claims, best first, and a summary of one line."""

    SPARES: ClassVar[Mapping[str, Any]] = {"summary": ""}

    claims: list[ClaimWire]
    summary: str


class PartWire(Wire):
    """The claims of one of several parts, by its number."""

    ALIASES: ClassVar[Names] = {"number": ("part", "id")}
    SPARES: ClassVar[Mapping[str, Any]] = {"claims": [], "summary": ""}

    number: int
    claims: list[ClaimWire]
    summary: str


class ExtractsWire(Wire):
    """Claims of several parts."""

    ALIASES: ClassVar[Names] = {"parts": ("pages", "results")}

    parts: list[PartWire]


class ArgueWire(Wire):
    """An argument with its quotes."""

    ALIASES: ClassVar[Names] = {"text": ("argument",), "citations": ("quotes", "evidence")}
    SPARES: ClassVar[Mapping[str, Any]] = {"citations": []}

    text: str = Field(min_length=1, max_length=3000)
    citations: list[CitationWire]
    strength: float = Field(ge=0, le=1)


class ReasonWire(Wire):
    """The score of one criterion and the reason for it."""

    PAIR: ClassVar = ("criterion", "score")
    ALIASES: ClassVar[Names] = {
        "criterion": ("criteria", "name"), "score": ("value", "rating"),
        "reason": ("explanation", "rationale"),
    }  # fmt: skip
    SPARES: ClassVar[Mapping[str, Any]] = {"reason": ""}

    criterion: str
    score: float = Field(ge=0, le=1)
    reason: str


class JudgeWire(Wire):
    """A value with a reason for each criterion; the reasons come first, so that they are thought first."""

    ALIASES: ClassVar[Names] = {"reasons": ("criteria", "scores"), "value": ("score", "overall")}

    reasons: list[ReasonWire]
    value: float = Field(ge=0, le=1)
    confidence: float = Field(ge=0, le=1)


class JudgedWire(Wire):
    """The judgment of one of several results, by its number."""

    ALIASES: ClassVar[Names] = {
        "number": ("result", "id"), "reasons": ("criteria", "scores"), "value": ("score", "overall"),
    }  # fmt: skip

    number: int
    reasons: list[ReasonWire]
    value: float = Field(ge=0, le=1)
    confidence: float = Field(ge=0, le=1)


class JudgesWire(Wire):
    """Judgments of several results on one scale."""

    ALIASES: ClassVar[Names] = {"judgments": ("results", "judgements")}

    judgments: list[JudgedWire]


class ReflectWire(Wire):
    """A lesson."""

    ALIASES: ClassVar[Names] = {"text": ("lesson",)}

    text: str = Field(min_length=1, max_length=1500)


_CODE = ("code", "program", "patch", "fixed_code", "solution", "function", "diff", "edit", "new_code")
"""What models call the text of a repair."""


class CandidateWire(Wire):
    """A repaired program."""

    BARE: ClassVar = "code"
    ALIASES: ClassVar[Names] = {
        "code": _CODE[1:],
        "hypothesis": ("bug", "problem", "cause"), "reasoning": ("explanation", "why"),
    }  # fmt: skip
    SPARES: ClassVar[Mapping[str, Any]] = {"hypothesis": "", "reasoning": ""}

    hypothesis: str
    reasoning: str
    code: str = Field(min_length=1)


class PatchesWire(Wire):
    """Repaired programs, most promising first."""

    candidates: list[CandidateWire]

    @classmethod
    def reformed(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read edits that are written as pairs of texts."""
        lists = [(key, x) for key, x in given.items() if isinstance(x, list) and key != "edits"]
        alone = _with_code(given)
        if not lists and any(isinstance(alone.get(key), str) for key in _CODE):
            return {"candidates": [alone]}
        for key, rows in lists:
            found = [_with_code(row) for row in rows]
            if found != rows:
                return {**given, key: found}
        return given

    @classmethod
    def spoken(cls, text: str) -> Mapping[str, Any] | None:
        """Read code that stands among words, in no object at all."""
        found = [{"hypothesis": "", "reasoning": "", "code": code} for code in spoken(text)]
        return {"candidates": found} if found else None


def _with_code(row: Any) -> Any:
    """Return a candidate whose edits are pairs of texts with them as its code."""
    if not isinstance(row, Mapping) or any(isinstance(row.get(key), str) for key in _CODE):
        return row
    edits = next((row[key] for key in ("edits", "changes", "edit", "code") if key in row), row)
    pairs = edits if isinstance(edits, list) else [edits]
    blocks = [as_edit(pair) for pair in pairs if isinstance(pair, Mapping)]
    if not blocks or not all(blocks):
        return row
    return {"hypothesis": row.get("hypothesis", ""), "code": "\n".join(blocks)}


class AskWire(Wire):
    """A question to a human."""

    ALIASES: ClassVar[Names] = {"text": ("question",)}

    text: str = Field(min_length=1, max_length=600)


W = TypeVar("W", bound=Wire)


class Unfit(ValueError):
    """Say why a reply does not fit; becomes the text of the repair, then `InvalidReply`."""


def _lean(node: Any) -> Any:
    """Drop the keywords that some providers refuse; our own check keeps to them."""
    if isinstance(node, dict):
        named = node.get("properties") if node.get("type") == "object" else None
        kept = {key: _lean(value) for key, value in node.items() if key not in _DROPPED}
        if isinstance(named, dict):
            kept["properties"] = {key: _lean(value) for key, value in named.items()}
            kept["required"] = list(named)
        return kept
    return [_lean(item) for item in node] if isinstance(node, list) else node


def _inlined(node: Any, named: Mapping[str, Any]) -> Any:
    """Write the forms of parts out where they are used: each is used once, and a reference costs more."""
    if isinstance(node, list):
        return [_inlined(item, named) for item in node]
    if not isinstance(node, dict):
        return node
    name = str(node.get("$ref", "")).rpartition("/")[2]
    if name in named:
        return _inlined(named[name], named)
    return {key: _inlined(value, named) for key, value in node.items() if key != "$defs"}


def schema_of(model: type[Wire], *, named: bool = False) -> dict[str, Any]:
    """Return the JSON schema of a reply, named for its request; all keys required, none beside them.

    `named` keeps the forms of parts under their names.
    """
    whole = model.model_json_schema()
    schema: dict[str, Any] = _lean(whole if named else _inlined(whole, whole.get("$defs", {})))
    return {"title": model.__name__.removesuffix("Wire").lower(), **schema}
