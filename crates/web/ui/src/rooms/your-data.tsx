// Everything that the store keeps: export and import as one file, and deletion of a player's games.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { address, api, Refusal } from "../api";
import type { Problem } from "../types";
import { number, w, wordsOf } from "../words";
import { DeletePlayer } from "./job";

const t = wordsOf({
  title: ["Your data", "Deine Daten"],
  text: ["Games, reviews, puzzles, attempts and evaluations as one file of JSON lines, for another computer or as a copy.", "Partien, Analysen, Aufgaben, Versuche und Bewertungen als eine Datei aus JSON-Zeilen, für einen anderen Rechner oder als Kopie."],
  export: ["Export everything", "Alles exportieren"],
  small: ["Without evaluations", "Ohne Bewertungen"],
  import: ["Import a file", "Datei importieren"],
  imported: ["New: {0} games, {1} reviews and searches, {2} puzzles, {3} attempts.", "Neu: {0} Partien, {1} Analysen und Suchen, {2} Aufgaben, {3} Versuche."],
});

export function YourData() {
  const file = useRef<HTMLInputElement>(null);
  const message = useSignal("");
  const problem = useSignal<string | null>(null);
  const problems = useSignal<Problem[]>([]);
  const take = async (chosen: File) => {
    [message.value, problem.value, problems.value] = [w("wait"), null, []];
    try {
      const answer = await api.importLibrary(chosen.name, chosen);
      const added = answer.new;
      message.value = t("imported", ...[added.games, added.jobs, added.puzzles, added.attempts].map((count) => number(count, 0)));
      problems.value = answer.problems;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      [message.value, problem.value] = ["", error.text];
    }
  };
  return (
    <section class="your-data">
      <h2>{t("title")}</h2>
      <p class="quiet">{t("text")}</p>
      <p class="buttons">
        <a class="button" href={address("library/export.jsonl.gz")} download>{t("export")}</a>
        <a class="button" href={address("library/export.jsonl.gz?evaluations=no")} download>{t("small")}</a>
        <button type="button" onClick={() => file.current?.click()}>{t("import")}</button>
      </p>
      <input
        ref={file}
        type="file"
        class="hidden"
        tabIndex={-1}
        aria-label={t("import")}
        accept=".jsonl,.gz,.zst"
        onChange={(event) => {
          const chosen = event.currentTarget.files?.[0];
          if (chosen) void take(chosen);
          event.currentTarget.value = "";
        }}
      />
      <p role="status">{message.value}</p>
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      {problems.value.length > 0 && (
        <div class="problem" role="alert">
          <h3>{w("problems")}</h3>
          <ul>
            {problems.value.map((problem) => (
              <li>{`${problem.line === null ? "" : `${w("inLine")} ${problem.line}: `}${problem.text}`}</li>
            ))}
          </ul>
        </div>
      )}
      <DeletePlayer />
    </section>
  );
}
