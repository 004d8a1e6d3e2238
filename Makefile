# `make run` starts the service on a SQLite file; `make test` runs everything that CI runs. Both set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := src tests benchmarks examples packages conftest.py
# They come with the core, so pip is given all of them at once, the core first: an older pip looks for it elsewhere else.
BESIDE := packages/recollect-connect packages/recollect-files
EDITABLE := $(BESIDE:%=--editable %)
TO_RUN := --editable '.[mcp,places]' $(EDITABLE)
OLDER := packages/recollect-encoder-1 packages/recollect-encoder-3
TO_TEST := --editable '.[dev]' $(EDITABLE) $(OLDER:%=--editable %)
TO_DOCUMENT := --editable '.[dev,docs]' $(EDITABLE)
PROJECTS := pyproject.toml $(BESIDE:%=%/pyproject.toml) constraints.txt

PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# uv does it in a tenth of the time. What only pip has been told of, such as a company's mirror, pip installs.
UV_INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt
install = { $(PIP_INSTALL) uv && $(UV_INSTALL) $(1); } || $(PIP_INSTALL) $(1)
PATHS ?=

.PHONY: run test test-all format lint types architecture tests coverage mutants bench quality reliability page openclaw docs constraints hashes release hooks clean

run: $(VENV)/.installed
	@$(BIN)/recollect serve $(SERVE)

# The types are looked at beside the tests, which leave that much of a machine to others.
test: lint
	@$(MAKE) --no-print-directory --jobs=2 architecture types tests

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

# How much of src/ the tests run, by line and branch, child processes included. A part: make coverage PATHS=tests/text
coverage: $(VENV)/.installed-dev
	rm -f .coverage .coverage.*
	$(BIN)/pytest -n 4 --dist worksteal --cov --cov-report=term --cov-report=html:build/coverage $(PATHS)

# Puts small faults into the engine and the stores, one at a time, and says which of them no test notices. Two states of the
# project are compared by the same faults: .venv/bin/python -m benchmarks.mutants --help
mutants: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.mutants cover
	$(BIN)/python -m benchmarks.mutants sample
	$(BIN)/python -m benchmarks.mutants run

# Prints every figure as a ratio to its limit; takes some minutes.
bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks

# Asks each set in every way to search, prints the scores and writes them to docs/quality.md with two plots. Sets of your own:
# make quality SETS="DIR DIR". What was measured before is kept in build/quality; more options with QUALITY="--help".
# With SIZES as by default the sets of the project take about an hour, almost all of it for the vectors of 100,000 other turns.
quality: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.quality.publish $(SETS) $(if $(SIZES),--sizes $(SIZES)) $(if $(ONLY),--only '$(ONLY)') $(QUALITY)

# Runs the tests behind each promise of docs/reliability.md in full size and writes their figures there; takes about an hour.
# In small size (RELIABILITY=small) it takes minutes and only prints them. Some of the promises: ONLY=2,3
# A run that was interrupted goes on with the next promise; what is done is noted in build/reliability.
RELIABILITY ?= full
reliability: $(VENV)/.installed-dev
	$(BIN)/python -m tests.reliability.report $(RELIABILITY) $(if $(ONLY),--only $(ONLY))

# Runs all stories of the page in a real Chromium, which it installs if it can, with axe-core for accessibility (build/page).
page: $(VENV)/.installed-dev
	@command -v chromium chromium-browser google-chrome >/dev/null || apt-get install --yes --quiet chromium
	npm install --silent --no-fund --no-audit --prefix build/page axe-core@4.14.0
	TESTS=all $(BIN)/pytest tests/page

# Runs scripted turns in a real OpenClaw. Installs it and a Node for it in build/openclaw (800 MB), then takes some minutes a run.
RUNS ?= 1
openclaw: $(VENV)/.installed-dev
	$(BIN)/python -m tests.openclaw $(RUNS)

# Writes the generated pages anew and builds the site. To read it: python3 -m http.server --directory build/site
docs: $(VENV)/.installed-docs
	$(BIN)/python -m tests.settings.test_documentation
	$(BIN)/python -m tests.cli.reference
	$(BIN)/python -m tests.api_reference
	$(BIN)/python -m tests.releasing.licences
	$(BIN)/zensical build --clean --strict

# Writes the installed versions to constraints.txt, after `pip install --upgrade` and a green `make test`.
constraints: $(VENV)/.installed-docs
	$(BIN)/python -m tests.constraints

# Writes the hashes of these versions to requirements-release.txt, from the package index that pip uses.
hashes: $(VENV)/.installed-dev
	$(BIN)/python -m tests.releasing.hashes

# Builds source archive and wheel in dist/, installs and tries them with the hashes, and writes the bill of materials.
release: $(VENV)/.installed-dev
	$(BIN)/python -m tests.releasing.release

# Runs the checks of .pre-commit-config.yaml at each commit.
hooks: $(VENV)/.installed-dev
	$(PIP_INSTALL) pre-commit
	$(BIN)/pre-commit install --hook-type pre-commit --hook-type pre-push

clean:
	rm -rf $(VENV) build dist .cache .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Recollect needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(PROJECTS) | $(VENV)/bin/python
	$(call install,$(TO_RUN))
	@touch $@

$(VENV)/.installed-dev: $(PROJECTS) $(OLDER:%=%/pyproject.toml) | $(VENV)/bin/python
	$(call install,$(TO_TEST))
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: $(VENV)/.installed-dev
	$(call install,$(TO_DOCUMENT))
	@touch $@
