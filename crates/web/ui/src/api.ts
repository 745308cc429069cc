// Requests to the server. What it refuses becomes a Refusal with its own words.
import { signal } from "@preact/signals";
import { setting } from "./state";
import type { Added, Answered, Curve, Ease, Engines, Games, Job, Judge, Lines, Moves, People, Ply, Posed, Puzzles, PuzzlesWanted, Review, Solution, Status, Symbols, Why } from "./types";

/** Whether the server asks for its token. */
export const isLocked = signal(false);

/** Where the interface is for this session: its cookie is sent only below this path. */
const session = setting<string>("session", "");

/** Whether the page has a session, which can be ended. */
export const hasSession = (): boolean => session.get() !== "";

/** An address of the interface, for links and streams. */
export const address = (path: string) => `${session.get()}/api/${path}`;

/** What the server says instead of an answer. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly hint: string,
    readonly status: number,
  ) {
    super(message);
  }
}

async function ask<T>(method: string, path: string, body?: BodyInit, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address(path), { method, body, signal, headers: { "X-Centipawn": "1" } });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal("The server does not answer.", "Is `centipawn serve` still running? The page goes on by itself.", 0);
  }
  const answer = await response.json().catch((error: unknown) => {
    // Called off between head and body, it is no answer.
    if (signal?.aborted) throw error;
    return null;
  });
  if (response.status === 401) isLocked.value = true;
  if (!response.ok) {
    throw new Refusal(answer?.error ?? `The server answered ${response.status}.`, answer?.hint ?? "", response.status);
  }
  return answer as T;
}

const post = <T>(path: string, body: unknown, signal?: AbortSignal) => ask<T>("POST", path, JSON.stringify(body), signal);

export interface Wanted extends Judge {
  game: number;
  limit?: string;
  lines?: number;
  reuse_evals?: boolean;
}

/** Whether the reasons of symbols are known. */
export const hasReasons = true;

/** What one can take along of a review: names of formats with their addresses. */
export const reviewFiles = (id: number): [format: string, address: string][] =>
  ["PGN", "HTML", "JSON"].map((format) => [format, address(`reviews/${id}.${format.toLowerCase()}`)]);

export const api = {
  /** Exchanges the token, or a login code, for a session. */
  session: async (secret: { token: string } | { code: string }) => {
    const { path } = await post<{ path: string }>("session", secret);
    session.set(path);
    isLocked.value = false;
  },
  endSession: async () => {
    await ask<null>("DELETE", "session");
    session.set("");
  },
  status: () => ask<Status>("GET", "status"),
  games: (search: string) => ask<Games>("GET", `games?search=${encodeURIComponent(search)}`),
  addGames: (name: string, body: BodyInit) => ask<Games>("POST", `games?name=${encodeURIComponent(name)}`, body),
  game: (id: number) => ask<Moves>("GET", `games/${id}`),
  engines: () => ask<Engines>("GET", "engines"),
  jobs: () => ask<{ jobs: Job[] }>("GET", "jobs"),
  job: (id: number) => ask<Job>("GET", `jobs/${id}`),
  goOn: (id: number) => post<Job>(`jobs/${id}`, {}),
  cancel: (id: number) => ask<Job>("DELETE", `jobs/${id}`),
  review: (wanted: Wanted) => post<Job>("reviews", wanted),
  reviewed: (id: number) => ask<Review>("GET", `reviews/${id}`),
  judged: (id: number, judge: Judge, signal?: AbortSignal) => post<Review>(`reviews/${id}/judged`, judge, signal),
  why: (id: number, ply: number, judge: Judge, signal?: AbortSignal) =>
    post<Why>(`reviews/${id}/why`, { ply, ...judge }, signal),
  move: (wanted: { fen: string; chess960: boolean; moves: string[]; review?: number } & Judge, signal?: AbortSignal) =>
    post<{ ply: Ply }>("moves", wanted, signal),
  lines: (
    wanted: { fen: string; chess960: boolean; moves: string[]; nodes: number; lines: number; curve?: string; balance?: number },
    signal?: AbortSignal,
  ) => post<Lines>("lines", wanted, signal),
  curve: (wanted: { curve: string; balance?: number; eval?: number; material?: number }, signal?: AbortSignal) => post<Curve>("curve", wanted, signal),
  people: (pawns: number, times: string[], signal?: AbortSignal) => post<People>("people", { eval: pawns, times }, signal),
  ease: (wanted: { fen: string; chess960: boolean; moves: string[]; limit?: string }, signal?: AbortSignal) => post<Ease>("ease", wanted, signal),
  puzzles: (wanted: PuzzlesWanted) => post<Puzzles>("puzzles", wanted),
  importPuzzles: (name: string, body: BodyInit) => ask<Added>("POST", `puzzles/import?name=${encodeURIComponent(name)}`, body),
  mistakes: (player: string) => post<Added>("puzzles/mistakes", { player }),
  puzzle: (id: number) => ask<Posed>("GET", `puzzles/${id}`),
  answer: (id: number, step: number, uci: string) => post<Answered>(`puzzles/${id}/answer`, { step, uci }),
  attempt: (id: number, how: { mistakes: number; hints: number; repeat: boolean }) => post<Posed>(`puzzles/${id}/attempt`, how),
  repeat: (id: number, repeat: boolean) => post<Posed>(`puzzles/${id}/repetition`, { repeat }),
  solution: (id: number) => ask<Solution>("GET", `puzzles/${id}/solution`),
  mine: (games: number[], effort: number) => post<{ jobs: Job[] }>("mining", { games, effort }),
  symbols: (wanted: object, signal?: AbortSignal) => post<Symbols>("symbols", wanted, signal),
};
