"""Tables equal what python-chess reads, ply by ply."""

import io
import json
import re
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import centipawn as cp
import chess
import chess.pgn
import duckdb
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
COLUMNS = [
    *("game", "ply", "move_number", "mover", "san", "uci", "nag", "fen", "result", "time_seconds", "clock_seconds"),
    *("material_before", "material", "eval_before_cp", "eval_before_mate", "eval_cp", "eval_mate"),
]
MEN = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
TCEC = re.compile(r"\bwv=(-?)(M?)(\d+(?:\.\d+)?)")


def material(board: chess.Board) -> int:
    return sum(value * (len(board.pieces(man, True)) + len(board.pieces(man, False))) for man, value in MEN.items())


def evaluation(node: chess.pgn.ChildNode) -> tuple[int | None, int | None]:
    """White's evaluation in centipawns and its mate. `[%eval]` is parsed by python-chess, TCEC's
    `wv` by a regular expression here.
    """
    score = node.eval()
    if score is not None:
        return score.white().score(), score.white().mate()
    if (found := TCEC.search(node.comment)) is None:
        return None, None
    sign = -1 if found[1] else 1
    return (None, sign * int(found[3])) if found[2] else (sign * round(100 * float(found[3])), None)


def rows(path: Path) -> list[dict[str, Any]]:
    """The table that python-chess produces."""
    found: list[dict[str, Any]] = []
    with open(path, encoding="utf-8", errors="replace") as file:
        number = 0
        while (game := chess.pgn.read_game(file)) is not None:
            board = game.board()
            after = material(board)
            for node in game.mainline():
                row: dict[str, Any] = {
                    "game": number,
                    "ply": node.ply() - game.ply(),
                    "move_number": board.fullmove_number,
                    "mover": "white" if board.turn else "black",
                    "san": board.san(node.move).rstrip("+#"),
                    "uci": node.move.uci(),
                    "fen": board.fen(),
                    "material_before": after,
                }
                board.push(node.move)
                after = material(board)
                cp_, mate = evaluation(node)
                row |= {
                    "material": after,
                    "cp": cp_,
                    "mate": mate,
                    "clock_seconds": node.clock(),
                    "time_seconds": node.emt(),
                    "result": SCORES.get(game.headers["Result"]),
                    "nags": node.nags,
                }
                found.append(row)
            number += 1
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_equal_to_python_chess(path: Path) -> None:
    table = cp.scan(path, columns=COLUMNS)
    ours = pa.table(table).to_pylist()
    theirs = rows(path)
    assert len(ours) == len(theirs) > 0 and len(table.problems) == 0
    is_tcec = "TCEC" in path.name
    # TCEC's engines evaluate the position before their move, Lichess the position after it.
    of, other = ("eval_before", "eval") if is_tcec else ("eval", "eval_before")
    for own, their in zip(ours, theirs):
        place = f"{path.name}: game {own['game']}, ply {own['ply']}"
        own["san"] = own["san"].rstrip("!?")
        for name in ["game", "ply", "move_number", "mover", "san", "uci", "fen", "material_before", "material", "result"]:
            assert own[name] == their[name], f"{place}: {name}"
        assert own[f"{other}_cp"] is None and own[f"{other}_mate"] is None, place
        evaluated, known = (own[f"{of}_cp"], own[f"{of}_mate"]), (their["cp"], their["mate"])
        if not is_tcec or evaluated == (None, None) or their["mate"] is None:
            assert evaluated == known, place
        if not is_tcec:
            for name in ["clock_seconds", "time_seconds"]:
                assert own[name] == (None if their[name] is None else pytest.approx(their[name])), place
        assert (own["nag"] is None and not their["nags"]) or own["nag"] in their["nags"], place


def test_columns_without_a_text_are_empty() -> None:
    games = cp.scan(io.StringIO("1. e4 e5 *")).games
    for name in ("event", "eco", "time_control", "termination", "variant"):
        assert games[name].tolist() == [None] and games[name].dtype == object, name
    nothing = cp.scan(io.StringIO(""))
    assert nothing.games["source"].tolist() == nothing["mover"].tolist() == nothing.problems["reason"].tolist() == []


def test_games_are_a_table_with_a_row_each(examples: Path) -> None:
    games = pa.table(cp.scan([examples / "opera-game.pgn", examples / "evergreen-game.pgn"]).games).to_pylist()
    assert [game["white_name"] for game in games] == ["Morphy, Paul", "Anderssen, Adolf"]
    assert [game["game"] for game in games] == [0, 1]
    assert games[0]["result"] == 1.0 and games[0]["year"] == 1858 and games[0]["date"] == date(1858, 11, 2) and games[0]["plies"] == 33
    assert games[0]["source"].endswith("opera-game.pgn") and games[1]["game_id"] == 1 << 48


