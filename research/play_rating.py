#!/usr/bin/env python3
"""Fits the model that estimates ratings from play (crates/review/src/player/play_rating/model.json), and measures it on held-out players.

    centipawn rating GAMES… --json > ratings.json
    crates/python/.venv/bin/python research/play_rating.py ratings.json > model.json     fit
    crates/python/.venv/bin/python research/play_rating.py ratings.json --check          five-fold cross-validation by player

The games need evaluations and clocks where the model is to use them. Players whose games come from a sample of strong players only are
weighted by --strong, so that the sample does not look like the pool. The pool's mean and deviation are those of the players rated under 2300.
Needs NumPy.
"""

import argparse
import itertools
import json
import sys
from collections import defaultdict

import numpy as np

LOSS = ["loss", "loss_root", "loss_over_5", "loss_over_10", "loss_over_20"]
CLOCK = ["log_seconds", "log_time", "time_spread", "opening_log_time", "longest_time", "fast", "time_by_entropy"]
POLICY = [
    *(f"log_p_{level}" for level in (1100, 1300, 1500, 1700, 1900)),
    *("trend", "trend_clamped", "trend_expected", "trend_late", "likeliest_1500", "likeliest_1900", "rare", "very_rare", "entropy"),
    *("opening_trend", "opening_log_p", "value", "value_deviation", "log_moves"),
]
MEASUREMENTS = [POLICY + LOSS + CLOCK, POLICY + LOSS, POLICY + CLOCK, POLICY]
STRONG = 2300
PENALTY = 30.0
FOLDS = 5
HALF_OF_80 = 1.2816
# Bands of estimates, and of true ratings.
BANDS = [0, 1200, 1400, 1600, 1800, 2000, 2300, 4000]


class Games:
    """All games of rated players: features, ratings, names."""

    def __init__(self, documents):
        self.rows, self.rating, self.player, self.moves = [], [], [], []
        for document in documents:
            for player in document["players"]:
                for game in player.get("by_game", []):
                    if game["tag_rating"]:
                        self.rows.append(game["features"])
                        self.rating.append(game["tag_rating"])
                        self.player.append(player["name"])
        self.rating = np.array(self.rating, float)
        self.moves = np.array([row["moves"] for row in self.rows], float)
        self.is_strong = self.rating >= STRONG

    def having(self, names):
        """Indices of the games with all these features, and the features."""
        index = [i for i, row in enumerate(self.rows) if all(name in row for name in names)]
        return np.array(index, int), np.array([[self.rows[i][name] for name in names] for i in index])


def ridge(x, y, weight):
    """Intercept and weights that minimise the weighted squared error with a penalty on standardised weights."""
    weight = weight / weight.mean()
    mean = (x * weight[:, None]).mean(0)
    scale = np.sqrt((weight[:, None] * (x - mean) ** 2).mean(0)) + 1e-9
    z, middle = (x - mean) / scale, (weight * y).mean()
    w = np.linalg.solve((z * weight[:, None]).T @ z + PENALTY * np.eye(x.shape[1]), (z * weight[:, None]).T @ (y - middle)) / scale
    return middle - mean @ w, w


