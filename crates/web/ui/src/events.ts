// What happens on the server, for this tab: by the worker that all tabs share, or by asking every second.
import { signal } from "@preact/signals";
import { address, api } from "./api";
import type { ServerEvent } from "./types";

/** Whether the server answers; null until that is known. */
export const connected = signal<boolean | null>(null);

type Listener = (event: ServerEvent) => void;

const listeners = new Set<Listener>();

/** Calls `listener` for each event; returns how to stop. */
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
  // What was missed is loaded anew: rooms ask before the first event can be heard, and a job may end in between.
  if (open && !before) tell({ event: "reload", isFirst: before === null });
}

/** Any request finds out whether a server that refuses events asks for its token: sessions end with the server. */
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
  const { port } = new SharedWorker(`/events.js?at=${encodeURIComponent(address("events"))}`, { type: "module", name: "centipawn" });
  port.onmessage = ({ data }: MessageEvent<{ open?: boolean; isRefused?: boolean; data?: string }>) => {
    if (data.open !== undefined) setConnected(data.open);
    if (data.isRefused) askForToken();
    if (data.data !== undefined) tell(JSON.parse(data.data) as ServerEvent);
  };
  addEventListener("pagehide", () => port.postMessage("close"));
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    // The browser kept the page while the user was elsewhere: what happened meanwhile is loaded anew.
    connected.value = false;
    port.postMessage("open");
  });
}
