// Graphs of the room Calibration: chances by evaluation, expected score by rating, balance by
// material, and the limits of symbols.
import { useComputed, type ReadonlySignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Curve, People, Symbols } from "../types";
import { limitText, number, pawnsText, positionSign, symbolWord, w } from "../words";
import { Axes, path, scale } from "./axes";
import { t } from "./curve-words";

export const TIMES = [
  ["60+0", "bullet"],
  ["180+2", "blitz"],
  ["600+0", "rapid"],
  ["5400+30", "classical"],
] as const;
export const RATINGS = [700, 2900] as const;
export const REACH = 6;
const [WIDTH, HEIGHT] = [560, 280];

/** The rating and time of the human curve, and the evaluation that is shown. */
export interface Values {
  rating: number;
  time: string;
  eval: number;
}

export const percent = (share: number) => `${number(100 * share, 0)} %`;
const shortPawns = (pawns: number) => pawnsText(pawns).replace(/[.,]00$/, "");

/**
 * Win, draw and loss by evaluation as bands, with the expected scores for humans and for the
 * engine. The user can drag the cursor.
 */
export function Chances({ values, curve, engine, name, set }: { values: ReadonlySignal<{ eval: number }>; curve: Curve; engine: Curve; name: string; set(change: { eval: number }): void }) {
  const svg = useRef<SVGSVGElement>(null);
  const drags = useRef(false);
  const now = values.value;
  const x = scale(-REACH, REACH, 0, WIDTH);
  const y = scale(0, 1, HEIGHT, 0);
  const drawn = curve.points.map(([pawns], index) => ({ pawns, wdl: curve.wdl?.[index], score: curve.points[index]![1] })).filter(({ pawns }) => Math.abs(pawns) <= REACH);
  const band = (top: number[], bottom: number[]) =>
    `${path(drawn.map(({ pawns }, index): [number, number] => [x(pawns), y(top[index]!)]))}L${path(
      drawn.map(({ pawns }, index): [number, number] => [x(pawns), y(bottom[index]!)]).reverse(),
    ).slice(1)}Z`;
  const wins = drawn.map(({ wdl, score }) => wdl?.win ?? score);
  const notLost = drawn.map(({ wdl, score }) => 1 - (wdl?.loss ?? 1 - score));
  const engineLine = engine.points.filter(([pawns]) => Math.abs(pawns) <= REACH).map(([pawns, score]): [number, number] => [x(pawns), y(score)]);
  const ownLine = drawn.map(({ pawns, score }): [number, number] => [x(pawns), y(score)]);
  const pull = (event: PointerEvent) => {
    const box = svg.current!.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * (WIDTH + 64) - 48;
    set({ eval: Math.round(10 * x.back(place)) / 10 });
  };
  const score = curve.score ?? 0;
  return (
    <svg
      ref={svg}
      class="drawing"
      viewBox={`-48 -26 ${WIDTH + 64} ${HEIGHT + 68}`}
      onPointerDown={(event) => {
        drags.current = true;
        svg.current!.setPointerCapture(event.pointerId);
        pull(event);
      }}
      onPointerMove={(event) => drags.current && pull(event)}
      onPointerUp={() => (drags.current = false)}
      onPointerCancel={() => (drags.current = false)}
    >
      <Axes
        x={x}
        y={y}
        width={WIDTH}
        height={HEIGHT}
        xs={[-6, -4, -2, 0, 2, 4, 6].map((at) => [at, shortPawns(at)])}
        ys={[0, 0.25, 0.5, 0.75, 1].map((at) => [at, `${100 * at} %`])}
        xName={t("pawns")}
        yName={t("share")}
      >
        <rect class="draw-area" width={WIDTH} height={HEIGHT} />
        <path class="black-area" d={band(drawn.map(() => 1), notLost)} />
        <path class="white-area" d={band(wins, drawn.map(() => 0))} />
      </Axes>
      <text class="in win-name" x={WIDTH - 12} y={HEIGHT - 14}>{w("win")}</text>
      <text class="in loss-name" x="12" y="24">{w("loss")}</text>
      <path class="plot engine" d={path(engineLine)} />
      <path class="plot" d={path(ownLine)} />
      <g
        class="cursor-dot"
        role="slider"
        tabindex={0}
        aria-label={t("eval")}
        aria-valuemin={-REACH}
        aria-valuemax={REACH}
        aria-valuenow={now.eval}
        aria-valuetext={`${pawnsText(now.eval)}: ${t("score")} ${number(score, 2)}`}
        onKeyDown={(event) => {
          const steps: Record<string, number> = { ArrowLeft: -0.1, ArrowDown: -0.1, ArrowRight: 0.1, ArrowUp: 0.1, PageUp: 1, PageDown: -1 };
          const step = steps[event.key];
          if (step === undefined) return;
          event.preventDefault();
          set({ eval: Math.round(10 * Math.min(Math.max(values.peek().eval + step, -REACH), REACH)) / 10 });
        }}
      >
        <line x1={x(now.eval)} x2={x(now.eval)} y2={HEIGHT} />
        <circle class="engine" cx={x(now.eval)} cy={y(engine.score ?? 0)} r="5" />
        <circle cx={x(now.eval)} cy={y(score)} r="8" />
      </g>
      <g class="names" aria-hidden="true">
        <line class="plot" x1={WIDTH - 244} x2={WIDTH - 220} y1="-12" y2="-12" />
        <text x={WIDTH - 214} y="-8">{name}</text>
        <line class="plot engine" x1={WIDTH - 104} x2={WIDTH - 80} y1="-12" y2="-12" />
        <text x={WIDTH - 74} y="-8">{t("stockfish")}</text>
      </g>
    </svg>
  );
}

