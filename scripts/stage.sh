#!/bin/sh
# Puts into a folder what a package has besides the program: manual pages, completions, documents. The program must run on this machine.
# Usage: scripts/stage.sh FOLDER PROGRAM
set -eu
rm -rf "$1"
mkdir -p "$1/man"
"$2" man "$1/man"
"$2" completions bash > "$1/centipawn.bash"
"$2" completions zsh > "$1/_centipawn"
"$2" completions fish > "$1/centipawn.fish"
cp README.md LICENSE NOTICE CHANGELOG.md "$1"
