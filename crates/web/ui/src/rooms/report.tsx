// The totals of both players, and exports of the review.
import * as labels from "../labels";
import { useSignal } from "@preact/signals";
import { api, Refusal, reviewFiles } from "../api";
import { phases, type Phase } from "../names/phases";
import { go } from "../route";
import { copyText } from "../state";
import type { Player } from "../types";
import { clockText, isolated, MOVE_SYMBOLS, notation, number, symbolWord, w, wholeMoves, wordsOf } from "../words";
import type { Table } from "./table";

/** Returns ` ±0.6`, the error that the searches leave in a number; empty if it is unknown or would be shown as 0. */
const errorText = (error: number | undefined, decimals: number) =>
  error !== undefined && error >= 0.5 * 10 ** -decimals ? ` ±${number(error, decimals)}` : "";

const t = wordsOf({
  train: ["What to train: {0}", "Was zu üben ist: {0}"],
  relevantLoss: labels.relevant_loss,
  pointsLost: labels.given_away,
  searchErrorText: ["± the error that the searches leave", "± der Fehler, den die Suchen lassen"],
  link: ["Copy link", "Link kopieren"],
  copied: ["Copied", "Kopiert"],
  practiseAs: ["Practise as {0}", "Üben als {0}"],
  source: ["Details", "Angaben"],
  hardest: labels.hardest_moments,
  lossesExplained: labels.losses_explained,
});
type Side = "white" | "black";

