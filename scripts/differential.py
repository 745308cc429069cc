#!/usr/bin/env python3
"""Compares centipawn's reading of games with python-chess's: differential.py CENTIPAWN [GAMES [MUTANTS [SEED]]].

First generated games (Chess960, promotions, disambiguation, variations, null moves, comments), half of them in the spellings of other
programs and people (dashes, promotions, null moves, results, line ends, EPD in the tag FEN): after `pgn clean` python-chess must read
the trees of the games as it wrote them. Then mutants of them: where python-chess reads a game without an error, centipawn must read the same
main line, or name a problem. Ends with status 1 and the texts if a difference is not one of the explained ones.
"""

import io
import logging
import random
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

import chess
import chess.pgn

logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)

# Positions with much to promote, and with many equal pieces.
STARTS = [
    "8/PPPP1k2/8/8/8/8/2K1pppp/8 w - - 0 1",
    "n1n1n3/PPPPPk2/8/8/8/8/2K1pppp/3N1N1N w - - 0 1",
    "4k3/8/2N1N3/1N3N2/1N3N2/2N1N3/8/4K3 w - - 0 1",
    "4k3/8/1q3q2/8/8/1Q3Q2/8/Q3K2Q w - - 0 1",
    "r3k2r/8/8/R6R/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/pppppppp/8/PPPPPPPP/8/8/8/4K3 b - - 0 1",
]
WORDS = ["good", "bad (but playable)", "[%clk 0:01:02]", "[%eval 0.25]", "Nf3 was better", "±", "a; b", "1-0?", "Größe"]


def start(rng):
    kind = rng.random()
    if kind < 0.4:
        return chess.Board()
    if kind < 0.7:
        return chess.Board.from_chess960_pos(rng.randrange(960))
    return chess.Board(rng.choice(STARTS))


def choose(rng, board):
    """A legal move, more often one that is rare in play."""
    moves = list(board.legal_moves)
    rare = [move for move in moves if move.promotion or board.is_castling(move) or board.is_en_passant(move)]
    return rng.choice(rare if rare and rng.random() < 0.5 else moves)


def annotate(rng, node):
    if rng.random() < 0.1:
        node.comment = " ".join(rng.sample(WORDS, rng.randint(1, 3)))
    if rng.random() < 0.1:
        node.nags.add(rng.randint(1, 20))


def extend(rng, node, board, plies, depth):
    """Plays on from a node, with variations on the way."""
    for _ in range(plies):
        if not any(board.legal_moves):
            return
        if depth > 0 and not board.is_check() and rng.random() < 0.05:
            move = chess.Move.null()
        else:
            move = choose(rng, board)
        other = choose(rng, board)
        following = node.add_variation(move)
        annotate(rng, following)
        if depth < 3 and other != move and rng.random() < 0.06:
            aside = node.add_variation(other)
            after = board.copy(stack=False)
            after.push(other)
            extend(rng, aside, after, rng.randint(0, 6), depth + 1)
        board.push(move)
        node = following


def game(rng, number):
    board = start(rng)
    made = chess.pgn.Game()
    made.setup(board)
    made.headers["Event"] = f"Game {number}"
    made.headers["White"] = rng.choice(["A", 'The "B"', "C \\ D", "Müller", ""])
    made.headers["Result"] = rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
    if rng.random() < 0.2:
        made.comment = "before the moves"
    extend(rng, made, board.copy(stack=False), rng.randint(0, 120), 0)
    text = str(made)
    if rng.random() < 0.3:
        text = re.sub(r"=([QRBN])", r"\1", text)
    if rng.random() < 0.3:
        text = text.replace("O-O-O", "0-0-0").replace("O-O", "0-0")
    return text + "\n\n"


NULL_MOVES = ["<>", "@@@@", "Z0", "0000", "null", "pass", "——"]
RESULTS = {
    "1-0": ["1–0", "1 - 0", "1:0", "1−0", "1-0`", "1-0F"],
    "0-1": ["0–1", "0 - 1", "0:1", "0—1", "0-1F"],
    "1/2-1/2": ["½–½", "1/2", "0.5-0.5", "1/2 - 1/2", "½:½", "0,5-0,5"],
}


def odd(rng, text):
    """A game in the spellings of other programs and people, which python-chess does not read."""
    head, moves = text.rstrip("\n").split("\n\n", 1)
    dash = rng.choice("‐‑–—−")
    # Comments stay as they are.
    parts = re.split(r"(\{[^}]*\})", moves)
    last, result = re.fullmatch(r"(.*?)(\S+)", parts[-1], re.DOTALL).groups()
    parts[-1] = last
    for index in range(0, len(parts), 2):
        part = re.sub(r"\b([O0])-([O0])(?!\d)", rf"\1{dash}\2", parts[index])
        part = re.sub(rf"{dash}([O0])-([O0])", rf"{dash}\1{dash}\2", part)
        form = rng.choice(["({0})", "/{0}", "=({0})", " ={0}", ":{0}", "{0}"])
        part = re.sub(r"([a-h][18])=?([QRBN])", lambda found, form=form: found[1] + form.format(found[2]), part)
        parts[index] = part.replace("--", rng.choice(NULL_MOVES))
    if rng.random() < 0.7:
        result = rng.choice(RESULTS.get(result, [result]))
    if rng.random() < 0.5:
        head = re.sub(r'(\[FEN "(?:\S+ ){4})(\d+) (\d+)"', r'\1hmvc \2; fmvn \3;"', head)
    text = f"{head}\n\n{''.join(parts)}{result}\n\n"
    return text.replace("\n", "\r") if rng.random() < 0.1 else text


