"""Tables equal what python-chess reads, ply by ply."""

import re
from pathlib import Path

import centipawn as cp
import chess
import chess.pgn
import numpy as np
import pyarrow as pa
import pytest
from conftest import ROOT, shared

FILES = [
    *(ROOT / "examples" / name for name in ("opera-game.pgn", "immortal-draw.pgn", "evergreen-game.pgn")),
    *shared(
        "lichess/lichess_2021-10_eval96.pgn",
        "lichess/lichess_2026-05_strong350.pgn",
        "human/broadcast_lezcano2025_504.pgn",
        "tcec/TCEC_Season_9_-_Superfinal.pgn",
        "tcec/TCEC_Season_13_-_Superfinal.pgn",
    ),
]
COLUMNS = ["game", "ply", "white", "eval_cp", "eval_mate", "clock", "time", "material", "score", "san", "uci", "nag"]
MEN = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
TCEC = re.compile(r"\bwv=(-?)(M?)(\d+(?:\.\d+)?)")


def material(board: chess.Board) -> int:
    return sum(value * (len(board.pieces(man, True)) + len(board.pieces(man, False))) for man, value in MEN.items())


def evaluation(node: chess.pgn.ChildNode) -> tuple[int | None, int | None]:
    """White's centipawns and mate: `[%eval]` by python-chess, TCEC's `wv` by its own expression."""
    score = node.eval()
    if score is not None:
        return score.white().score(), score.white().mate()
    if (found := TCEC.search(node.comment)) is None:
        return None, None
    sign = -1 if found[1] else 1
    return (None, sign * int(found[3])) if found[2] else (sign * round(100 * float(found[3])), None)


def rows(path: Path) -> list[tuple[object, ...]]:
    """The table, as python-chess has it."""
    found: list[tuple[object, ...]] = []
    with open(path, encoding="utf-8", errors="replace") as file:
        number = 0
        while (game := chess.pgn.read_game(file)) is not None:
            board = game.board()
            for node in game.mainline():
                white, ply = board.turn, node.ply() - 1 - game.ply()
                san = board.san(node.move).rstrip("+#")
                board.push(node.move)
                score = SCORES.get(game.headers["Result"])
                numbers = (node.clock(), node.emt(), material(board), score)
                found.append((number, ply, white, *evaluation(node), *numbers, san, node.move.uci(), node.nags))
            number += 1
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_equal_to_python_chess(path: Path) -> None:
    table = cp.scan(path, columns=COLUMNS)
    ours = pa.table(table).to_pylist()
    theirs = rows(path)
    assert len(ours) == len(theirs) > 0 and len(table.problems) == 0
    is_tcec = "TCEC" in path.name
    for own, (game, ply, white, eval_cp, eval_mate, clock, time, men, score, san, uci, nags) in zip(ours, theirs):
        place = f"{path.name}: game {game}, ply {ply}"
        assert (own["game"], own["ply"], own["white"]) == (game, ply, white), place
        assert (own["san"].rstrip("!?"), own["uci"], own["material"], own["score"]) == (san, uci, men, score), place
        if is_tcec and own["eval_cp"] is None and own["eval_mate"] is None:
            assert (eval_cp, eval_mate) == (None, None), place
        elif not is_tcec or eval_mate is None:
            assert (own["eval_cp"], own["eval_mate"]) == (eval_cp, eval_mate), place
        if not is_tcec:
            assert own["clock"] == (None if clock is None else pytest.approx(clock)), place
            assert own["time"] == (None if time is None else pytest.approx(time)), place
        assert (own["nag"] is None and not nags) or own["nag"] in nags, place


def test_games_are_rows_too(examples: Path) -> None:
    games = pa.table(cp.scan([examples / "opera-game.pgn", examples / "evergreen-game.pgn"]).games).to_pylist()
    assert [game["white"] for game in games] == ["Morphy, Paul", "Anderssen, Adolf"]
    assert [game["game"] for game in games] == [0, 1]
    assert games[0]["result"] == "1-0" and games[0]["plies"] == 33 and games[0]["source"].endswith("opera-game.pgn")


def test_the_table_does_not_depend_on_threads(examples: Path) -> None:
    def table(threads: int) -> pa.Table:
        return pa.table(cp.scan(examples / "selfplay.pgn.gz", columns=COLUMNS, threads=threads)).combine_chunks()

    assert table(1).equals(table(4))


def test_batches_are_the_table(examples: Path) -> None:
    paths = [examples / "opera-game.pgn", examples / "selfplay.pgn.gz"]
    whole = cp.scan(paths)
    batches = list(cp.scan_batches(paths))
    for name in ["game", "ply", "eval_cp", "material"]:
        assert np.array_equal(np.concatenate([batch[name] for batch in batches]), whole[name], equal_nan=True), name
    sources = np.concatenate([batch.games["source"] for batch in batches])
    assert sources.tolist() == whole.games["source"].tolist()


def test_batches_of_a_large_file_come_in_order(tmp_path: Path, examples: Path) -> None:
    many = tmp_path / "many.pgn"
    many.write_bytes((examples / "opera-game.pgn").read_bytes() * 30_000)
    batches = list(cp.scan_batches(many, columns=["game", "ply"]))
    assert len(batches) > 3
    games = np.concatenate([batch.games["game"] for batch in batches])
    assert np.array_equal(games, np.arange(30_000))
    offsets = np.concatenate([batch.games["offset"] for batch in batches])
    assert (np.diff(offsets.astype(np.int64)) > 0).all()
    assert batches[-1]["game"][-1] == 29_999 and batches[-1]["ply"][-1] == 32


def test_an_iteration_that_stops_early_ends(examples: Path) -> None:
    for _ in cp.scan_batches([examples / "opera-game.pgn", examples / "selfplay.pgn.gz"]):
        break


def test_schema(examples: Path) -> None:
    scan = cp.scan(examples / "opera-game.pgn")
    assert scan.schema == {
        "game": "UInt32",
        "ply": "UInt16",
        "white": "Boolean",
        "eval_cp": "Int32",
        "eval_mate": "Int16",
        "depth": "UInt8",
        "clock": "Float32",
        "time": "Float32",
        "material": "UInt8",
        "score": "Float32",
    }
    assert scan.plies.metadata("eval_cp") == {"unit": "centipawns", "view": "White"}
    assert scan.games.column_names[:4] == ["game", "source", "offset", "white"]


def test_problems_are_rows(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pgn"
    bad.write_text('[White "A"]\n\n1. e4 e5 1-0\n\n[White "B"]\n\n1. e5 *\n\n[White "C"]\n\n1. d4 *\n')
    scan = cp.scan(bad)
    assert len(scan.games) == 2 and len(scan) == 3
    [problem] = pa.table(scan.problems).to_pylist()
    assert (problem["game"], problem["line"], problem["skipped"]) == (2, 7, True) and "e5" in problem["move"]
    assert [len(batch.problems) for batch in cp.scan_batches(bad)] == [1]
    with pytest.raises(cp.PgnError, match="e5"):
        cp.scan(bad, strict=True)
    with pytest.raises(cp.PgnError, match="e5"):
        list(cp.scan_batches(bad, strict=True))


def test_wrong_arguments(examples: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no-such"):
        cp.scan("no-such.pgn")
    with pytest.raises(ValueError, match='no column "eval"'):
        cp.scan(examples / "opera-game.pgn", columns=["eval"])
    with pytest.raises(ValueError, match="dialect"):
        cp.scan(examples / "opera-game.pgn", evals="klingon")
    with pytest.raises(KeyError, match="columns are game"):
        cp.scan(examples / "opera-game.pgn")["nothing"]
