// Win, draw and loss by move, with moments, and the loss of each move: two graphs with a common
// cursor.
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Table, Worth } from "../rooms/table";
import { evalText, notation, number, spoken, symbolWord, w } from "../words";
import { Strips } from "./strips";

const WIDTH = 1000;
const HEIGHT = 150;
const LOSS = 44;
const GAP = 8;
const TOTAL = HEIGHT + GAP + LOSS;

export function Graph({ table }: { table: Table }) {
  const svg = useRef<SVGSVGElement>(null);
  const cursor = useRef<SVGGElement>(null);
  const hovered = useSignal<number | null>(null);
  const dragging = useRef(false);
  const x = (ply: number) => (ply * WIDTH) / Math.max(table.length.peek(), 1);

  useSignalEffect(() => {
    cursor.current?.setAttribute("transform", `translate(${x(table.ply.value)} 0)`);
    void table.length.value;
  });
  const at = (event: PointerEvent) => {
    const box = svg.current!.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    return Math.round(share * table.length.peek());
  };
  const caption = useComputed(() => {
    const ply = hovered.value ?? table.ply.value;
    return { ply, text: reading(table, ply, notation) };
  });
  const step = (event: KeyboardEvent) => {
    const steps: Record<string, () => void> = {
      ArrowLeft: () => table.go(table.ply.peek() - 1),
      ArrowDown: () => table.go(table.ply.peek() - 1),
      ArrowRight: () => table.go(table.ply.peek() + 1),
      ArrowUp: () => table.go(table.ply.peek() + 1),
      PageUp: () => table.go(table.ply.peek() + 10),
      PageDown: () => table.go(table.ply.peek() - 10),
    };
    const action = steps[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  return (
    <figure class="graph">
      <svg
        ref={svg}
        viewBox={`0 0 ${WIDTH} ${TOTAL}`}
        preserveAspectRatio="none"
        tabindex={0}
        role="slider"
        aria-label={w("graph")}
        aria-valuemin={0}
        aria-valuemax={table.length.value}
        aria-valuenow={table.ply.value}
        aria-valuetext={reading(table, table.ply.value)}
        onKeyDown={step}
        onPointerDown={(event) => {
          dragging.current = true;
          svg.current!.setPointerCapture(event.pointerId);
          table.go(at(event));
        }}
        onPointerMove={(event) => {
          const ply = at(event);
          hovered.value = ply;
          if (dragging.current) table.go(ply);
        }}
        onPointerUp={() => (dragging.current = false)}
        onPointerCancel={() => (dragging.current = false)}
        onPointerLeave={() => (hovered.value = null)}
      >
        <Areas table={table} x={x} />
        <Losses table={table} x={x} />
        <g ref={cursor} class="cursor">
          <line y1="0" y2={TOTAL} vector-effect="non-scaling-stroke" />
        </g>
      </svg>
      <Moments table={table} />
      <figcaption>
        <span aria-hidden="true">{caption.value.text}</span>
        <span class="key" aria-hidden="true">
          <i class="black-area" /> {w("black")} <i class="draw-area" /> {w("draw")} <i class="white-area" /> {w("white")}
        </span>
      </figcaption>
      {table.plies.value.some((ply) => ply.ease?.length || ply.time_seconds !== null) && <Strips table={table} />}
    </figure>
  );
}

/** The bands of win, draw and loss. Each run of known positions is drawn separately. */
function Areas({ table, x }: { table: Table; x(ply: number): number }) {
  const worths = table.worths.value;
  const runs: [number, Worth][][] = [];
  worths.forEach((worth, ply) => {
    if (!worth) return;
    const last = runs[runs.length - 1];
    if (last && last[last.length - 1]![0] === ply - 1) last.push([ply, worth]);
    else runs.push([[ply, worth]]);
  });
  const hasDraws = worths.some((worth) => worth?.wdl && worth.wdl.draw > 0);
  return (
    <g class="areas">
      <rect class="unknown" width={WIDTH} height={HEIGHT} />
      {runs.map((run) => {
        const loss = run.map(([ply, worth]): [number, number] => [x(ply), HEIGHT * lossOf(worth, hasDraws ? run[1]?.[1].wdl : null)]);
        const win = run.map(([ply, worth]): [number, number] => [x(ply), HEIGHT * (1 - winOf(worth, hasDraws ? run[1]?.[1].wdl : null))]);
        const score = run.map(([ply, worth]): [number, number] => [x(ply), HEIGHT * (1 - worth.score)]);
        const left = x(run[0]![0]);
        const right = x(run[run.length - 1]![0]);
        return (
          <>
            <rect class="draw-area" x={left} width={Math.max(right - left, 2)} height={HEIGHT} />
            <path class="black-area" d={`M${left} 0${line(loss)}L${right} 0Z`} />
            <path class="white-area" d={`M${left} ${HEIGHT}${line(win)}L${right} ${HEIGHT}Z`} />
            {hasDraws && <path class="score" d={`M${score.map((point) => point.map(short).join(" ")).join("L")}`} vector-effect="non-scaling-stroke" />}
          </>
        );
      })}
      <line class="half" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} vector-effect="non-scaling-stroke" />
    </g>
  );
}

/**
 * Before the first move only the expected score is known. The share of draws is assumed to be that
 * after the move.
 */
const winOf = (worth: Worth, near: Worth["wdl"] | undefined) =>
  worth.wdl ? worth.wdl.win : near ? Math.min(Math.max(worth.score - near.draw / 2, 0), 1) : worth.score;
const lossOf = (worth: Worth, near: Worth["wdl"] | undefined) =>
  worth.wdl ? worth.wdl.loss : near ? Math.min(Math.max(1 - worth.score - near.draw / 2, 0), 1) : 1 - worth.score;

const short = (value: number) => Math.round(10 * value) / 10;
const line = (points: [number, number][]) => points.map((point) => `L${point.map(short).join(" ")}`).join("");

/** The losses of moves: White's above a middle line, Black's below it. */
function Losses({ table, x }: { table: Table; x(ply: number): number }) {
  const middle = HEIGHT + GAP + LOSS / 2;
  const width = Math.max((WIDTH / Math.max(table.length.value, 1)) * 0.7, 1);
  return (
    <g class="losses">
      <line x2={WIDTH} y1={middle} y2={middle} vector-effect="non-scaling-stroke" />
      {table.plies.value
        .filter((ply) => ply.score_loss > 0.005)
        .map((ply) => {
          const height = Math.min(ply.score_loss / 0.5, 1) * (LOSS / 2);
          const y = ply.mover === "white" ? middle - height : middle;
          return <rect class={ply.symbol ? symbolWord(ply.symbol) : ""} x={x(ply.ply) - width / 2} y={y} width={width} height={height} />;
        })}
    </g>
  );
}

/** Signs for moments above the graph. They are not part of its SVG, which is stretched. */
function Moments({ table }: { table: Table }) {
  const length = Math.max(table.length.value, 1);
  return (
    <svg class="moments" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {table.plies.value
        .filter((ply) => ply.symbol)
        .map((ply) => (
          <path
            class={symbolWord(ply.symbol!)}
            d={`M${(100 * ply.ply) / length} ${(100 - 100 * ply.expected_score) * (HEIGHT / TOTAL)}h0`}
            vector-effect="non-scaling-stroke"
          />
        ))}
    </svg>
  );
}

/** Describes a position of the game in one sentence. */
export function reading(table: Table, ply: number, say = spoken): string {
  const worth = table.worths.value[ply];
  const played = table.plies.value[ply - 1];
  const san = table.moves.value?.san[ply - 1];
  const name = ply === 0 ? w("startPosition") : `${w("move")} ${moveNumber(table, ply)} ${san ? say(san) : ""}`;
  if (!worth) return name;
  const share = (value: number) => Math.round(100 * value);
  const chances = worth.wdl
    ? `${w("win")} ${share(worth.wdl.win)} %, ${w("draw")} ${share(worth.wdl.draw)} %, ${w("loss")} ${share(worth.wdl.loss)} %`
    : `${w("expected")} ${number(worth.score, 2)}`;
  const lost = played && played.score_loss >= 0.005 ? `; ${w("gaveAway")} ${number(played.score_loss, 2)}` : "";
  return `${name}: ${evalText(worth.eval)}, ${chances}${lost}`;
}

/** The move number of a half-move: `12` for White, `12…` for Black. */
export function moveNumber(table: Table, ply: number): string {
  const [, turn, , , , first] = (table.moves.value?.fen ?? "").split(" ");
  const before = ply - 1 + (turn === "b" ? 1 : 0);
  return `${Number(first ?? 1) + (before >> 1)}${before % 2 ? " …" : "."}`;
}
