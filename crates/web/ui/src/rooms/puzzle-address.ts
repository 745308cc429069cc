// The address of a puzzle contains the filter of puzzles, so that the next puzzle matches it too.
import { address as addressOf } from "../api";
import type { LessonWanted, PuzzlesWanted } from "../types";
import { language } from "../words";

/** Reads the filter from the address. */
export function wishes(): PuzzlesWanted {
  const given = new URLSearchParams(location.search);
  const text = (name: string) => given.get(name) ?? undefined;
  return { theme: text("theme"), rating: text("rating"), origin: text("origin"), due: given.has("due") || undefined, only: text("only")?.split(",").map(Number) };
}

/** What is wanted as the query of an address. */
function queryOf(wanted: object): string {
  const parts = Object.entries(wanted).filter(([name, value]) => name !== "after" && value);
  const query = parts.map(([name, value]) => (value === true ? name : `${name}=${encodeURIComponent(String(value)).replaceAll("%2C", ",")}`)).join("&");
  return query ? `?${query}` : "";
}

/** The address of a puzzle, or of the list, with a filter. */
export const address = (id: number | null, wanted: PuzzlesWanted): string => `/puzzles${id === null ? "" : `/${id}`}${queryOf(wanted)}`;

/** The address of a lesson on a cause, or with the puzzles that match a filter. */
export const lessonAddress = (wanted: LessonWanted | PuzzlesWanted): string => `/puzzles/lesson${queryOf(wanted)}`;

/** The address of a file with the puzzles that match the filter, whether they were tried or not. */
export function exported(format: string, { theme, rating, origin, only }: PuzzlesWanted): string {
  const query = address(null, { theme, rating, origin, only }).replace("/puzzles", "");
  const notes = format === "anki" ? `${query ? "&" : "?"}language=${language.value}` : "";
  return addressOf(`puzzles/export/${format}${query}${notes}` as `puzzles/export/${string}`);
}

/** The address of a worksheet with the puzzles that match the filter. */
export const worksheet = ({ theme, rating, origin, only }: PuzzlesWanted): string =>
  addressOf(`puzzles/worksheet?language=${language.value}${queryOf({ theme, rating, origin, only }).replace("?", "&")}`);
