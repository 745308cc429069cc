"""Fits and measures the model of the moves that people play (`MoveModel` in crates/core) on lines of `centipawn ease --json`.

python3 scripts/move_model.py FIT.jsonl... --check CHECK.jsonl...

The lines come from `centipawn ease GAMES --nodes 50k --lines 5 --json`, where the players' ratings are in the tags. Only lines for players like
the one to move count. Without FIT, the coefficients in the program are measured. Errors are by game.
"""

import argparse
import json
import math
from collections import defaultdict

PROGRAM = (0.865, -0.097, 1.024, 0.130)
RATINGS = (800, 2800)
BINS = (0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.01)


def read(files):
    """Rows: game, rating, probabilities by the policy, losses, index of the played move (None if it was not evaluated)."""
    rows = []
    for name in files:
        with open(name, encoding="utf-8") as lines:
            for line in lines:
                position = json.loads(line)
                moves = position["moves"]
                if position.get("player") is None or not moves or moves[0]["q"] is None:
                    continue
                policy = [max(move.get("p_policy", move["p"]), 1e-6) for move in moves]
                played = [index for index, move in enumerate(moves) if move["uci"] == position["played"]]
                losses = [move["score_loss"] for move in moves]
                rows.append(((name, position["game"]), position["player"], policy, losses, played[0] if played else None))
    return rows


def probabilities(row, model):
    """Of the evaluated moves, and of all others together; `None` as the model is the policy alone."""
    _, rating, policy, losses, _ = row
    rest = max(1 - sum(policy), 1e-6)
    if model is None:
        return policy, rest
    a, c0, c1, lost = model
    c = math.exp(c0 + c1 * (min(max(rating, RATINGS[0]), RATINGS[1]) - 1500) / 400)
    weights = [p**a * math.exp(-c * loss) for p, loss in zip(policy, losses, strict=True)]
    other = rest**a * math.exp(-c * lost)
    total = sum(weights) + other
    return [weight / total for weight in weights], other / total


def log_loss(rows, model):
    total = 0.0
    for row in rows:
        moves, other = probabilities(row, model)
        total -= math.log(max(other if row[4] is None else moves[row[4]], 1e-9))
    return total / len(rows)


def fit(rows):
    """Coordinate descent with shrinking steps."""
    model, steps = list(PROGRAM), [0.1, 0.4, 0.2, 0.05]
    best = log_loss(rows, model)
    while max(steps) > 0.002:
        for index in range(4):
            for sign in (1, -1):
                tried = model.copy()
                tried[index] += sign * steps[index]
                found = log_loss(rows, tried)
                if found < best:
                    best, model = found, tried
                    break
            else:
                steps[index] /= 2
    return tuple(model)


def table(rows, model):
    """Probability and frequency of the best move by bins, and expected and actual losses by quintiles."""
    bins, losses = defaultdict(list), []
    for row in rows:
        game, _, _, lost, played = row
        moves, _ = probabilities(row, model)
        best = min(range(len(lost)), key=lost.__getitem__)
        place = next(index for index in range(len(BINS) - 1) if moves[best] < BINS[index + 1])
        bins[place].append((game, moves[best], played == best))
        if played is not None:
            expected = sum(p * loss for p, loss in zip(moves, lost, strict=True)) / sum(moves)
            losses.append((expected, lost[played]))
    for place in sorted(bins):
        found = bins[place]
        by_game = defaultdict(float)
        for game, said, was in found:
            by_game[game] += was - said
        error = math.sqrt(sum(value**2 for value in by_game.values()))
        said = 100 * sum(said for _, said, _ in found) / len(found)
        played = 100 * sum(was for *_, was in found) / len(found)
        print(f"  best move {said:5.1f} %  played {played:5.1f} %  positions {len(found):5}  z {sum(by_game.values()) / error:+.1f}")
    losses.sort()
    size = math.ceil(len(losses) / 5)
    for start in range(0, len(losses), size):
        part = losses[start : start + size]
        expected, lost = (sum(pair[side] for pair in part) / len(part) for side in (0, 1))
        print(f"  expected loss {expected:.3f}  lost {lost:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fit", nargs="*", metavar="FIT")
    parser.add_argument("--check", nargs="*", default=[], metavar="CHECK")
    args = parser.parse_args()
    model = PROGRAM
    if args.fit:
        rows = read(args.fit)
        model = fit(rows)
        print(f"{len(rows)} moves: a {model[0]:.3f}, c0 {model[1]:.3f}, c1 {model[2]:.3f}, rest {model[3]:.3f}")
    for name in args.check:
        rows = read([name])
        print(f"\n{name}: {len(rows)} moves, log-loss {log_loss(rows, None):.4f} by the policy, {log_loss(rows, model):.4f} by the model")
        for title, used in (("policy", None), ("model", model)):
            print(f" {title}")
            table(rows, used)


if __name__ == "__main__":
    main()
