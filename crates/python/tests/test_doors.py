"""The command line and Python are two faces of the same work: the same options give the same document, byte for byte."""

import json
import os
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
