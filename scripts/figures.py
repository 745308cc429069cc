#!/usr/bin/env python3
"""Computes the figures again that README.md and docs publish, and writes them beside each other: figures.py (run by `make figures`).

Each figure is read from the page that publishes it and from the output of the program that measures it, so that neither is written
here. Outputs are kept in target/figures; --kept takes those that are there, --only NAMES computes only these sources anew. The rows of
sources without an output stay as they are on the page.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = "../shared/data"
OUTPUTS = ROOT / "target/figures"
PAGE = ROOT / "docs/figures.md"
PROFILE = os.environ.get("PROFILE", "release")
PROGRAM = f"target/{PROFILE}/centipawn"

# By how much a speed may differ, if its published digits do: other machines and busy ones are slower.
SPEED = 0.15

NUMBER = r"([+−-]?\d[\d,]*(?:\.\d+)?)"

PEOPLE = [f"--curve=human --rating={rating} --time={time}" for rating, time in
          [(1200, "3+0"), (1500, "10+0"), (1800, "90+30"), (2100, "90+30"), (2700, "90+30")]]
LICHESS = f"{DATA}/pgn/lichess/lichess_2021-10"


def beside_python_chess(name, games, times=8):
    """Measures with the games of a command, some times over, since most files are read in a moment."""
    file = f"target/figures/{name}.pgn"
    return f"for time in {' '.join(map(str, range(times)))}; do {games}; done > {file} && make -s PROFILE={PROFILE} bench-python GAMES={file}; status=$?; rm -f {file}; exit $status"


# What measures: a shell command each, whose output has the figures.
SOURCES = {
    "wdl": f"make -s PROFILE={PROFILE} bench-wdl GAMES={DATA}/wdl/tcec_fishtest.pgn.zst",
    "material": f"make -s PROFILE={PROFILE} bench-material GAMES={DATA}/pgn/human/masters_pgnmentor.pgn.zst",
    "people": f"make -s PROFILE={PROFILE} bench-people",
    "pgn": f"make -s PROFILE={PROFILE} bench-pgn GAMES={DATA}/wdl/tcec_fishtest.pgn.zst",
    "puzzles": f"make -s PROFILE={PROFILE} bench-puzzles PUZZLES={DATA}/puzzles/lichess_unbiased_2500.csv",
    "policy": f"make -s PROFILE={PROFILE} bench-policy",
    "quality": f"make -s PROFILE={PROFILE} bench-policy-quality",
    "python engine": beside_python_chess("engine", f"cat {DATA}/pgn/engine/OpenRating.pgn"),
    "python lichess": beside_python_chess("lichess", f"cat {LICHESS}_first999.pgn"),
    "python tcec": beside_python_chess("tcec", f"cat {DATA}/pgn/tcec/*.pgn"),
    "python fishtest": beside_python_chess("fishtest", f"zstd -dqcf {DATA}/wdl/tcec_fishtest.pgn.zst", times=1),
    "fit of people": f"{PROGRAM} wdl human examples/people.tsv.zst --json -q",
    "curves": " && ".join(f"{PROGRAM} symbols --played 3 --best 1 --json {curve}" for curve in [*PEOPLE, "--curve=stockfish-18"]),
    "tags": f"{PROGRAM} puzzles tag {DATA}/puzzles/lichess_unbiased_2500.csv --compare",
    "review": f"{PROGRAM} review {LICHESS}_eval96.pgn --reuse-evals --store none --json - -q",
    "model": f"{PROGRAM} wdl count {DATA}/wdl/tcec_fishtest.pgn.zst --compat -o target/figures/counts.json -q"
    f" && {PROGRAM} wdl fit target/figures/counts.json --resamples 0 --folds 0 --json -q; rm -f target/figures/counts.json",
}


def number(text):
    """A number as pages write it: with a true minus, and commas between thousands."""
    return float(text.replace("−", "-").replace(",", ""))


class Figure:
    """A figure that a page publishes, and how it is found again.

    `published` is a pattern whose group is the number, or a pair of a sentence that has it in words and the number.
    """

    def __init__(self, page, what, published, source, measured, *, speed=False):
        self.page, self.what, self.published = page, what, published
        self.source, self.measured, self.speed = source, measured, speed

    def text(self):
        """The published number as the page has it; None if the page has it no more."""
        page = (ROOT / self.page).read_text(encoding="utf-8")
        if isinstance(self.published, tuple):
            sentence, value = self.published
            return value if sentence in " ".join(page.split()) else None
        found = re.search(self.published, page, re.MULTILINE)
        return found and found.group(1)

    def row(self, outputs, earlier):
        """Cells of the table: page, figure, published and measured value, and whether it moved; `earlier` are its present rows."""
        name, text = Path(self.page).name, self.text()
        if text is None:
            return name, self.what, "", "", "the page has it no more"
        if self.source not in outputs:
            known = earlier.get((name, self.what))
            return known if known and known[2] == text else (name, self.what, text, "", "not measured")
        try:
            value = self.measured(outputs[self.source])
        except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError) as error:
            return name, self.what, text, "", f"not in the output of {self.source} ({type(error).__name__})"
        # With the published number's digits.
        shown = f"{value:,.{len(text.partition('.')[2])}f}"
        if self.speed:
            ratio = value / number(text)
            shown = shown if number(shown) else f"{value:.2g}"
            moved = "" if abs(ratio - 1) <= SPEED or number(shown) == number(text) else f"moved: {ratio:.2f} of it"
        else:
            moved = "" if number(shown) == number(text) else "moved"
        return name, self.what, text, shown.replace("-", "−"), moved


def line(begin, column=1, scale=1.0):
    """The nth number of the first line of an output that begins so."""

    def find(output):
        own = next(own for own in output.splitlines() if own.strip().startswith(begin))
        rest = own.strip()[len(begin):]
        return scale * number(re.findall(NUMBER, rest)[column - 1])

    return find


def document(*path, index=0, scale=1.0):
    """The number at a path of the nth JSON document of an output."""

    def find(output):
        value = documents(output)[index]
        for key in path:
            value = value[key]
        return scale * value

    return find


def documents(output):
    """The JSON documents of an output, one after the other."""
    decoder, found, rest = json.JSONDecoder(), [], output.lstrip()
    while rest:
        document, end = decoder.raw_decode(rest)
        found.append(document)
        rest = rest[end:].lstrip()
    return found


def cell(row, column, which=1):
    """The pattern of a number in a Markdown table: of the row that begins so, in the nth cell behind its name, the nth number."""
    return rf"^\| {row} \|" + r"[^|\n]*\|" * (column - 1) + rf"(?:[^|\n]*?{NUMBER.replace('(', '(?:', 1)}){{{which - 1}}}[^|\n]*?{NUMBER}"


def speeds():
    wdl, python, ease = "docs/wdl.md", "docs/python.md", "docs/ease.md"
    rows = [("replay + evals", r"replay \+ evals: [^|]*"), ("counting", "counting"),
            ("counting without groups of games", "counting without groups")]
    for begin, row in rows:
        for column, unit in [(1, "CPU s"), (2, "MB a CPU second"), (3, "of replay + evals")]:
            if (begin, column) != ("replay + evals", 3):
                yield Figure(wdl, f"{begin}, {unit}", cell(row, column), "wdl", line(begin + "  ", column), speed=True)
    yield Figure("docs/commands.md", "`wdl run` of 100 MB, with errors and plots: seconds", rf"A hundred megabytes take {NUMBER} seconds",
                 "wdl", line("centipawn wdl run (count, fit, errors, plots)"), speed=True)
    yield Figure("docs/commands.md", "replay + evals of 100 MB on two threads: seconds",
                 rf"A hundred megabytes take about {NUMBER} seconds on two cores", "pgn",
                 lambda output: 100 / line("replay + evals", 1)(output) / line("two threads", 1)(output), speed=True)
    yield Figure("docs/commands.md", "75,000 master games with 1,000 resamples: CPU seconds", ("75,000 master games take a second", "1"),
                 "material", line("the same and 1,000 resamples", 2), speed=True)
    yield Figure("docs/people.md", "games of people collected, MB a second", rf"collects {NUMBER} MB of a Lichess export", "people",
                 line("collecting people's games", 2), speed=True)
    yield Figure("docs/people.md", "the same, of a bare scan's time", rf"Collecting takes {NUMBER} times as long", "people",
                 line("collecting takes", 1), speed=True)
    for source, row in [("python engine", "engine games without comments [^|]*"), ("python lichess", "Lichess games with clocks [^|]*"),
                        ("python tcec", "TCEC superfinals, [^|]*"), ("python fishtest", "TCEC games with short comments [^|]*")]:
        name = source.split()[1]
        yield Figure(python, f"{name} games: plies a second of one processor", cell(row, 1), source,
                     lambda output: number(re.search(rf"^centipawn .*\) +{NUMBER} plies a second", output, re.M).group(1)), speed=True)
        yield Figure(python, f"{name} games: times python-chess", cell(row, 3), source, line("ratio"), speed=True)
    yield Figure(python, "expected scores of a million by a logistic curve, ms", rf"a million evaluations take {NUMBER} ms", "python engine",
                 line("expected score of a million, lichess"), speed=True)
    yield Figure(python, "expected scores of a million by Stockfish 18, ms", rf"logistic curve, and {NUMBER} ms", "python engine",
                 line("expected score of a million, stockfish-18"), speed=True)
    yield Figure("docs/puzzles.md", "puzzles read and tagged a second", rf"measures the speed: {NUMBER} puzzles a second", "puzzles",
                 lambda output: number(re.search(rf"{NUMBER} a second", output).group(1)), speed=True)
    for begin, row in [("avx512 ", "AVX-512"), ("avx2 ", "AVX2"), ("portable ", "portable"), ("onnxruntime batch  1", "ONNX Runtime [^|]*")]:
        column = 1 if begin.startswith("onnx") else 2
        yield Figure(ease, f"{row.split(' [')[0]}, positions a CPU second", cell(row, 1), "policy", line(begin, column), speed=True)


def models():
    people = "docs/people.md"
    for name in ["b0", "b1", "r"]:
        yield Figure(people, f"`{name}`", cell(name, 1), "fit of people", document("model", name))
    yield Figure(people, "games", rf"positions of {NUMBER} games, from ply 10", "fit of people", document("games"))
    yield Figure(people, "positions", rf"^{NUMBER} positions of", "fit of people", document("positions"))
    curves = [("this model", "this model"), ("this model, equal ratings", "this model, equal ratings"),
              ("built in, equal ratings", "human, equal ratings"), ("WintrChess", "wintrchess"), ("Lichess' winning chances", "lichess"),
              ("TCEC", "tcec"), ("Stockfish 15.1's model", "stockfish-15.1")]
    for row, name in curves:
        for column, group in enumerate(["all", "bullet", "blitz", "rapid", "classical"]):

            def loss(output, name=name, column=column):
                curve = next(own for own in documents(output)[0]["held_out"]["curves"] if own["curve"] == name)
                return curve["log_loss"][column]

            yield Figure(people, f"log loss of {row}, {group}", cell(row, 1 + column), "fit of people", loss)
    rows = ["two people rated 1200, 3 minutes each", "two people rated 1500, 10 minutes", r"two people rated 1800, 90 minutes \+ 30 s",
            r"two people rated 2100, 90 minutes \+ 30 s", r"two people rated 2700, 90 minutes \+ 30 s", "Stockfish 18 against itself"]
    for index, row in enumerate(rows):
        who = row.replace("\\", "")
        yield Figure("README.md", f"{who}: +1.00 scores, %", cell(row, 1), "curves", document("result", "best", index=index, scale=100))
        yield Figure("README.md", f"{who}: +3.00 scores, %", cell(row, 2), "curves", document("result", "played", index=index, scale=100))
        yield Figure("README.md", f"{who}: 75 % from", cell(row, 3), "curves", document("balance", index=index))
    wdl = "docs/wdl.md"
    yield Figure(wdl, "objective at the lowest point", rf"the minimum is {NUMBER};", "model", document("objective", "after"))
    yield Figure(wdl, "NormalizeToPawnValue there", rf"106.0 instead of {NUMBER}\.", "model", document("normalize_to_pawn_value"))


def agreement():
    def symbols(symbol):
        def find(output):
            games = documents(output)[0]["games"]
            return sum(game[side]["symbols"][symbol] for game in games for side in ("white", "black"))

        return find

    for column, symbol in [(4, "?!"), (5, "?"), (6, "??")]:
        yield Figure("docs/review.md", f"96 games on Lichess: `{symbol}`", cell("96 on Lichess, [^|]*", column), "review", symbols(symbol))
    yield Figure("docs/puzzles.md", "least agreement of a theme with Lichess' labels, %", rf"every theme agrees in at least {NUMBER} %", "tags",
                 lambda output: 100 * min(number(share) for share in re.findall(r"^\w+ +[1-9].* ([01]\.\d{4})$", output, re.M)))
    ease = "docs/ease.md"
    for row in ["1000 to 1400", "1400 to 1800", "1800 to 2100", "all"]:
        for column, network in [(2, "`centipawn-1`"), (3, "nearest Maia"), (4, "Maia 1500")]:
            for which, what in [(1, "likeliest move played, %"), (2, "log-loss")]:

                def of_table(output, row=row, column=column, which=which):
                    return number(re.search(cell(row, column, which), output, re.M).group(1))

                yield Figure(ease, f"{network}, {row}: {what}", cell(row, column, which), "quality", of_table)
    for level in range(1100, 2000, 100):
        yield Figure(ease, f"best move's probability at {level}, %", rf"^{level} +{NUMBER} %", "quality",
                     lambda output, level=level: 100 * number(re.search(rf"^{level} {NUMBER}$", output, re.M).group(1)))


def figures():
    yield from speeds()
    yield from models()
    yield from agreement()


def measure(name):
    """Runs a source and keeps its output, with the load of the machine before it."""
    load = os.getloadavg()[0]
    print(f"{name}: {SOURCES[name]}", file=sys.stderr, flush=True)
    ran = subprocess.run(SOURCES[name], shell=True, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode not in (0, 1):
        print(f"{name} ended with status {ran.returncode}", file=sys.stderr)
        return
    kept = {"date": datetime.date.today().isoformat(), "load": load, "output": ran.stdout}
    (OUTPUTS / f"{name}.json").write_text(json.dumps(kept), encoding="utf-8")


def machine():
    """The processor and what there is of it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        model = re.search(r"^model name\s*: (.*)$", text, re.M).group(1)
    except (OSError, AttributeError):
        model = "unknown processor"
    return f"{model}, {os.cpu_count()} threads"


