# Everything here works on a machine with Python 3.11 or later, pip and make. README.md says what the commands do, for typing them by hand.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check

AGENTS = random greedy minimax:depth=2 alphabeta:depth=6 montecarlo:simulations=200

.PHONY: demo test test-all lint bench clean

# Play a tournament of the search agents at connect four, anew each time.
demo: $(VENV)/installed
	mkdir -p runs && rm -f runs/demo.db*
	$(BIN)/plyground tournament connect_four $(AGENTS) --store runs/demo.db

# Run the tests (a few minutes, of which compiling all kernels once takes most).
test: $(VENV)/installed-test
	$(BIN)/pytest

# The same, the thorough ones, and those that take minutes each.
test-all: $(VENV)/installed-test
	$(BIN)/pytest -m ""

# Style and types. The link gives mypy the name under which the folders are installed, whatever the checkout is called.
lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	mkdir -p build && ln -sfn .. build/plyground
	$(BIN)/mypy

# Speed: moves per second beside PettingZoo and OpenSpiel, nodes per second of the searches.
bench: $(VENV)/installed-test
	for script in benchmarks/[a-z]*.py; do $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The stamp files record what is installed; a change of the requirements installs anew.
$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "plyground needs Python 3.11 or later; make PYTHON=... names another")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/installed-test: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --quiet --constraint constraints.txt torch
	$(PIP) install --quiet --constraint constraints.txt --editable ".[test,dev,train]"
	touch $(VENV)/installed $@
