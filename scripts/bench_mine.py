#!/usr/bin/env python3
"""What mining costs: engine nodes and CPU seconds a puzzle, for each rule, on the same games with the same engine.

bench_mine.py CENTIPAWN GAMES [--rules classic,lichess,centipawn] [--effort 0.1] [--golden FILE] [-- MORE ARGUMENTS OF mine]

Nodes are those that `centipawn puzzles mine` reports, CPU seconds those of the program and its engines. With --golden the
candidates of the classic rules are compared with those of another run: a JSON line each, with game, ply, why and stage.
"""
import argparse
import json
import re
import resource
import subprocess
import sys

# What the other run calls the verdicts.
WHY = {
    "a sacrifice": "ACCEPT:sac",
    "not played": "ACCEPT:missed",
    "after a blunder": "ACCEPT:blunder",
    "in check": "check",
    "not won": "notwon",
    "a second move wins": "second",
    "mate in one": "mate1",
    "en passant": "ep",
    "promotion to a queen": "queen",
    "wins material at once": "see+",
    "played, and lost before": "trivial",
}
CANDIDATE = re.compile(r": game (\d+), at (\d+)(\.+).*: (?:a puzzle|refused), (.*?)(?:, (\d+) stages?)?$")


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def mine(arguments, rules):
    """The lines that the program wrote to standard error, and its CPU seconds."""
    # The effort is for rules whose limits take days; our own rules run with their own.
    effort = "1" if rules == "centipawn" else arguments.effort
    command = [arguments.centipawn, "puzzles", "mine", arguments.games, "--rules", rules, "--effort", effort]
    command += ["--explain", "--progress", "none", "--color", "never", "--output", "/dev/null", *arguments.more]
    if "--store" not in arguments.more:
        command += ["--store", "none"]
    before = cpu_seconds()
    ran = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        sys.exit(f"{ran.stderr}\n{' '.join(command)} ended with {ran.returncode}")
    return ran.stderr.splitlines(), cpu_seconds() - before


def candidates(lines):
    """By game and ply: why, and how many stages were passed."""
    found = {}
    for match in filter(None, map(CANDIDATE.search, lines)):
        game, number, dots, verdict, stages = match.groups()
        ply = 2 * (int(number) - 1) + (len(dots) == 3)
        found[int(game), ply] = (WHY.get(verdict, verdict), int(stages or 0))
    return found


def compare(ours, file):
    with open(file) as lines:
        records = map(json.loads, lines)
        theirs = {(record["game"], record["ply"]): (record["why"], record["stage"]) for record in records}
    accepted = lambda found: {key for key, (why, _) in found.items() if why.startswith("ACCEPT")}
    both = ours.keys() & theirs.keys()
    print(f"candidates: {len(ours)} here, {len(theirs)} there, {len(both)} in both")
    print(f"puzzles: {len(accepted(ours))} here, {len(accepted(theirs))} there, {len(accepted(ours) & accepted(theirs))} in both")
    print(f"with the same verdict: {sum(ours[key][0] == theirs[key][0] for key in both)} of {len(both)}")
    print(f"{'verdict':16}{'here':>6}{'there':>6}")
    count = lambda found, name: sum(why == name for why, _ in found.values())
    for name in sorted({why for found in (ours, theirs) for why, _ in found.values()}):
        print(f"{name:16}{count(ours, name):6}{count(theirs, name):6}")
    for key in sorted(ours.keys() | theirs.keys()):
        here, there = (found.get(key, ("no candidate", 0)) for found in (ours, theirs))
        if here[0] != there[0]:
            print(f"game {key[0]}, ply {key[1]}: here {here[0]} ({here[1]} stages), there {there[0]} ({there[1]} stages)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("centipawn")
    parser.add_argument("games")
    parser.add_argument("--rules", default="classic,lichess,centipawn")
    parser.add_argument("--effort", default="0.1")
    parser.add_argument("--golden")
    own, more = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, more = own[:at], own[at + 1 :]
    arguments = parser.parse_args(own)
    arguments.more = more
    for rules in arguments.rules.split(","):
        lines, seconds = mine(arguments, rules)
        print(f"{rules}: {seconds:.0f} CPU seconds")
        print("\n".join(f"  {line}" for line in lines if not CANDIDATE.search(line)))
        if rules == "classic" and arguments.golden:
            compare(candidates(lines), arguments.golden)


main()
