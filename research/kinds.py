"""Measures how often people find the best move, beside what is predicted, by the kind of move: the table in docs/how-we-know/ease.md.

python research/kinds.py EASE.jsonl...

The lines come from `centipawn ease GAMES --nodes 1k --lines 4 --json`, where the players' ratings are in the tags. Only lines for players like
the one to move count. A position counts if it has a single good move, which loses less than 0.05, or a mate in one; then its kind is that of
the best move. Errors are by game.
"""

import argparse
import json
import math
from collections import defaultdict

GOOD = 0.05
KINDS = ["mate in 1", "capture", "check", "promotion", "quiet"]
RATINGS = [(0, 1300), (1300, 1700), (1700, 4000)]


def kind(san):
    """The kind of a move, by its notation: a capture that gives check is a capture."""
    if san.endswith("#"):
        return "mate in 1"
    if "x" in san:
        return "capture"
    if "=" in san:
        return "promotion"
    return "check" if san.endswith("+") else "quiet"


def read(files):
    """Rows: game, rating, first ply or later, kind, probability by the network and by the model, whether a good move was played."""
    for name in files:
        with open(name, encoding="utf-8") as lines:
            for line in lines:
                position = json.loads(line)
                moves = position["moves"]
                if position.get("player") is None or not moves or moves[0]["q"] is None:
                    continue
                mates = [move for move in moves if move["san"].endswith("#")]
                good = mates or [move for move in moves if move["score_loss"] < GOOD]
                if not mates and (len(good) != 1 or len(moves) < 2):
                    continue
                policy = sum(move.get("p_policy", move["p"]) for move in good)
                model = sum(move["p"] for move in good)
                found = position["played"] in [move["uci"] for move in good]
                yield (name, position["game"]), position["player"], kind(good[0]["san"]), policy, model, found


def measured(rows):
    """Number of rows, means of both predictions, share found, and the error of what the model predicts, in standard errors by game."""
    count = len(rows)
    policy, model, found = (sum(row[index] for row in rows) / count for index in (3, 4, 5))
    by_game = defaultdict(float)
    for row in rows:
        by_game[row[0]] += row[5] - row[4]
    error = math.sqrt(sum(sum_**2 for sum_ in by_game.values())) / count
    return count, policy, model, found, (found - model) / error if error else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    rows = list(read(parser.parse_args().files))
    print(f"{len(rows)} positions of {len({row[0] for row in rows})} games")
    print("| best move | players | positions | network | model | found | z of the model |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in KINDS:
        for low, high in [*RATINGS, (0, 4000)]:
            own = [row for row in rows if row[2] == name and low <= row[1] < high]
            if own:
                count, policy, model, found, z = measured(own)
                who = "all" if (low, high) == (0, 4000) else f"{low} to {high}" if low and high < 4000 else f"under {high}" if not low else f"{low} and more"
                print(f"| {name} | {who} | {count:,} | {100 * policy:.1f} % | {100 * model:.1f} % | {100 * found:.1f} % | {z:+.1f} |")


main()
