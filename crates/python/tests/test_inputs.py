"""Which arguments are accepted, and the errors for wrong ones."""

import contextlib
import datetime
import gzip
import io
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import centipawn as cp
import chess.pgn
import chess.variant
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from centipawn import _arguments

HUMAN = "human"


def test_ratings_and_times_are_columns() -> None:
    ratings = np.array([1200, 1800, 2400])
    scores = cp.expected_score(150, curve=HUMAN, rating=ratings, seconds=600)
    single = [cp.Curve.human(rating=int(rating), seconds=600).expected(150) for rating in ratings]
    assert scores.tolist() == pytest.approx(single) and (np.diff(scores) > 0).all()
    grid = cp.expected_score(np.array([[50], [100]]), curve=HUMAN, rating=[1500, 1600, 1700])
    assert grid.shape == (2, 3)
    frame = pl.DataFrame({"cp": [100, 100, None], "mate": [None, -3, None], "rating": [None, 1500, 1600]})
    scored = cp.expected_score(frame["cp"], mate=frame["mate"], curve=HUMAN, rating=frame["rating"], seconds=180)
    assert np.isnan(scored).tolist() == [True, False, True]
    assert scored[1] == cp.Curve.human(rating=1500, seconds=180).expected(0, mate=-3) < 0.25
    assert isinstance(cp.expected_score(100, curve=HUMAN, rating=1500), float)
    own = cp.Curve.human(rating=1500, seconds=180)
    assert own.expected(100, seconds=600) == cp.Curve.human(rating=1500, seconds=600).expected(100)
    # A lead counts more with less material.
    assert own.expected([100], material=[58], rating=[1500])[0] == own.expected(100)
    assert own.expected([100], material=[30], rating=[1500])[0] > own.expected(100)


def test_ratings_and_seconds_are_only_for_human_curves() -> None:
    with pytest.raises(ValueError, match="rating and seconds are for curves of people"):
        cp.expected_score(100, rating=1500)
    with pytest.raises(ValueError, match="rating is -5"):
        cp.expected_score(100, curve=HUMAN, rating=[1500, -5])
    with pytest.warns(cp.CentipawnWarning, match="rating 3500 counts as 2900"):
        cp.expected_score(100, curve=HUMAN, rating=[1500, 3500])
    with pytest.raises(ValueError, match=r"eval \(3,\), rating \(2,\)"):
        cp.expected_score([1, 2, 3], curve=HUMAN, rating=[1500, 1600])


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "booleans"),
        ([True, False], "booleans"),
        (np.array([True]), "booleans"),
        ("120", "text"),
        (["1", "2"], "text"),
        (pl.Series(["1"]), "str|text"),
        ([1.0, "2", None], "text|str"),
        ([None, True], "bool"),
        ([None, b"3"], "bytes"),
        (datetime.datetime(2024, 1, 1), "datetime"),
        ([datetime.date(2024, 1, 1), None], "date"),
        (np.array(["2024-01-01"], dtype="datetime64[D]"), "dates"),
        (pl.Series([datetime.date(2024, 1, 1)]), "date"),
        (pd.Series([pd.Timestamp("2024-01-01")]), "dates"),
        (pd.Series([pd.Timedelta("1s")]), "time spans"),
        (1j, "complex"),
    ],
)
def test_values_that_are_no_numbers_are_refused(value: Any, kind: str) -> None:
    with pytest.raises(TypeError, match=f"eval must be numbers, not .*({kind})"):
        cp.expected_score(value)
    with pytest.raises(TypeError, match="material must be numbers"):
        cp.expected_score(0, material=value)


def test_numbers_of_any_kind_are_evaluations() -> None:
    expected = cp.expected_score([10.0, 20.0], curve="lichess").tolist()
    for given in [(10, 20), np.array([10, 20], dtype=np.int8), np.array([10, 20], dtype=np.float32), pd.Series([10, 20], dtype="Int64")]:
        assert cp.expected_score(given, curve="lichess").tolist() == pytest.approx(expected)
    assert np.isnan(cp.expected_score(pd.Series([10, None], dtype="Int64"), curve="lichess")).tolist() == [False, True]


