# Needs make and Python 3.11 or later; everything else goes into .venv.
#
#   make demo   scores the example event set and draws its curves
#   make test   the checks of every day: 3 minutes on two cores
#   make test-all   all checks
#   make help   the other targets

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The exact torch that is tested with; the library itself takes any from 2.4. Asked for alone, it comes
# in its small build for processors.
TORCH := torch==2.13.0

RUNS := $(wildcard fixtures/runs/*.tsv)
EXAMPLE := $(RUNS) fixtures/nuggets.tsv --matches fixtures/matches.tsv --topics fixtures/topics.tsv
PACKAGES := $(shell find tseval matchers -name '*.py' -o -name '*.css' -o -name '*.js' -o -name '*.html' -o -name '*.pyi' -o -name py.typed)
TESTS := $(shell find tests -name '*.py')
FIXTURES := $(shell find fixtures -type f)
PAGES := $(wildcard docs/*.md docs/*.py)

# The tests start the program some hundred times: each start is a fifth shorter when what Python
# compiled is kept.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.PHONY: help demo test test-all lint types tests tests-all docs cli wheel release audit format hooks slow coverage versions chromium clean

help:
	@echo "make demo    score the example event set and draw its curves into demo/"
	@echo "make test    lint types wheel tests: 3 minutes on two cores"
	@echo "make test-all  lint types cli docs wheel tests-all: 15 minutes"
	@echo "make lint    ruff: rules and layout"
	@echo "make types   mypy --strict"
	@echo "make tests   pytest, without most slow cases, and with a third of the examples of properties"
	@echo "make tests-all  pytest"
	@echo "make docs    the documentation, warnings as errors, into docs/_build/html"
	@echo "make cli     are docs/cli.md and the lists of the pages what the program itself says?"
	@echo "make wheel   build the wheel from a clean copy, try it in an empty environment"
	@echo "make release  the wheel with its bill of materials in dist, and the same bytes from a second build"
	@echo "make audit   what advisories say of the packages in $(VENV); says so where none can be asked"
	@echo "make format  rewrite the layout, docs/cli.md and the lists of the pages"
	@echo "make hooks   run the quick checks before each commit (pre-commit)"
	@echo "make slow    measure all tests, and name the slow ones in tests/slow.txt"
	@echo "make coverage  which lines and branches the tests never reach, with the floor of pyproject.toml"
	@echo "make versions  the tests on other Pythons, and with the lowest versions of dependencies"
	@echo "make clean   remove what was built (not $(VENV))"

# Two at a time, for two processors: alone, all but the tests keep one busy. What each says comes when
# it has ended, where make can do so.
TOGETHER := --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

test:
	@$(MAKE) --no-print-directory $(TOGETHER) tests lint types wheel

test-all:
	@$(MAKE) --no-print-directory $(TOGETHER) tests-all lint types cli docs wheel

# Stamps, so that a second run installs and builds nothing. An editable install follows the
# sources by itself; only pyproject.toml can ask for a new one.

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tseval needs Python 3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.report: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[report]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.report

demo: $(VENV)/.report
	@mkdir -p demo
	$(BIN)/tseval score $(EXAMPLE) -q
	$(BIN)/tseval curve $(EXAMPLE) -o demo/curve.html
	$(BIN)/tseval curve $(EXAMPLE) -o demo/curve.png
	$(BIN)/tseval score $(EXAMPLE) -q -o demo/scores.json --quiet
	$(BIN)/tseval report demo/scores.json -o demo/report.html --quiet
	@echo "Look at $(CURDIR)/demo/report.html, $(CURDIR)/demo/curve.html and curve.png"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

# Each worker collects the tests; what this compiles once, none of them compiles again.
build/.collected: $(VENV)/.dev $(TESTS)
	@$(BIN)/pytest --collect-only --quiet >/dev/null
	@mkdir -p build && touch $@

tests: build/.collected chromium
	$(BIN)/pytest -n 3 --short

tests-all: build/.collected chromium
	$(BIN)/pytest -n 3

# The tests that open a page need Chromium: Debian's, where it is missing and can be installed.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
	echo "Chromium is missing and cannot be installed: the tests that open a page are skipped"

cli: $(VENV)/.dev
	$(BIN)/python docs/generate_cli.py --check
	$(BIN)/python docs/generate_lists.py --check

docs: docs/_build/.stamp

docs/_build/.stamp: $(VENV)/.dev $(PAGES) $(PACKAGES)
	$(BIN)/sphinx-build -W --keep-going --quiet -b html docs docs/_build/html
	@touch $@

wheel: build/.wheel

build/.wheel: $(VENV)/.dev .ci/smoke.sh .ci/build.sh .ci/places.sh .ci/bill.py .ci/engineer.sh $(PACKAGES) $(FIXTURES) README.md LICENSE
	.ci/smoke.sh $(BIN)/python dist
	@mkdir -p build && touch $@

release: wheel
	.ci/reproduced.sh $(BIN)/python dist

audit: $(VENV)/.dev
	$(BIN)/python .ci/audit.py

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python docs/generate_cli.py
	$(BIN)/python docs/generate_lists.py

hooks: $(VENV)/.dev
	$(BIN)/pre-commit install

slow: $(VENV)/.dev
	$(BIN)/pytest -q -n 2 --write-slow

# Counting branches makes tests too slow for every run of CI.
coverage: $(VENV)/.dev
	$(BIN)/pytest -n 2 --cov --cov-report=term --cov-report=html:build/coverage

versions: $(VENV)/.dev
	.ci/versions.sh $(BIN)/uv

clean:
	rm -rf build dist demo docs/_build .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
