#!/usr/bin/env python3
"""Makes targets one after the other, then prints how long each took: steps.py TARGET …

CPU is the processor time of a target's processes, without those that detach themselves, such as servers.
"""
import os
import resource
import subprocess
import sys
import time


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    make = os.environ.get("MAKE", "make").split()
    rows = []
    failed = 0
    for target in sys.argv[1:]:
        begin, used = time.monotonic(), processor_seconds()
        failed = subprocess.run([*make, "--no-print-directory", target], check=False).returncode
        rows.append((target, time.monotonic() - begin, processor_seconds() - used))
        if failed:
            break
    rows.append(("sum", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    print(f"\n{'Step':14} {'Minutes':>8} {'CPU':>8}")
    for target, wall, used in rows:
        print(f"{target:14} {wall / 60:8.1f} {used / 60:8.1f}")
    if failed:
        sys.exit(f"steps.py: {rows[-2][0]} failed")


if __name__ == "__main__":
    main()