def test_open_files_are_games(examples: Path) -> None:
    path = examples / "opera-game.pgn"
    expected = pa.table(cp.scan(path))
    with open(path) as text, open(path, "rb") as file, gzip.open(examples / "selfplay.pgn.gz") as unpacked:
        for games in (text, file, io.StringIO(path.read_text()), io.BytesIO(path.read_bytes())):
            assert pa.table(cp.scan(games)).equals(expected)
        scan = cp.scan([path, unpacked])
        assert len(scan.games) == 131 and scan.games["source"][-1] == "selfplay.pgn.gz"
        assert set(scan.games["source"][:1]) == {str(path)}
    with open(examples / "selfplay.pgn.gz", "rb") as packed:
        assert sum(len(batch) for batch in cp.scan_batches(packed)) == 12_075
    nameless = cp.scan(io.StringIO("1. e4 e5 2. Ke3 *"))
    assert nameless.problems["source"].tolist() == ["games.pgn"] and len(nameless.games) == 1 - int(nameless.problems["skipped"][0])
    rated = cp.rating(io.StringIO(path.read_text()))
    assert rated == cp.rating(path)
    with gzip.open(examples / "selfplay.pgn.gz") as unpacked:
        counted = cp.wdl.count(unpacked)
    assert counted.positions == 10_775 and counted.fit(resamples=0).provenance["inputs"][0]["name"] == "selfplay.pgn.gz"


def test_open_tables_are_accepted_for_human_fits(examples: Path) -> None:
    table = pl.read_csv(examples / "people.tsv.zst", separator="\t", infer_schema=False)
    own = cp.human.fit(io.StringIO(table.write_csv(separator="\t")), resamples=0, folds=0)
    assert own.model == cp.human.fit(examples / "people.tsv.zst", resamples=0, folds=0).model


@pytest.mark.parametrize("games", [None, 3, b"1. e4 *", [b"1. e4 *"], [None], {"a": "b"}, 2.5])
def test_values_that_are_no_files_are_refused(games: Any) -> None:
    counts = (cp.wdl.count, cp.material.rows, cp.human.fit, cp.balance.estimate, cp.match.results)
    for read in (cp.scan, cp.scan_batches, cp.rating, *counts):
        with pytest.raises(TypeError, match=r"games are a path, an open file or another object with read\(\)"):
            read(games)


def test_read_must_return_text_or_bytes() -> None:
    class Odd:
        def read(self, _size: int = -1) -> Any:
            return [1]

    with pytest.raises(TypeError, match=r"read\(\) must return text or bytes, not list"):
        cp.scan(Odd())


def test_positions_and_comments_on_request(examples: Path, tmp_path: Path) -> None:
    path = tmp_path / "judged.pgn"
    path.write_text("1. e4 {[%eval 0.3] best by test} {again} e5 $1 2. Nf3 {Ünïcode} Nc6 *\n")
    table = cp.scan(path, columns=["comment", "fen"])
    assert table.column_names == ["fen", "comment"]
    assert table["comment"].tolist() == ["[%eval 0.3] best by test\nagain", None, "Ünïcode", None]
    assert table["fen"].tolist()[0] == chess.STARTING_FEN
    assert "comment" not in cp.scan(path).column_names and "by line breaks" in table.plies.metadata("comment")["meaning"]
    # The comments equal those of python-chess, which has one comment for each move.
    games = examples / "selfplay.pgn.gz"
    ours = cp.scan(games, columns=["comment"])["comment"].tolist()
    theirs: list[str | None] = []
    with gzip.open(games, "rt") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            theirs.extend(node.comment or None for node in game.mainline())
    assert [text and text.strip() for text in ours] == theirs


