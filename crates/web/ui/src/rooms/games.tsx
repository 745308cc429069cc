// The first room: adding games, and the list of games with their reviews.
import { useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { withBase } from "../base";
import { Refusal } from "../api";
import { onEvent } from "../events";
import { setAddress } from "../route";
import { status } from "../state";
import type { Batch, GameFilter, Games, Problem } from "../types";
import { number, w, wordsOf } from "../words";
import { AddGames, addOne, type Input } from "./add-games";
import { Batches, ReviewAll } from "./batches";
import { addressOfFilter, filterOfAddress, FilterForm, isNarrowed } from "./game-filter";
import { GameList, GameRows } from "./game-list";
import { review, Row } from "./game-row";
import { hasEnded } from "./job";
import "./game-list.css";

const t = wordsOf({
  what: ["What is a chess evaluation worth?", "Was ist eine Bewertung wert?"],
  whatFor: [
    "Add your games, and Centipawn shows which moves cost you points, why, and what was better. You can then practise exactly these positions.",
    "Füge deine Partien hinzu: Centipawn zeigt, welche Züge dich Punkte kosteten, warum und was besser war, und lässt dich genau diese üben.",
  ],
  example: ["Review an example", "Ein Beispiel analysieren"],
  exampleText: ["Morphy’s opera game, 17 moves", "Morphys Opernpartie, 17 Züge"],
  empty: ["No games yet.", "Noch keine Partien."],
  noneFound: ["No game matches.", "Keine Partie passt."],
  count: ["{0} game|{0} games", "{0} Partie|{0} Partien"],
  countOf: ["{0} of {1} games", "{0} von {1} Partien"],
  added: ["{0} game was added.|{0} games were added.", "{0} Partie ist hinzugefügt.|{0} Partien sind hinzugefügt."],
  known: ["{0} game was there already.|{0} games were there already.", "{0} Partie war schon da.|{0} Partien waren schon da."],
  me: ["Where do I lose points?", "Wo verliere ich Punkte?"],
  noEngine: [
    "The engine “{0}” was not found, so only games with evaluations can be reviewed.",
    "Die Engine „{0}“ wurde nicht gefunden; nur Partien mit Bewertungen lassen sich analysieren.",
  ],
  installEngine: [
    "Install Stockfish (Debian, Ubuntu: sudo apt install stockfish; macOS: brew install stockfish; Windows: stockfishchess.org) and load this page again, or start centipawn serve with --engine PATH.",
    "Installiere Stockfish (Debian, Ubuntu: sudo apt install stockfish; macOS: brew install stockfish; Windows: stockfishchess.org) und lade diese Seite neu, oder starte centipawn serve mit --engine PFAD.",
  ],
});

export function GamesRoom() {
  const filter = useSignal<GameFilter>(filterOfAddress());
  const problems = useSignal<Problem[]>([]);
  const refusal = useSignal<Refusal | null>(null);
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  const started = useSignal<Batch | null>(null);
  const added = useSignal<{ fresh: number; known: number } | null>(null);
  const rows = useMemo(() => new GameRows(), []);

  useSignalEffect(() => {
    const wanted = filter.value;
    const path = addressOfFilter(wanted);
    const look = () => {
      setAddress(path);
      void rows.load(wanted);
    };
    const timer = setTimeout(look, rows.total.peek() === null ? 0 : 200);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    document.title = "Centipawn";
    // Several reviews can end within a second, so wait and load the list once.
    let timer = 0;
    const reload = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void rows.load(filter.peek()), 300);
    };
    const stop = onEvent((event) => {
      // The server answers again, so remove the message that it does not.
      if (event.event === "reload" && refusal.peek()?.status === 0) refusal.value = null;
      if (event.event === "reload" || (event.event === "batch" && event.batch.state !== "running")) reload();
      if (event.event === "job" && event.job.kind === "review") {
        rows.update(event.job);
        if (hasEnded(event.job)) reload();
      }
      if (event.event === "position") {
        const job = rows.ofJob(event.job)?.job;
        if (job) rows.update({ ...job, state: "running", done: event.done });
      }
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);

  const add = async (...inputs: Input[]): Promise<Games | null> => {
    const answers: Games[] = [];
    const found: Problem[] = [];
    refusal.value = null;
    for (const [name, body] of inputs) {
      try {
        const answer = await addOne(name, body);
        answers.push(answer);
        // With several files, the line number of a problem is not enough, so add the file's name.
        found.push(...answer.problems.map((problem) => (inputs.length > 1 ? { ...problem, text: `${name}: ${problem.text}` } : problem)));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (inputs.length === 1) refusal.value = error;
        else found.push({ text: `${name}: ${error.text}`, severity: "error", source: name, game: null, line: null });
      }
    }
    problems.value = found;
    const sum = (count: (answer: Games) => number) => answers.reduce((sum, answer) => sum + count(answer), 0);
    added.value = answers.length > 0 ? { fresh: sum(({ total, known }) => total - known), known: sum(({ known }) => known) } : null;
    if (answers.length > 0) {
      filter.value = {};
      await rows.load({});
    }
    return answers[0] ?? null;
  };
  const example = async () => {
    const pgn = await (await fetch(withBase("/example.pgn"))).blob();
    const row = (await add(["example.pgn", pgn]))?.games[0];
    if (row) await review(row, refusal, { limit: "20000 nodes" });
  };

  const total = rows.total.value;
  const problem = refusal.value ?? rows.refusal.value;
  const hasGames = total === null || rows.all.value > 0;
  const isFiltered = isNarrowed(filter.value);
  return (
    <main id="main" class="games">
      {/* Visitors read what the page is for; those who have games see them at once. */}
      <h1 class={hasGames ? "hidden" : ""}>{t("what")}</h1>
      {!hasGames && <p class="lead">{t("whatFor")}</p>}
      {status.value?.has_engine === false && (
        <div class="problem" role="note">
          <p>{t("noEngine", status.value.engine)}</p>
          <p class="quiet">{t("installEngine")}</p>
        </div>
      )}
      <AddGames add={add} isBrief={hasGames} />
      {problem && (
        <div class="problem" role="alert">
          <p>{problem.message}</p>
          <p class="quiet">{problem.hint}</p>
        </div>
      )}
      {added.value && <p role="status">{addedText(added.value)}</p>}
      <Problems problems={problems} />
      {total === 0 && !isFiltered ? (
        <section class="empty">
          <p>{t("empty")}</p>
          <button type="button" class="main" onClick={() => void example()}>{t("example")}</button>
          <p class="quiet">{t("exampleText")}</p>
        </section>
      ) : (
        <section class="list" aria-label={w("games")}>
          <header>
            <h2>{w("games")}</h2>
            <p class="count" aria-live="polite">
              {total !== null && (isFiltered ? t("countOf", number(total, 0), number(rows.all.value, 0)) : t("count", number(total, 0)))}
            </p>
            <a href="/me">{t("me")}</a>
          </header>
          <div class="tools">
            <FilterForm filter={filter}>
              <ReviewAll
                total={filter.value.reviewed ? (total ?? 0) : rows.unreviewed.value}
                chosen={chosen}
                filter={filter.value}
                onStart={(batch) => {
                  started.value = batch;
                  refusal.value = null;
                  void rows.load(filter.peek());
                }}
                onRefusal={(error) => {
                  refusal.value = error;
                  scrollTo(0, 0);
                }}
              />
            </FilterForm>
          </div>
          <Batches started={started} />
          {total === null && <p class="quiet" aria-busy="true">{w("wait")}</p>}
          {total === 0 && <p class="quiet">{t("noneFound")}</p>}
          {total !== null && total > 0 && <GameList rows={rows} row={(game) => <Row key={game.id} row={game} refusal={refusal} chosen={chosen} />} />}
        </section>
      )}
    </main>
  );
}

function addedText({ fresh, known }: { fresh: number; known: number }): string {
  const parts = [fresh > 0 || known === 0 ? t("added", number(fresh, 0)) : "", known > 0 ? t("known", number(known, 0)) : ""];
  return parts.filter(Boolean).join(" ");
}

function Problems({ problems }: { problems: Signal<Problem[]> }) {
  if (problems.value.length === 0) return null;
  return (
    <div class="problem" role="alert">
      <h2>{w("problems")}</h2>
      <ul>
        {problems.value.map((problem) => (
          <li>
            {problem.line !== null && <b>{`${problem.game === null ? "" : `${w("inGame")} ${problem.game}, `}${w("inLine")} ${problem.line}: `}</b>}
            <bdi>{problem.text}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}

