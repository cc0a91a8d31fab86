"""A run sends its spans to a collector that the environment names, and needs none."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from ddax import open_agent
from ddax.configs.settings import Context
from ddax.graph.reports.tracing import wanted
from ddax.reasoning import rote
from ddax.reasoning.testing import FakeOpenAI, Say
from ddax.testing import QUESTION, small_agent

pytestmark = pytest.mark.integration


@pytest.fixture
def spans(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Collect what a run sends, in a collector on the loopback address."""
    pytest.importorskip("openinference.instrumentation.langchain", reason="needs the extra otel")
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    found: list[Any] = []

    def collect(request: Request) -> Response:
        for part in ExportTraceServiceRequest.FromString(request.get_data()).resource_spans:
            found.extend((part.resource, span) for scope in part.scope_spans for span in scope.spans)
        return Response(b"", content_type="application/x-protobuf")

    httpserver.expect_request("/v1/traces", method="POST").respond_with_handler(collect)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", httpserver.url_for("").rstrip("/"))
    monkeypatch.delenv("OTEL_SDK_DISABLED", raising=False)
    yield found


async def test_each_node_is_a_span_of_one_trace(spans: list[Any], tmp_path: Path) -> None:
    async with small_agent(tmp_path) as agent:
        assert (await agent.run(QUESTION, thread="traced"))["status"] == "done"
    assert {"open_task", "select", "expand", "act", "evaluate", "close"} <= {span.name for _, span in spans}
    assert len({span.trace_id for _, span in spans}) == 1
    names = {
        a.value.string_value for resource, _ in spans for a in resource.attributes if a.key == "service.name"
    }
    assert names == {"ddax"}


async def test_each_call_of_a_model_is_a_span_below_its_node(
    spans: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "harbour.md").write_text("# Belmark\n\nThe harbour of Belmark was built in 1804.\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-the-test-alone")
    with FakeOpenAI(answer=lambda body: Say(rote.reply(body))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        context = Context(model="openai:gpt-4.1-mini", sources=(str(tmp_path / "harbour.md"),))
        async with open_agent(context, home=tmp_path / "home") as agent:
            await agent.run("When was the harbour of Belmark built?")
    known = {span.span_id: span for _, span in spans}
    kinds = {"openinference.span.kind": "LLM"}
    calls = [
        span for span in known.values()
        if any(kinds.get(a.key) == a.value.string_value for a in span.attributes)
    ]  # fmt: skip
    assert len(calls) == len(server.requests) > 0
    for call in calls:
        assert known[call.parent_span_id].name in {"expand", "act", "evaluate", "merge", "reflect"}
        told = {a.key: a.value for a in call.attributes}
        assert told["llm.token_count.prompt"].int_value == 100
        assert "sk-a-key" not in str(call)


async def test_an_agent_that_closes_leaves_the_traces_of_another_alone(
    spans: list[Any], tmp_path: Path
) -> None:
    async with small_agent(tmp_path / "one") as one:
        async with small_agent(tmp_path / "other") as other:
            assert (await other.run(QUESTION))["status"] == "done"
        sent = len(spans)
        assert sent > 0
        assert (await one.run(QUESTION))["status"] == "done"
    assert len(spans) == 2 * sent
    from openinference.instrumentation.langchain import LangChainInstrumentor

    assert not LangChainInstrumentor().is_instrumented_by_opentelemetry


async def test_nothing_is_sent_when_it_is_switched_off(
    spans: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    async with small_agent(tmp_path) as agent:
        await agent.run(QUESTION)
    assert spans == []


async def test_a_missing_package_is_said_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "openinference.instrumentation.langchain", None)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    with caplog.at_level(logging.WARNING, logger="ddax"):
        async with small_agent(tmp_path) as agent:
            assert (await agent.run(QUESTION))["status"] == "done"
    assert "pip install 'ddax[otel]'" in caplog.text


def test_only_an_endpoint_turns_it_on() -> None:
    assert not wanted({})
    assert not wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_SDK_DISABLED": "TRUE"})
    assert wanted({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://a/v1/traces"})
