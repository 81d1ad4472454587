# `make demo` shows repomem at work on this repository, `make test` checks it. Both make .venv if it is missing.
BIN := .venv/bin
QUESTION ?= where is the token budget kept
# Two workers more than cores, since tests wait for processes; at most eight, for memory.
WORKERS = $(shell python3 -c 'import os; print(min(len(os.sched_getaffinity(0)) + 2, 8))')
# Pytest rewrites 400 modules: each worker would do so again in each run (8 s) where the shell forbids Python to cache.
PYTEST = PYTHONDONTWRITEBYTECODE= .ci/in-memory $(BIN)/python -m pytest -n $(WORKERS) -q

.DEFAULT_GOAL := help
.PHONY: help demo quick test test-all test-pool coverage check lock sbom bench soak train clean core dev pool

help:
	@echo "make demo       index this repository, print its map and a brief (QUESTION=\"…\" asks your own)"
	@echo "make quick      after each edit: every check, and the fast tests of the parts without LanceDB"
	@echo "make test       every check, and every test but the slow ones"
	@echo "make test-all   every check and test; with test-pool, what CI runs"
	@echo "make test-pool  the tests of shared storage, with the packages they need"
	@echo "make check      ruff, mypy and the import layers"
	@echo "make coverage   every test, and the lines that none of them runs"
	@echo "make lock       update .ci/lock.txt and .ci/lock-pool.txt: versions and hashes"
	@echo "make sbom       write build/sbom.json: a bill of materials (CycloneDX)"
	@echo "make bench      measure speed and replay on public repositories"
	@echo "make soak       an hour of failing system calls, kills, power cuts and crowds"
	@echo "make train      train the built-in model for code, in hours (training/README.md)"
	@echo "make clean      remove .venv, caches and build output"

demo: core
	@echo "repomem index"
	@$(BIN)/repomem index
	@echo "repomem recall"
	@$(BIN)/repomem recall
	@echo "repomem recall \"$(QUESTION)\""
	@$(BIN)/repomem recall "$(QUESTION)"

# No LanceDB and few processes. mypy reads its cache, and takes a second after a small edit.
QUICK := core ranking brief profile capture sessions $(addprefix adapters/,git languages ledger settings sqlite transcripts)
quick: check
	@echo "pytest"
	@$(PYTEST) -m "not slow" --ignore tests/core/processes/test_workers.py $(addprefix tests/,$(QUICK))

test: check
	@echo "pytest"
	@$(PYTEST) --dist worksteal -m "not slow"

test-all: check
	@echo "pytest, slow tests too"
	@$(PYTEST) --dist worksteal

coverage: dev
	@$(PYTEST) --cov --cov-report=term

test-pool: pool
	@echo "pytest tests/pool"
	@$(PYTEST) tests/pool

check: dev
	@echo "ruff check"
	@$(BIN)/ruff check --quiet
	@echo "ruff format --check"
	@$(BIN)/ruff format --check --quiet
	@echo "mypy"
	@$(BIN)/mypy --no-error-summary
	@echo "lint-imports"
	@$(BIN)/lint-imports --no-logo

# These tools have their own venv: a test compares .venv with the lock.
TOOLS := build/tools/bin
build/tools: | core
	@$(BIN)/python -m venv build/tools
	@$(TOOLS)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9,<1' 'cyclonedx-bom>=7,<8'

lock: build/tools
	@$(TOOLS)/uv pip compile --quiet pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	    --no-annotate --no-header --override .ci/lock-without.txt --output-file .ci/lock.txt
	@$(TOOLS)/uv pip compile --quiet pyproject.toml --group dev --group pool --universal --python-version 3.11 \
	    --generate-hashes --no-annotate --no-header --override .ci/lock-without.txt --constraint .ci/lock.txt \
	    --output-file .ci/lock-pool.txt

sbom: dev build/tools
	@$(TOOLS)/cyclonedx-py environment --output-file build/sbom.json .venv/bin/python
	@echo "build/sbom.json"

bench: dev
	@$(BIN)/python -m benchmarks

soak: dev
	@nice -n 10 $(BIN)/python -m benchmarks soak

train: dev
	@$(BIN)/python -m pip install --quiet -r training/requirements.txt
	@$(BIN)/python -m training all --work build/training

clean:
	@echo "removing .venv, caches and build output"
	@rm -rf .venv build dist *.egg-info .coverage coverage.xml repomem/version.txt
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

core dev pool:
	@.ci/venv $@