/** The expected score of the evaluation by rating, with a line for each time control. */
export function ByRating({ values, people, set }: { values: ReadonlySignal<Values>; people: People; set(change: Partial<Values>): void }) {
  const svg = useRef<SVGSVGElement>(null);
  const now = values.value;
  const times = [...new Set([...TIMES.map(([time]) => time as string), now.time])];
  const all = people.scores.flat();
  const [low, high] = now.eval >= 0 ? [0.5, Math.max(0.75, Math.ceil(20 * Math.max(...all)) / 20)] : [Math.min(0.25, Math.floor(20 * Math.min(...all)) / 20), 0.5];
  const x = scale(RATINGS[0], RATINGS[1], 0, WIDTH - 70);
  const y = scale(low, high, HEIGHT, 0);
  const ticks = useComputed(() => [1000, 1400, 1800, 2200, 2600]);
  const ys = Array.from({ length: 6 }, (_, index) => low + ((high - low) * index) / 5);
  const name = (time: string) => {
    const word = TIMES.find(([known]) => known === time)?.[1];
    return word ? t(word) : time;
  };
  const ends = places(times.map((_, index) => y(people.scores[index]?.at(-1) ?? 0.5)));
  return (
    <svg
      ref={svg}
      class="drawing"
      viewBox={`-48 -26 ${WIDTH + 64} ${HEIGHT + 68}`}
      role="img"
      aria-label={`${t("byRating", pawnsText(now.eval))}: ${times.map((time, index) => `${name(time)} ${[1000, 1800, 2600].map((rating) => `${rating} ${percent(people.scores[index]?.[people.ratings.indexOf(rating)] ?? 0)}`).join(", ")}`).join("; ")}`}
      onClick={(event) => {
        const box = svg.current!.getBoundingClientRect();
        set({ rating: Math.round(x.back(((event.clientX - box.left) / box.width) * (WIDTH + 64) - 48) / 50) * 50 });
      }}
    >
      <Axes
        x={x}
        y={y}
        width={WIDTH - 70}
        height={HEIGHT}
        xs={ticks.value.map((at) => [at, String(at)])}
        ys={ys.map((at) => [at, percent(at)])}
        xName={t("rating")}
        yName={t("score")}
      />
      <line class="here" x1={x(now.rating)} x2={x(now.rating)} y2={HEIGHT} />
      {times.map((time, index) => (
        <g class={`by${time === now.time ? " chosen-line" : ""}`}>
          <path class="plot" d={path(people.ratings.map((rating, at): [number, number] => [x(rating), y(people.scores[index]?.[at] ?? 0.5)]))} />
          <text x={WIDTH - 64} y={ends[index]! + 4}>{name(time)}</text>
        </g>
      ))}
      {people.scores[times.indexOf(now.time)] && (
        <circle class="here" cx={x(now.rating)} cy={y(between(people.ratings, people.scores[times.indexOf(now.time)]!, now.rating))} r="7" />
      )}
    </svg>
  );
}

