"""Expected scores: shapes, missing values, and agreement with python-chess."""

import pickle

import centipawn as cp
import chess.engine
import numpy as np
import polars as pl
import pytest


def test_the_lichess_curve_equals_that_of_python_chess() -> None:
    evals = np.arange(-1500, 1501, 7)
    theirs = [chess.engine.Cp(int(cp_)).wdl(model="lichess").expectation() for cp_ in evals]
    # python-chess rounds to a thousandth.
    assert np.abs(cp.expected_score(evals, curve="lichess") - theirs).max() < 0.0011


def test_shapes_and_missing_values() -> None:
    assert isinstance(cp.expected_score(0), float)
    square = cp.expected_score(np.zeros((2, 3)), curve="lichess")
    assert square.shape == (2, 3) and (square == 0.5).all()
    assert np.isnan(cp.expected_score([None, 1.0, float("nan")], curve="lichess")).tolist() == [True, False, True]
    series = pl.DataFrame({"cp": [10, None, 5], "mate": [None, -3, None]})
    scores = cp.expected_score(series["cp"], mate=series["mate"], curve="lichess")
    assert scores[1] == 0.0 and scores[0] > 0.5
    # Material and ply are broadcast like evaluations.
    by_material = cp.expected_score(100, curve="stockfish-18", material=[30, 78])
    assert by_material.shape == (2,) and by_material[0] != by_material[1]
    assert np.isnan(cp.expected_score(100, curve="stockfish-18", material=[np.nan]))[0]


def test_masked_values_are_missing() -> None:
    masked = np.ma.masked_array([100.0, 300.0], [False, True])
    assert np.isnan(cp.expected_score(masked, curve="lichess")).tolist() == [False, True]
    mates = np.ma.masked_array([3, 3], [True, False])
    assert cp.expected_score([0, 0], mate=mates, curve="lichess").tolist() == [0.5, 1.0]
    assert np.isnan(cp.expected_score(np.ma.masked, curve="lichess"))
    with pytest.raises(TypeError, match="eval must be numbers, not booleans"):
        cp.expected_score(np.ma.masked_array([True], [False]))


def test_curves_compare_by_value_and_survive_pickling() -> None:
    club = cp.Curve.human(rating=1600, seconds=600)
    assert club.expected(np.array([20, -35])).round(3).tolist() == [0.517, 0.47]
    assert club != cp.Curve.human(rating=2600) and club == cp.Curve.from_json(club.to_json())
    old = cp.Curve.human(rating=1600, seconds=600, units=1.74)
    assert old == cp.Curve.from_json(old.to_json()) and old.expected(100) == cp.expected_score(100, curve=old) < club.expected(100)
    win, draw, loss = cp.Curve("stockfish-18").wdl(0)
    assert win == loss and win + draw + loss == pytest.approx(1)
    assert cp.Curve("lichess").wdl(0) is None
    balance = cp.Curve.relevance(0.62)
    assert balance.eval_of(0.75) == pytest.approx(62) and balance.balance() == 0.62
    assert balance.relevant_difference(200, -100) == pytest.approx(1.40089, abs=1e-5)
    assert pickle.loads(pickle.dumps(club)) == club
    assert cp.Curve.stockfish("15.1") == cp.Curve("stockfish-15.1")


@pytest.mark.parametrize(
    ("name", "says"), [("klingon", "stockfish-VERSION"), ("auto", "for games"), ("stockfish-3", "stockfish-VERSION")]
)
def test_unknown_names_list_the_known_ones(name: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        cp.Curve(name)


def test_wrong_arguments_of_curves_raise_errors() -> None:
    with pytest.raises(ValueError, match="balance is -1"):
        cp.Curve.relevance(-1)
    with pytest.raises(ValueError, match="rating"):
        cp.Curve.human(rating=-5)
    with pytest.raises(ValueError, match="balance is for"):
        cp.Curve("lichess", balance=1)
    with pytest.raises(FileNotFoundError):
        cp.Curve("no/such/curve.json")


def test_curves_with_impossible_constants_are_refused() -> None:
    for text, reason in [
        ('{"curve": "relevance", "balance": 1e308}', "balance is 1e308"),
        ('{"curve": "logistic", "k": 1e-300, "clamp": null}', "k is 1e-300"),
        (
            '{"curve": "wdl", "argument": "material", "range": [17, 78], "divisor": 58, "a": [0, 0, 0, 100],'
            ' "b": [0, 0, 0, -50], "pawn": {"units": 100}, "clamp": null}',
            "at material 17 the width b of the win rate is -50",
        ),
    ]:
        with pytest.raises(ValueError, match=reason):
            cp.Curve.from_json(text)
    with pytest.raises(ValueError, match="balance is 1e308"):
        cp.Curve.relevance(1e308)
    with pytest.raises(ValueError, match="k is 0"):
        cp.Curve.logistic(0.0)


def test_ratings_beyond_the_games_are_reported() -> None:
    with pytest.warns(cp.CentipawnWarning, match="rating 3500 counts as 2900"):
        curve = cp.Curve.human(rating=3500)
    assert curve.expected(100) == cp.Curve.human(rating=2900).expected(100)
