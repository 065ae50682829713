# Each target makes the virtual environment that it needs in .venv. Python 3.11 or newer is all that must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-all test-oldest lint bench docs dist clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# What a target has installed is recorded in .venv/.with-NAME and installed again when pyproject.toml changes.
$(VENV)/.with-base: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.with-%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	@touch $@

demo: $(VENV)/.with-base
	$(BIN)/python -m rosenblatt demo

test: $(VENV)/.with-test $(VENV)/.with-lint lint
	$(BIN)/python -m pytest -n auto --dist worksteal -m 'not slow'

test-all: $(VENV)/.with-test $(VENV)/.with-lint $(VENV)/.with-docs lint
	HYPOTHESIS_PROFILE=all $(BIN)/python -m pytest -n auto --dist worksteal

# With the lowest versions that pyproject.toml declares, in an environment of its own.
test-oldest:
	$(PYTHON) -m venv $(VENV)-oldest
	$(PYTHON) tests/oldest.py > $(VENV)-oldest/constraints.txt
	$(VENV)-oldest/bin/python -m pip install --quiet --constraint $(VENV)-oldest/constraints.txt --editable '.[test]'
	$(VENV)-oldest/bin/python -m pytest -n auto --dist worksteal -m 'not slow'

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

# The wheel must do its work in an environment that has nothing but what it declares.
dist: $(VENV)/.with-dist
	rm -rf dist build/dist
	$(BIN)/python -m build --outdir dist
	$(PYTHON) -m venv build/dist
	build/dist/bin/python -m pip install --quiet dist/*.whl
	cd build/dist && bin/rosenblatt demo
	cd build/dist && bin/rosenblatt datasets export iris iris.csv && bin/rosenblatt train iris.csv --target species
	cd build/dist && bin/python -c "from rosenblatt import Perceptron; print(Perceptron().fit([[0], [1]], [0, 1]))"

clean:
	rm -rf $(VENV) $(VENV)-oldest docs/_build docs/gallery docs/api build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
