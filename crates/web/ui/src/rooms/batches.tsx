// Batches, the reviews of many games: a form to start one, and their progress.
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api, Refusal } from "../api";
import { onEvent } from "../events";
import { chosenCurve, setting } from "../state";
import type { Batch, GameFilter } from "../types";
import { duration } from "./duration";
import { language, number, w, wordsOf } from "../words";
import { chosenSearch, EffortChoice } from "./effort";
import { DeleteBatch } from "./job";
import { Loading } from "./loading";

const t = wordsOf({
  all: ["Review {0} game|Review all {0} games", "{0} Partie analysieren|Alle {0} Partien analysieren"],
  chosen: ["Review {0} chosen game|Review {0} chosen games", "{0} gewählte Partie analysieren|{0} gewählte Partien analysieren"],
  running: ["Reviewing {0} game|Reviewing {0} games", "{0} Partie wird analysiert|{0} Partien werden analysiert"],
  paused: ["Paused: {0} game|Paused: {0} games", "Angehalten: {0} Partie|Angehalten: {0} Partien"],
  interrupted: ["Interrupted: {0} game|Interrupted: {0} games", "Unterbrochen: {0} Partie|Unterbrochen: {0} Partien"],
  games: ["{0} game|{0} games", "{0} Partie|{0} Partien"],
  of: ["{0} of {1} done", "{0} von {1} fertig"],
  failed: ["{0} failed", "{0} fehlgeschlagen"],
  cancelled: ["{0} cancelled", "{0} abgebrochen"],
  left: ["about {0} left", "noch etwa {0}"],
  pause: ["Pause", "Anhalten"],
  finished: ["Reviewed {0} game|Reviewed {0} games", "{0} Partie analysiert|{0} Partien analysiert"],
});

const withEase = setting<"yes" | "">("batch-ease", "");

/** Starts a review of the chosen games, or of all games that match the filter. */
export function ReviewAll({ total, chosen, filter, onStart, onRefusal }: { total: number; chosen: Signal<ReadonlySet<number>>; filter: GameFilter; onStart(batch: Batch): void; onRefusal(refusal: Refusal): void }) {
  const ease = useSignal(withEase.get() === "yes");
  const isBusy = useSignal(false);
  const count = chosen.value.size;
  const start = async () => {
    isBusy.value = true;
    try {
      const batch = await api.reviewAll({
        games: [...chosen.peek()],
        filter,
        ...chosenSearch(true),
        ease: ease.peek(),
        language: language.peek(),
        curve: chosenCurve.peek() || undefined,
      });
      chosen.value = new Set();
      onStart(batch);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      onRefusal(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <div class="review-all">
      <EffortChoice />
      <label class="with-ease">
        <input
          type="checkbox"
          checked={ease.value}
          onChange={(event) => {
            ease.value = event.currentTarget.checked;
            withEase.set(ease.value ? "yes" : "");
          }}
        />
        {w("howHardMoves")}
      </label>
      {(total > 0 || count > 0) && (
        <button type="button" class={count > 0 ? "main" : ""} disabled={isBusy.value} onClick={() => void start()}>
          {count > 0 ? t("chosen", count) : t("all", total)}
        </button>
      )}
    </div>
  );
}

/** The batches that are open, and those that ended while the page was open. */
export function Batches({ started }: { started: Signal<Batch | null> }) {
  const batches = useSignal<Batch[]>([]);
  const problem = useSignal<string | null>(null);
  const all = useMemo(() => {
    const isKnown = (batch: Batch) => batches.peek().some(({ id }) => id === batch.id);
    return new Loading(
      async () => {
        const answer = await api.batches();
        return () => (batches.value = answer.batches.filter((batch) => isOpen(batch) || (batch.state === "done" && isKnown(batch))));
      },
      () => {},
    );
  }, []);
  const show = (batch: Batch) => {
    const rest = batches.peek().filter(({ id }) => id !== batch.id);
    batches.value = batch.state === "cancelled" ? rest : [batch, ...rest].sort((a, b) => b.id - a.id);
  };
  useEffect(() => {
    void all.load();
    return onEvent((event) => {
      if (event.event === "reload") void all.load();
      if (event.event !== "batch") return;
      show(event.batch);
      if (!isOpen(event.batch)) all.changed();
    });
  }, []);
  useEffect(() => {
    const batch = started.value;
    if (!batch) return;
    // The batch may have ended, and an event may have shown that, before this answer arrived. Do
    // not replace the newer state.
    if (batches.peek().every(({ id }) => id !== batch.id)) show(batch);
    void all.load();
  }, [started.value]);
  const act = async (action: (id: number) => Promise<Batch>, id: number) => {
    problem.value = null;
    try {
      await action(id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problem.value = error.text;
    }
  };
  return (
    <>
      {batches.value.map((batch) => (
        <div key={batch.id} class={`job batch ${batch.state}`}>
          <span>
            {t(batch.state === "done" ? "finished" : (batch.state as "running"), number(batch.games, 0))}
            {` · ${t("of", number(batch.done, 0), number(batch.games, 0))}`}
            {batch.failed > 0 && ` · ${t("failed", batch.failed)}`}
            {batch.cancelled > 0 && ` · ${t("cancelled", batch.cancelled)}`}
            {batch.seconds_left !== null && ` · ${t("left", duration(batch.seconds_left))}`}
          </span>
          {isOpen(batch) && <progress aria-label={t("games", batch.games)} max={Math.max(batch.positions, 1)} value={batch.positions_done} />}
          {batch.state === "running" && <button type="button" onClick={() => void act(api.pauseBatch, batch.id)}>{t("pause")}</button>}
          {(batch.state === "paused" || batch.state === "interrupted") && (
            <button type="button" class="main" onClick={() => void act(api.goOnBatch, batch.id)}>{w("goOn")}</button>
          )}
          {isOpen(batch) && <button type="button" onClick={() => void act(api.cancelBatch, batch.id)}>{w("cancel")}</button>}
          {batch.state !== "running" && <DeleteBatch id={batch.id} onDone={() => location.reload()} />}
        </div>
      ))}
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
    </>
  );
}

const isOpen = (batch: Batch) => batch.state !== "done" && batch.state !== "cancelled";
