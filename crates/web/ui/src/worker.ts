// One stream of events for all tabs. A browser opens only six connections to a host, so a stream in
// each tab would leave none for requests.
/// <reference lib="webworker" />

interface Ports extends EventTarget {
  onconnect: ((event: MessageEvent) => void) | null;
}

/** The address of the events. It contains the session, so each session has a separate worker. */
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
    // Tell the tabs to load what they missed while there was no connection.
    tell({ open: true });
  };
  source.onerror = () => {
    isOpen = false;
    // The browser gave up, because the server answered without a stream, for example with an error.
    // Other errors are retried by the browser itself.
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
