# `make run` and `make test` set up everything they need; `make check` is for every day.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: run approve test check dev lint bench clean

$(STAMP): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed: install python3"; exit 3; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing ResolveFlow into $(VENV) (once)…" >&2
	@$(BIN)/python -m pip install -q --constraint constraints.txt --editable .
	@touch $@

dev: $(STAMP) ## Set up everything that developers need
	@$(BIN)/python -m pip install -q --constraint constraints.txt --editable '.[dev]'

