// The form of the article "Evaluation Relevance Reduction": it computes the symbols of a move from
// evaluations.
import { useComputed, useSignal, useSignalEffect, type ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, Refusal } from "../api";
import { setAddress } from "../route";
import { chosenCurve, copyText, curveNames, setting, status } from "../state";
import type { Symbols } from "../types";
import { limitText, MOVE_SYMBOLS, number, pawnsText, positionSign, symbolWord, w, wordsOf } from "../words";
import "./form.css";

const t = wordsOf({
  text: [
    "This form calculates the symbol of a move from evaluations: how much did the move give away, or how far is it ahead of the next best move?",
    "Von den Bewertungen eines Zuges zu seinem Symbol: Wie viel hat er verschenkt, wie weit ragt er heraus?",
  ],
  relevant: ["Relevant difference", "Relevanter Unterschied"],
  absolute: ["Absolute difference", "Absoluter Unterschied"],
  byCurve: ["Expected scores by curve", "Erwartete Punkte nach Kurven"],
  copyPgn: ["Copy as PGN", "Als PGN kopieren"],
  side: ["Side", "Seite"],
  slope: ["Slope", "Steigung"],
});

interface Values {
  side: "white" | "black";
  played: string;
  best: string;
  second: string;
  curve: string;
  balance: string;
  slope: string;
  scheme: string;
}

/** The curve with two parameters. The server reads both behind its name. */
const STRETCHED = "relevance-stretched";

/** The curve as the server names it, with a balance that stands outside of the name. */
function askedCurve({ curve, balance, slope }: Values): { curve: string; balance: number | undefined } {
  if (curve === STRETCHED && Number(balance) && Number(slope)) return { curve: `${curve}:${Number(balance)},${Number(slope)}`, balance: undefined };
  return { curve, balance: curve.startsWith("relevance") ? Number(balance) || undefined : undefined };
}

/** The address may name a scheme that does not exist. It has no values. */
type MoveScheme = keyof Symbols["move"];


/** The example of the article. */
const FIRST: Values = { side: "white", played: "-1", best: "2", second: "", curve: "relevance", balance: "0.62", slope: "2", scheme: "s8" };

const REACH = 5;
const [WIDTH, HEIGHT] = [560, 260];

function read(): Values {
  const given = new URLSearchParams(location.search);
  const all = Object.entries(FIRST).map(([name, value]) => [name, given.get(name) ?? value]);
  return Object.fromEntries(all) as Values;
}

/**
 * An evaluation in the syntax of the server. The page displays numbers like `−1,50`, and the user
 * can type them too.
 */
const plain = (text: string): string => text.trim().replace("−", "-").replace(",", ".");

const remembered = setting<string>("form", "");

/**
 * The first values: those in the address, else those of the last visit, with the curve that is
 * chosen for the page.
 */
function begin(): Values {
  if (location.search) return read();
  const last = remembered.get() ? ({ ...FIRST, ...JSON.parse(remembered.get()) } as Values) : FIRST;
  return chosenCurve.peek() ? { ...last, curve: chosenCurve.peek() } : last;
}

