"""Pages of the leaves of one step, read by one call.

A call that reads one page tells rules, task and form as one that reads four. So leaves that act at once
store their pages, and `evaluate` has the claims taken of all of them. A page that the reply leaves out, or
whose claims quote nothing that stands there, is read without a model; so are all where the call failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ddax.errors import BudgetExceeded, ReasonerError, Unavailable
from ddax.graph.services import Session
from ddax.graph.state import Outcome, State, Update
from ddax.ideas import dag
from ddax.ideas.idea import RESULT_BYTES, Patch, clip
from ddax.ideas.origins import NOWHERE, Origins, join
from ddax.ideas.origins import read as of_read
from ddax.memory.protocol import MANY
from ddax.reasoning.budget import usage_of
from ddax.reasoning.protocol import Extraction, ExtractRequest, Pages
from ddax.reasoning.sourced import of_request
from ddax.steps.evaluate.side_by_side import groups
from ddax.steps.findings.gather import CLAIMS, as_passage, citation_row, of_page, usage_row
from ddax.steps.findings.leaf_reading import UNREAD, linked, request_of
from ddax.types import Idea, JsonDict, Usage


@dataclass(frozen=True)
class _Read:
    """What was found in the pages of each leaf, what it cost, and which leaves a model did not read.

    `came` says where all comes from that the reply saw in which a leaf was read.
    """

    found: dict[str, Extraction] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    failed: dict[str, str] = field(default_factory=dict)
    came: dict[str, Origins] = field(default_factory=dict)

    def __add__(self, other: _Read) -> _Read:
        return _Read(
            self.found | other.found, self.usage + other.usage, self.failed | other.failed,
            self.came | other.came,
        )  # fmt: skip


async def read_together(state: State, session: Session) -> Update:
    """Take the claims of all pages of this step that wait for it; return the results of their leaves."""
    waiting = [i for i, outcome in state.get("outcomes", {}).items() if outcome.get("unread")]
    if not waiting:
        return {}
    rows = await session.memory.rows(UNREAD, task=state["work"]["id"], step=state["step"], limit=MANY)
    mine = {row["idea"]: row for row in rows if row["idea"] in waiting}
    requests = {i: await _request(state, session, mine[i]) for i in sorted(mine, key=dag.sort_key)}
    read = await _read(state, session, requests)
    return await _told(state, session, mine, read)


async def _request(state: State, session: Session, row: JsonDict) -> ExtractRequest:
    records = [r for r in await session.memory.get(row["ids"]) if of_page(r)]
    passages = tuple(as_passage(record, 1.0) for record in records)
    return await request_of(
        passages, session, task=state["work"], leaf=row["idea"], intent=row["intent"], origins=row["origins"]
    )


async def _read(state: State, session: Session, requests: Mapping[str, ExtractRequest]) -> _Read:
    read = _Read()
    lengths = {i: sum(len(passage.text) for passage in one.passages) for i, one in requests.items()}
    for group in groups(lengths, session, requests.values()):
        read += await _group(state, session, {i: requests[i] for i in group})
    for idea, request in requests.items():
        if idea not in read.found:
            read.found[idea] = await session.free.extract(request)
    return read


async def _group(state: State, session: Session, requests: Mapping[str, ExtractRequest]) -> _Read:
    """Read the pages of some leaves by one call; what was lost of them is left out."""
    names, (first, *others) = [*requests], [*requests.values()]
    beside = tuple(Pages(one.intent, one.passages) for one in others)
    asked = replace(first, others=beside, origins=join(*(of_request(one) for one in requests.values())))
    reader = session.metered(state["work"]["id"], state.get("usage", {}), idea=names[0])
    try:
        reply = await reader.extract(asked)
    except Unavailable:
        raise
    except (BudgetExceeded, ReasonerError) as error:
        return _Read(usage=usage_of(error), failed=dict.fromkeys(names, str(error)[:300]))
    each = dict(zip(names, (reply, *reply.others), strict=True))
    told = {i: one for i, one in each.items() if not one.lost}
    return _Read(told, reply.usage, came=dict.fromkeys(told, of_request(asked)))


async def _told(state: State, session: Session, rows: Mapping[str, JsonDict], read: _Read) -> Update:
    """Keep the claims, and tell of each leaf what its pages say."""
    ideas, outcomes = Patch(), dict[str, Outcome]()
    for idea, found in read.found.items():
        citations = [citation_row(claim.citation) for claim in found.claims]
        row = {"task": state["work"]["id"], "idea": idea, "step": state["step"], "citations": citations}
        await session.memory.log(CLAIMS, row, key=rows[idea]["place"])
        text = clip(found.summary, RESULT_BYTES) or state["outcomes"][idea]["text"]
        cited = frozenset(claim.citation.passage_id for claim in found.claims)
        origins = of_read(join(state["ideas"][idea].get("origins", ()), read.came.get(idea, NOWHERE)))
        patch = Idea(result=text, evidence=linked(rows[idea]["ids"], cited))
        patch |= Idea(origins=origins) if origins else Idea()
        kept = {key: value for key, value in state["ideas"][idea].items() if key not in patch}
        ideas[idea] = dag.held(patch, dag.size_of(kept))
        known = {key: value for key, value in state["outcomes"][idea].items() if key != "unread"}
        outcomes[idea] = Outcome(**{**known, "text": text})  # type: ignore[typeddict-item]  # its own keys
    failures = {
        f"{idea}:claims": {"idea": idea, "title": "claims of its page", "cause": cause}
        for idea, cause in read.failed.items()
    }
    return {
        "ideas": ideas, "outcomes": outcomes, "failures": failures, "usage": usage_row(read.usage),
    }  # fmt: skip
