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
# Most tests of the kernel wait for another process. A file's tests stay in their order.
SIDE_BY_SIDE := -n 2 --dist loadfile
CODE := headstart tests bench fixtures docs/hosts docs/pictures

.PHONY: help demo test corpus lint fmt bench docs wheel pythons clean
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
	$(BIN)/python -m pytest -q -rs $(SIDE_BY_SIDE) tests/python tests/corpus
	$(BIN)/python -m pytest -q -rs $(SIDE_BY_SIDE) tests/kernel
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

# xan, which is measured in the shell; without it, its rows are left out.
XAN := $(PEERS)/xan/bin/xan
$(XAN): $(PEERS)/.tools
	-$(CARGO) install xan --locked --quiet --root $(PEERS)/xan --target-dir $(PEERS)/xan-target
	rm -rf $(PEERS)/xan-target

bench: build $(PEERS)/.tools $(DATACOMPY)/.tools $(XAN) ## measure side by side with others, write docs/performance.md
	$(BIN)/python bench/every.py $(if $(QUICK),--quick) $(foreach name,$(ONLY),--only $(name))

docs: build $(PEERS)/.tools ## write docs/correctness.md and the pictures, run every example, build the Rust documentation
	$(BIN)/python tests/corpus/grid.py --peers $(PEERS)/bin/python
	$(BIN)/python docs/pictures/terminal.py
	$(BIN)/python docs/pictures/notebook.py
	$(BIN)/python -m pytest -q tests/python/test_docs.py
	$(CARGO) doc --release --workspace --no-deps

wheel: $(VENV)/.tools ## build the wheel into dist/
	rm -f dist/headstart-*.whl
	$(BIN)/maturin build --release --strip --out dist

# Each in an environment of its own, with the wheel as users get it.
PYTHONS ?= python3.12 python3.13
pythons: build wheel ## the Python tests on other Pythons: make pythons PYTHONS="python3.13"
	set -e; for python in $(PYTHONS); do \
		$$python -m venv .venv-$$python; \
		.venv-$$python/bin/python -m pip install --quiet -r tests/requirements.txt; \
		.venv-$$python/bin/python -m pip install --quiet --force-reinstall --no-deps dist/headstart-*.whl; \
		.venv-$$python/bin/pytest -q -rs tests/python; \
		.venv-$$python/bin/pytest -q -rs tests/kernel; \
	done

clean: ## remove everything that was built
	rm -rf target .venv .venv-* dist headstart/*.so
