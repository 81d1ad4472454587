# `make demo` shows repomem at work on this repository, `make test` is what CI runs. Both make .venv when it is missing.
BIN := .venv/bin
QUESTION ?= where is the token budget kept

.DEFAULT_GOAL := help
.PHONY: help demo test check bench clean core dev

help:
	@echo "make demo    index this repository and print two briefs (QUESTION=\"…\" asks your own)"
	@echo "make test    every check, then every test with coverage"
	@echo "make check   ruff, mypy and the import walls"
	@echo "make bench   the measurements of benchmarks/"
	@echo "make clean   remove .venv, caches and build output"

demo: core
	@echo "repomem index"
	@$(BIN)/repomem index
	@echo "repomem recall"
	@$(BIN)/repomem recall
	@echo "repomem recall \"$(QUESTION)\""
	@$(BIN)/repomem recall "$(QUESTION)"

test: check
	@echo "pytest"
	@$(BIN)/python -m pytest -n 2 -q --cov --cov-report=term

check: dev
	@echo "ruff check"
	@$(BIN)/ruff check --quiet
	@echo "ruff format --check"
	@$(BIN)/ruff format --check --quiet
	@echo "mypy"
	@$(BIN)/mypy --no-error-summary
	@echo "lint-imports"
	@$(BIN)/lint-imports --no-logo

bench: dev
	@$(BIN)/python -m benchmarks

clean:
	@echo "removing .venv, caches and build output"
	@rm -rf .venv build dist *.egg-info .coverage coverage.xml
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

core dev:
	@.ci/venv $@
