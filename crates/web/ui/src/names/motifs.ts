// Generated from the words of centipawn-review; UPDATE_LABELS=1 in the tests writes it.
export type Motif =
  | "hanging piece"
  | "capture"
  | "recapture"
  | "other capture"
  | "fork"
  | "pin"
  | "skewer"
  | "discovered attack"
  | "double check"
  | "removed defender"
  | "trapped piece"
  | "intermezzo"
  | "promotion"
  | "back rank"
  | "smothered mate"
  | "perpetual check"
  | "draw by repetition"
  | "stalemate"
  | "fifty-move rule"
  | "overlooked threat"
  | "prevention"
  | "attack"
  | "new threat"
  | "queen trade"
  | "pawn ending"
  | "castling"
  | "pawn break"
  | "development"
  | "move order";

/** English, German. */
export const motifs: Record<Motif, [english: string, german: string]> = {
  "hanging piece": ["an undefended piece to take", "eine ungedeckte Figur zu schlagen"],
  "capture": ["an exchange that wins material", "einen Abtausch, der Material gewinnt"],
  "recapture": ["a recapture", "ein Zurückschlagen"],
  "other capture": ["a capture with another piece", "ein Schlagen mit einer anderen Figur"],
  "fork": ["a fork", "eine Gabel"],
  "pin": ["a pin that wins material", "eine Fesselung, die Material gewinnt"],
  "skewer": ["a skewer", "einen Spieß"],
  "discovered attack": ["a discovered attack", "einen Abzug"],
  "double check": ["a double check", "ein Doppelschach"],
  "removed defender": ["a defender to take", "eine Deckung wegzuschlagen"],
  "trapped piece": ["a piece to trap", "eine Figur zu fangen"],
  "intermezzo": ["an in-between move", "einen Zwischenzug"],
  "promotion": ["a pawn that promotes", "einen Bauern, der umwandelt"],
  "back rank": ["a mate on the back rank", "ein Matt auf der Grundreihe"],
  "smothered mate": ["a smothered mate", "ein ersticktes Matt"],
  "perpetual check": ["a perpetual check", "ein Dauerschach"],
  "draw by repetition": ["a draw by repetition", "ein Remis durch Stellungswiederholung"],
  "stalemate": ["a stalemate", "ein Patt"],
  "fifty-move rule": ["a draw by the fifty-move rule", "ein Remis nach der 50-Züge-Regel"],
  "overlooked threat": ["a threat to meet", "eine Drohung abzuwehren"],
  "prevention": ["a move of the opponent's to prevent", "einen Zug des Gegners zu verhindern"],
  "attack": ["an attack on a piece to avoid", "einen Angriff auf eine Figur zu vermeiden"],
  "new threat": ["a move that threatens something", "einen Zug mit einer Drohung"],
  "queen trade": ["an exchange of queens", "einen Damentausch"],
  "pawn ending": ["an exchange into a pawn ending", "einen Abtausch ins Bauernendspiel"],
  "castling": ["castling", "eine Rochade"],
  "pawn break": ["a pawn break", "einen Bauernvorstoß"],
  "development": ["a piece to develop", "eine Figur zu entwickeln"],
  "move order": ["a better order of moves", "eine bessere Zugfolge"],
};