/** Interpolates linearly between known values. */
function between(places: number[], values: number[], at: number): number {
  const next = Math.max(places.findIndex((place) => place >= at), 1);
  const share = (at - places[next - 1]!) / (places[next]! - places[next - 1]!);
  return values[next - 1]! + share * (values[next]! - values[next - 1]!);
}

/**
 * The evaluation that wins half of the games, by material on the board. Nothing if it does not
 * depend on the material.
 */
export function ByMaterial({ curve, material, set }: { curve: Curve; material: number; set(change: { material: number }): void }) {
  const svg = useRef<SVGSVGElement>(null);
  const all = curve.balances.map(([, balance]) => balance);
  const most = Math.ceil(10 * Math.max(...all)) / 10;
  if (Math.max(...all) - Math.min(...all) < 0.005) return null;
  const x = scale(curve.balances[0]![0], curve.balances.at(-1)![0], 0, WIDTH);
  const y = scale(0, most, HEIGHT, 0);
  const step = most <= 1 ? 0.2 : most <= 3 ? 0.5 : 1;
  const ticks = Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => index * step);
  return (
    <figure>
      <figcaption>{t("byMaterial")}</figcaption>
      <svg
        ref={svg}
        class="drawing"
        viewBox={`-48 -26 ${WIDTH + 64} ${HEIGHT + 68}`}
        role="img"
        aria-label={`${t("byMaterial")}: ${curve.balances.filter(([at]) => at % 20 === 0).map(([at, balance]) => `${at}: ${pawnsText(balance)}`).join(", ")}`}
        onClick={(event) => {
          const box = svg.current!.getBoundingClientRect();
          set({ material: Math.round(x.back(((event.clientX - box.left) / box.width) * (WIDTH + 64) - 48)) });
        }}
      >
        <Axes
          x={x}
          y={y}
          width={WIDTH}
          height={HEIGHT}
          xs={[20, 30, 40, 50, 60, 70].map((at) => [at, String(at)])}
          ys={ticks.map((at) => [at, pawnsText(at)])}
          xName={t("material")}
          yName={t("pawns")}
        />
        <line class="here" x1={x(material)} x2={x(material)} y2={HEIGHT} />
        <path class="plot" d={path(curve.balances.map(([at, balance]): [number, number] => [x(at), y(balance)]))} />
        <circle class="here" cx={x(material)} cy={y(curve.balance)} r="7" />
      </svg>
    </figure>
  );
}

/** Moves labels apart that would overlap. */
function places(wanted: number[]): number[] {
  const order = wanted.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  for (let index = 1; index < order.length; index++) {
    order[index]!.place = Math.max(order[index]!.place, order[index - 1]!.place + 16);
  }
  const placed = [...wanted];
  for (const { place, index } of order) placed[index] = place;
  return placed;
}

const BLAME = ["?!", "?", "??"] as const;

/**
 * The limits of all symbols. `command` has the arguments that print the same on the command line.
 */
export function Limits({ evaluation, symbols, command }: { evaluation: number; symbols: Symbols; command: string }) {
  const position = symbols.limits.position.s40 ?? [];
  return (
    <section class="limits-table">
      <h2>{t("limitsTitle")}</h2>
      <p>{t("limitsText", pawnsText(evaluation))}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("scheme")}</th>
            {BLAME.map((symbol) => (
              <th scope="col">
                <b class={symbolWord(symbol)}>{symbol}</b> {w(symbolWord(symbol))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.entries(symbols.limits.move).map(([name, limits]) => (
            <tr>
              <th scope="row">{name}</th>
              {BLAME.map((symbol) => (
                <td>{limits[symbol] === null ? t("never") : limitText(limits[symbol], false)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {t("positionText")}{" "}
        {["+=", "+/-", "+-", "++-"].map((sign, index) =>
          position[index] === null || position[index] === undefined ? null : (
            <span class="sign-limit">
              <b>{positionSign(sign)}</b> {limitText(position[index], true)}
            </span>
          ),
        )}
      </p>
      <p class="quiet">
        {t("shell")}: <code>{`centipawn symbols ${command} --played ${evaluation} --best ${evaluation}`}</code>
      </p>
    </section>
  );
}
