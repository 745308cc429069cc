// Events of the server for this tab. They come from the worker that all tabs share. A browser
// without shared workers asks for new events every second.
import { signal } from "@preact/signals";
import { address, api } from "./api";
import { BASE } from "./base";
import type { ServerEvent } from "./types";

/** Whether the server answers; `null` until that is known. */
export const connected = signal<boolean | null>(null);

type Listener = (event: ServerEvent) => void;

const listeners = new Set<Listener>();

/** Calls `listener` for each event. Returns a function that stops this. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(event: ServerEvent): void {
  for (const listener of listeners) listener(event);
}

function setConnected(open: boolean): void {
  const before = connected.value;
  connected.value = open;
  // Events may have been missed, so let the rooms load their data again. This is needed for the
  // first connection too, because rooms load before it exists and a job may end in between.
  if (open && !before) tell({ event: "reload", isFirst: before === null });
}

/**
 * If the server refuses events, the session may have ended with an earlier server. Any request
 * shows whether it requires its token again.
 */
const askForToken = () => void api.status().catch(() => undefined);

async function poll(): Promise<void> {
  let last: number | null = null;
  for (;;) {
    try {
      const response = await fetch(address(`events?after=${last ?? 0}`));
      if (!response.ok) askForToken();
      const answer = (await response.json()) as { last: number; events: ServerEvent[] };
      if (last !== null) answer.events.forEach(tell);
      last = answer.last;
      setConnected(true);
    } catch {
      setConnected(false);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

export function startEvents(): void {
  if (!("SharedWorker" in window)) {
    void poll();
    return;
  }
  const { port } = new SharedWorker(`${BASE}events.js?at=${encodeURIComponent(address("events"))}`, { type: "module", name: "centipawn" });
  port.onmessage = ({ data }: MessageEvent<{ open?: boolean; isRefused?: boolean; data?: string }>) => {
    if (data.open !== undefined) setConnected(data.open);
    if (data.isRefused) askForToken();
    if (data.data !== undefined) tell(JSON.parse(data.data) as ServerEvent);
  };
  addEventListener("pagehide", () => port.postMessage("close"));
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    // The browser kept the page while the user was on another one. Connecting again loads the
    // changes of that time.
    connected.value = false;
    port.postMessage("open");
  });
}
