# `make demo` reviews three famous games; `make test` runs every test. Both install what they need.

# The profile of `make build` and of measurements; PROFILE=dist measures what `make dist` packs.
PROFILE = release
CENTIPAWN = target/$(PROFILE)/centipawn

.PHONY: bench-fleet help demo build test test-all lint style build-tests unit doctest ui page browser doc bench-pgn bench-wdl bench-store bench-material bench-people bench-policy bench-policy-quality bench-puzzles bench-python train-policy train-smoke audit dependency-list pins differential gui-match soak fuzz python wheel dist release-dry unit-libraries semver figures

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-21s%s\n", $$1, $$2}'

demo: ## Review the example games with Stockfish
	@scripts/setup.sh demo
	cargo build --profile demo --quiet --no-default-features --features serve
	@mkdir -p out
	target/demo/centipawn review examples/*.pgn --nodes 200000 -o out/examples.pgn --html out/examples.html --json out/examples.json
	@echo
	@echo "The report:         $(CURDIR)/out/examples.html"
	@echo "The annotated PGN:  $(CURDIR)/out/examples.pgn"
	@echo "On a board:         target/demo/centipawn serve --nodes 200k --open"

build: ## Build target/release/centipawn
	cargo build --profile $(PROFILE)

# The page first: what contains it is built after it. Tests often wait, for engines, servers or a browser; so some are made at the same
# time. Some tests of `--then` measure time; those beside them, at lower priority, hardly disturb them.
STEPS_OF_TEST = page style build-tests --then unit browser --beside python --beside doctest differential

test: ## Install what tests need, then check and test everything; prints the time of each step
	@scripts/setup.sh test
	@MAKE="$(MAKE)" $(PYTHON) scripts/steps.py $(STEPS_OF_TEST)

test-all: ## The same with all cases of the slow tests, as each night
	CENTIPAWN_TEST_ALL=1 $(MAKE) --no-print-directory test

lint: style ## Formatting, all lints, licences
	cargo clippy --workspace --all-targets --quiet -- -D warnings

style: ## The same without the lints of Rust, which `make build-tests` has
	@scripts/setup.sh lint
	cargo fmt --all --check
	target/python/bin/ruff check --quiet
	cd crates/web/ui && node_modules/.bin/oxlint --quiet src vite*.ts
	@! cargo deny --version >/dev/null 2>&1 || cargo deny --all-features --offline check licenses bans sources

audit: ## Licences, sources and known vulnerabilities of crates, and of the packages of npm (installs cargo-deny, which takes long)
	@scripts/cargo_tool.sh cargo-deny
	cargo deny --all-features check
	cd crates/web/ui && npm audit --package-lock-only
	cd tests/browser && npm audit --package-lock-only

# The debug build of everything, linted as it is compiled. Targets that need a debug build make exactly this one: another selection gives
# dependencies other features, another compiler builds the crates again.
export TESTED = --workspace --all-targets
LINTING = RUSTC_WORKSPACE_WRAPPER="$(CURDIR)/scripts/linting_rustc.sh"

build-tests: ## The debug build of all tests and benchmarks, and lints of Rust
	$(LINTING) cargo build --quiet $(TESTED)

unit: build-tests ## Unit, golden, property, snapshot and whole-program tests, with real Stockfish and PostgreSQL
	@# The same random inputs each time; `make test-all`, and `cargo nextest run` by itself, draw new ones.
	CENTIPAWN_REQUIRE_ENGINES=1 CENTIPAWN_REQUIRE_POSTGRES=1 CENTIPAWN_REQUIRE_DUCKDB=1 $(if $(CENTIPAWN_TEST_ALL),,PROPTEST_RNG_SEED=1) \
		$(LINTING) cargo nextest run --profile whole --test-threads $$((2 * $$(getconf _NPROCESSORS_ONLN) + 5)) --workspace --bins --tests

doctest: build-tests ## The documentation, and its examples
	$(LINTING) RUSTDOC=scripts/tested_rustdoc.sh cargo test --workspace --doc --quiet

unit-libraries: ## Unit tests of the libraries alone, for systems without Unix
	cargo test --quiet -p centipawn-core -p centipawn-progress -p centipawn-pgn -p centipawn-policy --lib

ui: ## Build the page from its sources
	cd crates/web/ui && npm ci --silent --no-audit --no-fund && npm run --silent build

page: ui ## Check that the committed page, and its types, are what their sources build
	git diff --exit-code --stat crates/web/dist crates/site/dist crates/web/ui/src/schema.ts

PYTHON = target/python/bin/python

differential: build-tests ## Generated and damaged games, read by python-chess too
	$(PYTHON) scripts/differential.py target/debug/centipawn $(or $(GAMES),2000) $(or $(MUTANTS),1000) $(or $(SEED),1)

WHEELS = target/wheels
WHEEL_PYTHON = target/wheel/bin/python

python: ## Build the Python package, install it into fresh environments, test it with its types and its notebook
	@scripts/setup.sh python
	rm -rf $(WHEELS)
	$(LINTING) CARGO="$(CURDIR)/scripts/tested_cargo.sh" $(PYTHON) -m maturin build --quiet --profile dev -m crates/python/Cargo.toml -o $(WHEELS)
	@# With nothing but what the wheel asks for: without an index, pip fails if that is more than NumPy.
	rm -rf target/bare && scripts/pinned.sh target/bare bare && target/bare/bin/pip install --quiet --no-index $(WHEELS)/*.whl
	cd examples && ../target/bare/bin/python -c "import centipawn as cp; assert len(cp.scan('opera-game.pgn')['ply']) == 33"
	$(WHEEL_PYTHON) -m pip install --quiet --no-index --force-reinstall --no-deps $(WHEELS)/*.whl
	cd crates/python && ../../$(WHEEL_PYTHON) -m pytest -q -n auto --dist worksteal tests
	cd crates/python && ../../$(WHEEL_PYTHON) -m mypy --strict python/centipawn tests/test_types.py
	cd target && wheel/bin/python -m mypy.stubtest centipawn._centipawn --concise

PACKAGES = target/packages

wheel: ## Build the wheel for others into target/packages
	@scripts/setup.sh python
	@scripts/cargo_tool.sh cargo-auditable
	@# cargo keeps a library that an earlier build made without the list of its crates.
	cargo clean --quiet --profile dist -p centipawn-python
	CARGO=$(CURDIR)/scripts/auditable.sh $(PYTHON) -m maturin build --locked --profile dist -m crates/python/Cargo.toml -o $(PACKAGES)

dist: ## Build the program for others, with manual pages and completions, as an archive with its checksum in target/packages
	@scripts/cargo_tool.sh cargo-auditable
	cargo auditable build --locked --profile dist
	mkdir -p $(PACKAGES)
	NAME=centipawn-$$(target/dist/centipawn --version | cut -d' ' -f2)-$$(rustc -vV | sed -n 's/^host: //p') && \
		scripts/stage.sh target/packed/$$NAME target/dist/centipawn && \
		cp target/dist/centipawn* target/packed/$$NAME/ && rm -f target/packed/$$NAME/*.d && \
		case $$NAME in \
			*windows*) FILE=$$NAME.zip && (cd target/packed/$$NAME && 7z a -bso0 ../../../$(PACKAGES)/$$FILE .) ;; \
			*) FILE=$$NAME.tar.gz && tar -czf $(PACKAGES)/$$FILE -C target/packed $$NAME ;; \
		esac && cd $(PACKAGES) && { command -v sha256sum >/dev/null && sha256sum $$FILE || shasum -a 256 $$FILE; } > $$FILE.sha256

release-dry: ## Build and try what a release publishes, without publishing; needs Debian on x86-64 (STEPS="programs deb …")
	@scripts/setup.sh release
	scripts/release.py $(STEPS)

dependency-list: ## Check that what `make dist` and `make wheel` built contains the list of its crates (installs rust-audit-info)
	@scripts/cargo_tool.sh rust-audit-info
	python3 scripts/dependency_list.py $(wildcard target/dist/centipawn target/dist/centipawn.exe target/*/dist/centipawn $(PACKAGES)/*.whl)

semver: ## Compare the interfaces of the libraries with those of the last tag (installs cargo-semver-checks)
	@TAG=$$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || { echo "There is no tag v… yet: nothing to compare with."; exit 0; }; \
		scripts/cargo_tool.sh cargo-semver-checks && \
		cargo semver-checks --workspace --exclude centipawn --exclude centipawn-fake-engine --exclude centipawn-python --exclude centipawn-tools --baseline-rev "$$TAG"

soak: build-tests ## Engines, kills and damage for an hour, with a report (SECONDS=3600 SEED=1)
	python3 scripts/soak.py target/debug/centipawn target/debug/centipawn-fake-engine $(or $(SECONDS),3600) $(or $(SEED),1)

gui-match: ## A match of a wrapped engine by a chess program's command line (GUI=fastchess or cutechess-cli, GAMES=100)
	cargo build --profile $(PROFILE) --quiet
	python3 scripts/gui_match.py $(or $(GUI),fastchess) $(CENTIPAWN) $(or $(GAMES),100)

fuzz: ## Each fuzz target for some minutes; needs cargo-fuzz and a nightly compiler (SECONDS=180)
	for target in $$(cargo +nightly fuzz list); do \
		mkdir -p fuzz/corpus/$$target fuzz/seeds/$$target; \
		cargo +nightly fuzz run $$target fuzz/corpus/$$target fuzz/seeds/$$target -- \
			-max_total_time=$(or $(SECONDS),180) -timeout=10 -rss_limit_mb=2048 -detect_leaks=0 || exit 1; \
	done

browser: build-tests ## What people see in a browser, in a real one
	cd tests/browser && npm ci --silent --no-audit --no-fund && npm test --silent

LISTS = $(basename $(wildcard scripts/requirements/*.in))

pins: ## Resolve scripts/requirements/*.in again, with the hashes of all files of each release (ARGS="--upgrade")
	scripts/pinned.sh target/pins pins
	for list in $(LISTS); do \
		target/pins/bin/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-emit-find-links \
			--custom-compile-command "make pins" $(ARGS) $$list.in -o $$list.txt || exit 1; \
	done

doc: ## Build the documentation
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --exclude centipawn-tools --no-deps --quiet

# Benchmarks and generators of data: crates/tools.
TOOL = cargo run --profile $(PROFILE) --quiet -p centipawn-tools --bin

bench-pgn: ## How fast games are read, beside others (GAMES="FILES…")
	$(TOOL) bench_pgn -- $(GAMES)

bench-wdl: ## How fast games are counted and models fitted, beside WDL_model if it is on PATH (GAMES=FILE)
	cargo build --profile $(PROFILE) --quiet
	$(TOOL) bench_wdl -- $(CENTIPAWN) $(GAMES)

bench-material: ## How fast piece values are found, beside python-chess (GAMES="FILES…")
	$(TOOL) bench_material -- $(GAMES)

PEOPLE = $(wildcard ../shared/data/pgn/lichess/lichess_2021-10_*.pgn)

bench-people: ## How fast games between people are collected for their curve, beside a bare scan (GAMES="FILES…")
	$(TOOL) bench_people -- $(or $(GAMES),$(PEOPLE))

bench-fleet: ## What the queue of a fleet costs (FLEET_TASKS=100000 FLEET_WORKERS=100), and two workers beside two threads
	cargo test --profile $(PROFILE) -p centipawn-fleet --lib -- --ignored --nocapture
	cargo build --profile $(PROFILE) --quiet
	scripts/bench_fleet.sh $(CENTIPAWN) $(GAMES)

bench-python: ## How fast games become tables in Python, beside python-chess (GAMES="FILES…")
	@scripts/setup.sh python
	$(PYTHON) -m maturin build --quiet --profile $(PROFILE) -m crates/python/Cargo.toml -o $(WHEELS)/$(PROFILE)
	$(WHEEL_PYTHON) -m pip install --quiet --no-index --force-reinstall --no-deps $(WHEELS)/$(PROFILE)/*.whl
	$(WHEEL_PYTHON) scripts/bench_python.py $(or $(GAMES),$(wildcard ../shared/data/pgn/tcec/*.pgn))

bench-store: ## How fast evaluations are kept and found, SQLite beside PostgreSQL (ROWS=1000000)
	$(TOOL) bench_store -- $(or $(ROWS),1000000)

POLICY = ../shared/data/maia/maia-1500.pb.gz

bench-puzzles: ## How fast puzzles are tagged on one core (PUZZLES=FILE.csv), and what mining takes (GAMES=FILE RULES=… GOLDEN=FILE)
	$(TOOL) bench_tag -- $(or $(PUZZLES),examples/puzzles.csv) 1000
ifdef GAMES
	cargo build --profile $(PROFILE) --quiet
	python3 scripts/bench_mine.py $(CENTIPAWN) $(GAMES) $(if $(RULES),--rules $(RULES)) $(if $(EFFORT),--effort $(EFFORT)) $(if $(GOLDEN),--golden $(GOLDEN))
endif

bench-policy: ## How fast networks are evaluated, beside ONNX Runtime (POLICY=FILE)
	$(TOOL) bench_policy -- $(POLICY)
	@scripts/pinned.sh target/onnx onnx
	@target/onnx/bin/python scripts/bench_onnx.py $(POLICY)

MAIAS = ../shared/data/maia
HUMAN_GAMES = ../shared/data/pgn/lichess/lichess_2021-10_first999.pgn
HELD_OUT = ../shared/data/pgn/lichess/lichess_2021-10_eval96.pgn
RATED_PUZZLES = ../shared/data/puzzles/lichess_stratified_train.csv ../shared/data/puzzles/lichess_unbiased_2500.csv

bench-policy-quality: ## How well the policy in the program predicts people, and whether its limits hold, or one network of train-policy (MAIAS=FOLDER HUMAN_GAMES=FILE RATED_PUZZLES="FIT CHECK" ONE=FOLDER)
	$(TOOL) policy_quality -- $(HUMAN_GAMES) $(MAIAS) $(RATED_PUZZLES) $(if $(ONE),$(ONE)/tuned.pb.gz $(ONE)/unrounded.pb.gz)

POSITIONS = 260000
MINUTES = 480
TRAIN_PYTHON = target/train/bin/python
MAKE_POSITIONS = cargo run --release --quiet -p centipawn-tools --bin make_positions --

target/train/ready: scripts/requirements/train.txt
	scripts/pinned.sh target/train train
	touch $@

train-policy: target/train/ready ## One network for all levels, from Maia 1500 (MAIAS=FOLDER HUMAN_GAMES=FILE HELD_OUT=FILE POSITIONS=260000 MINUTES=480)
	$(MAKE_POSITIONS) target/train/positions.bin $(POSITIONS) 1 $(foreach rating,1100 1500 1900,$(MAIAS)/maia-$(rating).pb.gz) $(HUMAN_GAMES) $(HELD_OUT)
	$(TRAIN_PYTHON) scripts/train_policy.py $(MAIAS)/maia-1500.pb.gz target/train/positions.bin --minutes $(MINUTES) --output target/train/tuned

PACKED = crates/policy/networks/maia-$(1)-packed.pb.gz

train-smoke: target/train/ready ## Whether that training learns anything: 200 steps on a few positions
	$(MAKE_POSITIONS) target/train/smoke.bin 2000 1 $(foreach rating,1100 1500 1900,$(call PACKED,$(rating)))
	$(TRAIN_PYTHON) scripts/train_policy.py $(call PACKED,1500) target/train/smoke.bin --smoke --output target/train/smoke

figures: ## Figures that README.md and docs publish, measured again where that takes minutes, in docs/figures.md (ARGS="--kept", ARGS="--only wdl")
	cargo build --profile $(PROFILE) --quiet
	PROFILE=$(PROFILE) python3 scripts/figures.py $(ARGS)
