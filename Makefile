# Scraping AI. `make` alone says what there is.
#
# VENV=PATH     another virtual environment than .venv
# PYTHON=PATH   another Python than the first of 3.11 or newer that is found

VENV ?= .venv
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN = "$(VENV)"/bin
PIP_INSTALL = "$(VENV)/bin/python" -m pip install --quiet --disable-pip-version-check --constraint requirements.txt --editable
SOURCES = pyproject.toml requirements.txt
DEMO_FIELDS = title, price:number, currency, in_stock:boolean, sku

.DEFAULT_GOAL := help
.PHONY: help install demo test lint browser bench pins clean

help:
	@echo "Scraping AI: records from web sites, with evidence for every value."
	@echo
	@echo "  make demo      light base into $(VENV); crawls a sample shop on loopback, writes demo.json, demo.csv"
	@echo "  make test      everything into $(VENV); ruff, mypy, import rules, tests"
	@echo "  make install   everything into $(VENV), no more"
	@echo "  make lint      ruff, mypy and import rules alone"
	@echo "  make bench     each program in bench/"
	@echo "  make pins      writes requirements.txt anew, from the newest versions that pyproject.toml allows"
	@echo "  make clean     removes $(VENV) and what the above left"
	@echo
	@echo "First make demo. Then your own site:"
	@echo "  $(VENV)/bin/scrapy extract https://example.com/a-page --fields \"title, price:number\""

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Scraping AI needs Python 3.11 or newer; name one: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "$(PYTHON) isn't Python 3.11 or newer; name one that is: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) can't make virtual environments; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	"$(PYTHON)" -m venv "$(VENV)"

$(VENV)/.base: $(SOURCES) | $(VENV)/bin/python
	$(PIP_INSTALL) .
	@touch "$@"

$(VENV)/.all: $(SOURCES) | $(VENV)/bin/python
	$(PIP_INSTALL) ".[all]"
	@touch "$(VENV)/.base" "$@"

install: $(VENV)/.all

demo: $(VENV)/.base
	@PATH="$(abspath $(VENV))/bin:$$PATH" python -m scraping_ai.demo -- \
		scrapy extract {url} --follow --fields "$(DEMO_FIELDS)" -O demo.json -O demo.csv
	@echo "The records are in demo.json and demo.csv."

lint: $(VENV)/.all
	$(BIN)/ruff check .
	$(BIN)/mypy scraping_ai
	$(BIN)/lint-imports

# Playwright's own where it can be had, else Debian's; without either the tests of the browser say so and are skipped.
browser: $(VENV)/.all
	@command -v chromium >/dev/null 2>&1 || timeout 300 $(BIN)/playwright install chromium >/dev/null 2>&1 || \
		{ test "$$(id -u)" = 0 && apt-get install -qq -y chromium >/dev/null 2>&1; } || \
		echo "No browser, so its tests are skipped. Install one: $(VENV)/bin/playwright install chromium, or apt-get install chromium" >&2

test: lint browser
	$(BIN)/pytest -n auto --dist loadgroup $(PYTEST_ARGS)

bench: $(VENV)/.all
	@set -e; found=; for program in bench/*.py; do test -e "$$program" || continue; found=1; \
		echo "$$program"; $(BIN)/python "$$program"; done; test -n "$$found" || echo "bench/ has no programs yet."

pins: $(VENV)/bin/python
	@set -e; fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT; \
		$(BIN)/python -m venv "$$fresh"; "$$fresh/bin/python" -m pip install --quiet --editable ".[all,peers]"; \
		{ echo "# Everything, as tested together. Written by: make pins"; "$$fresh/bin/python" -m pip freeze --all \
		--exclude-editable --exclude pip; } > requirements.txt

clean:
	rm -rf "$(VENV)" .scrapyd build dist *.egg-info demo.json demo.csv
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
