# `make demo` reviews three famous games; `make test` runs every test. Both install what they need.

CENTIPAWN = target/release/centipawn

.PHONY: help demo build test lint unit doc bench-pgn bench-policy

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
	@$(MAKE) --no-print-directory lint doc unit

lint: ## Formatting and lints
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

unit: ## Unit, golden, property, snapshot and whole-program tests, with real Stockfish
	CENTIPAWN_REQUIRE_ENGINES=1 cargo nextest run --workspace
	cargo test --workspace --doc --quiet

doc: ## Build the documentation
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

bench-pgn: ## How fast games are read, beside others (GAMES="FILES…")
	cargo run --release --quiet -p centipawn-pgn --example bench_pgn -- $(GAMES)

POLICY = ../shared/data/maia/maia-1500.pb.gz

bench-policy: ## How fast networks are evaluated, beside ONNX Runtime (POLICY=FILE)
	cargo run --release --quiet -p centipawn-policy --example bench_policy -- $(POLICY)
	@test -x target/onnx/bin/python || python3 -m venv target/onnx
	@target/onnx/bin/python -c "import onnx, onnxruntime" 2>/dev/null || target/onnx/bin/pip install --quiet onnx onnxruntime numpy
	@target/onnx/bin/python scripts/bench_onnx.py $(POLICY)
