// How much the engine searches: one choice for single games and for batches.
import { signal } from "@preact/signals";
import { setting, status } from "../state";
import { number, searchLimit, w, wordsOf } from "../words";

const t = wordsOf({
  auto: ["Automatic: one game thoroughly, many quickly", "Automatisch: eine Partie gründlich, viele schnell"],
  archive: ["For many games: 30,000 nodes per move, 300,000 at blunders and mates", "Für viele Partien: 30.000 Knoten je Zug, 300.000 bei groben Fehlern und Matts"],
  thorough: ["As set at the start: {0}", "Wie beim Start gewählt: {0}"],
  evals: ["Only the games’ own evaluations, where all moves have one (no reasons)", "Nur Bewertungen der Partien, wo jeder Zug eine hat (ohne Gründe)"],
});

/** Nodes for each position. */
const NODES = { quick: 50_000, normal: 300_000, deep: 2_000_000 };
type Limited = keyof typeof NODES;
type Effort = "auto" | "archive" | "server" | "evals" | Limited;

const kept = setting<Effort>("effort", "auto");
const chosen = signal<Effort>(kept.get());
chosen.subscribe((effort) => kept.set(effort));

const isLimited = (effort: Effort): effort is Limited => effort in NODES;

/** The search of a review as the user chose it: of one game, or of a batch. */
export function chosenSearch(isBatch: boolean): { archive?: boolean; limit?: string; reuse_evals?: boolean } {
  const effort = chosen.peek();
  if (isLimited(effort)) return { limit: `${NODES[effort]} nodes` };
  return { archive: effort === "archive" || (effort === "auto" && isBatch), reuse_evals: effort === "evals" };
}

/** The choice in the list of games. */
export function EffortChoice() {
  const most = status.value?.most_nodes ?? Infinity;
  const limited = (Object.keys(NODES) as Limited[]).filter((name) => NODES[name] <= most);
  const options: [Effort, string][] = [
    ["auto", t("auto")],
    ["archive", t("archive")],
    ["server", t("thorough", searchLimit(status.value?.limit ?? ""))],
    ...limited.map((name): [Effort, string] => [name, `${w(name)} · ${number(NODES[name], 0)} ${w("nodes")}`]),
    ["evals", t("evals")],
  ];
  return (
    <select aria-label={w("effort")} value={chosen.value} onChange={(event) => (chosen.value = event.currentTarget.value as Effort)}>
      {options.map(([name, label]) => (
        <option value={name}>{label}</option>
      ))}
    </select>
  );
}