def test_wrong_arguments_are_named(examples: Path) -> None:
    games = examples / "selfplay.pgn.gz"
    counts = cp.wdl.read_counts(examples / "selfplay.wdl")
    with pytest.raises(ValueError, match='method "best" is not one of "probability", "score"'):
        counts.fit(method="best")
    with pytest.raises(TypeError, match='resamples must be a whole number of at least 0, not "ten"'):
        counts.fit(resamples="ten")
    with pytest.raises(TypeError, match=r"seed must be a whole number of at least 0, not 1.5"):
        counts.fit(seed=1.5)
    with pytest.raises(TypeError, match="by must not be of type object"):
        counts.fit(by=object())
    with pytest.raises(ValueError, match=r"evals .*dialect"):
        cp.scan(games, evals="klingon")
    with pytest.raises(TypeError, match='threads must be a whole number above 0, not "two"'):
        cp.scan(games, threads="two")
    with pytest.raises(TypeError, match="per_class must be a whole number"):
        cp.human.fit(games, per_class="many")
    with pytest.raises(ValueError, match=r"resamples must be a whole number of at least 0, not -3"):
        counts.fit(resamples=-3)
    with pytest.raises(TypeError, match="compat must be True or False, not 3"):
        counts.fit(compat=3)
    with pytest.raises(cp.PgnError, match=r"^table\.tsv: line 1 must name the columns"):
        cp.human.fit(io.StringIO("cp\twhite_elo\n"))
    with pytest.raises(TypeError, match="columns is a list"):
        cp.scan(games, columns="ply")
    with pytest.raises(TypeError, match="curve must be a Curve"):
        cp.expected_score(0, curve=3)
    with pytest.raises(cp.FitError) as refused:
        cp.material.fit(games, terms=["elo"], resamples=0)
    assert "--" not in str(refused.value)
    # Numbers of NumPy are accepted as numbers.
    assert counts.fit(resamples=np.int64(0), folds=np.int8(0), eval_max=np.int32(400)).errors is None


def test_numbers_out_of_range_are_refused(examples: Path) -> None:
    """The ranges are the same as on the command line."""
    games, people = examples / "selfplay.pgn.gz", examples / "people.tsv.zst"
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: cp.human.fit(people, units=0), "units is 0; it must be from 0.1 to 10"),
        (lambda: cp.human.fit(people, units=1e6), "units is 1000000; it must be from 0.1 to 10"),
        (lambda: cp.human.fit(people, time=-1), "time is -1; it must be from 1 to 1000000000"),
        (lambda: cp.human.fit(people, engine=cp.Engine(lazy=True, store="none"), every=0), "every is 0; it must be from 1 to 65535"),
        (lambda: cp.Engine(lazy=True, store="none").analyse("startpos", lines=0), "lines is 0; it must be from 1 to 500"),
        (lambda: cp.human.fit(games, time=0, executor=ThreadPoolExecutor(1)), "time is 0; it must be from 1"),
        (lambda: cp.position("startpos", games, seconds=-5), "seconds is -5; it must be from 1 to 1000000000"),
        (lambda: cp.match.results(games, white_advantage=5000), "white_advantage is 5000; it must be from -1000 to 1000"),
        (lambda: cp.match.results(games, anchor={"A": 1e5}), "anchor is 100000; it must be from -10000 to 10000"),
        (lambda: cp.review(games, nodes=100, lines=0, store="none"), "lines is 0; it must be from 1 to 500"),
        (lambda: cp.ease("startpos", nodes=100, ahead=9, store="none"), "ahead is 9; it must be from 1 to 5"),
        (lambda: cp.Engine("stockfish", jobs=5000, lazy=True, store="none"), "jobs is 5000; it must be from 1 to 1024"),
        (lambda: cp.scan(games, threads=5000), "threads is refused: must be from 1 to 1024"),
        (lambda: cp.match.results(games, threads=5000), "threads is refused: must be from 1 to 1024"),
        (lambda: cp.puzzles.mine(games, rules="classic", store="none"), "the rules `classic` find positions without solutions"),
        (lambda: cp.Store("None"), '"none" is no store'),
        (lambda: cp.wdl.count(games, bin=0), "bin is 0; it must be from 1 to"),
        (lambda: cp.wdl.fit(games, folds=1), "folds is 1; it must be from 2 to 50"),
        (lambda: cp.wdl.fit(games, resamples=5000), "resamples is 5000; it must be from 0 to 1000"),
        (lambda: cp.wdl.fit(games, target=0), "target is 0; it must be from 1 to 1000"),
        (lambda: cp.wdl.fit(games, moves=(5, 2)), "move_max is 2; it must be from 5 to 255"),
        (lambda: cp.material.fit(games, resamples=20_000), "resamples is 20000; it must be from 0 to 10000"),
        (lambda: cp.balance.estimate(games, resamples=20_000), "resamples is 20000; it must be from 0 to 10000"),
        (lambda: cp.material.fit(games, width=100), 'width is that of bands, which need by, as in by="elo"'),
        (lambda: cp.material.fit(games, by="elo", width=0), "width must be a whole number above 0, not 0"),
    ]
    for call, says in calls:
        with pytest.raises(ValueError, match=f"^{says}"):
            call()


