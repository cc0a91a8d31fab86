"""What becomes of a run when its model fails: the batteries L1 to L9, each over real HTTP on loopback.

A case is held when it ends in the answer it must, or in our own error with a remedy, within three calls.
A whole run ends right (done, every sentence and quote as it stands in the sources), told (no answer, or
a part of one, with what failed and how to mend it), or wrong; a "not found" where the model failed is wrong.
"""

from __future__ import annotations

import asyncio
import dataclasses
import re
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.core import Figure, Options, Result, Target, bootstrap
from benchmarks.parallel import TASK, model_at

if TYPE_CHECKING:
    from benchmarks.fault_cases import Wanted
    from ddax.memory.protocol import Embedder
    from ddax.reasoning.language import LanguageReasoner

NAME = "faults"
DESCRIPTION = "a failing model: statuses, broken bodies, replies cut at every byte, outages, bad embeddings"
MODEL = "openai:rote"
CALLS = 3
LATE = 1.10
DEADLINE = 1.0
SHARES = (0.05, 0.2, 0.5)
"""Shares of faulty replies in whole runs."""
FEW, RIGHT = 0.05, 0.9
"""At this share of faults, so many runs must end right."""
MEND = re.compile(r"\b(again|check|choose|rephrase|try|wait)\b", re.IGNORECASE)

End = Literal["right", "told", "wrong"]
T = TypeVar("T")


class Fate(NamedTuple):
    """What became of a case: whether it held, why not, and how many calls it took."""

    battery: str
    held: bool
    why: str
    calls: int


class RunFate(NamedTuple):
    """What became of a whole run: its end, why it is wrong, and how many calls it took."""

    end: End
    why: str
    calls: int


def run(options: Options) -> Result:
    """Run every battery; whole runs (L6) under 5, 20 and 50 % of faults."""
    fates = asyncio.run(single(every=23 if options.quick else 1))
    most = max(fate.calls for fate in fates)
    late, silent = asyncio.run(silences())
    seeds = 20 if options.quick else 50
    runs = {share: mixed(share, seeds) for share in SHARES}
    fates += silent + asyncio.run(outage()) + embeddings()
    count, held = Counter(f.battery for f in fates), Counter(f.battery for f in fates if f.held)
    figures = [
        Figure(f"{name}: cases held", held[name] / count[name], "", Target(">=", 1.0), n=count[name])
        for name in sorted(count)
    ]
    figures += [
        Figure("L1 to L5, L8: most calls of one request", most, "calls", Target("<=", CALLS)),
        Figure("L2: latest end after the deadline", late, "of the deadline", Target("<=", LATE)),
        *(figure for share, ends in runs.items() for figure in _ends(share, ends)),
        Figure(
            "L6: most calls of a run, over those of a clean one",
            max(one.calls for ends in runs.values() for one in ends) / clean_calls(),
            "times", Target("<=", 3.0), n=seeds * len(SHARES),
        ),
    ]  # fmt: skip
    lost = [f"{f.battery} not held: {f.why}" for f in fates if not f.held][:10]
    wrong = [f"L6 at {s:.0%}, wrong: {one.why}" for s, ends in runs.items() for one in ends if one.why][:10]
    return Result(NAME, tuple(figures), tuple(range(seeds)), 1, (
        "held: the answer that must come, or our own error that says how to mend it",
        "L6: what a whole run asks for once (a plan, the last merge) ends it where the fault is one that is "
        "not asked again: a refusal, HTTP 400, a page instead of a reply",
        *lost, *wrong,
    ))  # fmt: skip


def _ends(share: float, runs: Sequence[RunFate]) -> list[Figure]:
    """Return how many runs ended right, how many said what failed, and how many did neither."""
    right = bootstrap([float(one.end == "right") for one in runs])
    name, n = f"L6, {share:.0%} of faults", len(runs)
    told, wrong = (sum(one.end == end for one in runs) / n for end in ("told", "wrong"))
    least = Target(">=", RIGHT) if share == FEW else None
    return [
        Figure(f"{name}: done, and right", right.value, "", least, right.low, right.high, n),
        Figure(f"{name}: failed, and says how to mend it", told, n=n),
        Figure(f"{name}: wrong, or without a way to mend it", wrong, "", Target("<=", 0.0), n=n),
    ]


def _reasoner(**limits: Any) -> LanguageReasoner:
    from ddax.configs.prices import load_providers
    from ddax.reasoning.factory import open_model
    from ddax.reasoning.language import LanguageReasoner, Limits

    async def no_wait(seconds: float) -> None:
        if seconds > Limits().deadline:
            raise RuntimeError(f"a wait of {seconds} s")

    bounds = Limits(**limits)
    return LanguageReasoner.over(
        open_model(MODEL, limits=bounds, providers=load_providers()), name=MODEL, prices={},
        clock=time.monotonic, rng=np.random.default_rng(0), limits=bounds, key="OPENAI_API_KEY",
        sleep=no_wait,
    )  # fmt: skip


