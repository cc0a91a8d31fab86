#!/usr/bin/env bash
# The demo with a paid model: shows that key, wire format, prices and caps hold. Under 0.05 USD.
set -euo pipefail
cd "$(dirname "$0")/.."
model="${DDAX_SMOKE_MODEL:-openai:gpt-4.1-nano}"
if [ -z "${OPENAI_API_KEY:-}" ]; then
  echo "smoke-openai: OPENAI_API_KEY is not set, so nothing was run and nothing was paid." >&2
  echo "smoke-openai: export OPENAI_API_KEY=... and run it again; it asks $model for at most 0.05 USD." >&2
  exit 2
fi
bash scripts/setup.sh base
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
DDAX_HOME="$home" .venv/bin/python -m ddax demo --model "$model" --max-usd 0.05 --json > "$home/result.json" || code=$?
exec .venv/bin/python scripts/smoke_report.py "$home/result.json" "${code:-0}"
