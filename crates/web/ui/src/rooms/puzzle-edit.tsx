// Changes of a solved puzzle: its name, whether it is chosen by hand, and lines that are dropped.
import { useSignal } from "@preact/signals";
import { api, Refusal } from "../api";
import type { Posed, Solution } from "../types";
import { after, start, type At } from "../viewer/position";
import { halfMoves, numbered, w, wordsOf } from "../words";

const t = wordsOf({
  edit: ["Edit this puzzle", "Diese Aufgabe bearbeiten"],
  name: ["Name", "Name"],
  save: ["Save", "Speichern"],
  picked: ["Chosen by hand", "Von Hand ausgewählt"],
  pickedText: ["Puzzles chosen by hand are a theme of the list, and can be exported alone.", "Von Hand ausgewählte Aufgaben sind ein Thema der Liste und lassen sich allein exportieren."],
  drop: ["Drop lines", "Zweige streichen"],
  dropText: ["A line goes with all its moves. Themes are found again, and an estimated rating is removed.", "Ein Zweig fällt mit allen seinen Zügen weg. Die Themen werden neu bestimmt, eine geschätzte Wertung entfällt."],
  dropIt: ["Drop {0}", "{0} streichen"],
  from: ["from {0} on", "ab {0}"],
  also: ["{0} as a solution", "{0} als Lösung"],
});

/** A line that can be dropped: the way to its first move, and its name. */
interface Droppable {
  path: string[];
  label: string;
}

/** The replies of the main line, other replies, and other correct moves, from the end to the beginning. */
function droppable(fen: string, { line, puzzle }: Solution): Droppable[] {
  const found: Droppable[] = [];
  const tree = puzzle.tree ?? [];
  let at: At | undefined = start(fen);
  let node = tree[0];
  const half = halfMoves(fen);
  const path: string[] = [];
  line.forEach(({ uci }, index) => {
    const here: At | undefined = at;
    const san = (uci: string) => (here && after(here, uci)?.san) || uci;
    const label = (uci: string) => numbered(half + index, san(uci), true);
    if (index % 2 === 1) {
      // Every mate solves a puzzle, so dropping one would change nothing.
      for (const { move } of node?.answers.slice(1).filter(({ move }) => !san(move).endsWith("#")) ?? []) found.push({ path: [...path, move], label: t("also", label(move)) });
    } else if (index > 0) {
      for (const reply of node?.replies ?? [{ move: uci }]) found.push({ path: [...path, reply.move], label: t("from", label(reply.move)) });
      node = tree[node?.replies?.find(({ move }) => move === uci)?.next ?? tree.length];
    }
    if (index > 0) path.push(uci);
    at = here && after(here, uci)?.at;
  });
  return found.reverse();
}

export function PuzzleEditor({ puzzle, solution, changed }: { puzzle: Posed; solution: Solution; changed(): Promise<void> }) {
  const name = useSignal(solution.puzzle.id ?? "");
  const problem = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const isPicked = useSignal(solution.puzzle.themes.includes("handPicked"));
  const edit = async (wanted: Parameters<typeof api.editPuzzle>[1]) => {
    isBusy.value = true;
    problem.value = null;
    try {
      await api.editPuzzle(puzzle.id, wanted);
      await changed();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problem.value = error.text;
      isPicked.value = solution.puzzle.themes.includes("handPicked");
    } finally {
      isBusy.value = false;
    }
  };
  const lines = droppable(puzzle.fen, solution);
  return (
    <details class="edit">
      <summary>{t("edit")}</summary>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault();
          void edit({ name: name.peek() });
        }}
      >
        <label>
          {t("name")} <input type="text" maxLength={100} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={isBusy.value || name.value.trim() === (solution.puzzle.id ?? "")}>{t("save")}</button>
      </form>
      <label class="option">
        <input
          type="checkbox"
          disabled={isBusy.value}
          checked={isPicked.value}
          onChange={(event) => void edit({ hand_picked: (isPicked.value = event.currentTarget.checked) })}
        />{" "}
        {t("picked")} <span class="quiet">{t("pickedText")}</span>
      </label>
      {lines.length > 0 && (
        <fieldset class="drop">
          <legend>{t("drop")}</legend>
          <p class="quiet">{t("dropText")}</p>
          <ul>
            {lines.map(({ path, label }) => (
              <li key={path.join()}>
                {label} <button type="button" disabled={isBusy.value} aria-label={t("dropIt", label)} onClick={() => void edit({ without: path })}>✕</button>
              </li>
            ))}
          </ul>
        </fieldset>
      )}
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      {isBusy.value && <p class="quiet">{w("wait")}</p>}
    </details>
  );
}
