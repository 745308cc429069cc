// Replaces ../api in the build of sites. A page without a server answers from the documents that it
// contains.
import { signal } from "@preact/signals";
import type { api as Server } from "../api";
import type { Job, Moves, Review, Why } from "../types";
import { articles, numberOf } from "./route";

/** The requests that the viewer sends. */
export type Backend = Pick<typeof Server, "job" | "reviewed" | "judged" | "why"> & { game(id: number): Promise<Moves> };

/** A reviewed game in the page, as crates/site/src/shown.rs writes it. */
interface Contents {
  moves: Moves;
  review: Review;
  why: (Why & { drawn: number })[];
  curves: Why["points"][];
  /** The name of the file with the annotated game beside the page. */
  pgn: string | null;
}

const read = new Map<number, Contents>();

/** The contents of a game of the page. They are parsed once. */
function contentsOf(id: number): Contents {
  const known = read.get(id);
  if (known) return known;
  const contents = JSON.parse(document.querySelector(`#g${id} > .data`)!.textContent!) as Contents;
  read.set(id, contents);
  return contents;
}

function jobOf(id: number): Job {
  const { moves, review } = contentsOf(id);
  return {
    id,
    kind: "review",
    game: moves.id,
    title: "",
    state: "done",
    done: 0,
    total: 0,
    problem: null,
    limit: review.limit,
    quick: null,
    lines: review.lines,
    curve: "",
    scheme: review.scheme,
    language: document.documentElement.lang,
    reuse_evals: false,
  };
}

export const isLocked = signal(false);

export class Refusal extends Error {
  constructor(
    message: string,
    readonly hint: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export const reviewFiles = (id: number): [format: string, address: string][] => {
  const { pgn } = contentsOf(id);
  return pgn ? [["PGN", pgn]] : [];
};

/** Whether the page contains explanations of symbols. */
export const hasReasons = articles.length > 0 && contentsOf(numberOf(articles[0]!)).why.length > 0;

export const api: Backend = {
  job: async (id) => jobOf(id),
  game: async (id) => contentsOf(id).moves,
  reviewed: async (id) => contentsOf(id).review,
  judged: async (id) => contentsOf(id).review,
  why: async (id, ply) => {
    const { why, curves } = contentsOf(id);
    const found = why.find((why) => why.ply === ply);
    if (!found) throw new Refusal("", "", 404);
    return { ...found, points: curves[found.drawn] ?? [] };
  },
};
