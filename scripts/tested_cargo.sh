#!/bin/sh
# cargo for maturin (CARGO=scripts/tested_cargo.sh): takes the Python module from the tests' build, whose selection TESTED names. Built alone,
# it selects other features of its dependencies, and compiles many of them a second time.
if [ "$1" = rustc ]; then
    # These variables of maturin would make cargo compile pyo3 again. A module for the stable ABI needs none of it on Linux and macOS.
    unset PYO3_PYTHON PYO3_BUILD_EXTENSION_MODULE PYO3_ENVIRONMENT_SIGNATURE PYO3_CONFIG_FILE PYTHON_SYS_EXECUTABLE
    # shellcheck disable=SC2086 # several words
    exec cargo build --quiet --message-format json-render-diagnostics $TESTED
fi
exec cargo "$@"
