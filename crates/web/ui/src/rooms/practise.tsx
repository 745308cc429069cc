// Practice: before each mistake of a game, the user finds a better move. A move is correct if it
// loses less than the `?!` threshold. A wrong move is refuted on the board.
import { batch, computed, signal } from "@preact/signals";
import type { DrawShape } from "@lichess-org/chessground/draw";
import { useEffect, useRef } from "preact/hooks";
import { api, Refusal } from "../api";
import type { Ply } from "../types";
import { after, start, type At, type Key } from "../viewer/position";
import { playOut, refutation } from "../viewer/refute";
import { halfMoves, isolated, lineText, notation, number, w } from "../words";
import { askAgain, keep, progressOf, type Progress } from "./practise-progress";
import { moveHint, reasonHint, t } from "./practise-words";
import type { Table } from "./table";

type Said = { kind: "ask" | "right" | "wrong" | "wait" | "shown" | "problem"; text: string };

const isBlamed = (symbol: string | null) => ["?!", "?", "??"].includes(symbol ?? "");

/** Moves that refute a wrong move. */
type Line = { uci: string[]; san: string[] };

export class PracticeRun {
  /**
   * How many moves would be mistakes, but are known theory. They have no symbol and are not
   * exercises.
   */
  readonly theory: number;
  readonly progress: { readonly value: Progress; peek(): Progress };
  readonly said = signal<Said>({ kind: "ask", text: "" });
  /** The hints shown so far: the reason in words, the piece, the squares. */
  readonly hints = signal<string[]>([]);
  /**
   * The position while a try or its refutation is shown; `null` for the position of the exercise.
   */
  private readonly tryAt = signal<At | null>(null);
  private readonly mistakes: ReadonlyMap<number, Ply>;
  private readonly kept;
  readonly mistake = computed<Ply | null>(() => {
    const { queue, index } = this.progress.value;
    return this.mistakes.get(queue[index] ?? 0) ?? null;
  });
  readonly isRepeated = computed(() => {
    const { queue, index } = this.progress.value;
    return queue.indexOf(queue[index]!) < index;
  });
  readonly at = computed<At | null>(() => this.tryAt.value ?? (this.mistake.value ? this.before(this.mistake.value) : null));
  readonly arrows = computed<DrawShape[]>(() => {
    const best = this.mistake.value && this.best(this.mistake.value);
    if (!best || this.tryAt.value) return [];
    const [orig, dest] = [best.uci.slice(0, 2) as Key, best.uci.slice(2, 4) as Key];
    if (this.said.value.kind === "shown") return [{ orig, dest, brush: "green" }];
    return this.hintsSeen.value === 3 ? [{ orig, dest, brush: "blue" }] : [];
  });
  private readonly hintsSeen = signal(0);
  /** Identifies the running animation or request. A change makes earlier ones stop. */
  private playing = 0;

  constructor(
    private readonly table: Table,
    readonly side: "white" | "black",
    isReload = false,
  ) {
    const own = table.plies.peek().filter((ply) => ply.mover === side);
    const asked = own.filter(({ symbol }) => isBlamed(symbol));
    this.theory = own.filter(({ suppressed }) => suppressed?.reason === "theory" && isBlamed(suppressed.symbol)).length;
    this.mistakes = new Map(asked.map((ply) => [ply.ply, ply]));
    const kept = progressOf(table.id, side, asked, isReload);
    // A mistake that was finished before the reload is not asked again.
    this.kept = signal(kept.isOver ? { ...kept, index: kept.index + 1, spent: 0, isOver: false } : kept);
    this.progress = this.kept;
    table.flipped.value = side === "black";
    this.ask();
  }

  /** Ignores answers that arrive later. */
  close(): void {
    this.playing++;
  }

  private set(change: Partial<Progress>): void {
    this.kept.value = { ...this.kept.peek(), ...change };
    keep(this.table.id, this.side, this.kept.peek());
  }

  private before(mistake: Ply): At {
    const at = start(mistake.fen);
    const previous = this.table.plies.peek()[mistake.ply - 2];
    return { ...at, last: previous ? ([previous.uci.slice(0, 2), previous.uci.slice(2, 4)] as Key[]) : undefined };
  }

  /** A better move from the review. */
  private best(mistake: Ply): { uci: string; san: string } | null {
    const line = [...(mistake.better ? [mistake.better] : []), ...mistake.lines].find((line) => line.uci[0] !== mistake.uci);
    return line?.uci[0] && line.san[0] ? { uci: line.uci[0], san: line.san[0] } : null;
  }

