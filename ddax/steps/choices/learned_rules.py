"""Use and learn rules: a plan that worked is followed before a model is asked.

A rule is followed stage by stage: first the documents of the names in the task, then what those name.
Where a stage cannot be taken, or what was read does not carry an answer like the remembered one, the
reasoner goes on from there and the rule has failed in this task.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from ddax.debate.records import Verdict
from ddax.graph.ports import Acts, Asks, Remembers
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas.origins import Origins, join, of_kept, read
from ddax.memory.protocol import MANY
from ddax.memory.rules import Match, PlanStep, Rule, count_use, learn, matching
from ddax.reasoning.protocol import Expansion, Finding, Synthesis
from ddax.reasoning.sourced import of_passages
from ddax.steps.findings.gather import CLAIMS, found, read_by, read_pages, task_text
from ddax.text.chunks import sentences
from ddax.text.question import analyse
from ddax.types import MENTION, NO_PARENT, ActionCall, Hit, Idea, JsonDict, Passage, Proposal

PLANS = "rule_plans"
FELL_BACK = -1
"""The stage of an idea at which the reasoner took over from the rule."""
KEPT: tuple[str, ...] = ("rule", "rate", "situation", "plan", "answer", "origins")
"""What a stage of a plan keeps of its rule; one of an older release has no origins."""
OPEN, TITLE, TARGET = "⟨{}⟩", "⟨title⟩", "⟨target⟩"
_MARK = re.compile(r"⟨\w+⟩")
LIKE_CUE = 0.5
LIKE_ANSWER = 0.55
"""Likeness from which a sentence names what the remembered one named, or answers as it answered."""


async def by_rule(state: State, session: Session, parent: Idea, mode: str) -> Expansion | None:
    """Return the next stage of a rule's plan under an idea; None where the reasoner is to be asked."""
    if mode or not session.settings.rules.enabled or "visit" not in session.actions:
        return None
    if state["work"].get("code"):
        return None
    if parent["parent"] == NO_PARENT:
        return await _begin(state, session, parent)
    rows = await planned(state, session)
    before = rows.get(parent["parent"])
    if before is None or before["stage"] == FELL_BACK or not parent["title"].startswith("by rule:"):
        return None
    return await _go_on(state, session, parent, before)


async def _begin(state: State, session: Session, parent: Idea) -> Expansion | None:
    names = analyse(await task_text(state, session)).names
    for match in await _matches(state, session):
        hits = [await _document(session, names[s.slot]) for s in match.rule.plan if s.slot is not None]
        if hits and all(hits):
            steps = [s for s in match.rule.plan if s.slot is not None]
            leaves = [
                _visit(hit.source, hit.title, _filled(step.said, names))
                for hit, step in zip(hits, steps, strict=True)
                if hit is not None
            ]
            await _log(state, session, parent, match.rule.row("") | {"rate": match.standing.rate}, stage=0)
            return Expansion((*leaves, _later(match.rule.situation, len(leaves))))
    return None


async def _matches(state: State, session: Session) -> list[Match]:
    bounds, work = session.settings.rules, state["work"]
    situation, slots = situation_of(await task_text(state, session))
    return await matching(
        session.memory, situation, slots=slots, now=work["opened"],
        minimum=bounds.min_similarity, decay=bounds.decay, min_rate=bounds.min_rate,
    )  # fmt: skip


async def _document(session: Acts, name: str) -> Hit | None:
    """Find the document a name is the title of; titles are looked up, nothing is read."""
    for hit in await session.library.mentioned(name):
        if hit.title.casefold() == name.casefold():
            return hit
    return None


async def _go_on(state: State, session: Session, parent: Idea, before: JsonDict) -> Expansion | None:
    """Take the next step of the plan, or end it where its answer is there."""
    names = analyse(await task_text(state, session)).names
    following = [PlanStep(**step) for step in before["plan"] if step["slot"] is None]
    stage = int(before["stage"]) + 1
    if stage > len(following):
        if await _answered(state, session, names, str(before["answer"])):
            await _log(state, session, parent, before, stage=stage)
            return Expansion(())
    else:
        step = following[stage - 1]
        target = await _named(state, session, names, step.cue)
        if target is not None:
            await _log(state, session, parent, before, stage=stage)
            leaf = _visit(target.source, target.title, _filled(step.said, names))
            return Expansion((leaf, _later(str(before["situation"]), 1)))
    await _log(state, session, parent, before, stage=FELL_BACK)
    return None


