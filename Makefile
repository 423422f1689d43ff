# Everything here needs Python (3.11 or newer) and make, nothing else: each target makes the
# virtual environment it needs in .venv on first use.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEVICE ?= cpu
# Processes that run tests side by side.
WORKERS ?= 2
# Further arguments for pytest, for example ARGS="-k sin".
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo test check lint docs site bench clean

help:
	@echo "make demo [DEVICE=vulkan]  train a small network on handwritten digits"
	@echo "make test                  run all tests"
	@echo "make check                 lint and the quick tests, without Vulkan"
	@echo "make lint                  formatting, style, types, import order"
	@echo "make docs                  write the generated methods and pages"
	@echo "make site                  make a web site of the documentation in build/site"
	@echo "make bench                 time pieces of work against PyTorch and JAX (ARGS=--help)"
	@echo "make clean                 remove the virtual environment and caches"

# Stamps: the environment is brought up to date only when pyproject.toml has changed.
$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-test: pyproject.toml $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

demo: $(VENV)/installed
	$(BIN)/pumice demo --device $(DEVICE)

test: $(VENV)/installed-test
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

# Kernels and plans stay for the next check: what is compiled by other code has other names.
check: lint
	PUMICE_CACHE_DIR=$(CURDIR)/.test-cache $(BIN)/python -m pytest -n $(WORKERS) \
		-m "not slow and not vulkan" $(ARGS)

lint: $(VENV)/installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/installed-test
	$(BIN)/python tools/gen_api.py
	$(BIN)/python tools/gen_docs.py

$(VENV)/installed-site: pyproject.toml $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[site]'
	@touch $@

site: $(VENV)/installed-site
	$(BIN)/python -m sphinx -q -W docs build/site

$(VENV)/installed-bench: pyproject.toml $(VENV)/installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@

bench: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf $(VENV) build dist .test-cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
