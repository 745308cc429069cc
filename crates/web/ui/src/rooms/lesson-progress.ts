// What the browser keeps of lessons. The room “Me” knows from it which of them are done.
import { withBase } from "../base";
import type { LessonItem } from "../types";
import { language } from "../words";

/** How an item was answered. */
export interface Result {
  mistakes: number;
  hints: number;
  isShown: boolean;
  /** When the puzzle is due again, in seconds since 1970; `null` for a decoy. */
  due: number | null;
}

/** A sitting as it is kept in the browser. */
export interface Kept {
  items: LessonItem[];
  waiting: number;
  index: number;
  results: Record<number, Result>;
  /** When it began, in seconds since 1970. */
  at: number;
}

/** After these seconds, an unfinished sitting is not continued, because other puzzles are due. */
const STALE = 86_400;

export const seconds = () => Date.now() / 1000;

/** What the browser keeps of the sitting of a lesson, by the query of its address. */
export function keptOf(query: string): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(`lesson${query}`) ?? "null") as Kept | null;
  } catch {
    return null;
  }
}

/** Keeps the sitting of a lesson. Without storage, it is lost when the page is closed. */
export function keep(query: string, kept: Kept | null): void {
  try {
    localStorage.setItem(`lesson${query}`, JSON.stringify(kept));
  } catch {
    // See above.
  }
}

export const isUnfinished = (kept: Kept): boolean => kept.index < kept.items.length && seconds() - kept.at < STALE;

/** How far a lesson is. */
interface Progress {
  /** Number of positions that are answered, and of all, in an unfinished sitting. */
  answered: [number, number] | null;
  /** When the first of its puzzles is due again, if all of them are answered, in seconds since 1970. */
  due: number | null;
}

/** Returns how far the lesson at an address is; `null` if it was not begun, or puzzles are due. */
export function progressOf(lesson: string): Progress | null {
  const kept = keptOf(new URL(withBase(lesson), location.href).search);
  if (!kept) return null;
  if (isUnfinished(kept)) return kept.index > 0 ? { answered: [kept.index, kept.items.length], due: null } : null;
  const dues = Object.values(kept.results).flatMap(({ due }) => due ?? []);
  const isDone = kept.index >= kept.items.length && kept.waiting === 0 && dues.length > 0 && Math.min(...dues) > seconds();
  return isDone ? { answered: null, due: Math.min(...dues) } : null;
}

/** A day in words. */
export const dayOf = (due: number): string => new Date(1000 * due).toLocaleDateString(language.value, { day: "numeric", month: "long" });
