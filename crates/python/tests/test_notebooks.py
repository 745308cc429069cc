"""Pickling, hashes, and HTML for notebooks."""

import copy
import pickle
from pathlib import Path
from typing import Any

import centipawn as cp
import numpy as np
import pyarrow as pa
import pytest


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def test_curves_are_hashable(tmp_path: Path) -> None:
    named = {cp.Curve("lichess"): "lichess", cp.Curve("stockfish-18"): "engine", cp.Curve.human(1600, 600): "club"}
    assert named[again(cp.Curve.human(1600, 600))] == "club" and named[cp.Curve.stockfish("18")] == "engine"
    assert len({cp.Curve("lichess"), cp.Curve("tcec"), cp.Curve("lichess")}) == 2
    text = '{"curve": "wdl", "argument": "material", "range": [17, 78], "divisor": 58, "a": [%s0.0, 0, 0, 100],'
    text += ' "b": [0, 0, 0, 50], "pawn": {"units": 100}, "clamp": null}'
    plus, minus = cp.Curve.from_json(text % ""), cp.Curve.from_json(text % "-")
    assert plus == minus and hash(plus) == hash(minus)


def test_tables_survive_pickling(examples: Path) -> None:
    scan = cp.scan(examples / "selfplay.pgn.gz", columns=["ply", "mover", "eval_before_cp", "san", "fen"])
    restored = again(scan)
    for own, other in [(scan.plies, restored.plies), (scan.games, restored.games), (scan.problems, restored.problems)]:
        assert pa.table(own).equals(pa.table(other)) and own.schema == other.schema
    assert restored.plies.metadata("eval_before_cp")["unit"] == "centipawns" and restored.report == scan.report
    empty = cp.scan(examples / "opera-game.pgn").problems
    assert len(again(empty)) == 0 and again(empty).column_names == empty.column_names


def test_fits_survive_pickling(examples: Path) -> None:
    counts = cp.wdl.count(examples / "selfplay.pgn.gz")
    fit = again(again(counts).fit(resamples=5))
    own = counts.fit(resamples=5)
    assert fit.document == own.document and fit.curve == own.curve and fit.plot().svg == own.plot().svg
    assert pa.table(fit.predict([0, 80])).equals(pa.table(own.predict([0, 80]))) and fit.text == own.text
    assert again(counts).summary == counts.summary and pa.table(again(counts).table).equals(pa.table(counts.table))
    # Counts that were pickled still identify the fit that was made from them, so it is compared on
    # folds.
    compared = cp.wdl.compare(counts.fit(moves=(1, 60), resamples=5), fit, on=counts)
    assert [model["is_held_out"] for model in compared.document["models"]] == [True, True]
    for shape in ("spline", "monotone"):
        own = counts.fit(resamples=0, folds=0, shape=shape)
        assert again(own).document == own.document
    people = cp.human.fit(examples / "people.tsv.zst", resamples=5, folds=2)
    assert again(people).document == people.document and np.array_equal(again(people).draws, people.draws)
    model = cp.wdl.load("stockfish-18")
    assert (again(model).name, again(model).curve) == (model.name, model.curve)
    assert again(people.plot()).svg == people.plot().svg


def test_material_fits_survive_pickling_with_bands_without_a_model(examples: Path) -> None:
    fit = cp.material.fit(examples / "selfplay.pgn.gz", by="elo", resamples=5, folds=2, terms=["bishop-pair"])
    assert again(fit).document == fit.document and copy.copy(fit).test("Q > P") == fit.test("Q > P")
    bands = cp.material.fit(examples / "selfplay.pgn.gz", by="phase", resamples=5)
    assert bands.bands is not None
    assert pa.table(again(bands).bands).equals(pa.table(bands.bands)) and again(bands).document == bands.document


def test_notebooks_show_tables(examples: Path) -> None:
    scan = cp.scan(examples / "opera-game.pgn", columns=["ply", "mover", "san", "result"])
    html = scan._repr_html_()
    assert "<td>1</td><td>white</td><td>e4</td><td>1</td>" in html and "33 rows" in html and "and 23 more" in html
    assert "<td>1858-11-02</td>" in scan.games._repr_html_()
    assert "and" not in cp.scan(examples / "opera-game.pgn").problems._repr_html_()


def test_notebooks_escape_names(tmp_path: Path) -> None:
    game = tmp_path / "odd.pgn"
    game.write_text('[White "<script>A & B</script>"]\n\n1. e4 1-0\n')
    html = cp.scan(game).games._repr_html_()
    assert "&lt;script&gt;A &amp; B" in html and "<script>" not in html


def test_notebooks_show_curves_and_fits(examples: Path) -> None:
    assert "<td>+1.00</td><td>0.591</td>" in cp.Curve("lichess")._repr_html_()
    fit = cp.wdl.read_counts(examples / "selfplay.wdl").fit(resamples=5)
    assert fit.errors is not None
    error = f"{fit.errors['normalize_to_pawn_value']['error']:.2f}"
    assert f"<td>{error}</td>" in fit._repr_html_() and "held out" in fit._repr_html_()
    bare = cp.wdl.read_counts(examples / "selfplay.wdl").fit(resamples=0, folds=0)
    assert "<td></td>" in bare._repr_html_()
    people = cp.human.fit(examples / "people.tsv.zst", resamples=0, folds=0)
    assert f"{people.games} games" in people._repr_html_() and "blitz" in people._repr_html_()
    assert "<td>rook</td>" in cp.material.fit(examples / "selfplay.pgn.gz", resamples=0)._repr_html_()


@pytest.mark.parametrize("name", ["opera-game.pgn"])
def test_notebooks_show_reviews(examples: Path, name: str) -> None:
    reviews = cp.review(examples / name, nodes=500, jobs=1, store="none")
    assert "1 reviewed game" in reviews._repr_html_() and "Morphy" in reviews._repr_html_()
