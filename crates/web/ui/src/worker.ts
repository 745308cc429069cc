// One stream of events for all tabs: a browser opens only six connections to a host, and a stream in each tab would take them.
/// <reference lib="webworker" />

interface Ports extends EventTarget {
  onconnect: ((event: MessageEvent) => void) | null;
}

/** Each session has another address, and so a worker. */
const ADDRESS = new URLSearchParams(self.location.search).get("at") ?? "/api/events";

const ports = new Set<MessagePort>();
let isOpen = false;

function tell(message: unknown): void {
  for (const port of ports) port.postMessage(message);
}

function listen(): void {
  const source = new EventSource(ADDRESS);
  source.onopen = () => {
    isOpen = true;
    // What happened while no page listened is loaded anew.
    tell({ open: true });
  };
  source.onerror = () => {
    isOpen = false;
    // The server answered, without a stream.
    const isRefused = source.readyState === EventSource.CLOSED;
    tell({ open: false, isRefused });
    if (isRefused) setTimeout(listen, 1000);
  };
  source.onmessage = (event: MessageEvent<string>) => tell({ data: event.data });
}

(self as unknown as Ports).onconnect = (event) => {
  const port = event.ports[0];
  if (!port) return;
  const add = () => {
    ports.add(port);
    if (isOpen) port.postMessage({ open: true });
  };
  port.onmessage = (message) => {
    if (message.data === "close") ports.delete(port);
    if (message.data === "open") add();
  };
  add();
  if (ports.size === 1 && !isOpen) listen();
};
