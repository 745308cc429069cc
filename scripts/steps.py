#!/usr/bin/env python3
"""Makes targets one after the other, then prints how long each took: steps.py TARGET … [--then TARGET … --beside TARGET … --beside …]

Those of --then follow. Those of each --beside are made one after the other at the same time, in what the others leave of the processors.
CPU is the processor time of a target's processes, without those that detach themselves, such as servers.

A target of REUSED is not made again if it passed within a day and its files are still the same. `make TARGET` makes it in any case.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PASSED = ROOT / "target/passed.json"
DAY = 24 * 60 * 60

TESTS = {"unit", "doctest", "differential", "python", "browser"}
# The page's build writes its files again, also those that are the same; cargo then compiles what contains them. The other targets that
# build know themselves what is up to date.
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


class Steps:
    """Targets to make, and what became of those made so far."""

    def __init__(self):
        # All cases, as each night, are not what passed before.
        self.current = None if "CENTIPAWN_TEST_ALL" in os.environ else fingerprints()
        self.passed = earlier() if self.current else {}
        self.make = os.environ.get("MAKE", "make").split()
        self.lock = threading.Lock()
        self.rows, self.unchanged, self.failed = [], [], []

    def make_each(self, targets, priority=()):
        """Makes targets in their order until one fails, here or beside."""
        for target in targets:
            if self.failed:
                return
            known = self.passed.get(target)
            if self.current and known and known["files"] == self.current.get(target) and 0 <= time.time() - known["time"] < DAY:
                self.unchanged.append(f"{target} ({time.strftime('%H:%M', time.localtime(known['time']))})")
                continue
            begin = time.monotonic()
            process = subprocess.Popen([*priority, *self.make, "--no-print-directory", target])
            _, status, used = os.wait4(process.pid, 0)
            self.rows.append((target, time.monotonic() - begin, used.ru_utime + used.ru_stime))
            if status:
                self.failed.append(target)
            elif self.current and target in REUSED:
                self.remember(target)

    def remember(self, target):
        """Writes that a target passed, unless its files changed meanwhile."""
        if fingerprints()[target] == self.current[target]:
            with self.lock:
                self.passed[target] = {"files": self.current[target], "time": time.time()}
                PASSED.parent.mkdir(exist_ok=True)
                PASSED.write_text(json.dumps(self.passed, indent=2))

    def print(self, seconds):
        """One row for each target; those made at the same time add up to more than the whole took."""
        rows = [*self.rows, ("all", seconds, sum(used for _, _, used in self.rows))]
        width = max(len(target) for target, _, _ in rows)
        print(f"\n{'Step':{width}} {'Minutes':>8} {'CPU':>8}")
        for target, wall, used in rows:
            print(f"{target:{width}} {wall / 60:8.1f} {used / 60:8.1f}")
        if self.unchanged:
            print(f"Passed before with the same files: {', '.join(self.unchanged)}. `make TARGET` runs one again.")
        if self.failed:
            sys.exit(f"steps.py: {', '.join(self.failed)} failed")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("target", nargs="*")
    arguments.add_argument("--then", nargs="*", default=[], metavar="TARGET")
    arguments.add_argument("--beside", nargs="*", default=[], action="append", metavar="TARGET")
    asked = arguments.parse_args()
    begin = time.monotonic()
    steps = Steps()
    steps.make_each(asked.target)
    with ThreadPoolExecutor() as pool:
        beside = [pool.submit(steps.make_each, targets, ("nice", "-n", "19")) for targets in asked.beside]
        steps.make_each(asked.then)
        # An error there is one here.
        for other in beside:
            other.result()
    steps.print(time.monotonic() - begin)


if __name__ == "__main__":
    main()
