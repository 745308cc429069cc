#!/bin/sh
# Makes a virtual environment with the packages of scripts/requirements/NAME.txt. pip refuses a file whose hash is not there.
# Usage: scripts/pinned.sh ENVIRONMENT NAME. Does nothing where the environment has been made from the same list.
set -eu
environment=$1
list=scripts/requirements/$2.txt
stamp=$environment/pinned-$2.txt

# A new Python does not see the packages of the old one.
if cmp -s "$list" "$stamp" && "$environment/bin/python" -c "import pip" 2>/dev/null; then exit; fi

python3 -m venv "$environment"
install() { "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes "$@"; }
# Without isolation, packages that have no wheel are built by these and not by what pip would download without a hash.
install --only-binary :all: -r scripts/requirements/build.txt
install --no-build-isolation -r "$list"
cp "$list" "$stamp"