export function FormRoom() {
  const values = useSignal<Values>(begin());
  const answer = useSignal<Symbols | null>(null);
  const curve = useSignal<[number, number][]>([]);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    document.title = `${w("form")} · Centipawn`;
  }, []);
  useSignalEffect(() => {
    const now = values.value;
    const asking = new AbortController();
    const query = Object.entries(now).filter(([name, value]) => value !== "" && value !== FIRST[name as keyof Values]);
    setAddress(`/form${query.length ? `?${new URLSearchParams(query)}` : ""}`);
    remembered.set(JSON.stringify(now));
    const { scheme: _, slope: __, ...given } = now;
    const [played, best, second] = [plain(now.played), plain(now.best), plain(now.second) || undefined];
    const asked = { ...given, played, best, second, ...askedCurve(now) };
    api.symbols(asked, asking.signal).then(
      (symbols) => {
        answer.value = symbols;
        problem.value = null;
      },
      (error: unknown) => {
        if (asking.signal.aborted) return;
        if (!(error instanceof Refusal)) throw error;
        problem.value = error.text;
      },
    );
    return () => asking.abort();
  });
  const curveName = useComputed(() => `${values.value.curve} ${values.value.balance} ${values.value.slope}`);
  useSignalEffect(() => {
    void curveName.value;
    const asking = new AbortController();
    api.curve(askedCurve(values.peek()), asking.signal).then(
      ({ points }) => (curve.value = points),
      (error: unknown) => {
        // The form shows the message of a refusal beside the numbers.
        if (!asking.signal.aborted && !(error instanceof Refusal)) throw error;
      },
    );
    return () => asking.abort();
  });
  const set = (change: Partial<Values>) => (values.value = { ...values.peek(), ...change });
  const field = (name: "played" | "best" | "second") => (
    <label>
      {w(name)}
      <input type="text" inputMode="text" value={values.value[name]} onInput={(event) => set({ [name]: event.currentTarget.value })} />
    </label>
  );
  const known = status.value;
  const symbols = answer.value;
  return (
    <main id="main" class="form">
      <h1>{w("form")}</h1>
      <p class="quiet">{t("text")}</p>
      <form class="fields" onSubmit={(event) => event.preventDefault()}>
        <label>
          {t("side")}
          <select value={values.value.side} onChange={(event) => set({ side: event.currentTarget.value as Values["side"] })}>
            <option value="white">{w("white")}</option>
            <option value="black">{w("black")}</option>
          </select>
        </label>
        {field("played")}
        {field("best")}
        {field("second")}
        <label>
          {w("curve")}
          <select value={values.value.curve} onChange={(event) => set({ curve: event.currentTarget.value })}>
            {[...new Set([...curveNames().filter((name) => name !== "auto"), values.value.curve])].map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
        {values.value.curve.startsWith("relevance") && (
          <label>
            {w("balance")}
            <input type="number" min="0.05" max="5" step="0.01" value={values.value.balance} onInput={(event) => set({ balance: event.currentTarget.value })} />
          </label>
        )}
        {values.value.curve === STRETCHED && (
          <label>
            {t("slope")}
            <input type="number" min="0.25" max="20" step="0.05" value={values.value.slope} onInput={(event) => set({ slope: event.currentTarget.value })} />
          </label>
        )}
        <label>
          {w("symbols")}
          <select value={values.value.scheme} onChange={(event) => set({ scheme: event.currentTarget.value })}>
            {(known?.schemes[0] ?? ["s8"]).map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
      </form>
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      {symbols && (
        <div class="answer">
          <Plot symbols={symbols} points={curve.value} given={values} set={set} />
          <Numbers symbols={symbols} scheme={values.value.scheme} />
        </div>
      )}
    </main>
  );
}

/**
 * A graph of the expected scores by the curve. The evaluations are points on it, which can be
 * dragged or moved with arrow keys.
 */
function Plot({ symbols, points: curve, given, set }: { symbols: Symbols; points: [number, number][]; given: ReadonlySignal<Values>; set(change: Partial<Values>): void }) {
  const values = given.value;
  const svg = useRef<SVGSVGElement>(null);
  const dragged = useRef<"played" | "best" | "second" | null>(null);
  const x = (pawns: number) => ((Math.min(Math.max(pawns, -REACH), REACH) + REACH) / (2 * REACH)) * WIDTH;
  const y = (score: number) => (1 - score) * HEIGHT;
  const pawns = (text: string): number | null => {
    const value = Number(plain(text));
    return text.trim() !== "" && Number.isFinite(value) ? value : null;
  };
  const points = (["best", "second", "played"] as const)
    .map((name) => ({ name, at: pawns(values[name]), score: symbols.result[name] }))
    .filter((point): point is { name: "played" | "best" | "second"; at: number; score: number } => point.at !== null && point.score !== null);
  const move = (event: PointerEvent) => {
    if (!dragged.current) return;
    const box = svg.current!.getBoundingClientRect();
    const value = ((event.clientX - box.left) / box.width) * (2 * REACH + 0.4) - REACH - 0.2;
    set({ [dragged.current]: String(Math.round(20 * Math.min(Math.max(value, -REACH), REACH)) / 20) });
  };
  const limits = Object.entries(symbols.limits.move[values.scheme as MoveScheme] ?? {}).filter((entry): entry is [string, number] => entry[1] !== null);
  return (
    <svg
      ref={svg}
      class="plot-area"
      viewBox={`${-0.02 * WIDTH} -16 ${1.04 * WIDTH} ${HEIGHT + 40}`}
      onPointerMove={move}
      onPointerUp={() => (dragged.current = null)}
      onPointerCancel={() => (dragged.current = null)}
    >
      <rect class="frame" width={WIDTH} height={HEIGHT} />
      <line class="grid" x1={WIDTH / 2} x2={WIDTH / 2} y2={HEIGHT} />
      <line class="grid" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      {limits.map(([symbol, at]) =>
        Math.abs(at) > REACH ? null : (
          <g class={`limit ${symbolWord(symbol)}`}>
            <line x1={x(at)} x2={x(at)} y2={HEIGHT} />
            <text x={x(at)} y="-4">{symbol}</text>
          </g>
        ),
      )}
      {curve.length > 0 && (
        <path
          class="plot"
          d={`M${curve.filter(([at]) => Math.abs(at) <= REACH).map(([at, score]) => `${x(at).toFixed(1)} ${y(score).toFixed(1)}`).join("L")}`}
        />
      )}
      {points.length > 1 && (
        <rect
          class="between"
          x={Math.min(...points.slice(0, 1).map((point) => x(point.at)), x(points[points.length - 1]!.at))}
          width={Math.abs(x(points[0]!.at) - x(points[points.length - 1]!.at))}
          y={Math.min(y(points[0]!.score), y(points[points.length - 1]!.score))}
          height={Math.abs(y(points[0]!.score) - y(points[points.length - 1]!.score))}
        />
      )}
      {points.map(({ name, at, score }) => (
        <g
          class={`dot ${name}`}
          role="slider"
          tabindex={0}
          aria-label={w(name)}
          aria-valuemin={-REACH}
          aria-valuemax={REACH}
          aria-valuenow={at}
          aria-valuetext={`${pawnsText(at)}: ${w("expected")} ${number(score, 2)}`}
          onPointerDown={(event) => {
            dragged.current = name;
            svg.current!.setPointerCapture(event.pointerId);
          }}
          onKeyDown={(event) => {
            const steps: Record<string, number> = { ArrowLeft: -0.05, ArrowDown: -0.05, ArrowRight: 0.05, ArrowUp: 0.05, PageUp: 0.5, PageDown: -0.5 };
            const step = steps[event.key];
            if (step === undefined) return;
            event.preventDefault();
            // Key presses can arrive faster than the graph is drawn, so read the current value
            // instead of the drawn one.
            const now = pawns(given.peek()[name]) ?? at;
            set({ [name]: String(Math.round(100 * Math.min(Math.max(now + step, -REACH), REACH)) / 100) });
          }}
        >
          <line x1={x(at)} x2={x(at)} y1={y(score)} y2={HEIGHT} />
          <circle cx={x(at)} cy={y(score)} r="9" />
          <text x={x(at)} y={y(score) - 14}>{w(name)}</text>
        </g>
      ))}
      {[-4, -2, 0, 2, 4].map((at) => (
        <text class="tick" x={x(at)} y={HEIGHT + 16}>{pawnsText(at).replace(/[.,]00$/, "")}</text>
      ))}
    </svg>
  );
}

function Numbers({ symbols, scheme }: { symbols: Symbols; scheme: string }) {
  const own = symbols.move[scheme as MoveScheme] ?? "";
  const nags = [symbols.nag.move[scheme as MoveScheme], Object.values(symbols.nag.position)[0]].filter((nag) => nag !== null && nag !== undefined);
  const pgn = nags.map((nag) => `$${nag}`).join(" ");
  return (
    <div class="numbers">
      <p class="big" aria-live="polite">
        {own ? <b class={symbolWord(own)}>{own}</b> : <span class="quiet">{w("noSymbol")}</span>}
        <span>{positionSign(Object.values(symbols.position)[0] ?? "")}</span>
      </p>
      <table>
        <tbody>
          <tr>
            <th scope="row">{t("relevant")}</th>
            <td>{number(symbols.relevant, 2)}</td>
          </tr>
          <tr>
            <th scope="row">{t("absolute")}</th>
            <td>{symbols.absolute === null ? "–" : number(symbols.absolute, 2)}</td>
          </tr>
          {(["played", "best", "second"] as const).map((name) =>
            symbols.result[name] === null ? null : (
              <tr>
                <th scope="row">{`${w("expected")}, ${w(name)}`}</th>
                <td>{number(symbols.result[name], 3)}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("byCurve")}</th>
            <th scope="col">{w("played")}</th>
            <th scope="col">{w("best")}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(symbols.curves.played).map(([name, score]) => (
            <tr>
              <th scope="row">{name}</th>
              <td>{number(score, 3)}</td>
              <td>{number(symbols.curves.best[name as keyof typeof symbols.curves.best], 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <table>
        <thead>
          <tr>
            <th scope="col">{w("limits")}</th>
            {MOVE_SYMBOLS.map((symbol) => (
              <th scope="col">{symbol}</th>
            ))}
            <th scope="col">{w("symbols")}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(symbols.limits.move).map(([name, limits]) => (
            <tr class={name === scheme ? "chosen" : ""}>
              <th scope="row">{name}</th>
              {MOVE_SYMBOLS.map((symbol) => (
                <td>{limits[symbol] === null ? "–" : limitText(limits[symbol], symbol.startsWith("!") === (symbols.side === "white"))}</td>
              ))}
              <td>
                <b class={symbols.move[name as MoveScheme] ? symbolWord(symbols.move[name as MoveScheme]) : ""}>{symbols.move[name as MoveScheme]}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <button type="button" onClick={() => void copyText(pgn)}>{`${t("copyPgn")}: ${pgn}`}</button>
      </p>
    </div>
  );
}
