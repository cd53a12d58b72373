# Two commands do everything: `make demo` and `make test`. Both install what they need on the
# first run and touch no network afterwards.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed-$(shell cat requirements.lock pyproject.toml 2>/dev/null | cksum | tr ' ' '-')
LAKE ?= demo-lake
WORKERS ?= 2

.PHONY: demo test fast lint format proof soak bench bench-large docs lock clean

demo: $(STAMP)
	@$(BIN)/rollview demo --lake $(LAKE)

# Two processes, a file at a time: a Spark of its own for each. WORKERS=0 for one, with a debugger.
test: $(STAMP)
	@$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# The part without a Java process.
fast: $(STAMP)
	@$(BIN)/pytest -m "not spark and not proof and not soak"

lint: $(STAMP)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: $(STAMP)
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

# Everything that is asked for, resumable; writes docs/correctness.md.
proof: $(STAMP)
	@$(BIN)/python -m tests.roundtrip.proof

soak: $(STAMP)
	@$(BIN)/pytest -m soak --timeout 0 -s

# Refreshes against recomputation at scale 1, four sizes of changes in one lake, which stays: a run
# that was stopped goes on. Then what refreshes of little cost, and docs/performance.md.
bench: $(STAMP)
	@mkdir -p build/bench
	@for part in 0.0001 0.001 0.01 0.1; do \
	  $(BIN)/python -m benchmarks.tpch --lake build/bench/tpch-1 --change $$part --regret \
	    --json build/bench/tpch-1-$$part.json || exit 1; done
	@$(BIN)/python -m benchmarks.micro --journal build/bench/micro.jsonl \
	  --json build/bench/micro.json
	@$(BIN)/python -m benchmarks.report

# The same at scale 10: one size of changes, recomputation timed once. Needs 30 GB of disk.
bench-large: $(STAMP)
	@mkdir -p build/bench
	@$(BIN)/python -m benchmarks.tpch --scale 10 --rounds 2 --lake build/bench/tpch-10 \
	  --json build/bench/tpch-10-0.001.json
	@$(BIN)/python -m benchmarks.report

# What is generated from the code: the command line reference.
docs: $(STAMP)
	@$(BIN)/python docs/generate_cli.py

# The stamp is named after the contents of the lock and of pyproject.toml, so pip runs only when
# one of them has changed, whatever git did to the file times.
$(STAMP):
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or \
	  sys.exit("rollview needs Python 3.11 or newer; $(PYTHON) is %d.%d (use make PYTHON=...)" % v[:2])'
	@test -x $(BIN)/pip || { echo "creating .venv"; $(PYTHON) -m venv .venv; } || { rm -rf .venv; \
	  echo "$(PYTHON) cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@echo "installing the locked dependencies into .venv (a few minutes, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@rm -f .venv/.installed-* && touch $@

# Resolve pyproject.toml anew and write down what came out.
lock:
	@rm -rf build/lock && $(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install --quiet --disable-pip-version-check 'setuptools>=77' -e '.[dev]'
	@{ echo "# Written by make lock; installed by make demo and make test."; \
	   build/lock/bin/python -m pip freeze --all --exclude pip --exclude-editable; } > requirements.lock
	@rm -rf build/lock

clean:
	@rm -rf .venv build dist $(LAKE)
