#!/bin/sh
# rustdoc for `cargo test --doc` (RUSTDOC): also writes the documentation of each crate, in which a warning is an error. `cargo doc` would
# read all dependencies again for that.
set -eu

write_documentation() {
    # What is left of the arguments comes back at their end.
    left=$#
    while [ "$left" -gt 0 ]; do
        argument=$1
        shift
        left=$((left - 1))
        case $argument in
            --test) ;;
            --test-args | --test-run-directory)
                shift
                left=$((left - 1))
                ;;
            *) set -- "$@" "$argument" ;;
        esac
    done
    rustdoc "$@" -D warnings -o "${CARGO_TARGET_DIR:-target}/tested-doc"
}

case " $* " in
    *" --test "*) write_documentation "$@" ;;
esac
exec rustdoc "$@"
