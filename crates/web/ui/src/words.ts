// The words of all rooms. A room that is loaded later has its own words.
import * as labels from "./labels";
import { letters, type Letter } from "./names/letters";
import { phases } from "./names/phases";
import { pieces, type Piece } from "./names/pieces";
import { symbols, type MoveSymbol } from "./names/symbols";
import { signal } from "@preact/signals";
import type { Eval } from "./types";

export type Words = [english: string, german: string];

const TABLE = {
  review: ["Review", "Analyse"],
  me: ["Me", "Ich"],
  form: ["Form", "Formular"],
  curves: ["Calibration", "Kalibrierung"],
  ease: labels.ease_heading,
  puzzles: ["Puzzles", "Aufgaben"],
  engines: ["Engines", "Engines"],
  browser: ["This browser", "Dieser Browser"],
  skip: ["Skip to the content", "Zum Inhalt springen"],
  endSession: ["Log out", "Abmelden"],
  games: labels.games,
  choose: ["Choose a file", "Datei wählen"],
  problems: ["Not read", "Nicht gelesen"],
  inLine: ["line", "Zeile"],
  inGame: ["game", "Partie"],
  open: ["Open", "Öffnen"],
  effort: ["Effort", "Aufwand"],
  quick: ["Quick", "Schnell"],
  normal: ["Normal", "Normal"],
  deep: ["Deep", "Gründlich"],
  nodes: ["nodes per move", "Knoten je Zug"],
  lines: ["Lines", "Varianten"],
  waiting: ["Waiting", "Wartet"],
  running: ["Reviewing", "Wird analysiert"],
  interrupted: ["Interrupted", "Unterbrochen"],
  done: ["Reviewed", "Analysiert"],
  cancelled: ["Cancelled", "Abgebrochen"],
  failed: ["Failed", "Fehlgeschlagen"],
  cancel: ["Cancel", "Abbrechen"],
  goOn: ["Continue", "Fortsetzen"],
  again: ["Try again", "Noch einmal versuchen"],
  gone: ["The server does not answer. The page continues by itself as soon as the server is back.", "Der Server antwortet nicht. Die Seite macht von selbst weiter, sobald er zurück ist."],
  elsewhere: ["Centipawn is open in another tab, which has your games. Close it to go on here.", "Centipawn ist in einem anderen Tab offen, der deine Partien hat. Schließe ihn, um hier weiterzumachen."],
  secondsLeft: ["about {0} left", "noch etwa {0}"],
  moves: labels.moves,
  moments: ["Moments", "Momente"],
  report: ["Report", "Bericht"],
  why: ["Why", "Warum"],
  board: ["Board", "Brett"],
  startPosition: ["Start position", "Grundstellung"],
  first: ["First position", "Erste Stellung"],
  back: ["Back", "Zurück"],
  forward: ["Forward", "Vor"],
  last: ["Last position", "Letzte Stellung"],
  flip: ["Flip the board", "Brett drehen"],
  nextMoment: ["Next moment", "Nächster Moment"],
  previousMoment: ["Previous moment", "Voriger Moment"],
  keys: ["Keys", "Tasten"],
  moment: ["moment", "Moment"],
  threat: ["Threat", "Drohung"],
  goTo: ["Go to move", "Zu Zug"],
  goToText: ["Type a number: 14, or 14b for Black’s move.", "Tippe eine Nummer: 14, oder 14s für den Zug von Schwarz."],
  howHardMoves: ["How hard was each move to find?", "Wie schwer war jeder Zug zu finden?"],
  howHard: ["How hard is this for humans?", "Wie schwer ist das für Menschen?"],
  close: ["Close", "Schließen"],
  graph: ["Win, draw and loss by move", "Gewinn, Remis und Verlust nach Zügen"],
  win: ["win", "Gewinn"],
  draw: ["draw", "Remis"],
  loss: ["loss", "Verlust"],
  expected: ["expected score", "erwartete Punkte"],
  move: labels.mv,
  positionOnly: ["A position without moves; you can play on from it", "Eine Stellung zum Weiterspielen"],
  movesCount: ["{0} move|{0} moves", "{0} Zug|{0} Züge"],
  white: labels.white,
  black: labels.black,
  player: labels.player,
  accuracy: labels.accuracy,
  accuracyText: ["by Lichess' formula", "nach Lichess' Formel"],
  time: labels.time,
  symbols: ["Symbols", "Symbole"],
  take: ["Download", "Herunterladen"],
  fen: ["Copy FEN", "FEN kopieren"],
  curve: ["Curve", "Kurve"],
  ownCurve: ["The review’s curve", "Die der Analyse"],
  balance: ["Balance", "Balance"],
  scheme: ["Symbols", "Symbole"],
  movesReviewed: ["{0} of {1} moves", "{0} von {1} Zügen"],
  played: ["Played", "Gespielt"],
  best: ["Best", "Am besten"],
  second: ["Next best", "Nächstbester"],
  evaluation: ["Evaluation", "Bewertung"],
  worth: ["Worth", "Wert"],
  gaveAway: ["lost", "verlor"],
  noSymbol: ["no symbol", "kein Symbol"],
  better: ["Better", "Besser"],
  ownMoves: ["Your moves", "Deine Züge"],
  judging: ["judging …", "wird beurteilt …"],
  remove: ["Remove", "Entfernen"],
  stopEngine: ["Stop the engine", "Engine anhalten"],
  startEngine: ["Start the engine", "Engine starten"],
  depth: ["depth", "Tiefe"],
  practise: ["Practise", "Üben"],
  typeMove: ["Type a move", "Zug eintippen"],
  notLegal: ["is not a legal move here", "ist hier kein legaler Zug"],
  empty_square: ["empty", "leer"],
  lifted: ["picked up", "aufgenommen"],
  takes: ["takes", "schlägt"],
  check: ["check", "Schach"],
  mate: ["checkmate", "matt"],
  castlesShort: ["castles short", "kurze Rochade"],
  castlesLong: ["castles long", "lange Rochade"],
  becomes: ["becomes", "wird"],
  promoteTo: ["Promote to", "Umwandeln in"],
  ...pieces,
  ...phases,
  brilliant: symbols["!!"],
  good: symbols["!"],
  interesting: symbols["!?"],
  dubious: symbols["?!"],
  mistake: symbols["?"],
  blunder: symbols["??"],
  onlyMove: ["only move", "einziger Zug"],
  variation: ["variation", "Variante"],
  annotator: ["The annotator’s symbol", "Zeichen des Kommentators"],
  limits: ["Limits", "Grenzen"],
  letters: ["Letter keys", "Buchstabentasten"],
  theirChances: ["White wins {0} %, draws {1} %, loses {2} %.", "Weiß gewinnt {0} %, remisiert {1} %, verliert {2} %."],
  theirScore: ["White’s expected score is {0}.", "Weiß erwartet {0} Punkte."],
  theseTwo: ["These two players", "Diese beiden Spieler"],
  stands: ["stands with {0} % in a longer search", "gilt mit {0} % auch bei längerer Suche"],
  refutation: ["Refutation", "Widerlegung"],
  theSum: ["The calculation", "Die Rechnung"],
  noReason: ["No reason could be proven within a few moves; the engine prefers {0}.", "Ein Grund in wenigen Zügen ist nicht bewiesen; die Engine zieht {0} vor."],
  failedToLoad: ["This cannot be shown.", "Das kann nicht gezeigt werden."],
  noRoom: ["There is no such page", "Diese Seite gibt es nicht"],
  toGames: ["To the games", "Zu den Partien"],
  wait: ["One moment …", "Einen Moment …"],
} satisfies Record<string, Words>;

