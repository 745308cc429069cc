// Finds refutations of wrong moves and shows them on the board.
import { api, Refusal } from "../api";
import { after, type At } from "./position";
import type { Lines } from "../types";

/** Nodes for the search of a refutation. */
const NODES = 30_000;
/** Number of half-moves of the line that are shown. */
const PLIES = 3;
/** Milliseconds that each move of a refutation stays on the board. */
const STEP = 700;
/** Milliseconds that its last position stays on the board. */
const LOOK = 1400;

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/**
 * The beginning of the engine's best line after a wrong move; `null` if there is no engine or the
 * game has ended.
 */
export async function refutation(path: { fen: string; chess960: boolean; moves: string[] }): Promise<Lines["lines"][number] | null> {
  try {
    const { lines } = await api.lines({ ...path, nodes: NODES, lines: 1 });
    const line = lines[0];
    return line?.uci[0] ? { ...line, uci: line.uci.slice(0, PLIES), san: line.san.slice(0, PLIES) } : null;
  } catch (error) {
    // Without an engine the move is still wrong, only without a refutation.
    if (!(error instanceof Refusal)) throw error;
    return null;
  }
}

/**
 * Plays a line move by move and then shows its last position. Stops as soon as `isOver` returns
 * true.
 */
export async function playOut(from: At, line: string[], show: (at: At) => void, isOver: () => boolean): Promise<void> {
  let at = from;
  for (const uci of line) {
    const next = after(at, uci);
    if (!next) break;
    await pause(STEP);
    if (isOver()) return;
    at = next.at;
    show(at);
  }
  await pause(LOOK);
}
