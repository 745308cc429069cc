"""Fits and measures the model of the moves that people play (`MoveModel` in crates/core) on lines of `centipawn ease --json`.

python3 research/move_model.py FIT.jsonl... --check CHECK.jsonl...

The lines come from `centipawn ease GAMES --nodes 50k --lines 5 --json`, where the players' ratings are in the tags. Only lines for players like
the one to move count. Lines with early losses, which the program adds for players rated 2300 or more, get a second model with one more
coefficient. Without FIT, the coefficients in the program are measured. Errors are by game.
"""

import argparse
import json
import math
from collections import defaultdict

# a, c0, c1, rest, and the coefficient of the early loss.
PROGRAM = (0.865, -0.097, 1.024, 0.130, 0.0)
PROGRAM_EARLY = (0.803, 0.031, 0.901, 0.180, 0.411)
NAMES = ("a", "c0", "c1", "rest", "early")
STEPS = (0.1, 0.4, 0.2, 0.05, 0.4)
RATINGS = (800, 2800)
BINS = (0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.01)


def read(files):
    """Rows: game, rating, probabilities by the policy, losses, early losses or None, index of the played move (None if not evaluated)."""
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
                early = [move.get("early_loss") for move in moves]
                early = None if None in early else early
                rows.append(((name, position["game"]), position["player"], policy, losses, early, played[0] if played else None))
    return rows


def probabilities(row, model):
    """Of the evaluated moves, and of all others together. `None` as the model is the policy alone; a pair is a model without and one with
    early losses."""
    _, rating, policy, losses, early, _ = row
    rest = max(1 - sum(policy), 1e-6)
    if model is None:
        return policy, rest
    if isinstance(model[0], tuple):
        model = model[0] if early is None else model[1]
    a, c0, c1, lost, weight = model
    if weight and early:
        losses = [loss + weight * more for loss, more in zip(losses, early, strict=True)]
    c = math.exp(c0 + c1 * (min(max(rating, RATINGS[0]), RATINGS[1]) - 1500) / 400)
    weights = [p**a * math.exp(-c * loss) for p, loss in zip(policy, losses, strict=True)]
    other = rest**a * math.exp(-c * lost)
    total = sum(weights) + other
    return [weight / total for weight in weights], other / total


def log_loss(rows, model):
    total = 0.0
    for row in rows:
        moves, other = probabilities(row, model)
        total -= math.log(max(other if row[-1] is None else moves[row[-1]], 1e-9))
    return total / len(rows)


def fit(rows, start):
    """Coordinate descent with shrinking steps; a coefficient of the early loss that starts at 0 stays 0."""
    model, steps = list(start), list(STEPS)
    count = 5 if start[4] else 4
    best = log_loss(rows, tuple(model))
    while max(steps[:count]) > 0.002:
        for index in range(count):
            for sign in (1, -1):
                tried = model.copy()
                tried[index] += sign * steps[index]
                found = log_loss(rows, tuple(tried))
                if found < best:
                    best, model = found, tried
                    break
            else:
                steps[index] /= 2
    return tuple(model)


def table(rows, model):
    """Probability and frequency of the best move by bins, expected and actual losses by quintiles, and what becomes of traps and blunders."""
    bins, losses, traps, blunders = defaultdict(list), [], [], []
    for row in rows:
        game, _, _, lost, _, played = row
        moves, _ = probabilities(row, model)
        best = min(range(len(lost)), key=lost.__getitem__)
        place = next(index for index in range(len(BINS) - 1) if moves[best] < BINS[index + 1])
        bins[place].append((game, moves[best], played == best))
        if played is not None:
            expected = sum(p * loss for p, loss in zip(moves, lost, strict=True)) / sum(moves)
            losses.append((expected, lost[played]))
        tempting = [index for index in range(len(lost)) if lost[index] >= 0.1 and moves[index] >= 0.2]
        if tempting:
            trap = max(tempting, key=lambda index: moves[index] * lost[index])
            traps.append((moves[trap], played == trap))
        blunder = sum(p for p, loss in zip(moves, lost, strict=True) if loss >= 0.1)
        if blunder > 0.7 and played is not None:
            blunders.append((blunder, lost[played] >= 0.1))
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
    means = [sum(pair[side] for pair in losses) / len(losses) for side in (0, 1)]
    products = sum((expected - means[0]) * (lost - means[1]) for expected, lost in losses)
    print(f"  slope of the loss on the expected loss {products / sum((expected - means[0]) ** 2 for expected, _ in losses):.2f}")
    for title, found in (("traps", traps), ("blunders above 70 %", blunders)):
        if found:
            said, played = (100 * sum(pair[side] for pair in found) / len(found) for side in (0, 1))
            print(f"  {title}: {said:.0f} %  played {played:.0f} %  positions {len(found)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fit", nargs="*", metavar="FIT")
    parser.add_argument("--check", nargs="*", default=[], metavar="CHECK")
    args = parser.parse_args()
    model = (PROGRAM, PROGRAM_EARLY)
    if args.fit:
        rows = read(args.fit)
        early = [row for row in rows if row[4] is not None]
        model = (fit(rows, PROGRAM), fit(early, PROGRAM_EARLY) if early else PROGRAM_EARLY)
        for title, count, fitted in (("without early losses", len(rows), model[0]), ("with early losses", len(early), model[1])):
            print(f"{title}, {count} moves: " + ", ".join(f"{name} {value:.3f}" for name, value in zip(NAMES, fitted, strict=True)))
    for name in args.check:
        rows = read([name])
        models = {"policy": None, "model without early losses": model[0]}
        if any(row[4] is not None for row in rows):
            models["model"] = model
        found = ", ".join(f"{log_loss(rows, used):.4f} by the {title}" for title, used in models.items())
        print(f"\n{name}: {len(rows)} moves, log-loss {found}")
        for title, used in models.items():
            print(f" {title}")
            table(rows, used)


if __name__ == "__main__":
    main()