export type Word = keyof typeof TABLE;

const LANGUAGES = ["en", "de"];

export const language = signal("en");

export function setLanguage(code: string): void {
  language.value = LANGUAGES.includes(code) ? code : "en";
  document.documentElement.lang = language.value;
}

/**
 * Returns a function that gives the words of a table in the page's language. Values replace `{0}`,
 * `{1}` and so on. If `|` separates two forms, the first is used if the value of `{0}` is 1.
 */
export const wordsOf =
  <T extends string>(table: Record<T, Words>) =>
  (word: T, ...values: (string | number)[]): string => {
    const [one, many] = (table[word][LANGUAGES.indexOf(language.value)] ?? table[word][0]).split("|");
    const text = (String(values[0]) === "1" ? one : (many ?? one))!;
    return values.reduce<string>((text, value, index) => text.replace(`{${index}}`, () => String(value)), text);
  };

/** A word of all rooms. */
export const w = wordsOf<Word>(TABLE);

/**
 * The words of a name that the server sent. `undefined` if the table lacks the name: puzzle files,
 * for example, may contain themes of other programs.
 */
export const nameIn = <T extends string>(table: Record<T, Words>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name as T][language.value === "de" ? 1 : 0] : undefined;

/** A number with this many decimals, and with a minus sign instead of a hyphen. */
export function number(value: number, decimals: number): string {
  const text = value.toLocaleString(language.value, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return text.replace(/^-(?=0[.,]?0*$)/, "").replace("-", "−");
}

/** Half-moves as a number of moves: 33 half-moves are 17 moves, the last one without Black's. */
export const wholeMoves = (halfMoves: number): string => number(Math.ceil(halfMoves / 2), 0);

/** Seconds as `1:59` or `1:30:00`, rounded down. */
export const clockText = (seconds: number): string => {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
};

/** The limit of a search in words: `1,000,000 nodes per move`, `depth 20`. */
export function searchLimit(limit: string): string {
  const nodes = /^(\d+) nodes$/.exec(limit)?.[1];
  return nodes ? `${number(Number(nodes), 0)} ${w("nodes")}` : limit.replace(/^depth /, `${w("depth")} `);
}

/**
 * Text from a file, for places that cannot contain `<bdi>`, such as titles. Right-to-left text is
 * isolated, so that it does not reorder the text around it.
 */
export function isolated(text: string): string {
  const plain = text.replace(/\p{Bidi_C}/gu, "");
  return /[\u0590-\u08ff\ufb1d-\ufefc]/.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** Moves in SAN with the letters of pieces in the page's language: `Nxe4` is `Sxe4` in German. */
export const notation = (san: string): string => (language.value === "de" ? san.replace(/(?<==)[QRBN]|[QRBN](?=[a-h1-8x])/g, (letter) => letters[letter as Letter][1]) : san);

/** Number of half-moves before a position, from the move number in its FEN. */
export function halfMoves(fen: string): number {
  const [, turn, , , , number] = fen.split(" ");
  return 2 * (Number(number ?? 1) - 1) + (turn === "b" ? 1 : 0);
}

/**
 * A move of a line with its number, `12. Be3`. A move of Black has a number only at the beginning of
 * the line, `11... Qb6`. `half` is the number of half-moves before the move.
 */
export const numbered = (half: number, san: string, isFirst: boolean): string =>
  `${half % 2 === 0 ? `${half / 2 + 1}. ` : isFirst ? `${(half + 1) / 2}... ` : ""}${notation(san)}`;

/** A line as text. */
export const lineText = (half: number, san: string[]): string => san.map((move, index) => numbered(half + index, move, index === 0)).join(" ");

/** An evaluation with its sign: `+1.87`, `#−3`. */
export function evalText(eval_: Eval | null): string {
  if (!eval_) return "#";
  if ("mate" in eval_) return `#${number(eval_.mate, 0)}`;
  const text = number(eval_.cp / 100, 2);
  return eval_.cp > 0 ? `+${text}` : text;
}

/** Pawns with their sign. */
export const pawnsText = (pawns: number): string => (pawns > 0 ? "+" : "") + number(pawns, 2);

/** A limit in pawns with its sign, rounded to the side on which the symbol applies. */
export const limitText = (pawns: number, isUp: boolean): string =>
  // Ignore rounding errors of a limit that is a multiple of 0.01.
  pawnsText((isUp ? Math.ceil(100 * pawns - 1e-6) : Math.floor(100 * pawns + 1e-6)) / 100);

const SIGNS: Record<string, string> = { "+/-": "±", "-/+": "∓", "+-": "+−", "-+": "−+", "++-": "++−", "--+": "−−+", "+=": "+/=", "=+": "=/+" };

/** The symbol of a position, in characters that common fonts have. */
export const positionSign = (ascii: string): string => SIGNS[ascii] ?? ascii;

const RARE: Record<string, string> = { "⩲": "+/=", "⩱": "=/+", "⨀": "⊙", "⨁": "⊕", "⯹": "=/∞" };

/**
 * Text of annotators whose symbols are replaced by characters that common fonts have. A space
 * separates them from a move, because `+` directly after it would mean check.
 */
export const printable = (text: string): string =>
  text.replace(/(\S?)([⩲⩱⨀⨁⯹])/gu, (_, before: string, sign: string) => `${before}${before && "\u00a0"}${RARE[sign]}`);

const SYMBOLS: Record<MoveSymbol, Word> = {
  "!!": "brilliant",
  "!": "good",
  "!?": "interesting",
  "?!": "dubious",
  "?": "mistake",
  "??": "blunder",
};

/** The symbols of moves, the best first. */
export const MOVE_SYMBOLS = Object.keys(symbols) as MoveSymbol[];

/** Below this probability a symbol is shown as unsure. */
const UNSURE = 0.7;

/** The look of a move's symbol, which is lighter if a longer search may well change it. */
export const symbolLook = (ply: { symbol?: string | null; symbol_probability?: number }): string =>
  `${symbolWord(ply.symbol ?? "")}${(ply.symbol_probability ?? 1) < UNSURE ? " unsure" : ""}`;

/** How likely a longer search gives the same symbol, for a tooltip; `undefined` if it is unknown. */
export const symbolTitle = (ply: { symbol?: string | null; symbol_probability?: number }): string | undefined =>
  ply.symbol && ply.symbol_probability !== undefined
    ? `${ply.symbol} ${w("stands", String(Math.round(100 * ply.symbol_probability)))}`
    : undefined;

/** The class and word of a symbol. */
export const symbolWord = (symbol: string): Word => SYMBOLS[symbol as MoveSymbol] ?? "good";

const LETTERS: Record<Letter, Piece> = { N: "knight", B: "bishop", R: "rook", Q: "queen", K: "king" };

/** A move in words: `queen takes e5, check`. */
export function spoken(san: string): string {
  const end = san.endsWith("#") ? `, ${w("mate")}` : san.endsWith("+") ? `, ${w("check")}` : "";
  const bare = san.replace(/[+#]$/, "");
  if (bare === "O-O") return w("castlesShort") + end;
  if (bare === "O-O-O") return w("castlesLong") + end;
  const [, letter = "", from = "", takes, to = "", promoted] = /^([NBRQK]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(?:=([NBRQ]))?$/.exec(bare) ?? [];
  const parts = [letter ? w(LETTERS[letter as Letter]) : takes ? w("pawn") : "", from, takes ? w("takes") : "", to || bare];
  const becomes = promoted ? `, ${w("becomes")} ${w(LETTERS[promoted as Letter])}` : "";
  return parts.filter(Boolean).join(" ") + becomes + end;
}
