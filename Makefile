# `make run` starts the service on a SQLite file; `make test` runs everything that CI runs. Both set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := src tests benchmarks

.PHONY: run test test-all format lint types architecture tests bench docs clean

run: $(VENV)/.installed
	@$(BIN)/recollect serve $(SERVE)

test: lint types architecture tests

# The slow tests too, and all of them in full size; takes hours.
test-all: export TESTS = all
test-all: test

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)

types: $(VENV)/.installed-dev
	$(BIN)/mypy

architecture: $(VENV)/.installed-dev
	$(BIN)/lint-imports

tests: $(VENV)/.installed-dev
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n 4 --dist worksteal

format: $(VENV)/.installed-dev
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

# Prints every figure as a ratio to its limit; takes some minutes.
bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks

# Writes the generated parts of the documentation anew.
docs: $(VENV)/.installed-dev
	$(BIN)/python -m tests.settings.test_documentation
	$(BIN)/python -m tests.cli.reference

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Recollect needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[places]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed
