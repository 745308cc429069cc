// Bars below the graph, on the same scale: how hard each move was to find, and the time for each
// move.
import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Table } from "../rooms/table";
import type { Ply } from "../types";
import { clockText, number, wordsOf } from "../words";

const t = wordsOf({
  hardness: ["How hard each move was to find (1 − ease, {0})", "Wie schwer jeder Zug zu finden war (1 − Leichtigkeit, {0})"],
  times: ["Time for each move", "Bedenkzeit für jeden Zug"],
});

const WIDTH = 1000;
const HEIGHT = 44;

/**
 * The judgement of ease that is shown: for players with the rating of the side to move, or else for
 * the middle level.
 */
const middle = (ply: Ply) => ply.ease?.find((ease) => ease.player !== undefined) ?? ply.ease?.[Math.floor((ply.ease?.length ?? 0) / 2)];

interface Strip {
  name: string;
  /** The value of a bar of full length. */
  longest: string;
  /** The height, 0..=1, and the class of each half-move's bar. */
  bars: [height: number, kind: string][];
}

function strips(table: Table): Strip[] {
  const plies = table.plies.value;
  const found: Strip[] = [];
  const hard = plies.map((ply) => {
    const ease = middle(ply);
    return ease ? 1 - (ease.ease ?? ease.ease_at_most ?? 1) : 0;
  });
  const policy = plies.map(middle).find(Boolean)?.policy;
  if (policy) {
    const longest = Math.max(0.5, ...hard);
    const hardest = table.game.value?.hardest_moments ?? [];
    found.push({
      name: t("hardness", policy),
      longest: number(longest, 2),
      bars: hard.map((value, index) => [value / longest, hardest.includes(index + 1) ? "hard" : "ease"]),
    });
  }
  const times = plies.map((ply) => ply.time_seconds ?? 0);
  const longest = Math.max(0, ...times);
  if (longest > 0) {
    found.push({
      name: t("times"),
      longest: clockText(Math.round(longest)),
      bars: times.map((value) => [value / longest, "time"]),
    });
  }
  return found;
}

export function Strips({ table }: { table: Table }) {
  return (
    <>
      {strips(table).map((strip) => (
        <Bars table={table} strip={strip} />
      ))}
    </>
  );
}

/** A bar for each half-move. White's bars go up, Black's down. */
function Bars({ table, strip }: { table: Table; strip: Strip }) {
  const cursor = useRef<SVGLineElement>(null);
  const length = Math.max(table.length.value, 1);
  const x = (ply: number) => (ply * WIDTH) / length;
  useSignalEffect(() => cursor.current?.setAttribute("transform", `translate(${x(table.ply.value)} 0)`));
  const width = Math.max((WIDTH / length) * 0.7, 1);
  return (
    <div class="strip">
      <p class="quiet">
        {strip.name} <span>{strip.longest}</span>
      </p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerDown={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          table.go(Math.round(((event.clientX - box.left) / box.width) * length));
        }}
      >
        <line class="middle" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} vector-effect="non-scaling-stroke" />
        {strip.bars.map(([share, kind], index) => {
          const height = (share * HEIGHT) / 2;
          const y = table.plies.value[index]?.mover === "white" ? HEIGHT / 2 - height : HEIGHT / 2;
          const left = x(index + 1) - width / 2;
          // The last bar is at the edge of the graph. Cut off the part beyond it.
          return height > 0.1 && <rect class={kind} x={left} y={y} width={Math.min(width, WIDTH - left)} height={height} />;
        })}
        <line ref={cursor} class="cursor" y2={HEIGHT} vector-effect="non-scaling-stroke" />
      </svg>
    </div>
  );
}
