"""Where the games are."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "data" / "pgn"


@pytest.fixture
def examples() -> Path:
    return ROOT / "examples"


def shared(*names: str) -> list[Path]:
    """Files of real games, those of them that are here."""
    return [SHARED / name for name in names if (SHARED / name).exists()]
