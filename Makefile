# The first target that needs it makes .venv and installs everything there; this asks for Python ≥ 3.11, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet -c constraints.txt
INSTALLED := $(VENV)/.installed
DOCS_INSTALLED := $(VENV)/.installed-docs
BROWSER_INSTALLED := $(VENV)/.installed-browser

.DEFAULT_GOAL := help
.PHONY: help demo test test-browser test-cluster lint bench studies-smoke weights docs

help:  ## say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(INSTALLED)  ## train a small classifier, fool it and VADER, write demo/report.html
	HF_HUB_OFFLINE=1 $(BIN)/python -m unfool.demo

test: $(INSTALLED)  ## run the tests, all but the slow ones
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "not slow and not browser and not cluster" --numprocesses auto --maxprocesses 4 --dist loadfile

test-cluster: $(INSTALLED)  ## lose a node of a Ray cluster on this machine; skip where Ray cannot be had
	@$(PIP) -e '.[ray]' || echo "Ray cannot be installed here"
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m cluster -rs tests/cluster

test-browser: $(BROWSER_INSTALLED)  ## try the report in Chromium, which as root is installed from Debian; skip without
	@command -v chromium >/dev/null || { apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium; } >/dev/null 2>&1 || true
	$(BIN)/python -m pytest -m browser -rs tests/browser

lint: $(INSTALLED)  ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(INSTALLED)  ## measure speed on this machine's CPU
	$(BIN)/python -m bench.cpu

studies-smoke: $(INSTALLED)  ## do the five papers' studies in small from an empty cache, and say how long each took
	$(BIN)/python -m unfool_papers.scripts.smoke

weights: $(INSTALLED)  ## build the wheel of the zoo's own weights into dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist ./weights

docs: $(DOCS_INSTALLED)  ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

$(INSTALLED): pyproject.toml papers/pyproject.toml weights/pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "this needs Python 3.11 or newer: make PYTHON=…")'
	@echo "installing into $(VENV); this takes some minutes, once"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) torch
	$(PIP) -e '.[dev]' -e ./papers -e ./weights
	@touch $@

$(BROWSER_INSTALLED): $(INSTALLED)
	$(PIP) -e '.[browser]'
	@touch $@

$(DOCS_INSTALLED): $(INSTALLED)
	$(PIP) -e '.[docs]'
	@touch $@
