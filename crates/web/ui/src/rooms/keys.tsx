// Keys at the board. Most are those of Lichess' analysis board.
import { hasReasons } from "../api";
import { setting } from "../state";
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { moveOf } from "../viewer/position";
import { reading } from "../viewer/graph";
import { w } from "../words";
import type { Hints } from "../viewer/hints";
import type { Live } from "./live";
import { annotate, isAnnotating } from "./own-note";
import { PracticeRun } from "./practise";
import { showsArrows, type Tab } from "./review";
import type { Table } from "./table";

interface Room {
  table: Table;
  live: Live;
  hints: Hints;
  practice: Signal<PracticeRun | null>;
  tab: Signal<Tab>;
  help: Signal<boolean>;
  asked: Signal<Asked | null>;
}

/**
 * A question whose answer the user types. `take` returns a message if the answer is invalid,
 * otherwise nothing.
 */
export interface Asked {
  label: string;
  take(text: string): string | null;
}

/** Whether letters work as keys. */
export const letters = setting<"on" | "off">("letters", "on");

/**
 * The number of the review and the side that the user practises. It is kept for this tab, so that
 * practice continues after a reload.
 */
const practising = setting<string>("practising", "", () => sessionStorage);

/** Keys for actions that need a server. */
export const NEEDS_SERVER = ["l", "h", "x", "z", "r", "e"];

export function useKeys(room: Room): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => press(room, event);
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [room.table]);
}

function press({ table, live, hints, practice, tab, help, asked }: Room, event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog[open]")) return;
  const isLetter = event.key.length === 1;
  if (isLetter && letters.get() === "off" && event.key !== "?") return;
  if (event.key === " " && target.closest("button, a, summary")) return;
  // While an exercise is open, keys must not answer it or show the solution.
  if (practice.peek()) {
    if (event.key === "Escape") endPractice(practice);
    return;
  }
  if (HAS_SERVER && annotate(table, event.key)) {
    event.preventDefault();
    return;
  }
  const shift = event.shiftKey;
  const actions: Record<string, () => void> = {
    ArrowLeft: () => (shift ? table.goOwn(0) : table.step(-1)),
    ArrowRight: () => (shift ? table.goOwn(table.own.peek().length) : table.step(1)),
    ArrowUp: () => table.go(0),
    ArrowDown: () => table.go(table.length.peek()),
    Home: () => table.go(0),
    End: () => table.go(table.length.peek()),
    j: () => table.step(-1),
    k: () => table.step(1),
    n: () => table.toMoment(1),
    p: () => table.toMoment(-1),
    b: () => table.toMoment(1, ["??"]),
    m: () => table.toMoment(1, ["?"]),
    i: () => table.toMoment(1, ["?!"]),
    f: () => (table.flipped.value = !table.flipped.peek()),
    l: () => (live.isOn.value = !live.isOn.peek()),
    z: () => {
      live.isOn.value = false;
      hints.kind.value = "";
    },
    x: () => hints.toggle("threat"),
    h: () => hints.toggle("humans"),
    g: () => (asked.value = goTo(table)),
    a: () => (showsArrows.value = !showsArrows.peek()),
    w: () => hasReasons && (tab.value = tab.peek() === "why" ? "moves" : "why"),
    r: () => {
      const side = table.mine.peek() ?? (table.flipped.peek() ? "black" : "white");
      if (table.isWhole.peek()) practise(table, practice, side);
    },
    c: () => say(table),
    e: () => (isAnnotating.value = !isAnnotating.peek()),
    " ": () => {
      // After own moves the review has no best move.
      const next = table.ownPly.peek() > 0 ? undefined : table.plies.peek()[table.ply.peek()];
      const best = live.answer.peek()?.lines[0]?.uci[0] ?? next?.lines[0]?.uci[0];
      if (best) table.play(best);
    },
    "/": () => (asked.value = typeMove(table)),
    Escape: () => (tab.value = "moves"),
    "?": () => (help.value = true),
  };
  const pressed = isLetter ? event.key.toLowerCase() : event.key;
  const action = actions[pressed];
  if (!action || (!HAS_SERVER && NEEDS_SERVER.includes(pressed))) return;
  event.preventDefault();
  action();
}

/** Starts to practise the mistakes of a side, or continues. */
export function practise(table: Table, practice: Signal<PracticeRun | null>, side: "white" | "black", isReload?: boolean): void {
  // Pages without a server do not contain the practice.
  if (!HAS_SERVER) return;
  practising.set(`${table.id} ${side}`);
  practice.value = new PracticeRun(table, side, isReload);
}

/** Continues the practice that a reload interrupted. */
export function resumePractice(table: Table, practice: Signal<PracticeRun | null>): void {
  const [id, side] = practising.get().split(" ");
  if (Number(id) === table.id) practise(table, practice, side === "black" ? "black" : "white", true);
}

export function endPractice(practice: Signal<PracticeRun | null>): void {
  practising.set("");
  practice.peek()?.close();
  practice.value = null;
}

/** Repeats the evaluation in the live region. */
function say(table: Table): void {
  // Screen readers do not announce a text that stays the same, so clear it first.
  table.said.value = "";
  table.said.value = reading(table, table.ply.peek());
}

function typeMove(table: Table): Asked {
  return {
    label: w("typeMove"),
    take: (typed) => {
      const at = table.at.peek();
      const uci = at && moveOf(at.chess, typed, table.moves.peek()?.chess960 ?? false);
      if (!uci) return `${typed} ${w("notLegal")}`;
      table.play(uci);
      return null;
    },
  };
}

/** Asks for a move number: `14` is White's 14th move, `14b` is Black's. */
function goTo(table: Table): Asked {
  return {
    label: w("goTo"),
    take: (typed) => {
      const [, number, black] = /^(\d+)\s*(\.\.\.|…|b|s)?/i.exec(typed.trim()) ?? [];
      if (!number) return w("goToText");
      const [, turn, , , , first] = (table.moves.peek()?.fen ?? "").split(" ");
      const before = 2 * (Number(number) - Number(first ?? 1)) + (black ? 1 : 0) - (turn === "b" ? 1 : 0);
      table.go(before + 1);
      return null;
    },
  };
}

export function Ask({ asked, onClose }: { asked: Asked; onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const problem = useSignal<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="ask" aria-labelledby="asked" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          problem.value = asked.take(String(new FormData(event.currentTarget).get("text")));
          if (problem.value === null) dialog.current?.close();
        }}
      >
        <label id="asked">
          {asked.label}
          <input name="text" autocomplete="off" spellcheck={false} aria-invalid={problem.value !== null} />
        </label>
        {problem.value !== null && <p role="alert">{problem.value}</p>}
      </form>
    </dialog>
  );
}
