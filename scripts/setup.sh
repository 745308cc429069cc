#!/bin/sh
# Installs missing programs that a target of make needs (argument: demo, lint, test, python or release), by apt on Debian and by Homebrew
# on macOS.
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
have_engine stockfish || install_package stockfish

if [ "${1:-demo}" = test ]; then
    # The reports are opened in a real browser.
    need_npm
    install_browser
    cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
    cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
    scripts/cargo_tool.sh cargo-nextest
    # Tests start a separate server in a temporary folder; they need only its programs.
    have_postgres || if have brew; then install_package postgresql@17; else install_package postgresql; fi
    # Engines that behave differently from Stockfish, where Debian has them; without them their tests are skipped. What they recommend are
    # boards on a screen.
    if have apt-get; then
        for engine in fairy-stockfish ethereal-chess toga2 gnuchess glaurung; do
            have_engine "$engine" || install_package "$engine" --no-install-recommends ||
                echo "$engine is unavailable; its test is skipped." >&2
        done
    fi
fi

if [ "${1:-demo}" = test ] || [ "${1:-demo}" = lint ]; then
    need_npm
    # oxlint reads the sources of the page; `make ui` installs the same packages.
    (cd crates/web/ui && [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund)
fi

if [ "${1:-demo}" = release ]; then
    # The steps run programs of another processor, make an empty Debian, and check packages and recipes.
    for package in qemu-user-static debian-archive-keyring debootstrap lintian ruby nix-bin makepkg shellcheck; do
        dpkg -s "$package" >/dev/null 2>&1 || install_package "$package"
    done
    python3 -c "import ensurepip" 2>/dev/null || install_package python3-venv
    exit
fi

if [ "${1:-demo}" != demo ]; then
    # Debian has what makes virtual environments in a package; the Python of macOS is too old.
    python3 -c "import ensurepip, sys; sys.exit(sys.version_info < (3, 10))" 2>/dev/null ||
        if have apt-get; then install_package python3-venv; else install_package python3; fi
    # Games and plies that Centipawn writes are read by python-chess and DuckDB too; maturin builds the Python package.
    scripts/pinned.sh target/python tools
    # The package is tested in a second environment. `make test` leaves that to `make python`, which it runs beside other tests.
    [ "$1" != python ] || scripts/pinned.sh target/wheel wheel
fi
