"""Which phase of the game, and which state of the clock, says more about a player's other games?

    crates/python/.venv/bin/python research/personal_phases.py examples/people.tsv.zst

The table has evaluations of every third position of games between people (Stockfish 15.1, 6,000 nodes), for some with the numbers of the
players. A player's gain in a phase is the change of the expected score from its first to its last evaluated position: what the player loses
less than the opponents. The opening has 24 half-moves and begins at 0.5; an endgame has at most a third of the material. Otherwise the method
is that of personal_results.py: odd games predict the means of even games.
"""

import csv
import io
import math
import subprocess
import sys
from collections import defaultdict

from personal_results import BLOCKS, FEWEST_GAMES, Side, pairs, report

OPENING = 24
ENDGAME = 26


def score(row: dict[str, str]) -> float:
    """White's expected score, by Lichess' formula."""
    if row["mate"]:
        return 1.0 if int(row["mate"]) > 0 else 0.0
    return 1 / (1 + math.exp(-0.00368208 * int(row["cp"])))


def phase(row: dict[str, str]) -> str:
    if int(row["material"]) <= ENDGAME:
        return "endgame"
    return "opening" if int(row["ply"]) <= OPENING else "middlegame"


def main() -> None:
    text = subprocess.run(["zstd", "-dc", sys.argv[1]], capture_output=True, text=True, check=True).stdout
    games = defaultdict(list)
    for row in csv.DictReader(io.StringIO(text), delimiter="\t"):
        if row["white"] or row["black"]:
            games[(row["file"], int(row["game"]))].append(row)
    units, left = defaultdict(list), {}
    count = defaultdict(int)
    for (file, number), rows in games.items():
        rows.sort(key=lambda row: int(row["ply"]))
        for index, color in enumerate(("white", "black")):
            player = rows[0][color]
            if not player:
                continue
            count[player] += 1
            half = count[player] % 2
            before, clocks = 0.5, rows[0]["seconds"]
            gains, at = defaultdict(float), defaultdict(float)
            for row in rows:
                own = score(row) if index == 0 else 1 - score(row)
                gains[phase(row)] += own - before
                clock = row[f"{color}_clock"]
                if clock and clocks:
                    at["short" if float(clock) < 0.1 * float(clocks) else "enough"] += own - before
                before = own
            for way, values in (("phase", gains), ("clock", at)):
                for name, gain in values.items():
                    side = Side(player, (file, number), 0.0, color, None, None, {way: name}, half)
                    units[(way, player)].append(side)
                    left[id(side)] = gain
    wanted = [player for player in count if count[player] >= FEWEST_GAMES]
    for player in sorted(wanted, key=count.get, reverse=True):
        print(f"P{player}: {count[player]} games")
    print("\ngroups by      games  players   pairs       weight       error less   spread")
    for way, parts in (("phase", 3), ("clock", 2)):
        # A game gives a unit for each phase that it reaches, so a block has about so many units.
        own = {player: sorted(units[(way, player)], key=lambda side: side.order) for player in wanted if units[(way, player)]}
        for size in BLOCKS:
            report(way, size, pairs(own, left, way, parts * size))


if __name__ == "__main__":
    main()
