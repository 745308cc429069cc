// The games of the server's index that reached the position on the board: their number, results and
// moves.
import { computed, effect, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api, Refusal } from "../api";
import { setting } from "../state";
import type { Found, Results } from "../types";
import { notation, number, wordsOf } from "../words";
import type { Table } from "./table";
import { settled } from "../viewer/pause";
import "./collection.css";

const w = wordsOf({
  show: ["Games with this position", "Partien mit dieser Stellung"],
  hide: ["Hide the games", "Partien verbergen"],
  none: ["None of {0} games has this position.", "Keine von {0} Partien hat diese Stellung."],
  found: ["{0} of {1} games have this position.", "{0} von {1} Partien haben diese Stellung."],
  score: ["White scores {0} % (95 % interval {1} to {2})", "Weiß holt {0} % (95-%-Intervall {1} bis {2})"],
  expected: ["{0} % are expected between people of these ratings.", "Zwischen Menschen dieser Wertungen sind {0} % zu erwarten."],
  move: ["Move", "Zug"],
  games: ["Games", "Partien"],
  results: ["White wins, draws, Black wins", "Weiß gewinnt, Remis, Schwarz gewinnt"],
  points: ["White", "Weiß"],
  ended: ["(end)", "(Ende)"],
  more: ["{0} other move|{0} other moves", "{0} weiterer Zug|{0} weitere Züge"],
});

/** Maximum number of moves in the list. */
const LISTED = 12;
const kept = setting<"" | "on">("collection", "");

/** Looks up the position on the board while the panel is open. */
class LookUp {
  readonly isOn = signal(kept.get() === "on");
  readonly answer = signal<Found | null>(null);
  readonly problem = signal<string | null>(null);
  readonly stop: () => void;

  constructor(table: Table) {
    // Compare evaluations as text. During a running review, the same evaluation arrives as a new
    // object, which would otherwise start another request.
    const evalOf = computed(() => {
      const own = table.ownPly.value > 0 ? table.shown.value?.eval : table.worths.value[table.ply.value]?.eval;
      return JSON.stringify(own ?? null);
    });
    this.stop = effect(() => {
      void table.at.value;
      const path = this.isOn.value ? table.path(table.ownPly.value) : null;
      const known = JSON.parse(evalOf.value);
      if (!path) {
        this.answer.value = null;
        return;
      }
      const asking = new AbortController();
      void this.ask({ ...path, eval: known }, asking.signal);
      return () => asking.abort();
    });
  }

  toggle(): void {
    this.isOn.value = !this.isOn.peek();
    kept.set(this.isOn.peek() ? "on" : "");
  }

  private async ask(wanted: Parameters<typeof api.position>[0], aborting: AbortSignal): Promise<void> {
    await settled();
    if (aborting.aborted) return;
    try {
      this.answer.value = await api.position(wanted, aborting);
      this.problem.value = null;
    } catch (error) {
      if (aborting.aborted) return;
      if (!(error instanceof Refusal)) throw error;
      this.answer.value = null;
      this.problem.value = error.message;
    }
  }
}

const percent = (share: number): string => number(100 * share, 0);

export function Collection({ table }: { table: Table }) {
  const lookUp = useMemo(() => new LookUp(table), [table]);
  useEffect(() => lookUp.stop, [lookUp]);
  // Indexes contain no Chess960 games.
  if (table.moves.value?.chess960) return null;
  const answer = lookUp.answer.value;
  return (
    <div class="live collection">
      <button type="button" aria-pressed={lookUp.isOn.value} onClick={() => lookUp.toggle()}>{w(lookUp.isOn.value ? "hide" : "show")}</button>
      {lookUp.problem.value && <span class="problem">{lookUp.problem.value}</span>}
      {lookUp.isOn.value && answer && <Summary found={answer} />}
      {lookUp.isOn.value && answer && answer.moves.length > 0 && <MovesTable found={answer} table={table} />}
    </div>
  );
}

function Summary({ found }: { found: Found }) {
  const { results, searched, expected_score } = found;
  if (results.games === 0) return <p>{w("none", number(searched, 0))}</p>;
  const [low, high] = results.score_interval;
  return (
    <p>
      {w("found", number(results.games, 0), number(searched, 0))} {w("score", percent(results.score), percent(low), percent(high))}
      {expected_score === null ? "." : `; ${w("expected", percent(expected_score))}`}
    </p>
  );
}

function MovesTable({ found, table }: { found: Found; table: Table }) {
  const rest = found.moves.length - LISTED;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{w("move")}</th>
          <th scope="col">{w("games")}</th>
          <th scope="col">{w("results")}</th>
          <th scope="col">{w("points")}</th>
        </tr>
      </thead>
      <tbody>
        {found.moves.slice(0, LISTED).map(({ uci, san, results }) => (
          <tr key={uci}>
            <th scope="row">
              {uci ? <button type="button" class="plain" onClick={() => table.play(uci)}>{notation(san)}</button> : w("ended")}
            </th>
            <td>{number(results.games, 0)}</td>
            <td><Share results={results} /></td>
            <td>{percent(results.score)} %</td>
          </tr>
        ))}
      </tbody>
      {rest > 0 && <caption>{w("more", rest)}</caption>}
    </table>
  );
}

/** The shares of wins, draws and losses as a bar. */
function Share({ results }: { results: Results }) {
  const [white, draw, black] = [results.white_wins, results.draws, results.black_wins].map((count) => (100 * count) / results.games) as [number, number, number];
  const text = [white, draw, black].map((share) => `${number(share, 0)} %`).join(", ");
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      <rect class="draw-area" width="100" height="10" />
      <rect class="white-area" width={white} height="10" />
      <rect class="black-area" x={100 - black} width={black} height="10" />
    </svg>
  );
}