async def _named(state: State, session: Session, names: Sequence[str], cue: str) -> Passage | None:
    """Return the document that what was read names as the remembered sentence named its own."""
    pages = await read_pages(state, session)
    read = {page.source for page in pages}
    pairs = [
        (sentence, hit)
        for hit in await found(state, session)
        if hit.id.startswith(MENTION) and hit.source not in read
        for page in pages
        for sentence in _sentences(page.text)
        if hit.title in sentence
    ]
    masked = [_masked(sentence.replace(hit.title, TARGET), names) for sentence, hit in pairs]
    scores = await _likeness(session, cue, masked)
    if not scores or max(scores) < LIKE_CUE:
        return None
    return pairs[int(np.argmax(scores))][1]


async def _answered(state: State, session: Session, names: Sequence[str], answer: str) -> bool:
    rows = await session.memory.rows(CLAIMS, task=state["work"]["id"], limit=MANY)
    quotes = [
        _masked(str(c["quote"]).replace(str(c["title"]), TITLE), names) for r in rows for c in r["citations"]
    ]
    return max(await _likeness(session, answer, quotes), default=0.0) >= LIKE_ANSWER


def familiar(state: State, plans: Mapping[str, JsonDict], idea: Idea) -> Verdict | None:
    """Return the value a rule gives an outcome of its plan: its success rate, with no judge asked."""
    if idea["parent"] == NO_PARENT:
        return None
    row = plans.get(idea["parent"])
    final = idea["kind"] == "merge" and state["ideas"][idea["parent"]]["parent"] == NO_PARENT
    if row is None or row["stage"] == FELL_BACK or final:
        return None
    rate = float(row["rate"])
    return Verdict(rate, rate, rate, rate, why=f"rule {row['rule']} has worked at this rate")


async def carried(state: State, session: Session, parent: Idea, said: Sequence[Finding]) -> Synthesis | None:
    """Return the synthesis of a stage of a rule: it has one finding, which is passed on as it is."""
    row = (await planned(state, session)).get(parent["id"])
    if row is None or row["stage"] == FELL_BACK or parent["parent"] == NO_PARENT:
        return None
    cited = [finding for finding in said if finding.citations]
    if len(cited) != 1:
        return None
    return Synthesis(cited[0].result, cited[0].citations, True, float(row["rate"]))


async def followed(state: State, session: Session) -> bool:
    """Tell whether a rule carries this task: then it rests on what was read for it, on nothing recalled."""
    rows = (await planned(state, session)).values()
    return bool(rows) and all(row["stage"] != FELL_BACK for row in rows)


async def settle_rules(state: State, session: Session) -> None:
    """Count how the rule of this task fared, and learn one where the task went well without."""
    work, answer = state["work"], state.get("answer") or {}
    if not session.settings.rules.enabled or work.get("code"):
        return
    rows = list((await planned(state, session)).values())
    good = bool(answer.get("found")) and state["ideas"][work["root"]]["status"] == "done"
    fell = any(row["stage"] == FELL_BACK for row in rows)
    for rule in sorted({str(row["rule"]) for row in rows}):
        ok = good and not fell
        await count_use(session.memory, rule, task=work["id"], ok=ok, at=work["opened"])
    if good and (fell or not rows):
        rule_learned = await _chunk(state, session)
        if rule_learned is not None:
            await learn(session.memory, rule_learned, task=work["id"], at=work["opened"])