def measurement(games, names, use, strong):
    """A measurement that is right on average at every rating, from the games in `use`, and its variance."""
    index, x = games.having(names)
    keep = use[index]
    index, x = index[keep], x[keep]
    if len(index) < 200:
        return None
    y, moves = games.rating[index], games.moves[index]
    intercept, w = ridge(x, y, np.where(games.is_strong[index], strong, 1.0))
    score = intercept + x @ w
    # The regression shrinks; the score as a function of the rating, each band of ratings counting alike, undoes it.
    bands = (y // 200).astype(int)
    root = 1 / np.sqrt(np.bincount(bands)[bands])
    a, b = np.linalg.lstsq(np.vstack([root, root * y]).T, root * score, rcond=None)[0]
    intercept, w = (intercept - a) / b, w / b
    error = intercept + x @ w - y
    c0, c1 = np.linalg.lstsq(np.vstack([np.ones_like(moves), 1 / moves]).T, error**2, rcond=None)[0]
    if c1 < 0:
        c0, c1 = (error**2).mean(), 0.0
    shared = defaultdict(list)
    for i, e in zip(index, error):
        shared[games.player[i]].append(e)
    pairs = [(sum(e) ** 2 - sum(v * v for v in e)) / (len(e) * (len(e) - 1)) for e in shared.values() if len(e) >= 4]
    own = max(0.0, float(np.mean(pairs))) if pairs else 0.0
    return {"intercept": intercept, "weights": dict(zip(names, w)), "variance": [max(c0 - own, 1e4), max(c1, 0.0)], "own": own}


def fit(games, use, strong):
    found = [one for one in (measurement(games, names, use, strong) for names in MEASUREMENTS) if one]
    pool = games.rating[use & ~games.is_strong]
    own = float(np.mean([one.pop("own") for one in found]))
    return {
        "source": "",
        "pool": "Lichess, blitz and rapid",
        "prior_mean": round(float(pool.mean()), 1),
        "prior_deviation": round(float(pool.std()), 1),
        "player_deviation": round(own**0.5, 1),
        "measurements": [
            {
                "intercept": round(float(one["intercept"]), 3),
                "weights": {name: round(float(w), 4) for name, w in one["weights"].items()},
                "variance": [round(float(c), 1) for c in one["variance"]],
            }
            for one in found
        ],
    }


def rate(model, rows):
    """The rating and the half of its 80 % interval, by these games."""
    weight = total = 0.0
    for row in rows:
        for one in model["measurements"]:
            if all(name in row for name in one["weights"]):
                value = one["intercept"] + sum(w * row[name] for name, w in one["weights"].items())
                variance = one["variance"][0] + one["variance"][1] / row["moves"]
                weight += 1 / variance
                total += value / variance
                break
    variance = 1 / weight + model["player_deviation"] ** 2
    share = model["prior_deviation"] ** 2 / (model["prior_deviation"] ** 2 + variance)
    rating = model["prior_mean"] + share * (total / weight - model["prior_mean"])
    return rating, HALF_OF_80 * (share * variance) ** 0.5


def without(rows, names):
    return [{name: value for name, value in row.items() if name not in names} for row in rows]


def table(title, found):
    """`found`: estimate, half of the interval, truth."""
    found = np.array(found)
    if not len(found):
        return
    error = found[:, 0] - found[:, 2]
    print(f"\n{title}: {len(found)}, MAE {abs(error).mean():.0f}, bias {error.mean():+.0f}, "
          f"within the 80 % interval {100 * (abs(error) <= found[:, 1]).mean():.0f} %")
    for what, column in (("estimate", 0), ("rating", 2)):
        for low, high in itertools.pairwise(BANDS):
            is_in = (found[:, column] >= low) & (found[:, column] < high)
            if is_in.sum() >= 10:
                print(f"  {what:8} {low:4} to {high:4}  {is_in.sum():5}  MAE {abs(error[is_in]).mean():4.0f}  bias {error[is_in].mean():+5.0f}  "
                      f"within {100 * (abs(error[is_in]) <= found[is_in, 1]).mean():3.0f} %")


def check(games, strong):
    names = sorted(set(games.player))
    fold = dict(zip(names, np.random.default_rng(1).permutation(len(names)) % FOLDS))
    folds = np.array([fold[player] for player in games.player])
    one, ten = defaultdict(list), defaultdict(list)
    leave = {"all": [], "no losses": LOSS, "no clocks": CLOCK, "network alone": LOSS + CLOCK}
    for number in range(FOLDS):
        model = fit(games, folds != number, strong)
        own = defaultdict(list)
        for i in np.flatnonzero(folds == number):
            own[games.player[i]].append(i)
        for index in own.values():
            for what, names in leave.items():
                rows = without([games.rows[i] for i in index], names)
                for i, row in zip(index, rows):
                    one[what, bool(games.is_strong[i])].append((*rate(model, [row]), games.rating[i]))
                if len(index) >= 10:
                    ten[what].append((*rate(model, rows[:10]), games.rating[index[:10]].mean()))
    for what in leave:
        table(f"one game, {what}, under {STRONG}", one[what, False])
        table(f"one game, {what}, from {STRONG}", one[what, True])
        table(f"ten games, {what}", ten[what])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ratings", nargs="+", help="documents of `centipawn rating --json`")
    parser.add_argument("--strong", type=float, default=1.0, help="weight of players from 2300 in the regression")
    parser.add_argument("--source", default="", help="the games, for the model's provenance")
    parser.add_argument("--check", action="store_true", help="cross-validate instead of writing the model")
    options = parser.parse_args()
    documents = []
    for path in options.ratings:
        with open(path) as file:
            documents.append(json.load(file))
    games = Games(documents)
    if options.check:
        check(games, options.strong)
    else:
        model = fit(games, np.ones(len(games.rating), bool), options.strong)
        model["source"] = options.source
        json.dump(model, sys.stdout, indent=2)
        print()


if __name__ == "__main__":
    main()
