// The user's progress in practising the mistakes of one side. It is stored in the browser.

/** Found with the first try, found with the second, or not found. */
export type Result = "first" | "second" | "missed";

export interface Progress {
  /** Identifies the mistakes. Stored progress for other mistakes is ignored. */
  of: string;
  /** Plies in the order of the exercises. A missed mistake occurs twice. */
  queue: number[];
  index: number;
  /** Number of tries and hints used for the mistake at `index`. */
  spent: number;
  /** Whether the mistake at `index` was solved or its solution was shown. */
  isOver: boolean;
  results: Record<number, Result>;
  /** Plies of mistakes that were missed first, but found in the repetition. */
  foundLater: number[];
}

const nameOf = (id: number, side: string) => `practice-${id}-${side}`;

/**
 * The progress for these mistakes. An unfinished one of an earlier visit is continued. After a
 * reload, a finished one is shown again.
 */
export function progressOf(id: number, side: string, mistakes: { ply: number; uci: string }[], isReload: boolean): Progress {
  const of = mistakes.map(({ ply, uci }) => `${ply}${uci}`).join(" ");
  const fresh: Progress = { of, queue: mistakes.map(({ ply }) => ply), index: 0, spent: 0, isOver: false, results: {}, foundLater: [] };
  try {
    const kept = JSON.parse(localStorage.getItem(nameOf(id, side)) ?? "null") as Progress | null;
    return kept?.of === of && (isReload || kept.index < kept.queue.length) ? { ...fresh, ...kept } : fresh;
  } catch {
    // Without storage, progress is lost when the page is closed.
    return fresh;
  }
}

export function keep(id: number, side: string, progress: Progress): void {
  try {
    localStorage.setItem(nameOf(id, side), JSON.stringify(progress));
  } catch {
    // Without storage, progress is lost when the page is closed.
  }
}

/**
 * The queue after the mistake at `index` was missed. The other mistakes come first, then the missed
 * one again, then mistakes of the same motif, because they practise the same idea.
 */
export function askAgain(queue: number[], index: number, isSameIdea: (ply: number) => boolean): number[] {
  const [past, rest, missed] = [queue.slice(0, index + 1), queue.slice(index + 1), queue[index]!];
  return [...past, ...rest.filter((ply) => !isSameIdea(ply)), missed, ...rest.filter(isSameIdea)];
}
