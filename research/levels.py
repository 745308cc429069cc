"""Fits how the policy in the program continues below and above the ratings of its networks (`crates/policy/src/mixed.rs`).

    python research/levels.py MAIA_FOLDER --fit GAMES.pgn... --check GAMES.pgn...

Files may be compressed with Zstandard. Measured are the moves from ply 10 on, in games that are not bullet, with at least 30 seconds on the
clock if clocks are known. Below the lowest network, d hundreds of rating points below it, the mixture p becomes
p^(1 − flattened·d) · (p/q)^(away·d), divided by its sum: less clear preferences, further away from the network q of 1900. The script fits
both numbers and prints the log-loss of each band of ratings with every form that was tried. Errors are by player or by game, whichever is
greater. With --answers it compares the levels with the published answers of Maia-3 (a table with the columns fen, san and p_600 … p_2600).
"""

import argparse
import io
import math
import pathlib
import subprocess
from collections import defaultdict

import centipawn as cp
import chess.pgn
import numpy as np

RATINGS = (1100, 1500, 1900, 2200)
SHARE = 0.1
FIRST_PLY = 10
BULLET = 180
# Further down the data do not reach.
LOWEST = 600
# Below this probability, differences between two networks are noise.
LEAST = 1e-3
# Every third move of a game is enough: neighbouring moves tell much the same.
EVERY = 3


