// Arrows of the moves that people play: as wide as they are likely, with their share in percent.
import type { DrawShape } from "@lichess-org/chessground/draw";
import type { EaseLevel } from "../types";
import type { Key } from "./position";

/** Less likely moves get no arrow. */
const LEAST = 0.04;
const MOST = 5;
/** From these losses on a move is an inaccuracy, a mistake. */
const [INACCURATE, BAD] = [0.05, 0.1];

export function humanArrows(level: EaseLevel): DrawShape[] {
  const likely = level.moves.filter((move) => move.p >= LEAST).slice(0, MOST);
  // The likeliest last: it lies above the others.
  return likely.reverse().map((move) => ({
    orig: move.uci.slice(0, 2) as Key,
    dest: move.uci.slice(2, 4) as Key,
    brush: move.score_loss >= BAD ? "red" : move.score_loss >= INACCURATE ? "yellow" : "green",
    modifiers: { lineWidth: 3 + Math.round(14 * move.p) },
    label: { text: `${Math.round(100 * move.p)}` },
  }));
}