def test_messages_do_not_contain_paths_of_copies(examples: Path) -> None:
    bad = "1. e4 Ke4 *\n\n1. e4 e5 *"
    readers = (cp.material.rows, cp.wdl.count, cp.match.results, cp.rating, lambda games: cp.review(games, nodes=100, jobs=1, store="none"))
    for read in readers:
        with pytest.warns(cp.CentipawnWarning, match=r"^games\.pgn") as warned, contextlib.suppress(cp.FitError):
            read(io.StringIO(bad))
        assert not any("centipawn-" in str(warning.message) for warning in warned)
    damaged = cp.scan(io.BytesIO((examples / "selfplay.pgn.gz").read_bytes()[:200]))
    assert damaged.problems["source"].tolist() == ["games.pgn"]
    assert "centipawn-" not in damaged.problems["reason"][0] and "games.pgn" in damaged.problems["reason"][0]
    for given in (dict[str, Any](), {"executor": ThreadPoolExecutor(1)}):
        with pytest.raises(cp.PgnError, match=r"^games\.pgn") as refused:
            list(cp.scan_batches(io.StringIO(bad), strict=True, **given))
        assert "centipawn-" not in str(refused.value)
    assert not _arguments._copies


def test_only_positions_of_chess_are_judged() -> None:
    board, network = chess.variant.AtomicBoard(), cp.policy.Network()
    with pytest.raises(ValueError, match="the variant atomic; only positions of chess"):
        network.probabilities(board)
    assert len(network.probabilities(chess.Board(chess960=True))) == 20
    with pytest.raises(TypeError, match="positions is a list of positions"):
        network.evaluate_many("startpos")


def test_a_player_without_games_is_reported(examples: Path) -> None:
    game = examples / "opera-game.pgn"
    with pytest.raises(ValueError, match=r'^"Nemo" plays in none of the games; write the name exactly'):
        cp.rating(game, player="Nemo")
    with pytest.raises(ValueError, match=r"^player has no name$"):
        cp.rating(game, player=" ")
    with pytest.warns(cp.CentipawnWarning, match='"Nemo" plays in none of the games'):
        assert len(cp.puzzles.mine(game, player="Nemo", store="none")) == 0


