# `make demo` reviews three famous games; `make test` runs every test. Both install what they need.

CENTIPAWN = target/release/centipawn

.PHONY: help demo build test lint unit browser doc bench-pgn bench-wdl bench-store bench-material bench-policy bench-puzzles

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: ## Review the example games with Stockfish
	@scripts/setup.sh demo
	cargo build --release --quiet
	@mkdir -p out
	$(CENTIPAWN) review examples/*.pgn --nodes 200000 -o out/examples.pgn --html out/examples.html --json out/examples.json
	@echo
	@echo "The report:         $(CURDIR)/out/examples.html"
	@echo "The annotated PGN:  $(CURDIR)/out/examples.pgn"

build: ## Build target/release/centipawn
	cargo build --release

test: ## Install what tests need, then check and test everything
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory lint doc unit browser

lint: ## Formatting and lints
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

unit: ## Unit, golden, property, snapshot and whole-program tests, with real Stockfish and PostgreSQL
	CENTIPAWN_REQUIRE_ENGINES=1 CENTIPAWN_REQUIRE_POSTGRES=1 cargo nextest run --workspace
	cargo test --workspace --doc --quiet

browser: ## What people see in a browser, in a real one
	cargo build --quiet
	cd tests/browser && npm ci --silent --no-audit --no-fund && npm test --silent

doc: ## Build the documentation
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

bench-pgn: ## How fast games are read, beside others (GAMES="FILES…")
	cargo run --release --quiet -p centipawn-pgn --example bench_pgn -- $(GAMES)

bench-wdl: ## How fast games are counted and models fitted, beside WDL_model if it is on PATH (GAMES=FILE)
	cargo build --release --quiet
	cargo run --release --quiet -p centipawn-calibrate --example bench_wdl -- $(CENTIPAWN) $(GAMES)

bench-material: ## How fast piece values are found, beside python-chess (GAMES="FILES…")
	cargo run --release --quiet -p centipawn-calibrate --example bench_material -- $(GAMES)

bench-store: ## How fast evaluations are kept and found, SQLite beside PostgreSQL (ROWS=1000000)
	cargo run --release --quiet -p centipawn-store --example bench_store -- $(or $(ROWS),1000000)

POLICY = ../shared/data/maia/maia-1500.pb.gz

bench-puzzles: ## How fast puzzles are tagged on one core (PUZZLES=FILE.csv), and what mining takes (GAMES=FILE RULES=… GOLDEN=FILE)
	cargo run --release --quiet -p centipawn-puzzle --example bench_tag -- $(or $(PUZZLES),examples/puzzles.csv) 1000
ifdef GAMES
	cargo build --release --quiet
	python3 scripts/bench_mine.py $(CENTIPAWN) $(GAMES) $(if $(RULES),--rules $(RULES)) $(if $(EFFORT),--effort $(EFFORT)) $(if $(GOLDEN),--golden $(GOLDEN))
endif

bench-policy: ## How fast networks are evaluated, beside ONNX Runtime (POLICY=FILE)
	cargo run --release --quiet -p centipawn-policy --example bench_policy -- $(POLICY)
	@test -x target/onnx/bin/python || python3 -m venv target/onnx
	@target/onnx/bin/python -c "import onnx, onnxruntime" 2>/dev/null || target/onnx/bin/pip install --quiet onnx onnxruntime numpy
	@target/onnx/bin/python scripts/bench_onnx.py $(POLICY)
