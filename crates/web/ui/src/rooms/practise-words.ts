// Words of the practice.
import { motifs } from "../names/motifs";
import type { Piece } from "../names/pieces";
import { nameIn, w, wordsOf } from "../words";
import type { Ply } from "../types";
import type { At, Key } from "../viewer/position";

export const t = wordsOf({
  find: ["{0} played {1}. Find a better move.", "{0} spielte {1}. Finde einen besseren Zug."],
  askedAgain: ["Once more", "Noch einmal"],
  first: ["{0} is right, at the first try.", "{0} ist richtig, im ersten Versuch."],
  second: ["{0} is right, at the second try.", "{0} ist richtig, im zweiten Versuch."],
  missed: ["{0} is right. This position will be repeated later.", "{0} ist richtig. Diese Stellung wird später wiederholt."],
  found: ["{0} is right.", "{0} ist richtig."],
  wrong: ["{0} gives away {1} points.", "{0} verschenkt {1} Punkte."],
  refuted: ["Refutation: {0}", "Widerlegung: {0}"],
  noLine: ["No refutation is known.", "Eine Widerlegung ist nicht bekannt."],
  tryAgain: ["Try again", "Noch einmal versuchen"],
  hint: ["Hint", "Tipp"],
  show: ["Show", "Zeigen"],
  next: ["Next", "Weiter"],
  end: ["End", "Ende"],
  startOver: ["Start over", "Von vorn"],
  shown: ["Better: {0}", "Besser: {0}"],
  unknown: ["No better move is known.", "Ein besserer Zug ist nicht bekannt."],
  summary: ["Found at the first try: {0}. At the second: {1}. Not found: {2}.", "Im ersten Versuch gefunden: {0}. Im zweiten: {1}. Nicht gefunden: {2}."],
  foundLater: ["Found when asked again: {0}.", "Beim zweiten Mal gefunden: {0}."],
  theory: ["{0} mistake within known theory is skipped.|{0} mistakes within known theory are skipped.", "{0} Fehler in der bekannten Theorie wird übersprungen.|{0} Fehler in der bekannten Theorie werden übersprungen."],
  nothing: ["There is no mistake to practise.", "Es gibt keinen Fehler zum Üben."],
  missesMate: ["There is mate in {0}.", "Es gibt ein Matt in {0}."],
  missesGain: ["A move wins material.", "Ein Zug gewinnt Material."],
  allowsMate: ["{0} allowed mate in {1}.", "{0} ließ ein Matt in {1} zu."],
  allowsGain: ["{0} lost material.", "{0} verlor Material."],
  misses: ["There is {0}.", "Es gibt {0}."],
  allows: ["After {0} the opponent had {1}.", "Nach {0} hatte der Gegner {1}."],
  lookAt: ["Look at the {0} on {1}.", "Achte auf {1} ({0})."],
  moves: ["Move the {0}.", "Es zieht: {0}."],
  goes: ["The {0} on {1} goes to {2}.", "{0} von {1} geht nach {2}."],
});

/**
 * The first hint, from the reason of the mistake: its motif or gain, and a target other than the king
 * that stands on the board. Empty without a reason.
 */
export function reasonHint({ reason, mover }: Ply, at: At, played: string): string {
  if (!reason) return "";
  const { mate } = reason.gain;
  const motif = nameIn(motifs, reason.motif ?? "");
  if (reason.kind === "misses") return motif ? t("misses", motif) : mate ? t("missesMate", mate) : t("missesGain");
  const allows = motif ? t("allows", played, motif) : mate ? t("allowsMate", played, mate) : t("allowsGain", played);
  const stands = reason.targets.find(({ piece, square }) => {
    const here = pieceOn(at, square);
    return piece !== "king" && here?.role === piece && here.color === mover;
  });
  return stands ? `${allows} ${t("lookAt", w(stands.piece as Piece), stands.square)}` : allows;
}

/** The piece on a square such as `e4`. */
export const pieceOn = (at: At, square: string) => at.chess.board.get(square.charCodeAt(0) - 97 + 8 * (Number(square[1]) - 1));

/** The second hint names the piece that moves, the third one also the squares. */
export function moveHint(at: At, uci: string, hasSquares: boolean): string {
  const [from, to] = [uci.slice(0, 2) as Key, uci.slice(2, 4) as Key];
  const role = w(pieceOn(at, from)?.role ?? "pawn");
  return hasSquares ? t("goes", role, from, to) : t("moves", role);
}
