#!/bin/sh
# rustc for the crates of the workspace (RUSTC_WORKSPACE_WRAPPER): Clippy's, which lints what it compiles. A warning is an error.
case " $* " in
    # The test programs of optimised crates compute little themselves, and take five times as long to compile with optimisation.
    *" --crate-name it "*) set -- "$@" -C opt-level=0 ;;
esac
exec clippy-driver "$@" -D warnings
