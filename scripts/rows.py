"""Rows of piece values as python-chess sees the games: python3 rows.py GAMES [N] prints the first N games' rows, with tabs.

The last line of standard error has the number of games and the seconds of CPU time that took. Beside `centipawn material
--rows FILE.tsv` it is an independent reader for tests and benchmarks. (A game with two empty lines behind its tags is two games to python-chess.)
"""

import sys
import time

import chess
import chess.pgn

RESULTS = {"1-0": 2, "0-1": 0}


def difference(board):
    kinds = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
    return tuple(len(board.pieces(kind, chess.WHITE)) - len(board.pieces(kind, chess.BLACK)) for kind in kinds)


def rows(game):
    quiet, last, board = 0, None, game.board()
    for ply, move in enumerate(game.mainline_moves(), 1):
        loud = board.is_capture(move) or move.promotion is not None
        board.push(move)
        quiet = 0 if loud or board.is_check() else quiet + 1
        now = difference(board)
        if quiet >= 2 and now != last:
            last = now
            yield ply, now


def main():
    path, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else sys.maxsize
    begin, number = time.process_time(), 0
    with open(path, encoding="utf-8", errors="replace") as file:
        while number < most and (game := chess.pgn.read_game(file)):
            number += 1
            result = RESULTS.get(game.headers.get("Result", "*"), 1)
            for ply, now in rows(game):
                print(number, ply, *now, result, sep="\t")
    print(number, time.process_time() - begin, file=sys.stderr)


main()
