// The board as a grid of 64 cells. Arrow keys move the focus, Enter picks up and drops a piece, and
// letters move the focus to the next piece of that kind.
import { useComputed, useSignal, useSignalEffect, type ReadonlySignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { parseSquare } from "chessops/util";
import type { Piece } from "../names/pieces";
import { w } from "../words";
import { dests, type At, type Key } from "./position";

interface Props {
  at: ReadonlySignal<At | null>;
  flipped: ReadonlySignal<boolean>;
  onTry(from: Key, to: Key): void;
}

const FILES = ["a", "b", "c", "d", "e", "f", "g", "h"];
const ROLES: Record<string, Piece> = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

export function Cells({ at, flipped, onTry }: Props) {
  const grid = useRef<HTMLDivElement>(null);
  const focused = useSignal<Key>("e1");
  const picked = useSignal<{ at: At; key: Key } | null>(null);
  /** The square whose piece is picked up. It is cleared when the position changes. */
  const lifted = useComputed(() => (picked.value?.at === at.value ? (picked.value?.key ?? null) : null));

  const label = (key: Key): string => {
    const piece = at.peek()?.chess.board.get(parseSquare(key)!);
    const what = piece ? `${w(piece.color)} ${w(piece.role)}` : w("empty_square");
    return `${key}, ${what}${lifted.peek() === key ? `, ${w("lifted")}` : ""}`;
  };
  // Change only the cells that differ, so that screen readers do not announce others.
  useSignalEffect(() => {
    void [at.value, lifted.value];
    for (const cell of grid.current?.querySelectorAll<HTMLElement>("[data-key]") ?? []) {
      const text = label(cell.dataset.key as Key);
      if (cell.getAttribute("aria-label") !== text) cell.setAttribute("aria-label", text);
      const isLifted = lifted.value === cell.dataset.key;
      if (cell.classList.contains("lifted") !== isLifted) cell.classList.toggle("lifted", isLifted);
    }
  });

  const focus = (key: Key) => {
    focused.value = key;
    queueMicrotask(() => grid.current?.querySelector<HTMLElement>(`[data-key="${key}"]`)?.focus());
  };
  const walk = (x: number, y: number) => {
    const turn = flipped.peek() ? -1 : 1;
    const file = Math.min(Math.max(focused.peek().charCodeAt(0) - 97 + turn * x, 0), 7);
    const rank = Math.min(Math.max(Number(focused.peek()[1]) + turn * y, 1), 8);
    focus(`${FILES[file]}${rank}` as Key);
  };
  const enter = () => {
    const here = at.peek();
    const [from, to] = [lifted.peek(), focused.peek()];
    if (!here) return;
    if (from && from !== to) {
      picked.value = null;
      if (dests(here.chess, false).get(from)?.includes(to)) onTry(from, to);
      else if (here.chess.board.get(parseSquare(to)!)?.color === here.chess.turn) picked.value = { at: here, key: to };
    } else if (from === to) picked.value = null;
    else if (here.chess.board.get(parseSquare(to)!)?.color === here.chess.turn) picked.value = { at: here, key: to };
  };
  const jump = (letter: string) => {
    const keys = squares(false);
    const role = ROLES[letter];
    const begin = keys.indexOf(focused.peek());
    const next = [...keys.slice(begin + 1), ...keys.slice(0, begin + 1)].find(
      (key) => at.peek()?.chess.board.get(parseSquare(key)!)?.role === role,
    );
    if (next) focus(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = steps[event.key];
    if (step) walk(...step);
    else if (event.key === "Enter" || event.key === " ") enter();
    else if (event.key === "Escape" && lifted.peek()) picked.value = null;
    else if (ROLES[event.key.toLowerCase()]) jump(event.key.toLowerCase());
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const keys = squares(flipped.value);
  return (
    <div ref={grid} class="cells" role="grid" aria-label={w("board")} onKeyDown={onKeyDown}>
      {Array.from({ length: 8 }, (_, row) => (
        <div role="row">
          {keys.slice(8 * row, 8 * row + 8).map((key) => (
            <div
              key={key}
              role="gridcell"
              data-key={key}
              tabIndex={focused.value === key ? 0 : -1}
              aria-label={label(key)}
              onFocus={() => (focused.value = key)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

/** All squares in the order of the screen, from the upper left. */
function squares(flipped: boolean): Key[] {
  const all = Array.from({ length: 64 }, (_, index) => `${FILES[index % 8]}${8 - (index >> 3)}` as Key);
  return flipped ? all.reverse() : all;
}
