#!/usr/bin/env python3
"""How far answers of searches that end in the middle of an iteration are from the truth.

Positions of games are searched by Stockfish to small limits, and to 3M nodes as the truth. Two ways to read the same output are
compared: the last exact score, and that score moved to the engine's last bound (crates/engine/src/collect.rs; this script has
an implementation for itself). Prints the mean error in expected score by Stockfish 15.1's model and by the study curve.

    crates/python/.venv/bin/python research/last_word.py GAMES.pgn… --positions 200 --lines 1,2,3 --nodes 20k,100k,1M
"""

import argparse
import itertools
import math
import random
import subprocess

import chess.pgn

NUMBERS = {"k": 1_000, "M": 1_000_000}


def number(text):
    return int(float(text[:-1]) * NUMBERS[text[-1]]) if text[-1] in NUMBERS else int(text)


def positions(files, count, seed):
    """FENs of random positions, from ply 10 on, the same for the same files and seed."""
    rng, games, found = random.Random(seed), [], []
    for file in files:
        with open(file, errors="replace") as text:
            while (game := chess.pgn.read_game(text)) is not None:
                games.append(list(game.mainline_moves()))
    games = [moves for moves in games if len(moves) >= 24]
    while len(found) < count:
        moves, board = rng.choice(games), chess.Board()
        for move in moves[: rng.randrange(10, len(moves) - 1)]:
            board.push(move)
        if board.legal_moves.count() >= 3:
            found.append(board.fen())
    return found


class Stockfish:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask("uci", "uciok")

    def ask(self, commands, last):
        print(commands, file=self.process.stdin, flush=True)
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith(last):
                return lines

    def search(self, fen, nodes, lines):
        self.ask(f"ucinewgame\nsetoption name Clear Hash\nsetoption name MultiPV value {lines}\nisready", "readyok")
        output = self.ask(f"position fen {fen}\ngo nodes {nodes}", "bestmove")
        return [Report(line.split()) for line in output if " pv " in line]


class Report:
    def __init__(self, words):
        after = lambda word: words[words.index(word) + 1]
        self.depth, self.rank, self.move = int(after("depth")), int(after("multipv")) - 1, after("pv")
        self.score = (after("score"), int(words[words.index("score") + 2]))
        self.bound = next((word for word in ("lowerbound", "upperbound") if word in words), None)

    def value(self):
        unit, value = self.score
        return value if unit == "cp" else math.copysign(100_000, value) - value

    def limited_by(self, later):
        """This score, moved to a later bound; it counts for the later report's move."""
        value, bound = self.value(), later.value()
        keeps = value >= bound if later.bound == "lowerbound" else value <= bound
        later.score = self.score if keeps else later.score
        return later


def lists(reports, lines):
    """The last list, the last that ended an iteration, and the last report of each rank."""
    last, last_rank, complete, candidate, each = [None] * lines, -1, None, None, [None] * lines
    for report in reports:
        completes = report.rank == last_rank and last[report.rank] and last[report.rank].bound
        if report.rank <= last_rank and not completes:
            last = [None] * lines
            if candidate and (lines == 1 or candidate[0].depth < report.depth):
                complete, candidate = candidate, None
        last_rank = report.rank
        last[report.rank] = report
        if not report.bound or not each[report.rank] or each[report.rank].bound:
            each[report.rank] = report
        is_exact = all(other and not other.bound and other.depth == report.depth for other in last)
        if is_exact and len({other.move for other in last}) == lines:
            candidate = list(last)
    return last, complete or candidate or [report for report in each if report]


def last_exact(reports, lines):
    last, complete = lists(reports, lines)
    newest = [new if new and not new.bound else old for new, old in zip(last, complete)]
    is_ordered = all(a.value() >= b.value() for a, b in itertools.pairwise(newest))
    return (newest if is_ordered and len({report.move for report in newest}) == len(newest) else complete)[0].score


def last_word(reports, lines):
    last, complete = lists(reports, lines)
    chosen = []
    for rank, report in enumerate(last):
        if report is None or any(report.move == other.move for other in chosen):
            continue
        known = [other for other in complete if other.move == report.move] or complete[rank : rank + 1]
        chosen.append(known[0].limited_by(report) if report.bound and known else report)
    chosen += [report for report in complete if all(report.move != other.move for other in chosen)]
    return max(chosen[:lines], key=Report.value).score


def model(score, fen):
    """Stockfish 15.1's expected score."""
    _, turn, *_, move = fen.split()
    m = min(240, 2 * int(move) - 1 + (turn == "b")) / 64
    a = ((-0.58270499 * m + 2.68512549) * m + 15.24638015) * m + 344.49745382
    b = ((-2.65734562 * m + 15.96509799) * m - 20.69040836) * m + 73.61029937
    unit, value = score
    if unit == "mate":
        return float(value > 0)
    win = lambda cp: 1 / (1 + math.exp((a - 3.61 * cp) / b))
    return (1 + win(value) - win(-value)) / 2


def study(score, _fen):
    """The human curve at 1800 and 90 minutes."""
    unit, value = score
    return float(value > 0) if unit == "mate" else 1 / (1 + math.exp(-0.43 * value / 100))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--engine", default="/usr/games/stockfish")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--lines", default="1,2,3")
    parser.add_argument("--nodes", default="20k,100k,1M")
    parser.add_argument("--truth", default="3M")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    engine, errors = Stockfish(args.engine), {}
    for fen in positions(args.games, args.positions, args.seed):
        truth = last_word(engine.search(fen, number(args.truth), 1), 1)
        for nodes in args.nodes.split(","):
            for lines in map(int, args.lines.split(",")):
                reports = engine.search(fen, number(nodes), lines)
                scores = last_exact(reports, lines), last_word(reports, lines)
                for name, curve in ("model", model), ("study", study):
                    pair = [abs(curve(score, fen) - curve(truth, fen)) for score in scores]
                    errors.setdefault((name, nodes, lines), []).append((*pair, scores[0] != scores[1]))
    mean = lambda values: sum(values) / max(len(values), 1)
    print("curve\tnodes\tlines\tpositions\tlast exact\tlast word\tchanged\tlast exact, changed\tlast word, changed")
    for key, rows in errors.items():
        changed = [row for row in rows if row[2]]
        cells = [mean([row[0] for row in rows]), mean([row[1] for row in rows]), len(changed)]
        cells += [mean([row[0] for row in changed]), mean([row[1] for row in changed])]
        shown = [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells]
        print(*key, len(rows), *shown, sep="\t", flush=True)


if __name__ == "__main__":
    main()
