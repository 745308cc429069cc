#!/bin/sh
# rustc for the crates of the workspace (RUSTC_WORKSPACE_WRAPPER): Clippy's, which lints what it compiles. A warning is an error.
exec clippy-driver "$@" -D warnings
