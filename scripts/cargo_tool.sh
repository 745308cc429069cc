#!/bin/sh
# Installs a program of crates.io where it is missing, at the version that Centipawn is built and checked with. `--locked` builds it from
# its own lock file, which has a checksum for each dependency.
# Usage: scripts/cargo_tool.sh NAME
set -eu
case $1 in
    cargo-auditable) version=0.7.7 ;;
    cargo-cyclonedx) version=0.5.9 ;;
    cargo-deb) version=3.8.0 ;;
    cargo-deny) version=0.20.2 ;;
    cargo-nextest) version=0.9.143 ;;
    cargo-semver-checks) version=0.51.0 ;;
    rust-audit-info) version=0.5.4 ;;
    *)
        echo "scripts/cargo_tool.sh has no version for $1." >&2
        exit 2
        ;;
esac

command -v "$1" >/dev/null 2>&1 || [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/$1" ] || cargo install --locked --version "$version" "$1"