def test_a_file_that_cannot_be_written_has_one_reason(examples: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as refused:
        cp.puzzles.read(examples / "puzzles.csv", first=1).save(tmp_path / "none/x.csv")
    assert str(refused.value).count("os error") == 1


@pytest.mark.parametrize("number", [float("nan"), float("inf"), np.float64("-inf")])
def test_infinite_numbers_are_refused_with_their_name(number: float, examples: Path) -> None:
    games = examples / "selfplay.pgn.gz"
    calls: list[tuple[str, Callable[[], object]]] = [
        ("white_advantage", lambda: cp.match.results(games, white_advantage=number)),
        ("elo1", lambda: cp.match.results(games, sprt=(0, number))),
        ("units", lambda: cp.human.fit(games, units=number)),
        ("seconds", lambda: cp.position("startpos", games, seconds=number)),
        ("effort", lambda: cp.puzzles.mine(games, effort=number, store="none")),
    ]
    for name, call in calls:
        with pytest.raises(ValueError, match=f"^{name} must be a finite number, not -?(nan|inf)$"):
            call()
    if number == float("inf"):
        # Infinity means no limit here.
        with pytest.raises(cp.FitError, match="1 file without metadata"):
            cp.wdl.count(games, elo_diff_max=number)


def test_warnings_are_issued_before_the_error_that_they_explain(examples: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.pgn.gz"
    damaged.write_bytes((examples / "selfplay.pgn.gz").read_bytes()[:200])
    for read in (cp.wdl.count, cp.match.results, cp.balance.estimate, cp.human.fit):
        with pytest.warns(cp.CentipawnWarning, match=r"damaged\.pgn\.gz"), pytest.raises(cp.FitError):
            read(damaged)
        with warnings.catch_warnings(), pytest.raises(cp.FitError):
            warnings.simplefilter("error")
            read(damaged)


def test_many_positions_are_a_table(examples: Path) -> None:
    positions = ["startpos moves e2e4 e7e5 g1f3 f7f6", "startpos", chess.STARTING_FEN, ("startpos", ["d2d4"])]
    seen: list[tuple[int, int | None, int]] = []
    with cp.Engine("stockfish", nodes=1_000, jobs=1, store="none") as engine:
        table = cp.ease_many(positions, rating=1700, engine=engine, progress=lambda *step: seen.append(step))
        both = cp.ease_many(positions, rating=[1300, 1700], engine=engine)
        single = cp.ease(positions[0], rating=1700, engine=engine)
        batches = list(cp.ease_batches(iter(positions), size=3, rating=1700, engine=engine))
    frame = pl.DataFrame(table)
    assert frame["row"].to_list() == [0, 1, 2, 3] and frame["level"].to_list() == [1700] * 4
    assert both["row"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3] and both["level"].tolist() == [1300, 1700] * 4
    row = frame.row(0, named=True)
    assert (row["fen"], row["ease"], row["trap"]) == (single.fen, single.ease, single.trap)
    assert row["expected_loss"] == single.expected_loss and row["p_blunder"] == single.meter["blunder"]
    if single.trap is not None:
        [trap] = [move for move in single.moves if move.uci == single.trap]
        assert (row["p_trap"], row["trap_score_loss"]) == (trap.p, trap.score_loss)
    assert [len(batch) for batch in batches] == [3, 1] and batches[1]["row"].tolist() == [3]
    joined = pl.concat([pl.DataFrame(batch) for batch in batches])
    assert joined.equals(frame)
    with pytest.raises(TypeError, match="list of positions"):
        cp.ease_many("startpos", nodes=100, store="none")
    with pytest.raises(ValueError, match="position 1: "):
        cp.ease_many(["startpos", "8/8"], nodes=100, store="none")
    with pytest.raises(ValueError, match="size"):
        list(cp.ease_batches(positions, size=0))


@pytest.mark.parametrize("missing", ["nope.pgn", "no/such", Path("nope.json")])
def test_missing_files_raise_file_not_found_error(missing: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    games = (cp.scan, cp.scan_batches, cp.rating, cp.review, cp.wdl.count, cp.material.rows, cp.human.fit, cp.match.results)
    for read in (*games, cp.puzzles.read, cp.wdl.read_counts, cp.wdl.load, cp.Curve):
        with pytest.raises(FileNotFoundError, match=r"nope|no/such"):
            read(missing)


def test_missing_networks_and_units_raise_the_right_errors(examples: Path) -> None:
    for name in ("nope.pb.gz", "no/such"):
        with pytest.raises(FileNotFoundError, match="no policy network"):
            cp.policy.Network(name)
    with pytest.raises(FileNotFoundError, match=r"nope\.json"):
        cp.wdl.read_counts(examples / "selfplay.wdl").fit(units="nope.json")
    # A name that is not a path raises the error of its kind, not `FileNotFoundError`.
    with pytest.raises(cp.NetworkError, match="no policy network"):
        cp.policy.Network("maia-15")
    with pytest.raises(ValueError, match="neither a known version of Stockfish"):
        cp.wdl.load("stockfish-3.2")


def test_none_is_a_missing_evaluation(examples: Path) -> None:
    assert np.isnan(cp.expected_score(None)) and cp.expected_score(None, mate=3, curve="lichess") == 1.0
    fit = cp.wdl.read_counts(examples / "selfplay.wdl").fit(resamples=0, folds=0)
    people = cp.human.fit(examples / "people.tsv.zst", resamples=0, folds=0)
    for predicted in (fit.predict(None), people.predict(None), cp.wdl.load("18").predict(None)):
        assert np.isnan(predicted["expected_score"]).tolist() == [True]


def test_a_position_without_ease_is_an_error() -> None:
    with cp.Engine("stockfish", nodes=100, jobs=1, store="none") as engine:
        with pytest.raises(ValueError, match="there is no legal move in"):
            cp.ease("startpos moves f2f3 e7e5 g2g4 d8h4", engine=engine)
        with pytest.raises(ValueError, match="networks is empty"):
            cp.ease("startpos", engine=engine, networks=[])
        for rating in (1500.0, "1500"):
            with pytest.raises(TypeError, match=r"^rating must be a whole number"):
                cp.ease("startpos", rating=rating, engine=engine)
        with pytest.raises(ValueError, match="position 2: "):
            list(cp.ease_batches(["startpos", "startpos", "x"], size=2, engine=engine))


def test_a_single_text_is_refused_where_a_list_is_required(examples: Path) -> None:
    games = examples / "selfplay.pgn.gz"
    calls: list[tuple[str, Callable[[], object]]] = [
        ("columns", lambda: cp.scan(games, columns="ply")),
        ("players", lambda: cp.match.results(games, players="A")),
        ("exclude", lambda: cp.balance.estimate(games, exclude="A")),
        ("not_won", lambda: cp.balance.estimate(games, not_won="A")),
        ("terms", lambda: cp.material.fit(games, terms="tempo")),
        ("tests", lambda: cp.material.fit(games, tests="N > 3P")),
        ("names", lambda: cp.wdl.compare("17", "18", names="ab")),
        ("networks", lambda: cp.ease("startpos", networks="centipawn-1", nodes=100, jobs=1, store="none")),
        ("networks", lambda: cp.review(games, networks="centipawn-1", ease=True, nodes=100, jobs=1, store="none")),
        ("positions", lambda: list(cp.ease_batches("startpos", nodes=100, jobs=1, store="none"))),
    ]
    for name, call in calls:
        with pytest.raises(TypeError, match=f"^{name} is a list"):
            call()
    with pytest.raises(ValueError, match="columns is empty"):
        cp.scan(games, columns=[])
    with pytest.raises(ValueError, match="names has 1 for 2 models"):
        cp.wdl.compare("17", "18", names=["a"])


def test_numbers_out_of_the_integer_range_raise_value_error(examples: Path, tmp_path: Path) -> None:
    calls: list[tuple[int, Callable[[int], object]]] = [
        (-1, lambda number: cp.Engine("stockfish", nodes=number, store="none")),
        (-5, lambda number: cp.policy.Network().probabilities("startpos", rating=number)),
        (-1, lambda number: cp.puzzles.read(examples / "puzzles.csv", first=number)),
        (-1, lambda number: cp.symbols.of_move(1, 1, material=number)),
        (10**12, lambda number: cp.Curve("stockfish-18").wdl(number)),
        (10**30, lambda number: cp.Curve("stockfish-18").balance(ply=number)),
    ]
    for number, call in calls:
        with pytest.raises(ValueError, match=f"the number {number} is out of range"):
            call(number)
    with pytest.raises(cp.PgnError, match="there is no game to index"):
        cp.position_index([], tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()
