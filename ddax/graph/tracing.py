"""OpenTelemetry for a run, where the environment names an endpoint: a span a node, a span a model call.

The spans are OpenInference's, made by its instrumentation of LangChain (extra `otel`); this file only
switches it on and off. LangSmith needs nothing of ours: LangGraph reads its variables itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
SECONDS = 5
"""How long the last spans may take to be sent."""
log = logging.getLogger("ddax")


def wanted(environ: Mapping[str, str]) -> bool:
    """Tell whether the environment asks for traces."""
    off = environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return not off and any(environ.get(name, "").strip() for name in ENDPOINTS)


@asynccontextmanager
async def traced(environ: Mapping[str, str]) -> AsyncIterator[None]:
    """Trace what runs inside, where the environment asks for it; the last spans are sent at the end."""
    opened = await asyncio.to_thread(_open, environ) if wanted(environ) else None
    try:
        yield
    finally:
        if opened is not None:
            await asyncio.to_thread(_close, *opened)


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


def _close(instrumentor: Any, provider: Any) -> None:
    instrumentor.uninstrument()
    if not provider.force_flush(SECONDS * 1000):
        log.warning("some traces were not sent: the endpoint did not answer in %d s", SECONDS)
    provider.shutdown()
