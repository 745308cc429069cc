// The board. Chessground draws it for mouse and touch. A grid of 64 labelled cells above it serves
// keyboards and screen readers.
import { Chessground } from "@lichess-org/chessground";
import type { Api } from "@lichess-org/chessground/api";
import type { DrawShape } from "@lichess-org/chessground/draw";
import { useSignal, useSignalEffect, type ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Role } from "chessops/types";
import { symbolWord, w } from "../words";
import { Cells } from "./cells";
import { drawn } from "./drawn";
import { dests, isPromotion, uciOf, type At, type Key } from "./position";

export interface Mark {
  symbol: string;
  at: Key;
}

interface Props {
  at: ReadonlySignal<At | null>;
  flipped: ReadonlySignal<boolean>;
  arrows: ReadonlySignal<DrawShape[]>;
  mark: ReadonlySignal<Mark | null>;
  chess960: boolean;
  onMove(uci: string): void;
}

const focus = (button: HTMLElement | null) => button?.focus();

const PROMOTIONS: Role[] = ["queen", "knight", "rook", "bishop"];

export function Board({ at, flipped, arrows, mark, chess960, onMove }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const ground = useRef<Api>(null);
  const promoting = useSignal<[Key, Key] | null>(null);
  /** The element that had the focus before the choice of a promotion. */
  const before = useRef<Element | null>(null);

  const show = (here: At) => {
    const turn = here.chess.turn;
    ground.current?.set({
      fen: here.fen,
      turnColor: turn,
      check: here.chess.isCheck(),
      lastMove: here.last,
      movable: { color: turn, dests: dests(here.chess, chess960) },
    });
  };
  /**
   * Reports a move. Chessground has already moved the piece and allows no other move. So if the
   * page does not accept the move, the position is drawn again.
   */
  const play = (here: At, uci: string) => {
    onMove(uci);
    if (at.peek() === here) show(here);
  };
  const tried = (from: Key, to: Key) => {
    const here = at.peek();
    if (!here) return;
    if (isPromotion(here.chess, from, to)) {
      before.current = document.activeElement;
      promoting.value = [from, to];
    } else play(here, uciOf(here.chess, from, to, chess960));
  };
  /** Ends the choice of a promotion: promotes to `role`, or takes the pawn back if it is `null`. */
  const chosen = (role: Role | null) => {
    const here = at.peek();
    const [from, to] = promoting.peek()!;
    promoting.value = null;
    if (before.current instanceof HTMLElement) before.current.focus();
    if (here && role) play(here, uciOf(here.chess, from, to, chess960, role));
    else if (here) show(here);
  };

  useEffect(() => {
    ground.current = Chessground(element.current!, {
      animation: { duration: 150, enabled: !matchMedia("(prefers-reduced-motion: reduce)").matches },
      movable: { free: false, showDests: true, events: { after: (from, to) => tried(from as Key, to as Key) } },
      draggable: { showGhost: true },
      drawable: { brushes: BRUSHES },
      highlight: { lastMove: true, check: true },
      coordinatesOnSquares: false,
    });
    const resized = new ResizeObserver(() => {
      // A hidden board has size 0, and arrows could not be drawn.
      if (!element.current?.clientWidth) return;
      ground.current?.redrawAll();
      // print.css uses this size, because the pieces keep their positions in pixels.
      element.current.parentElement!.style.setProperty("--size", `${element.current.clientWidth}px`);
    });
    resized.observe(element.current!);
    return () => {
      resized.disconnect();
      ground.current?.destroy();
    };
  }, []);

  useSignalEffect(() => {
    const here = at.value;
    if (!here) return;
    promoting.value = null;
    ground.current?.set({ orientation: flipped.value ? "black" : "white" });
    show(here);
  });
  useSignalEffect(() => {
    const { fen, shapes } = drawn.value;
    ground.current?.setAutoShapes(fen === at.value?.fen ? [...shapes, ...arrows.value] : arrows.value);
  });

  return (
    <div class="board">
      <div ref={element} class="ground" aria-hidden="true" />
      <SymbolOnSquare mark={mark} flipped={flipped} />
      <Cells at={at} flipped={flipped} onTry={tried} />
      {promoting.value && (
        <div
          class="promotion"
          role="group"
          aria-label={w("promoteTo")}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            chosen(null);
          }}
        >
          {PROMOTIONS.map((role, index) => (
            <button type="button" ref={index === 0 ? focus : undefined} onClick={() => chosen(role)}>
              {w(role)}
            </button>
          ))}
          <button type="button" onClick={() => chosen(null)}>{w("cancel")}</button>
        </div>
      )}
    </div>
  );
}

const BRUSHES = Object.fromEntries(
  [
    ["green", "#15781b"],
    ["red", "#b3151b"],
    ["blue", "#1c5c8c"],
    ["yellow", "#c27500"],
  ].map(([key, color]) => [key!, { key: key!, color: color!, opacity: 0.85, lineWidth: 9 }]),
) as never;

/** The symbol of the last move, on the corner of its target square. */
function SymbolOnSquare({ mark, flipped }: Pick<Props, "mark" | "flipped">) {
  const here = mark.value;
  if (!here) return null;
  const [file, rank] = [here.at.charCodeAt(0) - 97, Number(here.at[1]) - 1];
  const [x, y] = flipped.value ? [7 - file, rank] : [file, 7 - rank];
  return (
    <svg class="mark" viewBox="0 0 100 100" aria-hidden="true">
      <g transform={`translate(${Math.min(12.5 * x + 11.5, 96)} ${Math.max(12.5 * y + 1, 4)})`} class={symbolWord(here.symbol)}>
        <circle r="3.3" />
        <text y="1.45">{here.symbol}</text>
      </g>
    </svg>
  );
}

interface Picture {
  fen: string;
  /** The squares of the last move. */
  last: Key[] | undefined;
  side: "white" | "black";
  /** What the picture shows, in words. */
  label: string;
}

/** A position as a picture, from the side of the player who moves. */
export function Diagram({ fen, last, side, label }: Picture) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const ground = Chessground(element.current!, {
      fen,
      orientation: side,
      lastMove: last,
      viewOnly: true,
      coordinates: false,
      drawable: { enabled: false, visible: false },
      animation: { enabled: false },
    });
    const resized = new ResizeObserver(() => ground.redrawAll());
    resized.observe(element.current!);
    return () => {
      resized.disconnect();
      ground.destroy();
    };
  }, [fen, side]);
  return (
    <figure class="diagram">
      <div class="picture" role="img" aria-label={label}>
        <div ref={element} class="ground" aria-hidden="true" />
      </div>
      <figcaption class="quiet">{label}</figcaption>
    </figure>
  );
}
