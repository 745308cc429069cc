// Arrows for the moves that humans play. Their width and their label show the probability in
// percent.
import type { DrawShape } from "@lichess-org/chessground/draw";
import type { EaseLevel } from "../types";
import type { Key } from "./position";

/** Moves that are less likely get no arrow. */
const LEAST = 0.04;
const MOST = 5;
/** The least expected score that an inaccuracy and a mistake lose. */
const [INACCURATE, BAD] = [0.05, 0.1];

export function humanArrows(level: EaseLevel): DrawShape[] {
  const likely = level.moves.filter((move) => move.p >= LEAST).slice(0, MOST);
  // Draw the most likely move last, so that it lies above the others.
  return likely.reverse().map((move) => ({
    orig: move.uci.slice(0, 2) as Key,
    dest: move.uci.slice(2, 4) as Key,
    brush: move.score_loss >= BAD ? "red" : move.score_loss >= INACCURATE ? "yellow" : "green",
    modifiers: { lineWidth: 3 + Math.round(14 * move.p) },
    label: { text: `${Math.round(100 * move.p)}` },
  }));
}
