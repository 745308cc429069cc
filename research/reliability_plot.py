"""Draws `docs/people-pools.svg`: what a human curve predicts, beside what people scored, by pool.

Usage: reliability_plot.py CHECK.json > docs/people-pools.svg

CHECK.json comes from `wdl human --check TABLE --curve CURVE --json`; no game of the table may have been used for the curve. Each point is
a cell of rating, time class and material with at least 20 games; the bars are one standard error by game. The script also prints, to
standard error, how many cells lie within two errors.
"""

import json
import sys

NAMES = {"lichess": "Lichess", "chesscom": "Chess.com", "fide": "FIDE, at the board", "fide-online": "FIDE online", "fics": "FICS"}
COLOURS = {"bullet": "#7b3294", "blitz": "#c2562c", "rapid": "#1b7837", "classical": "#2166ac"}
LEAST_GAMES = 20
SIDE, GAP, LEFT, TOP = 210, 56, 52, 34
LOW, HIGH = 0.4, 1.0


def at(value):
    return (min(max(value, LOW), HIGH) - LOW) / (HIGH - LOW) * SIDE


def panel(pool, x, y):
    cells = [cell for cell in pool["reliability"] if cell["games"] >= LEAST_GAMES and cell["error"] > 0]
    out = [f'<g transform="translate({x} {y})">']
    out.append(f'<text x="0" y="-10" font-weight="600">{NAMES[pool["pool"]]}, {pool["games"]:,} games</text>')
    out.append(f'<rect width="{SIDE}" height="{SIDE}" fill="none" stroke="#bbb"/>')
    out.append(f'<line x1="0" y1="{SIDE}" x2="{SIDE}" y2="0" stroke="#bbb"/>')
    for tick in (0.4, 0.6, 0.8, 1.0):
        out.append(f'<text x="{at(tick):.1f}" y="{SIDE + 15}" text-anchor="middle">{tick:.1f}</text>')
        out.append(f'<text x="-6" y="{SIDE - at(tick) + 4:.1f}" text-anchor="end">{tick:.1f}</text>')
    for cell in cells:
        colour = COLOURS[cell["time"]]
        px, low, high = at(cell["predicted"]), at(cell["score"] - cell["error"]), at(cell["score"] + cell["error"])
        out.append(f'<line x1="{px:.1f}" x2="{px:.1f}" y1="{SIDE - low:.1f}" y2="{SIDE - high:.1f}" stroke="{colour}" opacity="0.4"/>')
        out.append(f'<circle cx="{px:.1f}" cy="{SIDE - at(cell["score"]):.1f}" r="2.6" fill="{colour}"/>')
    out.append("</g>")
    within = sum(abs(cell["predicted"] - cell["score"]) <= 2 * cell["error"] for cell in cells)
    print(f'{pool["pool"]}: {within} of {len(cells)} cells within two errors', file=sys.stderr)
    return "\n".join(out)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        pools = [pool for pool in json.load(file)["result"]["by_pool"] if pool["pool"] in NAMES]
    columns = 2
    rows = -(-len(pools) // columns)
    width, height = LEFT + columns * (SIDE + GAP), TOP + rows * (SIDE + GAP)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" fill="#222">')
    print(f'<rect width="{width}" height="{height}" fill="#fff"/>')
    for index, pool in enumerate(pools):
        print(panel(pool, LEFT + index % columns * (SIDE + GAP), TOP + index // columns * (SIDE + GAP)))
    x = LEFT
    for name, colour in COLOURS.items():
        print(f'<circle cx="{x}" cy="{height - 14}" r="3" fill="{colour}"/><text x="{x + 8}" y="{height - 10}">{name}</text>')
        x += 76
    print(f'<text x="{width - 10}" y="{height - 10}" text-anchor="end">across: predicted score, up: score</text>')
    print("</svg>")


if __name__ == "__main__":
    main()
