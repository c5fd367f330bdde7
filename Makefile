# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
RUN := .venv/.run-installed
TEST := .venv/.test-installed
BENCH := .venv/.bench-installed

.PHONY: demo test lint acceptance bench reliability reproduce clean

demo: $(RUN)
	$(BIN)/ventris demo

test: lint
	$(BIN)/python -m pytest

lint: $(TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Long measurements: every seed is printed, the worst included.
acceptance: $(BENCH)
	$(BIN)/python -m bench.ciphers
	$(BIN)/python -m bench.ablation
	$(BIN)/python -m bench.acceptance

bench: $(BENCH)
	$(BIN)/python -m bench

# Bad input, kills, stress, determinism, a thousand fits, ten minutes of damaged files.
reliability: $(TEST)
	$(BIN)/python -m reliability

# Every table and figure of the paper, ours beside theirs, into ventris-paper/.
reproduce: $(TEST)
	$(BIN)/ventris reproduce

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache

.venv/bin/python:
	$(PYTHON) -m venv .venv

$(RUN): .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot]'
	touch $@

$(TEST): .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $(RUN) $@

$(BENCH): $(TEST) bench/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement bench/requirements.txt
	touch $@
