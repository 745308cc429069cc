// The words of the room “Me”, and the names of groups.
import { phases } from "../names/phases";
import type { ProfileGroup } from "../types";
import { number, w, wordsOf, type Words } from "../words";

/** A heading as part of a sentence: German nouns keep their capital letter. */
const inSentence = ([english, german]: Words): Words => [english.toLowerCase(), german];

export const t = wordsOf({
  title: ["Where {0} loses points", "Wo {0} Punkte verliert"],
  who: ["Whose games are these?", "Wessen Partien sind das?"],
  whoText: ["Write the name as in the games. It stays in this browser.", "Schreibe den Namen wie in den Partien. Er bleibt in diesem Browser."],
  show: ["Show", "Zeigen"],
  other: ["Another player", "Anderer Spieler"],
  none: ["No reviewed game of {0} is in the store.", "Von {0} ist keine analysierte Partie gespeichert."],
  near: ["Did you mean", "Meintest du"],
  reviewSome: ["Review some of the games", "Einige der Partien analysieren"],
  facts: ["{0} reviewed game|{0} reviewed games", "{0} analysierte Partie|{0} analysierte Partien"],
  rating: ["mean rating {0}", "mittlere Wertung {0}"],
  scored: ["scored {0} %", "{0} % geholt"],
  doing: ["How am I doing?", "Wie stehe ich da?"],
  costs: ["What costs me more than others?", "Was kostet mich mehr als andere?"],
  now: ["What shall I do now?", "Was soll ich jetzt tun?"],
  nothingToDo: ["Review more games by an engine; then your mistakes can be practised here.", "Analysiere mehr Partien mit einer Engine; dann lassen sich deine Fehler hier üben."],
  allDone: ["That is all for today. New games bring new lessons.", "Das ist alles für heute. Neue Partien bringen neue Lektionen."],
  doneUntil: ["practised, again on {0}", "geübt, wieder am {0}"],
  goOn: ["Go on with the lesson ({0} of {1})", "Weiter mit der Lektion ({0} von {1})"],
  you: ["you", "du"],
  yourLevel: ["players of your level", "Spieler deiner Stärke"],
  atStart: ["usual", "üblich"],
  certain: ["likely range (95 %)", "wahrscheinlicher Bereich (95 %)"],
  gamesOf: ["games {0}", "Partien {0}"],
  lostShort: ["{0} lost", "{0} verloren"],
  lossAxis: ["points lost a game", "Verlust je Partie"],
  graph: ["Points lost a game over time", "Punkteverlust je Partie im Lauf der Zeit"],
  graphPoint: ["{0}: {1} in {2} games, your level {3}", "{0}: {1} in {2} Partien, deine Stärke {3}"],
  graphPointAlone: ["{0}: {1} in {2} games", "{0}: {1} in {2} Partien"],
  row: ["you {0}, your level {1}, in {2} games", "du {0}, deine Stärke {1}, in {2} Partien"],
  practiseThis: ["Practise this", "Das üben"],
  firstPosition: ["The first position: {0} to move", "Die erste Stellung: {0} am Zug"],
  more_: ["In detail", "Im Einzelnen"],
  point: ["Points are expected score: a win is 1 point.", "Punkte sind erwartete Punkte: ein Sieg ist 1 Punkt."],
  estimate: ["about {0} a game, your level {1}", "etwa {0} je Partie, deine Stärke {1}"],
  estimateText: [
    "80 % interval {0} to {1}. Your own games count {2} %, the rest comes from players of your level.",
    "80-%-Intervall {0} bis {1}. Deine eigenen Partien zählen {2} %, der Rest stammt von Spielern deiner Stärke.",
  ],
  causes: ["Causes", "Gründe"],
  color: ["Colour", "Farbe"],
  phase: ["Phase", "Phase"],
  clock: ["Clock", "Uhr"],
  ease: ["How hard to find", "Wie schwer zu finden"],
  easy: ["easy: at least 80 % of players of your level find a good move", "leicht: mindestens 80 % der Spieler deiner Stärke finden einen guten Zug"],
  middling: ["medium: 50 to 80 % find a good move", "mittel: 50 bis 80 % finden einen guten Zug"],
  hard: ["hard: fewer than half find a good move", "schwer: weniger als die Hälfte findet einen guten Zug"],
  searchError: ["Longer searches would change the points lost per game by about ±{0}.", "Längere Suchen würden den Verlust je Partie um etwa ±{0} ändern."],
  "time class": ["Time control", "Bedenkzeit"],
  opponent: ["Opponent", "Gegner"],
  opening: ["Opening", "Eröffnung"],
  ending: ["Ending", "Endspiel"],
  month: ["Month", "Monat"],
  middlegame: inSentence(phases.middlegame),
  endgame: inSentence(phases.endgame),
  openingPhase: inSentence(phases.opening),
  enough: ["a tenth of the time or more", "ein Zehntel der Zeit oder mehr"],
  short: ["less than a tenth of the time", "weniger als ein Zehntel der Zeit"],
  weaker: ["weaker by more than 100", "um über 100 schwächer"],
  equal: ["within 100", "bis 100 Unterschied"],
  stronger: ["stronger by more than 100", "um über 100 stärker"],
  pawns: ["pawns", "Bauern"],
  rooks: ["rooks", "Türme"],
  queens: ["queens", "Damen"],
  "minor pieces": ["bishops and knights", "Läufer und Springer"],
  mixed: ["different pieces", "verschiedene Figuren"],
  noEnding: ["ended before", "vorher zu Ende"],
  otherOpenings: ["other openings", "andere Eröffnungen"],
  games: ["Games", "Partien"],
  score: ["Score", "Ergebnis"],
  after: ["After the opening", "Nach der Eröffnung"],
  lost: ["Lost per game", "Verlust je Partie"],
  level: ["Against your level", "Gegen deine Stärke"],
  more: ["{0} more", "{0} mehr"],
  less: ["{0} less", "{0} weniger"],
  same: ["as much", "gleich viel"],
  explain: [
    "In brackets: 95 % intervals, from five games on. “Against your level” compares with what players of your rating lose in the same positions, by the policy network; it is in bold where the interval excludes zero. Openings count only moves of the opening phase, and “After the opening” is the expected score at its end.",
    "In Klammern: 95-%-Intervalle, ab fünf Partien. „Gegen deine Stärke“ vergleicht mit dem, was Spieler deiner Wertung in denselben Stellungen verlieren, nach dem Netz; fett, wo das Intervall die Null ausschließt. Bei Eröffnungen zählen nur Züge der Eröffnungsphase; „Nach der Eröffnung“ sind die erwarteten Punkte an ihrem Ende.",
  ],
  moments: ["The costliest moves", "Die teuersten Züge"],
  listed: ["These games", "Diese Partien"],
});

/**
 * The name of a group in the page's language. Openings, time controls and months have the same name
 * in all languages.
 */
export function label(kind: string, { name, color }: ProfileGroup): string {
  if (kind === "color") return w(name as "white");
  if (kind === "phase") return t(name === "opening" ? "openingPhase" : (name as "endgame"));
  if (kind === "clock" || kind === "opponent" || kind === "ease") return t(name as "short");
  if (kind === "ending") return t(name === "none" ? "noEnding" : (name as "rooks"));
  if (kind === "opening") return name === "other" ? t("otherOpenings") : `${name} (${w(color as "white")})`;
  return name;
}

/** Points with at least two digits that are not zero: `0.43`, `0.021`, `0.0042`. */
export const points = (value: number): string => number(value, value >= 0.0995 || value < 0.00005 ? 2 : value >= 0.00995 ? 3 : 4);

export const percent = (share: number): string => `${number(100 * share, 0)} %`;
