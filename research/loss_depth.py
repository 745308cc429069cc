"""Would two further terms improve the model of the moves that people play (docs/how-we-know/ease.md)? Measured by five-fold cross-validation over games.

    centipawn ease GAMES --nodes 50k --lines 5 --json > EASE
    crates/python/.venv/bin/python research/loss_depth.py GAMES:EASE [GAMES:EASE…] --evals EVALS [--engine stockfish]

1. The opponent's rating: the loss coefficient c changes with the difference of the ratings.
2. The depth at which a loss becomes visible: the engine evaluates each listed move at depths 1 to 10, and an early loss counts in addition.

Without options, only players rated 2000 or more count, and only positions in which a move with a probability of 0.01 or more loses at least
0.04. The early loss as the program uses it, in all positions of players rated 2300 or more:

    crates/python/.venv/bin/python research/loss_depth.py GAMES:EASE… --evals EVALS --from 2300 --least-loss 0 --depth 8

With `--main-search`, the early losses are read from the search of the five best lines, instead of a separate search of all listed moves.
EVALS keeps the engine's evaluations, one position per line, so a further run needs no engine. Needs NumPy.
"""

import argparse
import itertools
import json
import pathlib
import re
import subprocess

import numpy as np

RATINGS, LEAST_P = (800, 2800), 0.01
MOST, LINES, FOLDS, MATE = 24, 5, 5, 100_000
START, STEPS = [0.865, -0.1, 1.02, 0.13], [0.1, 0.4, 0.2, 0.05]
# Name and number of coefficients.
TERMS = {
    "opponent's rating minus player's": 1,
    "the same, separately for stronger and weaker opponents": 2,
    "first depth that shows half of the loss": 1,
    "early loss at depth 1": 1,
    "early loss at depth 4": 1,
    "early loss at depth 10": 1,
    "mean of the early losses at depths 1, 4": 1,
    "mean of the early losses at depths 1, 4, 8": 1,
    "mean of the early losses at depths 1 to 4": 1,
    "mean of the early losses at depths 1 to 8": 1,
    "mean of the early losses at depths 1 to 10": 1,
}


def ratings(games):
    """The ratings of White and Black in each game."""
    text = pathlib.Path(games).read_text(encoding="utf-8", errors="replace")
    tag = lambda game, side: int((re.search(rf'\[{side}Elo "(\d+)"', game) or ["", "0"])[1])
    return [(tag(game, "White"), tag(game, "Black")) for game in re.split(r"\n\n+(?=\[Event )", text.strip())]


def depths(term):
    """The depths whose early losses a term uses."""
    words = term.split(" at depth")[-1].lstrip("s ")
    if " to " in words:
        first, last = map(int, words.split(" to "))
        return list(range(first, last + 1))
    return [int(word) for word in words.split(", ")]


def read(pairs, rated_from, least_loss):
    """The positions: game, both ratings, FEN, moves in UCI notation, probabilities, losses, index of the played move."""
    rows = []
    for pair in pairs:
        games, ease = pair.rsplit(":", 1)
        players = ratings(games)
        for line in pathlib.Path(ease).read_text(encoding="utf-8").splitlines():
            position = json.loads(line)
            moves = position.get("moves")
            if (position.get("player") or 0) < rated_from or not moves or moves[0]["q"] is None:
                continue
            policy = [max(move.get("p_policy", move["p"]), 1e-6) for move in moves][:MOST]
            losses = [move["score_loss"] for move in moves][:MOST]
            if all(loss < least_loss for p, loss in zip(policy, losses) if p >= LEAST_P):
                continue
            white, black = players[position["game"] - 1]
            opponent = black if position["fen"].split()[1] == "w" else white
            uci = [move["uci"] for move in moves][:MOST]
            played = uci.index(position["played"]) if position["played"] in uci else MOST
            rows.append(((games, position["game"]), position["player"], opponent, position["fen"], uci, policy, losses, played))
    return rows


