#!/bin/sh
# Packs target/release/centipawn with its manual pages and completions into target/packages, as an archive with its checksum.
# The Debian package takes the same files from target/packed.
set -eu
cd "$(dirname "$0")/.."
program=target/release/centipawn
suffix=
[ -x "$program" ] || suffix=.exe

rm -rf target/packed
mkdir -p target/packed/man target/packages
cp "$program$suffix" README.md LICENSE NOTICE CHANGELOG.md target/packed
"$program$suffix" man target/packed/man
"$program$suffix" completions bash > target/packed/centipawn.bash
"$program$suffix" completions zsh > target/packed/_centipawn
"$program$suffix" completions fish > target/packed/centipawn.fish

# Unpacking makes one folder, so that it overwrites no file.
name=centipawn-$("$program$suffix" --version | cut -d' ' -f2)-$(rustc -vV | sed -n 's/^host: //p')
rm -rf "target/$name"
cp -R target/packed "target/$name"
if [ -z "$suffix" ]; then
    archive=$name.tar.gz
    tar -czf "target/packages/$archive" -C target "$name"
else
    archive=$name.zip
    (cd target && 7z a -bso0 "packages/$archive" "$name")
fi
rm -rf "target/${name:?}"

cd target/packages
if command -v sha256sum >/dev/null; then sha256sum "$archive"; else shasum -a 256 "$archive"; fi > "$archive.sha256"
