"""Make `examples/people.tsv.zst`, the table that the human curve is fitted to.

Usage: people_table.py OLD_TABLE SAMPLE.tsv.zst:GAMES.pgn.zst:POOL... > people.tsv

Rows of the old table keep their evaluations and get their pool. Each sample is a table that `wdl
human --nodes 6000 --every 3 --rows` wrote. Such a table numbers its games anew, so the players are
those of the only game with the same ratings, result and time; where several games have them, the
players stay unknown.
"""

import csv
import io
import re
import subprocess
import sys
from collections import defaultdict

COLUMNS = [
    *["file", "game", "ply", "cp", "mate", "white_elo", "black_elo", "result", "seconds"],
    *["white_clock", "black_clock", "material", "deep_cp", "pool", "white", "black"],
]
# The collections of the first table.
POOLS = {
    "lichess 2021": "lichess",
    "lichess 2026, strong, decisive": "lichess",
    "masters": "fide",
    "open 90+30": "fide",
}


def text(path: str) -> str:
    """Return the text of a file that Zstandard compressed."""
    return subprocess.run(["zstd", "-dc", path], capture_output=True, text=True, check=True).stdout


def players(path: str) -> dict[tuple[str, ...], list[tuple[str, str]]]:
    """Return the numbers of White and Black of the games with each ratings, result and seconds."""
    points = {"1-0": "1", "0-1": "0", "1/2-1/2": "0.5"}
    found = defaultdict(list)
    for game in text(path).split("[Event ")[1:]:
        tags = dict(re.findall(r'^\[(\w+) "([^"]*)"\]$', game, re.MULTILINE))
        base, _, increment = tags.get("TimeControl", "").partition("+")
        if base.isdigit() and tags["Result"] in points:
            seconds = int(base) + 40 * int(increment or 0)
            key = (tags["WhiteElo"], tags["BlackElo"], points[tags["Result"]], str(seconds))
            found[key].append(tuple(tags[name].removeprefix("P") for name in ("White", "Black")))
    return found


def main() -> None:
    """Write the table to standard output."""
    out = csv.DictWriter(sys.stdout, COLUMNS, delimiter="\t", lineterminator="\n", extrasaction="ignore")
    out.writeheader()
    old, *samples = sys.argv[1:]
    for row in csv.DictReader(io.StringIO(text(old)), delimiter="\t"):
        out.writerow({"pool": POOLS[row["file"]], "white": "", "black": ""} | row)
    for sample in samples:
        table, games, pool = sample.split(":")
        numbers = players(games)
        for row in csv.DictReader(io.StringIO(text(table)), delimiter="\t"):
            key = tuple(row[name] for name in ("white_elo", "black_elo", "result", "seconds"))
            pairs = numbers.get(key, [])
            white, black = pairs[0] if len(pairs) == 1 and "?" not in pairs[0] else ("", "")
            name = {"white": white, "black": black}
            file = row["file"].removesuffix(".A.pgn")
            out.writerow(row | name | {"pool": pool, "file": file})


if __name__ == "__main__":
    main()