async def single(*, every: int) -> list[Fate]:
    """Put each case of L1 to L5 and L8 to a reasoner with a closed circuit."""
    from benchmarks.fault_cases import REQUESTS, all_cases
    from ddax.reasoning.testing import FakeOpenAI

    fates = []
    with FakeOpenAI() as server, model_at(server.base_url):
        reasoner = _reasoner(breaker_failures=10**9)
        whole = {}
        for method, (request, good) in REQUESTS.items():
            server.add(good)
            whole[method] = await getattr(reasoner, method)(request)
        for case in all_cases(every):
            server.replies[:], server.requests[:] = list(case.says), []
            ended = await _ended(getattr(reasoner, case.method)(REQUESTS[case.method][0]))
            why = _why(ended, whole[case.method], case.end)
            fates.append(Fate(case.battery, not why, f"{case.name}: {why}", len(server.requests)))
        await reasoner.close()
    return fates


async def _ended(asked: Awaitable[T]) -> T | Exception:
    """Return the reply or the error a request ended in."""
    try:
        return await asked
    except Exception as error:  # what escapes is what is counted here
        return error


def _why(ended: Any, whole: Any, end: Wanted) -> str:
    """Say why a request did not end as it should; empty where it did."""
    from ddax.errors import ReasonerError

    if isinstance(ended, Exception):
        if not isinstance(ended, ReasonerError):
            return f"{type(ended).__name__}: {str(ended)[:120]}"
        if "error" not in end:
            return f"it failed: {str(ended)[:120]}"
        return "" if ended.mend else "the error has no remedy"
    if end == "error":
        return "a bad reply was taken for an answer"
    if end == "whole":
        return "" if _content(ended) == _content(whole) else "the answer is not the whole one"
    said, known = (set(_texts(list(_content(reply).values()))) for reply in (ended, whole))
    return f"it says what the whole reply does not: {sorted(said - known)}" if said - known else ""


def _content(reply: Any) -> dict[str, Any]:
    return {key: value for key, value in vars(reply).items() if key != "usage"}


def _texts(value: Any) -> Iterator[str]:
    """Return the texts of a reply and of what it holds."""
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, Mapping):
        yield from _texts(list(value.values()))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif dataclasses.is_dataclass(value):
        yield from _texts(list(vars(value).values()))


