// What a page of a site asks: the document that the page contains answers. The site's build takes this file in place of ../api.
import { signal } from "@preact/signals";
import type { api as Server } from "../api";
import type { Job, Moves, Review, Why } from "../types";

/** The part of a server's answers that a viewer needs. */
export type Backend = Pick<typeof Server, "job" | "reviewed" | "judged" | "why"> & { game(id: number): Promise<Moves> };

/** A reviewed game as a page of a site contains it; crates/site/src/page.rs. */
interface Contents {
  moves: Moves;
  review: Review;
  why: Why[];
  /** The file with the annotated game, beside the page. */
  pgn: string | null;
}

const contents = JSON.parse(document.getElementById("data")!.textContent!) as Contents;
const job: Job = {
  id: contents.moves.id,
  kind: "review",
  found: null,
  game: contents.moves.id,
  title: "",
  state: "done",
  done: 0,
  total: 0,
  problem: null,
  limit: contents.review.limit,
  lines: contents.review.lines,
  curve: "",
  scheme: contents.review.scheme,
  language: document.documentElement.lang,
  reuse_evals: false,
};

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

export const reviewFiles = (): [format: string, address: string][] => (contents.pgn ? [["PGN", contents.pgn]] : []);

/** Whether the page can say why moves have their symbols. */
export const hasReasons = contents.why.length > 0;

export const api: Backend = {
  job: () => Promise.resolve(job),
  game: () => Promise.resolve(contents.moves),
  reviewed: () => Promise.resolve(contents.review),
  judged: () => Promise.resolve(contents.review),
  why: (_, ply) => {
    const why = contents.why.find((why) => why.ply === ply);
    return why ? Promise.resolve(why) : Promise.reject(new Refusal("", "", 404));
  },
};
