"""Fits: draws and covariances, predictions with errors, and agreement with a fit in NumPy."""

import io
import json
from pathlib import Path
from typing import Any

import centipawn as cp
import numpy as np
import polars as pl
import pyarrow as pa
import pytest


@pytest.fixture(scope="module")
def games() -> Path:
    return Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture(scope="module")
def model(games: Path) -> cp.wdl.Fit:
    return cp.wdl.count(games / "selfplay.pgn.gz").fit(resamples=30, seed=1)


@pytest.fixture(scope="module")
def people(games: Path) -> cp.human.HumanFit:
    return cp.human.fit(games / "people.tsv.zst", resamples=30)


def test_draws_reproduce_the_reported_errors(model: cp.wdl.Fit) -> None:
    draws, covariance, errors = model.draws, model.covariance, model.errors
    assert draws is not None and covariance is not None and errors is not None
    assert draws.shape == (errors["resamples"], 8) and np.allclose(covariance, np.cov(draws, rowvar=False), rtol=1e-9)
    assert errors["draws"] == draws.tolist() and errors["covariance"] == covariance.tolist()
    # At material 58 the value of a cubic is the sum of its coefficients. The sum is far more
    # certain than each coefficient, so this fails if the draws lose their correlation.
    own = errors["normalize_to_pawn_value"]["error"]
    assert draws[:, :4].sum(axis=1).std(ddof=1) == pytest.approx(own)
    ones = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    assert np.sqrt(ones @ covariance @ ones) == pytest.approx(own) and own < np.sqrt(covariance[0, 0]) / 2


def test_a_fit_without_resamples_has_no_draws(games: Path) -> None:
    fit = cp.wdl.read_counts(games / "selfplay.wdl").fit(resamples=0, folds=0)
    assert fit.draws is None and fit.covariance is None
    assert np.isnan(fit.predict(100)["p_win_error"]).all() and not np.isnan(fit.predict(100)["p_win"]).any()


def test_predictions_equal_the_curve_and_their_errors_the_draws(model: cp.wdl.Fit) -> None:
    evals, material = np.array([0, 150, -80, np.nan, 40]), np.array([58, 30, 70, 58, np.nan])
    table = model.predict(evals, material=material)
    assert table.column_names[:4] == ["p_win", "p_win_error", "p_win_low", "p_win_high"] and len(table) == 5
    assert model.curve is not None and model.draws is not None
    assert np.allclose(table["expected_score"], model.curve.expected(evals, material=material), equal_nan=True)
    assert np.isnan(table["p_draw"]).tolist() == [False, False, False, True, True]
    # Compute the same by hand: the win probability of each draw at +1.50 and material 30.
    m = 30 / 58
    powers = np.array([m**3, m**2, m, 1])
    a, b = model.draws[:, :4] @ powers, model.draws[:, 4:] @ powers
    wins = 1 / (1 + np.exp((a - 150) / b))
    assert table["p_win_error"][1] == pytest.approx(wins.std(ddof=1))
    assert table["p_win_low"][1] == pytest.approx(np.sort(wins)[0])
    assert (table["p_win"] + table["p_draw"] + table["p_loss"])[:3] == pytest.approx(1)
    mates = model.predict([0, 0], mate=[3, -1])
    assert mates["p_win"].tolist() == [1, 0] and np.isnan(mates["p_win_error"]).all()


def test_a_loaded_model_predicts_with_its_errors(model: cp.wdl.Fit, tmp_path: Path) -> None:
    model.save_document(tmp_path / "fit.json")
    model.save(tmp_path / "curve.json")
    loaded, bare = cp.wdl.load(tmp_path / "fit.json"), cp.wdl.load(tmp_path / "curve.json")
    assert pa.table(loaded.predict([0, 100], ply=60)).equals(pa.table(model.predict([0, 100], ply=60)))
    assert np.array_equal(loaded.covariance, model.covariance) and np.array_equal(loaded.draws, model.draws)
    assert bare.draws is None and np.isnan(bare.predict(100)["expected_score_error"]).all()
    assert cp.wdl.load("stockfish-18").predict(100)["p_win"][0] == pytest.approx(0.5)


