# Everything from Python 3.11 or newer and make: each target builds the environment it needs.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.stamp
TEST_STAMP := .venv/.stamp-test
DOCS_STAMP := .venv/.stamp-docs
BENCH_STAMP := .venv-bench/.stamp

# pip reads these for the build of the package itself too, which -c alone does not reach.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo reproduce test soak coverage mutants matrix check format docs bench clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(STAMP)  ## a private release of a real posterior, with its picture
	$(BIN)/discreet demo

reproduce: $(STAMP)  ## the figures of the papers again, and a report
	$(BIN)/discreet reproduce --out discreet-reproduction

# Tests start many processes: whatever the shell says, what was compiled once is kept for the next.
test soak coverage: export PYTHONDONTWRITEBYTECODE :=

test: $(TEST_STAMP)  ## every kind of test, and the examples in the docstrings
	$(BIN)/pytest

# Its numbers are in tests/support/soak.py; .ci/run gives smaller ones.
soak: $(TEST_STAMP)  ## what make test leaves out: kills, seeds, whole pages, more examples, fuzzing, load
	$(BIN)/pytest -m 'soak or hypothesis' --hypothesis-profile=soak --durations=15

coverage: $(TEST_STAMP)  ## the tests again, and which lines of the packages they did not reach
	$(BIN)/pytest --quiet --cov --cov-report=term

# Those of code that changed since they were tried; MUTANTS=50 over all rooms, in a minute; MUTANTS=--again, some hours.
mutants: $(TEST_STAMP)  ## small faults in the rooms that privacy rests on: do the tests find them?
	$(if $(filter-out --%,$(MUTANTS)),,$(BIN)/python -m bench.mutants --reach)
	$(BIN)/python -m bench.mutants $(MUTANTS)

matrix:  ## the tests on every Python there is, and once with the oldest dependencies
	.ci/matrix

check: $(STAMP)  ## lint, format and types, without changing anything
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(DOCS_STAMP)  ## the documentation site, in build/site: pages run, links checked, warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --clean
	$(BIN)/python docs/_site/check.py build/site

bench: $(BENCH_STAMP)  ## measure against peers; slow, and no part of the tests
	.venv-bench/bin/python -m bench

clean:  ## remove what the other targets made
	rm -rf .venv .venv-bench .venv-matrix .coverage discreet-demo discreet-reproduction build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf src/*.egg-info
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

define new_venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "discreet needs Python 3.11 or newer; say which: make PYTHON=python3.12")'
	$(PYTHON) -m venv --clear $(1)
endef

$(STAMP): pyproject.toml constraints.txt
	$(call new_venv,.venv)
	@echo 'Installing discreet, what it needs and the development tools into .venv: once, some minutes.'
	$(BIN)/python -m pip install -c constraints.txt -e '.[plot,web,workflow,dev]'
	@touch $@

# Spark is large and needs Java; without it, its tests say that they are skipped.
COMMA := ,
TEST_EXTRAS := ibis$(if $(shell command -v java),$(COMMA)spark)

# The page's scripts are checked by tools of Node; without it, these tests say that they are skipped.
$(TEST_STAMP): $(STAMP) tests/web/package-lock.json
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[$(TEST_EXTRAS)]'
	-@command -v npm >/dev/null && cd tests/web && npm ci --silent --no-audit --no-fund
	@touch $@

$(DOCS_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[docs]'
	@touch $@

$(BENCH_STAMP): pyproject.toml constraints.txt bench/requirements.txt bench/requirements-tables.txt
	$(call new_venv,.venv-bench)
	.venv-bench/bin/python -m pip install --quiet -c constraints.txt -e '.[web,workflow]' -r bench/requirements.txt
	PIP_CONSTRAINT= .venv-bench/bin/python -m pip install --quiet -r bench/requirements-tables.txt
	@touch $@