def search(process, fen, lines, depth, moves=()):
    """The centipawns of moves at each depth."""
    say = lambda text: print(text, file=process.stdin, flush=True)
    say(f"ucinewgame\nsetoption name MultiPV value {lines}\nposition fen {fen}")
    say(f"go depth {depth} searchmoves {' '.join(moves)}" if moves else f"go depth {depth}")
    found = {}
    for line in iter(process.stdout.readline, ""):
        if line.startswith("bestmove"):
            break
        match = re.search(r" depth (\d+) .*multipv .*score (cp|mate) (-?\d+) nodes.* pv (\S+)", line)
        if match:
            reached, kind, value, mv = match.groups()
            score = int(value) if kind == "cp" else (MATE - abs(int(value))) * (1 if int(value) > 0 else -1)
            found.setdefault(reached, {})[mv] = score
    return found


def evaluate(rows, engine, path, depth, is_main):
    """The centipawns of each move at each depth, by FEN; appends what is missing to the file."""
    known = {}
    if path.exists():
        known = {line["fen"]: line for line in map(json.loads, path.open())}
    missing = {row[3]: row for row in rows if row[3] not in known}.values()
    if not missing:
        return known
    process = subprocess.Popen([engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    with path.open("a") as out:
        for _, _, _, fen, uci, _, losses, _ in missing:
            if is_main:
                # The lines of a program's search, and the other moves. What is not among the lines at a depth counts as the last of them.
                best = sorted(range(len(uci)), key=losses.__getitem__)[:LINES]
                found = search(process, fen, LINES, depth)
                others = [mv for index, mv in enumerate(uci) if index not in best]
                for reached, scores in (search(process, fen, len(others), depth, others) if others else {}).items():
                    found.setdefault(reached, {}).update({mv: score for mv, score in scores.items() if mv not in found[reached]})
                evals = {reached: [scores.get(mv, min(scores.values())) for mv in uci] for reached, scores in found.items()}
            else:
                found = search(process, fen, len(uci), depth, uci)
                evals = {reached: [scores.get(mv) for mv in uci] for reached, scores in found.items()}
            known[fen] = {"fen": fen, "uci": uci, "evals": evals}
            out.write(json.dumps(known[fen]) + "\n")
    process.kill()
    return known


def arrays(rows, evals, deepest):
    """The positions as arrays; `early` has the loss of each move at each depth."""
    shape = (len(rows), MOST)
    data = {name: np.zeros(shape) for name in ("policy", "loss")} | {"early": np.zeros((*shape, deepest))}
    data["rest"], data["there"] = np.zeros(len(rows)), np.zeros(shape, bool)
    for index, (*_, fen, uci, policy, losses, _) in enumerate(rows):
        count, known, scores = len(uci), evals[fen], None
        data["policy"][index, :count], data["loss"][index, :count] = policy, losses
        data["there"][index, :count], data["rest"][index] = True, max(1 - sum(policy), 1e-6)
        for depth in range(deepest):
            found = known["evals"].get(str(depth + 1))
            # A depth that the node limit cut off counts as the one before.
            scores = found if found and None not in found else scores
            worth = 1 / (1 + np.exp(-0.00368208 * np.clip(np.array(scores or [0] * len(known["uci"])), -20_000, 20_000)))
            early = dict(zip(known["uci"], worth.max() - worth))
            data["early"][index, :count, depth] = [early.get(mv, loss) for mv, loss in zip(uci, losses)]
    visible = data["early"] >= data["loss"][:, :, None] / 2
    data["depth"] = np.where(visible.any(2), visible.argmax(2) + 1, deepest + 2)
    data["x"] = (np.clip([row[1] for row in rows], *RATINGS) - 1500) / 400
    data["gap"] = np.clip([row[2] - row[1] for row in rows], -400, 400) / 400
    data["played"] = np.array([row[-1] for row in rows])
    return data


def log_losses(data, term, model):
    a, c0, c1, rest, *more = model
    gap, early = data["gap"], data["early"]
    shift = 0
    if term == "opponent's rating minus player's":
        shift = more[0] * gap
    elif term and term.startswith("the same"):
        shift = more[0] * np.maximum(gap, 0) + more[1] * np.minimum(gap, 0)
    c = np.exp(c0 + c1 * data["x"] + shift)
    cost = data["loss"]
    if term and term.startswith("first depth"):
        cost = cost * np.exp(-more[0] * (data["depth"] - 4) / 4)
    elif term and "early" in term:
        cost = cost + more[0] * early[:, :, [depth - 1 for depth in depths(term)]].mean(2)
    weights = a * np.log(np.maximum(data["policy"], 1e-6)) - c[:, None] * cost
    weights[~data["there"]] = -1e9
    weights = np.hstack([weights, (a * np.log(data["rest"]) - c * rest)[:, None]])
    weights -= weights.max(1, keepdims=True)
    logs = weights - np.log(np.exp(weights).sum(1, keepdims=True))
    return -np.maximum(logs[np.arange(len(c)), data["played"]], np.log(1e-9))


def fit(data, term):
    """Coordinate descent with shrinking steps."""
    more = TERMS.get(term, 0)
    model, steps = START + [0.0] * more, STEPS + [0.4] * more
    best = log_losses(data, term, model).mean()
    while max(steps) > 0.004:
        for index, sign in itertools.product(range(len(model)), (1, -1)):
            tried = [value + sign * steps[index] * (place == index) for place, value in enumerate(model)]
            found = log_losses(data, term, tried).mean()
            if found < best:
                best, model = found, tried
                break
        else:
            steps = [step / 2 for step in steps]
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+", metavar="GAMES:EASE")
    parser.add_argument("--evals", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default="stockfish")
    parser.add_argument("--from", type=int, default=2000, dest="rated_from", help="only players with this rating or more")
    parser.add_argument("--least-loss", type=float, default=0.04, help="only positions in which a likely move loses this much")
    parser.add_argument("--depth", type=int, default=10, help="evaluate moves at depths up to this one")
    parser.add_argument("--main-search", action="store_true", help="early losses from the search of the five best lines")
    args = parser.parse_args()
    rows = read(args.pairs, args.rated_from, args.least_loss)
    data = arrays(rows, evaluate(rows, args.engine, args.evals, args.depth, args.main_search), args.depth)
    names = sorted({row[0] for row in rows})
    game = np.array([names.index(row[0]) for row in rows])
    fold = np.random.default_rng(1).permutation(len(names))[game] % FOLDS
    strong = np.array([row[1] >= 2300 for row in rows])
    lost = data["loss"] >= 0.1
    shares = [((data["depth"] >= low) & (data["depth"] <= high) & lost).sum() / lost.sum() for low, high in ((1, 1), (2, 4), (5, 8), (9, 99))]
    print(f"{len(rows)} positions of {len(names)} games. Losses of 0.1 or more that first show at depth 1, 2–4, 5–8, later:", end=" ")
    print(", ".join(f"{100 * share:.0f} %" for share in shares))
    part = lambda which: {name: values[which] for name, values in data.items()}
    base = np.zeros(len(rows))
    folds = [(part(fold != number), part(fold == number), fold == number) for number in range(FOLDS)]
    for fitted, held_out, which in folds:
        base[which] = log_losses(held_out, None, fit(fitted, None))
    print(f"log-loss of the model: {base.mean():.4f}; from 2300: {base[strong].mean():.4f}")
    for term in TERMS:
        if "early" in term and max(depths(term)) > args.depth:
            continue
        change, more = -base, []
        for fitted, held_out, which in folds:
            model = fit(fitted, term)
            more.append(model[4:])
            change[which] += log_losses(held_out, term, model)
        print(f"{term} (coefficients {', '.join(f'{value:.2f}' for value in np.mean(more, 0))})")
        for name, chosen in (("all", strong | True), ("under 2300", ~strong), ("from 2300", strong)):
            if not chosen.any():
                continue
            by_game = np.bincount(game[chosen], change[chosen])
            mean, error = change[chosen].mean(), np.sqrt((by_game**2).sum()) / chosen.sum()
            print(f"  {name:10} {chosen.sum():5} positions  {mean:+.4f} ± {error:.4f}  z {mean / error:+.1f}")


if __name__ == "__main__":
    main()
