// The room of puzzles: the list with its filter, ways to add puzzles, and the puzzle on the board.
import { useComputed, useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { address as addressOf, api, Refusal } from "../api";
import { onEvent } from "../events";
import { arrived, go, route, setAddress } from "../route";
import type { Added, GameRow, Job, Problem, Puzzles, PuzzlesWanted } from "../types";
import { isolated, number, w } from "../words";
import { hasEnded, JobLine } from "./job";
import { Loading } from "./loading";
import { address, exported, lessonAddress, wishes, worksheet } from "./puzzle-address";
import { t } from "./puzzle-words";
import { isLesson, LessonRoom } from "./puzzle-lesson";
import { Solve } from "./solve";
import { themes } from "./theme-words";
import "./puzzles.css";

/** The file formats of exports. */
const FORMATS = [
  ["csv", "CSV"],
  ["json", "JSON lines"],
  ["pgn", "PGN"],
  // Decks are written by the server.
  ...(IN_TAB ? [] : [["anki", "Anki"] as const]),
] as const;

export function PuzzlesRoom() {
  const { id } = route.value;
  useEffect(arrived, [id]);
  if (isLesson()) return <LessonRoom />;
  return id === null ? <List /> : <Solve key={id} id={id} />;
}

function List() {
  const puzzles = useSignal<Puzzles | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const problems = useSignal<Problem[]>([]);
  const message = useSignal("");
  const wanted = useSignal<PuzzlesWanted>(wishes());
  const list: Loading = useMemo(
    () =>
      new Loading(
        async () => {
          const answer = await api.puzzles(wanted.peek());
          return () => {
            puzzles.value = answer;
            if (refusal.peek() === list.refusal) refusal.value = null;
          };
        },
        (error) => (refusal.value = error),
      ),
    [],
  );
  useSignalEffect(() => {
    setAddress(address(null, wanted.value));
    refusal.value = null;
    void list.load();
  });
  useEffect(() => {
    document.title = `${w("puzzles")} · Centipawn`;
    return onEvent((event) => {
      if (event.event === "reload" || (event.event === "job" && event.job.kind === "mining" && event.job.state === "done")) void list.load();
    });
  }, []);
  const take = async (adding: Promise<Added>) => {
    message.value = w("wait");
    problems.value = [];
    refusal.value = null;
    try {
      const added = await adding;
      message.value = t("added", number(added.added, 0), number(added.known, 0));
      problems.value = added.problems;
      await list.load();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      message.value = "";
      refusal.value = error;
    }
  };
  const begin = async (wishes: PuzzlesWanted) => {
    try {
      const { next } = await api.puzzles(wishes);
      if (next !== null) go(address(next, wishes));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusal.value = error;
    }
  };
  const all = puzzles.value;
  return (
    <main id="main" class="puzzles">
      <h1>{w("puzzles")}</h1>
      {refusal.value && (
        <div class="problem" role="alert">
          <p>{refusal.value.message}</p>
          <p class="quiet">{refusal.value.hint}</p>
        </div>
      )}
      {!all && !refusal.value && <p class="quiet" aria-busy="true">{w("wait")}</p>}
      {all && all.total > 0 && (
        <section class="pick">
          <p class="big">
            {t("count", number(all.total, 0))} <span class="quiet">{t("untried", number(all.untried, 0))}</span>
          </p>
          <Wishes wanted={wanted} puzzles={all} />
          <p class="buttons">
            <button type="button" class="main" disabled={all.next === null} onClick={() => void begin(wanted.peek())}>
              {all.fitting > 0 || all.next === null ? t("solve", number(all.fitting, 0)) : t("solveAgain")}
            </button>
            {all.due > 0 && (
              <button type="button" onClick={() => go(lessonAddress({ due: true }))}>{t("due", number(all.due, 0))}</button>
            )}
            <button type="button" onClick={() => go(lessonAddress(wanted.peek()))}>{t("startLesson")}</button>
          </p>
          <p class="take">
            {t("take")}
            {FORMATS.map(([format, name], index) => (
              <>
                {index > 0 ? " · " : " "}
                <a href={exported(format, wanted.value)} download>{name}</a>
              </>
            ))}{" "}
            {!IN_TAB && (
              <>
                · <a href={worksheet(wanted.value)} target="_blank">{t("asPaper")}</a>
              </>
            )}
          </p>
        </section>
      )}
      {all && all.total === 0 && <p>{t("none")}</p>}
      <p role="status" class="quiet">{message.value}</p>
      {problems.value.length > 0 && (
        <div class="problem" role="alert">
          <h2>{w("problems")}</h2>
          <ul>
            {problems.value.map((problem) => (
              <li>{`${problem.line === null ? "" : `${w("inLine")} ${problem.line}: `}${problem.text}`}</li>
            ))}
          </ul>
        </div>
      )}
      <div class="ways">
        <Import take={take} />
        {!IN_TAB && <Mine />}
        <Mistakes take={take} />
      </div>
      {all && all.origins.length > 0 && (
        <section class="origins">
          <h2>{t("origins")}</h2>
          <ul>
            {all.origins.map(({ name, count }) => (
              <li>
                <button type="button" class="plain" onClick={() => (wanted.value = { origin: name })}><bdi>{name}</bdi></button> <span class="quiet">{number(count, 0)}</span>
              </li>
            ))}
          </ul>
          <p>
            <a href={addressOf("puzzles/attempts.csv")} download>{t("attempts")}</a>
          </p>
        </section>
      )}
    </main>
  );
}

function Wishes({ wanted, puzzles }: { wanted: Signal<PuzzlesWanted>; puzzles: Puzzles }) {
  const set = (change: PuzzlesWanted) => (wanted.value = { ...wanted.peek(), ...change });
  const counts = new Map(puzzles.themes.map(({ name, count }) => [name, count]));
  // The address may name a theme that no puzzle has. Show it as the selected one anyway.
  if (wanted.value.theme && !counts.has(wanted.value.theme)) counts.set(wanted.value.theme, 0);
  const [from, to] = (wanted.value.rating ?? "..").split("..");
  const range = (from: string, to: string) => set({ rating: from || to ? `${from}..${to}` : undefined });
  return (
    <form class="wishes" onSubmit={(event) => event.preventDefault()}>
      <label>
        {t("theme")}
        <select value={wanted.value.theme ?? ""} onChange={(event) => set({ theme: event.currentTarget.value || undefined })}>
          <option value="">{t("any")}</option>
          {themes(counts).map(([theme, word]) => (
            <option value={theme}>{`${word} (${number(counts.get(theme) ?? 0, 0)})`}</option>
          ))}
        </select>
      </label>
      <label>
        {t("ratingFrom")}
        <input type="number" min="0" max="4000" step="100" value={from} onChange={(event) => range(event.currentTarget.value, to ?? "")} />
      </label>
      <label>
        {t("ratingTo")}
        <input type="number" min="0" max="4000" step="100" value={to} onChange={(event) => range(from ?? "", event.currentTarget.value)} />
      </label>
      <label>
        {t("origin")}
        <select value={wanted.value.origin ?? ""} onChange={(event) => set({ origin: event.currentTarget.value || undefined })}>
          <option value="">{t("any")}</option>
          {puzzles.origins.map(({ name }) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>
    </form>
  );
}

function Import({ take }: { take(adding: Promise<Added>): Promise<void> }) {
  const file = useRef<HTMLInputElement>(null);
  return (
    <section>
      <h2>{t("import")}</h2>
      <p class="quiet">{t("importText")}</p>
      <button type="button" onClick={() => file.current?.click()}>{w("choose")}</button>
      <input
        ref={file}
        type="file"
        class="hidden"
        tabIndex={-1}
        aria-label={t("import")}
        accept=".csv,.json,.jsonl,.ndjson,.pgn,.gz,.zst,.bz2"
        onChange={(event) => {
          const chosen = event.currentTarget.files?.[0];
          if (chosen) void take(api.importPuzzles(chosen.name, chosen));
          event.currentTarget.value = "";
        }}
      />
    </section>
  );
}

type Effort = "quick" | "normal" | "deep";

/** Factors of the node limits of mining. */
const EFFORTS: Record<Effort, number> = { quick: 0.05, normal: 0.1, deep: 0.5 };

function Mine() {
  const games = useSignal<GameRow[]>([]);
  /** Number of older games that are not listed. */
  const left = useSignal(0);
  const chosen = useSignal<number[]>([]);
  /** The mining jobs that were started here or have not ended. */
  const jobs = useSignal<Job[]>([]);
  const effort = useSignal<Effort>("normal");
  const problem = useSignal<string | null>(null);
  const work = useMemo(
    () =>
      new Loading(
        async () => {
          const answer = await api.jobs();
          return () => {
            const known = new Set(jobs.peek().map((job) => job.id));
            const now = answer.jobs.filter((job) => job.kind === "mining" && (job.state !== "done" || known.has(job.id))).reverse();
            // The server lists only the newest jobs. Keep older ones in the state that the last
            // event reported.
            const listed = new Set(now.map((job) => job.id));
            jobs.value = [...jobs.peek().filter((job) => !listed.has(job.id)), ...now];
          };
        },
        () => undefined,
      ),
    [],
  );
  useEffect(() => {
    void api.games({ most: 200 }).then(
      (answer) => {
        games.value = answer.games.filter((row) => row.plies > 0);
        left.value = answer.total - answer.games.length;
        chosen.value = games.value.slice(0, 1).map((row) => row.id);
      },
      () => undefined,
    );
    void work.load();
    return onEvent((event) => {
      if (event.event === "reload") void work.load();
      if (event.event !== "job" || event.job.kind !== "mining") return;
      const { job } = event;
      const isKnown = jobs.peek().some((other) => other.id === job.id);
      jobs.value = isKnown ? jobs.peek().map((other) => (other.id === job.id ? job : other)) : [...jobs.peek(), job];
      if (hasEnded(job)) work.changed();
    });
  }, []);
  const start = async () => {
    const wanted = chosen.peek();
    problem.value = null;
    try {
      const answer = await api.mine(wanted, EFFORTS[effort.peek()]);
      const asked = new Set(answer.jobs.map((job) => job.id));
      jobs.value = [...jobs.peek().filter((job) => !asked.has(job.id)), ...answer.jobs];
      // The jobs may have progressed since the answer was written, so ask again.
      void work.load();
      if (answer.jobs.length < wanted.length) problem.value = t("notAll", answer.jobs.length, wanted.length);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problem.value = error.text;
    }
  };
  const waiting = jobs.value.filter((job) => job.state === "waiting");
  const isBusy = waiting.length > 0 || jobs.value.some((job) => job.state === "running");
  const done = jobs.value.filter((job) => job.state === "done");
  const found = number(
    done.reduce((sum, job) => sum + (job.kind === "mining" ? (job.found ?? 0) : 0), 0),
    0,
  );
  return (
    <section>
      <h2>{t("mine")}</h2>
      <p class="quiet">{t("mineText")}</p>
      {games.value.length === 0 ? (
        <p>
          <a href="/">{t("noGames")}</a>
        </p>
      ) : (
        <form
          class="line"
          onSubmit={(event) => {
            event.preventDefault();
            void start();
          }}
        >
          <fieldset class="games-to-mine">
            <legend>{t("games")}</legend>
            <ul>
              {games.value.map((row) => (
                <li key={row.id}>
                  <label>
                    <input
                      type="checkbox"
                      checked={chosen.value.includes(row.id)}
                      onChange={(event) => {
                        const others = chosen.peek().filter((id) => id !== row.id);
                        chosen.value = event.currentTarget.checked ? [...others, row.id] : others;
                      }}
                    />
                    <span>
                      <bdi>{row.white}</bdi> – <bdi>{row.black}</bdi> <span class="quiet"><bdi>{row.occasion || row.result}</bdi></span>
                    </span>
                  </label>
                </li>
              ))}
            </ul>
            {left.value > 0 && <p class="quiet">{t("older", number(left.value, 0))}</p>}
          </fieldset>
          <label class="effort">
            {w("effort")}
            <select value={effort.value} onChange={(event) => (effort.value = event.currentTarget.value as Effort)}>
              {(Object.keys(EFFORTS) as Effort[]).map((name) => (
                <option value={name}>{w(name)}</option>
              ))}
            </select>
          </label>
          <button type="submit" disabled={isBusy || chosen.value.length === 0}>{t("find")}</button>
        </form>
      )}
      {jobs.value
        .filter((job) => job.state !== "done" && job.state !== "waiting")
        .map((job) => (
          <MiningJob key={job.id} id={job.id} jobs={jobs} />
        ))}
      {waiting.length > 0 && <p class="quiet">{t("moreWait", waiting.length)}</p>}
      {done.length > 0 && <p role="status">{done.length === 1 ? t("found", found, isolated(done[0]!.title)) : t("foundIn", found, done.length)}</p>}
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
    </section>
  );
}

function MiningJob({ id, jobs }: { id: number; jobs: Signal<Job[]> }) {
  const job = useComputed(() => jobs.value.find((job) => job.id === id) ?? null);
  return (
    <div>
      {jobs.value.length > 1 && <span class="quiet"><bdi>{job.value?.title}</bdi></span>}
      <JobLine job={job} what={t("mining")} />
    </div>
  );
}

function Mistakes({ take }: { take(adding: Promise<Added>): Promise<void> }) {
  const player = useSignal("");
  const names = useSignal<string[]>([]);
  useEffect(() => {
    void api.games({ reviewed: true, most: 200 }).then(
      (answer) => {
        const reviewed = answer.games;
        names.value = [...new Set(reviewed.flatMap((row) => [row.white, row.black]))];
      },
      () => undefined,
    );
  }, []);
  return (
    <section>
      <h2>{t("mistakes")}</h2>
      <p class="quiet">{t("mistakesText")}</p>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault();
          void take(api.mistakes(player.peek()));
        }}
      >
        <label>
          {t("player")}
          <input type="text" list="players" value={player.value} onInput={(event) => (player.value = event.currentTarget.value)} />
        </label>
        <datalist id="players">
          {names.value.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <button type="submit" disabled={player.value.trim() === ""}>{t("takeMistakes")}</button>
      </form>
    </section>
  );
}