def test_compat_counts_and_fits_like_the_command_line(games: Path) -> None:
    file = games / "selfplay.pgn.gz"
    fast: dict[str, Any] = {"compat": True, "by": "move", "resamples": 0, "folds": 0}
    counts = cp.wdl.count(file, compat=True)
    assert counts.fit(**fast).document == counts.fit(units="18", **fast).document == cp.wdl.fit(file, **fast).document
    assert counts.fit(units=100, **fast).document != counts.fit(**fast).document


def test_shapes_without_a_curve_predict_nothing(games: Path) -> None:
    fit = cp.wdl.read_counts(games / "selfplay.wdl").fit(shape="spline", resamples=5, folds=0)
    assert fit.draws is not None and fit.draws.shape[1] == 30
    with pytest.raises(ValueError, match="cubics"):
        fit.predict(100)


POOLS = ["lichess", "chesscom", "fide", "fide-online"]


def newton(table: pl.DataFrame) -> dict[str, float]:
    """Fits the human model by Newton's method with Fisher's information, as a library for
    generalised linear models does. The effects of phases and pools have normal priors.
    """
    apart = (pl.col("white_elo") - pl.col("black_elo")).abs()
    is_eval = pl.col("mate").is_null() & (pl.col("cp").abs() <= 1500)
    counted = table.filter((pl.col("ply") >= 10) & (apart <= 300) & (is_eval | (pl.col("mate") != 0)))
    white, black, seconds = (counted[name].to_numpy() for name in ("white_elo", "black_elo", "seconds"))
    rating, difference, haste = ((white + black) / 2 - 1800) / 400, (white - black) / 400, 600 / seconds
    side = np.nan_to_num(np.sign(counted["mate"].to_numpy()))
    pawns = np.where(side == 0, np.nan_to_num(counted["cp"].to_numpy()) / 100, 0)
    of_mate = side[:, None] * np.column_stack([np.ones_like(rating), rating, np.log(seconds / 600)])
    phase = (counted["material"].fill_null(58).to_numpy() - 58) / 20
    of_pool = np.column_stack([counted["pool"].to_numpy() == pool for pool in POOLS]).astype(float)
    score = counted["result"].to_numpy()
    point = np.array([-1.0, 0, 0.25, 0, 2, 0, 0, *[0.0] * (2 + 3 * len(POOLS))])
    # The ratings of Chess.com are those after the game, so their coefficient is nearly free.
    of_difference = [4.0 if pool == "chesscom" else 0.5 for pool in POOLS]
    deviations = [0.5] * 2 + [0.2] * len(POOLS) + [0.08] * len(POOLS) + of_difference
    prior = np.concatenate([np.zeros(7), 12 / np.square(deviations)])
    for _ in range(100):
        b0, b1, time, r = point[:4]
        mates, (c1, c2), (levels, slopes, differences) = point[4:7], point[7:9], point[9:].reshape(3, -1)
        steep = b0 + b1 * rating + c1 * phase + c2 * phase**2 + of_pool @ levels + of_pool @ slopes * rating
        slope = np.exp(steep) / (1 + time * haste) * pawns
        p = 1 / (1 + np.exp(-slope - (r + of_pool @ differences) * difference - of_mate @ mates))
        by_time = -slope * haste / (1 + time * haste)
        by_phase = slope[:, None] * np.column_stack([phase, phase**2])
        by_pool = [of_pool * by[:, None] for by in (slope, slope * rating, difference)]
        jacobian = np.column_stack([slope, slope * rating, by_time, difference, of_mate, by_phase, *by_pool])
        bend = (jacobian * (p * (1 - p))[:, None]).T @ jacobian + np.diag(prior)
        step = np.linalg.solve(bend, jacobian.T @ (score - p) - prior * point)
        point = point + step
        if np.abs(step).max() < 1e-12:
            names = ["b0", "b1", "half_time", "r", "mates[0]", "mates[1]", "mates[2]", "phase[0]", "phase[1]"]
            effects = [f"{kind} of {pool}" for kind in ("level", "slope", "difference") for pool in POOLS]
            point[2] *= 600
            return dict(zip([*names, *effects], point))
    raise AssertionError("Newton's method does not converge")


