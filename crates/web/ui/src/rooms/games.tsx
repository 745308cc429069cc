// The first room: games in, the list of games with their reviews.
import { computed, useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { api, Refusal } from "../api";
import { onEvent } from "../events";
import { go } from "../route";
import { chosenCurve, setting, status } from "../state";
import type { GameRow, Games, Job, Problem } from "../types";
import { language, number, w, wordsOf } from "../words";
import { hasEnded, JobLine } from "./job";
import { Loading } from "./loading";

const t = wordsOf({
  what: ["What is a chess evaluation worth?", "Was ist eine Bewertung wert?"],
  whatFor: [
    "Add your games, and Centipawn shows which moves cost you points, why, and what was better. You can then practise exactly these positions.",
    "Füge deine Partien hinzu: Centipawn zeigt, welche Züge dich Punkte kosteten, warum und was besser war, und lässt dich genau diese üben.",
  ],
  addTitle: ["Add games", "Partien hinzufügen"],
  addText: [
    "Drop a file here, paste PGN or a FEN, or choose a file. For the 50 newest games of an account, write lichess:NAME or chesscom:NAME; the server then asks that site.",
    "Datei hierher ziehen, PGN oder FEN einfügen oder eine Datei wählen. Für die 50 neuesten Partien eines Kontos lichess:NAME oder chesscom:NAME schreiben; der Server fragt dann diese Seite.",
  ],
  paste: ["PGN or FEN", "PGN oder FEN"],
  add: ["Add", "Hinzufügen"],
  example: ["Review an example", "Ein Beispiel analysieren"],
  exampleText: ["Morphy's opera game, 33 half-moves", "Morphys Opernpartie, 33 Halbzüge"],
  empty: ["No games yet.", "Noch keine Partien."],
  noneFound: ["No game matches.", "Keine Partie passt."],
  search: ["Search", "Suchen"],
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

/** Nodes of a position; the server has a limit of its own. */
const EFFORTS: Record<Exclude<Effort, "server">, number> = { quick: 50_000, normal: 300_000, deep: 2_000_000 };

const effort = setting<Effort>("effort", "server");

/** The limit to ask for; `undefined` for the server's. */
function chosenLimit(): string | undefined {
  const chosen = effort.get();
  return chosen === "server" ? undefined : `${EFFORTS[chosen] ?? EFFORTS.normal} nodes`;
}

export function GamesRoom() {
  const games = useSignal<GameRow[] | null>(null);
  const problems = useSignal<Problem[]>([]);
  const refusal = useSignal<Refusal | null>(null);
  const search = useSignal("");

  const list: Loading = useMemo(
    () =>
      new Loading(
        async () => {
          const answer = await api.games(search.peek());
          return () => {
            games.value = answer.games;
            if (refusal.peek() === list.refusal) refusal.value = null;
          };
        },
        (error) => (refusal.value = error),
      ),
    [],
  );
  useSignalEffect(() => {
    void search.value;
    const look = () => {
      refusal.value = null;
      void list.load();
    };
    const timer = setTimeout(look, games.peek() ? 200 : 0);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    document.title = "Centipawn";
    return onEvent((event) => {
      if (event.event === "reload") void list.load();
      if (event.event === "job" && event.job.kind === "review") {
        update(games, event.job);
        if (hasEnded(event.job)) list.changed();
      }
      if (event.event === "position") {
        const row = games.peek()?.find((row) => row.job?.id === event.job);
        if (row?.job) update(games, { ...row.job, state: "running", done: event.done });
      }
    });
  }, []);

  const added = (answer: Games) => {
    problems.value = answer.problems;
    refusal.value = null;
    const ids = new Set(answer.games.map((row) => row.id));
    games.value = [...answer.games, ...(games.peek() ?? []).filter((row) => !ids.has(row.id))];
    list.changed();
  };
  const add = async (name: string, body: BodyInit): Promise<Games | null> => {
    // Games and positions have blanks, an address has none.
    if (typeof body === "string" && !/\s/.test(body.trim())) {
      const { addressHelp } = await import("./address-help");
      const help = addressHelp(body);
      if (help) {
        refusal.value = new Refusal(help.reason, help.hint, 0);
        return null;
      }
    }
    try {
      const answer = await api.addGames(name, body);
      added(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusal.value = error;
      return null;
    }
  };
  const example = async () => {
    const pgn = await (await fetch("/example.pgn")).blob();
    const row = (await add("example.pgn", pgn))?.games[0];
    if (row) await review(row, refusal, { limit: "20000 nodes" });
  };

  const isEmpty = games.value?.length === 0 && search.value === "";
  return (
    <main id="main" class="games">
      <h1>{t("what")}</h1>
      <p class="lead">{t("whatFor")}</p>
      {status.value?.has_engine === false && (
        <div class="problem" role="note">
          <p>{t("noEngine", status.value.engine)}</p>
          <p class="quiet">{t("installEngine")}</p>
        </div>
      )}
      <Add add={add} />
      {refusal.value && (
        <div class="problem" role="alert">
          <p>{refusal.value.message}</p>
          <p class="quiet">{refusal.value.hint}</p>
        </div>
      )}
      <Problems problems={problems} />
      {isEmpty ? (
        <section class="empty">
          <p>{t("empty")}</p>
          <button type="button" class="main" onClick={() => void example()}>{t("example")}</button>
          <p class="quiet">{t("exampleText")}</p>
        </section>
      ) : (
        <section class="list" aria-label={w("games")}>
          <header>
            <h2>{w("games")}</h2>
            <EffortChoice />
            <input
              type="search"
              placeholder={t("search")}
              aria-label={t("search")}
              value={search.value}
              onInput={(event) => (search.value = event.currentTarget.value)}
            />
          </header>
          {games.value === null && <p class="quiet" aria-busy="true">{w("wait")}</p>}
          {games.value?.length === 0 && <p class="quiet">{t("noneFound")}</p>}
          <ul>
            {games.value?.map((row) => (
              <Row key={row.id} row={row} refusal={refusal} games={games} />
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}


function update(games: Signal<GameRow[] | null>, job: Job): void {
  const rows = games.peek();
  if (!rows) return;
  games.value = rows.map((row) => (row.id === job.game && (!row.job || row.job.id <= job.id) ? { ...row, job } : row));
}

/** Asks for a review and opens it. */
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

function Add({ add }: { add(name: string, body: BodyInit): Promise<Games | null> }) {
  const text = useSignal("");
  const isOver = useSignal(false);
  const isBusy = useSignal(false);
  const file = useRef<HTMLInputElement>(null);
  const take = async (name: string, body: BodyInit) => {
    isBusy.value = true;
    const answer = await add(name, body);
    isBusy.value = false;
    if (answer) text.value = "";
  };
  useEffect(() => {
    // A file dropped beside the field is meant for it, too.
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
      const dropped = event.dataTransfer?.files[0];
      const pasted = event.dataTransfer?.getData("text/plain");
      if (dropped) void take(dropped.name, dropped);
      else if (pasted) void take(t("paste"), pasted);
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
      class={`add${isOver.value ? " over" : ""}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (text.peek().trim()) void take(t("paste"), text.peek());
      }}
    >
      <label for="paste">{t("addTitle")}</label>
      <p class="quiet" id="paste-text">{t("addText")}</p>
      <textarea
        id="paste"
        rows={3}
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
          class="hidden"
          tabIndex={-1}
          aria-label={w("choose")}
          accept=".pgn,.txt,.gz,.zst,.bz2"
          onChange={(event) => {
            const chosen = event.currentTarget.files?.[0];
            if (chosen) void take(chosen.name, chosen);
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
        <option value="server">{`${t("asStarted")} · ${limitText(status.value?.limit ?? "")}`}</option>
        {(Object.keys(EFFORTS) as Exclude<Effort, "server">[])
          .filter((name) => EFFORTS[name] <= most)
          .map((name) => (
            <option value={name}>{`${w(name)} · ${number(EFFORTS[name], 0)} ${w("nodes")}`}</option>
          ))}
      </select>
    </label>
  );
}

/** `1000000 nodes` as one reads it. */
function limitText(limit: string): string {
  const nodes = /^(\d+) nodes$/.exec(limit)?.[1];
  return nodes ? `${number(Number(nodes), 0)} ${w("nodes")}` : limit;
}

/** Both players. Text from files stands in <bdi>, so that its direction does not reorder the text around it. */
function Names({ row }: { row: GameRow }) {
  return (
    <>
      <bdi>{row.white}</bdi> – <bdi>{row.black}</bdi>
    </>
  );
}

function Row({ row, refusal, games }: { row: GameRow; refusal: Signal<Refusal | null>; games: Signal<GameRow[] | null> }) {
  const job = useMemo(() => computed(() => games.value?.find((other) => other.id === row.id)?.job ?? null), [row.id]);
  const ask = (wanted: { limit?: string; reuse_evals?: boolean }) => void review(row, refusal, wanted);
  const asked = () => ask({ limit: chosenLimit() });
  return (
    <li class="game">
      <div class="players">
        {row.job ? <a href={`/review/${row.job.id}`}><Names row={row} /></a> : <span><Names row={row} /></span>}
        <span class="result">{row.result}</span>
      </div>
      <p class="quiet">
        {row.occasion && <bdi>{row.occasion}</bdi>}
        {row.occasion && row.opening && " · "}
        {row.opening} {row.plies > 0 ? `· ${w("movesCount", Math.ceil(row.plies / 2))}` : w("positionOnly")}
      </p>
      <JobLine job={job} />
      <div class="buttons">
        {row.job?.state === "done" && <a class="button" href={`/review/${row.job.id}`}>{w("open")}</a>}
        {row.job?.state !== "running" && row.job?.state !== "waiting" && (row.plies > 0 || !row.job) && (
          <button type="button" onClick={asked}>{row.plies > 0 ? t("reviewIt") : w("open")}</button>
        )}
        {row.evaluated > 0 && !row.job?.reuse_evals && (
          <button type="button" title={t("useEvalsText", row.evaluated, row.plies)} onClick={() => ask({ reuse_evals: true })}>
            {t("useEvals")}
          </button>
        )}
      </div>
    </li>
  );
}