def text(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstdcat", path], check=True, capture_output=True, text=True).stdout
    return pathlib.Path(path).read_text(encoding="utf-8")


def rating(game, color):
    value = game.headers.get("WhiteElo" if color else "BlackElo", "")
    return int(value) if value.isdigit() else None


def moves(path, wanted):
    """Yields the game's number, the player, the rating, the board and the move."""
    stream = io.StringIO(text(path))
    number = 0
    while (game := chess.pgn.read_game(stream)) is not None:
        number += 1
        ratings = [rating(game, color) for color in (chess.BLACK, chess.WHITE)]
        base = game.headers.get("TimeControl", "").split("+")[0]
        if not any(each and wanted(each) for each in ratings) or (base.isdigit() and int(base) < BULLET):
            continue
        board, clocks = game.board(), [None, None]
        for ply, node in enumerate(game.mainline()):
            color = board.turn
            left, clocks[color] = clocks[color], node.clock()
            each = ratings[color]
            if each and wanted(each) and ply >= FIRST_PLY and ply // 2 % EVERY == 0 and (left is None or left >= 30):
                name = game.headers.get("White" if color else "Black", "?")
                player = f"{path}:{name}" if name not in ("?", "") else f"{path}:{number}:{color}"
                yield number, player, each, board.copy(stack=8), node.move.uci()
            board.push(node.move)


def rows(paths, networks, wanted):
    found = []
    for path in paths:
        for number, player, each, board, played in moves(path, wanted):
            answers = [network.probabilities(board) for network in networks]
            names = sorted(answers[0])
            table = np.array([[answer[name] for name in names] for answer in answers])
            if played in names:
                found.append((f"{path}:{number}", player, each, table, names.index(played)))
    return found


def parts(level, ratings):
    """The weights of the networks, as in `mixed.rs`."""
    level = min(max(level, ratings[0]), ratings[-1])
    near = 1 - SHARE * len(ratings)
    return np.array([SHARE + near * max(0.0, weight) for weight in hats(level, ratings)])


def hats(level, ratings):
    for index in range(len(ratings)):
        hat = np.zeros(len(ratings))
        hat[index] = 1
        yield float(np.interp(level, ratings, hat))


def three_then_four(level):
    """Up to the third network its mixture of three; from there on, the fourth takes over."""
    three = np.append(parts(level, RATINGS[:3]), 0.0)
    four = np.array([SHARE, SHARE, SHARE, 1 - 3 * SHARE])
    share = min(max((level - RATINGS[2]) / (RATINGS[3] - RATINGS[2]), 0.0), 1.0)
    return (1 - share) * three + share * four


FORMS = {
    "three networks": lambda level: np.append(parts(level, RATINGS[:3]), 0.0),
    "four networks": lambda level: parts(level, RATINGS),
    "three, then the fourth": three_then_four,
    "nearest network": lambda level: np.eye(4)[int(np.argmin([abs(level - each) for each in RATINGS]))],
}


def predict(table, level, form, flattened=0.0, away=0.0):
    """The probabilities of the moves at a level; `table` has a row for each network."""
    level = max(level, LOWEST)
    logs = np.log(np.maximum(form(level) @ table, 1e-9))
    distance = max(RATINGS[0] - level, 0) / 100
    ratio = np.log(np.maximum(form(level) @ table, LEAST)) - np.log(np.maximum(table[2], LEAST))
    logs = logs * (1 - flattened * distance) + away * distance * ratio
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def loss(row, form, **terms):
    """−log of the probability of the played move."""
    _, _, level, table, played = row
    return -math.log(predict(table, level, form, **terms)[played])


def error(values, groups):
    """The standard error of the mean, with groups as clusters."""
    sums = defaultdict(float)
    mean = float(np.mean(values))
    for value, group in zip(values, groups, strict=True):
        sums[group] += value - mean
    return math.sqrt(sum(each * each for each in sums.values())) / len(values)


def best(mean, name, **fixed):
    """The value of a term with the least mean loss."""
    values = [step / 100 for step in range(21)]
    return min((mean(**fixed, **{name: value}), value) for value in values)[1]


def compare(path, networks, terms):
    """How the probability of a move changes with the level, ours beside Maia-3's."""
    lines = text(path).splitlines()
    names = lines[0].split("\t")
    levels = [int(name.removeprefix("p_")) for name in names if name.startswith("p_")]
    ours, theirs = [], []
    for line in lines[1:]:
        values = dict(zip(names, line.split("\t"), strict=True))
        board = chess.Board(values["fen"])
        played = board.parse_san(values["san"]).uci()
        answers = [network.probabilities(board) for network in networks]
        moves = sorted(answers[0])
        table = np.array([[answer[move] for move in moves] for answer in answers])
        ours.append([predict(table, level, three_then_four, **terms)[moves.index(played)] for level in levels])
        theirs.append([float(values[f"p_{level}"]) for level in levels])
    ours, theirs = np.array(ours), np.array(theirs)
    rank = lambda values: np.argsort(np.argsort(values))
    print(f"\n{len(ours)} answers of Maia-3: level, mean of ours, mean of theirs, rank correlation")
    for index, level in enumerate(levels):
        correlation = np.corrcoef(rank(ours[:, index]), rank(theirs[:, index]))[0, 1]
        print(f"{level} | {ours[:, index].mean():.3f} | {theirs[:, index].mean():.3f} | {correlation:.3f}")
    for title, first, last in (("600 to 1000", 0, 1), ("1000 to 1800", 1, 3), ("1800 to 2200", 3, 4)):
        one, other = (np.log(np.maximum(values[:, last], LEAST) / np.maximum(values[:, first], LEAST)) for values in (ours, theirs))
        slope = float((one * other).sum() / (other * other).sum())
        print(f"change of ln p from {title}: correlation {np.corrcoef(one, other)[0, 1]:.3f}, slope of ours on theirs {slope:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--fit", nargs="+", default=[])
    parser.add_argument("--check", nargs="+", default=[])
    parser.add_argument("--answers")
    given = parser.parse_args()
    networks = [cp.policy.Network(f"{given.folder}/maia-{each}.pb.gz") for each in RATINGS]
    outside = lambda level: level < 1200 or level > 1900
    fit, check = (rows(paths, networks, outside) for paths in (given.fit, given.check))
    low = [row for row in fit if row[2] < RATINGS[0]]
    mean = lambda **terms: float(np.mean([loss(row, three_then_four, **terms) for row in low]))
    alone = best(mean, "flattened")
    # Both together: by turns, from the better of the two.
    flattened, away = alone, 0.0
    for _ in range(6):
        away = best(mean, "away", flattened=flattened)
        flattened = best(mean, "flattened", away=away)
    print(f"fitted on {len(low)} moves: flattened {alone} alone; flattened {flattened} and away {away} together")
    together = {"flattened": flattened, "away": away}
    bands = ((0, 400), (400, 600), (600, 800), (800, 1000), (1000, 1100), (1900, 2050), (2050, 2200), (2200, 2400), (2400, 3500))
    for path in (*given.fit, *given.check):
        print(f"\n{path}: log-loss; then the gain over three networks with its error")
        for lowest, highest in bands:
            band = [row for row in (*fit, *check) if row[0].startswith(f"{path}:") and lowest <= row[2] < highest]
            if len(band) < 100:
                continue
            line = [f"{lowest}–{highest}", f"{len(band)} moves"]
            base = np.array([loss(row, FORMS["three networks"]) for row in band])
            line.append(f"{base.mean():.4f}")
            tried = {name: {"form": each} for name, each in FORMS.items() if name != "three networks"}
            tried["flattened"] = {"form": three_then_four, "flattened": alone}
            tried["flattened and away"] = {"form": three_then_four, **together}
            for name, terms in tried.items():
                gain = base - np.array([loss(row, **terms) for row in band])
                worst = max(error(gain, [row[0] for row in band]), error(gain, [row[1] for row in band]))
                line.append(f"{name} {gain.mean():+.4f} ± {worst:.4f}")
            print(" | ".join(line))
    if given.answers:
        compare(given.answers, networks, together)


if __name__ == "__main__":
    main()
