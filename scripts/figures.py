#!/usr/bin/env python3
"""Measures figures that the documentation publishes, and prints them as a Markdown table.

Run it on a quiet machine before a release, and copy what has changed into the guides. Most sources read games and networks that are not
part of the repository (--data). A source whose data or tools are missing gives a row with the reason.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = r"([+-]?\d[\d,]*(?:\.\d+)?)"


def number(begin, column=1):
    """The number in a column of the first line that begins with a text."""

    def find(output):
        line = next(line.strip() for line in output.splitlines() if line.strip().startswith(begin))
        return re.findall(NUMBER, line[len(begin):])[column - 1]

    return find


def lowest_agreement(output):
    return min(re.findall(r"^\w+ +[1-9].* ([01]\.\d{4})$", output, re.MULTILINE), key=float)


def symbols(symbol):
    return lambda output: sum(game[side]["symbols"][symbol] for game in json.loads(output)["games"] for side in ("white", "black"))


def held_out(curve):
    return lambda output: next(own for own in json.loads(output)["held_out"]["curves"] if own["curve"] == curve)["log_loss"][0]


def stretched(key):
    return lambda output: round(json.loads(output)["rows"][0]["stretched"][key], 2)


def sources(program, data):
    """Pairs of a command, and its figures: name, unit, and the function that finds the value in what the command prints."""
    lichess, tcec = f"{data}/pgn/lichess/lichess_2021-10", f"{data}/wdl/tcec_fishtest.pgn.zst"
    return {
        "pgn": (f"make -s bench-pgn GAMES={tcec}", [
            ("replay and evaluations, one thread", "MB a CPU second", number("replay + evals")), ("the same, two threads", "times", number("two threads"))]),
        "wdl": (f"make -s bench-wdl GAMES={tcec}", [
            ("count positions", "MB a CPU second", number("counting  ", 2)),
            ("`wdl run`: count, fit, errors, plots", "s", number("centipawn wdl run (count, fit, errors, plots)"))]),
        "material": (f"make -s bench-material GAMES={data}/pgn/human/masters_pgnmentor.pgn.zst", [
            ("piece values with 1,000 resamples", "CPU s", number("the same and 1,000 resamples", 2))]),
        "people": (f'make -s bench-people GAMES="$(echo {lichess}_*.pgn)"', [
            ("games of people collected", "MB/s", number("collecting people's games", 2)), ("time beside a bare scan", "times", number("collecting takes"))]),
        "puzzles": (f"make -s bench-puzzles PUZZLES={data}/puzzles/lichess_unbiased_2500.csv", [
            ("puzzles tagged", "a second", number("tagged alone:"))]),
        "policy": (f"make -s bench-policy POLICY={data}/maia/maia-1500.pb.gz", [
            (f"network, {kernel}", "positions a CPU second", number(kernel, 2)) for kernel in ("avx512 ", "avx2 ", "portable ")]),
        "python": (f'make -s bench-python GAMES="$(echo {data}/pgn/tcec/*.pgn)"', [
            ("games to tables, pace beside python-chess", "times", number("ratio"))]),
        "curve": (f"{program} wdl human examples/people.tsv.zst --json -q", [
            ("human curve, log loss held out", "nats", held_out("this model")), ("Lichess' curve, the same", "nats", held_out("lichess"))]),
        "balance": (f"{program} balance {data}/pgn/tcec/TCEC_Season_9_-_Superfinal.pgn --by engine --player Stockfish --fit --json -q", [
            ("stretched curve of Stockfish in season 9, balance", "pawns", stretched("balance")), ("the same, slope", "times", stretched("slope"))]),
        "values": (f"{program} material --compare {data}/pgn/human/Anand.pgn {data}/pgn/human/Anderssen.pgn --method classic -q", [
            ("Anderssen minus Anand, all pieces", "chi square", number("All pieces together: chi square"))]),
        "tags": (f"{program} puzzles tag {data}/puzzles/lichess_unbiased_2500.csv --compare", [
            ("theme that agrees least with Lichess' labels", "share", lowest_agreement)]),
        "review": (f"{program} review {lichess}_eval96.pgn --reuse-evals --store none --json - -q", [
            (f"`{symbol}` in 96 Lichess games", "moves", symbols(symbol)) for symbol in ("?!", "?", "??")]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/centipawn", help="the program to measure (default: %(default)s)")
    parser.add_argument("--data", default="../shared/data", help="folder of games, puzzles and networks (default: %(default)s)")
    parser.add_argument("--only", nargs="+", metavar="SOURCE", choices=sorted(sources("", "")), help="only these of: %(choices)s")
    options = parser.parse_args()
    print("| figure | value | unit | command |\n| --- | --- | --- | --- |")
    for name, (command, figures) in sources(options.program, options.data).items():
        if options.only and name not in options.only:
            continue
        print(f"{name}: {command}", file=sys.stderr)
        ran = subprocess.run(command, shell=True, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        for figure, unit, find in figures:
            try:
                value = find(ran.stdout)
            except (IndexError, KeyError, StopIteration, ValueError) as error:
                value = f"not found (status {ran.returncode}, {type(error).__name__})"
            print(f"| {figure} | {value} | {unit} | `{command}` |", flush=True)


if __name__ == "__main__":
    main()
