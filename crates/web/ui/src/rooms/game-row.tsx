// A row in the list of games: the players and the result, the game's facts, what its review says.
import { useSignal, type Signal } from "@preact/signals";
import { api, Refusal } from "../api";
import { go } from "../route";
import { chosenCurve, isMe, mySide } from "../state";
import type { GameRow } from "../types";
import { isolated, language, notation, number, symbolWord, w, wordsOf } from "../words";
import { chosenSearch } from "./effort";
import { toggled } from "./game-list";
import { JobLine } from "./job";

const t = wordsOf({
  choose: ["Choose {0}", "{0} wählen"],
  critical: ["Most depended on", "Am meisten hing ab von"],
  reviewIt: ["Review", "Analysieren"],
  useEvals: ["Use the game’s evaluations", "Bewertungen der Partie nutzen"],
  useEvalsText: ["the game has evaluations for {0} of {1} moves", "die Partie hat sie zu {0} von {1} Zügen"],
  won: ["You won", "Du hast gewonnen"],
  lost: ["You lost", "Du hast verloren"],
  drawn: ["You drew", "Du hast remis gespielt"],
});

type Search = { archive?: boolean; limit?: string; reuse_evals?: boolean };

/** Starts a review and opens it. */
export async function review(row: GameRow, refusal: Signal<Refusal | null>, wanted: Search): Promise<void> {
  try {
    const job = await api.review({ game: row.id, language: language.peek(), curve: chosenCurve.peek() || undefined, ...wanted });
    go(`/review/${job.id}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refusal.value = error;
    scrollTo(0, 0);
  }
}

/** The user's result in a game; `null` if the user does not play in it, or it has no result. */
function myResult({ white, black, result }: GameRow): "won" | "lost" | "drawn" | null {
  const side = mySide(white, black);
  if (!side || result === "*") return null;
  if (result === "1/2-1/2") return "drawn";
  return (result === "1-0") === (side === "white") ? "won" : "lost";
}

/**
 * A player with the rating. Names from files are in `<bdi>`, so that right-to-left text in them
 * does not reorder the text around them.
 */
function Name({ name, rating }: { name: string; rating: number | null }) {
  return (
    <span class={`one${isMe(name) ? " mine" : ""}`}>
      <bdi>{name}</bdi>
      {rating !== null && <span class="rating">{` ${rating}`}</span>}
    </span>
  );
}

function Names({ row }: { row: GameRow }) {
  return (
    <>
      <Name name={row.white} rating={row.white_rating} />
      <span class="dash"> – </span>
      <Name name={row.black} rating={row.black_rating} />
    </>
  );
}

export function Row({ row, refusal, chosen }: { row: GameRow; refusal: Signal<Refusal | null>; chosen: Signal<ReadonlySet<number>> }) {
  const job = useSignal(row.job);
  job.value = row.job;
  const ask = (wanted: Search) => void review(row, refusal, wanted);
  const shown = row.review?.id ?? row.job?.id;
  const isBusy = row.job?.state === "running" || row.job?.state === "waiting";
  const mine = myResult(row);
  const facts = [
    row.occasion && <bdi>{row.occasion}</bdi>,
    row.opening,
    row.plies > 0 ? w("movesCount", Math.ceil(row.plies / 2)) : w("positionOnly"),
    row.time_class,
  ].filter(Boolean);
  return (
    <>
      <input
        type="checkbox"
        aria-label={t("choose", isolated(`${row.white} – ${row.black}`))}
        checked={chosen.value.has(row.id)}
        onChange={() => toggled(chosen, row.id)}
      />
      <div class="players">
        {shown ? <a href={`/review/${shown}`}><Names row={row} /></a> : <span class="names"><Names row={row} /></span>}
        <span class={`result ${mine ?? ""}`} title={mine ? t(mine) : undefined}>{row.result.replace("1/2-1/2", "½-½")}</span>
      </div>
      <p class="quiet facts">{facts.map((fact, index) => <>{index > 0 && " · "}{fact}</>)}</p>
      <div class="bottom">
        {row.review && !isBusy && <Reviewed row={row} />}
        <JobLine job={job} />
        <div class="buttons">
          {row.review && <a class="button" href={`/review/${row.review.id}`}>{w("open")}</a>}
          {!isBusy && (row.plies > 0 || !row.job) && (
            <button type="button" class={row.review ? "again" : ""} onClick={() => ask(chosenSearch(false))}>{row.plies > 0 ? t("reviewIt") : w("open")}</button>
          )}
          {row.evaluated > 0 && !row.review && !isBusy && !(row.job?.kind === "review" && row.job.reuse_evals) && (
            <button type="button" class="again" title={t("useEvalsText", row.evaluated, row.plies)} onClick={() => ask({ reuse_evals: true })}>
              {t("useEvals")}
            </button>
          )}
        </div>
      </div>
    </>
  );
}

/**
 * Results of a review: accuracy and mistakes of both players, and a link to the most decisive move.
 */
function Reviewed({ row }: { row: GameRow }) {
  const { white, black, critical, id } = row.review!;
  const side = (name: "white" | "black", { accuracy, dubious, mistakes, blunders }: typeof white) => (
    <span class={isMe(row[name]) ? "mine" : ""}>
      <i class={name} role="img" aria-label={w(name)} /> {accuracy === null ? "–" : `${number(accuracy, 0)} %`}
      {([["??", blunders], ["?", mistakes], ["?!", dubious]] as const).map(([symbol, count]) =>
        count > 0 ? <span class={symbolWord(symbol)}>{` ${count}${symbol}`}</span> : null,
      )}
    </span>
  );
  return (
    <p class="verdict">
      {side("white", white)} {side("black", black)}
      {critical && <a href={`/review/${id}#ply=${critical[0]}`} title={t("critical")}>{notation(critical[1])}</a>}
    </p>
  );
}
