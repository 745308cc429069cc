// Generated from the words of centipawn-review; UPDATE_LABELS=1 in the tests writes it.
export type Letter =
  | "N"
  | "B"
  | "R"
  | "Q"
  | "K";

/** English, German. */
export const letters: Record<Letter, [english: string, german: string]> = {
  "N": ["N", "S"],
  "B": ["B", "L"],
  "R": ["R", "T"],
  "Q": ["Q", "D"],
  "K": ["K", "K"],
};
