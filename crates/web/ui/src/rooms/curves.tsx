// Calibration: what an evaluation is worth to people, by their rating and their time.
import { batch, useComputed, useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { api, Refusal } from "../api";
import { chosenCurve, curveName } from "../state";
import type { Curve, People, Symbols } from "../types";
import { number, pawnsText, positionSign, symbolWord, w, wordsOf } from "../words";
import { Axes, path, scale } from "./axes";
import "./curves.css";

const t = wordsOf({
  title: ["What is {0} worth to you?", "Was ist dir {0} wert?"],
  text: [
    "An engine that is one pawn ahead wins half of its games. People win fewer, and the weaker they play and the less time they have, the more often the game turns. Measured on 2,352 games from one minute online to masters’ classical games.",
    "Eine Engine gewinnt mit einem Bauern Vorsprung die Hälfte ihrer Partien. Menschen gewinnen weniger, und je schwächer sie spielen und je weniger Zeit sie haben, desto öfter dreht sich die Partie. Gemessen an 2.352 Partien, von einer Minute im Netz bis zu den klassischen Partien der Meister.",
  ],
  rating: ["Rating of the players", "Wertungszahl der Spieler"],
  time: ["Time for the game", "Bedenkzeit"],
  other: ["Other", "Andere"],
  timeText: ["seconds + seconds a move", "Sekunden + Sekunden je Zug"],
  bullet: ["1 min", "1 Min."],
  blitz: ["3 + 2", "3 + 2"],
  rapid: ["10 min", "10 Min."],
  classical: ["90 + 30", "90 + 30"],
  eval: ["Evaluation", "Bewertung"],
  worth: ["{0} of the points", "{0} der Punkte"],
  engine: ["An engine expects {0}.", "Eine Engine erwartet {0}."],
  chances: ["You win {0} of such games, draw {1} and lose {2}.", "Du gewinnst {0} solcher Partien, {1} enden remis, {2} verlierst du."],
  half: ["Won half the time from {0} on", "In der Hälfte der Partien gewonnen ab {0}"],
  engineHalf: ["for the engine from {0} on", "für die Engine ab {0}"],
  plotTitle: ["Win, draw and loss by evaluation", "Gewinn, Remis und Verlust nach Bewertung"],
  pawns: ["Evaluation in pawns", "Bewertung in Bauern"],
  share: ["Games", "Partien"],
  score: ["Expected score", "Erwartungswert"],
  you: ["you", "du"],
  stockfish: ["Stockfish", "Stockfish"],
  byRating: ["What {0} is worth by rating", "Was {0} nach Wertungszahl wert ist"],
  limitsTitle: ["Symbols under this curve", "Symbole unter dieser Kurve"],
  limitsText: [
    "The best move keeps {0}. A move that leaves less than this gets the symbol:",
    "Der beste Zug hält {0}. Ein Zug, nach dem weniger bleibt als das, bekommt das Symbol:",
  ],
  scheme: ["Scheme", "Schema"],
  never: ["never", "nie"],
  positionText: ["White stands better from", "Weiß steht besser ab"],
  use: ["Use on this page", "Auf dieser Seite verwenden"],
  used: ["Reviews and the form use this curve.", "Analysen und Formular verwenden diese Kurve."],
  usedOther: ["Reviews and the form use: {0}.", "Analysen und Formular verwenden: {0}."],
  drop: ["Use each game’s own again", "Wieder die jeder Partie verwenden"],
  shell: ["On the command line", "Auf der Kommandozeile"],
});

interface Values {
  rating: number;
  time: string;
  eval: number;
}

const FIRST: Values = { rating: 1600, time: "600+0", eval: 1 };
const TIMES = [
  ["60+0", "bullet"],
  ["180+2", "blitz"],
  ["600+0", "rapid"],
  ["5400+30", "classical"],
] as const;
const RATINGS = [700, 2900] as const;
const REACH = 6;
const [WIDTH, HEIGHT] = [560, 280];

function read(): Values {
  const given = new URLSearchParams(location.search);
  const known = (name: string, [least, most]: readonly [number, number], value: number) => {
    const number = Number(given.get(name) ?? value);
    return Number.isFinite(number) ? Math.min(Math.max(number, least), most) : value;
  };
  return { rating: known("rating", RATINGS, FIRST.rating), time: given.get("time") ?? FIRST.time, eval: known("eval", [-REACH, REACH], FIRST.eval) };
}

const percent = (share: number) => `${number(100 * share, 0)} %`;
const shortPawns = (pawns: number) => pawnsText(pawns).replace(/[.,]00$/, "");

export function CurvesRoom() {
  const values = useSignal<Values>(read());
  const curve = useSignal<Curve | null>(null);
  const engine = useSignal<Curve | null>(null);
  const symbols = useSignal<Symbols | null>(null);
  const people = useSignal<People | null>(null);
  const problem = useSignal<string | null>(null);
  const set = (change: Partial<Values>) => (values.value = { ...values.peek(), ...change });

  useSignalEffect(() => {
    const now = values.value;
    document.title = `${t("title", pawnsText(now.eval))} · Centipawn`;
    const query = Object.entries(now).filter(([name, value]) => value !== FIRST[name as keyof Values]);
    const text = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    history.replaceState(null, "", `/curves${text ? `?${text}` : ""}`);
    const asking = new AbortController();
    const name = curveName(now.rating, now.time);
    const times = [...new Set([...TIMES.map(([time]) => time as string), now.time])];
    Promise.all([
      api.curve({ curve: name, eval: now.eval }, asking.signal),
      api.curve({ curve: "stockfish", eval: now.eval }, asking.signal),
      api.symbols({ side: "white", played: String(now.eval), best: String(now.eval), curve: name }, asking.signal),
      api.people(now.eval, times, asking.signal),
    ]).then(
      (answers) =>
        batch(() => {
          [curve.value, engine.value, symbols.value, people.value] = answers;
          problem.value = null;
        }),
      (error: unknown) => {
        if (asking.signal.aborted) return;
        if (!(error instanceof Refusal)) throw error;
        problem.value = `${error.message}. ${error.hint}`;
      },
    );
    return () => asking.abort();
  });

  const now = values.value;
  return (
    <main id="main" class="curves">
      <h1>{t("title", pawnsText(now.eval))}</h1>
      <p class="quiet lead">{t("text")}</p>
      <Choice values={values} set={set} />
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      {curve.value && engine.value && symbols.value && people.value ? (
        <>
          <Answer now={now} curve={curve.value} engine={engine.value} />
          <div class="plots">
            <figure>
              <figcaption>{t("plotTitle")}</figcaption>
              <Chances values={values} curve={curve.value} engine={engine.value} set={set} />
            </figure>
            <figure>
              <figcaption>{t("byRating", pawnsText(now.eval))}</figcaption>
              <ByRating values={values} people={people.value} set={set} />
            </figure>
          </div>
          <Limits now={now} symbols={symbols.value} />
        </>
      ) : (
        <p class="quiet" aria-busy="true">{w("wait")}</p>
      )}
    </main>
  );
}

function Choice({ values, set }: { values: Signal<Values>; set(change: Partial<Values>): void }) {
  const now = values.value;
  const isKnown = TIMES.some(([time]) => time === now.time);
  const typed = useSignal(isKnown ? "900+10" : now.time);
  return (
    <form class="choice" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>{t("rating")}</span>
        <b class="value">{now.rating}</b>
        <input
          type="range"
          min={RATINGS[0]}
          max={RATINGS[1]}
          step="50"
          value={now.rating}
          onInput={(event) => set({ rating: event.currentTarget.valueAsNumber })}
        />
      </label>
      <fieldset>
        <legend>{t("time")}</legend>
        <div class="pills">
          {TIMES.map(([time, word]) => (
            <label>
              <input type="radio" name="control" checked={now.time === time} onChange={() => set({ time })} />
              <span>{t(word)}</span>
            </label>
          ))}
          <label>
            <input type="radio" name="control" checked={!isKnown} onChange={() => set({ time: typed.peek() })} />
            <span>{t("other")}</span>
          </label>
          {!isKnown && (
            <input
              type="text"
              class="own-time"
              aria-label={t("timeText")}
              title={t("timeText")}
              value={typed.value}
              onInput={(event) => {
                typed.value = event.currentTarget.value;
                if (/^\d+\+\d+$/.test(typed.value)) set({ time: typed.value });
              }}
            />
          )}
        </div>
      </fieldset>
      <label>
        <span>{t("eval")}</span>
        <b class="value">{pawnsText(now.eval)}</b>
        <input
          type="range"
          min={-REACH}
          max={REACH}
          step="0.1"
          value={now.eval}
          aria-valuetext={pawnsText(now.eval)}
          onInput={(event) => set({ eval: event.currentTarget.valueAsNumber })}
        />
      </label>
    </form>
  );
}

function Answer({ now, curve, engine }: { now: Values; curve: Curve; engine: Curve }) {
  const name = curveName(now.rating, now.time);
  const own = chosenCurve.value;
  return (
    <section class="worth" aria-live="polite">
      <p class="big">{t("worth", percent(curve.score ?? 0))}</p>
      <p>
        {curve.chances && `${t("chances", percent(curve.chances.win), percent(curve.chances.draw), percent(curve.chances.loss))} `}
        {t("engine", percent(engine.score ?? 0))}
      </p>
      <p class="quiet">{`${t("half", pawnsText(curve.balance))}, ${t("engineHalf", pawnsText(engine.balance))}.`}</p>
      <p class="buttons">
        {own !== name && (
          <button type="button" class="main" onClick={() => (chosenCurve.value = name)}>{t("use")}</button>
        )}
        {own && (
          <>
            <span class="quiet">{own === name ? t("used") : t("usedOther", own)}</span>
            <button type="button" onClick={() => (chosenCurve.value = "")}>{t("drop")}</button>
          </>
        )}
      </p>
    </section>
  );
}

/** Bands of win, draw and loss by evaluation, with the expected scores of people and engine, under a cursor that is dragged. */
function Chances({ values, curve, engine, set }: { values: Signal<Values>; curve: Curve; engine: Curve; set(change: Partial<Values>): void }) {
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
        <line class="plot" x1={WIDTH - 190} x2={WIDTH - 166} y1="-12" y2="-12" />
        <text x={WIDTH - 160} y="-8">{t("you")}</text>
        <line class="plot engine" x1={WIDTH - 104} x2={WIDTH - 80} y1="-12" y2="-12" />
        <text x={WIDTH - 74} y="-8">{t("stockfish")}</text>
      </g>
    </svg>
  );
}

