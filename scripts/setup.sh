#!/bin/sh
# Installs missing programs that `make demo`, `make test` or `make book` needs (argument: demo, test or book), by apt on Debian and by Homebrew on
# macOS.
set -eu

have() { command -v "$1" >/dev/null 2>&1; }

# Debian puts engines into /usr/games, which root's PATH lacks.
have_engine() { have "$1" || [ -x "/usr/games/$1" ]; }

have_browser() {
    have chromium-headless-shell || have chromium || have chromium-browser || have google-chrome || [ -n "${CHROMIUM:-}" ] ||
        [ -d "/Applications/Chromium.app" ] || [ -d "/Applications/Google Chrome.app" ]
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        echo "This needs root, and sudo is missing. Run as root: $*" >&2
        return 1
    fi
}

# The package, then options for apt-get.
install_package() {
    if have apt-get; then
        as_root apt-get update -qq
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@"
    elif have brew; then
        brew install "$1"
    else
        echo "Please install $1 with your system's package manager, then run make again." >&2
        exit 1
    fi
}

# Debian also packs the browser without the frame around its pages, in which the tests need a third less time.
install_browser() {
    if have apt-get && ! have chromium-headless-shell && [ -z "${CHROMIUM:-}" ]; then
        if ! have_browser || apt-cache show chromium-headless-shell >/dev/null 2>&1; then
            install_package chromium-headless-shell || true
        fi
    fi
    have_browser || if have brew && ! have apt-get; then brew install --cask google-chrome; else install_package chromium; fi
}

# Debian keeps the server's programs off PATH, and Homebrew those of a version.
have_postgres() {
    have initdb && return
    for program in /usr/lib/postgresql/*/bin/initdb /opt/homebrew/opt/postgresql*/bin/initdb /usr/local/opt/postgresql*/bin/initdb; do
        [ -x "$program" ] && return
    done
    return 1
}

need_npm() {
    have node && have npm || { install_package nodejs; have npm || install_package npm; }
}

have cargo || {
    echo "Rust is missing. Install it from https://rustup.rs, then run make again." >&2
    exit 1
}
# The decompression libraries are built from C.
have cc || install_package gcc

if [ "${1:-demo}" = book ]; then
    # Without optimisation, mdBook is built in a minute, and builds the book in seconds.
    have mdbook || [ -x target/mdbook/bin/mdbook ] ||
        cargo install --quiet --locked --debug --root target/mdbook --version 0.5.4 --no-default-features --features search mdbook
    exit 0
fi
have_engine stockfish || install_package stockfish

[ "${1:-demo}" = test ] || exit 0

cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
rustup target list --installed 2>/dev/null | grep -q wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
cargo nextest --version >/dev/null 2>&1 || cargo install --locked --version 0.9.143 cargo-nextest
# Reports and the page are opened in a real browser.
need_npm
install_browser
# Tests start a separate server in a temporary folder; they need only its programs.
have_postgres || if have brew; then install_package postgresql@17; else install_package postgresql; fi
# Engines that behave differently from Stockfish, where Debian has them; without them their tests are skipped. The packages that they
# recommend are boards on a screen.
if have apt-get; then
    for engine in fairy-stockfish ethereal-chess toga2 gnuchess glaurung; do
        have_engine "$engine" || install_package "$engine" --no-install-recommends ||
            echo "$engine is unavailable; its test is skipped." >&2
    done
fi
# python-chess and DuckDB read what Centipawn writes; maturin builds the Python package. Debian has what makes virtual environments in a
# package; the Python of macOS is too old.
python3 -c "import ensurepip, sys; sys.exit(sys.version_info < (3, 10))" 2>/dev/null ||
    if have apt-get; then install_package python3-venv; else install_package python3; fi
uv=$(command -v uv || echo target/uv/bin/uv)
have uv || [ -x target/uv/bin/uv ] || { python3 -m venv target/uv && target/uv/bin/pip install --quiet --disable-pip-version-check uv==0.13.9; }
"$uv" sync --quiet --locked --project crates/python --group test --no-install-project
