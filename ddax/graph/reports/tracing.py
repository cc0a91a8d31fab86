"""OpenTelemetry for a run, where the environment names an endpoint: a span a node, a span a model call.

The spans are OpenInference's, made by its instrumentation of LangChain (extra `otel`); this file only
switches it on and off. LangSmith needs nothing of ours: LangGraph reads its variables itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from threading import Lock
from typing import Any

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
SECONDS = 5
"""How long the last spans may take to be sent."""
log = logging.getLogger("ddax")


def wanted(environ: Mapping[str, str]) -> bool:
    """Tell whether the environment asks for traces."""
    off = environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return not off and any(environ.get(name, "").strip() for name in ENDPOINTS)


@dataclass
class _Sending:
    """What sends the spans of this process: LangChain is instrumented once, however many agents are open."""

    lock: Lock = field(default_factory=Lock)
    users: int = 0
    opened: tuple[Any, Any] | None = None


_SENDING = _Sending()


@asynccontextmanager
async def traced(environ: Mapping[str, str]) -> AsyncIterator[None]:
    """Trace what runs inside, where the environment asks for it; the last spans are sent at the end."""
    ours = wanted(environ) and await asyncio.to_thread(_begin, environ)
    try:
        yield
    finally:
        if ours:
            await asyncio.to_thread(_end)


def _begin(environ: Mapping[str, str]) -> bool:
    """Count one more agent that is traced; False where none can be."""
    with _SENDING.lock:
        if _SENDING.opened is None:
            _SENDING.opened = _open(environ)
        _SENDING.users += _SENDING.opened is not None
        return _SENDING.opened is not None


def _end() -> None:
    """Send what is left, and switch the instrumentation off behind the last agent."""
    with _SENDING.lock:
        assert _SENDING.opened is not None
        instrumentor, provider = _SENDING.opened
        _SENDING.users -= 1
        last = _SENDING.users == 0
        if last:
            _SENDING.opened = None
            instrumentor.uninstrument()
        if not provider.force_flush(SECONDS * 1000):
            log.warning("some traces were not sent: the endpoint did not answer in %d s", SECONDS)
        if last:
            provider.shutdown()


def _open(environ: Mapping[str, str]) -> tuple[Any, Any] | None:
    """Switch the instrumentation on; None where it is missing, or the program has its own already."""
    try:
        instrumentor = import_module("openinference.instrumentation.langchain").LangChainInstrumentor()
        sdk, resources = (
            import_module("opentelemetry.sdk.trace"),
            import_module("opentelemetry.sdk.resources"),
        )
        export = import_module("opentelemetry.sdk.trace.export")
        otlp = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    except ImportError as error:
        log.warning("no traces: %s is not installed. Install it: pip install 'ddax[otel]'", error.name)
        return None
    if instrumentor.is_instrumented_by_opentelemetry:
        return None
    name = environ.get("OTEL_SERVICE_NAME", "").strip() or "ddax"
    provider = sdk.TracerProvider(resource=resources.Resource.create({"service.name": name}))
    seconds = float(environ.get("OTEL_EXPORTER_OTLP_TIMEOUT", "") or SECONDS)
    provider.add_span_processor(export.BatchSpanProcessor(otlp.OTLPSpanExporter(timeout=seconds)))
    instrumentor.instrument(tracer_provider=provider)
    return instrumentor, provider
