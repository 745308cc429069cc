// Explains the symbol of a move: its evaluations on a graph of the curve, with the limits of the
// symbols.
import { useSignal, useSignalEffect } from "@preact/signals";
import { api, Refusal } from "../api";
import type { Why, Worth } from "../types";
import { Reasons } from "../viewer/reasons";
import { evalText, language, limitText, notation, number, pawnsText, searchLimit, symbolWord, w, wordsOf } from "../words";
import type { Table } from "./table";

const t = wordsOf({
  evaluatedBy: ["Evaluated by", "Bewertet von"],
  ownEvals: ["Evaluations of the game itself", "Bewertungen aus der Partie"],
  aheadBy: ["is ahead of the next best move by", "vor dem nächstbesten um"],
  ofPossible: ["of a possible", "von möglichen"],
  beginsAt: ["begins at", "beginnt bei"],
  toNext: ["{1} needs {0} more", "{0} fehlen zu {1}"],
  noSymbolHere: ["No symbol", "Kein Symbol"],
  heldBack: ["{0} is suppressed: {1}", "{0} wird unterdrückt: {1}"],
});

/** The panel of explanations. It sends requests only while it is open. */
export function WhyPanel({ table }: { table: Table }) {
  const why = useSignal<Why | null>(null);
  const problem = useSignal<string | null>(null);
  useSignalEffect(() => {
    const ply = table.ply.value;
    const judge = { language: language.value, ...table.judge.value };
    const isJudged = ply > 0 && ply <= table.plies.value.length && table.ownPly.value === 0;
    problem.value = null;
    if (!isJudged) {
      why.value = null;
      return;
    }
    const asking = new AbortController();
    api.why(table.id, ply, judge, asking.signal).then(
      (answer) => (why.value = answer),
      (error: unknown) => {
        if (asking.signal.aborted) return;
        if (!(error instanceof Refusal)) throw error;
        why.value = null;
        problem.value = error.message;
      },
    );
    return () => asking.abort();
  });
  const shown = table.shown.value;
  return (
    <div class="why">
      {shown && <Reasons table={table} ply={shown} />}
      {problem.value && <p class="problem">{problem.value}</p>}
      {!shown && table.ply.value === 0 && table.ownPly.value === 0 && <p class="quiet">{w("startPosition")}</p>}
      {why.value && <Fold why={why.value} />}
    </div>
  );
}

