// Generated from the words of centipawn-review; UPDATE_LABELS=1 in the tests writes it.
export type Piece =
  | "pawn"
  | "knight"
  | "bishop"
  | "rook"
  | "queen"
  | "king";

/** English, German. */
export const pieces: Record<Piece, [english: string, german: string]> = {
  "pawn": ["pawn", "Bauer"],
  "knight": ["knight", "Springer"],
  "bishop": ["bishop", "Läufer"],
  "rook": ["rook", "Turm"],
  "queen": ["queen", "Dame"],
  "king": ["king", "König"],
};
