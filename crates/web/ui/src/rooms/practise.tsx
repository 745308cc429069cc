// Practise: before each mistake, find better. Right is what loses less than `?!`.
import { computed, signal } from "@preact/signals";
import type { DrawShape } from "@lichess-org/chessground/draw";
import { api, Refusal } from "../api";
import type { Ply } from "../types";
import { after, start, type At, type Key } from "../viewer/position";
import { isolated, notation, number, w } from "../words";
import type { Table } from "./table";

type Said = { kind: "ask" | "right" | "wrong" | "wait" | "shown" | "problem"; text: string };

export class PracticeRun {
  readonly mistakes: Ply[];
  readonly index = signal(0);
  readonly found = signal(0);
  readonly said = signal<Said>({ kind: "ask", text: "" });
  /** The position after a try; back to the exercise's when it was wrong. */
  private readonly tryAt = signal<At | null>(null);
  readonly at = computed<At | null>(() => this.tryAt.value ?? (this.mistake.value ? this.before(this.mistake.value) : null));
  readonly mistake = computed<Ply | null>(() => this.mistakes[this.index.value] ?? null);
  readonly arrows = computed<DrawShape[]>(() => {
    const mistake = this.mistake.value;
    if (!mistake || this.said.value.kind !== "shown") return [];
    const best = this.best(mistake);
    return best ? [{ orig: best.uci.slice(0, 2) as Key, dest: best.uci.slice(2, 4) as Key, brush: "green" }] : [];
  });
  private hasErred = false;

  constructor(
    private readonly table: Table,
    side: "white" | "black",
  ) {
    this.mistakes = table.plies.peek().filter((ply) => ply.mover === side && ["?!", "?", "??"].includes(ply.symbol ?? ""));
    table.flipped.value = side === "black";
    this.ask();
  }

  private before(mistake: Ply): At {
    const at = start(mistake.fen);
    const previous = this.table.plies.peek()[mistake.ply - 2];
    return { ...at, last: previous ? ([previous.uci.slice(0, 2), previous.uci.slice(2, 4)] as Key[]) : undefined };
  }

  private best(mistake: Ply): { uci: string; san: string } | null {
    const line = mistake.lines.find((line) => line.uci[0] !== mistake.uci);
    return line?.uci[0] && line.san[0] ? { uci: line.uci[0], san: line.san[0] } : null;
  }

  private ask(): void {
    const mistake = this.mistake.peek();
    this.tryAt.value = null;
    this.hasErred = false;
    if (!mistake) return;
    const name = this.table.game.peek()?.[mistake.mover].name ?? "";
    const move = `${mistake.move_number}${mistake.mover === "white" ? "." : "…"} ${notation(mistake.san)}${mistake.symbol ?? ""}`;
    this.said.value = { kind: "ask", text: w("findBetter", isolated(name), move) };
  }

  async tried(uci: string): Promise<void> {
    const mistake = this.mistake.peek();
    if (!mistake || !["ask", "wrong", "problem"].includes(this.said.peek().kind)) return;
    const next = after(this.before(mistake), uci);
    const moves = this.table.moves.peek();
    if (!next || !moves) return;
    this.tryAt.value = next.at;
    this.said.value = { kind: "wait", text: w("judging") };
    try {
      const path = { fen: moves.fen, chess960: moves.chess960, moves: [...moves.uci.slice(0, mistake.ply - 1), uci] };
      const { ply } = await api.move({ ...path, ...this.table.judgedBy() });
      const isRight = uci !== mistake.uci && !["?!", "?", "??"].includes(ply.symbol ?? "");
      if (isRight) {
        if (!this.hasErred) this.found.value++;
        this.said.value = { kind: "right", text: w("right", notation(ply.san)) };
      } else {
        this.hasErred = true;
        this.tryAt.value = null;
        this.said.value = { kind: "wrong", text: w("wrong", notation(ply.san), number(ply.score_loss, 2)) };
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.tryAt.value = null;
      this.said.value = { kind: "problem", text: error.message };
    }
  }

  show(): void {
    const mistake = this.mistake.peek();
    const best = mistake && this.best(mistake);
    this.hasErred = true;
    this.tryAt.value = null;
    this.said.value = { kind: "shown", text: best ? `${w("better")}: ${notation(best.san)}` : "" };
  }

  next(): void {
    this.index.value++;
    this.ask();
  }
}

export function Practise({ run, onEnd }: { run: PracticeRun; onEnd(): void }) {
  const { kind, text } = run.said.value;
  const isOver = !run.mistake.value;
  return (
    <div class="practice">
      <h2>{w("practise")}</h2>
      <p class="quiet">
        {Math.min(run.index.value + 1, run.mistakes.length)} / {run.mistakes.length}
      </p>
      <p class={`said ${kind}`} role="status">
        {isOver ? w("practiseEnd", run.found.value, run.mistakes.length) : text}
      </p>
      <p class="buttons">
        {!isOver && kind !== "right" && kind !== "shown" && (
          <button type="button" disabled={kind === "wait"} onClick={() => run.show()}>{w("show")}</button>
        )}
        {!isOver && (
          <button type="button" class={kind === "right" ? "main" : ""} onClick={() => run.next()}>{w("next")}</button>
        )}
        <button type="button" onClick={onEnd}>{w("end")}</button>
      </p>
    </div>
  );
}
