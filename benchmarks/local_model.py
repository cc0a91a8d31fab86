"""The real language model of this machine, for the benchmarks that ask one."""

from __future__ import annotations

import json
import os
import urllib.request
from pathlib import Path
from typing import Any

LOCAL = "~/.cache/ddax-models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
LOCAL_FILE = Path(os.environ.get("DDAX_BENCH_MODEL", LOCAL)).expanduser()
URL = "DDAX_BENCH_URL"
"""Names a server of the model that runs already, without its `/v1`."""


def missing() -> str:
    """Return why there is no model to ask; "" where there is one."""
    if URL in os.environ or LOCAL_FILE.is_file():
        return ""
    return f"no {LOCAL_FILE.name} on this machine (ddax models get), and no {URL}"


def setting() -> dict[str, Any] | str:
    """Return the setting `model` that asks it; a slow machine is waited for."""
    if address := os.environ.get(URL):
        return {
            "name": "openai:local",
            "base_url": f"{address}/v1",
            "idle_seconds": 900,
            "total_seconds": 3600,
        }
    return f"gguf:{LOCAL_FILE}"


def named() -> str:
    """Return the model's name, as its server tells it where one runs."""
    if address := os.environ.get(URL):
        with urllib.request.urlopen(f"{address}/v1/models", timeout=60) as reply:
            return Path(json.load(reply)["data"][0]["id"]).stem
    return LOCAL_FILE.stem
