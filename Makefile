# `make run` and `make test` set up all that they need; `make check` is for every day.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
ASSETS := .cache/assets/.fetched
SOURCES := .cache/sources/tabulate-0.9.0.tar.gz
PYTHONS := python3.11 python3.12 python3.13 python3.14 python3
# The first Python that is new enough.
PYTHON ?= $(shell for name in $(PYTHONS); do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$name; break; }; done)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: help run approve demo-clean dev test check lint types contracts bench bench-scale docs lock \
	clean

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

run: $(INSTALLED) ## Investigate a real crash, up to a proposal that waits for your yes
	@$(BIN)/python examples/demo.py run

approve: $(INSTALLED) ## Post what `make run` proposed to the stand-in for GitHub
	@$(BIN)/python examples/demo.py approve

demo-clean: ## Forget what `make run` and `make approve` did
	@rm -rf .cache/demo

dev: $(INSTALLED_DEV) $(ASSETS) $(SOURCES) ## Set up everything that developers need

test: dev lint types contracts ## Everything that must pass, with the coverage
	@$(BIN)/python -m pytest --cov --cov-report=term

check: $(INSTALLED_DEV) lint types contracts ## What to run before every commit
	@$(BIN)/python -m pytest tests/unit tests/regression tests/test_architecture.py

lint: $(INSTALLED_DEV)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .

types: $(INSTALLED_DEV)
	@$(BIN)/mypy

contracts: $(INSTALLED_DEV)
	@$(BIN)/lint-imports

bench: $(INSTALLED) ## Measure the code index against its peers (OPTIONS="--rounds 3 --json …")
	@$(BIN)/python benchmarks/bench_help.py >&2
	@$(BIN)/python benchmarks/bench_index.py $(OPTIONS)

bench-scale: $(INSTALLED) ## Measure up to 100,000 files and draw docs/index-scaling.svg
	@$(BIN)/python benchmarks/bench_scaling.py

docs: $(INSTALLED) ## Write docs/reference/cli.md anew
	@$(BIN)/python scripts/cli_reference.py docs/reference/cli.md

lock: ## Pin the newest versions that work together in constraints.txt
	@sh scripts/lock.sh "$(PYTHON)"

clean: ## Remove what was installed, built, fetched and cached
	@rm -rf $(VENV) .cache .coverage* htmlcov .mypy_cache .ruff_cache .pytest_cache \
		.import_linter_cache .hypothesis

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it first" >&2; exit 3; }
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) cannot make a virtual environment: on Debian and Ubuntu," \
		"apt install python3-venv" >&2; exit 3; }

$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing ResolveFlow into $(VENV) (once)…" >&2
	@$(PIP) --editable .
	@touch $@

$(INSTALLED_DEV): $(INSTALLED)
	@echo "Installing what its developers need (once)…" >&2
	@$(PIP) --editable '.[dev]'
	@touch $@

# Without a network, the tests that need these files are skipped.
$(SOURCES): | $(INSTALLED)
	@$(BIN)/python examples/demo.py fetch || echo "Some tests will be skipped" >&2

$(ASSETS): tests/assets.sh
	@mkdir -p $(@D)
	@if command -v npm >/dev/null; then sh tests/assets.sh && touch $@ \
		|| echo "The test assets could not be fetched; some tests will be skipped" >&2; \
	else echo "There is no npm to fetch test assets with; some tests will be skipped" >&2; fi
