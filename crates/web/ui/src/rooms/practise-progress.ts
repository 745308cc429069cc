// How far the user has practised the mistakes of a side, kept in the browser.

/** Found at the first try, at the second, or not. */
export type Result = "first" | "second" | "missed";

export interface Progress {
  /** The mistakes that it is about; progress for others is ignored. */
  of: string;
  /** Plies in the order in which they are asked; a missed one is in it twice. */
  queue: number[];
  index: number;
  /** Tries and hints spent on the mistake at `index`. */
  spent: number;
  /** Whether the mistake at `index` was answered or shown. */
  isOver: boolean;
  results: Record<number, Result>;
  /** Missed at first, and found when asked again. */
  foundLater: number[];
}

const nameOf = (id: number, side: string) => `practice-${id}-${side}`;

/** The progress for these mistakes: that of an earlier visit, unless it is complete. After a reload, also a complete one. */
export function progressOf(id: number, side: string, mistakes: { ply: number; uci: string }[], isReload: boolean): Progress {
  const of = mistakes.map(({ ply, uci }) => `${ply}${uci}`).join(" ");
  const fresh: Progress = { of, queue: mistakes.map(({ ply }) => ply), index: 0, spent: 0, isOver: false, results: {}, foundLater: [] };
  try {
    const kept = JSON.parse(localStorage.getItem(nameOf(id, side)) ?? "null") as Progress | null;
    return kept?.of === of && (isReload || kept.index < kept.queue.length) ? { ...fresh, ...kept } : fresh;
  } catch {
    // Without storage, progress lasts as long as the page.
    return fresh;
  }
}

export function keep(id: number, side: string, progress: Progress): void {
  try {
    localStorage.setItem(nameOf(id, side), JSON.stringify(progress));
  } catch {
    // Without storage, progress lasts as long as the page.
  }
}

/**
 * The queue after a miss at `index`: first the others, then the missed mistake once more, then those of the same motif, which ask for the
 * same idea.
 */
export function askAgain(queue: number[], index: number, isSameIdea: (ply: number) => boolean): number[] {
  const [past, rest, missed] = [queue.slice(0, index + 1), queue.slice(index + 1), queue[index]!];
  return [...past, ...rest.filter((ply) => !isSameIdea(ply)), missed, ...rest.filter(isSameIdea)];
}