def test_the_human_fit_equals_a_fit_in_numpy(games: Path) -> None:
    # Leave out games that were selected for having a winner, because the model fits them
    # differently.
    table = pl.read_csv(games / "people.tsv.zst", separator="\t", infer_schema=False)
    table = table.filter(~pl.col("file").str.contains("decisive"))
    text = table.write_csv(separator="\t")
    fit = cp.human.fit(io.StringIO(text), resamples=0, folds=0)
    theirs = newton(pl.read_csv(io.StringIO(text), separator="\t", infer_schema_length=None))
    # No model uses the coefficient of ratings after the game.
    assert theirs.pop("difference of chesscom") > 2
    effects = {f"{kind} of {pool}": fit.model["pools"][pool][kind] for pool in POOLS for kind in ("level", "slope", "difference")}
    ours = fit.constants | effects
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs, rel=1e-5)


def test_the_human_fit_has_errors_and_a_test(people: cp.human.HumanFit, games: Path, tmp_path: Path) -> None:
    assert people.games > 500 and people.errors is not None and people.held_out is not None
    draws, covariance = people.draws, people.covariance
    assert draws is not None and covariance is not None and draws.shape == (30, len(people.constants))
    for name, variance in zip(people.constants, np.diag(covariance)):
        key, _, place = name.partition("[")
        errors = people.errors[key][int(place[:-1])] if place else people.errors[key]
        assert np.sqrt(variance) == pytest.approx(errors["error"], rel=1e-6), name
    assert len(people.errors["models"]) == 30
    classes = pl.DataFrame(people.classes)
    assert classes["games"].sum() == people.games and (classes["rating_high"] - classes["rating_low"] == 199).all()
    assert "<svg" in people.plot().svg and "k" in people.text and people.document["games"] == people.games
    assert people.provenance["inputs"][0]["name"] == "people.tsv.zst"
    people.save(tmp_path / "curve.json")
    people.save_document(tmp_path / "fit.json")
    assert json.loads((tmp_path / "fit.json").read_text()) == people.document
    # For humans with the rating and time of the study, the file is this curve.
    assert cp.Curve(tmp_path / "curve.json").expected(100) == people.curve().expected(100)


def test_human_predictions_have_errors(people: cp.human.HumanFit) -> None:
    ratings = np.array([1200, 1800, np.nan])
    table = people.predict(100, rating=ratings, seconds=600)
    expected = people.curve().expected(100, rating=ratings, seconds=600)
    assert np.allclose(table["expected_score"], expected, equal_nan=True)
    # Compute the same by hand: the scores by the curve of each resample.
    scores = np.array([curve.expected(100) for curve in people.curves(rating=1800, seconds=600)])
    assert len(scores) == 30 and table["expected_score_error"][1] == pytest.approx(scores.std(ddof=1))
    assert np.allclose((table["p_win"] + table["p_draw"] / 2)[:2], expected[:2])
    better = people.predict(0, rating_difference=200)["expected_score"][0]
    mates = people.predict(0, mate=[3, -2], rating=1500, seconds=600)["expected_score"]
    assert better > 0.6 and mates.tolist() == pytest.approx(people.curve(1500, 600).expected(0, mate=[3, -2]).tolist())
    with pytest.raises(ValueError, match="rating is -5"):
        people.predict(0, rating=-5)
    with pytest.warns(cp.CentipawnWarning, match="no games beyond"):
        people.predict(0, rating=3900)
    # A pawn of an older Stockfish is worth less, so the same centipawns score less.
    assert people.predict(100, units=1.74)["expected_score"][0] < people.predict(100)["expected_score"][0]


def test_options_of_the_human_fit_reach_it(games: Path) -> None:
    fit = cp.human.fit(games / "people.tsv.zst", time=300, units=1.2, per_class=20, seed=5, resamples=3, folds=2, evals="lichess")
    recipe = fit.provenance["recipe"]
    counted = {name: recipe["count"][name] for name in ("seconds", "units", "per_class", "seed", "evals")}
    assert counted == {"seconds": 300, "units": 1.2, "per_class": 20, "seed": 5, "evals": "commands"}
    assert recipe["fit"]["resamples"] == 3 and recipe["fit"]["folds"] == 2 and fit.games < 1200


def test_human_fits_take_an_engine(games: Path) -> None:
    with pytest.raises(ValueError, match="every is for an engine"):
        cp.human.fit(games / "people.tsv.zst", every=5)
    with cp.Engine("stockfish", nodes=100, jobs=1, store="none") as engine, pytest.raises(cp.FitError, match="at least 30"):
        cp.human.fit(games / "opera-game.pgn", engine=engine, every=9, time=600)


