"""Typical work of a researcher in a few lines, and the documents that it returns."""

import json
from pathlib import Path

import centipawn as cp
import chess
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

LIMIT = {"nodes": 2_000, "jobs": 1}


def test_tables_become_data_frames_without_copies(examples: Path) -> None:
    plies = cp.scan(examples / "selfplay.pgn.gz")
    frame = pl.DataFrame(plies)
    assert frame.shape == (12075, 13) and frame["eval_before_cp"].null_count() == 1331
    assert frame.height == pa.table(plies).num_rows == len(pd.DataFrame.from_arrow(plies.plies))
    assert pl.DataFrame(plies.games)["event"].dtype == pl.Categorical
    [(count,)] = duckdb.sql("select count(*) from plies where material = 78").fetchall()
    assert count == frame.filter(material=78).height > 0


def test_wdl(examples: Path, tmp_path: Path) -> None:
    counts = cp.wdl.count(examples / "selfplay.pgn.gz")
    assert (counts.positions, counts.games) == (10775, 130) and "10,775 positions of 130 games" in counts.summary
    table = pl.DataFrame(counts.table)
    assert table["n"].sum() == 10775 and set(table["mover_result"]) == {1, 0, -1}
    counts.save(tmp_path / "counts.wdl")
    again = cp.wdl.read_counts(tmp_path / "counts.wdl")
    model = counts.fit(resamples=20, seed=1)
    assert again.fit(resamples=0, folds=0).document["as"] == model.document["as"]
    assert model.errors is not None and model.errors["normalize_to_pawn_value"]["error"] > 0
    assert model.held_out is not None and model.curve is not None
    assert "<svg" in model.plot().svg and model.svg() == model.plot().svg and "NormalizeToPawnValue" in model.text and "as" in model.cpp()
    assert model.provenance["inputs"][0]["name"] == "selfplay.pgn.gz" and model.provenance["seed"] == 1
    model.save(tmp_path / "curve.json")
    assert cp.Curve(tmp_path / "curve.json") == model.curve
    model.save_document(tmp_path / "last.json")
    comparison = cp.wdl.compare(cp.wdl.load(tmp_path / "last.json"), counts.fit(by="material", moves=(1, 60)), on=counts)
    [row] = pa.table(comparison.table()).to_pylist()
    assert row["log_loss"] is not None and row["pawn_error"] > 0 and len(comparison.verdicts) == 1
    assert model.warnings == []


def test_compared_models_know_their_games(examples: Path, tmp_path: Path) -> None:
    counts = cp.wdl.count(examples / "selfplay.pgn.gz")
    fit = counts.fit(resamples=5)
    fit.save(tmp_path / "curve.json")
    counts.save(tmp_path / "counts.wdl")
    loaded = cp.wdl.load(tmp_path / "curve.json")
    other = counts.fit(moves=(1, 60), resamples=5)
    for on in (counts, cp.wdl.count(examples / "selfplay.pgn.gz"), cp.wdl.read_counts(tmp_path / "counts.wdl")):
        for own in (fit, loaded):
            document = cp.wdl.compare(other, own, on=on).document
            assert [model["is_held_out"] for model in document["models"]] == [True, True]
            # A fit by move cannot be repeated on folds. Its log loss is therefore that on games
            # that it was fitted to.
            document = cp.wdl.compare("stockfish-12", own, on=on).document
            assert [model["is_fitted_to_games"] for model in document["models"]] == [False, True]
        assert cp.wdl.compare(loaded, fit, on=on).verdicts == [f"fit 2 and {loaded.name} are the same model."]


def test_counts_are_filtered(examples: Path) -> None:
    with pytest.raises(cp.FitError, match="metadata"):
        cp.wdl.count(examples / "selfplay.pgn.gz", match_tc=r"60\+0\.6")
    with pytest.raises(ValueError, match="elo_diff_min"):
        cp.wdl.count(examples / "selfplay.pgn.gz", elo_diff_min=3, elo_diff_max=1)
    with pytest.raises(ValueError):
        cp.wdl.count(examples / "selfplay.pgn.gz", match_engine="(")


def test_balance(examples: Path) -> None:
    table = cp.balance.estimate(examples / "selfplay.pgn.gz", by="engine", resamples=0)
    assert len(table) > 0 and (table["games"] > 0).all()


def test_material(examples: Path, tmp_path: Path) -> None:
    rows = cp.material.rows(examples / "selfplay.pgn.gz")
    fit = cp.material.fit(rows, terms=["bishop-pair"], resamples=20)
    pieces = fit.values["piece"].tolist()
    assert pieces[:5] == ["pawn", "knight", "bishop", "rook", "queen"] and "bishop-pair" in pieces
    tested = fit.test("Q > 3P")
    assert tested.verdict == "holds" and 0 < tested.p < 0.025 and tested.z > 0
    assert tested.p_corrected is None
    [again, other] = fit.tests("Q > 3P", "B > N")
    assert again.p == tested.p and again.p_corrected >= again.p and (other.verdict == "holds") == (other.p_corrected < 0.05)
    repeated = fit.tests("Q > 3P", "6P < 2Q", "B > N")
    assert [own.p_corrected for own in repeated] == [again.p_corrected, again.p_corrected, other.p_corrected]
    assert [own["p_corrected"] is not None for own in fit.document["tests"]] == [True] * 5
    with pytest.raises(ValueError, match="is not a test"):
        fit.test("N >> P")
    rows.save(tmp_path / "rows.tsv")
    assert len(cp.material.rows(tmp_path / "rows.tsv")) == len(rows)


