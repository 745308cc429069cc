// The address of the page. The path names a room and its object, the fragment the position. Going
// back leaves a room and does not step through moves.
import { signal } from "@preact/signals";
import { withBase, withoutBase } from "./base";

export interface Route {
  /** `games`, `review`, or a room that is loaded later. */
  room: string;
  id: number | null;
  /**
   * Increases when the user enters an address, goes back to one, or follows a link to the same
   * room. The room is then shown again from its address.
   */
  visit: number;
}

let visit = 0;

function read(path = location.pathname + location.search): Route {
  const [, room, id] = withoutBase(path).split(/[?#]/)[0]!.split("/");
  if (room === "review" && id && /^\d+$/.test(id)) return { room, id: Number(id), visit };
  return { room: room && room !== "review" ? room : "games", id: id && /^\d+$/.test(id) ? Number(id) : null, visit };
}

export const route = signal<Route>(read());

/** Whether the user followed a link to a room that is not shown yet. */
let isArriving = false;

/** Goes to a room without loading the page again. */
export function go(path: string): void {
  const [here, address] = [route.peek(), location.pathname + location.search];
  history.pushState(null, "", withBase(path));
  const next = read();
  // The room is already shown, but the filter in the address may be another one.
  if (next.room === here.room && next.id === here.id && location.pathname + location.search !== address) next.visit = ++visit;
  isArriving ||= next.room !== here.room || next.id !== here.id || next.visit !== here.visit;
  route.value = next;
  scrollTo(0, 0);
}

/** Moves the focus to the content below the navigation. */
export function focusMain(): void {
  const main = document.getElementById("main");
  if (!main) return;
  main.tabIndex = -1;
  main.focus({ preventScroll: true });
}

/**
 * Reports that a room or its object is shown. If a link led to it, the focus moves there for
 * keyboards and screen readers.
 */
export function arrived(): void {
  if (isArriving) focusMain();
  isArriving = false;
}

/**
 * Writes the state of the shown room into the address, without a new entry in the history. Preact
 * ends the effects and timers of a room only after the next room is drawn. Until then the old room
 * could still write its address and replace that of the new one, so only the current room may
 * write.
 */
export function setAddress(address: string): void {
  const path = withBase(address);
  const own = read(path);
  const { room, id } = route.peek();
  if (own.room === room && own.id === id && path !== location.pathname + location.search) history.replaceState(null, "", path);
}

// Browsers send this event too if only the fragment changes, for example if the user pastes a link
// to another move.
addEventListener("popstate", () => {
  visit++;
  route.value = read();
});

/** Follows links inside the page without loading it again. */
export function onLink(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[href^='/']");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || link.hasAttribute("download") || link.target || /^(\/session\/[^/]+)?\/api\//.test(withoutBase(link.pathname))) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}

/** The values in the fragment. */
export const fragment = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

/** Writes the fragment without a new entry in the history. */
export function setFragment(values: Record<string, string | null>): void {
  const parts = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
  const text = parts.map(([name, value]) => (value === "" ? name : `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`)).join("&");
  const path = location.pathname + location.search + (text ? `#${text}` : "");
  if (path !== location.pathname + location.search + location.hash) history.replaceState(null, "", path);
}
