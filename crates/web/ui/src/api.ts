// Requests to the server. An error answer becomes a `Refusal` with the server's message. The types
// of addresses, requests and answers come from schema.ts, so a request that does not match the
// interface does not compile.
import { signal } from "@preact/signals";
import { BASE } from "./base";
import type { paths } from "./schema";
import { setting } from "./state";
import { transport } from "./transport";
import type { Judge } from "./types";
import { language, w } from "./words";

/** Whether the server requires its token before it answers. */
export const isLocked = signal(false);

/** The path of this session. Browsers send the session's cookie only to addresses below it. */
const session = setting<string>("session", "");

/** Whether the page has a session that the user can end. */
export const hasSession = (): boolean => session.get() !== "";

type Method = "get" | "post" | "delete";
type PathsOf<M extends Method> = { [P in keyof paths]: paths[P][M] extends { responses: object } ? P : never }[keyof paths];
type Parameters<Q, Kind extends string> = Q extends { parameters: { [K in Kind]?: infer Values } } ? NonNullable<Values> : never;
type Keys<Values> = [Values] extends [never] ? never : keyof Values & string;
type Filled<P, Value extends string | number> = P extends `${infer Before}{${string}}${infer After}` ? `${Before}${Value}${After}` : P & string;
type WithQuery<P extends string, Key extends string> = P | `${P}?${Key}=${string}`;
/**
 * An address as the page writes it: without `/api/`, with values for its parameters, and with a
 * query if there is one.
 */
type AddressOf<P extends keyof paths, Q> = P extends `/api/${infer Rest}`
  ? WithQuery<Filled<Rest, Extract<Parameters<Q, "path">[keyof Parameters<Q, "path">], string | number>>, Keys<Parameters<Q, "query">>>
  : never;
type Address<M extends Method> = { [P in PathsOf<M>]: AddressOf<P, paths[P][M]> }[PathsOf<M>];
type Question<M extends Method, A> = { [P in PathsOf<M>]: A extends AddressOf<P, paths[P][M]> ? paths[P][M] : never }[PathsOf<M>];
type Request<A> = Question<"post", A> extends { requestBody: { content: { "application/json": infer T } } } ? T : never;
type Answer<M extends Method, A> = Question<M, A> extends { responses: { 200: { content: { "application/json": infer T } } } } ? T : never;

// The path of a session begins with the path of the page.
const within = (path: string) => `${session.get() || BASE.slice(0, -1)}/api/${path}`;

/** The address of a request, for links and streams. */
export const address: (path: Address<"get">) => string = within;

/** An error that the server answered, or no answer (status 0). */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly hint: string,
    readonly status: number,
  ) {
    super(message);
  }

  /** The message and what the user can do. */
  get text(): string {
    const message = /[.!?]$/.test(this.message) ? this.message : `${this.message}.`;
    return this.hint ? `${message} ${this.hint}` : message;
  }
}

/** Milliseconds until a request is sent again to a server that did not answer. */
const AGAIN = 1000;

