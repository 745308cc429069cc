// The room Engines: the engine and network, the contents of the store, the jobs, and the limits of
// requests.
import { computed, useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api } from "../api";
import { onEvent } from "../events";
import type { Engines, Job } from "../types";
import { number, searchLimit, w, wordsOf } from "../words";
import { hasEnded, JobLine } from "./job";
import { Loading } from "./loading";
import { YourData } from "./your-data";
import "./engines.css";

const t = wordsOf({
  engine: ["Engine", "Engine"],
  command: ["Command", "Befehl"],
  processes: ["Processes per job (plus one for the board)", "Prozesse je Auftrag, einer mehr für das Brett"],
  options: ["Options", "Optionen"],
  network: ["Network that predicts people’s moves", "Netz der Züge von Menschen"],
  levels: ["{0}, ratings {1} to {2}", "{0}, Wertungszahlen {1} bis {2}"],
  store: ["Store", "Speicher"],
  place: ["Place", "Ort"],
  size: ["Size", "Größe"],
  kept: ["Contents", "Darin"],
  keptGames: ["{0} game|{0} games", "{0} Partie|{0} Partien"],
  keptReviews: ["{0} review|{0} reviews", "{0} Analyse|{0} Analysen"],
  by: ["Evaluated by", "Bewertet von"],
  evaluations: ["Evaluations", "Bewertungen"],
  work: ["Jobs", "Aufträge"],
  none: ["Nothing yet.", "Noch nichts."],
  review: ["Review", "Analyse"],
  mining: ["Puzzles", "Aufgaben"],
  effort: ["effort {0}", "Aufwand {0}"],
  twoPasses: ["{0}; {1} at critical moves", "{0}; {1} bei kritischen Zügen"],
  reuses: ["evaluations of the game; other positions: {0}", "Bewertungen der Partie; andere Stellungen: {0}"],
  limits: ["Limits of a request", "Grenzen einer Anfrage"],
  nodes: ["Nodes per search", "Knoten je Frage"],
  depth: ["Depth", "Tiefe"],
  lines: ["Lines", "Varianten"],
  games: ["Games at once", "Partien auf einmal"],
  bytes: ["Size of games", "Größe der Partien"],
  waiting: ["Waiting jobs", "Wartende Aufträge"],
  connections: ["Connections", "Verbindungen"],
});

const megabytes = (bytes: number) => `${number(bytes / 2 ** 20, bytes < 10 * 2 ** 20 ? 1 : 0)} MiB`;

export function EnginesRoom() {
  const about = useSignal<Engines | null>(null);
  const jobs = useSignal<Job[]>([]);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    document.title = `${w("engines")} · Centipawn`;
    const all = new Loading(
      async () => {
        const [engines, work] = await Promise.all([api.engines(), api.jobs()]);
        return () => {
          about.value = engines;
          jobs.value = work.jobs;
          problem.value = null;
        };
      },
      (error) => (problem.value = error.message),
    );
    void all.load();
    return onEvent((event) => {
      if (event.event === "reload") void all.load();
      if (event.event === "position") {
        jobs.value = jobs.peek().map((job) => (job.id === event.job ? { ...job, state: "running", done: event.done } : job));
      }
      if (event.event !== "job") return;
      const isKnown = jobs.peek().some((job) => job.id === event.job.id);
      jobs.value = isKnown ? jobs.peek().map((job) => (job.id === event.job.id ? event.job : job)) : [event.job, ...jobs.peek()];
      if (hasEnded(event.job)) all.changed();
    });
  }, []);
  const all = about.value;
  return (
    <main id="main" class="engines">
      <h1>{w("engines")}</h1>
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      {!all && !problem.value && <p class="quiet" aria-busy="true">{w("wait")}</p>}
      {all && (
        <>
          <section>
            <h2>{t("engine")}</h2>
            <dl>
              <dt>{t("command")}</dt>
              <dd>{all.engine}</dd>
              <dt>{t("processes")}</dt>
              <dd>{all.processes}</dd>
              {all.options.length > 0 && (
                <>
                  <dt>{t("options")}</dt>
                  <dd>{all.options.map(([name, value]) => `${name} = ${value}`).join(", ")}</dd>
                </>
              )}
              <dt>{t("network")}</dt>
              <dd>{all.levels ? t("levels", all.network, all.levels[0], all.levels[1]) : all.network}</dd>
            </dl>
          </section>
          <section>
            <h2>{t("work")}</h2>
            {jobs.value.length === 0 && <p class="quiet">{t("none")}</p>}
            <ul class="work">
              {jobs.value.map((job) => (
                <Work key={job.id} id={job.id} jobs={jobs} />
              ))}
            </ul>
          </section>
          <section>
            <h2>{t("store")}</h2>
            <dl>
              <dt>{t("place")}</dt>
              <dd>{all.place}</dd>
              {all.store.bytes !== null && (
                <>
                  <dt>{t("size")}</dt>
                  <dd>{megabytes(all.store.bytes)}</dd>
                </>
              )}
              <dt>{t("kept")}</dt>
              <dd>{`${t("keptGames", number(all.store.games, 0))}, ${t("keptReviews", number(all.store.reviews, 0))}`}</dd>
            </dl>
            {all.store.engines.length > 0 && (
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t("by")}</th>
                    <th scope="col">{t("evaluations")}</th>
                  </tr>
                </thead>
                <tbody>
                  {all.store.engines.map((engine) => (
                    <tr>
                      <th scope="row">{engine.name}</th>
                      <td>{number(engine.evaluations, 0)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </section>
          <YourData />
          <section>
            <h2>{t("limits")}</h2>
            <dl>
              <dt>{t("nodes")}</dt>
              <dd>{number(all.limits.nodes, 0)}</dd>
              <dt>{t("depth")}</dt>
              <dd>{all.limits.depth}</dd>
              <dt>{t("lines")}</dt>
              <dd>{all.limits.lines}</dd>
              <dt>{t("games")}</dt>
              <dd>{number(all.limits.games, 0)}</dd>
              <dt>{t("bytes")}</dt>
              <dd>{megabytes(all.limits.games_bytes)}</dd>
              <dt>{t("waiting")}</dt>
              <dd>{all.limits.waiting}</dd>
              <dt>{t("connections")}</dt>
              <dd>{all.limits.connections}</dd>
            </dl>
          </section>
        </>
      )}
    </main>
  );
}

/** The limits and options of a job's searches. */
function thoroughness(job: Job): string {
  if (job.kind === "mining") return t("effort", number(job.effort, 2));
  const search = job.quick ? t("twoPasses", searchLimit(job.quick), searchLimit(job.limit)) : searchLimit(job.limit);
  return job.reuse_evals ? t("reuses", search) : search;
}

function Work({ id, jobs }: { id: number; jobs: Signal<Job[]> }) {
  const job = useMemo(() => computed(() => jobs.value.find((job) => job.id === id) ?? null), [id]);
  const here = job.value;
  if (!here) return null;
  return (
    <li>
      <span class="quiet">{t(here.kind)}</span>{" "}
      {here.kind === "review" ? <a href={`/review/${id}`}><bdi>{here.title}</bdi></a> : <a href={`/puzzles?origin=${encodeURIComponent(here.title)}`}><bdi>{here.title}</bdi></a>}{" "}
      <span class="quiet">{`${thoroughness(here)} · ${w(here.state)}`}</span>
      <JobLine job={job} what={here.kind === "mining" ? t("mining") : undefined} />
    </li>
  );
}
