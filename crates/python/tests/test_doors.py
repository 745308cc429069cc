"""The command line and Python do the same work: the same options give the same document, byte for
byte.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import centipawn as cp
import pytest
from centipawn import _centipawn

ROOT = Path(__file__).parents[3]
PROGRAM = Path(os.environ.get("CENTIPAWN_PROGRAM", ROOT / "target/debug/centipawn"))
GAMES = "selfplay.pgn.gz"


@pytest.fixture(autouse=True)
def _in_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built: make unit builds it")
    monkeypatch.chdir(ROOT / "examples")


def same(of_python: Any, *arguments: str) -> None:
    """Compares a document of Python with that of the program with these arguments."""
    ran = subprocess.run([PROGRAM, *arguments, "--json", "-q"], capture_output=True, check=True, text=True)
    assert json.dumps(of_python, indent=1) == json.dumps(json.loads(ran.stdout), indent=1)


def test_balance() -> None:
    options = {"count": {"by": "engine"}, "bootstrap": {"resamples": 50}, "player": "weak"}
    _, document = _centipawn.balance_estimate([GAMES], json.dumps(options), None)
    same(document, "balance", GAMES, "--by", "engine", "--resamples", "50", "--player", "weak")


def test_match() -> None:
    result = cp.match.results(GAMES, sprt=(-10, 0), model="logistic")
    same(result.document, "match", GAMES, "--sprt", "-10,0", "--model", "logistic")
    [pairing] = result.document["pairings"]
    assert result.pairings["elo"].tolist() == [pairing["estimate"]["elo"]]
    assert result.pairings["llr"].tolist() == [pairing["sprt"]["llr"]]
    [first, second] = result.players["name"].tolist()
    rated = cp.match.results(GAMES, players=[second, first], anchor={first: 3000}, white_advantage=10)
    arguments = ["--player", second, "--player", first, "--anchor", f"{first}=3000", "--white-advantage", "10"]
    same(rated.document, "match", GAMES, *arguments)
    for wrong, error in [
        ({"sprt": (5, 0)}, "bounds"),
        ({"sprt": (5,)}, "sprt are two bounds"),
        ({"model": "logistic"}, "model is for a sequential test"),
        ({"alpha": 0.1}, "alpha is for a sequential test"),
        ({"sprt": (0, 5), "alpha": 2}, "alpha"),
        ({"anchor": {}}, "anchor"),
        ({"anchor": ["a"]}, "anchor fixes one rating"),
    ]:
        with pytest.raises(ValueError, match=error):
            cp.match.results(GAMES, **wrong)
    with pytest.raises(cp.FitError, match="no player"):
        cp.match.results(GAMES, players=["Deep Blue"])


def test_position(tmp_path: Path) -> None:
    moves = "startpos moves e2e4"
    asked = cp.position(moves, GAMES, eval=30)
    same(asked.document, "position", moves, GAMES, "--eval", "0.3")
    assert asked.games == asked.white_wins + asked.draws + asked.black_wins == sum(asked.moves["games"]) > 0
    assert asked.low < asked.score < asked.high and asked.expected is None, "engines have no ratings here"
    index = tmp_path / "games.parquet"
    assert cp.position_index(GAMES, index) > 1_000
    found = cp.position(moves, index, eval=30)
    assert found.document["results"] == asked.document["results"] and found.key == asked.key
    with pytest.raises(ValueError, match="not both"):
        cp.position("startpos", [index, GAMES])
    with pytest.raises(ValueError, match="e2e5"):
        cp.position("startpos moves e2e5", GAMES)


def test_rating() -> None:
    games = ["opera-game.pgn", "evergreen-game.pgn"]
    [rated] = cp.rating(games, player="morphy, paul")
    assert rated.games == 1 and rated.low is not None and rated.rating is not None and rated.low < rated.rating
    same(_centipawn.rating(games, "morphy, paul", None), "rating", *games, "--player", "morphy, paul")
    assert cp.rating(games)[0].name == "Anderssen, Adolf"


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({}, ()),
        ({"target": "search"}, ("--target", "search")),
        ({"method": "davidson", "tests": ["N > 3P"]}, ("--method", "davidson", "--test", "N > 3P")),
        ({"terms": ["bishop-pair"], "seed": 3}, ("--terms", "bishop-pair", "--seed", "3")),
        ({"by": "phase", "first_move": False}, ("--by", "phase", "--no-first-move")),
    ],
)
def test_material(options: dict[str, Any], arguments: tuple[str, ...]) -> None:
    fit = cp.material.fit(GAMES, resamples=20, **options)
    same(fit.document, "material", GAMES, "--resamples", "20", *arguments)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({}, ()),
        ({"by": "move", "folds": 3}, ("--by", "move", "--folds", "3")),
        ({"method": "score", "seed": 1}, ("--method", "score", "--seed", "1")),
    ],
)
def test_wdl_fit(options: dict[str, Any], arguments: tuple[str, ...], tmp_path: Path) -> None:
    counts = str(tmp_path / "counts.wdl")
    cp.wdl.count(GAMES).save(counts)
    fit = cp.wdl.read_counts(counts).fit(resamples=10, **options)
    same(fit.document, "wdl", "fit", counts, "--resamples", "10", *arguments)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({"resamples": 10}, ("--resamples", "10")),
        (
            {"resamples": 5, "folds": 3, "seed": 2, "per_class": 40, "units": 1.2, "time": 300.0},
            ("--resamples", "5", "--folds", "3", "--seed", "2", "--per-class", "40", "--units", "1.2", "--time", "300+0"),
        ),
    ],
)
def test_human_fit(options: dict[str, Any], arguments: tuple[str, ...]) -> None:
    fit = cp.human.fit("people.tsv.zst", **options)
    same(fit.document, "wdl", "human", "people.tsv.zst", *arguments)


def test_material_features(tmp_path: Path) -> None:
    rows = cp.material.rows(GAMES)
    rows.save(tmp_path / "rows.csv")
    header, *lines = (tmp_path / "rows.csv").read_text().splitlines()
    table = tmp_path / "mine.csv"
    mine = [f"{line},{int(line.split(',')[1]) % 7 - 3}" for line in lines]
    table.write_text("\n".join([f"{header},mine", *mine]) + "\n")
    fit = cp.material.fit(GAMES, features=table, resamples=20)
    assert "mine" in fit.coefficients
    same(fit.document, "material", GAMES, "--resamples", "20", "--features", table)
    again = cp.material.rows(GAMES, features=table, structure=True)
    assert "mobility" in again.fit(terms=["mobility"], resamples=0).coefficients
    with pytest.raises(ValueError, match="features belong to the rows"):
        cp.material.fit(again, features=table)


def test_material_compare(tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copy(GAMES, tmp_path / f"{name}.pgn.gz")
    files = [tmp_path / "one.pgn.gz", tmp_path / "two.pgn.gz"]
    fits = [cp.material.fit(file, resamples=10) for file in files]
    compared = cp.material.compare(*fits, names=[file.name for file in files]).document
    arguments = ["material", *files, "--compare", "--resamples", "10", "--json", "-q"]
    ran = subprocess.run([PROGRAM, *arguments], capture_output=True, check=True, text=True)
    document = json.loads(ran.stdout)
    del document["provenance"]
    assert json.dumps(compared, indent=1) == json.dumps(document, indent=1)


def test_shown_errors_are_predicted_errors(tmp_path: Path) -> None:
    fit = cp.wdl.count(GAMES).fit(resamples=10)
    fit.save_document(tmp_path / "fit.json")
    arguments = ["wdl", "show", tmp_path / "fit.json", "--eval", "1.2", "--material", "40", "--json"]
    ran = subprocess.run([PROGRAM, *arguments], capture_output=True, check=True, text=True)
    shown, table = json.loads(ran.stdout), fit.predict(120, material=40)
    for name, column in [("win", "p_win"), ("draw", "p_draw"), ("loss", "p_loss"), ("expected_score", "expected_score")]:
        errors = shown["errors"][name]
        assert table[column][0] == pytest.approx(errors["value"]) and table[f"{column}_error"][0] == errors["error"]
        assert [table[f"{column}_low"][0], table[f"{column}_high"][0]] == errors["interval"]


def test_wdl_compare(tmp_path: Path) -> None:
    counts = str(tmp_path / "counts.wdl")
    cp.wdl.count(GAMES).save(counts)
    names = ["Stockfish 17", "Stockfish 18"]
    compared = cp.wdl.compare("17", "18", on=cp.wdl.read_counts(counts), names=names, resamples=10).document
    arguments = ["wdl", "compare", "17", "18", "--on", counts, "--resamples", "10", "--json", "-q"]
    ran = subprocess.run([PROGRAM, *arguments], capture_output=True, check=True, text=True)
    document = json.loads(ran.stdout)
    # Objects of Python have no files, so recipe and inputs differ.
    assert compared.pop("provenance")["program"] == document.pop("provenance")["program"]
    assert json.dumps(compared, indent=1) == json.dumps(document, indent=1)


GAME = "opera-game.pgn"
ENGINE = ("--nodes", "1000", "--jobs", "1", "--store", "none")


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({}, ()),
        ({"lines": 3, "curve": "lichess", "scheme": "s7"}, ("--lines", "3", "--curve", "lichess", "--scheme", "s7")),
        ({"quick": "5k nodes", "language": "de"}, ("--quick=5k", "--language", "de")),
        ({"ease": True, "every_symbol": True}, ("--ease", "--every-symbol")),
    ],
)
def test_review(options: dict[str, Any], arguments: tuple[str, ...]) -> None:
    game = cp.review(GAME, nodes=1000, jobs=1, store="none", **options)[0]
    command = [PROGRAM, "review", GAME, *ENGINE, "-q", *arguments]
    ran = subprocess.run([*command, "--json", "-"], capture_output=True, check=True, text=True)
    document = json.loads(ran.stdout)
    assert json.dumps(game.document, indent=1) == json.dumps(document["games"][0], indent=1)
    assert json.dumps(game.provenance, indent=1) == json.dumps(document["provenance"], indent=1)
    ran = subprocess.run([*command, "-o", "-"], capture_output=True, check=True, text=True)
    assert game.pgn == ran.stdout


def test_ease() -> None:
    fen = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
    easy = cp.ease(fen, rating=1600, nodes=1000, jobs=1, store="none")
    same(easy.document, "ease", fen, "--level", "1600", *ENGINE)


def test_symbols() -> None:
    arguments = ["--played", "-1", "--best", "2", "--second", "0.5", "--curve", "lichess", "--side", "white"]
    found = cp.symbols.of_move(played=-1.0, best=2.0, second="0.5", curve="lichess")
    same(found.document, "symbols", *arguments)
