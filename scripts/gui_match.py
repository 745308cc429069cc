#!/usr/bin/env python3
"""A match by a real chess program's command line: Stockfish in `centipawn uci` against Stockfish itself.

gui_match.py TOOL CENTIPAWN [GAMES] (run by `make gui-match GUI=TOOL`), where TOOL is fastchess or cutechess-cli. Ends with an error if a game
was lost on time, by an illegal move or by a closed connection, or if games are missing.
"""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAULTS = ["time_losses", "illegal_moves", "crashes"]


def main():
    tool, centipawn = shutil.which(sys.argv[1]), str(Path(sys.argv[2]).resolve())
    games = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    engine = shutil.which("stockfish", path=os.environ["PATH"] + ":/usr/games")
    if not tool or not engine:
        sys.exit(f"gui_match.py needs {sys.argv[1]} and stockfish")
    cutechess = "cutechess" in Path(tool).name
    with tempfile.TemporaryDirectory() as folder:
        openings, played = Path(folder, "openings.pgn"), Path(folder, "match.pgn")
        openings.write_bytes(gzip.decompress((ROOT / "examples/selfplay.pgn.gz").read_bytes()))
        wrapped = ["-engine", "name=wrapped", f"cmd={centipawn}", "option.UCI_ShowWDL=true", "option.Rating=1500"]
        wrapped += ["arg=uci", "arg=--engine", f"arg={engine}"] if cutechess else [f"args=uci --engine {engine}"]
        subprocess.run(
            [tool, *wrapped, "-engine", "name=plain", f"cmd={engine}", "-each", "proto=uci", "tc=1.5+0.02",
             "-openings", f"file={openings}", "format=pgn", "plies=8", "order=sequential", "-games", "2", "-rounds", str(games // 2), "-repeat",
             "-pgnout", *([str(played)] if cutechess else [f"file={played}"])],
            cwd=folder, check=True, stdout=subprocess.DEVNULL)
        answer = subprocess.run([centipawn, "match", str(played), "--json", "-q"], check=True, stdout=subprocess.PIPE)
    match = json.loads(answer.stdout)
    [wrapped] = [player for player in match["players"] if player["name"] == "wrapped"]
    print(f"{match['games']} games by {Path(tool).name}: {wrapped['wins']} won, {wrapped['draws']} drawn, {wrapped['losses']} lost")
    faults = [f"{player['name']}: {player[fault]} {fault}" for player in match["players"] for fault in FAULTS if player[fault]]
    if faults or match["games"] != games // 2 * 2:
        sys.exit(f"{match['games']} of {games // 2 * 2} games; {', '.join(faults) or 'no fault'}")
    print("none was lost on time, by an illegal move or by a closed connection")


if __name__ == "__main__":
    main()
