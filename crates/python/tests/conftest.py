"""Finds the files of games for the tests, and isolates them from the user's data."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "data" / "pgn"


# No test may change the user's default store.
os.environ["CENTIPAWN_STORE"] = "none"


@pytest.fixture
def examples() -> Path:
    return ROOT / "examples"


def shared(*names: str) -> list[Path]:
    """Files of real games, as far as they exist on this machine."""
    return [SHARED / name for name in names if (SHARED / name).exists()]
