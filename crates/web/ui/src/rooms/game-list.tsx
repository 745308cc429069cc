// A list of games of any length. Only rows in view are drawn and loaded.
import { signal, useSignal, type Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { api, Refusal } from "../api";
import { fragment, setFragment } from "../route";
import type { GameFilter, GameRow, Games, Job } from "../types";

/** Number of rows in one request. */
const CHUNK = 50;
/** Number of rows that are drawn above and below the view, so that scrolling shows no gap. */
const BEYOND = 8;

/** The games that match a filter. Rows are loaded when they come into view. */
export class GameRows {
  readonly total = signal<number | null>(null);
  readonly all = signal(0);
  readonly unreviewed = signal(0);
  /** Increases with each change of the rows, so that the list is drawn again. */
  readonly changed = signal(0);
  readonly refusal = signal<Refusal | null>(null);
  private rows = new Map<number, GameRow>();
  private asked = new Set<number>();
  private turn = 0;
  private filter: GameFilter = {};
  private view: [number, number] = [0, CHUNK];

  /**
   * Loads the rows in view again, with another filter or after a change of the store. The old rows
   * stay until the answer arrives.
   */
  async load(filter: GameFilter): Promise<void> {
    this.filter = filter;
    const turn = ++this.turn;
    const [from, to] = this.view;
    const offset = Math.floor(from / CHUNK) * CHUNK;
    const answer = await this.ask(offset, Math.min(to - offset + CHUNK, 200));
    if (!answer || turn !== this.turn) return;
    this.rows.clear();
    this.asked.clear();
    this.take(offset, answer);
  }

  /** Loads those rows in view that are not loaded yet. */
  look(from: number, to: number): void {
    this.view = [from, to];
    const total = this.total.peek();
    if (total === null) return;
    for (let chunk = Math.floor(from / CHUNK); chunk * CHUNK < Math.min(to, total); chunk++) {
      const offset = chunk * CHUNK;
      const isThere = this.rows.has(offset) && this.rows.has(Math.min(offset + CHUNK, total) - 1);
      if (isThere || this.asked.has(chunk)) continue;
      this.asked.add(chunk);
      const turn = this.turn;
      void this.ask(offset, CHUNK).then((answer) => {
        if (turn !== this.turn) return;
        this.asked.delete(chunk);
        if (answer) this.take(offset, answer);
      });
    }
  }

  at(index: number): GameRow | undefined {
    return this.rows.get(index);
  }

  /** Updates the job of a game's row, unless the row has a newer job. */
  update(job: Job): void {
    for (const [index, row] of this.rows) {
      if (row.id === job.game && (!row.job || row.job.id <= job.id)) {
        this.rows.set(index, { ...row, job });
        this.changed.value++;
      }
    }
  }

  /** The row whose newest job has this number. */
  ofJob(id: number): GameRow | undefined {
    return [...this.rows.values()].find((row) => row.job?.id === id);
  }

  private async ask(offset: number, most: number): Promise<Games | null> {
    try {
      const answer = await api.games({ ...this.filter, offset, most });
      this.refusal.value = null;
      return answer;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refusal.value = error;
      return null;
    }
  }

  private take(offset: number, answer: Games): void {
    answer.games.forEach((row, index) => this.rows.set(offset + index, row));
    this.total.value = answer.total;
    this.all.value = answer.all;
    this.unreviewed.value = answer.unreviewed;
    this.changed.value++;
  }
}

/** The list itself. `row` draws one row. The address contains the first row in view. */
export function GameList({ rows, row }: { rows: GameRows; row(game: GameRow, index: number): preact.JSX.Element }) {
  const list = useRef<HTMLUListElement>(null);
  /** The height of a row in pixels; 0 until one is drawn. */
  const height = useSignal(0);
  const view = useSignal<[number, number]>([0, CHUNK]);
  const total = rows.total.value ?? 0;
  void rows.changed.value;
  const measure = () => {
    const first = list.current?.querySelector<HTMLElement>("li.game");
    const tall = first?.offsetHeight ?? height.peek();
    if (tall !== height.peek()) height.value = tall;
    if (!list.current || tall === 0) return;
    const top = -list.current.getBoundingClientRect().top;
    const from = Math.max(0, Math.floor(top / tall) - BEYOND);
    const to = Math.min(rows.total.peek() ?? 0, Math.ceil((top + innerHeight) / tall) + BEYOND);
    const [before, after] = view.peek();
    if (from !== before || to !== after) view.value = [from, to];
    rows.look(from, to);
  };
  useEffect(() => {
    let timer = 0;
    const scrolled = () => {
      measure();
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        const tall = height.peek();
        const top = list.current && tall ? Math.round(-list.current.getBoundingClientRect().top / tall) : 0;
        setFragment({ at: top > 0 ? String(top) : null });
      }, 200);
    };
    addEventListener("scroll", scrolled, { passive: true });
    addEventListener("resize", scrolled);
    return () => {
      clearTimeout(timer);
      removeEventListener("scroll", scrolled);
      removeEventListener("resize", scrolled);
    };
  }, []);
  const wanted = useRef(Number(fragment().get("at")) || 0);
  useLayoutEffect(() => {
    measure();
    // Scroll once to the row in the address, as soon as the list is high enough.
    const tall = height.peek();
    if (wanted.current > 0 && list.current && tall > 0 && list.current.offsetHeight >= total * tall) {
      const top = scrollY + list.current.getBoundingClientRect().top + wanted.current * tall;
      wanted.current = 0;
      scrollTo(0, top);
    }
  }, [rows.changed.value, total, height.value]);
  const [from, to] = view.value;
  const shown = Array.from({ length: Math.max(Math.min(to, total) - from, 0) }, (_, index) => from + index);
  return (
    <ul ref={list} class="rows" style={height.value ? { height: `${total * height.value}px` } : {}}>
      {shown.map((index) => {
        const game = rows.at(index);
        const place = { position: "absolute" as const, top: `${index * height.value}px` };
        return (
          <li key={index} class="game" style={height.value ? place : {}} aria-setsize={total} aria-posinset={index + 1}>
            {game ? row(game, index) : <p class="quiet" aria-busy="true">…</p>}
          </li>
        );
      })}
    </ul>
  );
}

/** Adds a game to the chosen games, or removes it. */
export function toggled(chosen: Signal<ReadonlySet<number>>, id: number): void {
  const next = new Set(chosen.peek());
  if (!next.delete(id)) next.add(id);
  chosen.value = next;
}
