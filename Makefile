# Everything starts from a clone, Python 3.11 or newer, pip and make. `make help` lists what there is.

VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
FIND    = for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { command -v $$p; break; }; done
PYTHON ?= $(shell $(FIND))
PYTEST_ARGS ?=

# Threads of numerical libraries per process; several processes run at a time.
export OMP_NUM_THREADS ?= 1

.PHONY: help setup book test lint check chapter serve clean
.DEFAULT_GOAL := help

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## create .venv and install the pinned packages into it

$(STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found; try: make setup PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than Python 3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $(STAMP)

book: $(STAMP) ## run the chapters that are not up to date, build the book, and print where it is
	$(BIN)/fairgl book $(ARGS)

test: $(STAMP) ## run the tests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(STAMP) ## look for mistakes without running anything
	$(BIN)/ruff check src tests book notebooks benchmarks

check: lint test ## what .ci/run runs: lint, tests, the book with default parameters
	$(BIN)/fairgl book --strict

chapter: $(STAMP) ## run one chapter: make chapter NAME=rq1 ARGS="-p seeds=3"
	@test -n "$(NAME)" || { echo 'which one? make chapter NAME=rq1 ARGS="-p seeds=3"' >&2; exit 2; }
	$(BIN)/fairgl run $(NAME) $(ARGS)

serve: $(STAMP) ## serve the built book to this machine
	$(BIN)/fairgl serve $(ARGS)

clean: ## remove what was built: the book, executed chapters, caches (not .venv)
	rm -rf _build executed .pytest_cache .ruff_cache .hypothesis