  private ask(): void {
    const mistake = this.mistake.peek();
    this.playing++;
    batch(() => {
      this.tryAt.value = null;
      this.hints.value = [];
      this.hintsSeen.value = 0;
      if (!mistake) return;
      const name = this.table.game.peek()?.[mistake.mover].name ?? "";
      const move = `${mistake.move_number}${mistake.mover === "white" ? "." : "…"} ${notation(mistake.san)}${mistake.symbol ?? ""}`;
      this.said.value = { kind: "ask", text: t("find", isolated(name), move) };
    });
  }

  async tried(uci: string): Promise<void> {
    const mistake = this.mistake.peek();
    if (!mistake) return;
    const before = this.before(mistake);
    const next = after(before, uci);
    const moves = this.table.moves.peek();
    if (!next || !moves || this.tryAt.peek() || ["wait", "right", "shown"].includes(this.said.peek().kind)) return;
    const turn = ++this.playing;
    this.tryAt.value = next.at;
    if (uci === this.best(mistake)?.uci) return this.right(next.san);
    const path = { fen: moves.fen, chess960: moves.chess960, moves: [...moves.uci.slice(0, mistake.ply - 1), uci] };
    if (uci === mistake.uci) return this.wrong(next.at, mistake, this.knownLine(mistake), path);
    this.said.value = { kind: "wait", text: w("judging") };
    try {
      const { ply } = await api.move({ ...path, ...this.table.judgedBy() });
      if (turn !== this.playing) return;
      if (!isBlamed(ply.symbol)) return this.right(ply.san);
      await this.wrong(next.at, ply, reasonLine(ply), path);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (turn !== this.playing) return;
      this.tryAt.value = null;
      this.said.value = { kind: "problem", text: error.message };
    }
  }

  /**
   * A line that refutes the game's own move: the line of the reason, or the engine's next moves.
   */
  private knownLine(mistake: Ply): Line | null {
    const reply = this.table.plies.peek()[mistake.ply]?.lines[0];
    return reasonLine(mistake) ?? (reply?.uci[0] ? { uci: reply.uci.slice(0, 3), san: reply.san.slice(0, 3) } : null);
  }

  private right(san: string): void {
    const { spent } = this.progress.peek();
    const isRepeated = this.isRepeated.peek();
    const word = isRepeated ? "found" : spent === 0 ? "first" : spent === 1 ? "second" : "missed";
    this.said.value = { kind: "right", text: t(word, notation(san)) };
    this.finish();
  }

  /** Records the result. A missed mistake is added to the queue again. */
  private finish(): void {
    const { queue, index, spent, results, foundLater } = this.progress.peek();
    const mistake = this.mistake.peek()!;
    if (this.isRepeated.peek()) return this.set({ isOver: true, foundLater: spent < 2 ? [...foundLater, mistake.ply] : foundLater });
    const result = spent === 0 ? "first" : spent === 1 ? "second" : "missed";
    const motif = mistake.reason?.motif;
    const isSameIdea = (ply: number) => motif !== undefined && this.mistakes.get(ply)?.reason?.motif === motif;
    this.set({
      isOver: true,
      results: { ...results, [mistake.ply]: result },
      queue: result === "missed" ? askAgain(queue, index, isSameIdea) : queue,
    });
  }

  private async wrong(at: At, judged: Ply, known: Line | null, path: { fen: string; chess960: boolean; moves: string[] }): Promise<void> {
    const turn = this.playing;
    this.set({ spent: this.progress.peek().spent + 1 });
    const text = t("wrong", notation(judged.san), number(judged.score_loss, 2));
    this.said.value = { kind: "wrong", text };
    const line = known ?? (await refutation(path));
    if (turn !== this.playing) return;
    const half = halfMoves(path.fen) + path.moves.length;
    const why = judged.reason?.kind === "allows" ? `${judged.reason.text} ` : "";
    this.said.value = { kind: "wrong", text: `${text} ${line ? `${why}${t("refuted", lineText(half, line.san))}` : t("noLine")}` };
    await playOut(at, line?.uci ?? [], (shown) => (this.tryAt.value = shown), () => turn !== this.playing);
    if (turn === this.playing) this.takeBack();
  }

  /** Returns to the position of the exercise. Stops a refutation that is being shown. */
  takeBack(): void {
    this.playing++;
    this.tryAt.value = null;
  }

  get isTrying(): boolean {
    return this.tryAt.value !== null;
  }