/** Details: the numbers from which the symbol follows, and their sources. */
function Fold({ why }: { why: Why }) {
  const rows: [string, Worth, string][] = [
    [w("played"), why.played, "played"],
    ...(why.best.san !== why.played.san ? [[w("best"), why.best, "best"] as [string, Worth, string]] : []),
    ...(why.second ? [[w("second"), why.second, "second"] as [string, Worth, string]] : []),
  ];
  return (
    <details>
      <summary>{w("theSum")}</summary>
      <p class="sum">
        <Sum why={why} />
      </p>
      <CurveDrawing why={why} />
      <table>
        <thead>
          <tr>
            <th scope="col" colSpan={2}>{w("move")}</th>
            <th scope="col">{w("evaluation")}</th>
            <th scope="col">{`${w("worth")} (${w("white")})`}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, worth, kind]) => (
            <tr class={kind}>
              <th scope="row">
                <i aria-hidden="true" /> {name}
              </th>
              <td>{worth.san === null ? "–" : notation(worth.san)}</td>
              <td>{evalText(worth.eval)}</td>
              <td>{number(worth.expected_score, 2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">
        {why.analyst ? `${t("evaluatedBy")} ${why.analyst}, ${searchLimit(why.limit)}` : t("ownEvals")} · {w("curve")} {why.curve}
      </p>
    </details>
  );
}

/** A summary such as "0.22 of a possible 0.55 given away; `?!` begins at 0.125." */
function Sum({ why }: { why: Why }) {
  const size = Math.abs(why.difference);
  const reached = [...why.limits].filter((limit) => (why.difference < 0 ? limit.difference < 0 : limit.difference > 0));
  const byStrength = reached.sort((a, b) => Math.abs(a.difference) - Math.abs(b.difference));
  const name = why.symbol ?? why.suppressed?.symbol;
  const own = byStrength.find((limit) => limit.symbol === name);
  const next = byStrength.find((limit) => Math.abs(limit.difference) > size + 1e-9);
  const lead =
    why.compared_with === "second"
      ? `${notation(why.san)} ${t("aheadBy")} ${number(size, 2)}`
      : `${notation(why.san)} ${w("gaveAway")} ${number(size, 2)} ${t("ofPossible")} ${number(why.possible, 2)}`;
  return (
    <>
      {lead}.{" "}
      {own && (
        <>
          <b class={symbolWord(own.symbol)}>{own.symbol}</b> {t("beginsAt")} {fraction(Math.abs(own.difference))}
          {own.eval_pawns !== null && ` (${limitText(own.eval_pawns, own.symbol.startsWith("!") === (why.mover === "white"))})`}.{" "}
        </>
      )}
      {!own && <>{t("noSymbolHere")}. </>}
      {next && <>{t("toNext", short(Math.abs(next.difference) - size), next.symbol)}. </>}
      {why.suppressed && <>{t("heldBack", why.suppressed.symbol, why.suppressed.text)}.</>}
    </>
  );
}

/**
 * The missing amount to a symbol. Small amounts get four decimals, so that it is never displayed as
 * 0.
 */
const short = (missing: number): string => number(missing, missing < 0.005 ? 4 : 2);

const FRACTIONS: [number, string][] = [
  [3 / 8, "3/8"],
  [1 / 4, "1/4"],
  [1 / 8, "1/8"],
  [5 / 14, "5/14"],
  [3 / 14, "3/14"],
  [1 / 14, "1/14"],
  [3 / 20, "3/20"],
  [1 / 20, "1/20"],
  [1 / 6, "1/6"],
  [1 / 12, "1/12"],
];

const fraction = (value: number): string => FRACTIONS.find(([known]) => Math.abs(known - value) < 1e-9)?.[1] ?? number(value, 3);

const [WIDTH, HEIGHT, REACH] = [320, 150, 6];

/** The curve with the evaluations on it. Bands show where each symbol begins. */
function CurveDrawing({ why }: { why: Why }) {
  const x = (pawns: number) => ((Math.min(Math.max(pawns, -REACH), REACH) + REACH) / (2 * REACH)) * WIDTH;
  const y = (score: number) => (1 - score) * HEIGHT;
  const pawns = (worth: Worth) => ("mate" in worth.eval ? Math.sign(worth.eval.mate || -1) * REACH : worth.eval.cp / 100);
  const drawn = why.points.filter(([at]) => Math.abs(at) <= REACH);
  const path = drawn.map(([at, score]) => `${x(at).toFixed(1)} ${y(score).toFixed(1)}`).join("L");
  const dots: [Worth, "best" | "second" | "played"][] = [[why.best, "best"], [why.played, "played"]];
  if (why.second) dots.splice(1, 0, [why.second, "second"]);
  const label = dots.map(([worth, kind]) => `${w(kind)} ${evalText(worth.eval)}: ${number(worth.expected_score, 2)}`).join(", ");
  const limits = why.limits.filter((limit) => limit.expected_score !== null && Math.sign(limit.difference) === (why.difference < 0 ? -1 : 1));
  return (
    <svg class="curve" viewBox={`-4 -8 ${WIDTH + 30} ${HEIGHT + 26}`} role="img" aria-label={`${w("curve")} ${why.curve}: ${label}`}>
      <rect class="frame" width={WIDTH} height={HEIGHT} />
      <line class="grid" x1={WIDTH / 2} x2={WIDTH / 2} y2={HEIGHT} />
      <line class="grid" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      {limits.map((limit) => (
        <g class={`limit ${symbolWord(limit.symbol)}`}>
          <line x2={WIDTH} y1={y(limit.expected_score!)} y2={y(limit.expected_score!)} />
          <text x={WIDTH + 4} y={y(limit.expected_score!) + 4}>{limit.symbol}</text>
        </g>
      ))}
      <path class="plot" d={`M${path}`} />
      {dots.map(([worth, kind]) => (
        <g class={`dot ${kind}`}>
          <line x1={x(pawns(worth))} x2={x(pawns(worth))} y1={y(worth.expected_score)} y2={HEIGHT} />
          <circle cx={x(pawns(worth))} cy={y(worth.expected_score)} r="5" />
        </g>
      ))}
      {[-4, -2, 0, 2, 4].map((at) => (
        <text class="tick" x={x(at)} y={HEIGHT + 14}>{pawnsText(at).replace(/[.,]00$/, "")}</text>
      ))}
    </svg>
  );
}
