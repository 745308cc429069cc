// A page without a server: a viewer of the games that the page contains. On paper and without
// scripts, the text of the page is shown instead.
import { signal } from "@preact/signals";
import { render } from "preact";
import "@lichess-org/chessground/assets/chessground.base.css";
import "@lichess-org/chessground/assets/chessground.cburnett.css";
import "../style/page.css";
import "../style/review.css";
import "../style/why.css";
import "../style/report.css";
import "../style/phone.css";
import "../style/print.css";
import "./site.css";
import { ReviewRoom } from "../rooms/review";
import { Table } from "../rooms/table";
import { Graph } from "../viewer/graph";
import { setLanguage, w, wordsOf } from "../words";
import { articles, gameShown, numberOf } from "./route";
import { sortTables } from "./sort";

const t = wordsOf({
  previousGame: ["Previous game", "Vorige Partie"],
  nextGame: ["Next game", "Nächste Partie"],
});

/**
 * Maximum number of games whose graphs are drawn for paper. More would slow down a large report.
 */
const DRAWN = 50;

/** Increases when the user enters an address, so that the game is shown again from it. */
const visit = signal(0);

function Viewer() {
  const game = gameShown();
  return (
    <>
      {articles.length > 1 && <Choice game={game} />}
      <ReviewRoom key={`${game} ${visit.value}`} id={game} />
    </>
  );
}

/** Buttons and a list to choose a game of a report. */
function Choice({ game }: { game: number }) {
  const title = (article: HTMLElement) => article.querySelector("h1")?.textContent ?? article.id;
  const go = (number: number) => (location.hash = `#g${number}`);
  const at = articles.findIndex((article) => numberOf(article) === game);
  const step = (by: number, sign: string, word: "previousGame" | "nextGame") => {
    const other = articles[at + by];
    return (
      <button type="button" aria-label={t(word)} title={t(word)} disabled={!other} onClick={() => other && go(numberOf(other))}>
        {sign}
      </button>
    );
  };
  return (
    <nav class="choice" aria-label={w("games")}>
      {step(-1, "‹", "previousGame")}
      <select aria-label={w("games")} value={String(game)} onChange={(event) => go(Number(event.currentTarget.value))}>
        {articles.map((article, index) => (
          <option value={String(numberOf(article))}>{`${index + 1}. ${title(article)}`}</option>
        ))}
      </select>
      {step(1, "›", "nextGame")}
    </nav>
  );
}

/** Draws the graph of a game for paper. */
function draw(article: HTMLElement): void {
  const place = article.querySelector(".drawn");
  if (place) render(<Graph table={new Table(numberOf(article))} />, place);
}

setLanguage(document.documentElement.lang);
sortTables();
if (articles.length > 0) {
  const place = document.createElement("div");
  place.className = "viewer";
  articles[0]!.before(place);
  document.body.classList.add("alive");
  render(<Viewer />, place);
  // The user followed a link to another game or move of the page.
  addEventListener("popstate", () => visit.value++);
  const waiting = articles.slice(0, DRAWN);
  const drawNext = () => {
    const article = waiting.shift();
    if (article) draw(article);
    if (waiting.length > 0) setTimeout(drawNext);
  };
  setTimeout(drawNext);
}
