// Generated from the words of centipawn-review; UPDATE_LABELS=1 in the tests writes it.
export type Phase =
  | "opening"
  | "middlegame"
  | "endgame";

/** English, German. */
export const phases: Record<Phase, [english: string, german: string]> = {
  "opening": ["Opening", "Eröffnung"],
  "middlegame": ["Middlegame", "Mittelspiel"],
  "endgame": ["Endgame", "Endspiel"],
};
