# Everything a contributor runs. One Cargo profile (release) serves all of it, so that polars is
# compiled once; always --workspace, because another selection of crates means other features and
# another compilation of polars.
PYTHON ?= python3.11
VENV := .venv
PEERS := .venv-peers
DATACOMPY := .venv-datacompy
BIN := $(VENV)/bin
CARGO := cargo
FIXTURE := fixtures/orders.xlsx
CODE := headstart tests bench fixtures

.PHONY: help demo test corpus lint fmt bench docs wheel clean
help: ## print these lines
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## /  make \1\t/' | expand -t 16

$(VENV)/.tools: tests/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -r tests/requirements.txt
	touch $@

.PHONY: build
build: $(VENV)/.tools
	$(CARGO) build --release --workspace
	$(BIN)/maturin develop --release --quiet

demo: build ## build, install into .venv, run the main job on a real workbook
	$(BIN)/hs montre $(FIXTURE) -n 8
	$(BIN)/hs decris $(FIXTURE)
	$(BIN)/python fixtures/demo.py

test: build ## all tests: Rust, shell, Python, parity, layout
	$(CARGO) test --release --workspace
	$(BIN)/python -m pytest -q -rs tests/python tests/corpus
	$(BIN)/python -m pytest -q -rs tests/kernel
	$(BIN)/python tests/layout.py

corpus: build ## load every file of the corpus beside the project, with limits
	$(BIN)/python tests/corpus/run.py

lint: $(VENV)/.tools ## formatting, clippy, rustdoc, ruff, mypy, layout
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --workspace --no-deps --quiet
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy --strict headstart
	$(BIN)/python tests/layout.py

fmt: $(VENV)/.tools ## format all code
	$(CARGO) fmt --all
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

# Other readers, newest versions, in an environment of their own.
$(PEERS)/.tools: bench/requirements.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet -r bench/requirements.txt
	touch $@

# datacompy, which needs older libraries than the others.
$(DATACOMPY)/.tools: bench/requirements-datacompy.txt
	$(PYTHON) -m venv $(DATACOMPY)
	$(DATACOMPY)/bin/python -m pip install --quiet -r bench/requirements-datacompy.txt
	touch $@

bench: build $(PEERS)/.tools $(DATACOMPY)/.tools ## measure side by side with other libraries
	PYTHONPATH=. $(PEERS)/bin/python bench/charge_csv.py
	PYTHONPATH=. $(PEERS)/bin/python bench/charge_jsonl.py
	PYTHONPATH=. $(PEERS)/bin/python bench/charge_xlsx.py
	PYTHONPATH=. $(PEERS)/bin/python bench/sauve_text.py
	PYTHONPATH=. $(PEERS)/bin/python bench/sauve_xlsx.py
	PYTHONPATH=. $(PEERS)/bin/python bench/joins.py
	PYTHONPATH=. $(PEERS)/bin/python bench/sauve_parquet.py
	PYTHONPATH=. $(PEERS)/bin/python bench/decris.py
	PYTHONPATH=. $(PEERS)/bin/python bench/combien.py
	PYTHONPATH=. $(PEERS)/bin/python bench/compare.py
	PYTHONPATH=. $(DATACOMPY)/bin/python bench/compare.py
	$(BIN)/python bench/kernel/app.py
	PYTHONPATH=. $(PEERS)/bin/python bench/interroge.py

docs: build $(PEERS)/.tools ## write docs/correctness.md, run every example, build the Rust documentation
	$(BIN)/python tests/corpus/grid.py --peers $(PEERS)/bin/python
	$(BIN)/python -m pytest -q tests/python/test_docs.py
	$(CARGO) doc --release --workspace --no-deps

wheel: $(VENV)/.tools ## build the wheel into dist/
	$(BIN)/maturin build --release --out dist

clean: ## remove everything that was built
	rm -rf target $(VENV) $(PEERS) $(DATACOMPY) dist headstart/*.so
