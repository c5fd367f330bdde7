# Two commands do everything on a fresh machine: `make demo` and `make test`.
ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := .venv/Scripts
VENV := $(BIN)/python.exe
else
PYTHON ?= python3
BIN := .venv/bin
VENV := $(BIN)/python
endif
RUN := .venv/.run-installed
TEST := .venv/.test-installed
BENCH := .venv/.bench-installed
DOCS := .venv/.docs-installed
# One worker for each core, a file in one of them (tests/conftest.py); more than four have little to share.
WORKERS := -n logical --maxprocesses 4 --no-loadscope-reorder

BIOME := @biomejs/biome@2.6.6

.PHONY: demo test test-elsewhere lint lint-js docs acceptance bench reliability reproduce clean

demo: $(RUN)
	$(BIN)/ventris demo

test: lint
	$(BIN)/python -m pytest $(WORKERS)

# What depends on arithmetic, as it comes out without FMA, on a Haswell and here.
test-elsewhere: $(TEST)
	$(BIN)/python tools/elsewhere.py $(WORKERS)

lint: $(TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pylint --disable=all --enable=duplicate-code --min-similarity-lines=9 --score=no src

# The page's JavaScript; needs npm, which nothing else here does. `npx $(BIOME) format --write` puts it in order.
lint-js:
	npx --yes $(BIOME) ci

# The site, with every story of the gallery run: docs/_build/html/index.html opens from the disk. A warning is an error.
docs: $(DOCS)
	rm -rf docs/api/generated
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "The site is docs/_build/html/index.html."

# Long measurements: every seed is printed, the worst included. `make acceptance ONLY=digits` measures one family.
acceptance: $(BENCH)
ifdef ONLY
	$(BIN)/python -m bench.acceptance --only "$(ONLY)"
else
	$(BIN)/python -m bench.ciphers
	$(BIN)/python -m bench.ablation
	$(BIN)/python -m bench.acceptance
endif

bench: $(BENCH)
	$(BIN)/python -m bench

# Bad input, kills, stress, determinism, a thousand fits, ten minutes of damaged files.
reliability: $(TEST)
	$(BIN)/python -m reliability

# Every table and figure of the paper, ours beside theirs, into ventris-paper/.
reproduce: $(TEST)
	$(BIN)/ventris reproduce

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache docs/_build docs/gallery docs/api/generated

$(VENV):
	$(PYTHON) -m venv .venv

$(RUN): $(VENV) pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot]'
	touch $@

$(TEST): $(VENV) pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $(RUN) $@

$(DOCS): $(VENV) pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $(RUN) $@

$(BENCH): $(TEST) bench/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement bench/requirements.txt
	touch $@
