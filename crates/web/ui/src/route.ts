// The address: a room and its object in the path, where one stands in the fragment. Back leaves rooms, not plies.
import { signal } from "@preact/signals";

export interface Route {
  /** `games`, `review`, or a room that is loaded later. */
  room: string;
  id: number | null;
  /** Counts the addresses that the user entered, went back to or chose again; each shows its room anew. */
  visit: number;
}

let visit = 0;

function read(path = location.pathname): Route {
  const [, room, id] = path.split("/");
  if (room === "review" && id && /^\d+$/.test(id)) return { room, id: Number(id), visit };
  return { room: room && room !== "review" ? room : "games", id: id && /^\d+$/.test(id) ? Number(id) : null, visit };
}

export const route = signal<Route>(read());

/** Whether a link has led to something that has not appeared yet. */
let isArriving = false;

/** Goes to a room. */
export function go(path: string): void {
  const [here, address] = [route.peek(), location.pathname + location.search];
  history.pushState(null, "", path);
  const next = read();
  // A room that is shown already may have another filter.
  if (next.room === here.room && next.id === here.id && location.pathname + location.search !== address) next.visit = ++visit;
  isArriving ||= next.room !== here.room || next.id !== here.id || next.visit !== here.visit;
  route.value = next;
  scrollTo(0, 0);
}

/** Puts the focus on what is below the head. */
export function focusMain(): void {
  const main = document.getElementById("main");
  if (!main) return;
  main.tabIndex = -1;
  main.focus({ preventScroll: true });
}

/** A room, or its object, has appeared: keys and readers begin there if a link led to it. */
export function arrived(): void {
  if (isArriving) focusMain();
  isArriving = false;
}

/**
 * Writes what stands in the room on the screen into its address, without a new entry in the history. Preact ends the effects and timers of
 * a room only after the next one is drawn: until then the room that was left may still write, which would replace the next room's
 * address.
 */
export function setAddress(path: string): void {
  const own = read(path.split("?")[0]);
  const { room, id } = route.peek();
  if (own.room === room && own.id === id && path !== location.pathname + location.search) history.replaceState(null, "", path);
}

// Also when only the fragment changes, as by a link that is pasted into the address.
addEventListener("popstate", () => {
  visit++;
  route.value = read();
});

/** Links inside the page change the room without loading it again. */
export function onLink(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[href^='/']");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || link.hasAttribute("download") || link.target || /^(\/session\/[^/]+)?\/api\//.test(link.pathname)) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}

/** What the fragment says. */
export const fragment = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

/** Writes the fragment without a new entry in the history. */
export function setFragment(values: Record<string, string | null>): void {
  const parts = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
  const text = parts.map(([name, value]) => (value === "" ? name : `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`)).join("&");
  const path = location.pathname + location.search + (text ? `#${text}` : "");
  if (path !== location.pathname + location.search + location.hash) history.replaceState(null, "", path);
}
