// The address of a puzzle says which puzzles are wanted.
import type { PuzzlesWanted } from "../types";

/** The wishes in the address. */
export function wishes(): PuzzlesWanted {
  const given = new URLSearchParams(location.search);
  const text = (name: string) => given.get(name) ?? undefined;
  return { theme: text("theme"), rating: text("rating"), origin: text("origin"), due: given.has("due") || undefined };
}

/** The address of a puzzle, or of the list, with these wishes. */
export function address(id: number | null, wanted: PuzzlesWanted): string {
  const parts = Object.entries(wanted).filter(([name, value]) => name !== "after" && value);
  const query = parts.map(([name, value]) => (value === true ? name : `${name}=${encodeURIComponent(String(value))}`)).join("&");
  return `/puzzles${id === null ? "" : `/${id}`}${query ? `?${query}` : ""}`;
}
