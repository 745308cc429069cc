"""Checks that programs and wheels contain the list of their crates, as cargo-auditable writes it, and that Cargo.lock has each of them.

    python3 scripts/dependency_list.py target/dist/centipawn target/packages/centipawn-0.1.0-cp310-abi3-linux_x86_64.whl

Needs rust-audit-info, which `make dependency-list` installs.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).parent.parent
LOCKED = set(re.findall(r'^name = "(.+)"\nversion = "(.+)"', (ROOT / "Cargo.lock").read_text(), re.M))
CARGO = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo")) / "bin"


def check(name: str, binary: pathlib.Path) -> None:
    path = os.pathsep.join([os.environ["PATH"], str(CARGO)])
    run = subprocess.run(["rust-audit-info", str(binary)], capture_output=True, text=True, env=os.environ | {"PATH": path}, check=False)
    if run.returncode:
        sys.exit(f"{name}: {run.stderr.strip()}")
    crates = json.loads(run.stdout)["packages"]
    roots = [crate["name"] for crate in crates if crate.get("root")]
    unlocked = sorted({(crate["name"], crate["version"]) for crate in crates} - LOCKED)
    if len(roots) != 1 or not roots[0].startswith("centipawn") or unlocked:
        sys.exit(f"{name}: the list is of {roots}, and Cargo.lock lacks {unlocked} of it")
    print(f"{name}: {roots[0]} with {len(crates) - 1} crates")


def main() -> None:
    if len(sys.argv) == 1:
        sys.exit("No package to check: run `make dist` or `make wheel` first.")
    for argument in sys.argv[1:]:
        if not argument.endswith(".whl"):
            check(argument, pathlib.Path(argument))
            continue
        with zipfile.ZipFile(argument) as wheel, tempfile.TemporaryDirectory() as folder:
            for member in wheel.namelist():
                if member.endswith((".so", ".pyd")):
                    check(argument, pathlib.Path(wheel.extract(member, folder)))


main()