async def silences() -> tuple[float, list[Fate]]:
    """L2: servers that refuse, hang, drip, or are not there; all must end at the deadline."""
    from benchmarks.fault_cases import PREDICT

    over = asyncio.Event()

    async def hang(reader: Any, writer: Any) -> None:
        await over.wait()
        writer.close()

    async def drip(reader: Any, writer: Any) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        while not over.is_set():
            writer.write(b"{")
            await asyncio.sleep(0.2)
        writer.close()

    async def slam(reader: Any, writer: Any) -> None:
        writer.close()

    late, fates = 0.0, []
    cases = {"hangs": hang, "drips": drip, "slams": slam, "refuses": None, "tls": slam, "dns": None}
    for name, handler in cases.items():
        server = await asyncio.start_server(handler or slam, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        if handler is None:
            server.close()
        scheme, host = (
            ("https" if name == "tls" else "http"),
            ("no.such.invalid" if name == "dns" else "127.0.0.1"),
        )
        with model_at(f"{scheme}://{host}:{port}/v1"):
            reasoner = _reasoner(deadline=DEADLINE, attempt_seconds=0.6)
            began = time.monotonic()
            why = _why(await _ended(reasoner.predict(PREDICT)), None, "error")
            late = max(late, (time.monotonic() - began) / DEADLINE)
            await reasoner.close()
        server.close()
        fates.append(Fate("L2", not why, f"{name}: {why}", 1))
    over.set()
    await asyncio.sleep(0.3)  # for the last drop
    return late, fates


def mixed(share: float, seeds: int) -> list[RunFate]:
    """L6: whole runs in which a share of the replies is a fault, drawn by seed."""
    return [asyncio.run(whole(np.random.default_rng(seed), share)) for seed in range(seeds)]


def clean_calls() -> int:
    """Return the calls of a run without faults."""
    return asyncio.run(whole(np.random.default_rng(0), 0.0)).calls


async def whole(rng: np.random.Generator, share: float, embedder: Embedder | None = None) -> RunFate:
    """Run a task over four pages that answer it, with a share of faulty replies."""
    from ddax import open_agent
    from ddax.configs.settings import Context
    from ddax.errors import DdaxError
    from ddax.graph.services import Parts
    from ddax.reasoning import rote
    from ddax.reasoning.testing import FakeOpenAI, Say

    bad = (
        Say("busy", status=503), Say("no", status=429, headers={"retry-after": "0"}),
        Say('{"children": [{"ti'), Say("I cannot help."), Say(raw=b"<html>"), Say("", refusal="no"),
        Say({"x": 1}, cut=True),
        Say("no", status=400), Say("", finish_reason="length"),
    )  # fmt: skip
    faulty = iter(rng.random(10_000))
    kinds = iter(rng.integers(0, len(bad), 10_000))

    def answer(body: dict[str, Any]) -> Any:
        return bad[next(kinds)] if next(faulty) < share else rote.reply(body)

    with (
        tempfile.TemporaryDirectory() as folder,
        FakeOpenAI(answer=answer) as server,
        model_at(server.base_url),
    ):
        sources = Path(folder) / "docs"
        sources.mkdir()
        for n in range(4):
            (sources / f"{n}.md").write_text(
                f"# Harbour {n}\n\nThe harbour {n} of Belmark was built in 180{n}.\n"
            )
        context = Context.model_validate({
            "model": MODEL, "sources": [str(sources)], "budget": {"max_reads": 3},
            "models": {"cache": False, "first_search": False, "pass_on": 0, "quote_below": 0},
            "debate": {"ask": "always"},
        })  # fmt: skip
        parts = Parts(embedder=embedder) if embedder else None
        try:
            async with open_agent(context, home=Path(folder) / "home", parts=parts) as agent:
                result = await agent.run(TASK, thread="t")
            end, why = judged(result, [path.read_text() for path in sources.iterdir()])
        except DdaxError as error:
            end, why = ("told", "") if error.mend else ("wrong", f"no remedy: {error}")
        except Exception as error:  # what escapes is what is counted here
            end, why = "wrong", f"{type(error).__name__}: {error}"[:150]
        return RunFate(end, why, len(server.requests))


def judged(result: Mapping[str, Any], pages: Sequence[str]) -> tuple[End, str]:
    """Return how a run ended whose pages answer it, and why that is wrong."""
    answer, quotes = result["answer"], [str(c["quote"]) for c in result["citations"]]
    said = [line for line in re.split(r"(?<=[.!?])\s+", answer) if line] if quotes else []
    if not all(any(text in page for page in pages) for text in [*quotes, *said]):
        return "wrong", f"it says what no page says: {answer[:120]}"
    if result["status"] == "done":
        return ("right", "") if quotes else ("wrong", f"done without a citation: {answer[:120]}")
    if result["status"] not in ("failed", "stopped"):
        return "wrong", f"it ended as {result['status']}"
    if answer.lower().startswith("not found") or "not found" in result["stop_reason"]:
        return "wrong", f"not found, where the model failed: {answer[:120]}"
    causes = [str(failure["cause"]) for failure in result["failures"]]
    mute = [cause for cause in causes if not MEND.search(cause)]
    if mute or not causes:
        return "wrong", f"no way to mend it is named: {(mute or [answer])[0][:120]}"
    return "told", ""


async def outage() -> list[Fate]:
    """L7: one of two providers is down; the other answers, after three failures without asking the first."""
    from benchmarks.fault_cases import FORECAST, PREDICT
    from ddax.configs.settings import Models
    from ddax.reasoning.factory import open_reasoner
    from ddax.reasoning.language import Limits
    from ddax.reasoning.testing import FakeOpenAI, Say

    fates = []
    for status in (401, 404, 429, 500, 503):

        def answer(body: dict[str, Any], status: int = status) -> Any:
            return Say("down", status=status) if body["model"] == "first" else FORECAST

        with FakeOpenAI(answer=answer) as server, model_at(server.base_url):
            reasoner = open_reasoner(
                "openai:first", embedder=None, prices={}, clock=time.monotonic,  # type: ignore[arg-type]
                models=Models(fallbacks=("openai:second",), cache=False), limits=Limits(first_wait=0.0),
            )  # fmt: skip
            replies = [await _ended(reasoner.predict(PREDICT)) for _ in range(4)]
            told = [dict(r.usage.models) for r in replies if not isinstance(r, Exception)]
            held = len(told) == 4 and all(row.get("openai:second") == 1 for row in told)
            if status >= 429:
                held = held and "openai:first" not in told[-1]
            fates.append(Fate("L7", held, f"{status}: {told}", 1))
            await reasoner.close()  # type: ignore[attr-defined]
    return fates


class BadEmbedder:
    """An embedder that fails in one way from its `after`-th call on."""

    def __init__(self, way: str, after: int) -> None:
        from ddax.memory.embeddings import open_embedder

        self._inner, self._way, self._left = open_embedder(), way, after
        self.name, self.fingerprint, self.dim = self._inner.name, self._inner.fingerprint, self._inner.dim

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed, or fail."""
        from ddax.errors import ReasonerError

        rows = self._inner.embed(texts)
        self._left -= 1
        if self._left >= 0:
            return rows
        if self._way == "429":
            raise ReasonerError("the embedder is busy: HTTP 429.")
        changed: dict[str, NDArray[np.float32]] = {
            "dimension": rows[:, :-1], "NaN": rows * np.nan, "zero": rows * 0,
            "count": np.vstack([rows, rows]),
        }  # fmt: skip
        return changed[self._way]


def embeddings() -> list[Fate]:
    """L9: vectors of a wrong size or number, NaN, zero, and a busy provider, at once or in the middle."""
    fates = []
    for way in ("dimension", "NaN", "zero", "count", "429"):
        for after in (0, 5):
            found = asyncio.run(whole(np.random.default_rng(0), 0.0, BadEmbedder(way, after)))
            fates.append(Fate("L9", found.end == "right", f"{way}: {found.end} {found.why}", found.calls))
    return fates