/** The worth of the evaluation by rating, a line for each time control. */
function ByRating({ values, people, set }: { values: Signal<Values>; people: People; set(change: Partial<Values>): void }) {
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
        <circle class="here" cx={x(now.rating)} cy={y(people.scores[times.indexOf(now.time)]![people.ratings.indexOf(now.rating)] ?? 0.5)} r="7" />
      )}
    </svg>
  );
}

/** Labels that would lie over each other move apart. */
function places(wanted: number[]): number[] {
  const order = wanted.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  for (let index = 1; index < order.length; index++) {
    order[index]!.place = Math.max(order[index]!.place, order[index - 1]!.place + 16);
  }
  const placed = [...wanted];
  for (const { place, index } of order) placed[index] = place;
  return placed;
}

const BLAME = ["?!", "?", "??"];

function Limits({ now, symbols }: { now: Values; symbols: Symbols }) {
  const position = symbols.limits.position.s40 ?? [];
  return (
    <section class="limits-table">
      <h2>{t("limitsTitle")}</h2>
      <p>{t("limitsText", pawnsText(now.eval))}</p>
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
                <td>{limits[symbol] === null || limits[symbol] === undefined ? t("never") : pawnsText(limits[symbol])}</td>
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
              <b>{positionSign(sign)}</b> {pawnsText(position[index])}
            </span>
          ),
        )}
      </p>
      <p class="quiet">
        {t("shell")}: <code>{`centipawn symbols --rating ${now.rating} --time ${now.time} --played ${now.eval} --best ${now.eval}`}</code>
      </p>
    </section>
  );
}
