"""Fits what players of a rating lose with a move, and tests it on games that were held out.

    cargo run --release -p centipawn-tools --bin player_games -- STORE GAMES.pgn > players.jsonl
    crates/python/.venv/bin/python research/level_loss.py players.jsonl [crates/review/src/player/profile/level_loss.json]

The expected loss is the exponential of a linear function of the features of `LossFeatures` (quasi-likelihood of Poisson's form, which
needs no distribution of losses). Prints a table by rating, one by tenths of the expected loss, and the slope of losses by game. With a
second argument the coefficients are written there.
"""

import itertools
import json
import sys
from pathlib import Path

import numpy as np

FOLDS = 10
RATINGS = [0, 1300, 1500, 1700, 1900, 2200, 4000]


def fit(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    b = np.zeros(x.shape[1])
    b[0] = np.log(y.mean())
    for _ in range(100):
        mean = np.exp(np.clip(x @ b, -12, 0))
        step = np.linalg.solve((x * mean[:, None]).T @ x + 1e-6 * np.eye(len(b)), x.T @ (y - mean))
        b += step
        if abs(step).max() < 1e-10:
            break
    return b


def by_game(values: np.ndarray, game: np.ndarray) -> np.ndarray:
    return np.array([values[game == number].sum() for number in np.unique(game)])


def main() -> None:
    sides = [json.loads(line) for name in sys.argv[1:] if name.endswith(".jsonl") for line in Path(name).read_text().splitlines()]
    # Files number their games from 1.
    games = np.cumsum([index == 0 or side["game"] != sides[index - 1]["game"] for index, side in enumerate(sides)])
    rows = [
        (move["features"], move["loss"], game, side["rating"])
        for side, game in zip(sides, games)
        for move in side["moves"]
        if move["features"]
    ]
    x, y, game, rating = (np.array(column) for column in zip(*rows))
    fold = np.random.default_rng(1).permutation(game.max() + 1)[game] % FOLDS
    expected = np.zeros(len(y))
    for number in range(FOLDS):
        is_held = fold == number
        expected[is_held] = np.exp(np.clip(x[is_held] @ fit(x[~is_held], y[~is_held]), -12, 0))

    print(f"{len(y)} moves of {game.max()} games\n\nrating      moves  expected  lost      z")
    for low, high in itertools.pairwise(RATINGS):
        chosen = (rating >= low) & (rating < high)
        if chosen.sum() < 500:
            continue
        difference = by_game((y - expected) * chosen, game)
        z = difference.sum() / np.sqrt((difference**2).sum())
        print(f"{low:4}–{high:4} {chosen.sum():8}  {expected[chosen].mean():.4f}  {y[chosen].mean():.4f}  {z:5.1f}")
    print("\ntenth   expected  lost")
    limits = np.quantile(expected, np.linspace(0, 1, 11))
    for tenth in range(10):
        chosen = (expected >= limits[tenth]) & (expected <= limits[tenth + 1])
        print(f"{tenth + 1:5}     {expected[chosen].mean():.4f}  {y[chosen].mean():.4f}")
    said, lost = by_game(expected, game), by_game(y, game)
    slope = np.polyfit(said, lost, 1)[0]
    order = np.argsort(np.argsort(expected))
    print(f"\nby game: slope {slope:.2f}, correlation {np.corrcoef(said, lost)[0, 1]:.2f}")
    for limit in (0.1, 0.2):
        is_large = y > limit
        area = (order[is_large].mean() - order[~is_large].mean()) / len(y) + 0.5
        print(f"AUC for losses of more than {limit}: {area:.2f}")
    coefficients = [round(float(value), 4) for value in fit(x, y)]
    print(f"\n{coefficients}")
    if sys.argv[-1].endswith(".json"):
        with open(sys.argv[-1], "w") as file:
            file.write(json.dumps({"coefficients": coefficients}) + "\n")


main()
