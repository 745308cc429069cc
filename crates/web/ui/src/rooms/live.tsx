// Live engine lines. Each request doubles the nodes of the last one. Another position cancels the
// running request.
import { effect, signal } from "@preact/signals";
import { api, Refusal } from "../api";
import type { Lines } from "../types";
import { evalText, halfMoves, lineText, number, w } from "../words";
import type { Table } from "./table";
import { settled } from "../viewer/pause";

const FIRST = 25_000;
const LAST = 6_400_000;
export class Live {
  readonly isOn = signal(false);
  readonly answer = signal<Lines | null>(null);
  readonly problem = signal<string | null>(null);
  private readonly stop: () => void;

  constructor(table: Table) {
    this.stop = effect(() => {
      void table.at.value;
      const isOn = this.isOn.value;
      const path = isOn ? table.path(table.ownPly.value) : null;
      this.answer.value = null;
      this.problem.value = null;
      if (!path) return;
      const asking = new AbortController();
      void this.climb(path, asking.signal);
      return () => asking.abort();
    });
  }

  close(): void {
    this.stop();
  }

  private async climb(path: { fen: string; chess960: boolean; moves: string[] }, signal: AbortSignal): Promise<void> {
    await settled();
    for (let nodes = FIRST; nodes <= LAST && !signal.aborted; nodes *= 2) {
      try {
        this.answer.value = await api.lines({ ...path, nodes, lines: 3 }, signal);
        if (this.answer.value.lines.length === 0) return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Refusal)) throw error;
        this.problem.value = error.message;
        return;
      }
    }
  }
}

export function EngineLines({ live, table }: { live: Live; table: Table }) {
  const answer = live.answer.value;
  return (
    <div class="live">
      <button type="button" aria-pressed={live.isOn.value} onClick={() => (live.isOn.value = !live.isOn.peek())}>
        {live.isOn.value ? w("stopEngine") : w("startEngine")}
      </button>
      {live.isOn.value && answer && (
        <span class="quiet">{`${answer.engine}, ${w("depth")} ${answer.depth}, ${number(answer.nodes, 0)}`}</span>
      )}
      {live.problem.value && <span class="problem">{live.problem.value}</span>}
      {live.isOn.value && (
        <ol>
          {answer?.lines.map((line) => (
            <li>
              <button type="button" class="plain" onClick={() => line.uci[0] && table.play(line.uci[0])}>
                <b>{evalText(line.eval)}</b> {lineText(halfMoves(answer.fen), line.san)}
              </button>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
