// What the server sends; crates/web/src/documents.rs and crates/review/src/document.rs.

export type Eval = { cp: number } | { mate: number };

export interface Wdl {
  win: number;
  draw: number;
  loss: number;
}

export interface Problem {
  severity: "warning" | "error";
  source: string | null;
  game: number | null;
  line: number | null;
  text: string;
}

export interface Status {
  centipawn: string;
  engine: string;
  engines: number;
  store: string;
  limit: string;
  curve: string;
  scheme: string;
  language: string;
  curves: string[];
  own_curves: { name: string; has_plots: boolean }[];
  schemes: [string[], string[]];
  most_nodes: number;
  most_lines: number;
}

export type JobState = "waiting" | "running" | "interrupted" | "done" | "cancelled" | "failed";

export interface Job {
  id: number;
  kind: "review" | "mining";
  found: number | null;
  game: number;
  title: string;
  state: JobState;
  done: number;
  total: number;
  problem: string | null;
  limit: string;
  lines: number;
  curve: string;
  scheme: string;
  language: string;
  reuse_evals: boolean;
}

export interface GameRow {
  id: number;
  white: string;
  black: string;
  result: string;
  occasion: string;
  opening: string | null;
  plies: number;
  evaluated: number;
  job: Job | null;
}

export interface Games {
  games: GameRow[];
  problems: Problem[];
}

export interface Moves extends GameRow {
  headers: [string, string][];
  fen: string;
  chess960: boolean;
  san: string[];
  uci: string[];
  notes: Note[];
}

/** What an annotator says about a move. */
export interface Note {
  ply: number;
  symbol: string;
  text: string;
  variations: NoteMove[][];
}

/** A move of a variation, with what is said about it and what could be played instead of it. */
export interface NoteMove extends LineMove {
  text?: string;
  variations?: NoteMove[][];
}

export interface Line {
  eval: Eval;
  depth: number;
  san: string[];
  uci: string[];
}

export interface Ply {
  ply: number;
  move_number: number;
  mover: "white" | "black";
  san: string;
  uci: string;
  fen: string;
  eval: Eval | null;
  eval_played: Eval;
  eval_before: Eval;
  expected_score: number;
  expected_score_best: number;
  wdl: Wdl | null;
  absolute_loss: number | null;
  relevant_loss: number;
  score_loss: number;
  accuracy: number;
  symbol: string | null;
  suppressed: { symbol: string; reason: string } | null;
  only_move: boolean;
  remark: string | null;
  phase: string;
  clock_seconds: number | null;
  time_seconds: number | null;
  position: string;
  lines: Line[];
}

export interface Player {
  name: string;
  moves: number;
  accuracy: number | null;
  relevant_loss: number;
  score_loss: number;
  symbols: Record<string, number>;
  time_seconds: number | null;
  phases: { phase: string; moves: number; score_loss: number }[];
}

export interface Reviewed {
  headers: [string, string][];
  start_fen: string;
  analyst: string | null;
  curve: string;
  scheme: string;
  opening: { eco: string; name: string; plies: number } | null;
  white: Player;
  black: Player;
  critical_moments: number[];
  plies: Ply[];
}

export interface Review {
  limit: string;
  lines: number;
  scheme: string;
  games: [Reviewed];
}

/** A position of a review that was evaluated. */
export interface Point {
  job: number;
  ply: number;
  done: number;
  total: number;
  eval_played: Eval;
  expected_score: number;
  wdl: Wdl | null;
  judged: Ply[];
}

/** `isFirst`: the first connection; earlier events were not received. */
export type ServerEvent = { event: "job"; job: Job } | ({ event: "position" } & Point) | { event: "reload"; isFirst?: boolean };

export interface Worth {
  san: string | null;
  eval: Eval;
  expected_score: number;
}

