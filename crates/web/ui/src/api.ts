// Requests to the server. What it refuses becomes a Refusal with its own words.
import type { Games, Job, Judge, Lines, Moves, Ply, Review, Status, Symbols, Why } from "./types";

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
    response = await fetch(`/api/${path}`, { method, body, signal, headers: { "X-Centipawn": "1" } });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal("The server does not answer.", "Is `centipawn serve` still running? The page goes on by itself.", 0);
  }
  const answer = await response.json().catch(() => null);
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

export const api = {
  status: () => ask<Status>("GET", "status"),
  games: (search: string) => ask<Games>("GET", `games?search=${encodeURIComponent(search)}`),
  addGames: (name: string, body: BodyInit) => ask<Games>("POST", `games?name=${encodeURIComponent(name)}`, body),
  game: (id: number) => ask<Moves>("GET", `games/${id}`),
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
  curve: (wanted: { curve: string; balance?: number }, signal?: AbortSignal) =>
    post<{ curve: string; points: [number, number][] }>("curve", wanted, signal),
  symbols: (wanted: object, signal?: AbortSignal) => post<Symbols>("symbols", wanted, signal),
};
