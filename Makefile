# make run    set up, index the documents in data/, open the app on http://localhost:8501
# make test   set up, and run every test
# make check  format, lint and types

PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
# The first interpreter of a supported version; say PYTHON=/path/to/python3.12 to choose another.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && { command -v $$p; break; }; done)

.PHONY: run setup setup-dev test test-fast check format browser samples clean

run: setup
	@$(BIN)/python -c 'import socket, sys; sys.exit(not socket.socket().connect_ex(("127.0.0.1", $(PORT))))' || { \
		echo "Port $(PORT) is in use, perhaps by this app: stop what runs there, or run make run PORT=$$(($(PORT) + 1))"; exit 1; }
	@code=0; $(BIN)/python -m ingestion sync || code=$$?; \
	case $$code in 0|1|75) ;; *) exit $$code;; esac
	@echo; echo "  Open http://localhost:$(PORT)   (stop with Ctrl-C)"; echo
	@exec $(BIN)/streamlit run app.py --server.port $(PORT)

setup: $(VENV)/.installed

setup-dev: $(VENV)/.installed-dev browser

test: setup-dev
	$(BIN)/python -m pytest

# without the tests that need a browser, a real model or killed processes
test-fast: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "not e2e and not model and not crash"

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

samples: $(VENV)/.installed-dev
	$(BIN)/python -m samples

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed and none was found: install one, or run make PYTHON=/path/to/python3.12"; exit 1; }
	@echo "Creating the virtual environment with $(PYTHON)"
	@"$(PYTHON)" -m venv $(VENV) || { echo "The venv module is missing: on Debian or Ubuntu run apt-get install python3-venv"; rm -rf $(VENV); exit 1; }

$(VENV)/.installed: requirements.txt | $(VENV)/bin/python
	@echo "Installing what is missing of the packages (all of them: about 1.5 GB on disk and a few minutes)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

# The browser tests take a Chromium or Chrome of the machine, else Debian's package, else Playwright's own build.
browser: $(VENV)/.installed-dev
	@if command -v chromium || command -v chromium-browser || command -v google-chrome; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; \
	else $(BIN)/playwright install chromium; fi

clean:
	rm -rf index .pytest_cache .mypy_cache .ruff_cache .hypothesis
