"""The typed settings of a run, in one place: every default stands here and nowhere else.

`Context` is what LangGraph calls the context schema: plain JSON values that Studio can edit.
Layers (default < file < environment < argument) are in `ddax.configs.layers`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, NonNegativeFloat

from ddax.configs.models import ModelRecord as ModelRecord
from ddax.configs.models import Models as Models
from ddax.configs.models import ModelSetting, name_of
from ddax.configs.section import Section

SCHEMA_VERSION = 1
"""Version of settings, state and memory as this release writes them."""
PressurePart = Literal["depth", "time", "impasses", "ambiguity"]


class Budget(Section):
    """Caps enforced by the engine; at a cap the run closes with what it has and says so."""

    max_steps: int = Field(default=60, ge=1, le=100_000, description="Passes of select.")
    max_ideas: int = Field(default=200, ge=1, le=100_000, description="Ideas in the DAG.")
    max_depth: int = Field(default=6, ge=1, le=64, description="Depth of the DAG below the root.")
    max_reads: int = Field(
        default=5,
        ge=0,
        description="Documents visited for one task; as many again where a model plans on after the quick"
        " road.",
    )
    max_model_calls: int = Field(default=200, ge=0, description="Calls of a language model.")
    max_tokens: int = Field(default=400_000, ge=0, description="Tokens in and out.")
    max_usd: float = Field(default=1.0, ge=0, description="US dollars.")
    max_seconds: float = Field(
        default=1800.0, gt=0, description="Wall time in seconds, without that of waiting for a human."
    )
    max_turns: int = Field(default=50, ge=1, le=1_000, description="Turns of one leaf that calls tools.")
    max_parallel: int = Field(default=4, ge=1, le=256, description="Leaves that act at once.")
    leaf_seconds: float = Field(
        default=120.0, gt=0, description="Time-out of a leaf in seconds; waits for a core do not count."
    )


class Selection(Section):
    """Weights of the selection score (docs/dynamics.md, dda-x 2.1)."""

    preset: Literal["hybrid", "dda-x", "puct", "flat"] = Field(
        default="hybrid",
        description="Named weights of the score; dda-x is for study and solves little (docs/dynamics.md).",
    )
    w_a: float | None = Field(default=None, description="Weight of the alignment; null: the preset's.")
    w_q: float | None = Field(default=None, description="Weight of Q; null: the preset's.")
    c: float = Field(default=1.0, ge=0, description="Exploration constant.")
    wider: bool | None = Field(
        default=None, description="Learn when to propose more instead of going deeper; null: the preset's."
    )
    branching: int = Field(default=5, ge=1, le=64, description="Children of one expansion at most.")
    join: float = Field(
        default=0.97,
        gt=0,
        le=1,
        description="Cosine from which a read or an idea is joined to an earlier one.",
    )
    prune_margin: float = Field(
        default=0.5, ge=0, le=1, description="A branch this far below its best sibling's value is given up."
    )
    prune_visits: int = Field(default=3, ge=1, description="Visits a branch has before it may be given up.")
    replan_above: float = Field(
        default=0.6, ge=0, le=1, description="Surprise above which what rests on an idea is planned anew."
    )
    lookahead: int = Field(
        default=12,
        ge=0,
        le=50,
        description="Imagined rollouts before an action that writes or spends; 0: none.",
    )
    lookahead_minimum: float = Field(
        default=0.3, ge=0, le=1, description="An action imagined to be worth less is never taken unasked."
    )
    beam: int = Field(default=12, ge=1, le=256, description="Open children kept under one idea.")
    min_alignment: float = Field(
        default=-0.5, ge=-1, le=1, description="Candidates scoring below are misaligned."
    )
    teleport: bool = Field(
        default=False, description="Set x to the embedding of the outcome, as the source does."
    )
    state_dim: int = Field(default=64, ge=2, le=384, description="Dimension of the state space.")


class Recall(Section):
    """Retrieval from the memory (ideadag; dda-x 2.1)."""

    n_thoughts: int = Field(default=5, ge=0, description="Internal thoughts recalled for a node.")
    m_observations: int = Field(default=8, ge=0, description="Observations recalled for a node.")
    budget: int = Field(default=6000, ge=0, description="Characters recalled for a node.")
    min_score: float = Field(default=0.2, description="Lowest score that is recalled.")
    lambda_r: float = Field(default=0.001, ge=0, description="Recency decay per hour.")
    fill_behind: bool = Field(
        default=True, description="Embed the rest of the sources behind the run; changes no result."
    )
    lambda_epsilon: float = Field(default=1.0, ge=0, description="Weight of surprise.")


class Rules(Section):
    """Rules: plans that worked, followed before a model is asked."""

    enabled: bool = Field(default=True, description="Learn and use rules.")
    lessons: bool = Field(default=True, description="Draw lessons from surprises, and recall them.")
    min_rate: float = Field(default=0.6, ge=0, le=1, description="Success rate from which a rule is used.")
    min_similarity: float = Field(
        default=0.6, ge=0, le=1, description="Likeness of the situation from which a rule is used."
    )
    decay: float = Field(default=0.001, ge=0, description="Decay of a rule's activation per hour.")


class Mood(Section):
    """The active-inference controller (metacognitive-bridge)."""

    enabled: bool = Field(default=True, description="Let the controller steer.")
    engine: Literal["auto", "pymdp", "numpy"] = Field(
        default="auto", description="What computes the free energy."
    )
    policy_len: int = Field(default=3, ge=1, le=4, description="Planning horizon in steps.")
    matrices: str = Field(default="shipped", description="'shipped', a learned version (v1), or a YAML file.")
    explore: bool = Field(default=True, description="EXPLORE raises c, widens, asks a curiosity question.")
    consolidate: bool = Field(default=True, description="CONSOLIDATE merges early, consolidates the memory.")
    verify: bool = Field(default=True, description="VERIFY checks the least supported claims.")
    rest: bool = Field(default=True, description="REST narrows down, and asks a human who is there.")
    surprise_threshold: float = Field(default=0.5, ge=0, le=1, description="ε above is HIGH_SURPRISE.")
    confirmation_confidence: float = Field(
        default=0.8, ge=0, le=1, description="Confidence needed for CONFIRMATION."
    )


class Support(Section):
    """The support check: whether a statement follows from what it rests on."""

    check: Literal["rules", "nli"] = Field(
        default="rules", description="'rules' (no model), or 'nli': the model of the extra nli."
    )


class Debate(Section):
    """Evaluation by debate (dda-x 8.4)."""

    enabled: bool = Field(default=True, description="Hold debates where they can change the decision.")
    ask: Literal["deciding", "always", "never"] = Field(
        default="deciding",
        description="Ask a model for values where one may change what is done next, always, or never.",
    )
    panel: str = Field(default="default", description="Who debates: a name or a YAML file.")
    gate: Literal["margin", "evidence", "both", "doubt", "always", "never"] = Field(
        default="both",
        description="What opens a debate: nearness to a boundary, a contradiction by what was read, "
        "either ('both'), nearness or doubt, everything, nothing.",
    )
    margin: float = Field(
        default=0.15, ge=0, le=1, description="A cheap value this close to a decision boundary is debated."
    )
    doubt: float = Field(
        default=0.5, ge=0, le=1, description="Under the gate 'doubt': debated below this confidence."
    )
    first_votes: int = Field(
        default=1, ge=1, le=9, description="Participants who value a result first, where there are so many."
    )
    rounds: int = Field(default=1, ge=1, le=5, description="Rounds of argument.")
    support: float = Field(
        default=0.5, ge=0, le=1, description="Confidence of the support check that a quote needs to count."
    )
    task_rubric: bool | None = Field(
        default=None, description="Add what the task asks for to the rubric; null: only without a model."
    )
    calibrate: bool = Field(default=True, description="Correct values by how earlier ones turned out.")
    settled: float = Field(
        default=0.95,
        ge=0,
        le=1,
        description="A result that a model values at least so high, and is sure of, ends the task.",
    )


class Trust(Section):
    """Trust in agents, regret of overrides, and the living rubric (agent-memory)."""

    formula: Literal["corrected", "source"] = Field(
        default="corrected", description="Formula of the trust; both are computed and shown."
    )
    regret_hours: float = Field(
        default=24.0, gt=0, description="Hours after which an override that was not reverted stands."
    )
    regret_margin: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="Lead of the agent's own choice that makes an override regretted.",
    )
    rubric: str = Field(default="default", description="Rubric of the judges: a name or a YAML file.")
    propose_from: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="Standing from which a human's override proposes a rubric change.",
    )
    apply_above: float = Field(
        default=1.0, ge=0, le=1, description="Standing above which a proposed change is applied at once."
    )


class Actions(Section):
    """What actions there are beside the built-in ones, and what the user says of them by name."""

    allow: tuple[str, ...] = Field(
        default=(), description="Actions the policy never asks for, but where private data could leave."
    )
    ask: tuple[str, ...] = Field(default=(), description="Actions that are always asked for.")
    deny: tuple[str, ...] = Field(default=(), description="Actions that are never done.")
    files: tuple[str, ...] = Field(default=(), description="Python files whose actions are added.")
    mcp: tuple[str, ...] = Field(
        default=(),
        description="MCP servers whose tools are added, as 'NAME=COMMAND ARGUMENTS' or"
        " 'NAME=https://HOST/PATH'; approved first.",
    )
    reads: tuple[str, ...] = Field(
        default=(), description="Tools of MCP servers that only read, as 'NAME_TOOL'; the others write."
    )


class SiteSecret(Section):
    """A secret that is typed on the pages of one domain and shown to nobody."""

    env: str = Field(description="Environment variable that holds the value.")
    domain: str = Field(description="Domain on whose pages it may be typed.")


class Browser(Section):
    """Tasks in a browser (`ddax run --browser URL`)."""

    writes: bool = Field(
        default=False, description="Let pages send data (POST); without it the browser only reads."
    )
    screenshot: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="Send a picture of the page with the text to a model that plans; 'auto': where it"
        " is known to see.",
    )
    downloads: str = Field(
        default="", description="Folder that files of pages are kept in; '': none is kept."
    )
    uploads: str = Field(
        default="", description="Folder whose files may be handed to pages; '': none is handed over."
    )
    secrets: dict[str, SiteSecret] = Field(
        default_factory=dict, description="Secrets by name: {NAME: {env: VARIABLE, domain: example.org}}."
    )


class Evolution(Section):
    """The evolutionary fallback (evolution)."""

    evolution_enabled: bool = Field(default=True, description="Allow the fallback.")
    evolution_population_size: int = Field(
        default=4, ge=1, description="Candidates of a generation with a model."
    )
    evolution_max_generations: int = Field(default=3, ge=0, description="Generations with a model.")
    history_penalty_multiplier: float = Field(
        default=2.0, ge=0, description="Penalty per earlier try (tabu)."
    )
    pressure_threshold: float = Field(
        default=0.9, ge=0, le=1, description="Pressure that triggers evolution."
    )
    pressure_weights: dict[PressurePart, NonNegativeFloat] = Field(
        default={"depth": 0.3, "time": 0.2, "impasses": 0.3, "ambiguity": 0.2},
        description="Weights of the parts of pressure; a part that is not named keeps its own.",
    )
    candidate_seconds: float = Field(default=10.0, gt=0, description="Time-out of one candidate in seconds.")
    seconds: float = Field(default=20.0, gt=0, description="Time for one repair in seconds.")


class Web(Section):
    """How pages are fetched and read, and how hosts are treated."""

    search: Literal["", "auto", "ddgs", "tavily", "searxng", "brave"] = Field(
        default="", description="Who searches the web; 'auto': whoever is there; '': the sources only."
    )
    searxng_url: str = Field(default="", description="Address of a SearXNG; '': SEARXNG_URL.")
    results: int = Field(default=10, ge=1, le=50, description="Results asked for in one search.")
    searches_per_minute: int = Field(default=60, ge=1, le=600, description="Searches a minute.")
    search_hours: float = Field(default=24.0, ge=0, description="Hours for which results are kept; 0: not.")
    only_domains: tuple[str, ...] = Field(default=(), description="Nothing outside of these is reached.")
    deny_domains: tuple[str, ...] = Field(default=(), description="Nothing inside of these is reached.")
    robots: bool = Field(default=True, description="Heed robots.txt, except for pages the user names.")
    delay: float = Field(default=1.0, ge=0, le=60, description="Seconds between two requests to a host.")
    per_host: int = Field(default=1, ge=1, le=2, description="Requests to one host at once.")
    max_bytes: int = Field(default=5_000_000, ge=1000, description="Bytes of one page, unpacked.")
    fetch_seconds: float = Field(default=20.0, gt=0, description="Time of one request in seconds.")
    read_seconds: float = Field(default=5.0, gt=0, description="CPU time to read one page in seconds.")
    max_redirects: int = Field(default=5, ge=0, le=20, description="Redirects of one fetch.")
    cache: bool = Field(default=True, description="Keep pages as RFC 9111 lets us.")
    record: str = Field(default="", description="File that what the web says is written to; '': none.")
    replay: str = Field(default="", description="Tape that answers instead of the web; '': none.")


class Context(Section):
    """Every setting of a run; what LangGraph Studio shows as a form."""

    model: ModelSetting = Field(
        default="embedded",
        description="'embedded' (no model), 'provider:model', 'local', 'gguf:FILE', or a record of a model.",
        examples=["embedded", "openai:gpt-4.1-mini"],
    )
    models: Models = Field(default=Models(), description="A model for each role, and how models are asked.")
    effort: Literal["quick", "normal", "deep"] = Field(
        default="normal",
        description="How far a model goes: 'quick' (one call), 'normal' (a plan where that is not enough),"
        " 'deep' (a plan first).",
    )
    identity: str = Field(
        default="task_focused",
        description="Identity profile: a name or a YAML file.",
        examples=["task_focused", "cautious", "exploratory", "traumatized"],
    )
    sources: tuple[str, ...] = Field(
        default=(), description="Folders, files, URLs or python:MODULE.", examples=[["python:statistics"]]
    )
    instructions: str = Field(
        default="", description="What you want of every answer, in your own words; used with a model."
    )
    output: Literal["text", "report"] | dict[str, Any] = Field(
        default="text",
        description="Form of the answer: 'text', 'report', or (with a model) a JSON schema of an object.",
    )
    words: int = Field(default=800, ge=100, le=20_000, description="Words of a report at most.")
    knowledge: Literal["allow", "mark", "forbid"] = Field(
        default="mark",
        description="Whether a model may say what it knows itself: 'allow', 'mark' (as such, and never in"
        " place of the sources), 'forbid'.",
    )
    prompts: str = Field(
        default="",
        description="Folder with prompts of your own, named as `ddax prompts list` does; '': ours.",
    )
    seed: int = Field(default=0, ge=0, description="Seed of every random choice.")
    namespace: str = Field(default="default", min_length=1, description="Memory namespace.")
    requirements: tuple[str, ...] = Field(
        default=(), description="Demands beside the task's own words, as 'at most 20 words'."
    )
    human: bool = Field(default=False, description="A human is there to be asked.")
    stream: bool = Field(default=False, description="Tell the pieces of replies while they are written.")
    record: str = Field(default="", description="File that requests and replies are written to; '': none.")
    replay: str = Field(default="", description="Recording that answers instead of a model; '': none.")
    allow_hosts: tuple[str, ...] = Field(
        default=(), description="Private hosts that may be fetched, by name."
    )
    dry_run: bool = Field(
        default=False, description="Show what others could see of a run instead of doing it."
    )
    actions: Actions = Field(default=Actions(), description="Actions that others bring.")
    web: Web = Field(default=Web(), description="How pages are fetched, and how hosts are treated.")
    budget: Budget = Field(default=Budget(), description="Caps; at one the run closes with what it has.")
    selection: Selection = Field(default=Selection(), description="How ideas are scored and chosen.")
    recall: Recall = Field(default=Recall(), description="What is recalled from the memory.")
    rules: Rules = Field(default=Rules(), description="Plans that worked, used again.")
    mood: Mood = Field(default=Mood(), description="The controller of the state of mind.")
    support: Support = Field(default=Support(), description="How statements are checked against quotes.")
    debate: Debate = Field(default=Debate(), description="Which results are debated, and by whom.")
    trust: Trust = Field(default=Trust(), description="Trust in agents, and the rubric of the judges.")
    browser: Browser = Field(default=Browser(), description="Tasks in a browser (`ddax run --browser`).")
    evolution: Evolution = Field(default=Evolution(), description="The search over patches of code.")

    @property
    def model_name(self) -> str:
        """Return the name of the model, whichever form it is given in."""
        return name_of(self.model)


class Identity(Section):
    """An identity profile: who the agent is, in words and in numbers (dda-x 5.1)."""

    name: str
    statement: str = Field(description="Who the agent is, in one or two sentences.")
    identity_vector: tuple[float, ...] | None = None
    identity_weight: float = Field(
        default=0.5, ge=0, le=1, description="w in x* = unit(w·E(statement)+(1−w)·E(task))."
    )
    gamma: float = Field(default=1.0, ge=0, description="Identity stiffness.")
    epsilon_0: float = Field(
        default=0.3, ge=0, le=1, description="Surprise at which rigidity neither rises nor falls."
    )
    alpha: float = Field(default=0.1, gt=0, le=1, description="Learning rate of rigidity.")
    s: float = Field(default=0.1, gt=0, description="Width of the sigmoid.")
    k_base: float = Field(default=0.5, gt=0, le=1, description="Base step size.")
    m: float = Field(default=1.0, ge=0, description="Gain of the outside forces.")
    initial_rho: float = Field(default=0.0, ge=0, le=1, description="Rigidity at the start.")
    protect_threshold: float = Field(
        default=0.7, ge=0, le=1, description="Protect is entered above this rigidity."
    )
    protect_after: int = Field(
        default=2, ge=1, description="Or after this many consecutive outcomes above epsilon_protect."
    )
    epsilon_protect: float = Field(
        default=0.8, ge=0, le=1, description="Surprise that counts towards protect_after."
    )