def tree(node):
    """A game as values to compare: moves, NAGs, comments and variations."""
    line = []
    while node.variations:
        line.append((values(node), [tree(child) for child in node.variations[1:]]))
        node = node.variations[0]
    line.append((values(node), []))
    return line


def values(node):
    comment = " ".join(" ".join([node.starting_comment, node.comment]).split())
    move = "" if node.parent is None else node.move.uci()
    return move, tuple(sorted(node.nags)), comment


def tags(one):
    """The tags that were set. python-chess leaves the standard's backslashes in them, and writes none."""
    plain = lambda value: re.sub(r"\\([\\\"])", r"\1", value)
    # `pgn clean` keeps the operations of a FEN in a tag of their own.
    left_out = ("Date", "EPD")
    return {name: plain(value) for name, value in one.headers.items() if value != "?" and name not in left_out}


def read(text):
    stream = io.StringIO(text)
    while (one := chess.pgn.read_game(stream)) is not None:
        yield one


def clean(program, text):
    ran = subprocess.run([program, "pgn", "clean", "-"], input=text.encode(), capture_output=True, timeout=60, check=False)
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


def compare_games(program, rng, count):
    texts = [game(rng, number) for number in range(count)]
    written = [odd(rng, text) if rng.random() < 0.5 else text for text in texts]
    status, out, errors = clean(program, "".join(written))
    if status != 0:
        sys.exit(f"status {status} for games that python-chess wrote:\n{errors}")
    ours = list(read(out))
    if len(ours) != count:
        sys.exit(f"{count} games written, {len(ours)} read")
    for text, given, mine in zip(texts, written, ours):
        theirs = next(read(text))
        headers = [tags(one) for one in (theirs, mine)]
        if headers[0] != headers[1] or tree(theirs) != tree(mine):
            sys.exit(f"read differently:\n{given}\n--- cleaned:\n{mine}\n{headers}")
    return texts


ALPHABET = list("[]{}();\"\\%$.*-=!?#+ \n0123456789abcdefghNBRQKOxS") + ["--", "1-0", "O-O", "[Site]", "½", "♘", "\x00", "1."]


def mutant(rng, text):
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text))
        way = rng.random()
        if way < 0.35:
            text = text[:at] + rng.choice(ALPHABET) + text[at + 1 :]
        elif way < 0.6:
            text = text[:at] + rng.choice(ALPHABET) + text[at:]
        elif way < 0.8:
            text = text[:at] + text[at + rng.randint(1, 4) :]
        elif way < 0.9:
            lines = text.split("\n")
            line = rng.randrange(len(lines))
            text = "\n".join(lines[:line] + lines[line + 1 :])
        else:
            text = text[: at + 1]
    return text


def main_lines(games):
    return [[move.uci() for move in one.mainline_moves()] for one in games]


def explained(theirs, mine):
    """Why a mutant may be read differently by right; None if it may not."""
    if any(one.errors for one in theirs):
        return "python-chess reports an error"
    their_moves, my_moves = [[move for line in main_lines(games) for move in line] for games in (theirs, mine)]
    if their_moves == my_moves:
        return "the same moves, divided into games in another way"
    if len(my_moves) > len(their_moves):
        return "centipawn reads moves that python-chess skips"
    return None


def knows_variant(game):
    """Whether python-chess finds rules for the tag Variant; Centipawn reads any name that begins with Chess960."""
    try:
        game.headers.variant()
        return True
    except ValueError:
        return False


def compare_mutants(program, rng, texts, count):
    reasons = Counter()
    for _ in range(count):
        text = mutant(rng, rng.choice(texts))
        try:
            theirs = list(read(text))
        except IndexError:
            # Its reader fails on some damaged variations.
            theirs = None
        status, out, errors = clean(program, text)
        if status not in (0, 1, 3):
            sys.exit(f"status {status} of a mutant: {errors}\n{text}")
        if status != 0 or errors:
            reasons["centipawn names a problem"] += 1
            continue
        if theirs is None:
            reasons["python-chess fails"] += 1
            continue
        mine = list(read(out))
        if not all(knows_variant(g) for g in mine):
            reasons["python-chess does not know the variant"] += 1
            continue
        if any(g.errors for g in mine):
            sys.exit(f"what was cleaned has errors:\n{text}\n--- cleaned:\n{out}")
        lines = [main_lines(games) for games in (theirs, mine)]
        if lines[0] == lines[1]:
            reasons["the same"] += 1
            continue
        reason = explained(theirs, mine)
        if reason is None:
            sys.exit(f"read differently:\n{text}\n--- python-chess:\n{lines[0]}\n--- centipawn:\n{lines[1]}\n{out}")
        reasons[reason] += 1
    return reasons


def compare_part(program, seed, part, games, mutants):
    rng = random.Random(f"{seed} {part}")
    return compare_mutants(program, rng, compare_games(program, rng, games), mutants)


def shares(total, parts):
    """A number in as many parts, as equal as possible."""
    return [total // parts + (part < total % parts) for part in range(parts)]


def main():
    program = sys.argv[1]
    games, mutants, seed = [int(word) for word in (sys.argv[2:] + ["2000", "1000", "1"][len(sys.argv) - 2 :])]
    # The number of a part determines its games, so results do not depend on the number of processors.
    parts = max(1, games // 250)
    reasons = Counter()
    with ProcessPoolExecutor() as pool:
        for found in pool.map(
            compare_part, repeat(program), repeat(seed), range(parts), shares(games, parts), shares(mutants, parts)
        ):
            reasons += found
    print(f"{games} games are read alike")
    for reason, number in reasons.most_common():
        print(f"{number:>6} mutants: {reason}")


if __name__ == "__main__":
    main()