def test_material_has_bands_draws_and_comparisons(games: Path) -> None:
    fit = cp.material.fit(games / "selfplay.pgn.gz", by="phase", resamples=20)
    assert fit.bands is not None and fit.draws is not None
    bands = pl.DataFrame(fit.bands)
    assert bands.columns == ["band", "games", "piece", "centipawns", "error", "low", "high", "reason"]
    assert bands["band"].unique().sort().to_list() == ["endgame", "middlegame", "opening"]
    fitted = bands.filter(pl.col("piece") == "rook").drop_nulls("centipawns")
    assert (fitted["low"] < fitted["high"]).all()
    by_band = {band["band"]: band for band in fit.document["bands"]}
    for row in fitted.iter_rows(named=True):
        assert row["centipawns"] == by_band[row["band"]]["values"]["rook"]
    assert bands.filter(pl.col("piece").is_null())["reason"].null_count() == 0
    assert fit.coefficients[:5] == ["pawn", "knight", "bishop", "rook", "queen"]
    assert fit.document["logit_covariance"] == fit.covariance.tolist() and fit.document["logit_draws"] == fit.draws.tolist()
    error = fit.document["logit_errors"]["rook"]
    assert np.sqrt(fit.covariance[3, 3]) == pytest.approx(error) and fit.draws.shape == (20, len(fit.coefficients))
    assert cp.material.fit(games / "selfplay.pgn.gz", resamples=0).bands is None


def test_collections_are_compared(games: Path, tmp_path: Path) -> None:
    rows = pl.DataFrame(cp.scan(games / "selfplay.pgn.gz").games)
    assert rows.height == 130
    fits = [cp.material.fit(games / "selfplay.pgn.gz", resamples=0, first_move=first) for first in (True, False)]
    compared = cp.material.compare(*fits, names=["all", "without the first move"])
    table = pl.DataFrame(compared.table())
    assert table["collection"].unique().to_list() == ["without the first move"] and table["piece"].to_list()[:2] == ["knight", "bishop"]
    assert (table["low"] < table["difference"]).all() and (table["difference"] < table["high"]).all()
    first, second = ([row["centipawns"] for row in pa.table(fit.values).to_pylist()] for fit in fits)
    assert table["difference"].to_list() == pytest.approx([b - a for a, b in zip(first[1:5], second[1:5])])
    assert compared.equality()["degrees_of_freedom"].tolist() == [4] and 0 <= compared.equality()["p"][0] <= 1
    assert "<svg" in compared.plot().svg
    with pytest.raises(ValueError, match="two collections"):
        cp.material.compare(fits[0])


def test_balances_have_intervals(games: Path) -> None:
    table = cp.balance.estimate(games / "selfplay.pgn.gz", by="engine", resamples=50)
    known = ~np.isnan(table["fitted"])
    assert (table["fitted_low"][known] < table["fitted"][known]).all() and {"low", "high"} < set(table.column_names)


def test_rows_without_games_are_refused(tmp_path: Path) -> None:
    table = "cp\twhite_elo\tblack_elo\tresult\tseconds\tply\n"
    table += "".join(f"{100 if row % 2 else -100}\t1800\t1800\t{int((row % 2 == 1) == (row % 5 > 0))}\t600\t20\n" for row in range(400))
    (tmp_path / "people.tsv").write_text(table)
    with pytest.raises(cp.PgnError, match=r"line 1 has no number in the column game.*clusters to row"):
        cp.human.fit(tmp_path / "people.tsv", resamples=2, folds=0)
    assert cp.human.fit(tmp_path / "people.tsv", clusters="row", resamples=2, folds=0).games == 400
    (tmp_path / "men.rows").write_text("".join(f" {row % 3 - 1}  0  0  0  0  {row % 3}\n" for row in range(300)))
    with pytest.raises(cp.PgnError, match="line 1 does not name its game"):
        cp.material.rows(tmp_path / "men.rows")
    assert len(cp.material.rows(tmp_path / "men.rows", clusters="row")) == 300
    with pytest.raises(ValueError, match="clusters"):
        cp.material.rows(tmp_path / "men.rows", clusters="player")


def test_a_match_has_the_balance_of_its_model(games: Path) -> None:
    result = cp.match.results(games / "selfplay.pgn.gz")
    fit = cp.wdl.count(games / "selfplay.pgn.gz").fit(folds=0)
    assert result.document["balance"]["pawns"] == fit.document["normalize_to_pawn_value"] / 100
    assert "counting_balance" in pl.DataFrame(result.players).columns
