"""How far a search is from a much longer one: the model behind `symbol_probability`.

    python research/search_error.py rows REVIEW.json... > ladder.tsv
    python research/search_error.py fit research/ladder.tsv.gz
    python research/search_error.py check research/ladder.tsv.gz --plot docs/search-error.svg
    python research/search_error.py test research/ladder.tsv.gz research/ladder_16m.tsv.gz

`rows` reads reviews of the stretches of `ladder_games.py` at several node counts (`centipawn review
STRETCHES --nodes N --every-symbol --json`). A row is a move at one node count: the difference that
its symbol measures, the mean expected score of the best and the played move, the disagreement of
the next position's search, and the pawns at equality of a point. `fit` prints the constants of
`crates/core/src/search_error.rs`. `check` fits them without the games that it predicts, five times,
and prints how often symbols stand, and what searching on where a symbol is unsure costs. `test`
fits them to the first rows and predicts others, which may have a longer search or another engine.
"""

import argparse
import csv
import gzip
import json
import math
import random
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

THRESHOLDS = [0.05, 0.15, 0.25]
COLUMNS = ["game", "ply", "nodes", "difference", "expected_score", "disagreement", "total"]


class Row(NamedTuple):
    """A move as a search of one length saw it."""

    game: str
    ply: int
    nodes: int
    difference: float
    expected_score: float
    disagreement: float | None
    total: float


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-max(min(x, 60.0), -60.0)))


def rows_of(document: dict, nodes: int) -> list[Row]:
    """Returns the rows of a review. The expected score of the second-best move follows from the
    slope of the curve at the game's other evaluations."""
    rows = []
    for game in document["games"]:
        name = dict(game["headers"])["Site"] if isinstance(game["headers"], list) else game["headers"]["Site"]
        slopes, totals = defaultdict(list), defaultdict(list)
        for ply in game["plies"]:
            for key, score in (("eval_before", "expected_score_best"), ("eval_played", "expected_score")):
                cp = ply[key].get("cp")
                if cp and 30 <= abs(cp) <= 600:
                    slopes[ply["phase"]].append(math.log(ply[score] / (1 - ply[score])) / cp)
            if ply["score_loss"] > 0.003:
                totals[ply["phase"]].append(ply["relevant_loss"] / ply["score_loss"])
        slope_of = {phase: statistics.median(found) for phase, found in slopes.items()}
        total_of = {phase: statistics.median(found) for phase, found in totals.items()}
        for index, ply in enumerate(game["plies"]):
            is_white = ply["mover"] == "white"
            slope, total = slope_of.get(ply["phase"], 0.0045), total_of.get(ply["phase"], 9.0)

            def own(score: float, is_white: bool = is_white) -> float:
                return score if is_white else 1 - score

            def worth(score: dict, slope: float = slope) -> float:
                return sigmoid(slope * score["cp"]) if "cp" in score else float(score["mate"] > 0)

            best, played = own(ply["expected_score_best"]), own(ply["expected_score"])
            others = [own(worth(line["eval"])) for line in ply["lines"] if line["uci"][0] != ply["uci"]]
            if best - played > 1e-9:
                difference = played - best
            elif others:
                difference = max(played - max(others), 0.0)
            else:
                continue
            following = game["plies"][index + 1 : index + 2]
            disagreement = own(following[0]["expected_score_best"]) - played if following else None
            rows.append(Row(name, index, nodes, difference, (best + played) / 2, disagreement, total))
    return rows


def read(path: Path) -> dict[tuple[str, int], dict[int, Row]]:
    """Reads rows, and returns those of each move that all searches saw."""
    moves: dict[tuple[str, int], dict[int, Row]] = defaultdict(dict)
    with gzip.open(path, "rt") as lines:
        for line in csv.DictReader(lines, delimiter="\t"):
            disagreement = float(line["disagreement"]) if line["disagreement"] else None
            row = Row(
                line["game"],
                int(line["ply"]),
                int(line["nodes"]),
                float(line["difference"]),
                float(line["expected_score"]),
                disagreement,
                float(line["total"]),
            )
            moves[row.game, row.ply][row.nodes] = row
    longest = max(nodes for found in moves.values() for nodes in found)
    return {key: found for key, found in moves.items() if longest in found}


def longest_of(found: dict[int, Row]) -> Row:
    """Returns the longest search of a move."""
    return found[max(found)]


