"""Calls from the documentation, which `mypy --strict` accepts. `make python` checks the types of
this file, too.
"""

from pathlib import Path

import centipawn as cp
import chess
import numpy as np


def test_reviews_and_puzzles_are_iterable(examples: Path) -> None:
    reviews = cp.review(examples / "opera-game.pgn", Path("stockfish"), nodes=200, jobs=1, store="none")
    titles: list[str] = [game.title for game in reviews]
    assert titles == [reviews[0].title]
    puzzles = cp.puzzles.read(examples / "puzzles.csv", first=2)
    assert [puzzle["id"] for puzzle in puzzles] == puzzles.table["id"].tolist()


def test_lists_may_contain_none() -> None:
    scores = cp.expected_score([30, None], mate=[None, -2], curve="lichess")
    assert scores.shape == (2,) and scores[1] == 0.0
    assert np.isnan(cp.Curve("lichess").expected([None])).all()
    score: float = cp.expected_score(30)
    assert 0.5 < score < 1.0
    model = cp.wdl.load("stockfish-18")
    assert len(model.predict([30, None], material=np.array([58, 40]))) == 2


def test_paths_and_moves_of_any_kind(tmp_path: Path) -> None:
    network = cp.policy.Network(Path("centipawn-1"))
    moves = (move for move in ("e2e4", "e7e5"))
    assert network.probabilities(("startpos", moves)) == network.probabilities("startpos moves e2e4 e7e5")
    boards = [chess.Board()]
    assert len(network.evaluate_many(boards, top=1)) == 1
    try:
        cp.policy.Network(tmp_path / "no.pb.gz")
    except FileNotFoundError as error:
        assert "no.pb.gz" in str(error)