def test_the_table_does_not_depend_on_threads(examples: Path) -> None:
    def table(threads: int) -> pa.Table:
        return pa.table(cp.scan(examples / "selfplay.pgn.gz", columns=COLUMNS, threads=threads)).combine_chunks()

    assert table(1).equals(table(4))


def test_joined_batches_equal_the_table(examples: Path) -> None:
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
    offsets = np.concatenate([batch.games["byte_offset"] for batch in batches])
    assert (np.diff(offsets.astype(np.int64)) > 0).all()
    assert batches[-1]["game"][-1] == 29_999 and batches[-1]["ply"][-1] == 33


def test_stopping_an_iteration_early_ends_the_scan(examples: Path) -> None:
    for _ in cp.scan_batches([examples / "opera-game.pgn", examples / "selfplay.pgn.gz"]):
        break


def test_schema(examples: Path) -> None:
    scan = cp.scan(examples / "opera-game.pgn")
    assert scan.schema == {
        "game": "Int32",
        "ply": "Int16",
        "mover": "Dictionary(Int8, Utf8)",
        "material_before": "Int16",
        "material": "Int16",
        "eval_before_cp": "Int32",
        "eval_before_mate": "Int16",
        "eval_cp": "Int32",
        "eval_mate": "Int16",
        "depth": "Int16",
        "time_seconds": "Float64",
        "clock_seconds": "Float64",
        "result": "Float64",
    }
    assert scan.plies.metadata("eval_cp") == {
        "unit": "centipawns",
        "view": "White",
        "null": "the evaluation is a mate, or missing",
        "meaning": "Evaluation of the position after the move.",
    }
    assert scan.games.column_names[:4] == ["game", "game_id", "source", "byte_offset"]


# Analysed games, games of engines, and a game with probabilities and clocks.
MIXED = """[White "A, B"]
[WhiteElo "1812"]
[Date "2024.02.29"]
[TimeControl "180+2"]

1. e4 {[%eval 0.3] [%wdl 300,500,200] [%clk 0:03:00] [%emt 0:00:01.5]} e5 $2 {[%eval #-3] [%clk 0:02:59.3]} 2. Nf3 {[%eval 0.55]} 1/2-1/2
"""


def same(arrow: object, parquet: Path, columns: list[str]) -> int:
    """Compares an Arrow table with a Parquet file, in the order of the rows. Returns the number of
    rows.
    """
    names = ", ".join(columns)
    theirs = duckdb.sql(f"select {names} from '{parquet}'").fetchall()
    table = pa.table(arrow).select(columns)
    ours = [tuple(row.values()) for row in table.to_pylist()]
    assert ours == theirs
    return len(ours)


def test_a_mate_on_the_board_has_the_sign_of_the_mover(tmp_path: Path) -> None:
    path = tmp_path / "mate.pgn"
    path.write_text("1. f3 e5 2. g4 {[%eval #-1]} Qh4# {[%eval #0]} 0-1\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# {[%eval #0]} 1-0\n")
    scan = cp.scan(path)
    mates = [mate for mate in pa.table(scan)["eval_mate"].to_pylist() if mate is not None]
    assert mates == [-1, -1, 1]
    assert cp.expected_score([None, None], mate=mates[1:], curve="lichess").tolist() == [0.0, 1.0]


def test_missing_values_keep_their_places(tmp_path: Path) -> None:
    """Covers runs of plies with and without values, a game without plies, and games without a
    result.
    """
    path = tmp_path / "games.pgn"
    comments = "1. e4 {+0.31/20 1.5s} e5 2. Nf3 Nc6 {-0.20/18 2s} 3. Bb5 {+M5/30 1s} a6"
    path.write_text(f'[Event "a"]\n\n{comments} 1-0\n\n[Event "b"]\n\n*\n\n[Event "c"]\n\n1. d4 d5 {{0.00/9 3s}} *\n')
    plies, games = cp.scan(path), cp.scan(path).games

    def column(name: str) -> list[Any]:
        return pa.table(plies)[name].to_pylist()

    assert pa.table(games)["plies"].to_pylist() == [6, 0, 2]
    assert column("eval_before_cp") == [31, None, None, 20, None, None, None, 0]
    assert column("eval_before_mate") == [None, None, None, None, 3, None, None, None]
    assert column("eval_cp") == [None] * 8
    assert column("depth") == [20, None, None, 18, 30, None, None, 9]
    assert column("time_seconds") == [1.5, None, None, 2.0, 1.0, None, None, 3.0]
    assert column("result") == [1.0] * 6 + [None] * 2


