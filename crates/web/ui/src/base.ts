// The path of the page: `/`, or another one if a proxy shows the page there (`--base /chess/`). All
// files of the page are in this folder, also the one that contains this code.
export const BASE = new URL(import.meta.url.replace(/[^/]*$/, "")).pathname;

/** An address of the page, which begins with `/`, as an address of the host. */
export const withBase = (path: string): string => (path.startsWith(BASE) ? path : BASE + path.slice(1));

/** An address of the host as one of the page. */
export const withoutBase = (path: string): string => (path.startsWith(BASE) ? path.slice(BASE.length - 1) : path === BASE.slice(0, -1) ? "/" : path);
