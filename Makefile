# Two commands matter: `make demo` and `make test`. Each sets everything up; a second run is instant.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# Relative on purpose: the checkout may lie in a folder with a space in its name.
PY := .venv/bin/python
# What tests and benchmarks import is compiled once, and not by every process of theirs anew.
COMPILED := PYTHONDONTWRITEBYTECODE=
# The slow tests stand together, so one worker is given most of them: the other takes some over when it is done.
DEALT := --dist worksteal

.PHONY: help setup system demo smoke-openai test test-long test-model unit check wheel weight stats docs lock bench bench-quick bench-each mutation setup-bench clean

help:  ## list the targets
	@grep -hE '^[a-z-]+: *.*## ' Makefile | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 14

setup:  ## make .venv with everything for the tests
	@bash scripts/setup.sh dev

system:  ## install bubblewrap and chromium where that needs no password
	@bash scripts/system.sh

demo:  ## run the main job: no key, no network
	@bash scripts/setup.sh base
	@$(PY) -m ddax demo

smoke-openai:  ## run the demo with a paid model, for under 0.05 USD; needs OPENAI_API_KEY
	@bash scripts/smoke_openai.sh

test: setup  ## run the tests but the long batteries (about 30 minutes on 2 cores)
	@$(COMPILED) $(PY) -m pytest -q -n "$${PYTEST_WORKERS:-2}" $(DEALT) -m 'not long' tests

test-long: setup  ## run the long batteries: kills, soak, secrets, attacks on the page, every page of the docs
	@$(COMPILED) $(PY) -m pytest -q -n "$${PYTEST_WORKERS:-2}" $(DEALT) -m long tests

test-model: setup  ## run the tests with a real model on this machine (`ddax models get qwen2.5-coder-1.5b`)
	@nice $(PY) -m pytest -q -n 0 -rs tests/integration/test_model_real.py

unit: setup  ## run the fast tests
	@$(COMPILED) $(PY) -m pytest -q -n "$${PYTEST_WORKERS:-2}" $(DEALT) tests/unit

# The two checks of types run beside each other: each takes half a minute of one core.
check: setup  ## lint, format, types, import contract, the site with its links
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy & status=0; $(PY) -m pyright --pythonpath $(PY) || status=$$?; wait $$! && exit $$status
	@PYTHONPATH=. $(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict

wheel: setup  ## build the wheel into dist/
	@$(PY) -m hatchling build -t wheel

weight: setup  ## measure what the base install weighs, in a fresh environment
	@$(PY) scripts/weight.py

stats: setup  ## print the size of the code: lines, functions, files a folder, parameters
	@$(PY) scripts/stats.py ddax tests

docs: setup  ## build the documentation into site/, every link checked
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict
	@echo "open site/index.html"

lock:  ## write the lock files anew
	@bash scripts/setup.sh dev
	@bash scripts/lock.sh

bench: setup-bench  ## print the table of the README, beside the peers (about 30 minutes); the first run installs them
	@$(COMPILED) $(PY) -m benchmarks peers

bench-quick: setup-bench  ## the same in its short form (under 10 minutes)
	@$(COMPILED) $(PY) -m benchmarks peers --quick

bench-each: setup-bench  ## run every benchmark in its short form; those that could not run are listed at the end
	@failed=""; for name in $$($(PY) -m benchmarks --names); do \
	  $(COMPILED) $(PY) -m benchmarks "$$name" --quick || failed="$$failed $$name"; \
	done; [ -z "$$failed" ] || { echo "not run to their end:$$failed" >&2; exit 1; }

mutation: setup-bench  ## put small faults into the mathematics and print how many the tests find
	@nice $(PY) -m benchmarks mutation

setup-bench: setup  ## add to .venv what every benchmark needs
	@$(PY) -c 'import matplotlib, plotly, treequest, gymnasium, mutmut' 2>/dev/null || \
	  $(PY) scripts/uv_as_pip.py .venv/bin/uv pip install --quiet --python $(PY) --no-build-isolation \
	    --constraint requirements-dev.lock -e '.[bench]' || echo "the extra bench could not be installed: no plots" >&2

clean:  ## remove .venv, caches and builds; .ddax (your runs) stays
	@rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .langgraph_api site benchmarks/plots .mutants
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
