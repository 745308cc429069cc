"""Fits what causes cost players of a level, and tests how well half of a player's games predict the other half.

    crates/python/.venv/bin/python research/lessons.py players.jsonl... [crates/review/src/player/profile/lessons.json]

Reads lines of the tool `player_games`. For each cause: the expected score lost in a game at a rating of 1500, its change with the rating,
and the mean of squared losses divided by the mean of losses. Prints these, the spread between players by the method of moments, and
split halves for some spreads. With a last argument the numbers are written there, with the spread SPREAD.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

SPREAD = 0.25
FEWEST = 10
REPEATS = 50


def fit(y: np.ndarray, x: np.ndarray, slope: float, weight: float) -> np.ndarray:
    """The logarithm of the mean at 1500 and the slope, which `weight` pulls to `slope`."""
    design = np.c_[np.ones(len(x)), x]
    b = np.array([np.log(y.mean() + 1e-6), slope])
    for _ in range(100):
        mean = np.exp(design @ b)
        gradient = design.T @ (y - mean) - np.array([0, weight * (b[1] - slope)])
        step = np.linalg.solve((design * mean[:, None]).T @ design + np.diag([1e-9, weight]), gradient)
        b += step
        if abs(step).max() < 1e-10:
            break
    return b


def ranks(values: np.ndarray) -> np.ndarray:
    return np.array([(values < value).sum() + ((values == value).sum() - 1) / 2 for value in values])


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if a.std() > 0 and b.std() > 0 else 0.0


def main() -> None:
    sides = [json.loads(line) for name in sys.argv[1:] if name.endswith(".jsonl") for line in Path(name).read_text().splitlines()]
    sides = [side for side in sides if side["rating"]]
    is_cause = lambda move: move["kind"] in ("allows", "misses")
    causes = sorted({(move["kind"], move["cause"]) for side in sides for move in side["moves"] if is_cause(move)})
    losses = np.zeros((len(sides), len(causes)))
    for index, side in enumerate(sides):
        for move in filter(is_cause, side["moves"]):
            losses[index, causes.index((move["kind"], move["cause"]))] += move["loss"]
    level = np.array([(side["rating"] - 1500) / 400 for side in sides])

    common = fit(losses.sum(1), level, -0.2, 0.0)[1]
    dispersion = (losses**2).sum() / losses.sum()
    priors = []
    print(f"{len(sides)} sides of games; slope of all causes {common:.2f}\n\ncause                        at 1500  slope  dispersion  games")
    for index, (kind, cause) in enumerate(causes):
        lost = losses[:, index]
        mean, slope = fit(lost, level, common, 2.0)
        # Rare causes have the dispersion of all.
        own = ((lost**2).sum() + 0.6 * dispersion) / (lost.sum() + 0.6)
        priors.append({"kind": kind, "cause": cause, "mean": round(float(np.exp(mean)), 5), "slope": round(float(slope), 3), "dispersion": round(float(own), 3)})
        print(f"{kind} {cause:22} {np.exp(mean):8.4f} {slope:6.2f} {own:10.2f} {(lost > 0).sum():7}")

    of_player = defaultdict(list)
    for index, side in enumerate(sides):
        of_player[side["player"]].append(index)
    players = [indices for indices in of_player.values() if len(indices) >= FEWEST]
    if players:
        numbers = [np.array([prior[name] for prior in priors]) for name in ("mean", "slope", "dispersion")]
        halves(players, losses, level, *numbers)
    if sys.argv[-1].endswith(".json"):
        with open(sys.argv[-1], "w") as file:
            file.write(json.dumps({"spread": SPREAD, "causes": priors}, indent=1) + "\n")


def halves(players: list, losses: np.ndarray, level: np.ndarray, mean: np.ndarray, slope: np.ndarray, dispersion: np.ndarray) -> None:
    at_level = lambda games: mean * np.exp(slope * level[games].mean())
    above = sum(((losses[games].mean(0) - at_level(games)) ** 2 - dispersion * at_level(games) / len(games)).sum() for games in players)
    spread = above / sum((at_level(games) ** 2).sum() for games in players)
    sizes = sorted(len(games) for games in players)
    print(f"\n{len(players)} players with {sizes[0]} to {sizes[-1]} games; squared spread between players of a level: {spread:.2f}")
    print("\nspread  estimates  counted  counted by estimate  by level alone  above the level  error / error of the level")
    for spread in (0.0, 0.25, 0.5, 1.0):
        random = np.random.default_rng(3)
        found = []
        for _ in range(REPEATS):
            for games in players:
                mixed = random.permutation(games)
                half = len(mixed) // 2
                estimates, counted = [], []
                for part in (mixed[:half], mixed[half : 2 * half]):
                    prior = at_level(part)
                    weight = half * spread**2 * prior / (half * spread**2 * prior + dispersion)
                    counted.append(losses[part].mean(0))
                    estimates.append(weight * counted[-1] + (1 - weight) * prior)
                prior = at_level(mixed)
                error = ((estimates[0] - counted[1]) ** 2).sum()
                found.append(
                    (
                        correlation(ranks(estimates[0]), ranks(estimates[1])),
                        correlation(ranks(counted[0]), ranks(counted[1])),
                        correlation(ranks(estimates[0]), ranks(counted[1])),
                        correlation(ranks(prior), ranks(counted[1])),
                        correlation(counted[0] - prior, counted[1] - prior),
                        error,
                        ((prior - counted[1]) ** 2).sum(),
                    )
                )
        *columns, error, of_level = np.mean(found, axis=0)
        print(f"{spread:6}  {columns[0]:9.2f}  {columns[1]:7.2f}  {columns[2]:19.2f}  {columns[3]:14.2f}  {columns[4]:15.2f}  {error / of_level:.3f}")


main()
