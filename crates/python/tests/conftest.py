"""Where the games are."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "data" / "pgn"


# No test touches the user's own store.
os.environ["CENTIPAWN_STORE"] = "none"


@pytest.fixture
def examples() -> Path:
    return ROOT / "examples"


def shared(*names: str) -> list[Path]:
    """Files of real games, those of them that are here."""
    return [SHARED / name for name in names if (SHARED / name).exists()]
