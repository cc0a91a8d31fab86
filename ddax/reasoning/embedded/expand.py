"""The sub-DAG under an idea: search, then read in parallel, then follow what was read.

One big step beats two small ones: the searches of a question run together, the best two documents
are read together, and everything still affordable is read in the next layer, unless what was read
already carries an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded.evidence import Weighed, readable, weigh
from ddax.reasoning.embedded.follow import Candidate, Weights, candidates, rank
from ddax.reasoning.embedded.spans import names_in
from ddax.reasoning.embedded.support import complete
from ddax.reasoning.protocol import ExpandRequest, Expansion
from ddax.text.question import Question, analyse
from ddax.text.words import stem, words
from ddax.types import ActionCall, Proposal

MAX_QUERY = 400
"""Characters of a query: a search engine reads no further."""
LAST_SEARCH = 2
"""Depth of the last idea that searches: the root searches, the one below reads, the next may search on."""
MAX_TITLE = 110
"""Characters of an idea's title."""


@dataclass(frozen=True)
class Policy:
    """How documents are read: how many at first, how many searches, how deep a search looks.

    `follow` off reads by the search alone; it is there for the ablation.
    """

    first: int = 2
    searches: int = 3
    depth_of_search: int = 20
    best_sentences: int = 2
    follow: bool = True
    weights: Weights = field(default_factory=Weights)


def expand(request: ExpandRequest, vectors: Vectors, policy: Policy) -> Expansion:
    """Propose the next layer under an idea; no children where nothing is left to do."""
    question = analyse(request.task)
    if not question.text or request.depth >= request.max_depth:
        return Expansion(())
    if not request.hits:
        return Expansion(tuple(_searches(question, request, policy)) if _unsearched(request) else ())
    if request.reads_left <= 0 or "visit" not in request.actions:
        return Expansion(())
    weighed = weigh(question, request.evidence, vectors)
    if request.read and complete(question, weighed):
        return Expansion(())
    ranked = rank(
        question,
        candidates(request.hits, request.read),
        best=[item.sentence for item in weighed[: policy.best_sentences]],
        pages=readable(request.evidence),
        vectors=vectors,
        weights=policy.weights,
    ) if policy.follow else _by_search(request)  # fmt: skip
    return Expansion(tuple(_layer(question, request, ranked, weighed, policy)))


def _unsearched(request: ExpandRequest) -> bool:
    """Tell whether nothing was searched yet: at the root, and where a plan that led nowhere only read."""
    early = request.depth <= LAST_SEARCH
    return request.depth == 0 or (
        early and bool(request.read) and not any(f.action == "search" for f in request.findings)
    )


def _by_search(request: ExpandRequest) -> list[Candidate]:
    found = [item for item in candidates(request.hits, request.read) if item.search > 0]
    return sorted(found, key=lambda item: (-item.search, item.source))


def _searches(question: Question, request: ExpandRequest, policy: Policy) -> list[Proposal]:
    """Search for the question, and for its parts where it names several things."""
    if "search" not in request.actions:
        return []
    room = max(1, min(policy.searches, request.width - 1))
    queries = list(dict.fromkeys(query[:MAX_QUERY] for query in (question.text, *sub_questions(question))))[
        :room
    ]
    leaves = [
        search_leaf(query, question, policy, prior=1.0 if i == 0 else 0.6) for i, query in enumerate(queries)
    ]
    if (
        "visit" not in request.actions
        or request.max_depth < 2
        or request.width < 2
        or request.reads_left <= 0
    ):
        return leaves
    inner = Proposal(
        "read what was found",
        f"The documents found answer: {question.text[:200]}",
        1.0,
        needs=tuple(range(len(leaves))),
    )
    return [*leaves, inner]


def sub_questions(question: Question) -> list[str]:
    """Return the parts a question falls into: each option of a choice, else each side of a comparison."""
    if question.options:
        return list(question.options)
    return list(question.names) if question.compares else []


def search_leaf(query: str, question: Question, policy: Policy, *, prior: float) -> Proposal:
    """Propose a search for a query in the service of the question."""
    call = ActionCall(
        name="search", args={"query": query, "k": policy.depth_of_search}, intent=question.text[:MAX_QUERY]
    )
    return Proposal(f"search: {query}"[:MAX_TITLE], f"Documents about {query[:200]}", prior, call)


def _layer(
    question: Question,
    request: ExpandRequest,
    ranked: Sequence[Candidate],
    weighed: Sequence[Weighed],
    policy: Policy,
) -> list[Proposal]:
    """Read the best documents together; where more may follow, an inner idea waits for them."""
    opening = not request.read
    room = request.width - 1 if opening else request.width
    wanted = policy.first if opening else request.reads_left
    size = max(1, min(wanted, room, request.reads_left))
    leaves = [_visit(item, question, ranked[0].score) for item in ranked[:size]]
    deeper = request.depth + 1 < request.max_depth
    if deeper and weighed and policy.follow and _lost(request, ranked, policy):
        return _search_on(question, request, leaves, weighed, policy)
    if leaves and deeper and request.reads_left > len(leaves) and request.width > len(leaves):
        leaves.append(_follow(question, len(leaves)))
    return leaves


def _lost(request: ExpandRequest, ranked: Sequence[Candidate], policy: Policy) -> bool:
    """Tell whether what was read at first leads to no known document; asked once, before more is read."""
    early = 0 < len(request.read) <= policy.first and request.depth <= LAST_SEARCH
    return early and "search" in request.actions and not any(item.linked for item in ranked)


def _search_on(
    question: Question,
    request: ExpandRequest,
    leaves: list[Proposal],
    weighed: Sequence[Weighed],
    policy: Policy,
) -> list[Proposal]:
    """Search with what the first finding names, beside one more read, as nothing read links further."""
    second = search_leaf(next_query(question, weighed), question, policy, prior=1.0)
    together = [second, *leaves[:1]]
    if request.reads_left - len(leaves[:1]) > 0 and request.width > 2:
        together.append(_follow(question, len(together)))
    return together


def next_query(question: Question, weighed: Sequence[Weighed]) -> str:
    """Join the part of the question nothing read covers with the names the best sentence brings."""
    said = frozenset[str]().union(*(item.terms for item in weighed))
    uncovered = [word for word in words(question.text) if stem(word) in set(question.terms) - said]
    asked = set(words(question.text))
    nearest = sorted(weighed, key=lambda item: -item.like)[:2]
    named = [span.text for item in nearest for span in names_in(item.sentence.text)]
    new = [name for name in dict.fromkeys(named) if not set(words(name)) <= asked][:3]
    query = " ".join(dict.fromkeys([*new, *(uncovered or words(question.text))]))
    return query[:MAX_QUERY]


def _visit(item: Candidate, question: Question, best: float) -> Proposal:
    title = item.title or item.source
    call = ActionCall(name="visit", args={"source": item.source}, intent=question.text[:MAX_QUERY])
    prior = max(0.05, item.score / best) if best > 0 else 1.0
    opening = " ".join(item.text.split())[:200]
    return Proposal(f"read: {title}"[:MAX_TITLE], f"{title}: {opening}", prior, call)


def _follow(question: Question, size: int) -> Proposal:
    return Proposal(
        "follow what was read",
        f"What was read names the rest of: {question.text[:200]}",
        0.8,
        needs=tuple(range(size)),
    )