  /**
   * Shows the next hint: the reason in words if one is known, then the piece, then the squares. A
   * hint counts as a try, the squares as two.
   */
  hint(): void {
    const mistake = this.mistake.peek();
    const best = mistake && this.best(mistake);
    if (!mistake || !best) return;
    this.takeBack();
    const at = this.before(mistake);
    const words = this.hintsSeen.peek() === 0 ? reasonHint(mistake, at, notation(mistake.san)) : "";
    const seen = words ? 1 : Math.max(this.hintsSeen.peek(), 1) + 1;
    const { spent } = this.progress.peek();
    batch(() => {
      this.hintsSeen.value = seen;
      this.hints.value = [...this.hints.peek(), words || moveHint(at, best.uci, seen === 3)];
      this.set({ spent: Math.max(spent, seen === 3 ? 2 : 1) });
    });
  }

  get hasHint(): boolean {
    return this.hintsSeen.value < 3 && this.mistake.value !== null && this.best(this.mistake.value) !== null;
  }

  show(): void {
    const mistake = this.mistake.peek();
    const best = mistake && this.best(mistake);
    if (!mistake) return;
    this.takeBack();
    const line = mistake.better?.san ?? (best ? [best.san] : []);
    const half = halfMoves(this.table.moves.peek()?.fen ?? "") + mistake.ply - 1;
    batch(() => {
      this.said.value = { kind: "shown", text: best ? t("shown", lineText(half, line)) : t("unknown") };
      this.set({ spent: 2 });
      this.finish();
    });
  }

  next(): void {
    const { isOver } = this.progress.peek();
    if (!isOver) {
      this.set({ spent: 2 });
      this.finish();
    }
    this.set({ index: this.progress.peek().index + 1, spent: 0, isOver: false });
    this.ask();
  }

  startOver(): void {
    this.set({ queue: [...this.mistakes.keys()], index: 0, spent: 0, isOver: false, results: {}, foundLater: [] });
    this.ask();
  }

  /**
   * A summary: how many were found with the first try, with the second, not at all, and in the
   * repetition.
   */
  summary(): string {
    const { results, foundLater } = this.progress.value;
    const count = (result: string) => Object.values(results).filter((other) => other === result).length;
    if (this.mistakes.size === 0) return t("nothing");
    const later = foundLater.length > 0 ? ` ${t("foundLater", foundLater.length)}` : "";
    return t("summary", count("first"), count("second"), count("missed")) + later;
  }
}

/** The line of a reason that shows what the move allows the opponent. It is empty if the move itself draws. */
const reasonLine = ({ reason }: Ply): Line | null => (reason?.kind === "allows" && reason.uci.length > 0 ? reason : null);

export function Practise({ run, onEnd }: { run: PracticeRun; onEnd(): void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that started the practice no longer exists, so move the focus here for keyboards and
  // screen readers.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const { kind, text } = run.said.value;
  const isOver = !run.mistake.value;
  const { queue, index } = run.progress.value;
  const isOpen = !isOver && kind !== "right" && kind !== "shown";
  return (
    <div class="practice">
      <h2 ref={heading} tabIndex={-1}>{w("practise")}</h2>
      <p class="quiet">
        {Math.min(index + 1, queue.length)} / {queue.length}
        {!isOver && run.isRepeated.value && ` · ${t("askedAgain")}`}
      </p>
      <div class={`said ${isOver ? "" : kind}`} role="status">
        <p>{isOver ? run.summary() : text}</p>
        {isOpen && run.hints.value.map((hint) => <p class="hint">{hint}</p>)}
      </div>
      <p class="buttons">
        {isOpen && run.isTrying && kind === "wrong" && (
          <button type="button" onClick={() => run.takeBack()}>{t("tryAgain")}</button>
        )}
        {isOpen && run.hasHint && (
          <button type="button" disabled={kind === "wait"} onClick={() => run.hint()}>{t("hint")}</button>
        )}
        {isOpen && (
          <button type="button" disabled={kind === "wait"} onClick={() => run.show()}>{t("show")}</button>
        )}
        {!isOver && (
          <button type="button" class={isOpen ? "" : "main"} onClick={() => run.next()}>{t("next")}</button>
        )}
        {isOver && queue.length > 0 && <button type="button" onClick={() => run.startOver()}>{t("startOver")}</button>}
        <button type="button" onClick={onEnd}>{t("end")}</button>
      </p>
      {run.theory > 0 && <p class="quiet">{t("theory", run.theory)}</p>}
    </div>
  );
}