def rows_of_page():
    """The rows of the page's tables, as cells."""
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    return [tuple(cell.strip() for cell in own[1:-1].split("|")) for own in lines if own.startswith("| ")]


def page(kept):
    outputs = {name: own["output"] for name, own in kept.items()}
    earlier = rows_of_page()
    rows = [figure.row(outputs, {own[:2]: own for own in earlier if len(own) == 5}) for figure in figures()]
    measured = {own[0]: own[1:] for own in earlier if len(own) == 3 and own[0] in SOURCES}
    measured |= {name: (own["date"], f"{own['load']:.1f}") for name, own in kept.items()}
    moved = sum(row[4].startswith("moved") for row in rows)
    missing = sum(bool(row[4]) and not row[4].startswith("moved") for row in rows)
    lines = [
        "# Published figures, measured again",
        "",
        f"`make figures` writes this page. It compares {len(rows)} published figures of README.md and docs with new measurements: {moved} have moved, and",
        f"{missing} could not be compared. A speed has moved if it differs by more than {100 * SPEED:.0f} % and in its published digits. Any other figure has",
        "moved if its last published digit differs.",
        "",
        f"Machine: {machine()}.",
        "",
        "| source | measured on | load before |",
        "| --- | --- | --- |",
        *(f"| {name} | {' | '.join(measured[name])} |" for name in SOURCES if name in measured),
        "",
        "The following figures are not measured again here, because each measurement takes hours of engine time: mining, verifying and the classic",
        "rules (docs/puzzles.md, `make bench-puzzles GAMES=…`), reviews with an engine (docs/review.md), and the new evaluation of games between",
        "humans (docs/people.md). The times of `updateWDL.sh` and its companion scripts (docs/wdl.md) are not measured either, because these scripts",
        "are not part of this project.",
        "",
        "| page | figure | published | measured | |",
        "| --- | --- | --- | --- | --- |",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n", moved, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", action="store_true", help="measure only what target/figures does not have yet")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=sorted(SOURCES), default=None, help="measure only these sources")
    options = parser.parse_args()
    OUTPUTS.mkdir(parents=True, exist_ok=True)
    kept = {}
    for name in SOURCES:
        file = OUTPUTS / f"{name}.json"
        wanted = name in options.only if options.only else not (options.kept and file.exists())
        if wanted:
            measure(name)
        if file.exists():
            kept[name] = json.loads(file.read_text(encoding="utf-8"))
    text, moved, missing = page(kept)
    PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {moved} figures moved, {missing} could not be compared")


if __name__ == "__main__":
    main()
