// The page's side of the worker that answers its requests.
import type { FromWorker, ToWorker } from "./messages";

type Waiting = (reply: Answer) => void;

const waiting = new Map<number, Waiting>();
const listeners = new Set<(event: unknown) => void>();
const readiness = new Set<(isReady: boolean) => void>();
let last = 0;
/** What the worker reported last; `null` before that. */
let isReady: boolean | null = null;
/** How often the worker was started again. A program that always fails is given up. */
let restarts = 0;
const MOST_RESTARTS = 3;
let worker: Worker | null = start();

function start(): Worker {
  const started = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "centipawn" });
  started.onmessage = ({ data }: MessageEvent<FromWorker>) => receive(data);
  started.onerror = (event) => broken(event.message);
  const message: ToWorker = { start: new URL(".", document.baseURI).href };
  started.postMessage(message);
  return started;
}

/** Answers all requests with an error, and starts again from the kept data. */
function broken(reason: string): void {
  worker?.terminate();
  lastProblem = reason;
  for (const answer of waiting.values()) answer(failure());
  waiting.clear();
  worker = ++restarts > MOST_RESTARTS ? null : start();
}

let lastProblem = "";
const failure = (): Answer => ({
  status: 500,
  kind: "application/json",
  file: "",
  body: JSON.stringify({ error: lastProblem, hint: "Load the page again. If that does not help, please report it. Your games are kept." }),
});

function receive(message: FromWorker): void {
  if ("isReady" in message) {
    isReady = message.isReady;
    for (const listener of readiness) listener(isReady);
  }
  if ("event" in message) for (const listener of listeners) listener(message.event);
  if ("broken" in message) broken(message.broken);
  if ("reply" in message) {
    waiting.get(message.reply)?.(message);
    waiting.delete(message.reply);
  }
}

/** Calls `listener` with each event of the worker. */
export const onWorkerEvent = (listener: (event: unknown) => void): void => void listeners.add(listener);

/** Calls `listener` when the worker has the data, or waits because another tab has them. */
export function onReady(listener: (isReady: boolean) => void): void {
  readiness.add(listener);
  // The worker may have reported it before the page listened.
  if (isReady !== null) listener(isReady);
}

export interface Answer {
  status: number;
  kind: string;
  file: string;
  body: BodyInit;
}

/** Sends a request to the worker. */
export function ask(method: string, path: string, body: ArrayBuffer, signal?: AbortSignal | null): Promise<Answer> {
  const id = ++last;
  const current = worker;
  if (!current) return Promise.resolve(failure());
  return new Promise((resolve, reject) => {
    waiting.set(id, resolve);
    signal?.addEventListener("abort", () => {
      waiting.delete(id);
      const message: ToWorker = { abort: id };
      worker?.postMessage(message);
      reject(new DOMException("The request was cancelled.", "AbortError"));
    });
    const message: ToWorker = { ask: { id, method: method.toUpperCase(), path, body } };
    current.postMessage(message, [body]);
  });
}
