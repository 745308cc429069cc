// Replaces ../base in the build without a server. A web space for files knows only the page's own
// address, so the room is a part of the query: `?room=review/3#ply=5`.

export const BASE = "/";

const ROOM = /[?&]room=([^&#]*)/;

/** An address of the page, which begins with `/`, as an address of the host. */
export function withBase(path: string): string {
  if (path.startsWith("/api/")) return path;
  // A file of the page, such as `/icon.svg`.
  if (/^\/[\w-]+\.\w+$/.test(path)) return `.${path}`;
  // Already an address of the host.
  if (ROOM.test(path) || (location.pathname !== "/" && path.startsWith(location.pathname))) return path;
  const [, room = "", query = "", hash = ""] = /^\/([^?#]*)(?:\?([^#]*))?(#.*)?$/.exec(path) ?? [];
  const parts = [room && `room=${room}`, query].filter(Boolean).join("&");
  return `${location.pathname}${parts && `?${parts}`}${hash}`;
}

/** An address of the host as one of the page. */
export const withoutBase = (path: string): string => `/${ROOM.exec(path)?.[1] ?? ""}`;
