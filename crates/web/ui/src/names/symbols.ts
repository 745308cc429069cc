// Generated from the words of centipawn-review; UPDATE_LABELS=1 in the tests writes it.
export type MoveSymbol =
  | "!!"
  | "!"
  | "!?"
  | "?!"
  | "?"
  | "??";

/** English, German. */
export const symbols: Record<MoveSymbol, [english: string, german: string]> = {
  "!!": ["brilliant", "brillant"],
  "!": ["good", "gut"],
  "!?": ["interesting", "interessant"],
  "?!": ["dubious", "zweifelhaft"],
  "?": ["mistake", "Fehler"],
  "??": ["blunder", "grober Fehler"],
};
