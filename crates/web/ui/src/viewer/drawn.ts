// Arrows and circles in the annotations of the game, for the position on the board.
import { signal } from "@preact/signals";
import type { DrawShape } from "@lichess-org/chessground/draw";
import type { Note } from "../types";
import type { Key } from "./position";

const NONE = { fen: "", shapes: [] as DrawShape[] };

export const drawn = signal(NONE);

const BRUSHES: Record<string, string> = { G: "green", R: "red", Y: "yellow", B: "blue" };

/** `Ge2e4` is a green arrow, `Rd4` a red circle. */
const shape = (text: string): DrawShape => ({
  brush: BRUSHES[text[0]!]!,
  orig: text.slice(1, 3) as Key,
  dest: (text.slice(3) || undefined) as Key | undefined,
});

export function draw(fen?: string, note?: Note): void {
  drawn.value = fen && note?.shapes ? { fen, shapes: note.shapes.map(shape) } : NONE;
}
