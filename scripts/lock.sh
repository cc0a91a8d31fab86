#!/usr/bin/env bash
# Write the lock files from pyproject.toml: every version and hash, no index address.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
uv="${UV:-.venv/bin/uv}"

compile() { # compile OUT ARGS...
  local out="$1"
  shift
  "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
    --no-emit-find-links --no-annotate --no-header --override scripts/lock-overrides.txt "$@" -o "$out"
}

# The tests' set is the narrower one, so it is solved first and the base is a part of it.
compile requirements-dev.lock --extra dev pyproject.toml
compile requirements.lock --constraint requirements-dev.lock pyproject.toml
compile scripts/tools.lock --constraint requirements-dev.lock scripts/tools.in

if grep -nE '://|^torch' requirements.lock requirements-dev.lock scripts/tools.lock; then
  echo "lock: an address or torch stands in a lock file (above)" >&2
  exit 1
fi
