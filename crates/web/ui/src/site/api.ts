// What a page without a server asks: the documents that the page contains answer. The site's build takes this file in place of ../api.
import { signal } from "@preact/signals";
import type { api as Server } from "../api";
import type { Job, Moves, Review, Why } from "../types";
import { articles, numberOf } from "./route";

/** The part of a server's answers that a viewer needs. */
export type Backend = Pick<typeof Server, "job" | "reviewed" | "judged" | "why"> & { game(id: number): Promise<Moves> };

/** A reviewed game as the page contains it; crates/site/src/shown.rs. */
interface Contents {
  moves: Moves;
  review: Review;
  why: (Why & { drawn: number })[];
  curves: Why["points"][];
  /** The file with the annotated game, beside the page. */
  pgn: string | null;
}

const read = new Map<number, Contents>();

/** The contents for a game of the page, read once. */
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
    found: null,
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

/** Whether the page can say why moves have their symbols; a page of documents cannot. */
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
