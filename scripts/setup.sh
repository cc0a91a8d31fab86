#!/usr/bin/env bash
# Set up .venv from the lock files: setup.sh base|dev. Instant when nothing has changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
kind="${1:?usage: setup.sh base|dev}"
stamp=".venv/.ddax-stamp"

find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3.13 python3.12 python3.11 python3; do
    [ -n "$candidate" ] || continue
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' \
      >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  echo "ddax needs Python 3.11, 3.12 or 3.13 (with venv); none was found. Name one: make PYTHON=/path/to/python3.12" >&2
  return 1
}

# The folder is part of the mark: a .venv that was moved with its checkout is made anew.
mark() { # mark KIND
  { echo "$1"; pwd; cat pyproject.toml scripts/tools.lock requirements.lock requirements-dev.lock; } |
    cksum | tr ' ' '-'
}

wanted="$(mark "$kind")"
if [ -f "$stamp" ] && [ -x .venv/bin/python ]; then
  have="$(cat "$stamp")"
  # The tests' environment holds all of the base.
  if [ "$have" = "$wanted" ] || [ "$have" = "$(mark dev)" ]; then exit 0; fi
fi

bash scripts/system.sh

lock="requirements.lock"
if [ "$kind" = "dev" ]; then lock="requirements-dev.lock"; fi
# Kept: a .venv half made by an interrupted set-up, or made by hand. Not kept: one of another folder.
usable() {
  [ -x .venv/bin/python ] && [ "$(cat .venv/.ddax-folder 2>/dev/null || pwd)" = "$(pwd)" ] &&
    .venv/bin/python -c 'import sys, pip; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null
}
if ! usable; then
  python="$(find_python)"
  echo "ddax: making .venv with $("$python" --version)"
  "$python" -m venv --clear .venv
  pwd > .venv/.ddax-folder
fi
rm -f "$stamp"
if [ ! -x .venv/bin/uv ]; then
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r scripts/tools.lock
fi
echo "ddax: installing from $lock"
if ! .venv/bin/python scripts/uv_as_pip.py .venv/bin/uv pip sync --quiet --python .venv/bin/python --require-hashes \
  --link-mode "${UV_LINK_MODE:-copy}" scripts/tools.lock "$lock"; then
  echo "ddax: uv could not (above); pip tries, which takes minutes" >&2
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r scripts/tools.lock -r "$lock"
fi
.venv/bin/uv pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation --offline -e .
# uv leaves no bytecode, and where Python is told to write none, every start would compile a thousand modules.
compile_ahead() { # compile_ahead IMPORTS
  # onnxruntime makes ready to tell its maker of every import, unless it is told not to.
  ORT_DISABLE_TELEMETRY=1 PYTHONDONTWRITEBYTECODE="" .venv/bin/python -W ignore -c "$1" ||
    echo "ddax: not everything could be compiled ahead; the first start does it" >&2
}
compile_ahead 'import chromadb, onnxruntime, tokenizers
import ddax.actions.sources, ddax.cli.app, ddax.cli.running.demo, ddax.cli.patch, ddax.cli.running.work, ddax.evolution.repair
import ddax.graph.runner, ddax.graph.session.collaborators, ddax.memory.store.chroma, ddax.memory.store.namespace
import ddax.reasoning.embedded.reasoner, ddax.reasoning.factory'
if [ "$kind" = "dev" ]; then
  compile_ahead 'import hypothesis, mcp, playwright.async_api, pytest, pytest_asyncio, xdist.plugin'
fi
echo "$wanted" > "$stamp"
