// Replaces ../events in the build without a server: events come from the worker.
import { signal } from "@preact/signals";
import type { ServerEvent } from "../types";
import { onReady, onWorkerEvent } from "./link";

/** Whether this tab has the data; `false` while another tab has them. */
export const connected = signal<boolean | null>(null);

type Listener = (event: ServerEvent) => void;

const listeners = new Set<Listener>();

export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function startEvents(): void {
  onWorkerEvent((event) => {
    for (const listener of listeners) listener(event as ServerEvent);
  });
  onReady((isReady) => {
    const before = connected.value;
    connected.value = isReady;
    // The worker was started again: load what the rooms show.
    if (isReady && before !== null) for (const listener of listeners) listener({ event: "reload" });
  });
}
