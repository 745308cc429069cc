"""Which part of a player's results says more about other games than the level and the player's mean do?

    crates/python/.venv/bin/python research/personal_results.py GAMES.pgn.zst...

Reads games of players with at least 50 games, replays the moves, and needs no engine. The result of a game is the player's points minus the
points that the ratings and the color predict. Games are grouped in six ways: by color, opening, time class, the opponent's strength, whether
the player ran short of time, and class of the ending. For blocks of 50, 100 and 300 games of a player, the odd games predict the means of
the groups in the even games:

    prediction = player's mean + mean of the group over all other players + weight * (the player's own deviation in the odd games)

Printed for each way of grouping: the weight with the least squared error and its standard error by a jackknife over the players, how much of
the squared error the own deviation removes if the weight comes from the other players, and the standard deviation of the true deviations
between players of one level by the covariance of both halves.
"""

import io
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import chess
import chess.pgn
import numpy as np

FEWEST_GAMES = 50
BLOCKS = (50, 100, 300)
# A group counts if each half of a block has this many games of it.
FEWEST = 3
# Openings that are too rare in a block share one group.
OPENINGS = 8
CLOCK = re.compile(r"\[%clk\s+(\d+):(\d+):([\d.]+)\]")


@dataclass
class Side:
    """One player in one game."""

    player: str
    order: tuple[str, int]
    points: float
    color: str
    rating: int | None
    opponent: int | None
    groups: dict[str, str] = field(default_factory=dict)
    # 0 or 1, if a game has several of these that belong to one half; else every second one counts.
    half: int | None = None


def seconds(comment: str) -> float | None:
    found = CLOCK.search(comment)
    return found and 3600 * int(found[1]) + 60 * int(found[2]) + float(found[3])


def ending(board: chess.Board) -> str | None:
    """The class of an ending with at most two pieces beside kings and pawns."""
    pieces = [piece.piece_type for piece in board.piece_map().values() if piece.piece_type not in (chess.KING, chess.PAWN)]
    if len(pieces) > 2:
        return None
    kinds = set(pieces)
    if not kinds:
        return "pawns"
    if kinds == {chess.ROOK}:
        return "rooks"
    if kinds == {chess.QUEEN}:
        return "queens"
    return "minor pieces" if kinds <= {chess.KNIGHT, chess.BISHOP} else "mixed"


def time_class(control: str) -> str | None:
    found = re.fullmatch(r"(\d+)\+(\d+)", control)
    if not found:
        return None
    estimate = int(found[1]) + 40 * int(found[2])
    return "bullet" if estimate < 180 else "blitz" if estimate < 480 else "rapid" if estimate < 1500 else "classical"


def number(tags: chess.pgn.Headers, tag: str) -> int | None:
    return int(tags[tag]) if tags.get(tag, "").isdigit() else None


def read(path: str, wanted: set[str]) -> list[Side]:
    text = subprocess.run(["zstd", "-dc", path], capture_output=True, text=True, check=True).stdout
    sides = []
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        tags = game.headers
        points = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}.get(tags.get("Result", "*"))
        names = (tags.get("White", "?"), tags.get("Black", "?"))
        if points is None or not wanted & set(names):
            continue
        moves, short, kind, san = list(game.mainline()), [None, None], "none", []
        base = re.match(r"\d+", tags.get("TimeControl", ""))
        board = game.board()
        for index, node in enumerate(moves):
            if index < 3:
                san.append(board.san(node.move))
            board.push(node.move)
            left = seconds(node.comment)
            if left is not None and base:
                short[index % 2] = bool(short[index % 2]) or left < 0.1 * int(base[0])
            if kind == "none":
                kind = ending(board) or "none"
        order = (tags.get("Date", ""), number(tags, "Round") or 0)
        for index, color in enumerate(("white", "black")):
            if names[index] not in wanted:
                continue
            own, other = (number(tags, "WhiteElo"), number(tags, "BlackElo"))[:: 1 if index == 0 else -1]
            side = Side(names[index], order, points if index == 0 else 1 - points, color, own, other)
            side.groups["color"] = color
            side.groups["opening"] = f"{color} {' '.join(san[: 3 if index == 0 else 2])}"
            side.groups["ending class"] = kind
            if own and other:
                side.groups["opponent"] = "weaker" if other < own - 100 else "stronger" if other > own + 100 else "equal"
            if (kind_of_time := time_class(tags.get("TimeControl", ""))) is not None:
                side.groups["time class"] = kind_of_time
            if short[index] is not None:
                side.groups["clock"] = "short" if short[index] else "enough"
            sides.append(side)
    return sides


