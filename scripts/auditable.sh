#!/bin/sh
# cargo for maturin (CARGO=scripts/auditable.sh): what it builds contains the list of its crates.
exec cargo auditable "$@"
