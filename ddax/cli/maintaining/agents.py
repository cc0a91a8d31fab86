"""The commands `agents`: who took part, how far they are trusted, and what humans overrode."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.answer import override_line
from ddax.cli.backend import Opener, Output, home_of, opener_of, settings
from ddax.cli.looking.runs import known_run
from ddax.cli.options import JSON, VERBOSE
from ddax.cli.text import clean
from ddax.errors import UsageError
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.debate.living import Change
    from ddax.graph.counterfactual import Comparison
    from ddax.memory.agents.agent_store import AgentStore
    from ddax.types import JsonDict

BY = Annotated[str, typer.Option("--by", help="Who says so; each human has a standing.")]
SHOWN = 5
"""Newest dissents, overrides and moves of the trust that are shown; --json has all that is kept."""


def list_(
    topic: Annotated[
        str | None, typer.Option("--topic", help="Say who is likely to dissent well on this topic.")
    ] = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """List the agents with their trust, and what was fought over."""
    from ddax.memory.agents.influence import controversy, influences, metrics

    output, store = Output(json=json, verbose=verbose), agent_store()
    agents, now = store.all(), time.time()
    standing = store.standing(now)
    forecasts = _forecasts(agents, topic) if topic else []
    if json:
        rows = [{"name": name, **it, "flag": _flag(agents, name)} for name, it in standing.items()]
        output.result(
            {
                "agents": rows,
                "metrics": metrics(agents, now),
                "influence": [row._asdict() for row in influences(agents)],
                "controversy": controversy(agents),
                "forecasts": [vars(one) for one in forecasts],
            }
        )
        return
    if not agents:
        output.say("No agents yet. They appear when a run holds a debate or a human answers.")
        return
    for name, it in standing.items():
        flag = _flag(agents, name)
        role = it["role"] or "agent"
        output.say(f"{it['trust']:.2f}  {it['rounds']:>4} rounds  {clean(role, 20):<9} {clean(name, 80)}")
        if flag:
            output.say(f"      look at this: {flag}")
    for one in forecasts:
        tested = "" if one.brier is None else f", Brier {one.brier:.3f} (always ½: {one.brier_base:.3f})"
        output.say(f"{one.chance:.2f} chance of a good dissent: {clean(one.agent, 80)} (n={one.n}{tested})")
    output.say(_metric_line(metrics(agents, now)))
    for row in controversy(agents)[:SHOWN]:
        output.say(
            f"fought over: {clean(row['artifact'], 60)}: {amount(row['dissents'], 'dissent')}, "
            f"{amount(row['overrides'], 'override')}, {row['regrets']} regretted"
        )


def show(
    name: Annotated[str, typer.Argument(help="The agent, as `ddax agents list` names it.")],
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Show an agent: its trust and how it came about, its dissents, its overrides."""
    from ddax.memory.agents.agent_store import canonical
    from ddax.memory.agents.influence import influences

    output, store = Output(json=json, verbose=verbose), agent_store()
    agents = store.all()
    names = [str(agent["agent_name"]) for agent in agents]
    if canonical(name) not in names:
        raise UsageError(
            f"There is no agent {name[:80]!r}.",
            why="Nobody of this name took part in a run here.",
            mend="`ddax agents list` lists them.",
        )
    agent = store.load(name)
    moves = [row for row in influences(agents) if canonical(name) in (row.source, row.target)]
    if json:
        output.result({**_plain(agent), "influence": [row._asdict() for row in moves]})
        return
    for line in _shown(agent, store.trust(name)):
        output.say(line)
    for row in moves[:SHOWN]:
        output.say(
            f"  moved: {clean(row.source, 60)} → {clean(row.target, 60)} by {row.moved:.3f} (n={row.n})"
        )


