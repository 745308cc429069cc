#!/usr/bin/env python3
"""Makes targets one after the other, then prints how long each took: steps.py TARGET[,TARGET…] …

Targets with commas between them are made at the same time. CPU is the processor time of their processes, without those that detach
themselves, such as servers.

A target of REUSED is not made again if it passed within a day and its files are still the same. `make TARGET` makes it in any case.
"""
import hashlib
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PASSED = ROOT / "target/passed.json"
DAY = 24 * 60 * 60

TESTS = {"unit", "doctest", "differential", "python", "browser"}
# The page's build writes its files again, also those that are the same; cargo then compiles what contains them. The other targets that build
# know themselves what is up to date.
REUSED = TESTS | {"page"}

# Files that only these targets read, by the beginnings of their paths. All tests, and not the page, read all other files.
READERS = {
    "Makefile": REUSED,
    "crates/site/dist/": REUSED,
    "crates/web/dist/": REUSED,
    "crates/web/openapi.json": REUSED,
    "tests/browser/": {"browser"},
    "crates/python/tests/": {"python"},
    "crates/python/python/": {"python", "unit"},
    "crates/web/ui/": {"page", "unit"},
    "docs/": {"python", "unit"},
    "deploy/": {"unit"},
    "fuzz/": {"unit"},
    "packaging/": {"unit"},
    ".github/": {"unit"},
    "CHANGELOG.md": {"unit"},
    "CONTRIBUTING.md": {"unit"},
    "README.md": {"python", "unit"},
    **{f"crates/{path.parent.name}/tests/": {"unit"} for path in ROOT.glob("crates/*/tests") if path.parent.name != "python"},
}


def readers(name):
    return next((targets for beginning, targets in READERS.items() if name.startswith(beginning)), TESTS)


def fingerprints():
    """What each target depends on: the files of the checkout, the data beside it, and the compiler. None outside a checkout of git."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        return None
    hashes = {target: hashlib.sha256(subprocess.check_output(["rustc", "-vV"])) for target in REUSED}
    for path in sorted((ROOT.parent / "shared").rglob("*")):
        described = f"{path} {path.stat().st_size}".encode()
        for target in REUSED:
            hashes[target].update(described)
    for name in sorted(set(os.fsdecode(listed.stdout).split("\0")) - {""}):
        path = ROOT / name
        content = hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b"absent"
        for target in readers(name):
            hashes[target].update(name.encode() + b"\0" + content)
    return {target: found.hexdigest() for target, found in hashes.items()}


def earlier():
    """Fingerprint and time of each target that passed."""
    try:
        return json.loads(PASSED.read_text())
    except (OSError, ValueError):
        return {}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    make = os.environ.get("MAKE", "make").split()
    # All cases, as each night, are not what passed before.
    current = None if "CENTIPAWN_TEST_ALL" in os.environ else fingerprints()
    passed = earlier() if current else {}
    rows, unchanged = [], []
    failed = 0
    for step in sys.argv[1:]:
        targets = []
        for target in step.split(","):
            known = passed.get(target)
            if current and known and known["files"] == current.get(target) and 0 <= time.time() - known["time"] < DAY:
                unchanged.append(f"{target} ({time.strftime('%H:%M', time.localtime(known['time']))})")
            else:
                targets.append(target)
        if not targets:
            continue
        begin, used = time.monotonic(), processor_seconds()
        failed = subprocess.run([*make, "--no-print-directory", f"-j{len(targets)}", *targets], check=False).returncode
        rows.append((",".join(targets), time.monotonic() - begin, processor_seconds() - used))
        if failed:
            break
        # What changed while tests ran is not what passed.
        after = fingerprints() if current else None
        for target in REUSED.intersection(targets):
            if after and after[target] == current[target]:
                passed[target] = {"files": current[target], "time": time.time()}
        if after:
            PASSED.parent.mkdir(exist_ok=True)
            PASSED.write_text(json.dumps(passed, indent=2))
    rows.append(("sum", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    width = max(len(row[0]) for row in rows)
    print(f"\n{'Step':{width}} {'Minutes':>8} {'CPU':>8}")
    for step, wall, used in rows:
        print(f"{step:{width}} {wall / 60:8.1f} {used / 60:8.1f}")
    if unchanged:
        print(f"Passed before with the same files: {', '.join(unchanged)}. `make TARGET` runs one again.")
    if failed:
        sys.exit(f"steps.py: {rows[-2][0]} failed")


if __name__ == "__main__":
    main()