def test_policy_takes_boards() -> None:
    network = cp.policy.Network()
    board = chess.Board()
    board.push_san("e4")
    answers = network.probabilities(board, rating=1500)
    assert set(answers) == {move.uci() for move in board.legal_moves} and sum(answers.values()) == pytest.approx(1)
    assert answers == network.probabilities("startpos moves e2e4", rating=1500)
    assert answers == network.probabilities((chess.STARTING_FEN, ["e2e4"]), rating=1500)
    assert answers != network.probabilities(board, rating=1100)
    table = network.evaluate_many([chess.Board(), "startpos moves e2e4"], rating=1500, top=3)
    assert table["row"].tolist() == [0, 0, 0, 1, 1, 1]
    assert table["p"][3] == max(answers.values())
    for wrong, error in [("8/8", ValueError), ("startpos moves e2e5", ValueError), (3, TypeError)]:
        with pytest.raises(error):
            network.probabilities(wrong)
    for rating, nearest in [(2500, 2200), (400, 600)]:
        with pytest.warns(cp.CentipawnWarning, match=f"{nearest} is the nearest"):
            assert network.probabilities(board, rating=rating) == network.probabilities(board, rating=nearest)
    with pytest.warns(cp.CentipawnWarning, match="2200 is the nearest"):
        network.evaluate_many([board], rating=2500)
    with pytest.raises(cp.NetworkError, match="maia-9999"):
        cp.policy.Network("maia-9999")


def test_review(examples: Path) -> None:
    game = cp.review(examples / "opera-game.pgn", store="none", **LIMIT)[0]
    frame = pl.DataFrame(game.plies)[["san", "symbol", "score_loss"]]
    assert frame.shape == (33, 3) and frame["score_loss"].min() >= 0
    assert game.white["name"] == "Morphy, Paul" and game.opening is not None and "Morphy" in game.title
    assert "<iframe" in game._repr_html_() and game.html.startswith("<!doctype html>") and "[White" in game.pgn
    assert game.document["plies"][0]["uci"] == "e2e4"
    assert game.provenance["engine"]["name"].startswith("Stockfish") and game.provenance["limit"] == "2000 nodes"


def test_reviews_share_an_engine(examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "own.db"
    with cp.Engine("stockfish", store=store, **LIMIT) as engine:
        assert engine.identity["name"].startswith("Stockfish")
        reviews = cp.review([examples / "opera-game.pgn", examples / "immortal-draw.pgn"], engine)
        assert len(reviews) == 2 and set(reviews.plies["game"]) == {0, 1}
        assert [review.title for review in reviews] == [reviews[0].title, reviews[-1].title]
        lines = engine.analyse(chess.Board(), lines=2)
        assert lines["rank"].tolist() == [1, 2]
        ease = cp.ease(chess.Board(), rating=1500, engine=engine)
        assert ease.ease is not None and 0 <= ease.ease <= 1 and ease.moves[0].p > 0 and ease.level == 1500
        assert "centipawn-1" in json.dumps(ease.provenance)
    with pytest.raises(ValueError, match="closed"):
        engine.analyse("startpos")
    evaluations = cp.Store(store).evaluations()  # noqa: F841 (DuckDB reads it by its name)
    [(name, mean)] = duckdb.sql("select engine, avg(mover_eval_cp) from evaluations group by 1").fetchall()
    assert name.startswith("Stockfish") and mean is not None
    assert cp.Store(store).stats["evaluations"] > 0
    monkeypatch.setenv("CENTIPAWN_STORE", str(store))
    assert cp.Store().stats["evaluations"] > 0


def test_missing_engines_and_stores(examples: Path, tmp_path: Path) -> None:
    with pytest.raises(cp.EngineError, match="no-such-engine"):
        cp.review(examples / "opera-game.pgn", "no-such-engine", store="none")
    with pytest.raises(FileNotFoundError, match="no store"):
        cp.Store(tmp_path / "none.db")
    with pytest.raises(ValueError, match="one of nodes"):
        cp.Engine(nodes=1, depth=1, store="none")


def test_own_evaluations_need_no_engine(tmp_path: Path) -> None:
    game = tmp_path / "judged.pgn"
    game.write_text("1. e4 { [%eval 0.24] } e5 { [%eval 0.12] } 2. Qh5 { [%eval -0.3] } Ke7 { [%eval #1] } *\n")
    judged = cp.review(game, "no-such-engine", reuse_evals=True, curve="lichess", store="none")[0]
    assert judged.plies["symbol"].tolist() == [None, None, None, "??"]


def test_puzzles(examples: Path, tmp_path: Path) -> None:
    puzzles = cp.puzzles.read(examples / "puzzles.csv")
    rated = cp.puzzles.rate(puzzles, all=True, policy=False)
    table = pl.DataFrame(rated.table)
    assert len(table) == len(puzzles) and (table["low"] < table["high"]).all()
    tagged = cp.puzzles.tag(puzzles)
    assert len(tagged[0]["themes"]) > 0
    puzzles.save(tmp_path / "some.jsonl")
    assert cp.puzzles.read(tmp_path / "some.jsonl").table["fen"].tolist() == puzzles.table["fen"].tolist()


def test_symbols() -> None:
    found = cp.symbols.of_move(played=-1.0, best=2.0, curve=cp.Curve.relevance(0.62))
    assert (found.s7, found.s8, found.s20, found.s12) == ("??", "??", "??", "??")
    assert cp.symbols.of_move(played="#3", best="#3").s8 == ""
    with pytest.raises(ValueError, match="evaluation"):
        cp.symbols.of_move(played="good", best=1)