def residuals(sides: list[Side]) -> dict[int, float]:
    """Points minus what rating difference and color predict, by a logistic regression."""
    known = [side for side in sides if side.rating and side.opponent]
    x = np.array([[1.0 if side.color == "white" else -1.0, (side.rating - side.opponent) / 400] for side in known])
    y = np.array([side.points for side in known])
    b = np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ b))
        b += np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x, x.T @ (y - p))
    p = 1 / (1 + np.exp(-x @ b))
    print(f"{len(known)} sides of games with both ratings; color {b[0]:.3f}, 400 points of rating {b[1]:.3f} (logits)\n")
    return {id(side): value for side, value in zip(known, y - p)}


@dataclass
class Pair:
    """Deviations of a group in the odd and in the even games of a block."""

    player: str
    odd: float
    even: float
    odd_games: int
    even_games: int


def split(block: list[Side]) -> list[list[Side]]:
    """The two halves of a block."""
    halves = [place % 2 if side.half is None else side.half for place, side in enumerate(block)]
    return [[side for side, half in zip(block, halves) if half == wanted] for wanted in (0, 1)]


def pairs(games: dict[str, list[Side]], left: dict[int, float], way: str, size: int) -> list[Pair]:
    mean = lambda values: sum(values) / len(values)
    found = []
    for player, own in games.items():
        others = defaultdict(list)
        for other, sides in games.items():
            if other != player:
                for side in sides:
                    if way in side.groups:
                        others[side.groups[way]].append(left[id(side)])
        all_others = mean([value for values in others.values() for value in values]) if others else 0.0
        level = {name: mean(values) - all_others for name, values in others.items() if len(values) >= 20}
        usable = [side for side in own if way in side.groups]
        for start in range(0, len(usable) - size + 1, size):
            block = usable[start : start + size]
            common = {name for name, _ in Counter(side.groups[way] for side in block).most_common(OPENINGS)}
            halves = split(block)
            means = [mean([left[id(side)] for side in half]) for half in halves]
            groups = [defaultdict(list), defaultdict(list)]
            for half, by_name in zip(halves, groups):
                for side in half:
                    name = side.groups[way]
                    by_name[name if name in common else "other"].append(left[id(side)])
            for group in groups[0]:
                a, b = groups[0][group], groups[1].get(group, [])
                if len(a) >= FEWEST and len(b) >= FEWEST:
                    base = level.get(group, 0.0)
                    found.append(Pair(player, mean(a) - means[0] - base, mean(b) - means[1] - base, len(a), len(b)))
    return found


def weight(pairs: list[Pair]) -> float:
    up = sum(pair.even_games * pair.odd * pair.even for pair in pairs)
    return up / max(sum(pair.even_games * pair.odd**2 for pair in pairs), 1e-9)


def report(way: str, size: int, found: list[Pair]) -> None:
    players = sorted({pair.player for pair in found})
    if len(players) < 2:
        print(f"{way:14} {size:5}  {len(players)} player: not measured")
        return
    without = {player: weight([pair for pair in found if pair.player != player]) for player in players}
    all_weight, n = weight(found), len(players)
    error = np.sqrt((n - 1) / n * sum((value - np.mean(list(without.values()))) ** 2 for value in without.values()))
    zero = sum(pair.even_games * pair.even**2 for pair in found)
    with_own = sum(pair.even_games * (pair.even - max(without[pair.player], 0.0) * pair.odd) ** 2 for pair in found)
    games = sum(pair.even_games for pair in found)
    covariance = sum(pair.even_games * pair.odd * pair.even for pair in found) / games
    spread = np.sign(covariance) * np.sqrt(abs(covariance))
    print(
        f"{way:14} {size:5} {n:8} {len(found):7} {all_weight:8.2f} ± {error:.2f} {100 * (1 - with_own / zero):8.1f} % {spread:8.3f}",
    )


def main() -> None:
    counts = Counter()
    for path in sys.argv[1:]:
        text = subprocess.run(["zstd", "-dc", path], capture_output=True, text=True, check=True).stdout
        counts.update(re.findall(r'^\[(?:White|Black) "(.*)"\]$', text, re.MULTILINE))
    wanted = {name for name, count in counts.items() if count >= FEWEST_GAMES and name != "?"}
    sides = [side for path in sys.argv[1:] for side in read(path, wanted)]
    left = residuals(sides)
    games = defaultdict(list)
    for side in sorted((side for side in sides if id(side) in left), key=lambda side: side.order):
        games[side.player].append(side)
    for player, own in sorted(games.items(), key=lambda item: -len(item[1])):
        print(f"{player}: {len(own)} games, mean rating {np.mean([side.rating for side in own]):.0f}")
    print("\ngroups by      games  players   pairs       weight       error less   spread")
    for way in ("color", "opening", "opponent", "time class", "clock", "ending class"):
        for size in BLOCKS:
            report(way, size, pairs(games, left, way, size))


if __name__ == "__main__":
    main()