export interface Why {
  ply: number;
  san: string;
  mover: "white" | "black";
  curve: string;
  points: [number, number][];
  played: Worth;
  best: Worth;
  second: Worth | null;
  compared_with: "best" | "second";
  difference: number;
  possible: number;
  limits: { symbol: string; difference: number; expected_score: number | null; eval_pawns: number | null }[];
  symbol: string | null;
  suppressed: { symbol: string; reason: string } | null;
  remark: string | null;
  analyst: string | null;
  limit: string;
}

export interface Lines {
  engine: string;
  fen: string;
  nodes: number;
  depth: number;
  lines: Line[];
  expected_score_best: number | null;
  wdl: Wdl | null;
}

export interface Judge {
  curve?: string;
  balance?: number;
  scheme?: string;
  language?: string;
}

export interface Symbols {
  side: "white" | "black";
  curve: string;
  balance: number;
  absolute: number | null;
  relevant: number;
  result: { played: number; best: number; second: number | null };
  curves: { played: Record<string, number>; best: Record<string, number>; second: Record<string, number> | null };
  move: Record<string, string>;
  position: Record<string, string>;
  nag: { move: Record<string, number | null>; position: Record<string, number> };
  limits: { move: Record<string, Record<string, number | null>>; position: Record<string, (number | null)[]> };
}

export interface Curve {
  curve: string;
  balance: number;
  points: [number, number][];
  wdl: Wdl[] | null;
  balances: [number, number][];
  score: number | null;
  chances: Wdl | null;
}

export interface People {
  ratings: number[];
  scores: number[][];
}

export interface EaseMove {
  uci: string;
  san: string;
  p: number;
  mover_eval: Eval | null;
  q: number | null;
  score_loss: number;
  share: number;
}

/** How easy a position is for players of one level: a line of `centipawn ease --json`. */
export interface EaseLevel {
  fen: string;
  policy: string;
  level: number;
  ease: number | null;
  meter: { good: number; inaccurate: number; blunder: number; unknown: number };
  trap: string | null;
  history_made_up: number;
  moves: EaseMove[];
}

export interface Ease {
  engine: string;
  limit: string;
  levels: EaseLevel[];
  best: string | null;
  finds: number[];
  found_from: number | null;
  last: string | null;
}

export interface Added {
  added: number;
  known: number;
  problems: Problem[];
}

export interface PuzzlesWanted {
  theme?: string;
  rating?: string;
  origin?: string;
  due?: boolean;
  after?: number;
}

export interface Puzzles {
  total: number;
  due: number;
  untried: number;
  fitting: number;
  next: number | null;
  origins: { name: string; count: number }[];
}

export interface LineMove {
  uci: string;
  san: string;
}

export interface Posed {
  id: number;
  origin: string;
  fen: string;
  first: LineMove;
  solver: "white" | "black";
  moves: number;
  rating: number | null;
  rating_interval: [number, number] | null;
  mistake: string | null;
  attempts: number;
  repetition: { days: number; due: number } | null;
}

export interface Answered {
  result: "wrong" | "right" | "solved";
  san: string;
  instead_of: string | null;
  reply: LineMove | null;
}

export interface Solution {
  line: LineMove[];
  also: string[][];
  game: string | null;
  review: number | null;
  ply: number | null;
  puzzle: {
    id: string;
    themes: string[];
    url?: string;
    openings?: string;
    tree?: { fen: string; answers: { move: string; eval?: Eval; expected?: number }[]; replies?: { move: string; next: number }[]; end?: string }[];
    provenance?: { engine?: { name?: string } };
  };
}

export interface Engines {
  engine: string;
  options: [string, string][];
  processes: number;
  network: string;
  levels: [number, number] | null;
  store: { games: number; reviews: number; evaluations: number; bytes: number | null; engines: { name: string; evaluations: number }[] };
  place: string;
  limits: Record<"nodes" | "depth" | "lines" | "games" | "games_bytes" | "waiting" | "connections", number>;
}