/** Sends a request and returns the response, whatever its status is. */
async function send(path: string, options: RequestInit): Promise<Response> {
  const { signal } = options;
  for (;;) {
    try {
      return await transport(within(path), options);
    } catch (error) {
      if (signal?.aborted) throw error;
      if (!signal) throw new Refusal(w("gone"), "", 0);
      // A request with a signal loads what is shown now and changes nothing, so it can be repeated
      // until the server is back. Other requests could take effect twice.
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }
}

async function ask<M extends Method, A extends Address<M>>(method: M, path: A, body?: BodyInit, signal?: AbortSignal): Promise<Answer<M, A>> {
  const response = await send(path, { method, body, signal });
  const answer = await response.json().catch((error: unknown) => {
    // If the request was cancelled while the body arrived, report that instead of an invalid body.
    if (signal?.aborted) throw error;
    return null;
  });
  if (response.status === 401) isLocked.value = true;
  if (!response.ok) {
    throw new Refusal(answer?.error ?? `The server answered ${response.status}.`, answer?.hint ?? "", response.status);
  }
  return answer as Answer<M, A>;
}

const post = <A extends Address<"post">>(path: A, body: Request<A>, signal?: AbortSignal) => ask("post", path, JSON.stringify(body), signal);

/**
 * Whether the server can explain symbols. `site/api.ts` computes this for pages without a server.
 */
export const hasReasons = true;

/**
 * The files of a review with the curve and symbols that are shown: names of formats and their
 * addresses.
 */
export const reviewFiles = (id: number, judge: Judge): [format: string, address: string][] => {
  const { language: shown = language.value, ...others } = judge;
  const judged = Object.entries(others).map(([name, value]) => `&${name}=${encodeURIComponent(String(value))}`);
  // A report contains the viewer, which only a server has as a file.
  return (IN_TAB ? ["PGN", "JSON"] : ["PGN", "HTML", "JSON"]).map((format) => [format, address(`reviews/${id}.${format.toLowerCase()}?language=${shown}${judged.join("")}`)]);
};

export const api = {
  /** Exchanges the token or a login code for a session. */
  session: async (secret: Request<"session">) => {
    const { path } = await post("session", secret);
    session.set(path);
    isLocked.value = false;
  },
  endSession: async () => {
    await ask("delete", "session");
    session.set("");
  },
  status: () => ask("get", "status"),
  games: (wanted: Request<"games/select">) => post("games/select", wanted),
  addGames: (name: string, body: BodyInit) => ask("post", `games?name=${encodeURIComponent(name)}`, body),
  game: (id: number) => ask("get", `games/${id}`),
  setNote: (game: number, wanted: Request<`games/${number}/notes`>) => post(`games/${game}/notes`, wanted),
  batches: () => ask("get", "batches"),
  reviewAll: (wanted: Request<"batches">) => post("batches", wanted),
  goOnBatch: (id: number) => ask("post", `batches/${id}`),
  pauseBatch: (id: number) => ask("post", `batches/${id}/pause`),
  cancelBatch: (id: number) => ask("delete", `batches/${id}`),
  players: () => ask("get", "players"),
  playersLike: (name: string) => ask("get", `players?like=${encodeURIComponent(name)}`),
  profile: (player: string) => ask("get", `profile?player=${encodeURIComponent(player)}&language=${language.value}`),
  lesson: (wanted: Request<"lessons">) => post("lessons", wanted),
  engines: () => ask("get", "engines"),
  jobs: () => ask("get", "jobs"),
  job: (id: number) => ask("get", `jobs/${id}`),
  goOn: (id: number) => ask("post", `jobs/${id}`),
  cancel: (id: number) => ask("delete", `jobs/${id}`),
  review: (wanted: Request<"reviews">) => post("reviews", wanted),
  reviewed: (id: number) => ask("get", `reviews/${id}`),
  judged: (id: number, judge: Judge, signal?: AbortSignal) => post(`reviews/${id}/judged`, judge, signal),
  why: (id: number, ply: number, judge: Judge, signal?: AbortSignal) => post(`reviews/${id}/why`, { ply, ...judge }, signal),
  move: (wanted: Request<"moves">, signal?: AbortSignal) => post("moves", wanted, signal),
  lines: (wanted: Request<"lines">, signal?: AbortSignal) => post("lines", wanted, signal),
  curve: (wanted: Request<"curve">, signal?: AbortSignal) => post("curve", wanted, signal),
  people: (pawns: number, times: string[], signal?: AbortSignal) => post("people", { eval: pawns, times }, signal),
  table: (wanted: Request<"table">, signal?: AbortSignal) => post("table", wanted, signal),
  position: (wanted: Request<"position">, signal?: AbortSignal) => post("position", wanted, signal),
  ease: (wanted: Request<"ease">, signal?: AbortSignal) => post("ease", wanted, signal),
  puzzles: (wanted: Request<"puzzles">) => post("puzzles", wanted),
  importPuzzles: (name: string, body: BodyInit) => ask("post", `puzzles/import?name=${encodeURIComponent(name)}`, body),
  mistakes: (player: string) => post("puzzles/mistakes", { player }),
  puzzle: (id: number) => ask("get", `puzzles/${id}`),
  answer: (id: number, step: number, uci: string) => post(`puzzles/${id}/answer`, { step, uci }),
  attempt: (id: number, how: Request<`puzzles/${number}/attempt`>) => post(`puzzles/${id}/attempt`, how),
  repeat: (id: number, repeat: boolean) => post(`puzzles/${id}/repetition`, { repeat }),
  editPuzzle: (id: number, edit: Request<`puzzles/${number}/edit`>) => post(`puzzles/${id}/edit`, edit),
  solution: (id: number) => ask("get", `puzzles/${id}/solution?language=${language.value}`),
  importLibrary: (name: string, body: BodyInit) => ask("post", `library/import?name=${encodeURIComponent(name)}`, body),
  remove: (wanted: Request<"library/delete">) => post("library/delete", wanted),
  mine: (games: number[], effort: number) => post("mining", { games, effort }),
  symbols: (wanted: Request<"symbols">, signal?: AbortSignal) => post("symbols", wanted, signal),
};