def features(row: Row) -> list[float]:
    disagreement = 0.0
    if row.disagreement is not None:
        disagreement = math.log(abs(row.disagreement) * row.total + 0.04) + 2
    score = 4 * row.expected_score * (1 - row.expected_score)
    difference = math.log(abs(row.difference) * row.total + 0.16)
    return [1.0, math.log10(row.nodes) - 5, math.log(score + 0.02), difference, disagreement]


def loss(point: np.ndarray, x: np.ndarray, found: np.ndarray, longest: np.ndarray) -> float:
    """Returns the mean −ln of the density of the longest search's difference."""
    scale, weight, wider = np.exp(x @ point[:5]), 1 / (1 + np.exp(-point[5])), 1 + np.exp(point[6])
    apart = np.abs(longest - point[7] * found)

    def density(scale: np.ndarray) -> np.ndarray:
        z = apart / scale
        return np.exp(-z) / (scale * (1 + np.exp(-z)) ** 2)

    mixture = (1 - weight) * density(scale) + weight * density(wider * scale)
    return float(-np.mean(np.log(mixture + 1e-12)))


def minimize(function, start: list[float], steps: int = 4000) -> np.ndarray:
    """Nelder and Mead's simplex."""
    size = len(start)
    simplex = [np.array(start)] + [np.array(start) + 0.3 * np.eye(size)[index] for index in range(size)]
    values = [function(point) for point in simplex]
    for _ in range(steps):
        order = np.argsort(values)
        simplex, values = [simplex[index] for index in order], [values[index] for index in order]
        if values[-1] - values[0] < 1e-9:
            break
        middle = np.mean(simplex[:-1], axis=0)
        point = 2 * middle - simplex[-1]
        value = function(point)
        if value < values[0]:
            further = 3 * middle - 2 * simplex[-1]
            best = function(further)
            simplex[-1], values[-1] = (further, best) if best < value else (point, value)
        elif value < values[-2]:
            simplex[-1], values[-1] = point, value
        else:
            inside = (middle + simplex[-1]) / 2
            value = function(inside)
            if value < values[-1]:
                simplex[-1], values[-1] = inside, value
            else:
                simplex = [(point + simplex[0]) / 2 for point in simplex]
                values = [function(point) for point in simplex]
    return simplex[0]


def fit(moves: list[dict[int, Row]]) -> np.ndarray:
    pairs = [(row, longest_of(found)) for found in moves for row in found.values() if row.nodes < max(found)]
    x = np.array([features(row) for row, _ in pairs])
    found = np.array([row.difference * row.total for row, _ in pairs])
    longest = np.array([last.difference * row.total for row, last in pairs])

    def function(point: np.ndarray) -> float:
        return loss(point, x, found, longest)

    point = np.array([-2.5, 0, 0, 0, 0, -1.5, 1.5, 1.0])
    # The simplex may shrink too early, so it begins again where it ended.
    for _ in range(6):
        point = minimize(function, list(point))
    return point


def degree(difference: float) -> int:
    """Returns 1 to 3 for praise, −1 to −3 for blame, 0 without a symbol."""
    size = sum(abs(difference) >= threshold - 1e-9 for threshold in THRESHOLDS)
    return size if difference > 0 else -size


def stands(point: np.ndarray, row: Row) -> float:
    """Returns the probability that the longest search gives the symbol of this one: the same
    blame, at least the same praise, or no blame."""
    scale = math.exp(float(np.array(features(row)) @ point[:5]))
    weight, wider = sigmoid(point[5]), 1 + math.exp(point[6])

    def below(difference: float) -> float:
        apart = (difference - point[7] * row.difference) * row.total
        return (1 - weight) * sigmoid(apart / scale) + weight * sigmoid(apart / (wider * scale))

    own = degree(row.difference)
    low = [-9.0, -0.25, -0.15, -0.05, 0.05, 0.15, 0.25][own + 3] if own else -0.05
    high = [-0.25, -0.15, -0.05][own + 3] if own < 0 else 9.0
    return below(high) - below(low)


def is_same(own: int, longest: int) -> bool:
    return longest == own if own < 0 else longest >= own


def folds(moves: dict[tuple[str, int], dict[int, Row]]) -> list[set[str]]:
    # Both moves of a game of the other sample belong together.
    games = sorted({game for game, _ in moves})
    random.Random(1).shuffle(games)
    return [set(games[index::5]) for index in range(5)]


