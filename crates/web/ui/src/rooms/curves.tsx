// The room Calibration: what an evaluation is worth between humans, by rating and time control.
import type { ComponentChildren } from "preact";
import { batch, useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { api, Refusal } from "../api";
import { setAddress } from "../route";
import { curveName, status } from "../state";
import type { Curve, People, Symbols } from "../types";
import { pawnsText, w } from "../words";
import { ByRating, Chances, Limits, percent, RATINGS, REACH, TIMES, type Values } from "./curve-plots";
import { t } from "./curve-words";
import { OwnCurve } from "./own-curve";
import { Use } from "./use-curve";
import "./curves.css";

const FIRST: Values = { rating: 1600, time: "600+0", eval: 1 };

function read(): Values {
  const given = new URLSearchParams(location.search);
  const known = (name: string, [least, most]: readonly [number, number], value: number) => {
    const number = Number(given.get(name) ?? value);
    return Number.isFinite(number) ? Math.min(Math.max(number, least), most) : value;
  };
  return { rating: known("rating", RATINGS, FIRST.rating), time: given.get("time") ?? FIRST.time, eval: known("eval", [-REACH, REACH], FIRST.eval) };
}

export function CurvesRoom() {
  const own = useSignal(new URLSearchParams(location.search).get("own") ?? "");
  const names = status.value?.own_curves ?? [];
  const whose = names.length > 0 && (
    <label class="whose">
      {t("whose")}
      <select value={own.value} onChange={(event) => (own.value = event.currentTarget.value)}>
        <option value="">{t("people")}</option>
        {names.map(({ name }) => (
          <option value={name}>{name}</option>
        ))}
      </select>
    </label>
  );
  return (
    <main id="main" class="curves">
      {own.value ? <OwnCurve key={own.value} name={own.value} whose={whose} /> : <PeoplesCurve whose={whose} />}
    </main>
  );
}

function PeoplesCurve({ whose }: { whose: ComponentChildren }) {
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
    setAddress(`/curves${text ? `?${text}` : ""}`);
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
        problem.value = error.text;
      },
    );
    return () => asking.abort();
  });

  const now = values.value;
  return (
    <>
      <h1>{t("title", pawnsText(now.eval))}</h1>
      <p class="quiet lead">{t("text")}</p>
      {whose}
      <Choice values={values} set={set} />
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      {curve.value && engine.value && symbols.value && people.value ? (
        <>
          <Answer now={now} curve={curve.value} engine={engine.value} />
          <div class="plots">
            <figure>
              <figcaption>{t("plotTitle")}</figcaption>
              <Chances values={values} curve={curve.value} engine={engine.value} name={t("you")} set={set} />
            </figure>
            <figure>
              <figcaption>{t("byRating", pawnsText(now.eval))}</figcaption>
              <ByRating values={values} people={people.value} set={set} />
            </figure>
          </div>
          <Limits evaluation={now.eval} symbols={symbols.value} command={`--rating ${now.rating} --time ${now.time}`} />
        </>
      ) : (
        <p class="quiet" aria-busy="true">{w("wait")}</p>
      )}
    </>
  );
}

function Choice({ values, set }: { values: Signal<Values>; set(change: Partial<Values>): void }) {
  const now = values.value;
  const isOther = useSignal(TIMES.every(([time]) => time !== now.time));
  const typed = useSignal(isOther.peek() ? now.time : "900+10");
  const choose = (time: string, other: boolean) => {
    isOther.value = other;
    set({ time });
  };
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
              <input type="radio" name="control" checked={!isOther.value && now.time === time} onChange={() => choose(time, false)} />
              <span>{t(word)}</span>
            </label>
          ))}
          <label>
            <input type="radio" name="control" checked={isOther.value} onChange={() => choose(typed.peek(), true)} />
            <span>{t("other")}</span>
          </label>
          {isOther.value && (
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
  return (
    <section class="worth" aria-live="polite">
      <p class="big">{t("worth", percent(curve.score ?? 0))}</p>
      <p>
        {curve.chances && `${t("chances", percent(curve.chances.win), percent(curve.chances.draw), percent(curve.chances.loss))} `}
        {t("engine", percent(engine.score ?? 0))}
      </p>
      <p class="quiet">{`${t("half", pawnsText(curve.balance))}, ${t("engineHalf", pawnsText(engine.balance))}.`}</p>
      <Use name={name} />
    </section>
  );
}
