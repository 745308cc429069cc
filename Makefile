# `make demo` reviews three famous games; `make test` runs every test. Both install what they need.

CENTIPAWN = target/release/centipawn
UV = $(shell command -v uv || echo $(CURDIR)/target/uv/bin/uv)
PYTHON = crates/python/.venv/bin/python
MDBOOK = $(shell command -v mdbook || echo $(CURDIR)/target/mdbook/bin/mdbook)

.PHONY: help demo build tab dist deb wheel sdist test test-all setup lint unit build-tests doctest doc book pictures ui page browser python differential unit-libraries audit semver soak gui-match fuzz figures bench-pgn bench-wdl bench-material bench-people bench-fleet bench-python bench-store bench-puzzles bench-policy bench-policy-quality

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-21s%s\n", $$1, $$2}'

demo: ## Review the example games with Stockfish
	@scripts/setup.sh demo
	cargo build --release
	@mkdir -p out
	$(CENTIPAWN) review examples/*.pgn --nodes 200000 -o out/examples.pgn --html out/examples.html --json out/examples.json
	@echo
	@echo "The report:         $(CURDIR)/out/examples.html"
	@echo "The annotated PGN:  $(CURDIR)/out/examples.pgn"
	@echo "On a board:         $(CENTIPAWN) serve --nodes 200k --open"

build: ## Build target/release/centipawn
	cargo build --release

test: setup lint unit doctest book page browser python differential ## Install what tests need, then check and test everything

test-all: ## The same with all cases of the slow tests, as each night
	CENTIPAWN_TEST_ALL=1 $(MAKE) --no-print-directory test

setup: ## Install what tests need
	@scripts/setup.sh test

lint: ## Formatting, lints, licences
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(PYTHON) -m ruff check --quiet
	cd crates/web/ui && npm ci --silent --no-audit --no-fund && node_modules/.bin/oxlint --quiet src vite*.ts
	@! cargo deny --version >/dev/null 2>&1 || cargo deny --all-features --offline check licenses bans sources

audit: ## Licences, sources and known vulnerabilities of crates, and of the packages of npm (needs cargo-deny)
	cargo deny --all-features check
	cd crates/web/ui && npm audit --package-lock-only
	cd tests/browser && npm audit --package-lock-only

# A test whose engine, server or Python is missing is skipped and says so; with these variables it fails.
REQUIRE = CENTIPAWN_REQUIRE_ENGINES=1 CENTIPAWN_REQUIRE_POSTGRES=1 CENTIPAWN_REQUIRE_DUCKDB=1

unit: ## Unit, golden, property, snapshot and whole-program tests, with real Stockfish and PostgreSQL
	$(REQUIRE) cargo nextest run --workspace

build-tests:
	cargo nextest run --workspace --no-run --cargo-quiet

doctest: doc ## The documentation, and its examples
	cargo test --workspace --doc --quiet

doc: ## Build the documentation of the libraries
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --lib --no-deps --quiet

book: ## Build the book of the documentation into target/book, and check its links
	@scripts/setup.sh book
	cargo build --quiet --workspace --bin centipawn --example openapi
	@rm -rf target/book
	$(MDBOOK) build
	python3 scripts/book.py check target/book

pictures: ui ## Make the pictures of the book: of the page in a browser, and plots by the program
	cargo build --quiet --workspace --bin centipawn
	cd tests/browser && npm ci --silent --no-audit --no-fund && node pictures.js

unit-libraries: ## Unit tests of the libraries alone, for systems without Unix
	cargo test --quiet -p centipawn-core -p centipawn-progress -p centipawn-pgn -p centipawn-policy --lib

ui: ## Build the page from its sources
	@mkdir -p target
	cargo build --quiet --workspace --example openapi
	target/debug/examples/openapi > target/openapi.json
	cd crates/web/ui && npm ci --silent --no-audit --no-fund && npm run --silent build

# The page without a server. Its program is optimised for speed, as the command line's.
WASM = wasm32-unknown-unknown
TAB_PROFILE = release

tab: ## Build the page without a server into target/tab, for any web space
	cd crates/tab/engine && npm ci --silent --no-audit --no-fund --ignore-scripts
	RUSTFLAGS="$(if $(filter release,$(TAB_PROFILE)),-C target-feature=+simd128)" cargo rustc --quiet -p centipawn-tab --lib --crate-type cdylib --target $(WASM) --profile $(TAB_PROFILE)
	cd crates/web/ui && npm ci --silent --no-audit --no-fund && npm run --silent build-tab
	node scripts/tab.mjs target/$(WASM)/$(TAB_PROFILE:dev=debug)/centipawn_tab.wasm

page: ui ## Check that the committed page is what its sources build
	git diff --exit-code --stat crates/web/dist crates/site/dist

browser: build-tests ## What people see in a browser, in a real one
	$(MAKE) --no-print-directory tab TAB_PROFILE=dev
	cd tests/browser && npm ci --silent --no-audit --no-fund && npm test --silent

python: ## Build the Python package, and test it with its types and its notebook
	cd crates/python && PATH="$(dir $(UV)):$$PATH" .venv/bin/maturin develop --uv --quiet
	cd crates/python && .venv/bin/pytest -q -n auto --dist worksteal
	cd crates/python && .venv/bin/mypy --strict python/centipawn tests/test_types.py
	cd crates/python && .venv/bin/stubtest centipawn._centipawn --concise

differential: build-tests ## Generated and damaged games, read by python-chess too
	$(PYTHON) scripts/differential.py target/debug/centipawn $(or $(GAMES),2000) $(or $(MUTANTS),1000) $(or $(SEED),1)

PACKAGES = target/packages

dist: ## Build the program for others, with manual pages and completions, as an archive in target/packages
	cargo build --release --locked
	scripts/dist.sh

deb: dist ## The same as a package of Debian (installs cargo-deb)
	cargo deb --version >/dev/null 2>&1 || cargo install --locked --version 3.8.0 cargo-deb
	cargo deb -p centipawn --no-build --no-strip -o $(PACKAGES)/

wheel: ## Build the wheel for others into target/packages (OPTIONS="…" for maturin)
	$(UV) run --quiet --project crates/python --locked --isolated --only-group release maturin build --release --locked $(OPTIONS) -m crates/python/Cargo.toml -o $(PACKAGES)

sdist: ## Pack the sources of the Python package into target/packages
	$(UV) run --quiet --project crates/python --locked --isolated --only-group release maturin sdist -m crates/python/Cargo.toml -o $(PACKAGES)

semver: ## Compare the interfaces of the libraries with those of the last tag (needs cargo-semver-checks)
	cargo semver-checks --workspace --exclude centipawn --exclude centipawn-fake-engine --exclude centipawn-python --exclude centipawn-test-support --exclude centipawn-tools --baseline-rev $$(git describe --tags --abbrev=0 --match 'v*')

soak: build-tests ## Engines, kills and damage for an hour, with a report (SECONDS=3600 SEED=1)
	python3 scripts/soak.py target/debug/centipawn target/debug/centipawn-fake-engine $(or $(SECONDS),3600) $(or $(SEED),1)

gui-match: build ## A match of a wrapped engine by a chess program's command line (GUI=fastchess or cutechess-cli, GAMES=100)
	python3 scripts/gui_match.py $(or $(GUI),fastchess) $(CENTIPAWN) $(or $(GAMES),100)

fuzz: ## Each fuzz target for some minutes; needs cargo-fuzz and a nightly compiler (SECONDS=180)
	for target in $$(cargo +nightly fuzz list); do \
		mkdir -p fuzz/corpus/$$target fuzz/seeds/$$target; \
		cargo +nightly fuzz run $$target fuzz/corpus/$$target fuzz/seeds/$$target -- \
			-max_total_time=$(or $(SECONDS),180) -timeout=10 -rss_limit_mb=2048 -detect_leaks=0 || exit 1; \
	done

figures: build ## Measure the figures that README.md and docs publish, and print them as a table (ARGS="--only wdl")
	python3 scripts/figures.py $(ARGS)

# Benchmarks and generators of data: crates/tools.
TOOL = cargo run --release --quiet -p centipawn-tools --bin

bench-pgn: ## How fast games are read, beside others (GAMES="FILES…")
	$(TOOL) bench_pgn -- $(GAMES)

bench-wdl: build ## How fast games are counted and models fitted, beside WDL_model if it is on PATH (GAMES=FILE)
	$(TOOL) bench_wdl -- $(CENTIPAWN) $(GAMES)

bench-material: ## How fast piece values are found, beside python-chess (GAMES="FILES…")
	$(TOOL) bench_material -- $(GAMES)

PEOPLE = $(wildcard ../shared/data/pgn/lichess/lichess_2021-10_*.pgn)

bench-people: ## How fast games between people are collected for their curve, beside a bare scan (GAMES="FILES…")
	$(TOOL) bench_people -- $(or $(GAMES),$(PEOPLE))

bench-fleet: build ## What the queue of a fleet costs (FLEET_TASKS=100000 FLEET_WORKERS=100), and two workers beside two threads
	cargo test --release -p centipawn-fleet --lib -- --ignored --nocapture
	scripts/bench_fleet.sh $(CENTIPAWN) $(GAMES)

bench-python: ## How fast games become tables in Python, beside python-chess (GAMES="FILES…")
	@scripts/setup.sh test
	cd crates/python && PATH="$(dir $(UV)):$$PATH" .venv/bin/maturin develop --uv --quiet --release
	$(PYTHON) scripts/bench_python.py $(or $(GAMES),$(wildcard ../shared/data/pgn/tcec/*.pgn))

bench-store: ## How fast evaluations are kept and found, SQLite beside PostgreSQL (ROWS=1000000)
	cargo bench --quiet -p centipawn-store --bench store -- $(or $(ROWS),1000000)

bench-puzzles: build ## How fast puzzles are tagged on one core (PUZZLES=FILE.csv), and what mining takes (GAMES=FILE RULES=… GOLDEN=FILE)
	$(TOOL) bench_tag -- $(or $(PUZZLES),examples/puzzles.csv) 1000
ifdef GAMES
	python3 scripts/bench_mine.py $(CENTIPAWN) $(GAMES) $(if $(RULES),--rules $(RULES)) $(if $(EFFORT),--effort $(EFFORT)) $(if $(GOLDEN),--golden $(GOLDEN))
endif

POLICY = ../shared/data/maia/maia-1500.pb.gz

bench-policy: ## How fast networks are evaluated, beside ONNX Runtime (POLICY=FILE)
	$(TOOL) bench_policy -- $(POLICY)
	$(UV) run --quiet --locked --project crates/python --group bench --no-install-project python scripts/bench_onnx.py $(POLICY)

MAIAS = ../shared/data/maia
HUMAN_GAMES = ../shared/data/pgn/lichess/lichess_2021-10_first999.pgn
RATED_PUZZLES = ../shared/data/puzzles/lichess_stratified_train.csv ../shared/data/puzzles/lichess_unbiased_2500.csv

bench-policy-quality: ## How well the policy in the program predicts people, and whether its limits hold (MAIAS=FOLDER HUMAN_GAMES=FILE RATED_PUZZLES="FIT CHECK")
	$(TOOL) policy_quality -- $(HUMAN_GAMES) $(MAIAS) $(RATED_PUZZLES)
