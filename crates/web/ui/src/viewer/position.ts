// Positions and legal moves for the board. No code here judges moves.
import { Chess, normalizeMove } from "chessops/chess";
import { chessgroundDests } from "chessops/compat";
import { INITIAL_FEN, makeFen, parseFen } from "chessops/fen";
import { makeSanAndPlay, parseSan } from "chessops/san";
import type { Move, NormalMove, Role, Square } from "chessops/types";
import { makeSquare, makeUci, parseUci, squareFile } from "chessops/util";

export type Key = `${"a" | "b" | "c" | "d" | "e" | "f" | "g" | "h"}${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`;

export interface At {
  chess: Chess;
  fen: string;
  /** The squares of the move that led to this position. */
  last: Key[] | undefined;
}

export function start(fen: string): At {
  const setup = parseFen(fen || INITIAL_FEN).unwrap(
    (setup) => setup,
    () => parseFen(INITIAL_FEN).unwrap(),
  );
  const chess = Chess.fromSetup(setup).unwrap(
    (chess) => chess,
    () => Chess.default(),
  );
  return { chess, fen: makeFen(chess.toSetup()), last: undefined };
}

/** The squares that are marked for a move. For castling, those of the king. */
export function squares(chess: Chess, move: Move): Key[] {
  if (!("from" in move)) return [];
  const normal = normalizeMove(chess, move) as NormalMove;
  const castles = chess.board.get(normal.from)?.role === "king" && chess.board[chess.turn].has(normal.to);
  if (!castles) return [makeSquare(move.from), makeSquare(move.to)] as Key[];
  return [makeSquare(move.from), makeSquare(kingTo(normal))] as Key[];
}

function kingTo(castling: NormalMove): Square {
  const rank = castling.from & ~7;
  return rank + (squareFile(castling.to) > squareFile(castling.from) ? 6 : 2);
}

/** The position after a move in UCI notation; `null` if the move is illegal. */
export function after(at: At, uci: string): { at: At; san: string } | null {
  const move = parseUci(uci);
  if (!move || !at.chess.isLegal(normalizeMove(at.chess, move))) return null;
  const chess = at.chess.clone() as Chess;
  const last = squares(chess, move);
  const san = makeSanAndPlay(chess, normalizeMove(chess, move));
  return { at: { chess, fen: makeFen(chess.toSetup()), last }, san };
}

/** A move on the board in UCI notation, as the server writes it. */
export function uciOf(chess: Chess, from: Key, to: Key, chess960: boolean, promotion?: Role): string {
  const move = parseUci(from + to) as NormalMove;
  const normal = normalizeMove(chess, { ...move, promotion }) as NormalMove;
  const castles = chess.board.get(normal.from)?.role === "king" && chess.board[chess.turn].has(normal.to);
  if (castles && !chess960) return makeUci({ from: normal.from, to: kingTo(normal) });
  return makeUci(normal);
}

export function isPromotion(chess: Chess, from: Key, to: Key): boolean {
  const move = parseUci(from + to) as NormalMove;
  return chess.board.get(move.from)?.role === "pawn" && (to[1] === "8" || to[1] === "1");
}

export const dests = (chess: Chess, chess960: boolean) => chessgroundDests(chess, { chess960 }) as Map<Key, Key[]>;

/**
 * Converts a German piece letter to the English one. No German letter means another piece in
 * English.
 */
const english = (letter: string) => "QRBN"["DTLS".indexOf(letter.toUpperCase())]!;

/**
 * Parses a move that the user typed: SAN with English or German letters in upper or lower case,
 * castling with letters or zeros, or UCI. Returns UCI.
 */
export function moveOf(chess: Chess, text: string, chess960: boolean): string | null {
  const castling = (letters: string) => letters.replace(/[o0]/g, "O");
  const typed = text.trim().replace(/^[DTLS]|(?<==)[DTLSdtls]/g, english).replace(/^[oO0](-[oO0]){1,2}(?=[+#]?$)/, castling);
  const uci = (move: Move | undefined) =>
    move && "from" in move ? uciOf(chess, makeSquare(move.from) as Key, makeSquare(move.to) as Key, chess960, move.promotion) : null;
  const bySan = (san: string) => uci(parseSan(chess, san));
  const named = parseUci(typed.toLowerCase());
  const isLegal = named && "from" in named && chess.isLegal(normalizeMove(chess, named));
  // A small d can be a file or the German queen. It is the file if that is a legal move, as in
  // `dxe5` and `d1d4`.
  return (
    bySan(typed) ??
    bySan(typed.charAt(0).toUpperCase() + typed.slice(1)) ??
    (isLegal ? uci(named) : bySan(typed.replace(/^[dtls]/, english)))
  );
}

/** All positions of a line, up to the first illegal move. */
export function positions(fen: string, moves: string[]): At[] {
  const all = [start(fen)];
  for (const uci of moves) {
    const next = after(all[all.length - 1]!, uci);
    if (!next) break;
    all.push(next.at);
  }
  return all;
}
