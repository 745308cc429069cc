// The first room: adding games, and the list of games with their reviews.
import { useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { withBase } from "../base";
import { api, Refusal } from "../api";
import { onEvent } from "../events";
import { go, setAddress } from "../route";
import { chosenCurve, setting, status } from "../state";
import type { Batch, GameFilter, GameRow, Games, Problem } from "../types";
import { isolated, language, notation, number, searchLimit, symbolWord, w, wordsOf } from "../words";
import { Batches, ReviewAll } from "./batches";
import { addressHelp } from "./address-help";
import { addressOfFilter, filterOfAddress, FilterForm } from "./game-filter";
import { GameList, GameRows, toggled } from "./game-list";
import { hasEnded, JobLine } from "./job";
import "./game-list.css";

const t = wordsOf({
  what: ["What is a chess evaluation worth?", "Was ist eine Bewertung wert?"],
  whatFor: [
    "Add your games, and Centipawn shows which moves cost you points, why, and what was better. You can then practise exactly these positions.",
    "Füge deine Partien hinzu: Centipawn zeigt, welche Züge dich Punkte kosteten, warum und was besser war, und lässt dich genau diese üben.",
  ],
  addTitle: ["Add games", "Partien hinzufügen"],
  addBrief: [
    "Files may be dropped anywhere. lichess:NAME or chesscom:NAME adds the 50 newest games of an account.",
    "Dateien lassen sich überall ablegen. lichess:NAME oder chesscom:NAME fügt die 50 neuesten Partien eines Kontos hinzu.",
  ],
  addText: [
    "Drop files here, paste PGN or a FEN, or choose files. For the 50 newest games of an account, write lichess:NAME or chesscom:NAME; the server then asks that site.",
    "Dateien hierher ziehen, PGN oder FEN einfügen oder Dateien wählen. Für die 50 neuesten Partien eines Kontos lichess:NAME oder chesscom:NAME schreiben; der Server fragt dann diese Seite.",
  ],
  paste: ["PGN or FEN", "PGN oder FEN"],
  add: ["Add", "Hinzufügen"],
  example: ["Review an example", "Ein Beispiel analysieren"],
  exampleText: ["Morphy's opera game, 33 half-moves", "Morphys Opernpartie, 33 Halbzüge"],
  empty: ["No games yet.", "Noch keine Partien."],
  noneFound: ["No game matches.", "Keine Partie passt."],
  count: ["{0} game|{0} games", "{0} Partie|{0} Partien"],
  countOf: ["{0} of {1} games", "{0} von {1} Partien"],
  added: ["{0} game was added.|{0} games were added.", "{0} Partie ist hinzugefügt.|{0} Partien sind hinzugefügt."],
  known: ["{0} game was there already.|{0} games were there already.", "{0} Partie war schon da.|{0} Partien waren schon da."],
  choose: ["Choose {0}", "{0} wählen"],
  critical: ["Most depended on", "Am meisten hing ab von"],
  me: ["Where do I lose points?", "Wo verliere ich Punkte?"],
  reviewIt: ["Review", "Analysieren"],
  useEvals: ["Use the game’s evaluations", "Bewertungen der Partie nutzen"],
  useEvalsText: ["the game has evaluations for {0} of {1} moves", "die Partie hat sie zu {0} von {1} Zügen"],
  asStarted: ["Server’s default", "Wie gestartet"],
  noEngine: [
    "The engine “{0}” was not found, so only games with evaluations can be reviewed.",
    "Die Engine „{0}“ wurde nicht gefunden; nur Partien mit Bewertungen lassen sich analysieren.",
  ],
  installEngine: [
    "Install Stockfish (Debian, Ubuntu: sudo apt install stockfish; macOS: brew install stockfish; Windows: stockfishchess.org) and load this page again, or start centipawn serve with --engine PATH.",
    "Installiere Stockfish (Debian, Ubuntu: sudo apt install stockfish; macOS: brew install stockfish; Windows: stockfishchess.org) und lade diese Seite neu, oder starte centipawn serve mit --engine PFAD.",
  ],
});

type Effort = "server" | "quick" | "normal" | "deep";

/** Nodes for each position. For `server`, the server's default is used. */
const EFFORTS: Record<Exclude<Effort, "server">, number> = { quick: 50_000, normal: 300_000, deep: 2_000_000 };

const effort = setting<Effort>("effort", "server");

/** The limit of a review; `undefined` for the server's default. */
function chosenLimit(): string | undefined {
  const chosen = effort.get();
  return chosen === "server" ? undefined : `${EFFORTS[chosen] ?? EFFORTS.normal} nodes`;
}

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
  const isFiltered = Object.entries(filter.value).some(([name, value]) => name !== "sort" && value !== undefined && value !== "");
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
      <Add add={add} isBrief={hasGames} />
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
            <EffortChoice />
            <FilterForm filter={filter} />
          </header>
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
          <Batches started={started} />
          {total === null && <p class="quiet" aria-busy="true">{w("wait")}</p>}
          {total === 0 && <p class="quiet">{t("noneFound")}</p>}
          {total !== null && total > 0 && <GameList rows={rows} row={(game) => <Row key={game.id} row={game} refusal={refusal} chosen={chosen} />} />}
        </section>
      )}
    </main>
  );
}

