// Arrows on request: the moves that humans play here, or what the opponent threatens.
import { effect, signal } from "@preact/signals";
import type { DrawShape } from "@lichess-org/chessground/draw";
import { api, Refusal } from "../api";
import type { Table } from "../rooms/table";
import { evalText, notation, w } from "../words";
import { humanArrows } from "./human-arrows";
import type { Key } from "./position";
import { settled } from "./pause";

const NODES = 20_000;
export class Hints {
  readonly kind = signal<"" | "humans" | "threat">("");
  readonly arrows = signal<DrawShape[]>([]);
  /** Why there are no arrows. */
  readonly problem = signal("");
  private readonly stop: () => void;

  constructor(table: Table) {
    this.stop = effect(() => {
      const [at, kind] = [table.at.value, this.kind.value];
      this.arrows.value = [];
      this.problem.value = "";
      const path = table.path(table.ownPly.value);
      if (!kind || !at || !path) return;
      const asking = new AbortController();
      const ask = async () => {
        await settled();
        if (asking.signal.aborted) return;
        try {
          this.arrows.value = kind === "humans" ? await this.humans(table, path, asking.signal) : await this.threat(table, at.fen, asking.signal);
        } catch (error) {
          if (asking.signal.aborted || !(error instanceof Refusal)) return;
          // Show the arrows of the review again.
          this.kind.value = "";
          this.problem.value = error.message;
        }
      };
      void ask();
      return () => asking.abort();
    });
  }

  close(): void {
    this.stop();
  }

  toggle(kind: "humans" | "threat"): void {
    this.kind.value = this.kind.peek() === kind ? "" : kind;
  }

  /** The moves of humans with the rating of the side to move, or 1500 if it is unknown. */
  private async humans(table: Table, path: { fen: string; chess960: boolean; moves: string[] }, signal: AbortSignal): Promise<DrawShape[]> {
    const tag = table.at.peek()?.chess.turn === "white" ? "WhiteElo" : "BlackElo";
    const rating = Number(table.moves.peek()?.headers.find(([name]) => name === tag)?.[1]) || 1500;
    const answer = await api.ease({ ...path, limit: `${NODES} nodes` }, signal);
    const nearest = answer.levels.reduce((best, level) => (Math.abs(level.level - rating) < Math.abs(best.level - rating) ? level : best));
    const likely = nearest.moves.slice(0, 3).map((move) => `${notation(move.san)} ${Math.round(100 * move.p)} %`);
    table.said.value = `${nearest.level}: ${likely.join(", ")}`;
    return humanArrows(nearest);
  }

  /** The best move of the side that is not to move. */
  private async threat(table: Table, fen: string, signal: AbortSignal): Promise<DrawShape[]> {
    const parts = fen.split(" ");
    parts[1] = parts[1] === "w" ? "b" : "w";
    parts[3] = "-";
    if (table.at.peek()?.chess.isCheck()) return [];
    const { lines } = await api.lines({ fen: parts.join(" "), chess960: table.moves.peek()?.chess960 ?? false, moves: [], nodes: NODES, lines: 1 }, signal);
    const line = lines[0];
    if (!line?.uci[0]) return [];
    table.said.value = `${w("threat")}: ${notation(line.san[0] ?? "")}, ${evalText(line.eval)}`;
    return [{ orig: line.uci[0].slice(0, 2) as Key, dest: line.uci[0].slice(2, 4) as Key, brush: "red" }];
  }
}