def test_the_same_values_in_parquet_arrow_and_json(tmp_path: Path, examples: Path) -> None:
    """The three outputs have one schema: Parquet files of the command line (read by DuckDB), tables
    of this package, and the JSON of a review.
    """
    program = ROOT / "target" / "debug" / "centipawn"
    if not program.exists():
        pytest.skip("target/debug/centipawn is not built")
    mixed = tmp_path / "mixed.pgn"
    mixed.write_text(MIXED)
    paths = [examples / "selfplay.pgn.gz", mixed]
    subprocess.run([program, "pgn", "export", *paths, "-o", tmp_path / "plies", "--fen", "-q"], check=True)

    def in_file(path: Path) -> list[str]:
        return [name for name, *_ in duckdb.sql(f"describe select * from '{path}'").fetchall()]

    plies, games = (tmp_path / "plies" / f"{name}-1.parquet" for name in ("plies", "games"))
    exported = [name for name in in_file(plies) if name != "game_id"]
    scan = cp.scan(paths, columns=exported)
    assert scan.column_names == exported
    assert same(scan, plies, exported) == 12_078 and same(scan.games, games, in_file(games)) == 131
    # An evaluation is in the same row as the material of the same position.
    assert pa.table(cp.scan(mixed, columns=["eval_cp", "p_win", "eval_before_cp", "nag"])).to_pylist() == [
        {"eval_before_cp": None, "eval_cp": 30, "nag": None, "p_win": 0.3},
        {"eval_before_cp": None, "eval_cp": None, "nag": 2, "p_win": None},
        {"eval_before_cp": None, "eval_cp": 55, "nag": None, "p_win": None},
    ]

    judged = tmp_path / "judged"
    command = [program, "review", "--reuse-evals", "--engine", "none", "--store", "none", "-q", "--table", judged, "--json", "-"]
    ran = subprocess.run([*command, *paths], capture_output=True, check=True)
    documents = json.loads(ran.stdout)["games"]
    reviews = cp.review(paths, reuse_evals=True, store="none")
    columns = in_file(judged / "plies-1.parquet")
    assert columns == ["game_id", *reviews.plies.column_names[1:]]
    assert same(reviews.plies, judged / "plies-1.parquet", columns[1:]) == 12_078
    rows = pa.table(reviews.plies).to_pylist()
    for row, ply in zip(rows, [ply for document in documents for ply in document["plies"]], strict=True):
        for name in set(row) & set(ply) - {"san"}:
            assert row[name] == ply[name], name
        for name in ["eval", "eval_before", "eval_played"]:
            own = {key: row[f"{name}_{key}"] for key in ("cp", "mate") if row[f"{name}_{key}"] is not None}
            assert own == (ply[name] or {}), name
        wdl = ply["wdl"] or {"win": None, "draw": None, "loss": None}
        assert (row["p_win"], row["p_draw"], row["p_loss"]) == (wdl["win"], wdl["draw"], wdl["loss"])


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


def test_problems_are_in_the_batch_of_their_file(tmp_path: Path, examples: Path) -> None:
    good = examples / "opera-game.pgn"
    files = [tmp_path / f"{number}.pgn" for number in range(5)]
    for number, file in enumerate(files):
        file.write_text(f"{{{number}}} 1. {'e5' if number in (1, 4) else 'e4'} *\n\n1. e4 e5 1-0\n")
    for _ in range(20):
        batches = list(cp.scan_batches(files))
        assert [len(batch.problems) for batch in batches] == [0, 1, 0, 0, 1]
    many = tmp_path / "many.pgn"
    many.write_bytes(good.read_bytes() * 20_000 + b"\n1. e5 *\n")
    batches = list(cp.scan_batches([many, good], columns=["ply"]))
    assert len(batches) > 3 and [len(batch.problems) for batch in batches[-2:]] == [1, 0]


def test_wrong_arguments(examples: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no-such"):
        cp.scan("no-such.pgn")
    with pytest.raises(ValueError, match='no column "eval"'):
        cp.scan(examples / "opera-game.pgn", columns=["eval"])
    with pytest.raises(ValueError, match="dialect"):
        cp.scan(examples / "opera-game.pgn", evals="klingon")
    with pytest.raises(KeyError, match="columns are game"):
        cp.scan(examples / "opera-game.pgn")["nothing"]
