// Positions and moves, as the board needs them. Nothing here judges.
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
  /** From and to of the move that led here. */
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

/** The squares to mark for a move; for castling, the king's way. */
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

/** The position after a move in UCI notation; `null` if it is not legal. */
export function after(at: At, uci: string): { at: At; san: string } | null {
  const move = parseUci(uci);
  if (!move || !at.chess.isLegal(normalizeMove(at.chess, move))) return null;
  const chess = at.chess.clone() as Chess;
  const last = squares(chess, move);
  const san = makeSanAndPlay(chess, normalizeMove(chess, move));
  return { at: { chess, fen: makeFen(chess.toSetup()), last }, san };
}

/** A move of the board in UCI notation as the server writes it. */
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

/** A German letter of a piece as the English one; none of them stands for another piece in English. */
const english = (letter: string) => "QRBN"["DTLS".indexOf(letter.toUpperCase())]!;

/** A move from text that the user typed: SAN, in any case of the piece's letter and with zeros for castling, or UCI. */
export function moveOf(chess: Chess, text: string, chess960: boolean): string | null {
  const castling = (letters: string) => letters.replace(/[o0]/g, "O");
  const typed = text.trim().replace(/^[DTLS]|(?<==)[DTLSdtls]/g, english).replace(/^[oO0](-[oO0]){1,2}(?=[+#]?$)/, castling);
  const uci = (move: Move | undefined) =>
    move && "from" in move ? uciOf(chess, makeSquare(move.from) as Key, makeSquare(move.to) as Key, chess960, move.promotion) : null;
  const bySan = (san: string) => uci(parseSan(chess, san));
  const named = parseUci(typed.toLowerCase());
  const isLegal = named && "from" in named && chess.isLegal(normalizeMove(chess, named));
  // The small d is a file first: `dxe5` and `d1d4` are no moves of the queen if they are others.
  return (
    bySan(typed) ??
    bySan(typed.charAt(0).toUpperCase() + typed.slice(1)) ??
    (isLegal ? uci(named) : bySan(typed.replace(/^[dtls]/, english)))
  );
}

/** All positions of a line; it ends before a move that is not legal. */
export function positions(fen: string, moves: string[]): At[] {
  const all = [start(fen)];
  for (const uci of moves) {
    const next = after(all[all.length - 1]!, uci);
    if (!next) break;
    all.push(next.at);
  }
  return all;
}
