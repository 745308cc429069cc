"""Draws stretches of games between people, for searches at many node counts.

    python research/ladder_games.py GAMES.pgn... > stretches.pgn

A stretch is some consecutive moves of one game, written as a game that begins in the middle. A
review of it at several node counts (`centipawn review --nodes N`) shows how far evaluations at
each count are from those of the longest search. At most one stretch comes from a game, and names
of players are left out. The order is random, so that the first stretches are a sample too.
"""

import argparse
import random
from pathlib import Path

import chess.pgn


def rating(game: chess.pgn.Game, tag: str) -> int:
    """Returns the rating in a tag, or 0."""
    text = game.headers.get(tag, "")
    return int(text) if text.isdecimal() else 0


def stretch(game: chess.pgn.Game, source: str, number: int, plies: int, rng: random.Random) -> str:
    """Returns consecutive moves of a game as a separate game."""
    moves = list(game.mainline())
    first = rng.randrange(8, len(moves) - plies)
    part = chess.pgn.Game.without_tag_roster()
    part.setup(moves[first - 1].board())
    part.headers["Event"] = f"Moves from ply {first + 1}"
    part.headers["Site"] = f"{source} {number}"
    for tag in ("WhiteElo", "BlackElo", "TimeControl"):
        if tag in game.headers:
            part.headers[tag] = game.headers[tag]
    part.headers["Result"] = "*"
    node: chess.pgn.GameNode = part
    for move in moves[first : first + plies]:
        node = node.add_variation(move.move)
    return str(part)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=10, help="stretches of each file")
    parser.add_argument("--plies", type=int, default=6, help="moves of a stretch")
    parser.add_argument("--seed", type=int, default=30)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    stretches = []
    for path in args.games:
        # Spread over the first 2,000 games, so that a sample does not need the whole file.
        wanted = set(rng.sample(range(2000), 6 * args.each))
        found = []
        with path.open(encoding="utf-8", errors="replace") as games:
            for number in range(2000):
                game = chess.pgn.read_game(games) if number in wanted else None
                if number not in wanted:
                    if not chess.pgn.skip_game(games):
                        break
                    continue
                if game is None:
                    break
                ratings = [rating(game, tag) for tag in ("WhiteElo", "BlackElo")]
                length = sum(1 for _ in game.mainline())
                if min(ratings) >= 1000 and max(ratings) <= 2400 and length >= 30:
                    found.append(
                        stretch(game, path.name.split(".")[0], number + 1, args.plies, rng)
                    )
                if len(found) == args.each:
                    break
        stretches += found
    rng.shuffle(stretches)
    print("\n\n".join(stretches))


if __name__ == "__main__":
    main()