async def _chunk(state: State, session: Session) -> Rule | None:
    """Make a rule of a task that went well: the reads its answer rests on, and how each was come by."""
    text = await task_text(state, session)
    names = analyse(text).names
    citations = state["answer"]["citations"]
    pages = {page.source: page for page in reversed(await read_pages(state, session))}
    cited = [c for c in citations if c["source"] in pages]
    steps: list[PlanStep] = []
    taken: list[Passage] = []
    for slot, name in enumerate(names):
        page = next((p for p in pages.values() if p.title.casefold() == name.casefold()), None)
        if page is not None:
            said = next((c["quote"] for c in cited if c["source"] == page.source), page.text[:200])
            steps.append(PlanStep(_masked(str(said), names), slot=slot))
            taken.append(page)
    for citation in cited:
        page = pages[citation["source"]]
        if page in taken:
            continue
        cue = _cue(page, taken, names)
        if cue:
            steps.append(PlanStep(_masked(str(citation["quote"]), names), cue=cue))
            taken.append(page)
    if not names or len({s.slot for s in steps if s.slot is not None}) < len(names):
        return None
    carrier = _carrier(citations, [page.source for page in taken], len(names))
    if carrier is None:
        return None
    answer = _masked(str(carrier["quote"]).replace(str(carrier["title"]), TITLE), names)
    rests_on = tuple(dict.fromkeys([*(str(c["passage_id"]) for c in cited), *(page.id for page in taken)]))
    return Rule(*situation_of(text), tuple(steps), answer, _origins(state, taken), rests_on)


def _origins(state: State, taken: Sequence[Passage]) -> tuple[str, ...]:
    """Return where the words of a rule come from: what the task had read, and the pages of its plan."""
    return tuple(read(join(read_by(state["ideas"], state["work"]["root"]), of_passages(taken))))


def situation_of(task: str) -> tuple[str, int]:
    """Return the words of a task with its names left open, and how many names there are."""
    names = analyse(task).names
    return _bare(_masked(task, names)), len(names)


def _carrier(citations: Sequence[JsonDict], taken: Sequence[str], named: int) -> JsonDict | None:
    """Return the citation a plan leads to: what the answer says first, or of the pages others led to.

    A sentence of a page that the task names is half of what was done where it is not said first, or where
    the answer rests on more than the plan leads to.
    """
    reached = [c for c in citations if c["source"] in taken]
    led_to = taken[named:]
    whole = citations[:1] if len(reached) == len(citations) else []
    return next((c for c in reached if c in whole or c["source"] in led_to), None)


def _cue(page: Passage, taken: Sequence[Passage], names: Sequence[str]) -> str:
    """Return the sentence of an earlier page that names a page, with the names left open."""
    for earlier in taken:
        for sentence in _sentences(earlier.text):
            if page.title and page.title in sentence:
                return _masked(sentence.replace(page.title, TARGET), names)
    return ""


async def planned(state: State, session: Remembers) -> dict[str, JsonDict]:
    """Return what rules have planned in a task, by the idea they planned under."""
    rows = await session.memory.rows(PLANS, task=state["work"]["id"], limit=MANY)
    return {str(row["idea"]): row for row in rows}


async def of_rules(state: State, session: Session) -> Origins:
    """Return what the rules that planned in a task were learned from."""
    return join(*map(of_kept, (await planned(state, session)).values()))


async def _log(state: State, session: Remembers, idea: Idea, row: JsonDict, *, stage: int) -> None:
    task = state["work"]["id"]
    kept = {key: row[key] for key in KEPT if key in row}
    await session.memory.log(
        PLANS, {"task": task, "idea": idea["id"], "stage": stage, **kept}, key=f"{task}:{idea['id']}"
    )


async def _likeness(session: Asks, cue: str, texts: Sequence[str]) -> list[float]:
    if not texts:
        return []
    rows = await session.embed(_bare(cue), *map(_bare, texts))
    return [float(value) for value in rows[1:] @ rows[0]]


def _sentences(text: str) -> list[str]:
    return [" ".join(text[span.start : span.end].split()) for span in sentences(text)]


def _masked(text: str, names: Sequence[str]) -> str:
    for slot, name in enumerate(names):
        text = re.sub(re.escape(name), OPEN.format(slot), text, flags=re.IGNORECASE)
    return text


def _filled(text: str, names: Sequence[str]) -> str:
    for slot, name in enumerate(names):
        text = text.replace(OPEN.format(slot), name)
    return _bare(text)


def _bare(text: str) -> str:
    return _MARK.sub("something", text)


def _visit(source: str, title: str, said: str) -> Proposal:
    call = ActionCall(name="visit", args={"source": source}, intent="")
    return Proposal(f"read: {title}", expected=said, action=call)


def _later(situation: str, after: int) -> Proposal:
    return Proposal(f"by rule: {situation}", expected=situation, needs=tuple(range(after)))