def check(moves: dict[tuple[str, int], dict[int, Row]], plot: Path | None) -> None:
    parts = folds(moves)
    points = [fit([found for (game, _), found in moves.items() if game not in part]) for part in parts]
    of_game = {game: point for part, point in zip(parts, points, strict=True) for game in part}
    reliability(moves, of_game)
    frontier(moves, of_game, plot)


def test(fitted: Path, others: Path) -> None:
    point = fit(list(read(fitted).values()))
    moves = read(others)
    of_game = {game: point for game, _ in moves}
    reliability(moves, of_game)
    frontier(moves, of_game, None)


def reliability(moves, of_game) -> None:
    """Prints how often symbols stand, by what the model says of them."""
    said = []
    for (game, _), found in moves.items():
        last = degree(longest_of(found).difference)
        for nodes, row in found.items():
            if 10_000 <= nodes < max(found):
                own = degree(row.difference)
                said.append((game, nodes, own, stands(of_game[game], row), is_same(own, last)))
    kinds = {"blame": lambda own: own < 0, "none": lambda own: own == 0, "praise": lambda own: own > 0}
    print("| symbol | said | moves | stood | error |\n| --- | --- | ---: | ---: | ---: |")
    for name, belongs in kinds.items():
        for low, high in ((0, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 1.01)):
            some = [(game, p, is_so) for game, _, own, p, is_so in said if belongs(own) and low <= p < high]
            if not some:
                continue
            mean, share = np.mean([p for _, p, _ in some]), np.mean([is_so for _, _, is_so in some])
            by_game = defaultdict(float)
            for game, _, is_so in some:
                by_game[game] += is_so - share
            error = math.sqrt(sum(own**2 for own in by_game.values())) / len(some)
            print(f"| {name} | {mean:.2f} | {len(some)} | {share:.2f} | {error:.2f} |")


def kappa(degrees: list[tuple[int, int]]) -> float:
    """Returns Cohen's kappa of pairs of degrees, with weights that grow with their distance."""
    own, last = np.array(degrees).T
    by_chance = np.abs(own[:, None] - last[None, :]).mean()
    return float(1 - np.abs(own - last).mean() / by_chance)


