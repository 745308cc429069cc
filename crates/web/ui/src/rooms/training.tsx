// What costs a player points in all reviewed games of the store.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, Refusal } from "../api";
import type { Causes } from "../types";
import { isolated, number, w, wordsOf } from "../words";

const t = wordsOf({
  train: ["What to train: {0}", "Was zu üben ist: {0}"],
  share: ["{0} % of the points given away", "{0} % der verschenkten Punkte"],
  interval: ["95 % interval {0}–{1}", "95-%-Intervall {0}–{1}"],
  games: ["Reasons are known in {0} of {1} reviewed games. A win is worth 1 point.", "Gründe sind in {0} von {1} analysierten Partien bekannt. Ein Sieg zählt 1 Punkt."],
});

/** Folds with the causes of both players' losses; each asks when it is opened. */
export function Training({ names }: { names: string[] }) {
  return (
    <>
      {names.map((name) => (
        <PlayerTraining key={name} name={name} />
      ))}
    </>
  );
}

function PlayerTraining({ name }: { name: string }) {
  const isOpen = useSignal(false);
  return (
    <details class="training" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t("train", isolated(name))}</summary>
      {isOpen.value && <List name={name} />}
    </details>
  );
}

function List({ name }: { name: string }) {
  const answer = useSignal<Causes | null>(null);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    api.causes(name).then(
      (causes) => (answer.value = causes),
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        problem.value = error.message;
      },
    );
  }, [name]);
  if (problem.value) return <p class="problem" role="alert">{problem.value}</p>;
  if (!answer.value) return <p class="quiet" aria-busy="true">{w("wait")}</p>;
  const { causes, games, games_with_reasons } = answer.value;
  const details = ({ share, interval }: Causes["causes"][number]) =>
    [t("share", number(100 * share, 0)), interval && t("interval", number(interval[0], 1), number(interval[1], 1))].filter(Boolean).join("; ");
  return (
    <>
      <ul>
        {causes.filter((cause) => cause.score_loss > 0).map((cause) => (
          <li class={cause.kind === "rest" ? "quiet" : ""}>
            {cause.text} <span class="quiet">({details(cause)})</span>
          </li>
        ))}
      </ul>
      <p class="quiet">{t("games", games_with_reasons, games)}</p>
    </>
  );
}
