// What the page and its worker send each other.

/** A request of the page; `path` is below `/api/`. */
export interface Ask {
  id: number;
  method: string;
  path: string;
  body: ArrayBuffer;
}

export type ToWorker = { start: string } | { ask: Ask } | { abort: number };

export type FromWorker =
  /** Whether this tab has the data; another tab may have them. */
  | { isReady: boolean }
  | { reply: number; status: number; kind: string; file: string; body: ArrayBuffer }
  | { event: unknown }
  /** The program failed; the page starts another worker. */
  | { broken: string };