export function Report({ table, onPractise }: { table: Table; onPractise(side: "white" | "black"): void }) {
  const game = table.game.value;
  const job = table.job.value;
  if (!game || !job) return <p class="quiet">{w("wait")}</p>;
  if (table.length.value === 0) return <p class="quiet">{w("positionOnly")}</p>;
  if (!table.isWhole.value) {
    // Totals of an unfinished review could be mistaken for those of the whole game, so show its
    // progress instead.
    return <p class="quiet">{w("movesReviewed", wholeMoves(table.plies.value.length), wholeMoves(table.length.value))}</p>;
  }
  // The user's own numbers come first.
  const sides: Side[] = table.mine.value === "black" ? ["black", "white"] : ["white", "black"];
  const both = sides.map((side) => game[side]);
  const row = (name: string, cell: (player: Player) => string, title?: string) => (
    <tr>
      <th scope="row" title={title}>{name}</th>
      {both.map((player) => (
        <td>{cell(player)}</td>
      ))}
    </tr>
  );
  const hasMistakes = (side: Side) => table.plies.value.some((ply) => ply.mover === side && isMistake(ply.symbol));
  return (
    <div class="report">
      <table>
        <thead>
          <tr>
            <th scope="col">{w("player")}</th>
            {sides.map((side) => (
              <th scope="col" class={side === table.mine.value ? "mine" : ""}><bdi>{game[side].name}</bdi></th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row(
            w("accuracy"),
            (player) => (player.accuracy === null ? "–" : `${number(player.accuracy, 1)} %${errorText(player.accuracy_error, 1)}`),
            w("accuracyText"),
          )}
          {row(t("relevantLoss"), (player) => number(player.relevant_loss, 2))}
          {row(t("pointsLost"), (player) => number(player.score_loss, 2) + errorText(player.score_loss_error, 2), t("searchErrorText"))}
          {(Object.keys(phases) as Phase[]).map((phase) =>
            both.some((player) => player.phases.find((other) => other.phase === phase)?.moves)
              ? row(`… ${w(phase)}`, (player) => {
                  const found = player.phases.find((other) => other.phase === phase);
                  return found?.moves ? number(found.score_loss, 2) : "–";
                })
              : null,
          )}
          {both.some((player) => player.time_seconds !== null) &&
            row(w("time"), (player) => (player.time_seconds === null ? "–" : clockText(Math.round(player.time_seconds))))}
        </tbody>
        <tbody class="counts">
          {MOVE_SYMBOLS.map((symbol) => (
            <tr>
              <th scope="row">
                <b class={symbolWord(symbol)} aria-hidden="true">{symbol}</b> {w(symbolWord(symbol))}
              </th>
              {both.map((player) => (
                <td>{player.symbols[symbol]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">{t("lossesExplained")}</p>
      <MomentList table={table} name={w("moments")} plies={game.critical_moments} />
      <MomentList table={table} name={t("hardest")} plies={game.hardest_moments ?? []} />
      {HAS_SERVER && (hasMistakes("white") || hasMistakes("black")) && (
        <p class="practise">
          {sides.filter(hasMistakes).map((side) => (
            <button type="button" class={side === table.mine.value ? "main" : ""} onClick={() => onPractise(side)}>{t("practiseAs", isolated(game[side].name))}</button>
          ))}
        </p>
      )}
      {HAS_SERVER && !table.plies.value.some((ply) => ply.ease?.length) && <EaseOfMoves table={table} />}
      {HAS_SERVER && (
        <p class="profiles">
          {named(game.headers).map((name) => (
            <a href={`/me?player=${encodeURIComponent(name)}`}>{t("train", isolated(name))}</a>
          ))}
        </p>
      )}
      <Take table={table} id={job.id} />
      <details>
        <summary>{w("theSum")}</summary>
        {game.notes.map((note) => <p class="quiet">{note}</p>)}
      </details>
      <details>
        <summary>{t("source")}</summary>
        <dl>
          {game.headers.map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
        </dl>
      </details>
    </div>
  );
}

/** A button that reviews the game again with ease. All evaluations of this review are used again. */
function EaseOfMoves({ table }: { table: Table }) {
  const problem = useSignal<string | null>(null);
  const job = table.job.value;
  if (job?.kind !== "review" || !job.game) return null;
  const ask = async () => {
    try {
      const next = await api.review({ game: job.game, like: job.id, ease: true });
      go(`/review/${next.id}`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problem.value = error.text;
    }
  };
  return (
    <p class="ease-of-moves">
      <button type="button" onClick={() => void ask()}>{w("howHardMoves")}</button> {problem.value && <span role="alert">{problem.value}</span>}
    </p>
  );
}

/** The names of the players in the game's tags, without unknown ones. */
const named = (headers: [string, string][]): string[] => [
  ...new Set(headers.filter(([tag, value]) => (tag === "White" || tag === "Black") && /[^?\s]/.test(value)).map(([, value]) => value.trim())),
];

/** Links to moves of the game. */
function MomentList({ table, name, plies }: { table: Table; name: string; plies: number[] }) {
  if (plies.length === 0) return null;
  return (
    <p class="critical">
      {name}:{" "}
      {plies.map((ply) => {
        const at = table.plies.value[ply - 1]!;
        return (
          <button type="button" class="plain" onClick={() => table.go(ply)}>
            {`${at.move_number}${at.mover === "white" ? "." : "…"} ${notation(at.san)}`}
            {at.symbol && <b class={symbolWord(at.symbol)}>{at.symbol}</b>}
          </button>
        );
      })}
    </p>
  );
}

const isMistake = (symbol: string | null) => symbol === "?!" || symbol === "?" || symbol === "??";

function Take({ table, id }: { table: Table; id: number }) {
  const copied = useSignal<string | null>(null);
  const copy = async (what: string, text: string) => {
    await copyText(text);
    copied.value = what;
    setTimeout(() => (copied.value = null), 2000);
  };
  return (
    <p class="take">
      {w("take")}:{" "}
      {reviewFiles(id, table.judge.value).map(([format, address]) => (
        <a href={address} download>{format}</a>
      ))}
      <button type="button" class="plain" onClick={() => void copy("link", location.href)}>
        {copied.value === "link" ? t("copied") : t("link")}
      </button>
      <button type="button" class="plain" onClick={() => void copy("fen", table.at.peek()?.fen ?? "")}>
        {copied.value === "fen" ? t("copied") : w("fen")}
      </button>
    </p>
  );
}