def override(
    context: typer.Context,
    thread: Annotated[str, typer.Argument(help="The thread whose answer is overridden.")],
    decision: Annotated[str, typer.Option("--decision", help="What holds instead of the answer.")],
    by: BY = "human",
    lesson: Annotated[str, typer.Option("--lesson", help="What to look for; may change the rubric.")] = "",
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Override the answer of a thread; it stands unless it is reverted in time."""
    output, info = Output(json=json, verbose=verbose), known_run(thread)
    if not decision.strip():
        raise UsageError(
            "The decision is empty.",
            why="An override puts words in the place of the answer.",
            mend='Write: --decision "WHAT HOLDS INSTEAD"',
        )
    from ddax.debate.living import change_of
    from ddax.memory.agents.overrides import Overrides, human_name

    human_name(by)  # refused before anything is stored, as is a lesson that teaches nothing
    change = change_of(lesson) if lesson.strip() else None
    store = agent_store()
    made = asyncio.run(_answer_of(opener_of(context), info.thread_id))
    overrides, artifact = Overrides(store), f"answer:{info.thread_id}/{made['root']}"
    overrides.decide(artifact, decision, by=by)
    # The same decision is one override until it is regretted; taken again after that, it is another one.
    regretted = sum(one.entry["artifact"] == artifact and one.entry["regret"] for one in overrides.all())
    entry = overrides.log(
        made["agent"],
        round_id=f"{info.thread_id}/{made['root']}/answer{f'/{regretted + 1}' if regretted else ''}",
        context={"task": info.task[:200], "artifact_type": "answer", "thread": info.thread_id},
        agent_output=made["answer"], human_decision=decision, by=by, artifact=artifact,
    )  # fmt: skip
    proposal = _propose(store, entry, change) if change is not None else None
    if json:
        output.result({"override": entry, "proposal": proposal})
    output.say(f"Override {entry['id']} of {clean(made['agent'], 80)} by {clean(entry['human'], 80)}.")
    output.say(
        f"It stands unless reverted by {entry['auto_check_deadline']}: ddax agents revert {entry['id']}"
    )
    if proposal is not None:
        output.say(f"Rubric change {proposal['id']} is {proposal['status']}: ddax rubric show")


def revert(
    identity: Annotated[str, typer.Argument(metavar="ID", help="The override, or the beginning of its id.")],
    by: BY = "human",
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Revert an override: it is regretted at once."""
    from ddax.memory.agents.overrides import Overrides

    output, store = Output(json=json, verbose=verbose), agent_store()
    found = Overrides(store).revert(identity, by=by)
    trust = {name: round(store.trust(name), 4) for name in (found.agent, str(found.entry["human"]))}
    if json:
        output.result({"override": found.entry, "trust": trust})
    own = clean(found.entry["agent_output"], 200)
    output.say(f"Override {found.entry['id']} is regretted; in force again: {own}")
    output.say("; ".join(f"{clean(name, 80)} stands at {value:.2f}" for name, value in trust.items()))


def check(
    context: typer.Context,
    identity: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One override; default: all that are open.")
    ] = None,
    allow_effects: Annotated[
        bool, typer.Option("--allow-effects", help="Do also what writes or spends.")
    ] = False,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Run what the agent had chosen, from the fork, and settle the override by what comes out."""
    from ddax.memory.agents.overrides import Overrides

    output, overrides = Output(json=json, verbose=verbose), Overrides(agent_store())
    chosen = [overrides.get(identity)] if identity else [o for o in overrides.all() if _is_open(o.entry)]
    done = asyncio.run(_compare(opener_of(context), [str(o.entry["id"]) for o in chosen], allow_effects))
    if json:
        output.result({"checked": [vars(one) for one in done]})
    for one in done:
        verdict = "regretted" if one.regretted else "stands"
        shown = f"; shown, not done: {clean(', '.join(one.shown), 200)}" if one.shown else ""
        output.say(f"{one.override} {verdict}: own choice {one.own:.2f}, override {one.human:.2f}{shown}")
    if not done:
        output.say("No open override has a fork to check.")


def agent_store() -> AgentStore:
    """Return the agents of the home, with the settings of this call; makes nothing."""
    from ddax.memory.agents.agent_store import AgentStore
    from ddax.memory.home import Home

    bounds = settings(None).context.trust
    return AgentStore(
        Home(home_of()).agents, clock=time.time, formula=bounds.formula, regret_hours=bounds.regret_hours
    )


async def _answer_of(opener: Opener, thread: str) -> JsonDict:
    async with opener(None) as agent:
        state, result = await agent.state(thread), await agent.result(thread)
    if not state.get("answer"):
        raise UsageError(
            f"The thread {thread!r} has no answer yet.",
            why="Only an answer can be overridden.",
            mend=f"ddax resume {thread}",
        )
    model = str((known_run(thread).context or {}).get("model", "embedded"))
    return {"root": state["work"]["root"], "answer": result["answer"], "agent": model}


def _propose(store: AgentStore, entry: JsonDict, change: Change) -> JsonDict | None:
    """Propose to the rubric what the human taught; None where its standing does not carry it."""
    from ddax.cli.extending.rubric import rubrics

    bounds, human = settings(None).context.trust, str(entry["human"])
    why = f"override {entry['id']}"
    return rubrics().propose(
        bounds.rubric, change, by=human, standing=store.trust(human), why=why,
        propose_from=bounds.propose_from, apply_above=bounds.apply_above,
    )  # fmt: skip


async def _compare(opener: Opener, ids: list[str], allow_effects: bool) -> list[Comparison]:
    from ddax.graph.counterfactual import compare_override

    async with opener(None) as agent:
        return [await compare_override(agent, one, allow_effects=allow_effects) for one in ids]  # type: ignore[arg-type]


def _is_open(entry: JsonDict) -> bool:
    settled = entry["regret"] or entry["vindicated"] or "counterfactual" in entry
    return "work" in entry["context"] and not settled


def _forecasts(agents: list[JsonDict], topic: str) -> list[Any]:
    from ddax.memory.agents.agent_file import HUMAN
    from ddax.memory.agents.influence import forecast
    from ddax.memory.embeddings import open_embedder

    embedder = open_embedder()
    vector = embedder.embed([topic])[0]
    found = [forecast(a, vector, embedder.fingerprint) for a in agents if a["primary_role"] != HUMAN]
    return sorted(found, key=lambda one: (-one.chance, one.agent))


def _flag(agents: list[JsonDict], name: str) -> str:
    return next(str(agent["flag"]) for agent in agents if agent["agent_name"] == name)


def _plain(agent: JsonDict) -> JsonDict:
    """Return an agent's file without what is for machines only."""
    heard = [{k: v for k, v in e.items() if k != "embedding"} for e in agent["dissent_history"]]
    return {**{k: v for k, v in agent.items() if k != "seen"}, "dissent_history": heard}


def _shown(agent: JsonDict, trust: float) -> Iterator[str]:
    by = ", ".join(f"{name} {value:.2f}" for name, value in agent["trust_by_formula"].items())
    rounds = agent["rounds_participated"]
    yield f"{clean(agent['agent_name'], 300)}: trust {trust:.2f} ({by}), {amount(rounds, 'round')}"
    if agent["flag"]:
        yield f"  look at this: {agent['flag']}"
    stats = agent["long_term_stats"]
    yield (
        f"  90 days: depth {stats['avg_dissent_depth_last_90d']:.2f}, "
        f"impact {stats['dissent_impact_ratio_last_90d']:.2f}, regret {stats['regret_rate_last_90d']:.2f}, "
        f"{amount(stats['total_overrides'], 'override')} in all"
    )
    for row in agent["trust_score_history"][-SHOWN:]:
        yield f"  {row['timestamp']}  {row['score']:.3f}  {row['reason']}"
    for row in agent["dissent_history"][-SHOWN:]:
        right = {True: "right", False: "wrong", None: "open"}[row["verified_better"]]
        yield f"  dissent ({right}, depth {row['depth_score']:.2f}): {clean(row['dissent_text'], 160)}"
    for row in agent["override_history"][-SHOWN:]:
        yield override_line(row)


def _metric_line(found: JsonDict) -> str:
    def part(name: str) -> str:
        return "-" if found[name] is None else f"{found[name]:.2f}"

    return (
        f"dissent impact {part('dissent_impact')} of {found['dissents']}, "
        f"regret rate {part('regret_rate')} of {found['overrides']}, "
        f"escalations useful {part('escalation_usefulness')} of {found['escalations']}"
    )