def frontier(moves, of_game, plot: Path | None) -> None:
    """Prints agreement of blame with the longest search against nodes of a position."""

    def quick(_game: str, found: dict[int, Row]) -> tuple[int, int]:
        row = found[100_000]
        apart = abs(row.disagreement or 0)
        matters = row.difference <= -0.025 or row.difference >= 0.05 or apart >= 0.1
        return (1_000_000, 1_100_000) if matters else (100_000, 100_000)

    def sure(least: float):
        def choose(game: str, found: dict[int, Row]) -> tuple[int, int]:
            spent = 0
            for nodes in (30_000, 1_000_000):
                spent += nodes
                row = found[nodes]
                # Praise that turns out to be none is no wrong blame.
                p = stands(of_game[game], row) if row.difference < 0 else unblamed(of_game[game], row)
                if p >= least or nodes == 1_000_000:
                    break
            return nodes, spent

        return choose

    def unblamed(point: np.ndarray, row: Row) -> float:
        neutral = row._replace(difference=min(max(row.difference, 0.0), 0.0499))
        own = stands(point, neutral)
        return max(own, stands(point, row)) if row.difference >= 0.05 else own

    flat = [nodes for nodes in (10_000, 30_000, 100_000, 300_000, 1_000_000) if all(nodes in found for found in moves.values())]
    rules = [(f"flat {nodes:,}", lambda _g, _f, nodes=nodes: (nodes, nodes)) for nodes in flat]
    rules += [("--quick (100k, then 1M)", quick)]
    rules += [(f"searched on below {p}", sure(p)) for p in (0.75, 0.8, 0.9, 0.95, 0.97)]
    print("\n| rule | nodes a position | same blame | weighted kappa | both of either blamed | error of a loss | of a side's sum |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    points = []
    for name, rule in rules:
        same = both = either = spent = error = 0.0
        used = [(game, ply, found) for (game, ply), found in moves.items() if 30_000 in found]
        degrees, sums = [], defaultdict(float)
        for game, ply, found in used:
            nodes, cost = rule(game, found)
            own, last = found[nodes].difference, longest_of(found).difference
            same += min(degree(own), 0) == min(degree(last), 0)
            both += own <= -0.05 + 1e-9 and last <= -0.05 + 1e-9
            either += own <= -0.05 + 1e-9 or last <= -0.05 + 1e-9
            error += abs(min(own, 0) - min(last, 0))
            sums[game, ply % 2] += min(own, 0) - min(last, 0)
            degrees.append((max(-degree(own), 0), max(-degree(last), 0)))
            spent += cost
        count = len(used)
        side = np.mean(np.abs(list(sums.values())))
        shares = f"{same / count:.3f} | {kappa(degrees):.3f} | {both / either:.3f}"
        print(f"| {name} | {spent / count:,.0f} | {shares} | {error / count:.4f} | {side:.3f} |")
        points.append((name, spent / count, both / either))
    if plot:
        plot.write_text(drawn(points), encoding="utf-8")


def drawn(points: list[tuple[str, float, float]]) -> str:
    """Returns the agreement of blame against nodes as SVG."""

    def x(nodes: float) -> float:
        return 60 + 540 * (math.log10(nodes) - 4) / 2

    def y(share: float) -> float:
        return 300 - 260 * (share - 0.55) / 0.35

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 350" font-family="sans-serif" font-size="12">',
        '<rect width="640" height="350" fill="#fff"/>',
    ]
    parts += [
        f'<path d="M60 {y(share):.0f}H600" stroke="#ddd"/><text x="52" y="{y(share) + 4:.0f}" text-anchor="end">{share:.1f}</text>'
        for share in (0.6, 0.7, 0.8, 0.9)
    ]
    parts += [
        f'<path d="M{x(nodes):.0f} 40V300" stroke="#eee"/><text x="{x(nodes):.0f}" y="318" text-anchor="middle">{nodes:,}</text>'
        for nodes in (10_000, 100_000, 1_000_000)
    ]
    parts.append('<text x="330" y="340" text-anchor="middle">nodes a position</text>')
    parts.append('<text x="60" y="24">Blamed by both, of those blamed by either this search or one of 4,000,000 nodes</text>')
    series = {"flat": ("#555", "every position alike"), "--qui": ("#c33", "--quick"), "searc": ("#26c", "searched on where unsure")}
    for index, (begin, (color, name)) in enumerate(series.items()):
        own = [(nodes, share) for label, nodes, share in points if label.startswith(begin[:4])]
        line = " ".join(f"{x(nodes):.0f},{y(share):.0f}" for nodes, share in own)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}"/>')
        parts += [f'<circle cx="{x(nodes):.0f}" cy="{y(share):.0f}" r="4" fill="{color}"/>' for nodes, share in own]
        parts.append(f'<circle cx="440" cy="{230 + 20 * index}" r="4" fill="{color}"/><text x="452" y="{234 + 20 * index}">{name}</text>')
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("rows").add_argument("reviews", nargs="+", type=Path)
    commands.add_parser("fit").add_argument("rows", type=Path)
    checking = commands.add_parser("check")
    checking.add_argument("rows", type=Path)
    checking.add_argument("--plot", type=Path)
    testing = commands.add_parser("test")
    testing.add_argument("fitted", type=Path)
    testing.add_argument("others", type=Path)
    args = parser.parse_args()
    if args.command == "rows":
        out = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
        out.writerow(COLUMNS)
        for path in args.reviews:
            document = json.loads(path.read_text(encoding="utf-8"))
            nodes = int(document["limit"].split()[0])
            for row in rows_of(document, nodes):
                numbers = [row.difference, row.expected_score, row.disagreement, row.total]
                out.writerow([*row[:3], *("" if number is None else f"{number:.5g}" for number in numbers)])
    elif args.command == "fit":
        point = fit(list(read(args.rows).values()))
        names = ["SCALE", "BY_NODES", "BY_SCORE", "BY_DIFFERENCE", "BY_DISAGREEMENT"]
        for name, number in zip(names, point, strict=False):
            print(f"{name} {number:.3f}")
        print(f"WIDE {sigmoid(point[5]):.3f}\nWIDER {1 + math.exp(point[6]):.3f}\nKEPT {point[7]:.3f}")
    elif args.command == "test":
        test(args.fitted, args.others)
    else:
        check(read(args.rows), args.plot)


if __name__ == "__main__":
    main()
