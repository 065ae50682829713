# Each target makes the virtual environment that it needs in .venv. Python 3.11 or newer is all that must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-all lint bench docs clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# What a target has installed is noted in .venv/.with-NAME and installed again when pyproject.toml changes.
$(VENV)/.with-base: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.with-%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	@touch $@

demo: $(VENV)/.with-base
	$(BIN)/python -m rosenblatt.cli.demo

test: $(VENV)/.with-test $(VENV)/.with-lint lint
	$(BIN)/python -m pytest -n auto --dist worksteal -m 'not slow'

test-all: $(VENV)/.with-test $(VENV)/.with-lint lint
	HYPOTHESIS_PROFILE=all $(BIN)/python -m pytest -n auto --dist worksteal

lint: $(VENV)/.with-test $(VENV)/.with-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.with-bench
	$(BIN)/python -m benchmarks

docs: $(VENV)/.with-docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

clean:
	rm -rf $(VENV) docs/_build docs/gallery docs/api build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
