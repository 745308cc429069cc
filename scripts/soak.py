#!/usr/bin/env python3
"""Runs centipawn with engines, kills and damage for a time, and reports: soak.py CENTIPAWN FAKE_ENGINE [SECONDS [SEED]].

Every round is one try: a review killed at a random moment and finished again, a damaged store, a damaged table, a mutated file of
games, a curve file, a compressed file. Whatever is damaged, the program must end by itself with a status it documents, must not
panic, and must leave neither processes nor temporary files; a review that was killed must end with the bytes of one that was not.
Ends with status 1 if a try failed, and keeps its folder.
"""

import gzip
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

GAMES = Path(__file__).parent.parent / "examples"
STATUSES = (0, 1, 2, 3)
CURVE = (
    '{"curve":"wdl","argument":"material","range":[17,78],"divisor":58,"a":[0,0,0,100],"b":[0,0,0,50],'
    '"pawn":"normalised","clamp":null}'
)


class Failed(Exception):
    """A try that did not go as it must."""


class Soak:
    def __init__(self, program, engine, rng, folder):
        self.program, self.engine, self.rng, self.folder = program, engine, rng, folder
        self.games = b"\n".join(path.read_bytes() for path in sorted(GAMES.glob("*.pgn")))
        self.small = folder / "small.pgn"
        self.small.write_text("[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n" * 4)
        self.store = folder / "base.db"
        self.whole = folder / "whole.pgn"
        self.check(self.review(self.store, self.whole), (0,))
        self.table = folder / "base.parquet"
        self.check(self.start("store", "export", self.table, "--store", self.store), (0,))

    def start(self, *words):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CENTIPAWN_")}
        environment |= {"CENTIPAWN_STORE": "none", "XDG_DATA_HOME": str(self.folder / "nowhere")}
        pipe = subprocess.PIPE
        command = [self.program, *map(str, words)]
        return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe)

    def review(self, store, out, role="think 5"):
        engine = f"'{self.engine}' {role}"
        words = ["review", self.small, "--nodes", 1000, "--jobs", 2, "--engine", engine, "--store", store, "-o", out]
        return self.start(*words)

    def check(self, process, statuses=STATUSES):
        try:
            out, errors = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"it hangs: {process.args}") from None
        if process.returncode not in statuses or b"panicked" in errors:
            raise Failed(f"status {process.returncode}: {process.args}\n{errors.decode(errors='replace')[-2000:]}")
        return out

    def damaged(self, data, most=20):
        data = bytearray(data)
        for _ in range(self.rng.randint(1, most)):
            at = self.rng.randrange(max(len(data), 1))
            way = self.rng.random()
            if way < 0.6:
                data[at : at + 1] = bytes([self.rng.randrange(256)])
            elif way < 0.8:
                data[at:at] = self.rng.choice([b"[", b"{", b"(", b"\"", b"\0", b"\n\n", b"1-0", b"[Event \"", b"-- "])
            elif way < 0.95:
                del data[at : at + self.rng.randint(1, 50)]
            else:
                del data[at + 1 :]
        return bytes(data)

    def a_kill(self):
        store, out = self.folder / "killed.db", self.folder / "killed.pgn"
        for path in self.folder.glob("killed.*"):
            path.unlink()
        for _ in range(self.rng.randint(1, 4)):
            running = self.review(store, out)
            time.sleep(self.rng.random() * 0.4)
            running.send_signal(self.rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT]))
            running.communicate()
            out.unlink(missing_ok=True)
        self.check(self.review(store, out), (0,))
        if out.read_bytes() != self.whole.read_bytes():
            raise Failed("a review that was killed and finished differs from one that was not")
        if left := [path.name for path in self.folder.glob(".centipawn-*")]:
            raise Failed(f"left behind: {left}")
        for _ in range(100):
            found = subprocess.run(["pgrep", "-f", str(self.engine)], capture_output=True, check=False).stdout.split()
            # This script's own arguments name the engine, too.
            alive = [pid.decode() for pid in found if int(pid) != os.getpid()]
            if not alive:
                return
            time.sleep(0.1)
        raise Failed(f"engines are left: {alive}")

    def an_engine_that_fails(self):
        count = self.folder / "count"
        count.unlink(missing_ok=True)
        self.check(self.review("none", self.folder / "failing.pgn", f"troubled '{count}' nothing 1"), (0, 1))

    def a_damaged_store(self):
        store = self.folder / "damaged.db"
        for path in self.folder.glob("damaged.db*"):
            path.unlink()
        store.write_bytes(self.damaged(self.store.read_bytes()))
        self.check(self.start("store", "stats", "--store", store))
        self.check(self.start("store", "export", self.folder / "damaged.csv", "--store", store))
        self.check(self.review(store, self.folder / "damaged.pgn"))

    def a_damaged_table(self):
        table = self.folder / "damaged.parquet"
        table.write_bytes(self.damaged(self.table.read_bytes()))
        self.check(self.start("store", "import", table, "--store", self.folder / "tables.db"))

    def games_with_damage(self):
        path = self.folder / "damaged.pgn"
        path.write_bytes(self.damaged(self.games, 200))
        self.check(self.start("pgn", self.rng.choice(["check", "stats", "clean"]), path))
        self.check(self.start("wdl", "count", path, "-o", self.folder / "counts"))

    def a_compressed_file(self):
        path = self.folder / "games.pgn.gz"
        path.write_bytes(self.damaged(gzip.compress(self.games)))
        self.check(self.start("pgn", "check", path))

    def a_curve(self):
        path = self.folder / "curve.json"
        path.write_bytes(self.damaged(CURVE.encode(), 3))
        self.check(self.start("symbols", "--played", "0.3", "--best", "2", "--json", "--curve", path))


def main():
    program, engine = (Path(word).resolve() for word in sys.argv[1:3])
    seconds, seed = [int(word) for word in (sys.argv[3:] + ["3600", "1"][len(sys.argv) - 3 :])]
    rng = random.Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="centipawn-soak-"))
    soak = Soak(program, engine, rng, folder)
    tries = [
        soak.a_kill,
        soak.an_engine_that_fails,
        soak.a_damaged_store,
        soak.a_damaged_table,
        soak.games_with_damage,
        soak.a_compressed_file,
        soak.a_curve,
    ]
    begin, done, failures = time.monotonic(), Counter(), []
    while time.monotonic() - begin < seconds:
        one = rng.choice(tries)
        try:
            one()
        except Failed as failure:
            failures.append(f"{one.__name__}: {failure}")
        done[one.__name__] += 1
    for name, count in sorted(done.items()):
        print(f"{count:>7}  {name.replace('_', ' ')}")
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{sum(done.values()):>7}  in {time.monotonic() - begin:.0f} s, at most {memory:.0f} MB of memory, {len(failures)} failed")
    if failures:
        print("\n".join(failures))
        sys.exit(f"the files are in {folder}")
    subprocess.run(["rm", "-r", str(folder)], check=True)


if __name__ == "__main__":
    main()
