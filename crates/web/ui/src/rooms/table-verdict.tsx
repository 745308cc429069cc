// What the server's endgame tables say about the position on the board.
import { effect, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api, Refusal } from "../api";
import type { TableAnswer } from "../types";
import { number, w, wordsOf } from "../words";
import type { Table } from "./table";
import { settled } from "../viewer/pause";

const t = wordsOf({
  wins: [
    "Endgame tables: {1} wins; the next capture, pawn move or mate comes with the next half-move.|Endgame tables: {1} wins; the next capture, pawn move or mate comes within {0} half-moves.",
    "Endspieltabellen: {1} gewinnt; das nächste Schlagen, der nächste Bauernzug oder das Matt kommt mit dem nächsten Halbzug.|Endspieltabellen: {1} gewinnt; das nächste Schlagen, der nächste Bauernzug oder das Matt kommt binnen {0} Halbzügen.",
  ],
  draw: ["Endgame tables: draw.", "Endspieltabellen: remis."],
  cursed: [
    "Endgame tables: draw by the fifty-move rule. Without the rule {0} would win: a cursed win for {1}, a blessed loss for {2}.",
    "Endspieltabellen: remis durch die 50-Züge-Regel. Ohne sie würde {0} gewinnen: ein verwunschener Gewinn (cursed win) für {1}, ein gesegneter Verlust (blessed loss) für {2}.",
  ],
});

/** Looks up positions with few enough men. */
class LookUp {
  readonly answer = signal<TableAnswer | null>(null);
  readonly mover = signal<"white" | "black">("white");
  readonly stop: () => void;

  constructor(table: Table, men: number) {
    this.stop = effect(() => {
      const at = table.at.value;
      this.answer.value = null;
      if (!at || at.chess.board.occupied.size() > men) return;
      const path = table.path(table.ownPly.value);
      if (!path) return;
      this.mover.value = at.chess.turn;
      const asking = new AbortController();
      void this.ask(path, asking.signal);
      return () => asking.abort();
    });
  }

  private async ask(wanted: Parameters<typeof api.table>[0], aborting: AbortSignal): Promise<void> {
    await settled();
    if (aborting.aborted) return;
    try {
      this.answer.value = await api.table(wanted, aborting);
    } catch (error) {
      // The evaluation stays on the page without the tables.
      if (!aborting.aborted && !(error instanceof Refusal)) throw error;
    }
  }
}

export function TableVerdict({ table, men }: { table: Table; men: number }) {
  const lookUp = useMemo(() => new LookUp(table, men), [table, men]);
  useEffect(() => lookUp.stop, [lookUp]);
  const verdict = lookUp.answer.value?.verdict;
  if (!verdict) return null;
  return <p class="quiet table-verdict">{textOf(verdict, lookUp.mover.value, lookUp.answer.value?.plies ?? 0)}</p>;
}

function textOf(verdict: string, mover: "white" | "black", plies: number): string {
  if (verdict === "draw") return t("draw");
  const isWon = verdict === "win" || verdict === "cursed-win";
  const better = isWon === (mover === "white") ? "white" : "black";
  const isSure = verdict === "win" || verdict === "loss";
  return isSure ? t("wins", number(plies, 0), w(better)) : t("cursed", w(better), w(better), w(better === "white" ? "black" : "white"));
}
