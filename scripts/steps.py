#!/usr/bin/env python3
"""Makes targets one after the other, then prints how long each took: steps.py TARGET[,TARGET…] …

Targets with commas between them are made at the same time. CPU is the processor time of their processes, without those that detach
themselves, such as servers.
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
    for step in sys.argv[1:]:
        targets = step.split(",")
        begin, used = time.monotonic(), processor_seconds()
        failed = subprocess.run([*make, "--no-print-directory", f"-j{len(targets)}", *targets], check=False).returncode
        rows.append((step, time.monotonic() - begin, processor_seconds() - used))
        if failed:
            break
    rows.append(("sum", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    width = max(len(row[0]) for row in rows)
    print(f"\n{'Step':{width}} {'Minutes':>8} {'CPU':>8}")
    for step, wall, used in rows:
        print(f"{step:{width}} {wall / 60:8.1f} {used / 60:8.1f}")
    if failed:
        sys.exit(f"steps.py: {rows[-2][0]} failed")


if __name__ == "__main__":
    main()
