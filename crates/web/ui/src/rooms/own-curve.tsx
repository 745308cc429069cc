// A curve that the server's owner calibrated: graphs of chances by evaluation and of the balance by
// material, and the limits of symbols.
import { batch, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { address as addressOf, api, Refusal } from "../api";
import { setAddress } from "../route";
import { status } from "../state";
import type { Curve, Symbols } from "../types";
import { pawnsText, w } from "../words";
import { ByMaterial, Chances, Limits, percent, REACH } from "./curve-plots";
import { t } from "./curve-words";
import { Use } from "./use-curve";

interface Values {
  eval: number;
  material: number;
}

const FIRST: Values = { eval: 1, material: 58 };
const MATERIAL = [17, 78] as const;

function read(): Values {
  const given = new URLSearchParams(location.search);
  const known = (name: keyof Values, [least, most]: readonly [number, number]) => {
    const number = Number(given.get(name) ?? FIRST[name]);
    return Number.isFinite(number) ? Math.min(Math.max(number, least), most) : FIRST[name];
  };
  return { eval: known("eval", [-REACH, REACH]), material: Math.round(known("material", MATERIAL)) };
}

/** The plots that `wdl run` wrote beside the curve's file, if they exist. */
function Drawings({ name }: { name: string }) {
  if (!status.value?.own_curves.some((own) => own.name === name && own.has_plots)) return null;
  const address = addressOf(`curves/plots.svg?name=${encodeURIComponent(name)}`);
  return (
    <figure class="drawings">
      <figcaption>{t("drawings")}</figcaption>
      <img src={address} alt={t("drawingsText")} />
      <p class="take">
        <a href={address} download="plots.svg">SVG</a>
      </p>
    </figure>
  );
}

export function OwnCurve({ name, whose }: { name: string; whose: ComponentChildren }) {
  const values = useSignal<Values>(read());
  const curve = useSignal<Curve | null>(null);
  const engine = useSignal<Curve | null>(null);
  const symbols = useSignal<Symbols | null>(null);
  const problem = useSignal<string | null>(null);
  const set = (change: Partial<Values>) => (values.value = { ...values.peek(), ...change });

  useSignalEffect(() => {
    const now = values.value;
    document.title = `${t("ownTitle", pawnsText(now.eval), name)} · Centipawn`;
    const changed = (Object.keys(FIRST) as (keyof Values)[]).filter((key) => now[key] !== FIRST[key]);
    setAddress(`/curves?own=${encodeURIComponent(name)}${changed.map((key) => `&${key}=${now[key]}`).join("")}`);
    const asking = new AbortController();
    const at = { eval: now.eval, material: now.material };
    const pawns = String(now.eval);
    Promise.all([
      api.curve({ curve: name, ...at }, asking.signal),
      api.curve({ curve: "stockfish", ...at }, asking.signal),
      api.symbols({ side: "white", played: pawns, best: pawns, curve: name, material: now.material }, asking.signal),
    ]).then(
      (answers) =>
        batch(() => {
          [curve.value, engine.value, symbols.value] = answers;
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
  const [own, other] = [curve.value, engine.value];
  return (
    <>
      <h1>{t("ownTitle", pawnsText(now.eval), name)}</h1>
      <p class="quiet lead">{t("ownText", own?.curve ?? "…")}</p>
      {whose}
      <form class="choice two" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>{t("material")}</span>
          <b class="value">{now.material}</b>
          <input
            type="range"
            min={MATERIAL[0]}
            max={MATERIAL[1]}
            title={t("materialText")}
            value={now.material}
            onInput={(event) => set({ material: event.currentTarget.valueAsNumber })}
          />
        </label>
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
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      {own && other && symbols.value ? (
        <>
          <section class="worth" aria-live="polite">
            <p class="big">{t("worth", percent(own.score ?? 0))}</p>
            <p>
              {own.chances && `${t("ownChances", percent(own.chances.win), percent(own.chances.draw), percent(own.chances.loss))} `}
              {t("engine", percent(other.score ?? 0))}
            </p>
            <p class="quiet">{`${t("half", pawnsText(own.balance))}, ${t("engineHalf", pawnsText(other.balance))}.`}</p>
            <Use name={name} />
          </section>
          <div class="plots">
            <figure>
              <figcaption>{t("plotTitle")}</figcaption>
              <Chances values={values} curve={own} engine={other} name={t("ownCurve")} set={set} />
            </figure>
            <ByMaterial curve={own} material={now.material} set={set} />
          </div>
          <Drawings name={name} />
          <Limits evaluation={now.eval} symbols={symbols.value} command={`--curve ${name} --material ${now.material}`} />
        </>
      ) : (
        <p class="quiet" aria-busy="true">{w("wait")}</p>
      )}
    </>
  );
}
