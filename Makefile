# Everything here works on a machine with Python 3.11 or later, pip and make. README.md says what the commands do, for typing them by hand.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check

AGENTS = random minimax:depth=2 alphabeta:depth=4 montecarlo:simulations=100 zoo:connect_four

# The libraries whose adapters are tested against them; each has an environment of its own.
ADAPTERS = tianshou torchrl rllib agilerl kaggle pgx minari openenv
ADAPTER_FOLDER ?= .venv-adapters

# What is tested with the oldest versions allowed, in CI too: all that meets PettingZoo, Gymnasium, SB3 and numpy.
OLDEST_TESTS = tests/envs/test_aec.py tests/envs/test_aec_like_pettingzoo.py tests/envs/test_pettingzoo.py tests/envs/other_libraries/test_pettingzoo_classic.py tests/envs/other_libraries/test_written_state.py tests/envs/test_gymnasium.py tests/envs/test_environment_options.py tests/envs/test_vector.py tests/envs/test_wrappers.py tests/envs/test_trace.py tests/envs/test_kernels.py tests/envs/compiled/test_linking.py tests/training/test_sb3_callbacks.py tests/training/test_longer_runs.py

.PHONY: demo test test-all cold test-oldest test-adapters lint docs docs-version package bench measure gpu-check test-gpu without-extras clean

# Play and rate a tournament of search agents and a shipped network at connect four, anew each time.
demo: $(VENV)/installed
	mkdir -p runs && rm -f runs/demo.db*
	$(BIN)/plyground tournament connect_four $(AGENTS) --pairs 20 --store runs/demo.db
	$(BIN)/plyground report runs/demo.db
	@echo "Next: $(BIN)/plyground play connect_four, $(BIN)/plyground --help, README.md"

# Run the tests (a few minutes, of which compiling all kernels once takes most).
test: $(VENV)/installed-test
	$(BIN)/pytest

# The same, the thorough ones, and those that take minutes each.
test-all: $(VENV)/installed-test
	$(BIN)/pytest -m ""

# Every name, console block, example and benchmark's help alone: in a process of its own, from an
# empty folder. Continuous integration runs a fourteenth of them a day; all of them come before a
# release (an hour).
cold: $(VENV)/installed-test
	$(BIN)/pytest -m "" --numprocesses 2 tests/cold tests/test_docs.py \
		tests/documentation/test_course_examples.py tests/documentation/test_notebooks.py

# The environments and the training with the oldest versions that pyproject.toml allows.
test-oldest: .venv-oldest/installed
	PYTHONPATH=build .venv-oldest/bin/python -m pytest -p no:cacheprovider \
		--numprocesses logical --maxprocesses 4 --dist loadfile $(OLDEST_TESTS)

.venv-oldest/installed: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --constraint constraints-oldest.txt torch
	.venv-oldest/bin/python -m pip install --quiet --constraint constraints-oldest.txt --editable ".[train,policy,report]" pytest pytest-xdist hypothesis pygame-ce
	mkdir -p build && ln -sfn .. build/plyground
	touch $@

# The adapters against the real libraries (half an hour and some GB: every library is installed).
# What was found is printed as the table of docs/extras/adapters.md.
test-adapters: $(addprefix test-adapter-,$(ADAPTERS))
	$(PYTHON) tests/adapters/table.py

test-adapter-%: $(ADAPTER_FOLDER)/%/installed
	mkdir -p build && ln -sfn .. build/plyground
	PYTHONPATH=build PLYGROUND_ADAPTER=$* $(ADAPTER_FOLDER)/$*/bin/python -m pytest --confcutdir tests/adapters tests/adapters/test_$*.py

# torch comes first: another package would bring its newest build.
$(ADAPTER_FOLDER)/%/installed: tests/adapters/requirements/%.txt tests/adapters/requirements/common.txt
	$(PYTHON) -m venv $(ADAPTER_FOLDER)/$*
	grep '^torch==' $< | xargs --no-run-if-empty $(ADAPTER_FOLDER)/$*/bin/python -m pip install --quiet
	$(ADAPTER_FOLDER)/$*/bin/python -m pip install --quiet --requirement $<
	touch $@

# Style and types. The link gives mypy the name under which the folders are installed, whatever the checkout is called.
lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	mkdir -p build && ln -sfn .. build/plyground
	$(BIN)/mypy

# The site, in build/site: open build/site/index.html. Warnings are errors.
docs: $(VENV)/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

# The site of this version beside those of earlier ones, as a commit of the branch gh-pages: no push.
docs-version: $(VENV)/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mike deploy --config-file mkdocs-versions.yml --update-aliases \
		$$($(BIN)/python -c 'import plyground; print(".".join(plyground.__version__.split(".")[:2]))') latest
	$(BIN)/mike set-default --config-file mkdocs-versions.yml latest

# The files of a release, in dist, and whether a package index would take them.
package: $(VENV)/installed-test
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/twine check --strict dist/*

# Speed: moves per second beside PettingZoo and OpenSpiel, nodes per second of the searches.
bench: $(VENV)/installed-test
	for script in $(filter-out benchmarks/peers.py,$(wildcard benchmarks/[a-z]*.py)); do $(BIN)/python $$script || exit 1; done

# How much there is to hold in mind, beside what benchmarks/structure/measure.toml has on record; fails where a
# figure is higher. `make measure WRITE=--write` records what has fallen.
measure: $(VENV)/installed-test
	mkdir -p build && ln -sfn .. build/plyground
	PYTHONPATH=build $(BIN)/python benchmarks/structure/measure.py $(WRITE)

# Whether the kernels of every game compile for GPUs, without one: registers, stack and spills. `make
# gpu-check GAMES=othello` compiles those of some games.
gpu-check: $(VENV)/installed-gpu
	mkdir -p build && ln -sfn .. build/plyground
	PYTHONPATH=build $(BIN)/python benchmarks/structure/gpu_check.py $(GAMES)

# Games on a GPU, without one: what is compiled for CUDA runs on the processor.
test-gpu: $(VENV)/installed-gpu
	PLYGROUND_GPU=1 $(BIN)/pytest -m "not slow" tests/gpu

# Whether the core works alone. `make without-extras EACH=--each` takes away each extra in turn.
without-extras: $(VENV)/installed-test
	$(BIN)/python benchmarks/structure/without_extras.py $(EACH)

clean:
	rm -rf $(VENV) $(ADAPTER_FOLDER) .venv-oldest build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

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
	touch $(VENV)/installed $(VENV)/installed-docs $@

$(VENV)/installed-gpu: $(VENV)/installed-test
	$(PIP) install --quiet --constraint constraints.txt --editable ".[gpu]"
	touch $@

$(VENV)/installed-docs: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --quiet --constraint constraints.txt torch
	$(PIP) install --quiet --constraint constraints.txt --editable ".[docs]"
	touch $@
