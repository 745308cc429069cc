// The room "This browser": where the data are, how to take them along, and what the engine is.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { onEvent } from "../events";
import { DeletePlayer } from "../rooms/job";
import { status } from "../state";
import { number, w, wordsOf } from "../words";
import { ask } from "./link";
import { save } from "./transport";
import "../rooms/engines.css";

const t = wordsOf({
  data: ["Your data", "Deine Daten"],
  dataText: [
    "Games, reviews and attempts are kept in this browser, on this machine. No server receives them. If you delete the browser's data for this page, they are lost, so save a file from time to time.",
    "Partien, Analysen und Versuche liegen in diesem Browser, auf diesem Gerät. Kein Server bekommt sie. Wenn du die Browserdaten dieser Seite löschst, sind sie verloren; speichere also ab und zu eine Datei.",
  ],
  kept: ["{0} of them are used.", "Belegt sind {0}."],
  persist: ["Ask the browser to keep them", "Den Browser bitten, sie zu behalten"],
  persisted: ["The browser keeps them even if space runs low.", "Der Browser behält sie auch, wenn der Platz knapp wird."],
  refused: ["The browser may delete them if space runs low.", "Wird der Platz knapp, darf der Browser sie löschen."],
  save: ["Save everything as one file", "Alles als eine Datei speichern"],
  load: ["Load such a file", "Eine solche Datei laden"],
  fileText: [
    "The command line reads the file, too: centipawn store import FILE. And a file of centipawn store export can be loaded here.",
    "Auch die Kommandozeile liest die Datei: centipawn store import DATEI. Und hier lässt sich eine Datei von centipawn store export laden.",
  ],
  loaded: ["New: {0}.", "Neu: {0}."],
  games: ["{0} game|{0} games", "{0} Partie|{0} Partien"],
  reviews: ["{0} review|{0} reviews", "{0} Analyse|{0} Analysen"],
  puzzles: ["{0} puzzle|{0} puzzles", "{0} Aufgabe|{0} Aufgaben"],
  attempts: ["{0} attempt|{0} attempts", "{0} Versuch|{0} Versuche"],
  skipped: ["{0} line of the file cannot be read.|{0} lines of the file cannot be read.", "{0} Zeile der Datei ist nicht lesbar.|{0} Zeilen der Datei sind nicht lesbar."],
  engine: ["Engine", "Engine"],
  engineText: [
    "{0} runs in this browser, one copy for each of {1} cores. Its network is the small one, so that the page loads fast: it is weaker than Stockfish as a program, and its evaluations are less exact. For important games, use centipawn serve with the full Stockfish.",
    "{0} läuft in diesem Browser, je einmal auf {1} Kernen. Es hat das kleine Netz, damit die Seite schnell lädt: Es ist schwächer als Stockfish als Programm, und seine Bewertungen sind weniger genau. Nimm für wichtige Partien centipawn serve mit dem vollen Stockfish.",
  ],
  absent: ["What only the program has", "Was nur das Programm hat"],
  absentText: [
    "Searching games for puzzles, endgame tables, other engines, reports as one HTML file, decks for Anki, several users and several machines.",
    "Aufgaben in Partien suchen, Endspieltabellen, andere Engines, Berichte als eine HTML-Datei, Stapel für Anki, mehrere Nutzer und mehrere Rechner.",
  ],
});

const megabytes = (bytes: number) => `${number(bytes / 2 ** 20, bytes < 10 * 2 ** 20 ? 1 : 0)} MiB`;

export function BrowserRoom() {
  const used = useSignal<number | null>(null);
  const isPersisted = useSignal<boolean | null>(null);
  const message = useSignal("");
  const problem = useSignal("");
  const file = useRef<HTMLInputElement>(null);
  const look = async () => {
    used.value = (await navigator.storage?.estimate?.())?.usage ?? null;
    isPersisted.value = (await navigator.storage?.persisted?.()) ?? null;
  };
  useEffect(() => {
    document.title = `${w("browser")} · Centipawn`;
    void look();
    return onEvent((event) => {
      if (event.event === "reload") void look();
    });
  }, []);
  const load = async (chosen: File) => {
    message.value = problem.value = "";
    const answer = await ask("POST", "import", await chosen.arrayBuffer());
    const text = await new Response(answer.body).text();
    const read = JSON.parse(text) as Record<string, number> & { error?: string; hint?: string };
    if (answer.status === 200) {
      const parts = (["games", "reviews", "puzzles", "attempts"] as const).map((kind) => t(kind, read[kind] ?? 0));
      message.value = t("loaded", parts.join(", ")) + (read.skipped ? ` ${t("skipped", read.skipped)}` : "");
    } else problem.value = `${read.error}. ${read.hint}`;
    await look();
  };
  return (
    <main id="main" class="engines">
      <h1>{w("browser")}</h1>
      <section>
        <h2>{t("data")}</h2>
        <p>{t("dataText")}</p>
        <p class="quiet">
          {used.value !== null && `${t("kept", megabytes(used.value))} `}
          {isPersisted.value === true && t("persisted")}
          {isPersisted.value === false && t("refused")}
        </p>
        {isPersisted.value === false && (
          <p>
            <button type="button" onClick={() => void navigator.storage.persist().then(look)}>{t("persist")}</button>
          </p>
        )}
        <p class="buttons">
          <button type="button" class="main" onClick={() => void save("/api/export")}>{t("save")}</button>{" "}
          <button type="button" onClick={() => file.current?.click()}>{t("load")}</button>
          <input
            ref={file}
            type="file"
            class="hidden"
            tabIndex={-1}
            aria-label={t("load")}
            accept=".jsonl,.gz"
            onChange={(event) => {
              const chosen = event.currentTarget.files?.[0];
              if (chosen) void load(chosen);
              event.currentTarget.value = "";
            }}
          />
        </p>
        <p class="quiet">{t("fileText")}</p>
        <p role="status">{message.value}</p>
        {problem.value && <p class="problem" role="alert">{problem.value}</p>}
        <DeletePlayer />
      </section>
      <section>
        <h2>{t("engine")}</h2>
        <p>{t("engineText", status.value?.engine ?? "Stockfish", status.value?.engines ?? 1)}</p>
      </section>
      <section>
        <h2>{t("absent")}</h2>
        <p>{t("absentText")}</p>
      </section>
    </main>
  );
}