/** A name for messages, and the games. */
type Input = [name: string, body: BodyInit];

async function addOne(name: string, body: BodyInit): Promise<Games> {
  // An address contains no white space; games and positions do.
  if (typeof body === "string" && !/\s/.test(body.trim())) {
    const help = addressHelp(body);
    if (help) throw new Refusal(help.reason, help.hint, 0);
  }
  return api.addGames(name, body);
}

function addedText({ fresh, known }: { fresh: number; known: number }): string {
  const parts = [fresh > 0 || known === 0 ? t("added", number(fresh, 0)) : "", known > 0 ? t("known", number(known, 0)) : ""];
  return parts.filter(Boolean).join(" ");
}

/** Starts a review and opens it. */
async function review(row: GameRow, refusal: Signal<Refusal | null>, wanted: { limit?: string; reuse_evals?: boolean }): Promise<void> {
  try {
    const job = await api.review({ game: row.id, language: language.peek(), curve: chosenCurve.peek() || undefined, ...wanted });
    go(`/review/${job.id}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refusal.value = error;
    scrollTo(0, 0);
  }
}

const inputsOf = (files: FileList | null | undefined): Input[] => [...(files ?? [])].map((file) => [file.name, file]);

function Add({ add, isBrief }: { add(...inputs: Input[]): Promise<Games | null>; isBrief: boolean }) {
  const text = useSignal("");
  const isOver = useSignal(false);
  const isBusy = useSignal(false);
  const file = useRef<HTMLInputElement>(null);
  const take = async (...inputs: Input[]): Promise<Games | null> => {
    if (inputs.length === 0) return null;
    isBusy.value = true;
    try {
      return await add(...inputs);
    } finally {
      isBusy.value = false;
    }
  };
  const takeText = async () => {
    const typed = text.peek();
    if (!typed.trim()) return;
    const answer = await take([t("paste"), typed]);
    // Empty the field only if all of it was read and nothing else was typed in the meantime.
    // Otherwise the user can correct the text.
    if (answer?.problems.length === 0 && text.peek() === typed) text.value = "";
  };
  useEffect(() => {
    // Accept files that are dropped anywhere on the page.
    const over = (event: DragEvent) => {
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent) => {
      if (!event.relatedTarget) isOver.value = false;
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      isOver.value = false;
      const dropped = inputsOf(event.dataTransfer?.files);
      const pasted = event.dataTransfer?.getData("text/plain");
      if (dropped.length > 0) void take(...dropped);
      else if (pasted) void take([t("paste"), pasted]);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return (
    <form
      class={`add${isBrief ? " brief" : ""}${isOver.value ? " over" : ""}`}
      onSubmit={(event) => {
        event.preventDefault();
        void takeText();
      }}
    >
      <label for="paste">{t("addTitle")}</label>
      <p class="quiet" id="paste-text">{t(isBrief ? "addBrief" : "addText")}</p>
      <textarea
        id="paste"
        rows={isBrief ? 1 : 3}
        spellcheck={false}
        aria-describedby="paste-text"
        placeholder="1. e4 e5 2. Nf3 …"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <div class="buttons">
        <button type="submit" class="main" disabled={isBusy.value || text.value.trim() === ""}>{t("add")}</button>
        <button type="button" disabled={isBusy.value} onClick={() => file.current?.click()}>{w("choose")}</button>
        <input
          ref={file}
          type="file"
          multiple
          class="hidden"
          tabIndex={-1}
          aria-label={w("choose")}
          accept=".pgn,.txt,.gz,.zst,.bz2"
          onChange={(event) => {
            void take(...inputsOf(event.currentTarget.files));
            event.currentTarget.value = "";
          }}
        />
      </div>
    </form>
  );
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

function EffortChoice() {
  const chosen = useSignal(effort.get());
  const most = status.value?.most_nodes ?? Infinity;
  return (
    <label class="effort">
      {w("effort")}
      <select
        value={chosen.value}
        onChange={(event) => {
          chosen.value = event.currentTarget.value as Effort;
          effort.set(chosen.value);
        }}
      >
        <option value="server">{`${t("asStarted")} · ${searchLimit(status.value?.limit ?? "")}`}</option>
        {(Object.keys(EFFORTS) as Exclude<Effort, "server">[])
          .filter((name) => EFFORTS[name] <= most)
          .map((name) => (
            <option value={name}>{`${w(name)} · ${number(EFFORTS[name], 0)} ${w("nodes")}`}</option>
          ))}
      </select>
    </label>
  );
}

/**
 * Both players with their ratings. Names from files are in `<bdi>`, so that right-to-left text in
 * them does not reorder the text around them.
 */
function Names({ row }: { row: GameRow }) {
  const rating = (value: number | null) => value !== null && <span class="rating">{` ${value}`}</span>;
  return (
    <>
      <bdi>{row.white}</bdi>{rating(row.white_rating)} – <bdi>{row.black}</bdi>{rating(row.black_rating)}
    </>
  );
}

function Row({ row, refusal, chosen }: { row: GameRow; refusal: Signal<Refusal | null>; chosen: Signal<ReadonlySet<number>> }) {
  const job = useSignal(row.job);
  job.value = row.job;
  const ask = (wanted: { limit?: string; reuse_evals?: boolean }) => void review(row, refusal, wanted);
  const asked = () => ask({ limit: chosenLimit() });
  const shown = row.review?.id ?? row.job?.id;
  const isBusy = row.job?.state === "running" || row.job?.state === "waiting";
  return (
    <>
      <input
        type="checkbox"
        aria-label={t("choose", isolated(`${row.white} – ${row.black}`))}
        checked={chosen.value.has(row.id)}
        onChange={() => toggled(chosen, row.id)}
      />
      <div class="players">
        {shown ? <a href={`/review/${shown}`}><Names row={row} /></a> : <span><Names row={row} /></span>}
        <span class="result">{row.result}</span>
      </div>
      <p class="quiet facts">
        {row.occasion && <bdi>{row.occasion}</bdi>}
        {row.occasion && row.opening && " · "}
        {row.opening} {(row.occasion || row.opening) && "· "}
        {row.plies > 0 ? w("movesCount", Math.ceil(row.plies / 2)) : w("positionOnly")}
        {row.time_class && ` · ${row.time_class}`}
      </p>
      <div class="bottom">
        {row.review && !isBusy && <Reviewed row={row} />}
        <JobLine job={job} />
        <div class="buttons">
          {row.review && <a class="button" href={`/review/${row.review.id}`}>{w("open")}</a>}
          {!isBusy && (row.plies > 0 || !row.job) && (
            <button type="button" onClick={asked}>{row.plies > 0 ? t("reviewIt") : w("open")}</button>
          )}
          {row.evaluated > 0 && !isBusy && !(row.job?.kind === "review" && row.job.reuse_evals) && (
            <button type="button" title={t("useEvalsText", row.evaluated, row.plies)} onClick={() => ask({ reuse_evals: true })}>
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
    <span>
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
